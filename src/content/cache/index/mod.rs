//! Cached answers or values, found by their keys and by the rows on which they depend. The rule: every entry that a write may have changed is dropped before
//! the write is visible, and the bytes of all entries, with keys and read sets, stay within the limit.
//!
//! The oldest entry is dropped first; an entry that was used since goes to the end of the queue again ("second chance").

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::{BuildHasher, Hash, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use compact_str::CompactString;

use crate::model::Instant;
use crate::store::{PartitionMark, ReadRange, ReadSet, RowMark, Store, Tag, TagSet, WriteObserver, WrittenRow};
use crate::telemetry::metrics::{self, CacheKind};

/// The bytes of an entry in addition to its texts: its places in the map, the queue and the index of rows.
const ENTRY_BYTES: usize = 400;
/// The bytes of a point read, in the read set of its entry and in the index of rows.
const ROW_BYTES: usize = 48;
/// The bytes of a range in the same places, with short bounds; longer ones are counted by their length.
const RANGE_BYTES: usize = 256;

/// One entry can have at most this fraction (1/16) of all bytes, so that a few large ones do not evict all others.
pub(super) const ENTRY_SHARE: usize = 16;

/// The maximum number of comparisons of ranges with the rows of one announcement, because requests wait for it.
const COMPARED_MAX: usize = 1_000_000;

/// The maximum number of entries that get a second chance when one is added.
const SECOND_CHANCES_MAX: usize = 100;

/// The maximum number of remembered rows. A query takes milliseconds; if more rows are written during the query, its result is not cached.
const RECENT_ROWS_MAX: usize = 4_096;

/// The keyed hash of a key, which identifies its entry.
pub(super) type KeyHash = u64;

/// A cache that many threads share, and that the writes of its store invalidate. Readers share the lock; a write or a new entry takes it
/// exclusively.
pub(super) struct Cache<K, T> {
    index: RwLock<Index<K, T>>,
    store: Store,
    hasher: RandomState,
    bytes_max: usize,
}

impl<K: Send + Sync + 'static, T: Send + Sync + 'static> Cache<K, T> {
    /// Caches at most `bytes_max` bytes. `None` if that is zero, or if the store does not announce its writes.
    pub(super) fn of(kind: CacheKind, store: &Store, bytes_max: usize) -> Option<Arc<Self>> {
        if bytes_max == 0 {
            return None;
        }
        let index = RwLock::new(Index::new(kind, bytes_max));
        let cache = Arc::new(Self { index, store: Arc::clone(store), hasher: RandomState::new(), bytes_max });
        let observer: Arc<dyn WriteObserver> = Arc::<Self>::clone(&cache);
        store.observe_writes(Arc::downgrade(&observer)).then_some(cache)
    }

    pub(super) fn hash(&self, key: impl Hash) -> KeyHash {
        self.hasher.hash_one(key)
    }

    /// Whether entries may be used: on tables, only while the store [follows the writes of others](crate::store::TableStore::is_followed).
    pub(super) fn is_followed(&self) -> bool {
        self.store.is_followed()
    }

    /// The maximum size of one entry.
    pub(super) fn entry_bytes_max(&self) -> usize {
        self.bytes_max / ENTRY_SHARE
    }

    /// Caches a value, if nothing that it depends on has changed since it was read. `bytes`: the size of key and value.
    pub(super) fn keep(&self, hash: KeyHash, key: K, (value, bytes): (T, usize), read: Dependencies) {
        let dropped = self.write().keep(hash, Entry::new(key, (value, bytes), read));
        drop(dropped);
    }

    /// Whether the dependencies of one more entry fit without dropping another one.
    pub(super) fn has_space(&self, read: &Dependencies) -> bool {
        self.read().contents.bytes + ENTRY_BYTES + read.bytes() <= self.bytes_max
    }

    /// Drops an entry that is no longer needed.
    pub(super) fn forget(&self, hash: KeyHash) {
        let dropped = self.write().contents.remove(hash);
        drop(dropped);
    }

    pub(super) fn invalidate(&self) {
        let dropped = self.write().drop_and_refuse();
        drop(dropped);
    }

    pub(super) fn read(&self) -> RwLockReadGuard<'_, Index<K, T>> {
        match self.index.read() {
            Ok(index) => index,
            Err(poisoned) => {
                drop(poisoned);
                drop(self.write());
                // If another write has panicked meanwhile, the index has an older era, in which nothing is found or kept.
                self.index.read().unwrap_or_else(PoisonError::into_inner)
            }
        }
    }

    /// After a panic the index may be half changed, so everything in it is dropped.
    pub(super) fn write(&self) -> RwLockWriteGuard<'_, Index<K, T>> {
        self.index.write().unwrap_or_else(|poisoned| {
            let mut index = poisoned.into_inner();
            drop(index.drop_and_refuse());
            self.index.clear_poison();
            index
        })
    }
}

impl<K: Send + Sync + 'static, T: Send + Sync + 'static> WriteObserver for Cache<K, T> {
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

pub(in crate::content) struct Dependencies {
    /// The era of the index at the start of the query.
    pub era: u64,
    /// The version of the snapshot that the query read.
    pub version: u64,
    /// The instant of the query; the first of all instants if the value does not depend on time.
    pub at: Instant,
    /// The instant of the next scheduled post or page, or the end of a preview link; `None` without one, or if the value does not depend on time.
    pub until: Option<Instant>,
    pub reads: ReadSet,
}

impl Dependencies {
    pub(super) fn are_valid_at(&self, now: Instant) -> bool {
        self.at <= now && self.until.is_none_or(|until| now < until)
    }

    fn bytes(&self) -> usize {
        let long = |text: &CompactString| if text.is_heap_allocated() { 2 * text.len() } else { 0 };
        let bounds = |range: &ReadRange| long(&range.from) + range.to.as_ref().map_or(0, long);
        let ranges: usize = self.reads.ranges().iter().map(|range| RANGE_BYTES + bounds(range)).sum();
        let tags = self.reads.tags().and_then(TagSet::fine).map_or(0, size_of_val::<[Tag]>);
        ranges + ROW_BYTES * self.reads.rows().len() + tags
    }
}

pub(super) struct Entry<K, T> {
    key: K,
    value: T,
    pub(super) read: Dependencies,
    bytes: usize,
    /// Whether it was used since it was put at the end of the queue.
    was_used: AtomicBool,
    /// Its position in the queue.
    turn: u64,
}

impl<K, T> Entry<K, T> {
    fn new(key: K, (value, bytes): (T, usize), read: Dependencies) -> Self {
        let bytes = ENTRY_BYTES + bytes + read.bytes();
        Self { key, value, read, bytes, was_used: AtomicBool::new(false), turn: 0 }
    }

    /// Marks the entry as used.
    pub(super) fn used(&self) -> &T {
        if !self.was_used.load(Ordering::Relaxed) {
            self.was_used.store(true, Ordering::Relaxed);
        }
        &self.value
    }
}

/// One range of an entry's read set, in the order in which a written row is looked up.
type RangeEntry = (PartitionMark, CompactString, KeyHash, Option<CompactString>);

struct Contents<K, T> {
    entries: HashMap<KeyHash, Entry<K, T>, foldhash::fast::RandomState>,
    rows: BTreeSet<(RowMark, KeyHash)>,
    ranges: BTreeSet<RangeEntry>,
    /// The queue: entries by their turns.
    line: BTreeMap<u64, KeyHash>,
    bytes: usize,
}

/// The entries that an index has dropped: some, or all. They are freed after the lock of the index is released, because there can be hundreds of thousands of
/// allocations.
#[must_use]
pub(super) struct Dropped<K, T> {
    some: Vec<Entry<K, T>>,
    _all: Option<Contents<K, T>>,
}

pub(super) struct Index<K, T> {
    kind: CacheKind,
    contents: Contents<K, T>,
    /// The last assigned turn.
    turn: u64,
    bytes_max: usize,
    recent: RecentWrites,
    /// Incremented whenever all earlier entries and recordings become invalid.
    era: u64,
}

impl<K, T> Index<K, T> {
    fn new(kind: CacheKind, bytes_max: usize) -> Self {
        Self { kind, contents: Contents::empty(), turn: 0, bytes_max, recent: RecentWrites::default(), era: 0 }
    }

    pub(super) fn era(&self) -> u64 {
        self.era
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.contents.bytes
    }

    /// The entry of the key; the caller checks whether it is usable.
    pub(super) fn find(&self, hash: KeyHash, is_it: impl FnOnce(&K) -> bool) -> Option<&Entry<K, T>> {
        self.contents.entries.get(&hash).filter(|entry| is_it(&entry.key))
    }

    /// Whether none of these dependencies has changed since it was read.
    pub(super) fn is_current(&self, read: &Dependencies) -> bool {
        read.era == self.era && self.recent.are_current(read.version, &read.reads)
    }

    fn keep(&mut self, hash: KeyHash, entry: Entry<K, T>) -> Dropped<K, T> {
        let mut dropped = Dropped { some: Vec::new(), _all: None };
        if !self.is_current(&entry.read) {
            metrics::cached(self.kind, "refused", 1);
            return dropped;
        }
        if entry.bytes > self.bytes_max {
            return dropped;
        }
        dropped.some.extend(self.contents.remove(hash));
        self.turn += 1;
        self.contents.add(hash, Entry { turn: self.turn, ..entry });
        metrics::cached(self.kind, "kept", 1);
        self.make_space(&mut dropped.some);
        metrics::cache_bytes(self.kind, self.contents.bytes);
        dropped
    }

    fn will_commit(&mut self, version: u64, rows: Option<&[WrittenRow]>) -> Dropped<K, T> {
        // Comparing many rows with many ranges costs more than reading the values again.
        let Some((rows, readers)) = rows.and_then(|rows| Some((rows, self.contents.readers_of(rows)?))) else {
            self.recent = RecentWrites::unknown_until(version);
            return self.drop_all();
        };
        self.recent.add(version, rows);
        let some: Vec<_> = readers.into_iter().filter_map(|hash| self.contents.remove(hash)).collect();
        metrics::cached(self.kind, "dropped", some.len() as u64);
        metrics::cache_bytes(self.kind, self.contents.bytes);
        Dropped { some, _all: None }
    }

    /// Drops all entries, and refuses entries whose recording began earlier.
    fn drop_and_refuse(&mut self) -> Dropped<K, T> {
        self.era += 1;
        self.drop_all()
    }

    fn drop_all(&mut self) -> Dropped<K, T> {
        metrics::cached(self.kind, "dropped", self.contents.entries.len() as u64);
        metrics::cache_bytes(self.kind, 0);
        Dropped { some: Vec::new(), _all: Some(std::mem::replace(&mut self.contents, Contents::empty())) }
    }

    fn make_space(&mut self, dropped: &mut Vec<Entry<K, T>>) {
        let mut chances = SECOND_CHANCES_MAX;
        while self.contents.bytes > self.bytes_max {
            let Some((_, hash)) = self.contents.line.pop_first() else { return };
            match self.contents.entries.get_mut(&hash) {
                Some(entry) if chances > 0 && entry.was_used.load(Ordering::Relaxed) => {
                    chances -= 1;
                    self.turn += 1;
                    (entry.was_used, entry.turn) = (AtomicBool::new(false), self.turn);
                    self.contents.line.insert(self.turn, hash);
                }
                _ => {
                    dropped.extend(self.contents.remove(hash));
                    metrics::cached(self.kind, "evicted", 1);
                }
            }
        }
    }
}

impl<K, T> Contents<K, T> {
    fn empty() -> Self {
        let (entries, rows, ranges) = (HashMap::default(), BTreeSet::new(), BTreeSet::new());
        Self { entries, rows, ranges, line: BTreeMap::new(), bytes: 0 }
    }

    fn add(&mut self, hash: KeyHash, entry: Entry<K, T>) {
        self.rows.extend(entry.read.reads.rows().iter().map(|row| (*row, hash)));
        self.ranges.extend(entry.read.reads.ranges().iter().map(|range| entry_of(range, hash)));
        self.line.insert(entry.turn, hash);
        self.bytes += entry.bytes;
        self.entries.insert(hash, entry);
    }

    fn remove(&mut self, hash: KeyHash) -> Option<Entry<K, T>> {
        let entry = self.entries.remove(&hash)?;
        self.bytes -= entry.bytes;
        self.line.remove(&entry.turn);
        for row in entry.read.reads.rows() {
            self.rows.remove(&(*row, hash));
        }
        for range in entry.read.reads.ranges() {
            self.ranges.remove(&entry_of(range, hash));
        }
        Some(entry)
    }

    /// The entries that depend on these rows; `None` if that takes too many comparisons.
    fn readers_of(&self, rows: &[WrittenRow]) -> Option<BTreeSet<KeyHash>> {
        let (mut readers, mut compared) = (BTreeSet::new(), 0);
        for row in rows {
            let by_row = self.rows.range((row.mark, KeyHash::MIN)..=(row.mark, KeyHash::MAX));
            readers.extend(by_row.map(|(_, hash)| *hash));
            // The ranges of the partition that begin at or before the row.
            let begun = self.ranges.range((row.partition, CompactString::const_new(""), KeyHash::MIN, None)..);
            let begun = begun.take_while(|(partition, from, ..)| *partition == row.partition && *from <= row.row);
            for (.., hash, to) in begun {
                compared += 1;
                if to.as_ref().is_none_or(|to| row.row < *to) {
                    readers.insert(*hash);
                }
            }
            if compared > COMPARED_MAX {
                return None;
            }
        }
        Some(readers)
    }
}

fn entry_of(range: &ReadRange, hash: KeyHash) -> RangeEntry {
    (range.partition, range.from.clone(), hash, range.to.clone())
}

/// The last writes, with which a value is compared before it is cached: it is refused if a forgotten write may have changed it.
#[derive(Default)]
struct RecentWrites {
    /// The commits after `since`, the oldest first.
    commits: VecDeque<(u64, Vec<WrittenRow>)>,
    rows: usize,
    /// Writes up to this version are forgotten.
    since: u64,
}

impl RecentWrites {
    fn add(&mut self, version: u64, rows: &[WrittenRow]) {
        self.commits.push_back((version, rows.to_vec()));
        self.rows += rows.len();
        while self.rows > RECENT_ROWS_MAX || self.commits.len() > RECENT_ROWS_MAX {
            let Some((version, rows)) = self.commits.pop_front() else { return };
            self.rows -= rows.len();
            self.since = version;
        }
    }

    /// The state after a commit whose rows are unknown.
    fn unknown_until(version: u64) -> Self {
        Self { since: version, ..Self::default() }
    }

    /// Whether these rows have not changed since this version; false if that is unknown.
    fn are_current(&self, version: u64, reads: &ReadSet) -> bool {
        let later = self.commits.iter().rev().take_while(|(commit, _)| *commit > version);
        version >= self.since && later.flat_map(|(_, rows)| rows).all(|row| !reads.contains(row))
    }
}

#[cfg(test)]
mod tests;
