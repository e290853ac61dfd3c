//! Estimates how many changes fit into one transaction. The rule: the estimate is never too low, so that the store refuses no transaction because of
//! its size, except one of a single change that is too large.

use crate::content::tables::rows::post as rows;
use crate::content::write::plan::{self, Planned};
use crate::keys::PostPlace;
use crate::model::Post;
use crate::model::post::REVISIONS_MAX;
use crate::store::limits::{TRANSACTION_BYTES_MAX, TRANSACTION_ROWS_MAX, key_payload_bytes, row_payload_bytes};

/// An upper bound for a row of a claim, a pointer, a count, a listing or a new tag.
const SMALL_ROW_BYTES: usize = 4 << 10;
/// An upper bound for what the record and the log have of one change, with its row as a scheduled post.
const RECORD_BYTES: usize = 3 << 10;

/// An upper bound for what one change writes.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    rows: usize,
    bytes: usize,
}

impl Size {
    fn of(planned: &Planned) -> Self {
        let change = &planned.change;
        let place = PostPlace::of(change.post());
        let key = place.whole(&change.post().slug);
        let whole = planned.rows.as_ref().map_or(0, |rows| row_payload_bytes(&key, &rows.whole));
        let kept = change.before.as_ref().map_or(0, |before| row_payload_bytes(&key, &before.row));
        let summary = |post: &Post| row_payload_bytes(&key, &rows::summary(post));
        // The summary, its mirror, and two claims, each smaller than the summary.
        let summaries = 4 * change.after().map_or(0, summary);
        let small: usize = [change.before(), change.after()].into_iter().flatten().map(small_rows).sum();
        let revisions = if change.after.is_none() { 2 * REVISIONS_MAX as usize } else { 2 };
        Self {
            rows: 8 + small + revisions,
            bytes: whole
                + kept
                + summaries
                + small * SMALL_ROW_BYTES
                + RECORD_BYTES
                + (6 + revisions) * key_payload_bytes(&key),
        }
    }

    fn and(self, other: Self) -> Self {
        Self { rows: self.rows + other.rows, bytes: self.bytes + other.bytes }
    }

    /// Leaves a row for the record of changes. Of the rows of each change, two are for the log: its head and its entries, and that the post is scheduled.
    fn fits(self) -> bool {
        self.rows < TRANSACTION_ROWS_MAX && self.bytes < TRANSACTION_BYTES_MAX
    }
}

/// Two rows and a count for each pointer; two rows, a count and a listing for each tag that may be new; the claims; a count and a listing of the
/// month.
fn small_rows(post: &Post) -> usize {
    3 * plan::pointers(post).len() + 4 * post.tags.len() + plan::lookups(post).len() + 2
}

/// Splits the changes, in their order, into parts that fit into one transaction each.
pub(super) fn parts(planned: Vec<Planned>) -> Vec<Vec<Planned>> {
    let mut parts: Vec<Vec<Planned>> = Vec::new();
    let mut filled = Size::default();
    for planned in planned {
        let size = Size::of(&planned);
        match parts.last_mut().filter(|_| filled.and(size).fits()) {
            Some(part) => {
                part.push(planned);
                filled = filled.and(size);
            }
            None => {
                parts.push(vec![planned]);
                filled = size;
            }
        }
    }
    parts
}
