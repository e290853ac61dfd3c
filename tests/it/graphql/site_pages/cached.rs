//! Cached answers about pages (I10): after each change, an answer is what it would be without holding; on tables, on another server too after its next poll.

use std::sync::Arc;

use serde_json::json;
use tidings::clock::Clock;
use tidings::store::Store;

use super::{create, done, mutate};
use crate::graphql::cached::{By, HOLDING, request, send, server, server_of};
use crate::graphql::cached_servers::{poll_all, polling};
use crate::support::memory::MemoryStore;
use crate::support::site::{NOW, Site, instant};

/// With the path that a query names.
const QUERIES: [(&str, Option<&str>); 5] = [
    ("{ page(path: \"docs\") { title version children { nodes { path title } } } }", Some("docs")),
    ("{ page(path: \"docs/a\") { path title body { html } breadcrumbs { title } } }", Some("docs/a")),
    ("{ pages { nodes { path children { nodes { path order } } } } }", None),
    ("{ pages(parentPath: \"docs\", first: 1) { nodes { path } pageInfo { hasNextPage endCursor } } }", Some("docs")),
    ("{ pages(last: 1) { totalCount nodes { path } pageInfo { hasPreviousPage } } }", None),
];

/// Makes one change after another, and calls `compare` after each.
async fn change(site: &Site, compare: impl AsyncFn(&str)) {
    compare("begin").await;
    let docs = create(site, "docs", None).await;
    compare("create").await;
    let page = create(site, "docs/a", None).await;
    compare("create a child").await;
    create(site, "docs/b", Some(1)).await;
    compare("create a sibling").await;
    done(site, "updatePage", json!({ "id": page["id"], "expectedVersion": 1, "title": "T", "markdown": "x" })).await;
    compare("update").await;
    done(site, "updatePage", json!({ "id": docs["id"], "expectedVersion": 1, "path": "moved" })).await;
    compare("move").await;
    create(site, "docs", None).await;
    compare("reuse a path").await;
    done(site, "unpublishPage", json!({ "id": page["id"], "expectedVersion": 2 })).await;
    compare("unpublish").await;
    mutate(site, "deletePage", json!({ "id": page["id"], "expectedVersion": 3 })).await;
    compare("delete").await;
    site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cached_answer_about_pages_is_the_one_that_the_query_gets_without_holding() {
    let site = Site::in_memory().await;
    let (holding, plain) = (server(&site, HOLDING), server(&site, 0));
    change(&site, async |step: &str| {
        for (query, path) in QUERIES {
            let (expected, _) = send(&plain, request(By::Post, query)).await;
            let is_of_nothing = match path {
                Some(path) => site.query(&format!("{{ page(path: \"{path}\") {{ id }} }}")).await["page"].is_null(),
                None => false,
            };
            for is_second in [false, true] {
                let (found, was_cached) = send(&holding, request(By::Post, query)).await;
                assert_eq!(found.json(), expected.json(), "{step}: {query}");
                match is_of_nothing {
                    true => assert!(!was_cached, "{step}: {query}"),
                    false => assert!(was_cached || !is_second, "{step}: {query} was not cached"),
                }
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_server_on_tables_drops_its_answers_after_its_next_poll() {
    let store: Store = MemoryStore::empty();
    let clock = Clock::fixed(instant(NOW));
    let (first, _) = polling(&store, &clock).await;
    let (second, log) = polling(&store, &clock).await;
    poll_all(&log).await;
    let holding = server_of(second.content.clone(), HOLDING);
    let plain = server(&Site::over(Arc::clone(&store)).await, 0);
    let cached = std::sync::atomic::AtomicU32::new(0);
    change(&first, async |step: &str| {
        // Until then, the rows are in doubt, and nothing that depends on them is cached.
        poll_all(&log).await;
        for (query, _) in QUERIES {
            let (expected, _) = send(&plain, request(By::Post, query)).await;
            for _ in 0..2 {
                let (found, was_cached) = send(&holding, request(By::Post, query)).await;
                assert_eq!(found.json(), expected.json(), "{step}: {query}");
                cached.fetch_add(u32::from(was_cached), std::sync::atomic::Ordering::Relaxed);
            }
        }
    })
    .await;
    assert!(cached.into_inner() > 20, "answers were cached");
}
