//! The stores that the contract tests run on, each with the folder or the emulator that must live as long as the store; and tables as a server uses them,
//! with a log above. The rule: a test that meets single storage requests wraps what is below the log.

use std::sync::Arc;
use std::time::Duration;

use tidings::clock::Clock;
use tidings::content::Content;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;
use tidings::store::{
    Batch, Etag, GroupPlan, Key, LogSettings, LogStore, Properties, RecordingStore, Result, RowRole, SocketServer,
    SocketStore, Store, StoreError, TableStore,
};

use super::azurite::{Azurite, random_prefix};
use super::memory::MemoryStore;
use super::pass_on::pass_on;
use super::rows::TABLE;

/// The store as one server uses it: with a log of its own above, if the store's transactions cover one partition.
pub fn served(store: Store, clock: &Clock) -> Store {
    match store.is_transactional() {
        true => store,
        false => Arc::new(LogStore::new(store, Content::LOG, clock.clone())),
    }
}

/// The same for tables, whose polls are trusted for this long.
pub fn logged(store: &Store, trusted_for: Duration, clock: &Clock) -> Arc<LogStore> {
    let settings = LogSettings { trusted_for, ..Content::LOG };
    Arc::new(LogStore::new(Arc::clone(store), settings, clock.clone()))
}

/// The store as one server uses it that only reads: opening its content does not carry out what another server has left.
pub fn only_read(store: Store, clock: &Clock) -> Store {
    Arc::new(OnlyRead(served(store, clock)))
}

struct OnlyRead(Store);

#[async_trait::async_trait]
impl TableStore for OnlyRead {
    pass_on!(0: get, range, scan, ping);

    async fn create_tables(&self, _: &[&'static str]) -> Result<()> {
        Ok(())
    }

    async fn commit(&self, table: &'static str, _: &Batch) -> Result<Vec<Option<Etag>>> {
        Err(StoreError::Internal(format!("a reader of the tests writes to {table}")))
    }

    fn is_transactional(&self) -> bool {
        true
    }

    async fn transact(&self, _: GroupPlan) -> Result<()> {
        Err(StoreError::Internal("a reader of the tests writes".to_owned()))
    }
}

/// A store with one empty table, [`TABLE`].
pub struct Subject {
    pub store: Store,
    _azurite: Option<Azurite>,
    _server: Option<SocketServer>,
    _folder: Option<tempfile::TempDir>,
}

impl Subject {
    fn alone(store: Store) -> Self {
        Self { store, _azurite: None, _server: None, _folder: None }
    }
}

pub async fn embedded() -> Subject {
    let folder = tempfile::tempdir().expect("a folder");
    let store: Store = Arc::new(EmbeddedStore::open(folder.path()).expect("a store"));
    store.create_tables(&[TABLE]).await.expect("its table");
    Subject { _folder: Some(folder), ..Subject::alone(store) }
}

/// A store file whose changes are recorded, as from its first backup on.
pub async fn recording() -> Subject {
    let subject = embedded().await;
    let (tables, role) = (&TABLES_WITH_LOG, |_: &str, _: &Key, _: Option<&Properties>| RowRole::Object);
    let settings = LogSettings { table: "Log", tables, role, ..Content::LOG };
    let store: Store = Arc::new(RecordingStore::new(Arc::clone(&subject.store), settings, Clock::System));
    tidings::store::log::begin(&store, settings, true, &Clock::System).await.expect("it begins");
    Subject { store, ..subject }
}

/// A store file that another process has open, over its socket.
pub async fn socket() -> Subject {
    let folder = tempfile::tempdir().expect("a folder");
    let store: Store = Arc::new(EmbeddedStore::open(folder.path()).expect("a store"));
    let server = SocketServer::listen(folder.path(), store, &TABLES_WITH_LOG).expect("it listens");
    let store = SocketStore::connect(folder.path()).expect("a connection").expect("a server");
    Subject { _server: Some(server), _folder: Some(folder), ..Subject::alone(Arc::new(store)) }
}

pub async fn azurite() -> Subject {
    let azurite = Azurite::any();
    let store: Store = Arc::new(AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client"));
    store.create_tables(&[TABLE]).await.expect("its table");
    Subject { _azurite: Some(azurite), ..Subject::alone(store) }
}

/// The tests' own store, for tests that copy or stop their store.
pub async fn memory() -> Subject {
    Subject::alone(MemoryStore::empty())
}

/// As [`memory`], with transactions over all tables.
pub async fn transactional_memory() -> Subject {
    Subject::alone(MemoryStore::transactional())
}

/// Tables with a log above, which no other server writes.
pub async fn memory_with_log() -> Subject {
    Subject::alone(with_log_of_rows(MemoryStore::empty()))
}

/// As [`memory_with_log`], on Azurite.
pub async fn azurite_with_log() -> Subject {
    let azurite = Azurite::any();
    let tables = AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
    let store = with_log_of_rows(Arc::new(tables));
    store.create_tables(&TABLES_WITH_LOG).await.expect("its tables");
    Subject { _azurite: Some(azurite), ..Subject::alone(store) }
}

/// The tables of the contract, and that of the log.
const TABLES_WITH_LOG: [&str; 5] = [TABLE, "Others", "None", "RowsAside", "Log"];

fn with_log_of_rows(store: Store) -> Store {
    let (tables, role) = (&TABLES_WITH_LOG, |_: &str, _: &Key, _: Option<&Properties>| RowRole::Object);
    let settings = LogSettings { table: "Log", tables, role, ..Content::LOG };
    Arc::new(LogStore::new(store, settings, Clock::System))
}

/// Runs each test on one store, in a module of the store's name.
macro_rules! on_store {
    ($store:ident: $($test:ident),+) => {
        mod $store {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                let subject = crate::support::stores::$store().await;
                super::$test(&subject.store).await;
            })+
        }
    };
}
pub(crate) use on_store;

/// Runs each test of the contract on every store, under a name that contains the store's: `store::batch::azurite::…`.
macro_rules! contract {
    ($($test:ident),+ $(,)?) => {
        crate::support::stores::on_store!(embedded: $($test),+);
        crate::support::stores::on_store!(recording: $($test),+);
        crate::support::stores::on_store!(socket: $($test),+);
        crate::support::stores::on_store!(memory: $($test),+);
        crate::support::stores::on_store!(memory_with_log: $($test),+);
        crate::support::stores::on_store!(azurite: $($test),+);
    };
}
pub(crate) use contract;

/// As [`contract!`], on every store that has transactions over all tables.
macro_rules! transactional_contract {
    ($($test:ident),+ $(,)?) => {
        crate::support::stores::on_store!(embedded: $($test),+);
        crate::support::stores::on_store!(recording: $($test),+);
        crate::support::stores::on_store!(socket: $($test),+);
        crate::support::stores::on_store!(transactional_memory: $($test),+);
        crate::support::stores::on_store!(memory_with_log: $($test),+);
        crate::support::stores::on_store!(azurite_with_log: $($test),+);
    };
}
pub(crate) use transactional_contract;

/// As [`contract!`], on every store that has snapshots.
macro_rules! snapshot_contract {
    ($($test:ident),+ $(,)?) => {
        crate::support::stores::on_store!(embedded: $($test),+);
        crate::support::stores::on_store!(socket: $($test),+);
        crate::support::stores::on_store!(transactional_memory: $($test),+);
    };
}
pub(crate) use snapshot_contract;
