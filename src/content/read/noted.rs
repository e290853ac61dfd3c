//! What a reader has read, noted so that an answer can be held until it changes. The rule: a set contains everything that the query read, and what the
//! same query reads later if only the time has changed.

use crate::keys::time;
use crate::store::ReadSet;

use super::reader::Reader;

impl Reader {
    /// Whether the request has neither a token nor a preview link, so that it reads what everyone reads.
    pub(in crate::content) fn is_anonymous(&self) -> bool {
        self.actor().is_none() && self.preview.is_none()
    }

    /// The version up to which it certainly sees all writes: that of its snapshot, or the horizon at its beginning. `None` if it is not known.
    pub(in crate::content) fn version(&self) -> Option<u64> {
        self.source.version.or(self.source.horizon)
    }

    /// From now on, notes what is read. The bounds that follow the clock are noted open.
    pub(in crate::content) fn note_reads(&self) {
        self.source.counted.note_reads(ReadSet::new(time::moving_bounds(self.now())));
    }

    /// What was read since then, if all of it is known.
    pub(in crate::content) fn noted_reads(&self) -> Option<ReadSet> {
        self.source.counted.noted_reads()
    }
}
