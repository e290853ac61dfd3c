//! Tests which values readers of different versions find.

use std::any::Any;

use super::*;
use crate::model::{TermId, TermKind};
use crate::store::embedded::EmbeddedStore;
use crate::store::{Key, MovingBounds, WriteObserver, WrittenRow};

fn values(bytes_max: usize) -> Option<Arc<ValueCache>> {
    let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
    ValueCache::of(&store, bytes_max)
}

fn at(milliseconds: i64) -> Instant {
    Instant::from_ticks(milliseconds * 10_000).expect("an instant")
}

fn count(n: u64) -> CacheKey {
    CacheKey::TermCount(TermId { kind: TermKind::Tag, first_slug: format!("tag-{n}").parse().expect("a slug") })
}

/// Caches a value that a reader of this version has read from this row.
fn keep(values: &ValueCache, key: u64, version: u64, row: &str) {
    let mut reads = ReadSet::new(MovingBounds::default());
    reads.note_row("T", &Key::new("p", row).expect("a key"));
    let reads = reads.completed().expect("one row");
    let read = Dependencies { era: values.era(), version, at: at(10), until: Some(at(20)), reads };
    values.keep(count(key), key, read);
}

fn moment(values: &ValueCache, version: u64, now: i64) -> ReadMoment {
    ReadMoment { era: values.era(), version, is_snapshot: true, now: at(now) }
}

fn finds(values: &ValueCache, key: u64, version: u64, now: i64) -> bool {
    finds_at(values, key, moment(values, version, now))
}

fn finds_at(values: &ValueCache, key: u64, moment: ReadMoment) -> bool {
    let mut is_found = false;
    values.visit(moment, std::iter::once(count(key)), |_, found| {
        let value = found.and_then(|(value, _)| (value as &dyn Any).downcast_ref::<u64>());
        is_found = value == Some(&key);
    });
    is_found
}

fn written(row: &str) -> [WrittenRow; 1] {
    [WrittenRow::new("T", "p", row)]
}

#[test]
fn a_value_is_used_from_its_version_and_instant_until_its_rows_are_written_or_a_scheduled_post_appears() {
    let values = values(VALUE_CACHE_BYTES_MAX).expect("a file announces its writes");
    keep(&values, 1, 5, "a");
    assert!(finds(&values, 1, 5, 10) && finds(&values, 1, 9, 19));
    assert!(!finds(&values, 1, 4, 10), "an older snapshot may have other rows");
    assert!(!finds(&values, 1, 5, 9) && !finds(&values, 1, 5, 20));
    values.cache.will_commit(6, Some(&written("b")));
    assert!(finds(&values, 1, 5, 10));
    values.cache.will_commit(7, Some(&written("a")));
    assert!(!finds(&values, 1, 5, 10) && !finds(&values, 1, 7, 10));
}

#[test]
fn a_reader_without_a_snapshot_uses_a_value_of_any_version_until_its_rows_are_written() {
    let values = values(VALUE_CACHE_BYTES_MAX).expect("a file announces its writes");
    keep(&values, 1, 5, "a");
    let finds = |horizon| finds_at(&values, 1, ReadMoment { is_snapshot: false, ..moment(&values, horizon, 10) });
    assert!(finds(4) && finds(5) && finds(9));
    values.cache.will_commit(6, Some(&written("a")));
    assert!(!finds(4) && !finds(9));
    // This reader began during the write.
    keep(&values, 1, 5, "a");
    assert!(!finds(5) && !finds(6));
    keep(&values, 1, 6, "a");
    assert!(finds(5) && finds(6));
}

#[test]
fn a_reader_whose_rows_were_written_since_its_snapshot_puts_nothing_back() {
    let values = values(VALUE_CACHE_BYTES_MAX).expect("a file announces its writes");
    values.cache.will_commit(6, Some(&written("a")));
    keep(&values, 1, 5, "a");
    assert!(!finds(&values, 1, 5, 10) && !finds(&values, 1, 6, 10));
    keep(&values, 2, 5, "b");
    assert!(finds(&values, 2, 5, 10) && finds(&values, 2, 6, 10));
    keep(&values, 1, 6, "a");
    assert!(finds(&values, 1, 6, 10) && !finds(&values, 1, 5, 10));
}

#[test]
fn after_an_invalidation_or_a_panic_no_reader_of_before_uses_or_keeps_a_value() {
    let values = values(VALUE_CACHE_BYTES_MAX).expect("a file announces its writes");
    let before = moment(&values, 5, 10);
    values.invalidate();
    keep(&values, 1, 5, "a");
    assert!(!finds_at(&values, 1, before));
    assert!(finds(&values, 1, 5, 10));
    let panicking = Arc::clone(&values);
    let locked = std::thread::spawn(move || {
        let _index = panicking.cache.write();
        panic!("while the values are locked");
    });
    locked.join().expect_err("it panics");
    assert!(!finds(&values, 1, 5, 10) && values.cache.read().bytes() == 0);
}

#[test]
fn the_values_have_at_most_their_bytes_and_those_that_are_used_remain() {
    const BYTES: usize = 100_000;
    let values = values(BYTES).expect("a file announces its writes");
    keep(&values, 0, 5, "a");
    for key in 1..500 {
        keep(&values, key, 5, "a");
        assert!(values.cache.read().bytes() <= BYTES && finds(&values, 0, 5, 10), "after {key} others");
    }
    assert!(finds(&values, 499, 5, 10) && !finds(&values, 1, 5, 10));
}

#[test]
fn nothing_is_cached_if_a_setting_forbids_it() {
    assert!(values(0).is_none());
}
