//! A server whose clock differs from the storage's, through a proxy that answers with another `Date`. The rule: reads go on, nothing is written, and
//! writes go on as soon as the clock is right again.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::store::azure::AzureStore;
use tidings::store::{Precondition, Store, StoreError};
use tidings::telemetry::metrics;

use crate::support::azurite::{Azurite, connection_string, emulator_key, random_prefix, settings};
use crate::support::command::Serving;
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::proxy::Proxy;
use crate::support::rows::{TABLE, batch, get_row, number, put};
use crate::support::site::Site;

/// Far more than the limit, because one answer gives the difference only to within a second and the time of a request.
const FAR_MS: i64 = 60_000;

async fn through_a_proxy() -> (Proxy, Store, Azurite) {
    let azurite = Azurite::any();
    let proxy = Proxy::before(&azurite).await;
    let store = AzureStore::connect(&settings(&proxy.endpoint, emulator_key(), &random_prefix())).expect("a client");
    (proxy, Arc::new(store), azurite)
}

async fn insert(store: &Store, row: &str) -> Result<(), StoreError> {
    store.commit(TABLE, &batch("p", vec![put(row, number(1), Precondition::Absent)])).await.map(drop)
}

#[tokio::test]
async fn a_clock_that_is_far_off_writes_nothing_until_it_is_right() {
    let (proxy, store, _azurite) = through_a_proxy().await;
    proxy.set_clock_ahead(0);
    store.create_tables(&[TABLE]).await.expect("its table");
    insert(&store, "before").await.expect("a write");
    for (ahead_ms, row) in [(FAR_MS, "slow"), (-FAR_MS, "fast")] {
        proxy.set_clock_ahead(ahead_ms);
        assert!(get_row(&store, "p", "before").await.is_some(), "reads go on");
        let refused = insert(&store, row).await;
        let Err(StoreError::WrongClock { ahead_ms: found }) = refused else { panic!("{refused:?}") };
        assert!((found + ahead_ms).abs() < 20_000, "{found} for {ahead_ms}");
        assert!(get_row(&store, "p", row).await.is_none());
        proxy.set_clock_ahead(0);
        insert(&store, row).await.expect("a write, without a read before it");
    }
}

#[tokio::test]
async fn a_clock_that_is_three_seconds_off_writes() {
    let (proxy, store, _azurite) = through_a_proxy().await;
    for (ahead_ms, row) in [(3_000, "slow"), (-3_000, "fast")] {
        proxy.set_clock_ahead(ahead_ms);
        store.create_tables(&[TABLE]).await.expect("its table");
        insert(&store, row).await.expect("a write");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mutation_says_by_how_much_the_clock_is_wrong_and_a_query_is_answered() {
    let (proxy, store, _azurite) = through_a_proxy().await;
    let site = Site::over(store).await;
    let create =
        "mutation { createPost(input: { title: \"A\", markdown: \"x\" }) { post { slug } userErrors { code } } }";
    for (ahead_ms, word) in [(FAR_MS, " behind the storage's"), (-FAR_MS, " ahead of the storage's")] {
        proxy.set_clock_ahead(ahead_ms);
        assert_eq!(site.query("{ drafts: posts { totalCount } }").await, json!({ "drafts": { "totalCount": 0 } }));
        let answer = site.mutate(create, json!({}), Some(EDITOR_TOKEN)).await.body;
        let error = &answer["errors"][0];
        assert_eq!(error["extensions"]["code"], json!("UNAVAILABLE"), "{answer}");
        let message = error["message"].as_str().expect("a text");
        assert!(message.starts_with("the server's clock is ") && message.contains(word), "{message}");
        assert!(message.contains("synchronise the clock"), "{message}");
    }
    proxy.set_clock_ahead(0);
    let made = site.mutate(create, json!({}), Some(EDITOR_TOKEN)).await.body;
    assert_eq!(made["data"]["createPost"], json!({ "post": { "slug": "a" }, "userErrors": [] }));
    site.assert_sound().await;
}

/// Runs in a process of its own, because a gauge belongs to the process.
#[tokio::test]
async fn the_skew_is_a_metric() {
    let (proxy, store, _azurite) = through_a_proxy().await;
    for (ahead_ms, expected) in [(0, 0.0), (3_000, -3.0), (-3_000, 3.0)] {
        proxy.set_clock_ahead(ahead_ms);
        store.create_tables(&[TABLE]).await.expect("its table");
        let text = metrics::text();
        let line = text.lines().find_map(|line| line.strip_prefix("tidings_storage_clock_skew_seconds "));
        let found: f64 = line.expect("the metric").parse().expect("a number");
        assert!((found - expected).abs() < 1.5, "{found} for {expected}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skew_is_logged_once_a_minute() {
    let azurite = Azurite::any();
    let proxy = Proxy::before(&azurite).await;
    proxy.set_clock_ahead(-FAR_MS);
    let (connection, prefix) = (connection_string(&proxy.endpoint), random_prefix());
    let lines = tokio::task::spawn_blocking(move || {
        let arguments = ["--store", "azure", "--create", "--table-prefix", &prefix];
        let serving = Serving::start_with(&arguments, &[("AZURE_STORAGE_CONNECTION_STRING", &connection)]);
        for _ in 0..10 {
            assert_eq!(serving.query("{ tags { totalCount } }"), json!({ "tags": { "totalCount": 0 } }));
        }
        serving.stop_with_errors().1
    });
    let lines = lines.await.expect("no panic");
    let skewed: Vec<Value> = lines
        .iter()
        .filter(|line| line.contains("store.clock_skewed"))
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let [line] = skewed.as_slice() else { panic!("{lines:#?}") };
    assert_eq!((&line["level"], &line["fields"]["refuses_writes"]), (&json!("WARN"), &json!(true)), "{line}");
    let skew = line["fields"]["skew_seconds"].as_f64().expect("a number");
    assert!((skew - 60.0).abs() < 20.0, "{line}");
}
