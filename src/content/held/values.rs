//! The cache of values that queries compute from rows, used by later queries until one of the rows is written. The rule: a value that is used is
//! the one that the reader would compute from its own snapshot now, or without a snapshot, from rows that lack no known write (I10).
//!
//! A value is valid from the version at which it was read until it is dropped, which happens before a write of its rows is visible. So a reader with
//! an older snapshot does not use it, and what such a reader computes is refused if its rows were written since (`recent`). Without snapshots, the
//! version is a [horizon](crate::store::TableStore::horizon), and a reader uses values of any version, because it sees newer rows too; but only while
//! the store [knows what others write](crate::store::TableStore::is_followed). Values are the same for every client: access to a post is decided after
//! it was found.

use std::hash::{BuildHasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::model::Instant;
use crate::store::{ReadSet, Store, WriteObserver, WrittenRow};
use crate::telemetry::metrics::HeldKind;

use super::Announcements;
use super::flights::{Flights, Shares};
use super::index::{Dependencies, HeldEntry, HeldIndex};
use super::kinds::{HeldValue, ValueKey, key_bytes, value_bytes};

/// The default bound in bytes: the summaries of some 50,000 posts, or as many terms.
pub const VALUE_BYTES_MAX: usize = 64 << 20;

/// The fraction of all bytes that one value can have, so that a few long bodies do not evict everything else.
const VALUE_SHARE: usize = 16;

/// The content that a reader sees.
#[derive(Debug, Clone, Copy)]
pub(in crate::content) struct ReadMoment {
    /// The era of the values, noted before the snapshot was taken, or the horizon read.
    pub era: u64,
    pub writes: SeenWrites,
    pub now: Instant,
}

/// The writes that a reader sees.
#[derive(Debug, Clone, Copy)]
pub(in crate::content) enum SeenWrites {
    /// Those up to the version of its snapshot, and no others.
    Snapshot(u64),
    /// Those up to this horizon for certain, and of the others all, some or none.
    Horizon(u64),
}

impl SeenWrites {
    pub(in crate::content) fn version(self) -> u64 {
        match self {
            Self::Snapshot(version) | Self::Horizon(version) => version,
        }
    }

    /// Whether a value that was read at this version may be used.
    fn allow(self, read: u64) -> bool {
        match self {
            Self::Snapshot(version) => read <= version,
            // A held value lacks no known write.
            Self::Horizon(_) => true,
        }
    }
}

/// Readers share the lock; a write or a new value takes it exclusively.
pub(in crate::content) struct HeldValues {
    index: RwLock<HeldIndex<ValueKey, HeldValue>>,
    store: Store,
    /// The reads that are under way; `None` for a local store, which answers without waiting.
    flights: Option<Arc<Flights>>,
    hasher: RandomState,
    bytes_max: usize,
}

impl HeldValues {
    /// Holds at most `bytes_max` bytes. `None` if that is zero, or if the store does not announce its writes.
    pub(in crate::content) fn of(announcements: &Announcements, bytes_max: usize) -> Option<Arc<Self>> {
        if bytes_max == 0 {
            return None;
        }
        let index = RwLock::new(HeldIndex::new(HeldKind::Value, bytes_max));
        let store = Arc::clone(&announcements.store);
        let flights = (!store.is_local()).then(Arc::default);
        let held = Arc::new(Self { index, store, flights, hasher: RandomState::new(), bytes_max });
        let observer: Arc<dyn WriteObserver> = Arc::<Self>::clone(&held);
        announcements.store.observe_writes(Arc::downgrade(&observer)).then_some(held)
    }

    /// Call it before a snapshot is taken, or the horizon read.
    pub(in crate::content) fn era(&self) -> u64 {
        self.read().era()
    }

    /// Calls `found` once for each key, with the held value and the rows that it depends on, or with `None` if this reader can use no held
    /// value.
    pub(in crate::content) fn find_all(
        &self,
        moment: ReadMoment,
        keys: impl Iterator<Item = ValueKey>,
        mut found: impl FnMut(Option<(&HeldValue, &ReadSet)>),
    ) {
        // Checked again here, because the process may have been paused since the reader began.
        let is_followed = self.store.is_followed();
        let index = self.read();
        let are_used = is_followed && index.era() == moment.era;
        for key in keys {
            let entry = index.find(self.hasher.hash_one(&key), |held| *held == key).filter(|entry| {
                let read = entry.depends_on();
                are_used && moment.writes.allow(read.version) && read.are_valid_at(moment.now)
            });
            found(entry.map(HeldEntry::used).map(|(value, read)| (value, &read.reads)));
        }
    }

    /// Holds a value, if nothing that it depends on has changed since it was read.
    pub(in crate::content) fn keep(&self, key: ValueKey, value: HeldValue, read: Dependencies) {
        let bytes = key_bytes(&key) + value_bytes(&value);
        if bytes > self.bytes_max / VALUE_SHARE {
            return;
        }
        let hash = self.hasher.hash_one(&key);
        let dropped = self.write().keep(hash, HeldEntry::new(key, (value, bytes), read));
        drop(dropped);
    }

    /// Whether readers wait for each other.
    pub(in crate::content) fn are_shared(&self) -> bool {
        self.flights.is_some()
    }

    /// Divides these values, which are not held, between this reader and others. `None`: this reader reads all of them.
    pub(in crate::content) fn share(&self, keys: impl Iterator<Item = ValueKey>) -> Option<Shares> {
        self.flights.as_ref().map(|flights| flights.share(keys))
    }

    pub(in crate::content) fn invalidate(&self) {
        let dropped = self.write().drop_and_refuse();
        drop(dropped);
    }

    #[cfg(test)]
    pub(in crate::content) fn bytes(&self) -> usize {
        self.read().bytes()
    }

    fn read(&self) -> RwLockReadGuard<'_, HeldIndex<ValueKey, HeldValue>> {
        match self.index.read() {
            Ok(index) => index,
            Err(poisoned) => {
                drop(poisoned);
                drop(self.write());
                // Poisoned again only if another write has panicked meanwhile: then the era is older, and nothing is found or kept.
                self.index.read().unwrap_or_else(std::sync::PoisonError::into_inner)
            }
        }
    }

    /// After a panic the index may be half changed, so everything in it is dropped.
    fn write(&self) -> RwLockWriteGuard<'_, HeldIndex<ValueKey, HeldValue>> {
        self.index.write().unwrap_or_else(|poisoned| {
            let mut index = poisoned.into_inner();
            drop(index.drop_and_refuse());
            self.index.clear_poison();
            index
        })
    }
}

impl WriteObserver for HeldValues {
    /// A panic must not reach the writing thread; after one, the rows of the commit count as unknown.
    fn will_commit(&self, version: u64, rows: Option<&[WrittenRow]>) {
        let announce = AssertUnwindSafe(|| {
            let dropped = self.write().will_commit(version, rows);
            drop(dropped);
        });
        if catch_unwind(announce).is_err() {
            let dropped = self.write().will_commit(version, None);
            drop(dropped);
        }
    }

    fn was_reopened(&self) {
        self.invalidate();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::model::{TermId, TermKind};
    use crate::store::embedded::EmbeddedStore;
    use crate::store::{Key, MovingBounds, Store};

    fn values(bytes_max: usize) -> Option<Arc<HeldValues>> {
        let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
        HeldValues::of(&Announcements::new(store, Clock::fixed(at(0))), bytes_max)
    }

    fn at(milliseconds: i64) -> Instant {
        Instant::from_ticks(milliseconds * 10_000).expect("an instant")
    }

    fn count(n: u64) -> ValueKey {
        ValueKey::TermCount(TermId { kind: TermKind::Tag, first_slug: format!("tag-{n}").parse().expect("a slug") })
    }

    /// Keeps a value of a reader with this version that read this row.
    fn keep(values: &HeldValues, key: u64, version: u64, row: &str) {
        let mut reads = ReadSet::new(MovingBounds::default());
        reads.note_row("T", &Key::new("p", row).expect("a key"));
        let reads = reads.completed().expect("one row");
        let read = Dependencies { era: values.era(), version, at: at(10), until: Some(at(20)), reads };
        values.keep(count(key), HeldValue::Count(key), read);
    }

    fn finds(values: &HeldValues, key: u64, version: u64, now: i64) -> bool {
        finds_of(values, key, SeenWrites::Snapshot(version), now)
    }

    fn finds_of(values: &HeldValues, key: u64, writes: SeenWrites, now: i64) -> bool {
        let mut is_found = false;
        let moment = ReadMoment { era: values.era(), writes, now: at(now) };
        values.find_all(moment, std::iter::once(count(key)), |found| {
            is_found = matches!(found, Some((HeldValue::Count(value), _)) if *value == key);
        });
        is_found
    }

    fn written(row: &str) -> [WrittenRow; 1] {
        [WrittenRow::new("T", "p", row)]
    }

    #[test]
    fn a_value_is_used_from_its_version_and_instant_until_its_rows_are_written_or_a_scheduled_post_appears() {
        let values = values(VALUE_BYTES_MAX).expect("a file announces its writes");
        keep(&values, 1, 5, "a");
        assert!(finds(&values, 1, 5, 10) && finds(&values, 1, 9, 19));
        assert!(!finds(&values, 1, 4, 10), "an older snapshot may have other rows");
        assert!(!finds(&values, 1, 5, 9) && !finds(&values, 1, 5, 20));
        values.will_commit(6, Some(&written("b")));
        assert!(finds(&values, 1, 5, 10));
        values.will_commit(7, Some(&written("a")));
        assert!(!finds(&values, 1, 5, 10) && !finds(&values, 1, 7, 10));
    }

    #[test]
    fn a_reader_without_a_snapshot_uses_a_value_of_any_version_until_its_rows_are_written() {
        let values = values(VALUE_BYTES_MAX).expect("a file announces its writes");
        keep(&values, 1, 5, "a");
        let finds = |horizon| finds_of(&values, 1, SeenWrites::Horizon(horizon), 10);
        assert!(finds(4) && finds(5) && finds(9));
        values.will_commit(6, Some(&written("a")));
        assert!(!finds(4) && !finds(9));
        // A reader that began while the write was under way.
        keep(&values, 1, 5, "a");
        assert!(!finds(5) && !finds(6));
        keep(&values, 1, 6, "a");
        assert!(finds(5) && finds(6));
    }

    #[test]
    fn a_reader_whose_rows_were_written_since_its_snapshot_puts_nothing_back() {
        let values = values(VALUE_BYTES_MAX).expect("a file announces its writes");
        values.will_commit(6, Some(&written("a")));
        keep(&values, 1, 5, "a");
        assert!(!finds(&values, 1, 5, 10) && !finds(&values, 1, 6, 10));
        keep(&values, 2, 5, "b");
        assert!(finds(&values, 2, 5, 10) && finds(&values, 2, 6, 10));
        keep(&values, 1, 6, "a");
        assert!(finds(&values, 1, 6, 10) && !finds(&values, 1, 5, 10));
    }

    #[test]
    fn after_an_invalidation_or_a_panic_no_reader_of_before_uses_or_keeps_a_value() {
        let values = values(VALUE_BYTES_MAX).expect("a file announces its writes");
        let before = ReadMoment { era: values.era(), writes: SeenWrites::Snapshot(5), now: at(10) };
        values.invalidate();
        keep(&values, 1, 5, "a");
        values.find_all(before, std::iter::once(count(1)), |found| assert!(found.is_none()));
        assert!(finds(&values, 1, 5, 10));
        let panicking = Arc::clone(&values);
        let locked = std::thread::spawn(move || {
            let _index = panicking.index.write();
            panic!("while the values are locked");
        });
        locked.join().expect_err("it panics");
        assert!(!finds(&values, 1, 5, 10) && values.bytes() == 0);
    }

    #[test]
    fn the_values_have_at_most_their_bytes_and_those_that_are_used_remain() {
        const BYTES: usize = 100_000;
        let values = values(BYTES).expect("a file announces its writes");
        keep(&values, 0, 5, "a");
        for key in 1..500 {
            keep(&values, key, 5, "a");
            assert!(values.bytes() <= BYTES && finds(&values, 0, 5, 10), "after {key} others");
        }
        assert!(finds(&values, 499, 5, 10) && !finds(&values, 1, 5, 10));
    }

    #[test]
    fn nothing_is_held_if_a_setting_forbids_it() {
        assert!(values(0).is_none());
    }
}
