//! Keyed locks for rows that many writers change. The rule: they only save retries. Without them the writers of one process would read and write the
//! same row at once, and all but one would have to start again; the ETag protects the row, so a writer without the lock is correct too.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMutexGuard};

/// Rows whose names share a lock by chance only wait for each other.
const LOCKS: usize = 256;

/// The lock is released when this is dropped.
pub type KeyedLockGuard = OwnedMutexGuard<()>;

#[derive(Debug)]
pub struct KeyedLocks {
    hasher: RandomState,
    locks: Vec<Arc<Mutex<()>>>,
}

impl Default for KeyedLocks {
    fn default() -> Self {
        Self { hasher: RandomState::new(), locks: (0..LOCKS).map(|_| Arc::default()).collect() }
    }
}

impl KeyedLocks {
    /// First come, first served. A caller that waits for a second lock while it holds one may deadlock.
    pub async fn take(&self, table: &str, name: &str) -> KeyedLockGuard {
        let mut hash = self.hasher.build_hasher();
        hash.write(table.as_bytes());
        hash.write_u8(0);
        hash.write(name.as_bytes());
        let lock = &self.locks[hash.finish() as usize % LOCKS];
        Arc::clone(lock).lock_owned().await
    }
}
