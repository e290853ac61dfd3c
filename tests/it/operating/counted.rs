//! Metrics of rare events. The rule: each test runs in a process of its own (nextest), because the counters belong to the process.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{Method, StatusCode};
use serde_json::json;
use tidings::keys::{Table, time};
use tidings::model::{IndexKind, TermKind};
use tidings::store::azure::AzureStore;
use tidings::store::observed::RequestKind;
use tidings::store::{ObservedStore, Precondition, Store};
use tidings::telemetry::metrics;

use crate::support::azurite::{Azurite, emulator_key, random_prefix, settings};
use crate::support::proxy::{Fault, Proxy};
use crate::support::rows::{TABLE, batch, get_row, key, number, put, put_row};
use crate::support::site::{Site, instant, post, slugs};

fn counted(series: &str) -> f64 {
    let text = metrics::text();
    let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {series}: {text}")).parse().expect("a number")
}

/// I2: the page is filled with the next post, and the skipped pointer is counted.
#[tokio::test(flavor = "multi_thread")]
async fn a_pointer_to_a_post_without_the_term_is_skipped_and_counted() {
    let site = Site::in_memory().await;
    let mut posts = [post(1, instant("2025-01-02T00:00:00Z")), post(2, instant("2025-01-01T00:00:00Z"))];
    posts[0].post.tags = slugs(&["a"]);
    posts[1].post.tags = slugs(&["b"]);
    site.publish(&posts).await;
    let table = Table::PostsBy(IndexKind::Term(TermKind::Tag)).name();
    let row = time::time_row(&posts[0].post.key());
    let pointer = site.store.get(table, &key("a", &row)).await.expect("a read").expect("a pointer");
    let wrong = put(&row, pointer.properties, Precondition::Absent);
    site.store.commit(table, &batch("b", vec![wrong])).await.expect("a commit");
    assert_eq!(counted("tidings_pointers_skipped_total"), 0.0);
    let found = site.query("{ tag(slug: \"b\") { posts(first: 1) { nodes { slug } } } }").await;
    assert_eq!(found, json!({ "tag": { "posts": { "nodes": [{ "slug": posts[1].post.slug.to_string() }] } } }));
    assert_eq!(counted("tidings_pointers_skipped_total"), 1.0);
}

/// With the headers that Cosmos DB sends; a refused request is charged, too.
#[tokio::test(flavor = "multi_thread")]
async fn request_units_of_cosmos_db_are_counted_with_those_of_retries() {
    let azurite = Azurite::any();
    let proxy = Proxy::before(&azurite).await;
    let prefix = random_prefix();
    let through = AzureStore::connect(&settings(&proxy.endpoint, emulator_key(), &prefix)).expect("a client");
    let store: Store =
        Arc::new(ObservedStore::new(Arc::new(through.with_deadline(Duration::from_secs(10))), RequestKind::Azure));
    store.create_tables(&[TABLE]).await.expect("its table");
    put_row(&store, "p", "r", number(1)).await;
    let series = r#"tidings_storage_request_units_total{operation="get"}"#;
    assert_eq!(counted(series), 0.0, "Azure Table Storage charges none");
    let Fault::Refuse(status, mut headers, body) = Fault::refuse(StatusCode::TOO_MANY_REQUESTS, "TooManyRequests")
    else {
        unreachable!("`refuse` makes a refusal")
    };
    headers.push(("x-ms-retry-after-ms", "3".to_owned()));
    proxy.charge("0.38");
    proxy.plan(Method::GET, [Fault::Refuse(status, headers, body)]);
    assert!(get_row(&store, "p", "r").await.is_some());
    assert!((counted(series) - 0.76).abs() < 1e-9, "{}", counted(series));
    assert_eq!(counted(r#"tidings_storage_retries_total{reason="throttled"}"#), 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn retried_requests_are_counted_by_reason() {
    let azurite = Azurite::any();
    let proxy = Proxy::before(&azurite).await;
    let prefix = random_prefix();
    let through = AzureStore::connect(&settings(&proxy.endpoint, emulator_key(), &prefix)).expect("a client");
    let store: Store = Arc::new(through.with_deadline(Duration::from_secs(10)));
    store.create_tables(&[TABLE]).await.expect("its table");
    put_row(&store, "p", "r", number(1)).await;
    let refused = Fault::refuse(StatusCode::INTERNAL_SERVER_ERROR, "InternalError");
    proxy.plan(Method::GET, [Fault::busy(0), Fault::busy(0), refused]);
    assert!(get_row(&store, "p", "r").await.is_some());
    assert_eq!(counted(r#"tidings_storage_retries_total{reason="throttled"}"#), 2.0);
    assert_eq!(counted(r#"tidings_storage_retries_total{reason="server_error"}"#), 1.0);
    assert_eq!(counted(r#"tidings_storage_retries_total{reason="no_answer"}"#), 0.0);
}
