//! A change that is in the log while the record of changes cannot be written for long: the answer says that its outcome is not known, and the change is
//! whole and recorded as soon as it can be.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tidings::store::{Batch, Etag, Result, Store, StoreError, TableStore};

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::pass_on::pass_on;
use crate::support::site::Site;

/// As long as a store repeats a request that the storage refuses.
const REFUSED_FOR: Duration = Duration::from_secs(25);

/// A store that refuses the record of changes, each time after the repetitions.
struct Refusing {
    inner: Store,
    refuses: AtomicBool,
}

#[async_trait::async_trait]
impl TableStore for Refusing {
    pass_on!(inner: create_tables, get, range, scan, ping);

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        if table == "Changes" && self.refuses.load(Ordering::SeqCst) {
            tokio::time::sleep(REFUSED_FOR).await;
            return Err(StoreError::Unavailable { what: "the storage is busy".to_owned(), source: None });
        }
        self.inner.commit(table, batch).await
    }
}

async fn mutate(site: &Site, mutation: &str) -> Value {
    site.mutate(&format!("mutation {{ {mutation} }}"), json!({}), Some(EDITOR_TOKEN)).await.body
}

#[tokio::test(start_paused = true)]
async fn a_change_that_cannot_be_recorded_is_not_reported_as_refused_and_is_recorded_later() {
    for (create, change, nodes) in [
        (
            r#"createTag(input: { name: "Sea" }) { tag { id version } userErrors { code } }"#,
            r#"updateTag(input: { id: @id, expectedVersion: 1, slug: "ocean" }) { userErrors { code } }"#,
            "{ tags { nodes { slug } } }",
        ),
        (
            r#"createPost(input: { title: "Sea", markdown: "", publishAt: "2026-01-01T00:00:00Z" }) { post { id version } userErrors { code } }"#,
            r#"updatePost(input: { id: @id, expectedVersion: 1, slug: "ocean" }) { userErrors { code } }"#,
            "{ posts { nodes { slug } } }",
        ),
        (
            r#"createPage(input: { path: "sea", title: "Sea", markdown: "", publish: true }) { page { id version } userErrors { code } }"#,
            r#"updatePage(input: { id: @id, expectedVersion: 1, path: "ocean" }) { userErrors { code } }"#,
            "{ pages { nodes { slug } } }",
        ),
    ] {
        let store = Arc::new(Refusing { inner: MemoryStore::empty(), refuses: AtomicBool::new(false) });
        let site = Site::over(store.clone()).await;
        let created = mutate(&site, create).await["data"].take();
        let payload = created.as_object().and_then(|data| data.values().next()).expect("a payload");
        let id = payload.as_object().expect("a payload").values().find_map(|node| node.get("id")).cloned();
        let change = change.replace("@id", &id.expect("an id").to_string());
        store.refuses.store(true, Ordering::SeqCst);
        site.clock.set(crate::support::site::instant("2026-06-15T12:00:01Z"));
        let answer = mutate(&site, &change).await;
        assert_eq!(answer["errors"][0]["extensions"]["code"], "OUTCOME_UNKNOWN", "{change}: {answer}");
        store.refuses.store(false, Ordering::SeqCst);
        let clock = site.clock.clone();
        let site = Site::shared(store, &clock).await;
        let listed = site.query(nodes).await;
        let slug = &listed.as_object().expect("data").values().next().expect("a list")["nodes"][0]["slug"];
        assert_eq!(slug, "ocean", "{change}");
        let log = site
            .ask_as(
                Some(EDITOR_TOKEN),
                "{ auditLog(first: 1) { nodes { actions ... on ContentAuditLogEntry { slug } } } }",
            )
            .await;
        assert_eq!(log["data"]["auditLog"]["nodes"][0], json!({ "slug": "ocean", "actions": ["RENAMED"] }), "{change}");
        site.assert_sound().await;
    }
}
