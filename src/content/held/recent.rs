//! The last writes, with which an answer is compared before it is held. The rule: an answer is refused if a write that is no longer remembered
//! may have changed it.

use std::collections::VecDeque;

use crate::store::{ReadSet, WrittenRow};

/// The maximum number of remembered rows. A query takes milliseconds; if more rows are written meanwhile, its answer is not held.
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

    /// Adds a commit whose rows are not known.
    pub(super) fn add_unknown(&mut self, version: u64) {
        *self = Self { since: version, ..Self::default() };
    }

    /// Whether these rows have not changed since this version; `false` if that is no longer known.
    pub(super) fn are_current(&self, version: u64, reads: &ReadSet) -> bool {
        let later = self.commits.iter().rev().take_while(|(commit, _)| *commit > version);
        version >= self.since && later.flat_map(|(_, rows)| rows).all(|row| !reads.contains(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Key, MovingBounds};

    fn read(row: &str) -> ReadSet {
        let mut set = ReadSet::new(MovingBounds::default());
        set.note_row("T", &Key::new("p", row).expect("a key"));
        set.completed().expect("one row")
    }

    #[test]
    fn a_snapshot_is_current_if_no_later_commit_wrote_what_was_read() {
        let mut recent = RecentWrites::default();
        recent.add(5, &[WrittenRow::new("T", "p", "a")]);
        recent.add(8, &[WrittenRow::new("T", "p", "b")]);
        let is_current = |version, row| recent.are_current(version, &read(row));
        assert_eq!([4, 5, 7, 8].map(|version| is_current(version, "a")), [false, true, true, true]);
        assert_eq!([4, 5, 7, 8].map(|version| is_current(version, "b")), [false, false, false, true]);
        assert!(is_current(0, "c"));
    }

    #[test]
    fn a_snapshot_before_the_first_known_commit_is_not_current() {
        let mut recent = RecentWrites::default();
        for version in 1..=ROWS_MAX as u64 + 3 {
            recent.add(version, &[WrittenRow::new("T", "p", "a")]);
        }
        assert_eq!((recent.rows, recent.since), (ROWS_MAX, 3));
        assert!(!recent.are_current(2, &read("c")) && recent.are_current(3, &read("c")));
        recent.add_unknown(9_000);
        assert!(!recent.are_current(8_999, &read("c")) && recent.are_current(9_000, &read("c")));
    }
}
