//! The answers of a reader depend on the clock and on the rows alone, and a query that is too expensive is refused.

use axum::http::StatusCode;
use serde_json::json;
use std::sync::Arc;

use crate::support::site::{Site, instant, post, slugs};

const TITLES: &str = "{ posts { nodes { title } } }";

#[tokio::test]
async fn a_scheduled_post_appears_at_its_instant() {
    let site = Site::in_memory().await;
    site.publish(&[post(1, instant("2026-06-15T12:00:01Z"))]).await;
    let before = site.query(TITLES).await;
    site.clock.set(instant("2026-06-15T12:00:01Z"));
    let after = site.query(TITLES).await;
    assert_eq!(
        (before, after),
        (json!({ "posts": { "nodes": [] } }), json!({ "posts": { "nodes": [{ "title": "Post 1" }] } }))
    );
}

#[tokio::test]
async fn a_second_server_on_the_same_rows_returns_the_same_answer() {
    let site = Site::in_memory().await;
    let mut whole = post(1, instant("2026-06-15T11:00:00Z"));
    whole.post.tags = slugs(&["gulls"]);
    site.publish(&[whole]).await;
    let query = "{ posts { nodes { id title tags { id name } } edges { cursor } totalCount } }";
    let other = Site::over(Arc::clone(&site.store)).await;
    assert_eq!(other.query(query).await, site.query(query).await);
}

/// A hundred tags with a hundred posts each, so that the query would need what it may need.
#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_could_cost_too_much_is_refused() {
    let site = Site::in_memory().await;
    let tags: Vec<String> = (0..100).map(|n| format!("tag-{n}")).collect();
    let posts = (0..400).map(|n| {
        let mut whole = post(n, instant("2026-01-01T00:00:00Z"));
        whole.post.tags = slugs(&tags.iter().map(String::as_str).collect::<Vec<_>>());
        whole
    });
    site.publish(&posts.collect::<Vec<_>>()).await;
    let posts = "posts(first: 100) { nodes { newer { older { title } } } }";
    let expensive =
        format!("{{ tags(first: 100) {{ nodes {{ {posts} b: {posts} c: {posts} d: {posts} e: {posts} }} }} }}");
    let answer = site.post_graphql(json!({ "query": expensive })).await;
    assert_eq!(answer.body.get("data"), None);
    assert_eq!((answer.status, site.codes(&expensive).await), (StatusCode::OK, vec!["QUERY_TOO_COMPLEX".to_owned()]));
}
