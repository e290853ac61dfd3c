//! The storage contract: rows with a PartitionKey and a RowKey, and nothing that one of the stores could not keep.
//!
//! The rule of this room: it knows rows, never posts. What a key means is `keys`' matter, what a row means `content`'s.
//!
//! Guarantees, the same on every store (the contract suite in `tests/it/store` holds each of them to it):
//!
//! - **Point read**: the row as its last acknowledged write left it.
//! - **Range read**: one partition, ascending by RowKey in byte order, at most [`PAGE_ROWS_MAX`] rows a page. A page may be
//!   short, or empty, and still carry a continuation; only a page without one is the end.
//! - **Batch**: an entity group transaction. One table, one partition, each row once; all of it happens or nothing does, and it
//!   is on disk (or replicated) before it is acknowledged. A precondition that does not hold is [`StoreError::Precondition`].
//! - **Transaction**: only on stores that have it ([`TableStore::is_transactional`]). Any rows of any tables and partitions, planned by a function
//!   that reads inside the transaction; all of it happens or nothing does, durable before it is acknowledged, in one order with all batches.
//! - **Snapshot**: only on stores that have it ([`TableStore::snapshot`]). Many reads that see the rows as they were at one moment.
//! - **Lost answers**: a store may send a batch again whose answer was lost, and where it is refused then, the rows tell whether it
//!   was made. Where they cannot it is [`StoreError::OutcomeUnknown`], never a refusal. Two writers that insert the very same row
//!   may both be told that they did, so a row that only one may insert names its writer.
//! - **Limits**: those of Azure Table Storage ("Understanding the Table service data model", "Performing entity group
//!   transactions"), refused here with [`StoreError::Limit`] before anything is sent, so that a file can be moved to Azure.

pub mod azure;
pub mod batch;
pub mod counting;
pub mod embedded;
pub mod entity;
pub mod error;
pub mod key;
pub mod keyed_locks;
pub mod limits;
pub mod observed;
pub mod snapshot;
pub mod transaction;

use std::sync::Arc;

use futures_util::{StreamExt, stream};

pub use batch::{Batch, Operation, Precondition};
pub use counting::{CountingStore, StorageUse};
pub use entity::{Entity, Etag, Properties, Value};
pub use error::StoreError;
pub use key::{Key, RowRange};
pub use keyed_locks::{KeyedLockGuard, KeyedLocks};
pub use limits::PAGE_ROWS_MAX;
pub use observed::ObservedStore;
pub use snapshot::Snapshot;
pub use transaction::{GroupPlan, RowWrite, Rows};

pub type Result<T, E = StoreError> = std::result::Result<T, E>;
pub type Store = Arc<dyn TableStore>;

/// Point reads of one [`get_many`](TableStore::get_many) under way at once: a page and its neighbours in one wave, without flooding the
/// connections.
const POINT_READS_AT_ONCE: usize = 200;

/// The answers to point reads, in their order.
async fn all_at_once<R: Future>(reads: Vec<R>) -> Vec<R::Output> {
    stream::iter(reads).buffered(POINT_READS_AT_ONCE).collect().await
}

/// One page of a range read or a scan: rows in ascending order, and where to go on.
#[derive(Debug, Clone, Default)]
pub struct Page {
    pub rows: Vec<Entity>,
    /// Opaque; handed back unchanged to the same read. `None`: nothing follows.
    pub continuation: Option<Continuation>,
}

/// Where a read goes on; only the store that made it can read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Continuation(pub(in crate::store) String);

/// For a store of one's own.
impl Continuation {
    pub fn new(position: impl Into<String>) -> Self {
        Self(position.into())
    }

    pub fn position(&self) -> &str {
        &self.0
    }
}

/// A table store. Implemented by [`embedded::EmbeddedStore`], [`azure::AzureStore`] and the wrappers around them.
#[async_trait::async_trait]
pub trait TableStore: Send + Sync + 'static {
    /// Makes the tables that do not exist yet. Idempotent.
    async fn create_tables(&self, tables: &[&'static str]) -> Result<()>;

    /// Point read: one row, or `None` where there is none.
    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>>;

    /// Several point reads of one table, all sent at once, each answered for itself, in the order of the keys. To the table, and in a count of
    /// requests, they are as many point reads; a store that can answer them together for less may.
    async fn get_many(&self, table: &'static str, keys: &[Key]) -> Vec<Result<Option<Entity>>> {
        all_at_once(keys.iter().map(|key| self.get(table, key)).collect()).await
    }

    /// Range read: one request for at most `limit` rows (1 to [`PAGE_ROWS_MAX`]) of one partition.
    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page>;

    /// Entity group transaction. Answers the new ETag of each row put, `None` for each row deleted, in the batch's order.
    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>>;

    /// Whether [`transact`](Self::transact) is supported.
    fn is_transactional(&self) -> bool {
        false
    }

    /// One transaction over all tables and partitions, in the order of the writes: a plan sees what every acknowledged write has left, and
    /// nothing that it has read changes before its own writes are committed. Each row that it puts has a new ETag.
    ///
    /// # Errors
    /// The plan's own error, [`StoreError::Limit`] if what it returns is over a limit, and [`StoreError::Internal`] if it panics or the store
    /// has no transactions: nothing was written. All others as for [`commit`](Self::commit).
    async fn transact(&self, _plan: GroupPlan) -> Result<()> {
        Err(StoreError::Internal("this store has no transactions over several partitions".to_owned()))
    }

    /// The rows as they are at this moment, however many reads are made of them. `None`: the store cannot show them, and each read sees its own
    /// moment. To be dropped soon: while it is kept, a file cannot use the room of what was deleted since.
    async fn snapshot(&self) -> Result<Option<Snapshot>> {
        Ok(None)
    }

    /// Reads a whole table, in order of PartitionKey, then RowKey: for `check`, `export` and recovery, never for a query.
    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page>;

    /// Waits for the turn to change a row that many change, such as a count, among the writers of this store in this process; it is over when
    /// the answer is dropped. `None` where the store lets everybody try. A courtesy: what holds is the ETag.
    async fn turn(&self, _table: &'static str, _name: &str) -> Option<KeyedLockGuard> {
        None
    }

    /// Answers where the store can be reached and read at this moment.
    async fn ping(&self) -> Result<()>;
}
