//! The stores that the contract tests run on. Each comes with the folder or the emulator that must live as long as the store.

use std::sync::Arc;

use tidings::store::Store;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;

use super::azurite::{Azurite, random_prefix};
use super::memory::MemoryStore;
use super::rows::TABLE;

/// A store with one empty table, [`TABLE`].
pub struct Subject {
    pub store: Store,
    _azurite: Option<Azurite>,
    _folder: Option<tempfile::TempDir>,
}

pub async fn embedded() -> Subject {
    let folder = tempfile::tempdir().expect("a folder");
    let store: Store = Arc::new(EmbeddedStore::open(folder.path()).expect("a store"));
    store.create_tables(&[TABLE]).await.expect("its table");
    Subject { store, _azurite: None, _folder: Some(folder) }
}

pub async fn azurite() -> Subject {
    let azurite = Azurite::any();
    let store: Store = Arc::new(AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client"));
    store.create_tables(&[TABLE]).await.expect("its table");
    Subject { store, _azurite: Some(azurite), _folder: None }
}

/// The tests' own store, for tests that copy or stop their store.
pub async fn memory() -> Subject {
    Subject { store: MemoryStore::empty(), _azurite: None, _folder: None }
}

/// As [`memory`], with transactions over all tables.
pub async fn transactional_memory() -> Subject {
    Subject { store: MemoryStore::transactional(), _azurite: None, _folder: None }
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
        crate::support::stores::on_store!(memory: $($test),+);
        crate::support::stores::on_store!(azurite: $($test),+);
    };
}
pub(crate) use contract;

/// As [`contract!`], on every store that has transactions over all tables.
macro_rules! transactional_contract {
    ($($test:ident),+ $(,)?) => {
        crate::support::stores::on_store!(embedded: $($test),+);
        crate::support::stores::on_store!(transactional_memory: $($test),+);
    };
}
pub(crate) use transactional_contract;
