//! The cache of values that queries compute from rows, which later queries use until one of the rows is written. The rule: a cached value equals the one that
//! the reader would compute from its own snapshot, or without a snapshot, from rows that include all known writes (I10).
//!
//! A value is valid from the version at which it was read until it is dropped, which happens before a write of its rows is visible. So a reader with an older
//! snapshot does not use it, and values that such a reader computes are refused if their rows were written since. Without snapshots, the version is a
//! [horizon](crate::store::TableStore::horizon), and a reader uses values of any version, because it sees newer rows, too. Values are the same for every
//! client, because access to a post is checked after it was found.

use std::sync::Arc;

use crate::model::Instant;
use crate::store::{ReadSet, Store};
use crate::telemetry::metrics::CacheKind;

use super::index::{Cache, Dependencies};
use super::keys::{CacheKey, Cached};

/// The default limit in bytes: the summaries of some 50,000 posts, or as many terms.
pub const VALUE_CACHE_BYTES_MAX: usize = 64 << 20;

/// The state of the content that a reader sees.
#[derive(Debug, Clone, Copy)]
pub(in crate::content) struct ReadMoment {
    /// The era of the values, read before the snapshot was taken or the horizon read.
    pub era: u64,
    /// Its snapshot contains exactly the writes up to this version. Without a snapshot, it sees all writes up to this horizon, and possibly later ones.
    pub version: u64,
    pub is_snapshot: bool,
    pub now: Instant,
}

impl ReadMoment {
    /// Without a snapshot, a value of any version may be used, because a cached value includes all known writes.
    fn allows(&self, read: &Dependencies) -> bool {
        (!self.is_snapshot || read.version <= self.version) && read.are_valid_at(self.now)
    }
}

pub(in crate::content) struct ValueCache {
    cache: Arc<Cache<CacheKey, Box<dyn Cached>>>,
}

impl ValueCache {
    /// Caches at most `bytes_max` bytes. `None` if that is zero, or if the store does not announce its writes.
    pub(in crate::content) fn of(store: &Store, bytes_max: usize) -> Option<Arc<Self>> {
        let cache = Cache::of(CacheKind::Value, store, bytes_max)?;
        Some(Arc::new(Self { cache }))
    }

    /// Call it before a snapshot is taken, or the horizon is read.
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
        // This is checked again, because the process may have been paused since the reader began.
        let is_followed = self.cache.is_followed();
        let index = self.cache.read();
        let are_used = is_followed && index.era() == moment.era;
        for key in keys {
            let entry = index.find(self.cache.hash(&key), |cached| *cached == key);
            let entry = entry.filter(|entry| are_used && moment.allows(&entry.read));
            visit(&key, entry.map(|entry| (&**entry.used(), &entry.read.reads)));
        }
    }

    /// Caches a value if none of its dependencies has changed since.
    pub(in crate::content) fn keep(&self, key: CacheKey, value: impl Cached, read: Dependencies) {
        let bytes = key.bytes() + size_of_val(&value) + value.heap_bytes();
        if bytes <= self.cache.entry_bytes_max() {
            self.cache.keep(self.cache.hash(&key), key, (Box::new(value), bytes), read);
        }
    }

    pub(in crate::content) fn invalidate(&self) {
        self.cache.invalidate();
    }
}

#[cfg(test)]
mod tests;
