//! The rows as they were at one moment, for the stores that have snapshots (the file store; Azure does not).
//!
//! The rule: all reads of a snapshot see the same rows, even if others are written meanwhile.

use super::Store;

/// The rows of a store as they were when [`TableStore::snapshot`](super::TableStore::snapshot) was called.
#[derive(Clone)]
pub struct Snapshot {
    /// A read-only store: every write is [`StoreError::Internal`](super::StoreError::Internal).
    pub store: Store,
    /// The number of the last included transaction. Two snapshots of one store with the same version have the same rows.
    pub version: u64,
}

impl Snapshot {
    /// The same snapshot, with a wrapper around its store.
    #[must_use]
    pub fn wrap(self, wrap: impl FnOnce(Store) -> Store) -> Self {
        Self { store: wrap(self.store), ..self }
    }
}
