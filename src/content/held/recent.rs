//! The last writes, for answers that are held after a write that their query did not see. The rule: an answer is refused if a write that is not known
//! any more may have changed it.

use std::collections::VecDeque;

use crate::store::{ReadSet, WrittenRow};

/// The most rows that are remembered. A query takes milliseconds; few rows are written meanwhile, or so many that it is run again.
pub(super) const ROWS_MAX: usize = 4_096;

#[derive(Default)]
pub(super) struct RecentWrites {
    /// The commits after `since`, the oldest first.
    commits: VecDeque<(u64, Vec<WrittenRow>)>,
    rows: usize,
    /// Nothing is known of the writes up to this version.
    since: u64,
}

impl RecentWrites {
    pub(super) fn add(&mut self, version: u64, rows: &[WrittenRow]) {
        self.commits.push_back((version, rows.to_vec()));
        self.rows += rows.len();
        while self.rows > ROWS_MAX || self.commits.len() > ROWS_MAX {
            let Some((version, rows)) = self.commits.pop_front() else { return };
            self.rows -= rows.len();
            self.since = version;
        }
    }

    /// The rows of this commit are not known.
    pub(super) fn add_unknown(&mut self, version: u64) {
        *self = Self { since: version, ..Self::default() };
    }

    /// Whether a snapshot of this version has these rows as they are now.
    pub(super) fn are_current(&self, version: u64, reads: &ReadSet) -> bool {
        let later = self.commits.iter().rev().take_while(|(commit, _)| *commit > version);
        version >= self.since && later.flat_map(|(_, rows)| rows).all(|row| !reads.contains(row))
    }
}
