//! The store in a file, for one process at a time: redb, and a log for recent writes. The rule: a write is on disk before it is acknowledged.
//!
//! Reads run on the caller's thread: redb answers from its cache in microseconds, and a page is bounded. Writes go to one thread that takes all waiting batches
//! and plans, runs each as its own all-or-nothing step, and syncs the log once for all of them (group commit).

mod bulk;
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
mod overlay;
mod reader;
mod recent;
mod snapshot;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use self::durable::DurableCommits;
use self::guard::guard_file;
use self::handle::DatabaseHandle;
use self::log_place::LogPlace;
use self::observers::Observers;
use self::open::{Purpose, Verify};
use self::recent::RecentSnapshot;
use super::transaction::GroupPlan;
use super::{Batch, Entity, Etag, Key, Result, Snapshot, Store, StoreError, TableStore, WriteObserver};
use crate::store::codec;

/// Decodes the row under an encoded key from its bytes in the file. Used by the fuzz targets.
///
/// # Errors
/// `Corrupt` if the bytes are not a row, or belong to another key.
#[doc(hidden)]
pub fn decode_row(key: &[u8], bytes: &[u8]) -> Result<Entity> {
    codec::decode_row(key, bytes)
}

pub struct EmbeddedStore {
    handle: Arc<DatabaseHandle>,
    /// A view of the current rows for each read.
    rows: Store,
    writer: writer::FileWriter,
    observers: Arc<Observers>,
    recent: Arc<RecentSnapshot>,
    is_read_only: bool,
}

impl EmbeddedStore {
    /// Opens the store in a folder, or creates it. In a file of up to 32 MiB, the checksum of every page is verified.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if another process has it open, `Corrupt` if the file is not a complete store, or is missing next to its log, `OtherFormat`
    /// if another version has written it, `ReadOnly` if it can only be read, `Denied` if this user cannot read it, `Unavailable` if the folder cannot be created or
    /// read.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_with(folder, Verify::Small, Purpose::Create)
    }

    /// Like [`open`](Self::open), for an existing store.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open).
    pub fn open_existing(folder: &Path) -> Result<Self> {
        Self::open_with(folder, Verify::Small, Purpose::Write)
    }

    /// Like [`open_existing`](Self::open_existing), but verifies every page of a file of any size: after a flipped bit in redb's own pages, a read may miss a
    /// row, which the checksums of the rows do not detect.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open).
    pub fn open_verified(folder: &Path) -> Result<Self> {
        Self::open_with(folder, Verify::Always, Purpose::Write)
    }

    /// Opens a store only for reading. Its files are not written, not even to repair them or to replay the log. `is_verified`: whether every page is verified,
    /// as in [`open_verified`](Self::open_verified).
    ///
    /// # Errors
    /// The errors of [`open`](Self::open), except for `ReadOnly`.
    pub fn open_read_only(folder: &Path, is_verified: bool) -> Result<Self> {
        Self::open_with(folder, if is_verified { Verify::Always } else { Verify::Small }, Purpose::Read)
    }

    fn open_with(folder: &Path, verify: Verify, purpose: Purpose) -> Result<Self> {
        let name = open::file_of(folder).display().to_string();
        let database = open::open_file(folder, verify, purpose)?;
        match purpose {
            Purpose::Create | Purpose::Write => {
                Self::of(database, LogPlace::Folder(folder.to_owned()), Some(folder.to_owned()), name)
            }
            Purpose::Read => {
                let store = Self::of(database, LogPlace::ReadOnly(folder.to_owned()), None, name)?;
                Ok(Self { is_read_only: true, ..store })
            }
        }
    }

    /// Whether something exists at the path, even if it is not a complete store.
    ///
    /// # Errors
    /// `Denied` if this user has no access.
    pub fn is_at(folder: &Path) -> Result<bool> {
        open::is_at(folder)
    }

    /// The size of the store file in a folder including its log; `None` if it does not exist.
    pub fn file_bytes(folder: &Path) -> Option<u64> {
        let log = std::fs::metadata(log_place::file_of(folder)).map_or(0, |log| log.len());
        Some(std::fs::metadata(open::file_of(folder)).ok()?.len() + log)
    }

    /// A store in memory for tests and benchmarks.
    pub fn in_memory() -> Result<Self> {
        Self::on_backend(redb::backends::InMemoryBackend::new())
    }

    /// A store on a caller's own storage backend, without a log.
    pub fn on_backend(backend: impl redb::StorageBackend) -> Result<Self> {
        Self::of(open::open_backend(backend)?, LogPlace::Nowhere, None, open::BACKEND.to_owned())
    }

    /// A store whose file and log are on a caller's own backends, such as a simulated disk that loses power. The file is committed when the log has
    /// `log_bytes`, and when the store is closed.
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
        let (rows, readers) = (snapshot::present(&handle), (Arc::clone(&observers), Arc::clone(&recent)));
        let writer = writer::FileWriter::start(Arc::clone(&handle), readers, commits)?;
        Ok(Self { handle, rows, writer, observers, recent, is_read_only: false })
    }

    fn require_writable(&self) -> Result<()> {
        match self.is_read_only {
            true => Err(StoreError::ReadOnly("the server only reads its store, so nothing can be changed".to_owned())),
            false => Ok(()),
        }
    }
}

#[async_trait::async_trait]
impl TableStore for EmbeddedStore {
    fn inner(&self) -> Option<&Store> {
        Some(&self.rows)
    }

    /// All reads use one read transaction.
    async fn get_many(&self, table: &'static str, keys: &[Key]) -> Vec<Result<Option<Entity>>> {
        self.rows.get_many(table, keys).await
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        self.require_writable()?;
        self.writer.commit(table, batch.clone()).await
    }

    async fn drop_table(&self, table: &'static str) -> Result<()> {
        self.require_writable()?;
        self.writer.drop_table(table).await
    }

    fn is_transactional(&self) -> bool {
        true
    }

    async fn transact(&self, plan: GroupPlan) -> Result<()> {
        self.require_writable()?;
        self.writer.transact(plan).await
    }

    async fn snapshot(&self) -> Result<Option<Snapshot>> {
        self.recent.get_or_take(|| snapshot::take(&self.handle)).map(Some)
    }

    /// All writes are observed, because only the writing thread of this process writes to the file.
    fn observe_writes(&self, observer: Weak<dyn WriteObserver>) -> bool {
        self.observers.add(observer);
        true
    }
}
