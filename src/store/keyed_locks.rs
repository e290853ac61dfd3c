//! Whose turn it is to change a row that many change. The rule: a courtesy among the writers of one process, which would otherwise read the same
//! row, write it, and all but one begin again. What holds is the ETag; who takes no turn is right too.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMutexGuard};

/// Rows that share a turn by chance only wait for each other.
const TURNS: usize = 256;

/// It is over when this is dropped.
pub type KeyedLockGuard = OwnedMutexGuard<()>;

#[derive(Debug)]
pub struct KeyedLocks {
    hasher: RandomState,
    turns: Vec<Arc<Mutex<()>>>,
}

impl Default for KeyedLocks {
    fn default() -> Self {
        Self { hasher: RandomState::new(), turns: (0..TURNS).map(|_| Arc::default()).collect() }
    }
}

impl KeyedLocks {
    /// First come, first served. To wait for a second turn while having one may wait for ever.
    pub async fn take(&self, table: &str, name: &str) -> KeyedLockGuard {
        let mut hash = self.hasher.build_hasher();
        hash.write(table.as_bytes());
        hash.write_u8(0);
        hash.write(name.as_bytes());
        let turn = &self.turns[hash.finish() as usize % TURNS];
        Arc::clone(turn).lock_owned().await
    }
}
