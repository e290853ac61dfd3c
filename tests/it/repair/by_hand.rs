//! Each damage of the table, in a file and on tables: reported, fixed, and gone, with every row as it was; and some of them in Azurite.

use std::sync::Arc;

use tidings::store::Store;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;

use super::damage::{act, content_rows, differences, fill, repair, shared_site, view};
use super::table::damages;
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::memory::MemoryStore;
use crate::support::site::Site;

/// One damage of so many.
async fn assert_each_is_fixed(site: &Site, of: usize) {
    fill(site).await;
    let (seen, rows) = (view(site).await, content_rows(&site.store).await);
    for (name, acts) in damages().into_iter().step_by(of) {
        for done in &acts {
            act(&site.store, done).await;
        }
        assert_ne!(differences(site).await, [""; 0], "{name}: not reported");
        let (repaired, lines) = repair(site).await;
        assert_eq!(repaired.left, [], "{name}: {lines:#?}");
        assert!(repaired.fixed > 0 && repaired.fixed == lines.len(), "{name}: {lines:#?}");
        assert_eq!(content_rows(&site.store).await, rows, "{name}: {lines:#?}");
        assert_eq!(view(site).await, seen, "{name}: {lines:#?}");
        let (again, lines) = repair(site).await;
        assert_eq!((again.fixed, lines), (0, Vec::new()), "{name}: fixed twice");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_damage_is_fixed_in_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = EmbeddedStore::open(folder.path()).expect("a store");
    assert_each_is_fixed(&Site::over(Arc::new(store)).await, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_damage_is_fixed_on_tables() {
    assert_each_is_fixed(&shared_site(MemoryStore::empty()).await, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damages_are_fixed_in_azurite() {
    let azurite = Azurite::any();
    let store: Store = Arc::new(AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client"));
    assert_each_is_fixed(&shared_site(store).await, 6).await;
}
