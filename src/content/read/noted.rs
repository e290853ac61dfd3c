//! Notes what a reader has read, so that an answer can be held until it changes. The rule: a set contains everything that the query read, and
//! what the same query reads later if only the time has changed.

use crate::content::held::{Dependencies, Recording};
use crate::keys::time;

use super::reader::Reader;
use super::scheduled::next_scheduled;

impl Reader {
    /// Whether the request has neither a token nor a preview link, so that it reads what everyone reads.
    pub(in crate::content) fn is_anonymous(&self) -> bool {
        self.actor().is_none() && self.preview.is_none()
    }

    /// The version up to which it certainly sees all writes: that of its snapshot, or the horizon at its beginning. `None` if it is not known.
    pub(in crate::content) fn version(&self) -> Option<u64> {
        self.source.version.or(self.source.horizon)
    }

    /// Begins to record what the answer of a query depends on. Nothing is recorded if the answer is for its actor alone, or if the query does not read
    /// a snapshot.
    pub fn start_recording(&self) {
        if self.is_anonymous() && self.version().is_some() {
            // The bounds that follow the clock are noted open.
            self.source.counted.note_reads(self.read_set(time::moving_bounds(self.now())));
        }
    }

    /// Ends the recording, after the query has read everything.
    pub async fn end_recording(&self, recording: &Recording) {
        let (Some(version), Some(mut reads)) = (self.version(), self.source.counted.noted_reads()) else { return };
        // If the store fails, the answer is not held.
        let Ok(until) = next_scheduled(self, &mut reads).await else { return };
        let Some(reads) = reads.completed() else { return };
        recording.complete(Dependencies { era: recording.era(), version, at: self.now(), until, reads });
    }
}
