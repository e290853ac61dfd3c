//! The cache of values that queries compute from rows, used by later queries until one of the rows is written. The rule: a value that is used is
//! the one that the reader would compute from its own snapshot now, or without a snapshot, from rows that lack no known write (I10).
//!
//! A value is valid from the version at which it was read until it is dropped, which happens before a write of its rows is visible. So a reader with
//! an older snapshot does not use it, and what such a reader computes is refused if its rows were written since. Without snapshots, the version is a
//! [horizon](crate::store::TableStore::horizon), and a reader uses values of any version, because it sees newer rows too. Values are the same for
//! every client: access to a post is decided after it was found.
//!
//! On tables, concurrent readers that miss the same value read it once. A reader that waits for another takes only values that are cached
//! afterwards, by the rules of every cached value, and reads the others itself. No reader waits while others wait for it, except a reader of a page
//! or count, which can wait for a reader of terms, posts or lists of partitions; so readers never wait for each other in a circle.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{self, timeout_at};

use crate::model::Instant;
use crate::store::{ReadSet, Store};
use crate::telemetry::metrics::HeldKind;

use super::index::{Cache, Dependencies};
use super::keys::{CacheKey, Cached};

/// The default limit in bytes: the summaries of some 50,000 posts, or as many terms.
pub const VALUE_BYTES_MAX: usize = 64 << 20;

/// A reader that has waited this long reads the value itself, because the other request can be slow for another reason.
const WAIT_MAX: Duration = Duration::from_secs(1);
/// The maximum number of values that are noted as being read. Beyond it, no reader waits for another.
const READING_MAX: usize = 20_000;

/// The content that a reader sees.
#[derive(Debug, Clone, Copy)]
pub(in crate::content) struct ReadMoment {
    /// The era of the values, noted before the snapshot was taken, or the horizon read.
    pub era: u64,
    /// Its snapshot sees the writes up to this version, and no others; without a snapshot, it sees those up to this horizon for certain, and of the
    /// others all, some or none.
    pub version: u64,
    pub is_snapshot: bool,
    pub now: Instant,
}

impl ReadMoment {
    /// Without a snapshot, a value of any version may be used, because a cached value lacks no known write.
    fn allows(&self, read: &Dependencies) -> bool {
        (!self.is_snapshot || read.version <= self.version) && read.are_valid_at(self.now)
    }
}

pub(in crate::content) struct ValueCache {
    cache: Arc<Cache<CacheKey, Box<dyn Cached>>>,
    /// `None` for a local store, which answers without waiting.
    reading: Option<Arc<Reading>>,
}

impl ValueCache {
    /// Caches at most `bytes_max` bytes. `None` if that is zero, or if the store does not announce its writes.
    pub(in crate::content) fn of(store: &Store, bytes_max: usize) -> Option<Arc<Self>> {
        let cache = Cache::of(HeldKind::Value, store, bytes_max)?;
        Some(Arc::new(Self { cache, reading: (!store.is_local()).then(Arc::default) }))
    }

    /// Call it before a snapshot is taken, or the horizon read.
    pub(in crate::content) fn era(&self) -> u64 {
        self.cache.read().era()
    }

    /// Calls `visit` once for each key, with the cached value and the rows that it depends on, or with `None` if this reader can use no cached
    /// value.
    pub(in crate::content) fn visit(
        &self,
        moment: ReadMoment,
        keys: impl Iterator<Item = CacheKey>,
        mut visit: impl FnMut(&CacheKey, Option<(&dyn Cached, &ReadSet)>),
    ) {
        // Checked again here, because the process may have been paused since the reader began.
        let is_followed = self.cache.is_followed();
        let index = self.cache.read();
        let are_used = is_followed && index.era() == moment.era;
        for key in keys {
            let entry = index.find(self.cache.hash(&key), |cached| *cached == key);
            let entry = entry.filter(|entry| are_used && moment.allows(&entry.read));
            visit(&key, entry.map(|entry| (&**entry.used(), &entry.read.reads)));
        }
    }

    /// Caches a value, if nothing that it depends on has changed since it was read.
    pub(in crate::content) fn keep(&self, key: CacheKey, value: impl Cached, read: Dependencies) {
        let bytes = key.bytes() + size_of_val(&value) + value.heap_bytes();
        if bytes <= self.cache.entry_bytes_max() {
            self.cache.keep(self.cache.hash(&key), key, (Box::new(value), bytes), read);
        }
    }

    /// Divides these values, which are not cached, between this reader and others. `None`: this reader reads all of them.
    pub(in crate::content) fn claim(&self, keys: impl Iterator<Item = CacheKey>) -> Option<Claim> {
        self.reading.as_ref().map(|reading| reading.claim(keys))
    }

    pub(in crate::content) fn invalidate(&self) {
        self.cache.invalidate();
    }
}

/// The values that readers are reading now, each with what is closed when its reader ends.
#[derive(Default)]
struct Reading(Mutex<HashMap<CacheKey, Arc<Semaphore>>>);

/// How values that are not cached are divided between this reader and others. Other readers wait for its own until it ends, or is dropped.
pub(in crate::content) struct Claim {
    /// The positions of the values that this reader has to read.
    pub own: Vec<usize>,
    /// The positions of the values that other readers are reading.
    pub others: Vec<usize>,
    reading: Arc<Reading>,
    keys: Vec<CacheKey>,
    /// Without permits, and closed when this reader ends.
    end: Arc<Semaphore>,
    ends_of_others: Vec<Arc<Semaphore>>,
}

impl Reading {
    fn claim(self: &Arc<Self>, keys: impl Iterator<Item = CacheKey>) -> Claim {
        let (own, others, keys_read, ends_of_others) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (reading, end) = (Arc::clone(self), Arc::new(Semaphore::new(0)));
        let mut claim = Claim { own, others, reading, keys: keys_read, end, ends_of_others };
        let mut all = self.lock();
        for (at, key) in keys.enumerate() {
            let is_full = all.len() >= READING_MAX;
            match all.entry(key) {
                Entry::Occupied(other) if !Arc::ptr_eq(other.get(), &claim.end) => {
                    claim.others.push(at);
                    if claim.ends_of_others.last().is_none_or(|last| !Arc::ptr_eq(last, other.get())) {
                        claim.ends_of_others.push(Arc::clone(other.get()));
                    }
                }
                Entry::Vacant(free) if !is_full => {
                    claim.keys.push(free.key().clone());
                    free.insert(Arc::clone(&claim.end));
                    claim.own.push(at);
                }
                Entry::Occupied(_) | Entry::Vacant(_) => claim.own.push(at),
            }
        }
        drop(all);
        claim
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CacheKey, Arc<Semaphore>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Claim {
    /// Ends the reads of this reader, whether they have succeeded or not.
    pub(in crate::content) fn end(&mut self) {
        let mut all = self.reading.lock();
        self.keys.drain(..).for_each(|key| drop(all.remove(&key)));
        drop(all);
        self.end.close();
    }

    /// Waits until the other readers have ended, or have taken too long.
    pub(in crate::content) async fn wait_for_others(&self) {
        let until = time::Instant::now() + WAIT_MAX;
        for end in &self.ends_of_others {
            if timeout_at(until, end.acquire()).await.is_err() {
                return;
            }
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests;
