//! Tests that announced writes invalidate entries, and that an entry is refused if a recent write has changed its rows.

use super::*;
use crate::store::{Key, MovingBounds, RowRange};

/// Caches a value that a query of this version has computed from one range.
fn keep(index: &mut Index<u64, ()>, hash: KeyHash, version: u64) {
    let mut reads = ReadSet::new(MovingBounds::default());
    reads.note_range("T", &RowRange::new("p", None, Some("0".to_owned())).expect("a range"));
    let reads = reads.completed().expect("one range");
    let read = Dependencies { era: index.era(), version, at: Instant::MIN, until: None, reads };
    drop(index.keep(hash, Entry::new(hash, ((), 9), read)));
}

fn finds(index: &Index<u64, ()>, hash: KeyHash) -> bool {
    index.find(hash, |key| *key == hash).is_some()
}

#[test]
fn an_announcement_that_costs_too_many_comparisons_drops_everything() {
    let mut index = Index::new(CacheKind::Answer, 16 << 20);
    (0..=1_000).for_each(|hash| keep(&mut index, hash, 1));
    let rows: Vec<_> = (0..COMPARED_MAX / 1_000).map(|row| WrittenRow::new("T", "p", &row.to_string())).collect();
    drop(index.will_commit(2, Some(&rows[1..])));
    assert!(finds(&index, 7), "no row is in the range");
    let others: Vec<_> = (0..10_000).map(|row| WrittenRow::new("T", "q", &row.to_string())).collect();
    drop(index.will_commit(3, Some(&others)));
    assert!(finds(&index, 7), "rows of another partition are not compared");
    drop(index.will_commit(3, Some(&rows)));
    assert_eq!((finds(&index, 7), index.bytes(), index.contents.ranges.len()), (false, 0, 0));
    keep(&mut index, 7, 2);
    assert!(!finds(&index, 7), "the rows of the last commit are not known");
    keep(&mut index, 7, 3);
    assert!(finds(&index, 7));
}

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
    for version in 1..=RECENT_ROWS_MAX as u64 + 3 {
        recent.add(version, &[WrittenRow::new("T", "p", "a")]);
    }
    assert_eq!((recent.rows, recent.since), (RECENT_ROWS_MAX, 3));
    assert!(!recent.are_current(2, &read("c")) && recent.are_current(3, &read("c")));
    recent = RecentWrites::unknown_until(9_000);
    assert!(!recent.are_current(8_999, &read("c")) && recent.are_current(9_000, &read("c")));
}
