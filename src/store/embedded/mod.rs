//! The store in a file: redb, one process at a time. The rule: a write is on disk before it is acknowledged.
//!
//! Reads run where they are called: redb answers from its cache in microseconds, and a page is bounded. Writes go to one thread
//! that takes all batches and plans that wait, runs each as its own all-or-nothing step, and syncs once for all of them (group commit).

mod codec;
mod group;
mod guard;
mod handle;
mod open;
mod reader;
mod snapshot;
mod writer;

use std::path::Path;
use std::sync::Arc;

use self::handle::DatabaseHandle;
use self::open::Verify;
use self::reader::RowsTable;
use super::limits::check_page_rows;
use super::transaction::GroupPlan;
use super::{
    Batch, Continuation, Entity, Etag, Key, KeyedLockGuard, KeyedLocks, Page, Result, RowRange, Snapshot, TableStore,
};

/// The row under an encoded key, from its bytes as the file holds them. For the fuzz targets, which are outside of the crate.
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
    turns: KeyedLocks,
}

impl EmbeddedStore {
    /// Opens the store in a folder, or makes it. A file of up to 32 MiB is verified whole, each page by its checksum.
    ///
    /// # Errors
    /// [`StoreError::Locked`](super::StoreError::Locked) where another process has it open, `Corrupt` where the file is not a whole
    /// store, `Unavailable` where the folder cannot be made or read.
    pub fn open(folder: &Path) -> Result<Self> {
        let name = open::file_of(folder).display().to_string();
        Self::of(DatabaseHandle::new(open::open_file(folder, Verify::Small)?, Some(folder.to_owned()), name))
    }

    /// As [`open`](Self::open), and a file of any size is verified whole: of a flipped bit in redb's own pages a row may be missed, and no row tells.
    ///
    /// # Errors
    /// As there.
    pub fn open_verified(folder: &Path) -> Result<Self> {
        let name = open::file_of(folder).display().to_string();
        Self::of(DatabaseHandle::new(open::open_file(folder, Verify::Always)?, Some(folder.to_owned()), name))
    }

    /// Whether something stands at the path, be it a whole store or not.
    pub fn is_at(folder: &Path) -> bool {
        open::file_of(folder).exists() || folder.is_file()
    }

    /// A store in memory, which is gone with the process: for tests and benchmarks.
    pub fn in_memory() -> Result<Self> {
        Self::on_backend(redb::backends::InMemoryBackend::new())
    }

    /// A store on a storage backend of the caller's own, such as one that loses power.
    pub fn on_backend(backend: impl redb::StorageBackend) -> Result<Self> {
        Self::of(DatabaseHandle::new(open::open_backend(backend)?, None, open::BACKEND.to_owned()))
    }

    fn of(handle: DatabaseHandle) -> Result<Self> {
        let handle = Arc::new(handle);
        let writer = writer::FileWriter::start(Arc::clone(&handle))?;
        Ok(Self { handle, writer, turns: KeyedLocks::default() })
    }

    /// Each in a transaction of its own.
    fn read<T>(&self, read: impl FnOnce(&RowsTable) -> Result<T>) -> Result<T> {
        self.handle.visit(|database| read(&reader::open(database)?))
    }
}

#[async_trait::async_trait]
impl TableStore for EmbeddedStore {
    /// Nothing to do: the table's name is the head of each row's key in the file.
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

    fn is_transactional(&self) -> bool {
        true
    }

    async fn transact(&self, plan: GroupPlan) -> Result<()> {
        self.writer.transact(plan).await
    }

    async fn snapshot(&self) -> Result<Option<Snapshot>> {
        snapshot::take(&self.handle).map(Some)
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        self.read(|rows| reader::scan(rows, table, continuation))
    }

    async fn turn(&self, table: &'static str, name: &str) -> Option<KeyedLockGuard> {
        Some(self.turns.take(table, name).await)
    }

    async fn ping(&self) -> Result<()> {
        self.read(|_| Ok(()))
    }
}
