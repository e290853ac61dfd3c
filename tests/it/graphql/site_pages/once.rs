//! Creations of pages with an idempotency key.

use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tidings::model::Role;

use super::{create, done, error, mutate, refused, sites};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{Site, instant};

fn keyed() -> Value {
    json!({ "path": "a", "title": "A", "markdown": "x", "idempotencyKey": "k" })
}

fn with(name: &str, value: Value) -> Value {
    let mut input = keyed();
    input[name] = value;
    input
}

async fn pages(site: &Site) -> usize {
    let query = "{ pages { nodes { path } } draftPages { nodes { path } } }";
    let data = site.ask_as(Some(EDITOR_TOKEN), query).await["data"].take();
    ["pages", "draftPages"].iter().map(|list| data[list]["nodes"].as_array().expect("nodes").len()).sum()
}

#[tokio::test]
async fn the_same_input_again_returns_the_current_page() {
    for site in sites().await {
        let first = done(&site, "createPage", keyed()).await;
        assert_eq!(done(&site, "createPage", keyed()).await, first);
        let id = first["id"].clone();
        let change = json!({ "id": id, "expectedVersion": 1, "title": "B", "path": "b" });
        let changed = done(&site, "updatePage", change).await;
        assert_eq!(done(&site, "createPage", keyed()).await, changed, "the page has another path");
        assert_eq!(pages(&site).await, 1);
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn another_use_of_the_key_of_a_page_is_refused() {
    for site in sites().await {
        create(&site, "docs", None).await;
        let first = done(&site, "createPage", keyed()).await;
        let others = [
            ("path", json!("c")),
            ("title", json!("B")),
            ("markdown", json!("")),
            ("order", json!(1)),
            ("publish", json!(true)),
            ("language", json!("en")),
            ("metadata", json!({ "a": 1 })),
        ];
        for (name, value) in others {
            let payload = mutate(&site, "createPage", with(name, value)).await;
            assert_eq!(refused(&payload), error("KEY_REUSED", "idempotencyKey"), "{name}");
        }
        for key in ["", "a\nb", &"k".repeat(256)] {
            let payload = mutate(&site, "createPage", with("idempotencyKey", json!(key))).await;
            assert_eq!(refused(&payload), error("INVALID", "idempotencyKey"));
        }
        let deleted = mutate(&site, "deletePage", json!({ "id": first["id"], "expectedVersion": 1 })).await;
        assert_eq!(refused(&deleted), []);
        assert_eq!(refused(&mutate(&site, "createPage", keyed()).await), error("KEY_REUSED", "idempotencyKey"));
        assert_eq!(pages(&site).await, 1);
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn a_key_of_a_page_is_one_callers_and_used_up_only_by_a_page_that_was_created_and_for_a_day() {
    for site in sites().await {
        let refusal = mutate(&site, "createPage", with("path", json!("docs/a"))).await;
        assert_eq!(refused(&refusal), error("NOT_FOUND", "path"));
        done(&site, "createPage", keyed()).await;
        let mutation = "mutation { createPage(input: { path: \"b\", title: \"A\", markdown: \"x\", idempotencyKey: \"k\" }) { page { path } } }";
        let other = site.token(Role::Editor, None).await;
        assert_eq!(site.ask_as(Some(&other), mutation).await["data"]["createPage"]["page"]["path"], "b");
        let post = "mutation { createPost(input: { title: \"A\", markdown: \"x\", idempotencyKey: \"k\" }) { post { slug } } }";
        assert_eq!(site.ask_as(Some(EDITOR_TOKEN), post).await["data"]["createPost"]["post"]["slug"], "a");
        site.clock.set(instant("2026-06-16T12:00:01Z"));
        assert_eq!(done(&site, "createPage", with("path", json!("c"))).await["path"], "c", "a day later");
        site.assert_sound().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_creations_with_one_key_on_two_servers_one_page_is_made() {
    for site in sites().await {
        let other = Site::over(Arc::clone(&site.store)).await;
        let creations = (0..6).map(|n| {
            let site = if n % 2 == 0 { &site } else { &other };
            done(site, "createPage", keyed())
        });
        let made = join_all(creations).await;
        assert!(made.iter().all(|page| page["id"] == made[0]["id"]), "{made:?}");
        assert_eq!(pages(&site).await, 1);
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn the_payloads_of_pages_share_an_interface() {
    let [site, _] = sites().await;
    let query = "mutation { createPage(input: { path: \"a\", title: \"A\", markdown: \"x\" }) { ...Outcome } } \
                 fragment Outcome on PagePayload { page { path } userErrors { code } }";
    let answer = site.ask_as(Some(EDITOR_TOKEN), query).await;
    assert_eq!(answer["data"]["createPage"], json!({ "page": { "path": "a" }, "userErrors": [] }));
}
