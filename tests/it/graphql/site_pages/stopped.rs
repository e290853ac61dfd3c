//! Each change of a page, stopped at each storage request in turn (I5). The rule: after the start of another server the rows agree, and hold the whole change or nothing of it, as
//! the reply says; and the record of changes and the feed have every change that was made.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use tidings::store::Store;

use super::create;
use crate::support::faulty::{FaultyStore, Last, let_requests_arrive};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::Site;

async fn prepared(is_file: bool) -> Arc<MemoryStore> {
    let store = if is_file { MemoryStore::transactional() } else { MemoryStore::empty() };
    let site = Site::over(Arc::<MemoryStore>::clone(&store)).await;
    for path in ["docs", "docs/a", "docs/a/x", "docs/b"] {
        create(&site, path, None).await;
    }
    store
}

/// The pages, and for each its entries in the record.
async fn visible_content(site: &Site) -> String {
    site.assert_sound().await;
    site.invalidate_cached();
    let page = "{ path title version order status }";
    let query = format!(
        "{{ pages {{ nodes {page} }} docs: page(path: \"docs\") {{ children {{ nodes {page} }} }} a: page(path: \"docs/a\") {page} \
           x: page(path: \"docs/a/x\") {page} moved: page(path: \"moved/x\") {page} new: page(path: \"docs/new\") {page} \
           draftPages(parentPath: \"docs\") {{ nodes {page} }} auditLog {{ nodes {{ actions ... on ContentAuditLogEntry {{ path version }} }} }} }}"
    );
    let answer = site.ask_as(Some(EDITOR_TOKEN), &query).await;
    assert_eq!(answer.get("errors"), None);
    let mut data = answer["data"].clone();
    // All changes are of one instant.
    data["auditLog"]["nodes"].as_array_mut().expect("nodes").sort_by_key(ToString::to_string);
    data.to_string()
}

/// What the feed has after a position, each change once, without random ids; without a position, the one of now.
async fn changes_after(site: &Site, position: Option<&str>) -> (BTreeSet<String>, String) {
    let query = "query($after: String) { changes(first: 100, after: $after) { changes { nodeType path formerPath version actions } hasNextPage endCursor } }";
    let answer = site.mutate(query, json!({ "after": position }), Some(EDITOR_TOKEN)).await.body;
    assert_eq!((answer.get("errors"), &answer["data"]["changes"]["hasNextPage"]), (None, &json!(false)));
    let changes = answer["data"]["changes"]["changes"].as_array().expect("a list").iter().map(ToString::to_string);
    (changes.collect(), answer["data"]["changes"]["endCursor"].as_str().expect("a position").to_owned())
}

/// The mutation with the ids and versions of the pages that it names.
async fn named(site: &Site, mutation: &str) -> String {
    let mut mutation = mutation.to_owned();
    for path in ["docs/a", "docs/b"] {
        let found = site.query(&format!("{{ page(path: \"{path}\") {{ id version }} }}")).await;
        let named = format!("id: {}, expectedVersion: {}", found["page"]["id"], found["page"]["version"]);
        mutation = mutation.replace(&format!("@page({path})"), &named);
    }
    mutation
}

async fn run(site: &Site, mutation: &str) -> bool {
    let answer = site.mutate(&format!("mutation {{ {mutation} }}"), json!({}), Some(EDITOR_TOKEN)).await;
    let payload = answer.body["data"].as_object().and_then(|data| data.values().next()).cloned().unwrap_or_default();
    let is_done = answer.body.get("errors").is_none() && payload["userErrors"] == Value::Array(Vec::new());
    assert!(is_done || answer.body.get("errors").is_some(), "refused: {payload}");
    is_done
}

async fn assert_whole_or_nothing(mutation: &str) {
    for is_file in [true, false] {
        let prepared = prepared(is_file).await;
        let before = (visible_content(&Site::over(prepared.fork()).await).await, BTreeSet::new());
        let after = {
            let site = Site::over(prepared.fork()).await;
            let (_, position) = changes_after(&site, None).await;
            assert!(run(&site, &named(&site, mutation).await).await, "{mutation}");
            (visible_content(&site).await, changes_after(&site, Some(&position)).await.0)
        };
        assert!(before.0 != after.0 && after.1.len() == 1, "{mutation} changes {after:?}");
        for last in [Last::Unsent, Last::Done] {
            for requests in 0.. {
                let inner: Store = prepared.fork();
                let site = Site::over(Arc::clone(&inner)).await;
                let (mutation, (_, position)) = (named(&site, mutation).await, changes_after(&site, None).await);
                let stopping = FaultyStore::stopping_after_start(Arc::clone(&inner), requests, last);
                let site = Site::over(stopping.clone()).await;
                stopping.begin();
                let is_done = run(&site, &mutation).await;
                let_requests_arrive(&inner).await;
                let site = Site::over(inner).await;
                let found = (visible_content(&site).await, changes_after(&site, Some(&position)).await.0);
                assert!(
                    found == after || (found == before && !is_done),
                    "{mutation}, stopped at request {requests}, {last:?}, file: {is_file}: {found:?}"
                );
                if !stopping.has_stopped() {
                    assert!(requests > if is_file { 0 } else { 3 }, "{mutation} was never stopped");
                    break;
                }
            }
        }
    }
}

macro_rules! whole_or_nothing {
    ($($name:ident: $mutation:expr),+ $(,)?) => {
        $(#[tokio::test]
        async fn $name() {
            assert_whole_or_nothing($mutation).await;
        })+
    };
}

whole_or_nothing! {
    a_draft_is_made: r#"createPage(input: { path: "docs/new", title: "New", markdown: "x" }) { userErrors { code } }"#,
    a_page_is_made_and_published: r#"createPage(input: { path: "docs/new", title: "New", markdown: "x", publish: true, order: 1 }) { userErrors { code } }"#,
    a_page_is_retitled: r#"updatePage(input: { @page(docs/b), title: "Other" }) { userErrors { code } }"#,
    a_page_gets_another_position: r#"updatePage(input: { @page(docs/b), order: -1 }) { userErrors { code } }"#,
    a_page_moves_with_those_below_it: r#"updatePage(input: { @page(docs/a), path: "moved" }) { userErrors { code } }"#,
    a_page_is_withdrawn: r#"unpublishPage(input: { @page(docs/b) }) { userErrors { code } }"#,
    a_page_is_deleted: r#"deletePage(input: { @page(docs/b) }) { userErrors { code } }"#,
}

/// Whatever became of it.
#[tokio::test]
async fn a_creation_with_a_key_makes_one_page_if_it_is_sent_again_after_each_stop() {
    let mutation = r#"createPage(input: { path: "docs/new", title: "New", markdown: "x", idempotencyKey: "k" }) { userErrors { code } }"#;
    for is_file in [true, false] {
        let prepared = prepared(is_file).await;
        let after = {
            let site = Site::over(prepared.fork()).await;
            assert!(run(&site, mutation).await);
            visible_content(&site).await
        };
        for last in [Last::Unsent, Last::Done] {
            for requests in 0.. {
                let inner: Store = prepared.fork();
                let stopping = FaultyStore::stopping_after_start(Arc::clone(&inner), requests, last);
                let site = Site::over(stopping.clone()).await;
                stopping.begin();
                run(&site, mutation).await;
                let_requests_arrive(&inner).await;
                let site = Site::over(inner).await;
                assert!(run(&site, mutation).await, "stopped at request {requests}, {last:?}, file: {is_file}");
                assert_eq!(visible_content(&site).await, after, "stopped at {requests}, {last:?}, file: {is_file}");
                if !stopping.has_stopped() {
                    break;
                }
            }
        }
    }
}
