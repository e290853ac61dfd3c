//! Subscribers that wait for long, or take nothing. The rule: who waits costs no storage request, and who takes nothing is cut off and costs the others nothing.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use tidings::http::{ServerLimits, Stopped};
use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;

use super::client::{CHANGES, Events, Socket};
use super::content::create;
use super::server::{Counted, Server};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::Site;

/// Half over Server-Sent Events, half on WebSockets.
#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_idle_subscriptions_make_no_storage_request() {
    let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
    let (store, requests) = Counted::over(store);
    let server = Server::of(Site::over(store).await).await;
    let start = server.site.query("{ changes { endCursor } }").await["changes"]["endCursor"].clone();
    let mut events = Vec::new();
    let mut sockets = Vec::new();
    for _ in 0..100 {
        events.push(Events::of(&server, None, CHANGES, json!({})).await);
    }
    for _ in 0..4 {
        let mut socket = Socket::of_admin(&server).await;
        for id in 0..25 {
            socket.subscribe(&id.to_string(), CHANGES, json!({ "after": start })).await;
        }
        sockets.push(socket);
    }
    create(&server, "First", ", publish: true").await;
    for socket in &mut sockets {
        for _ in 0..25 {
            assert_eq!(socket.next().await.expect("a message")["type"], "next");
        }
    }
    for events in &mut events {
        events.data().await;
    }
    // The feed looks once more, and then waits.
    while requests.swap(0, Ordering::SeqCst) > 0 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(requests.load(Ordering::SeqCst), 0);
    create(&server, "Second", ", publish: true").await;
    for events in &mut events {
        events.data().await;
    }
    let (sent, subscribers) = (requests.load(Ordering::SeqCst), events.len() + 25 * sockets.len());
    assert!(sent < subscribers / 2, "{sent} storage requests for one change and {subscribers} subscribers");
}

/// The server stops only after `write_time`, because a client does not take its events, and long before `stop_time`.
#[tokio::test(flavor = "multi_thread")]
async fn a_subscriber_that_reads_nothing_is_cut_off_and_others_are_not() {
    const POSTS: usize = 16;
    let limits =
        ServerLimits { write_time: Duration::from_secs(1), stop_time: Duration::from_secs(600), ..Default::default() };
    let server = Server::with(Site::in_memory().await, limits).await;
    let query = "subscription { postPublished { post { slug body { html } } endCursor } }";
    let _unread = Events::of(&server, None, query, json!({})).await;
    let mut unread_socket = Socket::of_admin(&server).await;
    unread_socket.subscribe("1", query, json!({})).await;
    let mut read = Events::of(&server, None, query, json!({})).await;
    let text = "word ".repeat(200_000);
    for number in 0..POSTS {
        let input = json!({ "title": format!("P{number}"), "markdown": text, "publish": true });
        let create = "mutation($input: CreatePostInput!) { createPost(input: $input) { userErrors { code message } } }";
        let made = server.site.mutate(create, json!({ "input": input }), Some(EDITOR_TOKEN)).await.body;
        assert_eq!(made["data"]["createPost"]["userErrors"], json!([]), "{made}");
        assert_eq!(read.data().await["postPublished"]["post"]["slug"], format!("p{number}"));
    }
    drop(read);
    let (_, stopped) = server.stop().await;
    assert_eq!(stopped, Stopped { cut_off: 0 });
}
