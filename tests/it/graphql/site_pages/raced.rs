//! Changes of pages at the same time: of one version, of one path, and of different pages (I6, I7).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::BoxFuture;
use serde_json::json;

use tidings::keys::Table;
use tidings::store::embedded::EmbeddedStore;
use tidings::store::{Batch, Entity, Etag, Operation, Precondition, Result, Store, TableStore};
use tidings::testing::RepairOptions;

use super::{create, done, mutate, paths, refused, sites};
use crate::support::interrupted::{Interrupted, Interruption};
use crate::support::memory::MemoryStore;
use crate::support::pass_on::pass_on;
use crate::support::random::Random;
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
async fn versions(site: &Site) -> Vec<Entity> {
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

/// Tables on which a change is made before the second transaction of pages.
struct BetweenTransactions {
    inner: Store,
    transactions: AtomicUsize,
    change: tokio::sync::Mutex<Option<BoxFuture<'static, ()>>>,
}

#[async_trait::async_trait]
impl TableStore for BetweenTransactions {
    pass_on!(inner: create_tables, get, range, scan, ping);

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        if table == Table::Pages.name()
            && self.transactions.fetch_add(1, Ordering::SeqCst) == 1
            && let Some(change) = self.change.lock().await.take()
        {
            change.await;
        }
        self.inner.commit(table, batch).await
    }
}

#[tokio::test]
async fn a_page_that_is_changed_while_it_moves_with_many_others_has_its_new_path() {
    let tables: Store = MemoryStore::empty();
    let other = Site::over(Arc::clone(&tables)).await;
    let docs = create(&other, "docs", None).await;
    let (mut child, mut random) = (docs.clone(), Random::new(1));
    for number in 0..40 {
        // Together more than one transaction can hold, also compressed.
        let text: String = (0..30_000).map(|_| format!("{:04x} ", random.below(1 << 20))).collect();
        let input = json!({ "path": format!("docs/{number}"), "title": "T", "markdown": text, "publish": true });
        child = done(&other, "createPage", input).await;
    }
    let change = async move {
        done(&other, "updatePage", json!({ "id": child["id"], "expectedVersion": 1, "title": "Other" })).await;
    };
    let between = Arc::new(BetweenTransactions {
        inner: Arc::clone(&tables),
        transactions: AtomicUsize::new(0),
        change: tokio::sync::Mutex::new(Some(Box::pin(change))),
    });
    let site = Site::over(Arc::<BetweenTransactions>::clone(&between)).await;
    done(&site, "updatePage", json!({ "id": docs["id"], "expectedVersion": 1, "path": "manual" })).await;
    assert!(between.change.lock().await.is_none(), "the move takes several transactions");
    let site = Site::over(tables).await;
    let read = site.query("{ page(path: \"docs/39\") { path title } }").await;
    assert_eq!(read["page"], json!({ "path": "manual/39", "title": "Other" }));
    site.assert_sound().await;
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
        let put = Operation::Put {
            row: kept.key.row().to_owned(),
            properties: kept.properties,
            precondition: Precondition::None,
        };
        let batch = Batch::new(kept.key.partition(), vec![put]).expect("a batch");
        site.store.commit("Revisions", &batch).await.expect("a write");
        let found = site.content.check().await.expect("a check").differences;
        assert!(found.len() == 1 && found[0].what.contains("no post or page has this id"), "{found:?}");
        let repaired = site.content.repair(RepairOptions::default(), drop).await.expect("a repair");
        assert!((repaired.fixed, repaired.left.len()) == (1, 0), "{repaired:?}");
        assert!(versions(&site).await.is_empty());
        site.assert_sound().await;
    }
}
