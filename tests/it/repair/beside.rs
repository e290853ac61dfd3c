//! A repair while servers work. The rule: no acknowledged change is lost, and no change is found in part.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tidings::store::Store;

use super::damage::{posts, repair, shared_site, view};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::Site;

/// A server, and what another one is to be opened over.
async fn shared() -> (Site, Store) {
    let store: Store = MemoryStore::empty();
    let site = shared_site(Arc::clone(&store)).await.indexing_fields().await;
    site.publish(&posts()).await;
    (site, store)
}

/// Each as it is written in a document; `{n}` is the iteration.
const CHANGES: [&str; 6] = [
    r#"createPost(input: { title: "New {n}", slug: "new-{n}", markdown: "x", publishAt: "2026-03-0{m}T00:00:00Z", tagSlugs: ["a", "t{m}"], createMissingTags: true, authorSlugs: ["ada"], categorySlugs: ["news"] })"#,
    r#"updatePost(input: { id: "{id}", expectedVersion: 1, tagSlugs: ["b", "u{m}"], createMissingTags: true })"#,
    r#"updatePost(input: { id: "{id}", expectedVersion: 2, slug: "renamed-{n}" })"#,
    r#"publishPost(input: { id: "{id}", expectedVersion: 3, publishAt: "2025-0{m}-01T00:00:00Z" })"#,
    r#"unpublishPost(input: { id: "{id}", expectedVersion: 4 })"#,
    r#"publishPost(input: { id: "{id}", expectedVersion: 5, publishAt: "2026-04-0{m}T00:00:00Z" })"#,
];

/// `repairs`: how many have ended. One for every four posts is waited for, so that all of them are beside changes, however fast they are.
async fn change_all(site: &Site, repairs: &AtomicUsize) {
    for n in 1..=24 {
        while repairs.load(Ordering::SeqCst) < n / 4 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let mut id = String::new();
        for change in CHANGES {
            let change =
                change.replace("{n}", &n.to_string()).replace("{m}", &(1 + n % 9).to_string()).replace("{id}", &id);
            let mutation = format!("mutation {{ done: {change} {{ post {{ id }} userErrors {{ code message }} }} }}");
            let answer = site.mutate(&mutation, json!({}), Some(EDITOR_TOKEN)).await.body;
            let done = &answer["data"]["done"];
            assert_eq!(done["userErrors"], Value::Array(Vec::new()), "{mutation}: {answer}");
            id = done["post"]["id"].as_str().expect("an id").to_owned();
        }
        if n % 3 == 0 {
            let mutation = format!(
                r#"mutation {{ done: deletePost(input: {{ id: "{id}", expectedVersion: 6 }}) {{ userErrors {{ code }} }} }}"#
            );
            let answer = site.mutate(&mutation, json!({}), Some(EDITOR_TOKEN)).await.body;
            assert_eq!(answer["data"]["done"]["userErrors"], Value::Array(Vec::new()), "{answer}");
        }
    }
}

/// The number of slugs in a view. Ids are random, so the views themselves differ.
fn without_ids(view: &str) -> usize {
    view.matches("\"slug\":\"").count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_server_at_work_loses_nothing_to_a_repair_beside_it() {
    let expected = {
        let (site, _) = shared().await;
        change_all(&site, &AtomicUsize::new(usize::MAX)).await;
        without_ids(&view(&site).await)
    };
    let (site, store) = shared().await;
    let other = shared_site(store).await.indexing_fields().await;
    let is_done = Arc::new(AtomicBool::new(false));
    let repairs = Arc::new(AtomicUsize::new(0));
    let (until, ended) = (Arc::clone(&is_done), Arc::clone(&repairs));
    // On a worker of its own: a repair that finds nothing to write never waits.
    let repairing = tokio::spawn(async move {
        while !until.load(Ordering::SeqCst) {
            repair(&other).await;
            ended.fetch_add(1, Ordering::SeqCst);
        }
    });
    let changing = async {
        change_all(&site, &repairs).await;
        is_done.store(true, Ordering::SeqCst);
        Ok(())
    };
    // If the repairs have panicked, nothing is waited for.
    tokio::try_join!(changing, repairing).expect("no repair fails");
    let (repaired, _) = repair(&site).await;
    assert_eq!(repaired.left, []);
    assert_eq!(without_ids(&view(&site).await), expected);
}
