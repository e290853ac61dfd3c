//! Held answers or values, found by their keys and by the rows on which they depend. The rule: whatever a write may have changed is dropped
//! before the write is visible, and the bytes of everything, with keys and read sets, stay within the bound.
//!
//! If there is no space, the oldest entry is dropped first; an entry that was used since goes to the end of the line again ("second chance").

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};

use compact_str::CompactString;

use crate::model::Instant;
use crate::store::{PartitionMark, ReadRange, ReadSet, RowMark, Tag, TagSet, WrittenRow};
use crate::telemetry::metrics::{self, HeldKind};

use super::recent::RecentWrites;

/// The bytes of an entry in addition to its texts: its places in the map, the queue and the counters.
const ENTRY_BYTES: usize = 400;
/// A point read in the set of its entry and in the index of all.
const ROW_BYTES: usize = 48;
/// A range likewise, with bounds that fit into the entry; longer ones are counted by their length.
const RANGE_BYTES: usize = 256;

/// The maximum number of comparisons of rows with ranges for one announcement, because requests wait for it.
const COMPARED_MAX: usize = 1_000_000;

/// The maximum number of entries that get a second chance when one is added.
const SECOND_CHANCES_MAX: usize = 100;

/// The keyed hash of a key, by which everything refers to its entry.
pub(super) type KeyHash = u64;

/// A map by hashes that need no second hash.
type ByHash<V> = HashMap<KeyHash, V, BuildHasherDefault<SameHash>>;

#[derive(Default)]
pub(super) struct SameHash(u64);

impl Hasher for SameHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

pub(in crate::content) struct Dependencies {
    /// The era of the index when the query began.
    pub era: u64,
    /// The version of the snapshot that the query read.
    pub version: u64,
    /// The instant of the query; the first of all instants if the value does not depend on time.
    pub at: Instant,
    /// The instant of the next scheduled post; `None` without one, or if the value does not depend on time.
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

pub(super) struct HeldEntry<K, T> {
    key: K,
    value: T,
    read: Dependencies,
    bytes: usize,
    /// Whether it was used since it came to the end of the line.
    was_used: AtomicBool,
    /// Its place in the line; an older place of the same key is not valid any more.
    place: u64,
}

impl<K, T> HeldEntry<K, T> {
    /// `bytes`: those of the key and of the value.
    pub(super) fn new(key: K, (value, bytes): (T, usize), read: Dependencies) -> Self {
        let bytes = ENTRY_BYTES + bytes + read.bytes();
        Self { key, value, read, bytes, was_used: AtomicBool::new(false), place: 0 }
    }

    /// Marks the entry as used.
    pub(super) fn used(&self) -> (&T, &Dependencies) {
        if !self.was_used.load(Ordering::Relaxed) {
            self.was_used.store(true, Ordering::Relaxed);
        }
        (&self.value, &self.read)
    }

    pub(super) fn depends_on(&self) -> &Dependencies {
        &self.read
    }
}

/// One read range of an entry, in the order in which a written row is looked up.
type RangeEntry = (PartitionMark, CompactString, KeyHash, Option<CompactString>);

/// What an index has dropped. It is freed after the lock of the index is released, because it can be hundreds of thousands of allocations.
#[must_use]
pub(super) struct Dropped<K, T> {
    _all: ByHash<HeldEntry<K, T>>,
    some: Vec<HeldEntry<K, T>>,
    _rows: BTreeSet<(RowMark, KeyHash)>,
    _ranges: BTreeSet<RangeEntry>,
}

pub(super) struct HeldIndex<K, T> {
    kind: HeldKind,
    entries: ByHash<HeldEntry<K, T>>,
    rows: BTreeSet<(RowMark, KeyHash)>,
    ranges: BTreeSet<RangeEntry>,
    /// The number of ranges of each partition: a written row is compared with the ranges of its own partition.
    ranges_of: BTreeMap<PartitionMark, usize>,
    line: VecDeque<(KeyHash, u64)>,
    places: u64,
    bytes: usize,
    bytes_max: usize,
    recent: RecentWrites,
    /// Incremented each time that nothing known before can be relied on.
    era: u64,
}

impl<K, T> Dropped<K, T> {
    fn none() -> Self {
        Self { _all: ByHash::default(), some: Vec::new(), _rows: BTreeSet::new(), _ranges: BTreeSet::new() }
    }
}

impl<K, T> HeldIndex<K, T> {
    pub(super) fn new(kind: HeldKind, bytes_max: usize) -> Self {
        Self {
            kind,
            entries: ByHash::default(),
            rows: BTreeSet::new(),
            ranges: BTreeSet::new(),
            ranges_of: BTreeMap::new(),
            line: VecDeque::new(),
            places: 0,
            bytes: 0,
            bytes_max,
            recent: RecentWrites::default(),
            era: 0,
        }
    }

    pub(super) fn era(&self) -> u64 {
        self.era
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The entry of the key; the caller checks whether it can be used.
    pub(super) fn find(&self, hash: KeyHash, is_it: impl FnOnce(&K) -> bool) -> Option<&HeldEntry<K, T>> {
        self.entries.get(&hash).filter(|entry| is_it(&entry.key))
    }

    /// Whether nothing that was read has changed since.
    pub(super) fn is_current(&self, read: &Dependencies) -> bool {
        read.era == self.era && self.recent.are_current(read.version, &read.reads)
    }

    pub(super) fn keep(&mut self, hash: KeyHash, entry: HeldEntry<K, T>) -> Dropped<K, T> {
        let mut dropped = Dropped::none();
        let read = &entry.read;
        if !self.is_current(read) {
            metrics::held(self.kind, "refused", 1);
            return dropped;
        }
        if entry.bytes > self.bytes_max {
            return dropped;
        }
        dropped.some.extend(self.remove(hash));
        self.rows.extend(read.reads.rows().iter().map(|row| (*row, hash)));
        for range in read.reads.ranges() {
            if self.ranges.insert(entry_of(range, hash)) {
                *self.ranges_of.entry(range.partition).or_default() += 1;
            }
        }
        self.bytes += entry.bytes;
        let place = self.next_place(hash);
        self.entries.insert(hash, HeldEntry { place, ..entry });
        metrics::held(self.kind, "kept", 1);
        self.make_space(&mut dropped);
        metrics::held_bytes(self.kind, self.bytes);
        dropped
    }

    pub(super) fn will_commit(&mut self, version: u64, rows: Option<&[WrittenRow]>) -> Dropped<K, T> {
        let compared = |rows: &&[WrittenRow]| {
            let ranges = rows.iter().map(|row| self.ranges_of.get(&row.partition).copied().unwrap_or_default());
            ranges.sum::<usize>() <= COMPARED_MAX
        };
        // To compare many rows with many ranges costs more than to read again.
        let dropped = match rows.filter(compared) {
            Some(rows) => {
                self.recent.add(version, rows);
                let readers: BTreeSet<KeyHash> = rows.iter().flat_map(|row| self.readers_of(row)).collect();
                let some: Vec<_> = readers.into_iter().filter_map(|hash| self.remove(hash)).collect();
                metrics::held(self.kind, "dropped", some.len() as u64);
                Dropped { some, ..Dropped::none() }
            }
            None => {
                self.recent.add_unknown(version);
                self.drop_all()
            }
        };
        metrics::held_bytes(self.kind, self.bytes);
        dropped
    }

    /// Also refuses everything whose recording began earlier.
    pub(super) fn drop_and_refuse(&mut self) -> Dropped<K, T> {
        self.era += 1;
        let dropped = self.drop_all();
        metrics::held_bytes(self.kind, self.bytes);
        dropped
    }

    fn drop_all(&mut self) -> Dropped<K, T> {
        metrics::held(self.kind, "dropped", self.entries.len() as u64);
        self.ranges_of = BTreeMap::new();
        self.line = VecDeque::new();
        self.bytes = 0;
        Dropped {
            _all: std::mem::take(&mut self.entries),
            some: Vec::new(),
            _rows: std::mem::take(&mut self.rows),
            _ranges: std::mem::take(&mut self.ranges),
        }
    }

    /// The entries that depend on the row.
    fn readers_of(&self, row: &WrittenRow) -> Vec<KeyHash> {
        let by_row = self.rows.range((row.mark, KeyHash::MIN)..=(row.mark, KeyHash::MAX));
        let partition = (row.partition, CompactString::const_new(""), KeyHash::MIN, None);
        // The ranges of the partition that begin at or before the row.
        let begun = self.ranges.range((Bound::Included(partition), Bound::Unbounded));
        let begun = begun.take_while(|(partition, from, ..)| *partition == row.partition && *from <= row.row);
        let by_range = begun.filter(|(.., to)| to.as_ref().is_none_or(|to| row.row < *to));
        by_row.map(|(_, hash)| *hash).chain(by_range.map(|(_, _, hash, _)| *hash)).collect()
    }

    fn remove(&mut self, hash: KeyHash) -> Option<HeldEntry<K, T>> {
        let entry = self.entries.remove(&hash)?;
        self.bytes -= entry.bytes;
        for row in entry.read.reads.rows() {
            self.rows.remove(&(*row, hash));
        }
        for range in entry.read.reads.ranges() {
            if self.ranges.remove(&entry_of(range, hash)) {
                self.uncount_range(range.partition);
            }
        }
        Some(entry)
    }

    fn uncount_range(&mut self, partition: PartitionMark) {
        if let Some(count) = self.ranges_of.get_mut(&partition) {
            *count -= 1;
            if *count == 0 {
                self.ranges_of.remove(&partition);
            }
        }
    }

    fn make_space(&mut self, dropped: &mut Dropped<K, T>) {
        let mut chances = SECOND_CHANCES_MAX;
        while self.bytes > self.bytes_max {
            let Some((hash, place)) = self.line.pop_front() else { return };
            match self.entries.get_mut(&hash).filter(|entry| entry.place == place) {
                None => {}
                Some(entry) if chances > 0 && entry.was_used.load(Ordering::Relaxed) => {
                    chances -= 1;
                    entry.was_used.store(false, Ordering::Relaxed);
                    entry.place = self.places + 1;
                    self.next_place(hash);
                }
                Some(_) => {
                    dropped.some.extend(self.remove(hash));
                    metrics::held(self.kind, "evicted", 1);
                }
            }
        }
    }

    /// A new place at the end of the line. If most places belong to dropped entries, these are removed.
    fn next_place(&mut self, hash: KeyHash) -> u64 {
        if self.line.len() > 2 * self.entries.len() + 64 {
            let entries = &self.entries;
            self.line.retain(|(hash, place)| entries.get(hash).is_some_and(|entry| entry.place == *place));
        }
        self.places += 1;
        self.line.push_back((hash, self.places));
        self.places
    }
}

fn entry_of(range: &ReadRange, hash: KeyHash) -> RangeEntry {
    (range.partition, range.from.clone(), hash, range.to.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{MovingBounds, RowRange};

    /// Holds what a query of this version has computed from one range.
    fn keep(index: &mut HeldIndex<u64, ()>, hash: KeyHash, version: u64) {
        let mut reads = ReadSet::new(MovingBounds::default());
        reads.note_range("T", &RowRange::new("p", Some("x".to_owned()), None).expect("a range"));
        let reads = reads.completed().expect("one range");
        let read = Dependencies { era: index.era(), version, at: Instant::MIN, until: None, reads };
        drop(index.keep(hash, HeldEntry::new(hash, ((), 9), read)));
    }

    fn finds(index: &HeldIndex<u64, ()>, hash: KeyHash) -> bool {
        index.find(hash, |key| *key == hash).is_some()
    }

    #[test]
    fn an_announcement_that_costs_too_many_comparisons_drops_everything() {
        let mut index = HeldIndex::new(HeldKind::Answer, 16 << 20);
        (0..=1_000).for_each(|hash| keep(&mut index, hash, 1));
        let rows: Vec<_> = (0..COMPARED_MAX / 1_000).map(|row| WrittenRow::new("T", "p", &row.to_string())).collect();
        drop(index.will_commit(2, Some(&rows[1..])));
        assert!(finds(&index, 7), "no row is in the range");
        let others: Vec<_> = (0..10_000).map(|row| WrittenRow::new("T", "q", &row.to_string())).collect();
        drop(index.will_commit(3, Some(&others)));
        assert!(finds(&index, 7), "rows of another partition are not compared");
        drop(index.will_commit(3, Some(&rows)));
        assert_eq!((finds(&index, 7), index.bytes(), index.ranges.len()), (false, 0, 0));
        keep(&mut index, 7, 2);
        assert!(!finds(&index, 7), "the rows of the last commit are not known");
        keep(&mut index, 7, 3);
        assert!(finds(&index, 7));
    }
}
