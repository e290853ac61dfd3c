//! Count rows: how many rows a partition lists. The rule: a count changes under its ETag, in the same transaction as the counted rows.

use crate::keys::time;
use crate::model::PostKey;
use crate::store::{Entity, Properties, StoreError};

use super::{NewRow, RowFields};

pub(super) const ROWS: &str = "Rows";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Count {
    pub rows: i64,
    /// Incremented by each change, so that the copy with the higher number is newer.
    pub sequence: i64,
    /// The newest post that was ever in this partition; it may have been removed since. If it is not later than now, no post of this partition is scheduled,
    /// and readers see `rows` posts. Partitions of terms have none.
    pub newest: Option<PostKey>,
}

impl Count {
    /// The count after `added` more rows. `newest`: the newest of them.
    #[must_use]
    pub fn changed(&self, added: i64, newest: Option<&PostKey>) -> Self {
        let newest = match (&self.newest, newest) {
            (Some(old), Some(new)) => Some(old.min(new).clone()),
            (old, new) => old.as_ref().or(new).cloned(),
        };
        Self { rows: self.rows + added, sequence: self.sequence + 1, newest }
    }
}

pub fn row(count: &Count) -> Properties {
    NewRow::default()
        .int64(ROWS, count.rows)
        .int64("Sequence", count.sequence)
        .optional_text("Newest", count.newest.as_ref().map(time::time_row))
        .build()
}

pub fn read(row: &Entity) -> Result<Count, StoreError> {
    let fields = RowFields(row);
    let newest = match fields.optional_text("Newest")? {
        None => None,
        Some(text) => Some(time::parse_time_row(text).ok_or_else(|| fields.damaged("Newest"))?),
    };
    Ok(Count { rows: fields.int64(ROWS)?, sequence: fields.int64("Sequence")?, newest })
}
