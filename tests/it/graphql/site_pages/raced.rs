//! Changes of pages at the same time: of one version, of one path, and of different pages (I6, I7).

use std::sync::Arc;

use serde_json::json;

use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;
use tidings::testing::RepairOptions;

use super::{create, done, mutate, paths, refused, sites};
use crate::support::interrupted::{Interrupted, Interruption};
use crate::support::memory::MemoryStore;
use crate::support::site::Site;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_many_concurrent_changes_of_a_version_is_made() {
    for site in sites().await.map(Arc::new) {
        let page = create(&site, "a", None).await;
        let change = |n: usize| {
            let (site, id) = (Arc::clone(&site), page["id"].clone());
            tokio::spawn(async move {
                mutate(&site, "updatePage", json!({ "id": id, "expectedVersion": 1, "title": format!("T{n}") })).await
            })
        };
        let payloads = futures_util::future::try_join_all((0..8).map(change)).await.expect("answers");
        let codes: Vec<_> = payloads.iter().flat_map(refused).map(|(code, _)| code).collect();
        assert_eq!(codes, ["CONFLICT"; 7]);
        site.assert_sound().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_many_concurrent_pages_with_one_path_is_created_and_others_all() {
    for site in sites().await.map(Arc::new) {
        let new = |path: String| {
            let site = Arc::clone(&site);
            tokio::spawn(async move {
                mutate(&site, "createPage", json!({ "path": path, "title": "X", "markdown": "", "publish": true }))
                    .await
            })
        };
        let same = (0..4).map(|_| "same".to_owned());
        let others = (0..4).map(|n| format!("other-{n}"));
        let payloads = futures_util::future::try_join_all(same.chain(others).map(new)).await.expect("answers");
        let codes: Vec<_> = payloads.iter().flat_map(refused).map(|(code, _)| code).collect();
        assert_eq!(codes, ["TAKEN"; 3]);
        let read = site.query("{ pages { nodes { path } } }").await;
        assert_eq!(paths(&read["pages"]), ["other-0", "other-1", "other-2", "other-3", "same"]);
        site.assert_sound().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_that_is_created_while_its_parent_is_deleted_is_never_without_a_parent() {
    for site in sites().await.map(Arc::new) {
        for n in 0..5 {
            let path = format!("p{n}");
            let page = done(&site, "createPage", json!({ "path": path, "title": "P", "markdown": "" })).await;
            let delete = mutate(&site, "deletePage", json!({ "id": page["id"], "expectedVersion": 1 }));
            let child = json!({ "path": format!("{path}/c"), "title": "C", "markdown": "" });
            let (deleted, created) = tokio::join!(delete, mutate(&site, "createPage", child));
            let (deleted, created) = (refused(&deleted), refused(&created));
            assert!(deleted.is_empty() != created.is_empty(), "{deleted:?} {created:?}");
            site.assert_sound().await;
        }
    }
}

/// The versions that are kept of anything.
async fn versions(site: &Site) -> Vec<tidings::store::Entity> {
    site.store.scan("Revisions", None).await.expect("rows").rows
}

#[tokio::test]
async fn an_update_that_loses_to_the_deletion_of_its_page_leaves_no_text_of_it() {
    let stores: [fn() -> Store; 2] =
        [|| Arc::new(EmbeddedStore::in_memory().expect("a store in memory")), || MemoryStore::empty()];
    for new_store in stores {
        let mut lost = 0;
        for reads in 0.. {
            let inner = new_store();
            let deleting = Site::over(Arc::clone(&inner)).await;
            let page = create(&deleting, "secret", None).await;
            let input = json!({ "id": page["id"], "expectedVersion": 1 });
            let interruption = Arc::new(Interruption::new(reads, async move {
                mutate(&deleting, "deletePage", input).await;
            }));
            let interrupted =
                Arc::new(Interrupted { inner: Arc::clone(&inner), interruption: Arc::clone(&interruption) });
            let site = Site::over(interrupted).await;
            let input = json!({ "id": page["id"], "expectedVersion": 1, "title": "Other" });
            let outcome = refused(&mutate(&site, "updatePage", input).await);
            if !interruption.is_made().await {
                break;
            }
            let site = Site::over(inner).await;
            let is_gone = site.query("{ page(path: \"secret\") { id } }").await["page"].is_null();
            assert_eq!(versions(&site).await.is_empty(), is_gone, "deleted before read {reads}: {outcome:?}");
            lost += usize::from(!outcome.is_empty());
            site.assert_sound().await;
        }
        assert!(lost > 1, "the deletion never came first");
    }
}

#[tokio::test]
async fn a_kept_version_of_nothing_is_found_and_deleted() {
    for site in sites().await {
        let page = create(&site, "secret", None).await;
        done(&site, "updatePage", json!({ "id": page["id"], "expectedVersion": 1, "title": "Other" })).await;
        let kept = versions(&site).await.remove(0);
        site.assert_sound().await;
        mutate(&site, "deletePage", json!({ "id": page["id"], "expectedVersion": 2 })).await;
        assert!(versions(&site).await.is_empty());
        let put = tidings::store::Operation::Put {
            row: kept.key.row().to_owned(),
            properties: kept.properties,
            precondition: tidings::store::Precondition::None,
        };
        let batch = tidings::store::Batch::new(kept.key.partition(), vec![put]).expect("a batch");
        site.store.commit("Revisions", &batch).await.expect("a write");
        let found = site.content.check().await.expect("a check").differences;
        assert!(found.len() == 1 && found[0].what.contains("no post or page has this id"), "{found:?}");
        let repaired = site.content.repair(RepairOptions::default(), drop).await.expect("a repair");
        assert!((repaired.fixed, repaired.left.len()) == (1, 0), "{repaired:?}");
        assert!(versions(&site).await.is_empty());
        site.assert_sound().await;
    }
}
