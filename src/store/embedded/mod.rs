//! The store in a file: redb and, while the store is written, a log; one process at a time. The rule: a write is on disk before it is acknowledged.
//!
//! Reads run on the caller's thread: redb answers from its cache in microseconds, and a page is bounded. Writes go to one thread
//! that takes all waiting batches and plans, runs each as its own all-or-nothing step, and syncs the log once for all of them (group commit).

mod bulk;
mod codec;
mod counters;
mod durable;
mod errors;
mod group;
mod guard;
mod handle;
mod log;
mod log_place;
mod log_record;
mod observers;
mod open;
mod reader;
mod recent;
mod snapshot;
mod waiting;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use self::durable::DurableCommits;
use self::guard::guard_file;
use self::handle::DatabaseHandle;
use self::log_place::LogPlace;
use self::observers::Observers;
use self::open::Verify;
use self::reader::RowsTable;
use self::recent::RecentSnapshot;
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
    recent: Arc<RecentSnapshot>,
}

impl EmbeddedStore {
    /// Opens the store in a folder, or creates it. Of a file of up to 32 MiB, every page is verified by its checksum.
    ///
    /// # Errors
    /// [`StoreError::Locked`](super::StoreError::Locked) if another process has it open, `Corrupt` if the file is not a complete
    /// store, `Unavailable` if the folder cannot be created or read.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_with(folder, Verify::Small)
    }

    /// As [`open`](Self::open), but every page of a file of any size is verified: after a flipped bit in redb's own pages a read may miss a row,
    /// which the checksums of the rows do not detect.
    ///
    /// # Errors
    /// As there.
    pub fn open_verified(folder: &Path) -> Result<Self> {
        Self::open_with(folder, Verify::Always)
    }

    fn open_with(folder: &Path, verify: Verify) -> Result<Self> {
        let name = open::file_of(folder).display().to_string();
        let place = LogPlace::Folder(folder.to_owned());
        Self::of(open::open_file(folder, verify)?, place, Some(folder.to_owned()), name)
    }

    /// Whether something exists at the path, even if it is not a complete store.
    pub fn is_at(folder: &Path) -> bool {
        open::file_of(folder).exists() || folder.is_file()
    }

    /// The size of the store file in a folder with its log; `None` if it does not exist.
    pub fn file_bytes(folder: &Path) -> Option<u64> {
        let log = std::fs::metadata(log_place::file_of(folder)).map_or(0, |log| log.len());
        Some(std::fs::metadata(open::file_of(folder)).ok()?.len() + log)
    }

    /// A store in memory, which is lost when the process ends: for tests and benchmarks.
    pub fn in_memory() -> Result<Self> {
        Self::on_backend(redb::backends::InMemoryBackend::new())
    }

    /// A store on a storage backend of the caller's own, without a log.
    pub fn on_backend(backend: impl redb::StorageBackend) -> Result<Self> {
        Self::of(open::open_backend(backend)?, LogPlace::Nowhere, None, open::BACKEND.to_owned())
    }

    /// A store whose file and log are on backends of the caller's own, such as those of a disk that loses power. The file is committed when the log
    /// has `log_bytes`, and when the store is closed.
    pub fn on_backends(
        file: impl redb::StorageBackend,
        log: impl redb::StorageBackend,
        log_bytes: u64,
    ) -> Result<Self> {
        let place = LogPlace::Backend(Arc::new(log), log_bytes);
        Self::of(open::open_backend(file)?, place, None, open::BACKEND.to_owned())
    }

    fn of(database: redb::Database, place: LogPlace, folder: Option<PathBuf>, name: String) -> Result<Self> {
        let commits = guard_file(&name, || DurableCommits::open(place, &database))?;
        let handle = Arc::new(DatabaseHandle::new(database, folder, name));
        let (observers, recent) = (Arc::<Observers>::default(), Arc::<RecentSnapshot>::default());
        let readers = (Arc::clone(&observers), Arc::clone(&recent));
        let writer = writer::FileWriter::start(Arc::clone(&handle), readers, commits)?;
        Ok(Self { handle, writer, locks: KeyedLocks::default(), observers, recent })
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
        self.recent.get_or_take(|| snapshot::take(&self.handle)).map(Some)
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
