//! Pages of the site in the feed. The rule: as for posts, the public learns of a page only what it could see, and versions come in their order.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::store::Store;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::site::{NOW, instant};
use crate::support::stepping::{Actor, Trace, trace_text};
use crate::support::stores;

use super::follower::{Follower, mutate, server, text, try_to_mutate};

const PAGE: &str = "page { id version } userErrors { code message }";

/// The path, the path before and the actions of each change.
fn shown(changes: &[Value]) -> Vec<Value> {
    changes.iter().map(|change| json!([change["slug"], change["formerSlug"], change["actions"]])).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_public_learns_of_a_page_only_while_it_is_published() {
    for subject in [stores::embedded().await, stores::azurite().await] {
        let site = server(&subject.store, &Clock::fixed(instant(NOW))).await;
        let (mut public, mut all) = (Follower::of_the_public(&site).await, Follower::of_everything(&site).await);
        let steps = [
            (r#"createPage(input: { path: "a", title: "A", markdown: "x" })"#, None, json!(["a", null, ["CREATED"]])),
            (r#"updatePage(input: { @page, title: "B" })"#, None, json!(["a", null, ["UPDATED"]])),
            (
                r#"publishPage(input: { @page })"#,
                Some(json!(["a", null, ["PUBLISHED"]])),
                json!(["a", null, ["PUBLISHED"]]),
            ),
            (
                r#"updatePage(input: { @page, path: "b" })"#,
                Some(json!(["b", "a", ["RENAMED"]])),
                json!(["b", "a", ["RENAMED"]]),
            ),
            (
                r#"unpublishPage(input: { @page })"#,
                Some(json!(["b", null, ["UNPUBLISHED"]])),
                json!(["b", null, ["UNPUBLISHED"]]),
            ),
            (r#"updatePage(input: { @page, path: "c" })"#, None, json!(["c", "b", ["RENAMED"]])),
        ];
        let mut id = Value::Null;
        for (version, (mutation, seen, all_seen)) in steps.into_iter().enumerate() {
            let mutation = mutation.replace("@page", &format!("id: {id}, expectedVersion: {version}"));
            id = mutate(&site, &format!("{mutation} {{ {PAGE} }}")).await["page"]["id"].clone();
            let seen: Vec<Value> = seen.into_iter().collect();
            assert_eq!((shown(&public.poll(&site).await), shown(&all.poll(&site).await)), (seen, vec![all_seen]));
        }
        mutate(
            &site,
            &format!("deletePage(input: {{ id: {id}, expectedVersion: 6 }}) {{ userErrors {{ code message }} }}"),
        )
        .await;
        assert_eq!(
            (public.poll(&site).await.len(), shown(&all.poll(&site).await)),
            (0, vec![json!(["c", null, ["DELETED"]])])
        );
        assert!(all.seen.iter().all(|change| change["nodeType"] == "Page" && change["nodeId"] == id), "{:?}", all.seen);
        site.assert_sound().await;
    }
}

/// Changes one page after the other, as an editor whose changes others overtake. Returns the versions that it has made.
async fn edit(store: Store, pages: Vec<String>, seed: u64) -> BTreeSet<(String, i64)> {
    let site = server(&store, &Clock::fixed(instant(NOW))).await;
    let mut random = Random::new(seed);
    let mut made = BTreeSet::new();
    for number in 0..6 {
        let id = random.pick(&pages).clone();
        let query = format!("{{ node(id: {id:?}) {{ ... on Page {{ version }} }} }}");
        let version = &site.ask_as(Some(EDITOR_TOKEN), &query).await["data"]["node"]["version"];
        let input = format!(r#"{{ id: {id:?}, expectedVersion: {version}, title: "T{seed}-{number}" }}"#);
        let payload = try_to_mutate(&site, &format!("updatePage(input: {input}) {{ {PAGE} }}")).await;
        made.extend(payload["page"]["version"].as_i64().map(|version| (id, version)));
    }
    made
}

/// Three servers, in random interleavings of their requests.
#[tokio::test(start_paused = true)]
async fn overlapping_changes_of_pages_come_in_the_order_of_their_versions() {
    for seed in seeds(6) {
        let _report = report_seed_on_failure(seed);
        let mut random = Random::new(seed);
        let store: Store = MemoryStore::empty();
        let site = server(&store, &Clock::fixed(instant(NOW))).await;
        let mut all = Follower::of_everything(&site).await;
        let mut pages = Vec::new();
        for path in ["a", "b"] {
            let create = format!(r#"createPage(input: {{ path: "{path}", title: "T", markdown: "x" }}) {{ {PAGE} }}"#);
            pages.push(text(&mutate(&site, &create).await["page"]["id"]));
        }
        let trace = Trace::default();
        let mut editors = Vec::new();
        for (name, number) in [("first", 1), ("second", 2), ("third", 3)] {
            let pages = pages.clone();
            let seed = seed * 10 + number;
            editors.push(Actor::new(name, Arc::clone(&store), &trace, |store| edit(store, pages, seed)).await);
        }
        while editors.iter().any(|editor| !editor.is_done()) {
            let next = random.below(editors.len());
            editors[next].steps(random.below(8)).await;
        }
        let mut made: BTreeSet<_> = pages.iter().map(|id| (id.clone(), 1)).collect();
        for editor in editors {
            made.extend(editor.finish().await);
        }
        // The order of the versions is asserted for each change.
        all.poll_by(&site, 3).await;
        assert_eq!(all.versions(), made, "{}", trace_text(&trace));
        assert_eq!(all.seen.len(), made.len(), "each comes once");
        site.assert_sound().await;
    }
}
