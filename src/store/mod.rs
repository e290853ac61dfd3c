//! The storage contract: rows with a PartitionKey and a RowKey, and only guarantees that all stores can give.
//!
//! The rule of this module: it knows rows, never posts. The module `keys` defines what a key means, the module `content` what a row means.
//!
//! Guarantees, the same on every store (the contract suite in `tests/it/store` tests each of them):
//!
//! - **Point read**: the row as its last acknowledged write left it.
//! - **Range read**: one partition, ascending by RowKey in byte order, at most [`PAGE_ROWS_MAX`] rows a page. A page may be
//!   short, or empty, and still carry a continuation; only a page without one is the end.
//! - **Reads of keys**: a point read or a range whose caller uses only the keys; the rest of the rows, their ETags
//!   included, may be missing.
//! - **Batch**: an entity group transaction. One table, one partition, each row once; all of it happens or nothing does, and it
//!   is on disk (or replicated) before it is acknowledged. A precondition that does not hold is [`StoreError::Precondition`].
//! - **Transaction**: only on stores that have it ([`TableStore::is_transactional`]). Any rows of any tables and partitions, planned by a function
//!   that reads inside the transaction; all of it happens or nothing does, durable before it is acknowledged, in one order with all batches.
//! - **Snapshot**: only on stores that have it ([`TableStore::snapshot`]). Many reads that see the rows as they were at one moment.
//! - **Announced writes**: only on stores that have it ([`TableStore::observe_writes`]). An observer learns of a write
//!   before a reader can see it; on tables, where other servers write too, within the time for which
//!   [`TableStore::is_followed`] trusts a poll.
//! - **Tables of a month** ([`is_of_month`]): a read of one that does not exist finds nothing, and one is dropped whole
//!   ([`TableStore::drop_table`]), however many rows it has.
//! - **Lost answers**: a store may send a batch again if its answer was lost. If the batch is refused then, the first request may be the
//!   reason, so the error is [`StoreError::OutcomeUnknown`], never a refusal; on tables, the [`log`] finds out which.
//! - **Limits**: those of Azure Table Storage ("Understanding the Table service data model", "Performing entity group
//!   transactions"), refused here with [`StoreError::Limit`] before anything is sent, so that a file can be moved to Azure.

pub mod azure;
pub mod batch;
mod codec;
pub mod counting;
pub mod embedded;
pub mod entity;
pub mod error;
mod explanation;
pub mod key;
pub mod limits;
pub mod log;
mod months;
pub mod observed;
pub mod read_set;
pub mod reporting;
mod request_units;
pub mod snapshot;
pub mod socket;
mod storage_use;
pub mod tags;
pub mod transaction;

use std::sync::{Arc, Weak};

use futures_util::{StreamExt, stream};

pub use batch::{Batch, Operation, Precondition};
pub use counting::{CountingStore, NEAR_ROWS_MAX};
pub use entity::{Entity, Etag, Properties, Value};
pub use error::StoreError;
pub use explanation::{AccessKind, AccessedRows, Explained, ExplainedRequest, Explanation};
pub use key::{Key, RowRange};
pub use limits::{PAGE_ROWS_MAX, TransactionLimits};
pub use log::{LogEntry, LogPosition, LogSettings, LogStore, RecordingStore, RowRole, is_row_of_log};
pub use months::{is_of_month, table_of_month};
pub use observed::ObservedStore;
pub use read_set::{MovingBounds, PartitionMark, ReadRange, ReadSet, RowMark, WriteObserver, WrittenRow};
pub use reporting::{ReportingStore, WriteReport};
pub use snapshot::Snapshot;
pub use socket::{SocketServer, SocketStore};
pub use storage_use::StorageUse;
pub use tags::{SHOWN_TAGS_MAX, Tag, TagOf, TagSet};
pub use transaction::{GroupPlan, RowWrite, Rows};

pub type Result<T, E = StoreError> = std::result::Result<T, E>;
pub type Store = Arc<dyn TableStore>;

/// The maximum number of concurrent point reads of one [`get_many`](TableStore::get_many): enough for a page and its neighbours in one round trip, without
/// flooding the connections.
const POINT_READS_AT_ONCE: usize = 200;

/// The answers to point reads, in their order.
async fn all_at_once<R: Future>(reads: Vec<R>) -> Vec<R::Output> {
    stream::iter(reads).buffered(POINT_READS_AT_ONCE).collect().await
}

/// One page of a range read or a scan: rows in ascending order, and where the read continues.
#[derive(Debug, Clone, Default)]
pub struct Page {
    pub rows: Vec<Entity>,
    /// Opaque; the caller passes it unchanged to the same read. `None` after the last page.
    pub continuation: Option<Continuation>,
}

/// The position at which a read continues; only the store that made it can interpret it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Continuation(pub(in crate::store) String);

/// Used by other implementations of [`TableStore`].
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
    /// The store that this one wraps. Default methods call it, except for several point reads, transactions and snapshots.
    fn inner(&self) -> Option<&Store> {
        None
    }

    /// Creates missing tables. Idempotent.
    async fn create_tables(&self, tables: &[&'static str]) -> Result<()> {
        wrapped(self.inner())?.create_tables(tables).await
    }

    /// Drops a table with all its rows in one request. Idempotent. The name is not used again.
    async fn drop_table(&self, table: &'static str) -> Result<()> {
        wrapped(self.inner())?.drop_table(table).await
    }

    /// Point read: one row, or `None` if it does not exist.
    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        wrapped(self.inner())?.get(table, key).await
    }

    /// Like [`get`](Self::get), for a caller that uses only the key: whether the row exists.
    async fn get_key(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.get(table, key).await
    }

    /// Several point reads of one table, all sent at once, each with its own result, in the order of the keys. Each counts as one point read; a
    /// store may answer them together if that costs less.
    async fn get_many(&self, table: &'static str, keys: &[Key]) -> Vec<Result<Option<Entity>>> {
        all_at_once(keys.iter().map(|key| self.get(table, key)).collect()).await
    }

    /// Like [`get_many`](Self::get_many), for nearby rows: if they are in few partitions, a store may read ranges that contain them, with up to
    /// [`NEAR_ROWS_MAX`] rows for each key and no more requests. Each counts as a point read.
    async fn get_near(&self, table: &'static str, keys: &[Key]) -> Vec<Result<Option<Entity>>> {
        self.get_many(table, keys).await
    }

    /// Range read: one request for at most `limit` rows (1 to [`PAGE_ROWS_MAX`]) of one partition. See [`RowRange::of_keys`].
    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        wrapped(self.inner())?.range(table, range, limit, continuation).await
    }

    /// Entity group transaction. Returns the new ETag of each row put, `None` for each row deleted, in the batch's order.
    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        match self.inner() {
            Some(inner) => inner.commit(table, batch).await,
            None => refuse_write(table, batch),
        }
    }

    /// Whether reads never wait, so that concurrent reads are not faster than sequential ones.
    fn is_local(&self) -> bool {
        self.inner().is_some_and(|inner| inner.is_local())
    }

    /// Whether [`transact`](Self::transact) is supported.
    fn is_transactional(&self) -> bool {
        self.inner().is_some_and(|inner| inner.is_transactional())
    }

    /// The limits of one [`transact`](Self::transact).
    fn transaction_limits(&self) -> TransactionLimits {
        self.inner().map_or(TransactionLimits::WIDE, |inner| inner.transaction_limits())
    }

    /// One transaction over all tables and partitions, in the order of the writes: a plan sees every acknowledged write, and rows that it has read do not
    /// change before its own writes are committed. Each put row has a new ETag.
    ///
    /// # Errors
    /// The plan's own error, [`StoreError::Limit`] if its writes exceed a limit, and [`StoreError::Internal`] if it panics or the store has no transactions:
    /// nothing was written. All others as for [`commit`](Self::commit).
    async fn transact(&self, _plan: GroupPlan) -> Result<()> {
        Err(StoreError::Internal("this store has no transactions over several partitions".to_owned()))
    }

    /// A snapshot of the rows at this moment; `None` if the store has no snapshots, so that each read sees the rows of its own moment. Drop it soon, because
    /// until then a file cannot reuse the space of later deletions.
    async fn snapshot(&self) -> Result<Option<Snapshot>> {
        Ok(None)
    }

    /// From now on, notifies the observer of each commit before it is visible to a reader and before it is acknowledged. Returns false, and never notifies the
    /// observer, if some writes to the store are unknown here.
    fn observe_writes(&self, observer: Weak<dyn WriteObserver>) -> bool {
        self.inner().is_some_and(|inner| inner.observe_writes(observer))
    }

    /// Whether every write so far was announced to the observers, so that cached values may be used.
    fn is_followed(&self) -> bool {
        self.inner().is_none_or(|inner| inner.is_followed())
    }

    /// Waits for a short time for [`is_followed`](Self::is_followed) to become true, after a pause without queries.
    async fn catch_up(&self) {
        if let Some(inner) = self.inner() {
            inner.catch_up().await;
        }
    }

    /// For reads without a snapshot, a version up to which a read that begins now sees all announced writes; of later ones, it may see some. `None` if nothing
    /// that is read now can be cached.
    fn horizon(&self) -> Option<u64> {
        self.inner()?.horizon()
    }

    /// Applies entries that are appended but may not be applied yet, so that a change builds on them.
    async fn settle(&self) -> Result<()> {
        match self.inner() {
            Some(inner) => inner.settle().await,
            None => Ok(()),
        }
    }

    /// The number of the newest known write; `None` if no other process writes.
    fn position(&self) -> Option<u64> {
        self.inner()?.position()
    }

    /// Waits until a read sees every write up to this [position](Self::position) of any server. Returns false if there is no such write.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if that takes longer than 2 s.
    async fn wait_for(&self, position: u64) -> Result<bool> {
        match self.inner() {
            Some(inner) => inner.wait_for(position).await,
            None => Ok(true),
        }
    }

    /// Succeeds if the storage's responses do not show that this server's clock is wrong.
    async fn check_clock(&self) -> Result<()> {
        match self.inner() {
            Some(inner) => inner.check_clock().await,
            None => Ok(()),
        }
    }

    /// Follows the writes of other servers until the future is dropped. Returns at once if no other server can write.
    async fn follow_writes(&self) {
        if let Some(inner) = self.inner() {
            inner.follow_writes().await;
        }
    }

    /// Deletes expired data that the store keeps for servers that follow its writes.
    async fn delete_old_entries(&self) -> Result<()> {
        match self.inner() {
            Some(inner) => inner.delete_old_entries().await,
            None => Ok(()),
        }
    }

    /// Reads a whole table, in the order of PartitionKey and RowKey. For `check`, `export`, imports and retention, never for a query.
    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        wrapped(self.inner())?.scan(table, continuation).await
    }

    /// Succeeds if the store can currently be read.
    async fn ping(&self) -> Result<()> {
        wrapped(self.inner())?.ping().await
    }
}

fn wrapped(inner: Option<&Store>) -> Result<&Store> {
    inner
        .ok_or_else(|| StoreError::Internal("the store does not implement this request, and wraps no other".to_owned()))
}

/// The result of a batch on a read-only store.
///
/// # Errors
/// Always.
pub fn refuse_write(table: &str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
    let partition = batch.partition();
    Err(StoreError::Internal(format!("a snapshot cannot be written, but {table}({partition}) was to be")))
}
