//! Subscribers that were away. The rule: with the position of the last event, nothing is missed, on whichever server, and the changes of one object come in order.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::store::embedded::EmbeddedStore;
use tidings::store::{Store, StoreError};

use super::client::{CHANGES, Events, Socket};
use super::content::{changed, create};
use super::server::{PATIENCE, Server};
use crate::graphql::change_feed::follower::{POST, mutate, text};
use crate::support::memory::MemoryStore;
use crate::support::site::{Site, instant};

fn position(data: &Value) -> Value {
    data["changes"]["endCursor"].clone()
}

fn slugs(data: &Value) -> Vec<String> {
    changed(data).into_iter().map(|(slug, _)| slug).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_missed_across_a_restart_of_the_server() {
    let server = Server::start().await;
    let mut events = Events::of(&server, None, CHANGES, json!({})).await;
    create(&server, "One", ", publish: true").await;
    let seen = events.data().await;
    let (site, stopped) = server.stop().await;
    assert_eq!(stopped.cut_off, 0);
    assert_eq!(events.block().await.as_deref(), Some(": the server is stopping"));
    assert_eq!(events.block().await, None, "without `complete`, so the client subscribes again");
    let away = Server::of(site).await;
    create(&away, "Two", ", publish: true").await;
    let (site, _) = away.stop().await;
    let server = Server::of(site).await;
    let mut events = Events::of(&server, None, CHANGES, json!({ "after": position(&seen) })).await;
    assert_eq!(slugs(&events.data().await), ["two"]);
    create(&server, "Three", ", publish: true").await;
    assert_eq!(slugs(&events.data().await), ["three"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_websocket_is_closed_with_a_reason_when_the_server_stops() {
    let server = Server::start().await;
    let mut socket = Socket::of_admin(&server).await;
    socket.subscribe("1", CHANGES, json!({})).await;
    let stopping = tokio::spawn(server.stop());
    assert_eq!(socket.next().await, Err(1001));
    assert_eq!(stopping.await.expect("no panic").1.cut_off, 0);
}

async fn assert_seen_by_both(store: Store, clock: Clock) {
    let one = Server::of(Site::shared(Arc::clone(&store), &clock).await).await;
    let two = Server::of(Site::shared(store, &clock).await).await;
    let mut events = Events::of(&two, None, CHANGES, json!({})).await;
    create(&one, "One", ", publish: true").await;
    let first = events.data().await;
    assert_eq!(slugs(&first), ["one"]);
    create(&two, "Two", ", publish: true").await;
    assert_eq!(slugs(&events.data().await), ["two"]);
    let mut resumed = Events::of(&one, None, CHANGES, json!({ "after": position(&first) })).await;
    assert_eq!(slugs(&resumed.data().await), ["two"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_another_server_come_too_and_a_position_is_valid_on_both() {
    assert_seen_by_both(MemoryStore::empty(), Clock::System).await;
}

/// Changes a post this many times, from this version on.
async fn change(server: &Server, id: &str, versions: std::ops::Range<i64>) {
    for version in versions {
        let input = format!(r#"id: {id:?}, expectedVersion: {version}, title: "T{version}""#);
        mutate(&server.site, &format!("updatePost(input: {{ {input} }}) {{ {POST} }}")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscriber_that_catches_up_while_others_write_gets_each_version_once_and_in_order() {
    let server = Server::start().await;
    let start = server.site.query("{ changes { endCursor } }").await["changes"]["endCursor"].clone();
    let (id, _) = create(&server, "A post", ", publish: true").await;
    change(&server, &id, 1..50).await;
    let mut events = Events::of(&server, None, CHANGES, json!({ "after": start })).await;
    let mut seen = Vec::new();
    let reading = async {
        while seen.last() != Some(&100) {
            let data = events.data().await;
            let changes = data["changes"]["changes"].as_array().expect("a list");
            seen.extend(changes.iter().filter_map(|change| change["version"].as_i64()));
        }
    };
    tokio::join!(change(&server, &id, 50..100), reading);
    assert_eq!(seen, (1..=100).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_position_that_is_not_one_or_has_expired_is_refused() {
    let server = Server::start().await;
    let start = text(&server.site.query("{ changes { endCursor } }").await["changes"]["endCursor"]);
    let refused =
        async |after: &str| Events::of(&server, None, CHANGES, json!({ "after": after })).await.refusal().await;
    assert_eq!(refused("made up").await, "BAD_CURSOR");
    server.site.clock.set(instant("2026-08-15T12:00:00Z"));
    assert_eq!(refused(&start).await, "POSITION_EXPIRED");
    let mut socket = Socket::of_admin(&server).await;
    socket.subscribe("1", CHANGES, json!({ "after": start })).await;
    let message = socket.next().await.expect("a message");
    assert_eq!((&message["type"], &message["id"]), (&json!("error"), &json!("1")));
    assert_eq!(message["payload"][0]["extensions"]["code"], "POSITION_EXPIRED");
    // Another one can have its id, because no `complete` follows.
    socket.subscribe("1", "{ viewer { role } }", json!({})).await;
    assert_eq!(socket.next().await.expect("a message")["payload"]["data"]["viewer"]["role"], "ADMIN");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_opened_again_has_the_positions_of_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Site::over(store_of(folder.path()).await).await).await;
    let mut events = Events::of(&server, None, CHANGES, json!({})).await;
    create(&server, "One", ", publish: true").await;
    let seen = events.data().await;
    create(&server, "Two", ", publish: true").await;
    drop(events);
    drop(server.stop().await);
    let server = Server::of(Site::over(store_of(folder.path()).await).await).await;
    let mut events = Events::of(&server, None, CHANGES, json!({ "after": position(&seen) })).await;
    assert_eq!(slugs(&events.data().await), ["two"]);
}

/// The store of a folder, as soon as it is closed: a task that a stopped server has cancelled keeps the file open until its read has ended.
async fn store_of(folder: &Path) -> Store {
    let opened = async {
        loop {
            match EmbeddedStore::open(folder) {
                Err(StoreError::Locked(_)) => tokio::time::sleep(Duration::from_millis(1)).await,
                opened => return Arc::new(opened.expect("a store")) as Store,
            }
        }
    };
    tokio::time::timeout(PATIENCE, opened).await.expect("no task keeps the file open")
}
