//! The reads of a query and the writes of a commit, so that the two can be compared. The rule: if a commit writes no row of a read set, each read of the set
//! has the same result after the commit. An inexact set is too large: an additional row costs one execution, a missing row would make an answer stale.
//!
//! Rows and partitions are kept as keyed hashes of 64 bits: two rows with one hash count as one row. ETags are ignored: a write that changes only the ETag of a
//! row does not count.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use compact_str::CompactString;

use crate::model::Instant;

use super::{Key, Page, RowRange, TagOf, TagSet};

/// The maximum number of reads of a set: more than most pages of a list need. A larger set is incomplete, and takes no more memory.
const ROWS_MAX: usize = 1_024;
const RANGES_MAX: usize = 256;

/// One hasher for the process, so that reads and writes have the same hashes, which a client cannot compute.
static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// The hash of a table and a PartitionKey.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartitionMark(u64);

impl PartitionMark {
    pub fn of(table: &str, partition: &str) -> Self {
        Self(HASHER.hash_one((table, partition)))
    }
}

/// The hash of a table, a PartitionKey and a RowKey.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowMark(u64);

impl RowMark {
    fn of(table: &str, partition: &str, row: &str) -> Self {
        Self(HASHER.hash_one((table, partition, row)))
    }
}

/// A row that a commit puts or deletes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenRow {
    pub mark: RowMark,
    pub partition: PartitionMark,
    pub row: CompactString,
}

impl WrittenRow {
    pub fn new(table: &str, partition: &str, row: &str) -> Self {
        let (mark, of_partition) = (RowMark::of(table, partition, row), PartitionMark::of(table, partition));
        Self { mark, partition: of_partition, row: row.into() }
    }
}

/// A range of a partition that was read, including missing rows: `from` inclusive, `to` exclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRange {
    pub partition: PartitionMark,
    pub from: CompactString,
    pub to: Option<CompactString>,
}

impl ReadRange {
    fn contains(&self, written: &WrittenRow) -> bool {
        self.partition == written.partition
            && self.from <= written.row
            && self.to.as_ref().is_none_or(|to| written.row < *to)
    }
}

/// The bounds of ranges that move with the clock. A range that begins at a row of `starts` is recorded from the paired row on; a range that ends at a row of
/// `ends` is recorded without an end, so that the set contains the rows that the same query reads later.
#[derive(Debug, Clone, Default)]
pub struct MovingBounds {
    pub starts: Vec<(String, String)>,
    pub ends: Vec<String>,
}

/// The rows that a query has read. Clones are independent.
#[derive(Debug, Clone)]
pub struct ReadSet {
    moving: MovingBounds,
    rows: Vec<RowMark>,
    ranges: Vec<ReadRange>,
    is_complete: bool,
    /// The instant at which the reads become invalid by time alone, apart from publications.
    ends_at: Option<Instant>,
    /// `None` if the reads have no tags.
    tags: Option<TagSet>,
}

impl ReadSet {
    pub fn new(moving: MovingBounds) -> Self {
        Self { moving, rows: Vec::new(), ranges: Vec::new(), is_complete: true, ends_at: None, tags: None }
    }

    /// An empty set that also has the tags of its reads, if there is a function that tags them.
    pub fn tagged(moving: MovingBounds, tag_of: Option<TagOf>) -> Self {
        Self { tags: tag_of.map(TagSet::new), ..Self::new(moving) }
    }

    /// The tags of a [`completed`](Self::completed) set.
    pub fn tags(&self) -> Option<&TagSet> {
        self.tags.as_ref()
    }

    /// From now on, the tags of the set are those of all posts and terms.
    pub fn coarsen_tags(&mut self) {
        if let Some(tags) = &mut self.tags {
            tags.coarsen();
        }
    }

    /// Records a point read, whether the row exists or not.
    pub fn note_row(&mut self, table: &str, key: &Key) {
        self.push(RowMark::of(table, key.partition(), key.row()));
        if let Some(tags) = &mut self.tags {
            tags.note(table, key.partition(), Some(key.row()));
        }
    }

    /// Records that the reads are valid only before this instant.
    pub fn note_end(&mut self, at: Instant) {
        self.ends_at = self.ends_at.into_iter().chain([at]).min();
    }

    pub fn ends_at(&self) -> Option<Instant> {
        self.ends_at
    }

    /// Records everything in a [`completed`](Self::completed) set.
    pub fn merge(&mut self, other: &Self) {
        self.is_complete &= other.is_complete;
        if !self.is_complete {
            return;
        }
        other.rows.iter().for_each(|row| self.push(*row));
        other.ends_at.into_iter().for_each(|at| self.note_end(at));
        match (&mut self.tags, &other.tags) {
            (Some(tags), Some(others)) => tags.merge(others),
            // Reads without tags may concern any row.
            (Some(tags), None) => tags.coarsen(),
            (None, _) => {}
        }
        for range in &other.ranges {
            if !self.ranges.contains(range) {
                self.push_range(range.clone());
            }
        }
    }

    /// A row that is read repeatedly is recorded repeatedly, but counts once.
    fn push(&mut self, row: RowMark) {
        if !self.is_complete {
            return;
        }
        if self.rows.len() >= 2 * ROWS_MAX {
            self.sort();
        }
        self.rows.push(row);
    }

    fn push_range(&mut self, range: ReadRange) {
        match self.ranges.len() < RANGES_MAX {
            true => self.ranges.push(range),
            false => self.is_complete = false,
        }
    }

    fn sort(&mut self) {
        self.rows.sort_unstable();
        self.rows.dedup();
        self.is_complete &= self.rows.len() <= ROWS_MAX;
    }

    /// Records a whole range.
    pub fn note_range(&mut self, table: &str, range: &RowRange) {
        self.note(table, range, range.to().filter(|to| !self.moving.ends.iter().any(|end| end == to)).map(Into::into));
    }

    /// Records one page of a range: up to its last row if the range continues.
    pub fn note_page(&mut self, table: &str, range: &RowRange, page: &Page) {
        match page.rows.last().filter(|_| page.continuation.is_some()) {
            // NUL sorts before every character of a key, so this is the first row after the last one.
            Some(last) => self.note(table, range, Some(compact_str::format_compact!("{}\0", last.key.row()))),
            None => self.note_range(table, range),
        }
    }

    fn note(&mut self, table: &str, range: &RowRange, to: Option<CompactString>) {
        let from = range.from().unwrap_or_default();
        let moved = self.moving.starts.iter().find(|(start, _)| start == from);
        let from = moved.map_or(from, |(_, earlier)| earlier).into();
        self.push_range(ReadRange { partition: PartitionMark::of(table, range.partition()), from, to });
        if let Some(tags) = &mut self.tags {
            tags.note(table, range.partition(), None);
        }
    }

    /// Makes the set incomplete, because a read does not fit or has failed.
    pub fn break_off(&mut self) {
        self.is_complete = false;
    }

    /// The set with each row once, if it contains all reads.
    pub fn completed(mut self) -> Option<Self> {
        self.sort();
        self.rows.shrink_to_fit();
        self.ranges.shrink_to_fit();
        self.moving = MovingBounds::default();
        if let Some(tags) = &mut self.tags {
            tags.sort();
        }
        self.is_complete.then_some(self)
    }

    /// The rows of a [`completed`](Self::completed) set, ascending.
    pub fn rows(&self) -> &[RowMark] {
        &self.rows
    }

    pub fn ranges(&self) -> &[ReadRange] {
        &self.ranges
    }

    /// Whether a [`completed`](Self::completed) set contains the row.
    pub fn contains(&self, written: &WrittenRow) -> bool {
        self.rows.binary_search(&written.mark).is_ok() || self.ranges.iter().any(|range| range.contains(written))
    }
}

/// Is notified of every commit of a store. Calls must be short, because the writing thread waits for them, and must not unwind, because a panic there counts as
/// a damaged file.
pub trait WriteObserver: Send + Sync {
    /// A commit is about to become visible. `rows`: the changed rows; `None` if there are too many. Until the next call, snapshots have this version or an
    /// earlier one. If the commit fails, none of the rows has changed.
    fn will_commit(&self, version: u64, rows: Option<&[WrittenRow]>);

    /// The store was reopened: everything that was read before is invalid.
    fn was_reopened(&self);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Continuation, Entity, Etag, Properties};

    fn range(from: &str, to: Option<&str>) -> RowRange {
        RowRange::new("p", Some(from.to_owned()), to.map(str::to_owned)).expect("a range")
    }

    fn contains(set: &ReadSet, row: &str) -> bool {
        set.contains(&WrittenRow::new("T", "p", row))
    }

    fn page(rows: &[&str], continues: bool) -> Page {
        let row = |row: &&str| Entity {
            key: Key::new("p", *row).expect("a key"),
            etag: Etag("1".into()),
            properties: Properties::new(),
        };
        Page { rows: rows.iter().map(row).collect(), continuation: continues.then(|| Continuation::new("x")) }
    }

    #[test]
    fn a_point_read_is_of_one_row_whether_it_exists_or_not() {
        let mut set = ReadSet::new(MovingBounds::default());
        set.note_row("T", &Key::new("p", "a").expect("a key"));
        set.note_row("T", &Key::new("p", "a").expect("a key"));
        let set = set.completed().expect("a complete set");
        assert_eq!((contains(&set, "a"), contains(&set, "b"), set.rows().len()), (true, false, 1));
        assert!(!set.contains(&WrittenRow::new("Other", "p", "a")) && !set.contains(&WrittenRow::new("T", "q", "a")));
    }

    #[test]
    fn a_page_ends_at_its_last_row_if_the_range_continues_and_at_the_end_of_the_range_otherwise() {
        let of = |page: &Page| {
            let mut set = ReadSet::new(MovingBounds::default());
            set.note_page("T", &range("b", Some("y")), page);
            let set = set.completed().expect("a complete set");
            ["a", "b", "m", "m!", "x", "y"].map(|row| contains(&set, row))
        };
        assert_eq!(of(&page(&["b", "m"], true)), [false, true, true, false, false, false]);
        assert_eq!(of(&page(&["b", "m"], false)), [false, true, true, true, true, false]);
        assert_eq!(of(&page(&[], false)), [false, true, true, true, true, false]);
        assert_eq!(of(&page(&[], true)), [false, true, true, true, true, false]);
    }

    #[test]
    fn a_bound_that_moves_with_the_clock_is_noted_open() {
        let moving = MovingBounds { starts: vec![("5".to_owned(), "0".to_owned())], ends: vec!["~5:".to_owned()] };
        let mut set = ReadSet::new(moving);
        set.note_range("T", &range("5", Some("7")));
        set.note_range("T", &range("~2", Some("~5:")));
        let set = set.completed().expect("a complete set");
        let rows = ["3", "5", "6", "7", "~1", "~3", "~9"];
        assert_eq!(rows.map(|row| contains(&set, row)), [true, true, true, false, false, true, true]);
    }

    #[test]
    fn a_merged_set_contains_what_both_contain_and_a_row_that_is_noted_often_counts_once() {
        let of = |rows: &[usize]| {
            let mut set = ReadSet::new(MovingBounds::default());
            rows.iter().for_each(|row| set.note_row("T", &Key::new("p", row.to_string()).expect("a key")));
            set.note_range("T", &range("x", Some("y")));
            set
        };
        let mut set = of(&[1, 2]);
        let other = of(&[2, 3]).completed().expect("a complete set");
        (0..10 * ROWS_MAX).for_each(|_| set.merge(&other));
        let set = set.completed().expect("three rows");
        assert_eq!((set.rows().len(), set.ranges().len()), (3, 1));
        assert!(contains(&set, "1") && contains(&set, "3") && contains(&set, "xx") && !contains(&set, "4"));
        let mut incomplete = of(&(0..=ROWS_MAX).collect::<Vec<_>>());
        incomplete.merge(&other);
        assert!(incomplete.completed().is_none());
    }

    #[test]
    fn a_set_that_is_too_long_is_not_complete() {
        let mut set = ReadSet::new(MovingBounds::default());
        (0..=ROWS_MAX).for_each(|row| set.note_row("T", &Key::new("p", row.to_string()).expect("a key")));
        assert!(set.completed().is_none());
        let mut set = ReadSet::new(MovingBounds::default());
        (0..=RANGES_MAX).for_each(|_| set.note_range("T", &range("a", None)));
        assert!(set.completed().is_none());
    }
}
