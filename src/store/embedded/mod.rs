//! The store in a file: redb, one process at a time. The rule: a write is on disk before it is acknowledged.
//!
//! Reads run on the caller's thread: redb answers from its cache in microseconds, and a page is bounded. Writes go to one thread
//! that takes all waiting batches and plans, runs each as its own all-or-nothing step, and syncs once for all of them (group commit).

mod bulk;
mod codec;
mod counters;
mod errors;
mod group;
mod guard;
mod handle;
mod observers;
mod open;
mod reader;
mod snapshot;
mod writer;

use std::path::Path;
use std::sync::{Arc, Weak};

use self::handle::DatabaseHandle;
use self::observers::Observers;
use self::open::Verify;
use self::reader::RowsTable;
use super::limits::check_page_rows;
use super::transaction::GroupPlan;
use super::{
    Batch, Continuation, Entity, Etag, Key, KeyedLockGuard, KeyedLocks, Page, Result, RowRange, Snapshot, TableStore,
    WriteObserver,
};

/// Decodes the row under an encoded key from its bytes in the file. For the fuzz targets, which are outside of the crate.
///
/// # Errors
/// `Corrupt` if the bytes are not a row, or not of this key.
#[doc(hidden)]
pub fn decode_row(key: &[u8], bytes: &[u8]) -> Result<Entity> {
    codec::decode_row(key, bytes)
}

/// A store in one file.
pub struct EmbeddedStore {
    handle: Arc<DatabaseHandle>,
    writer: writer::FileWriter,
    locks: KeyedLocks,
    observers: Arc<Observers>,
}

impl EmbeddedStore {
    /// Opens the store in a folder, or creates it. Of a file of up to 32 MiB, every page is verified by its checksum.
    ///
    /// # Errors
    /// [`StoreError::Locked`](super::StoreError::Locked) if another process has it open, `Corrupt` if the file is not a complete
    /// store, `Unavailable` if the folder cannot be created or read.
    pub fn open(folder: &Path) -> Result<Self> {
        let name = open::file_of(folder).display().to_string();
        Self::of(DatabaseHandle::new(open::open_file(folder, Verify::Small)?, Some(folder.to_owned()), name))
    }

    /// As [`open`](Self::open), but every page of a file of any size is verified: after a flipped bit in redb's own pages a read may miss a row,
    /// which the checksums of the rows do not detect.
    ///
    /// # Errors
    /// As there.
    pub fn open_verified(folder: &Path) -> Result<Self> {
        let name = open::file_of(folder).display().to_string();
        Self::of(DatabaseHandle::new(open::open_file(folder, Verify::Always)?, Some(folder.to_owned()), name))
    }

    /// Whether something exists at the path, even if it is not a complete store.
    pub fn is_at(folder: &Path) -> bool {
        open::file_of(folder).exists() || folder.is_file()
    }

    /// The size of the store file in a folder; `None` if it does not exist.
    pub fn file_bytes(folder: &Path) -> Option<u64> {
        Some(std::fs::metadata(open::file_of(folder)).ok()?.len())
    }

    /// A store in memory, which is lost when the process ends: for tests and benchmarks.
    pub fn in_memory() -> Result<Self> {
        Self::on_backend(redb::backends::InMemoryBackend::new())
    }

    /// A store on a storage backend of the caller's own, such as one that loses power.
    pub fn on_backend(backend: impl redb::StorageBackend) -> Result<Self> {
        Self::of(DatabaseHandle::new(open::open_backend(backend)?, None, open::BACKEND.to_owned()))
    }

    fn of(handle: DatabaseHandle) -> Result<Self> {
        let handle = Arc::new(handle);
        let observers = Arc::<Observers>::default();
        let writer = writer::FileWriter::start(Arc::clone(&handle), Arc::clone(&observers))?;
        Ok(Self { handle, writer, locks: KeyedLocks::default(), observers })
    }

    /// Runs a read in a transaction of its own.
    fn read<T>(&self, read: impl FnOnce(&RowsTable) -> Result<T>) -> Result<T> {
        self.handle.visit(|database| read(&reader::open(database)?))
    }
}

#[async_trait::async_trait]
impl TableStore for EmbeddedStore {
    /// Nothing to do: the key of each row in the file starts with the table's name.
    async fn create_tables(&self, _tables: &[&'static str]) -> Result<()> {
        Ok(())
    }

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.read(|rows| reader::get(rows, table, key))
    }

    async fn get_many(&self, table: &'static str, keys: &[Key]) -> Vec<Result<Option<Entity>>> {
        reader::get_each(keys, |keys| self.read(|rows| reader::get_many(rows, table, keys)))
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        check_page_rows(limit)?;
        self.read(|rows| reader::range(rows, table, range, limit, continuation))
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        self.writer.commit(table, batch.clone()).await
    }

    fn is_local(&self) -> bool {
        true
    }

    fn is_transactional(&self) -> bool {
        true
    }

    async fn transact(&self, plan: GroupPlan) -> Result<()> {
        self.writer.transact(plan).await
    }

    async fn snapshot(&self) -> Result<Option<Snapshot>> {
        snapshot::take(&self.handle).map(Some)
    }

    /// Only this process writes to the file, and only by the writing thread.
    fn observe_writes(&self, observer: Weak<dyn WriteObserver>) -> bool {
        self.observers.add(observer);
        true
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        self.read(|rows| reader::scan(rows, table, continuation))
    }

    async fn keyed_lock(&self, table: &'static str, name: &str) -> Option<KeyedLockGuard> {
        Some(self.locks.take(table, name).await)
    }

    async fn ping(&self) -> Result<()> {
        self.read(|_| Ok(()))
    }
}
