//! Purges that a receiver gets by HTTP. The rule: whatever fails, every tag of a change arrives, or a purge of everything.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::content::changed::{ChangeSink, Changed};
use tidings::http::{ServerLimits, run};
use tidings::purge::{CdnKind, PurgeSettings, Purges};
use tidings::store::Tag;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::graphql::cached::{By, request, send, server_with};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{NOW, Site, instant, post};

use super::settings;

/// A purge as it was received.
#[derive(Debug, Clone)]
struct Received {
    method: String,
    headers: axum::http::HeaderMap,
    body: String,
}

impl Received {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("ASCII"))
    }
}

/// A receiver of purges on a free port.
struct Receiver {
    url: String,
    received: Arc<Mutex<Vec<Received>>>,
    status: Arc<AtomicU16>,
    serving: JoinHandle<()>,
}

impl Receiver {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/purge", listener.local_addr().expect("an address"));
        let (received, status) = (Arc::<Mutex<Vec<Received>>>::default(), Arc::new(AtomicU16::new(200)));
        let (all, answer) = (Arc::clone(&received), Arc::clone(&status));
        let routes = Router::new().fallback(move |request: Request<Body>| {
            let (all, answer) = (Arc::clone(&all), Arc::clone(&answer));
            async move {
                let (head, body) = request.into_parts();
                let body = to_bytes(body, 1 << 20).await.expect("a body");
                let (method, headers) = (head.method.to_string(), head.headers);
                let body = String::from_utf8(body.to_vec()).expect("UTF-8");
                all.lock().expect("no panic").push(Received { method, headers, body });
                StatusCode::from_u16(answer.load(Ordering::SeqCst)).expect("a status")
            }
        });
        let serving = tokio::spawn(async move {
            run(listener, routes, std::future::pending(), ServerLimits::default()).await;
        });
        Self { url, received, status, serving }
    }

    fn purges(&self, kind: CdnKind) -> (Purges, JoinHandle<()>) {
        let settings = PurgeSettings {
            kind,
            url: self.url.parse().expect("a URL"),
            token: Some("the-secret".parse().expect("a token")),
        };
        let purges = Purges::new(&settings, Duration::from_secs(300), Clock::fixed(instant(NOW))).expect("a client");
        let sending = purges.clone();
        (purges, tokio::spawn(async move { sending.send_for_ever().await }))
    }

    /// Waits until this is true of what was received.
    async fn until(&self, is_there: impl Fn(&[Received]) -> bool) -> Vec<Received> {
        for _ in 0..600 {
            let received = self.received.lock().expect("no panic").clone();
            if is_there(&received) {
                return received;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("not received: {:?}", self.received.lock());
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn changed(numbers: std::ops::Range<u64>) -> Changed {
    Changed { tags: numbers.map(|number| Tag::new(b'p', number)).collect(), appears: None, is_certain: true }
}

fn texts(numbers: std::ops::Range<u64>) -> BTreeSet<String> {
    changed(numbers).tags.iter().map(ToString::to_string).collect()
}

fn words(all: &[Received], header: &str) -> BTreeSet<String> {
    all.iter().flat_map(|one| one.header(header).split(' ')).map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_cdn_gets_purges_in_its_form_and_in_batches() {
    let receiver = Receiver::start().await;
    let (purges, sending) = receiver.purges(CdnKind::Fastly);
    purges.changed(changed(0..300));
    let all = receiver.until(|all| words(all, "surrogate-key") == texts(0..300)).await;
    assert!(all.iter().all(|one| one.method == "POST" && one.header("fastly-key") == "the-secret"));
    assert!(all.iter().all(|one| one.header("surrogate-key").split(' ').count() <= 256));
    // Again, for answers that were on their way.
    receiver
        .until(|all| all.iter().map(|one| one.header("surrogate-key").split(' ').count()).sum::<usize>() == 600)
        .await;
    sending.abort();

    let receiver = Receiver::start().await;
    let (purges, sending) = receiver.purges(CdnKind::Cloudflare);
    purges.changed(changed(0..150));
    let tags = |one: &Received| -> Vec<String> {
        let body: Value = serde_json::from_str(&one.body).expect("JSON");
        serde_json::from_value(body["tags"].clone()).expect("tags")
    };
    let all = receiver.until(|all| all.iter().flat_map(&tags).collect::<BTreeSet<_>>() == texts(0..150)).await;
    assert!(all.iter().all(|one| one.header("authorization") == "Bearer the-secret" && tags(one).len() <= 100));
    assert!(all.iter().all(|one| one.method == "POST" && one.header("content-type") == "application/json"));
    sending.abort();

    let receiver = Receiver::start().await;
    let (purges, sending) = receiver.purges(CdnKind::Varnish);
    purges.changed(changed(0..3));
    let all = receiver.until(|all| words(all, "xkey-purge") == texts(0..3)).await;
    assert!(all.iter().all(|one| one.method == "PURGE" && one.header("authorization") == "Bearer the-secret"));
    sending.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_fails_gets_the_same_tags_when_it_works_again() {
    let receiver = Receiver::start().await;
    receiver.status.store(503, Ordering::SeqCst);
    let (purges, sending) = receiver.purges(CdnKind::Fastly);
    purges.changed(changed(0..2));
    receiver.until(|all| all.len() >= 2).await;
    purges.changed(changed(2..4));
    receiver.status.store(200, Ordering::SeqCst);
    let failed = receiver.received.lock().expect("no panic").len();
    receiver.until(|all| words(&all[failed.min(all.len())..], "surrogate-key").is_superset(&texts(0..4))).await;
    sending.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_many_tags_and_a_post_that_appears_soon_become_a_purge_of_everything() {
    let receiver = Receiver::start().await;
    let (purges, sending) = receiver.purges(CdnKind::Fastly);
    purges.changed(changed(0..20_000));
    let all = receiver.until(|all| !all.is_empty()).await;
    assert_eq!(all[0].header("surrogate-key"), "tidings");
    sending.abort();
    let receiver = Receiver::start().await;
    let (purges, sending) = receiver.purges(CdnKind::Fastly);
    let later = Changed { appears: Some(instant("2026-06-15T13:00:00Z")), ..changed(0..1) };
    purges.changed(later.clone());
    assert_eq!(receiver.until(|all| !all.is_empty()).await[0].header("surrogate-key"), "p0000000000");
    purges.changed(Changed { appears: Some(instant("2026-06-15T12:05:00Z")), ..later });
    receiver.until(|all| words(all, "surrogate-key").contains("tidings")).await;
    sending.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_of_a_process_sends_what_waits() {
    let receiver = Receiver::start().await;
    let (purges, sending) = receiver.purges(CdnKind::Fastly);
    sending.abort();
    purges.changed(changed(0..2));
    purges.finish().await;
    let received = receiver.received.lock().expect("no panic").clone();
    let tags = received.iter().map(|one| words(std::slice::from_ref(one), "surrogate-key"));
    assert_eq!(tags.collect::<Vec<_>>(), [texts(0..2), texts(0..2)], "at once, and again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mutation_purges_the_answers_that_show_it_and_no_others() {
    let receiver = Receiver::start().await;
    let (purges, sending) = receiver.purges(CdnKind::Fastly);
    let site = Site::in_memory().await;
    site.publish(&[post(1, instant("2026-05-01T00:00:00Z")), post(2, instant("2026-04-01T00:00:00Z"))]).await;
    let content = site.content.clone().tagging_answers().reporting_changes(Arc::new(purges));
    let router = server_with(content.clone(), settings(4_000));
    let site = Site { content, ..site };
    let tags = async |query: &str| -> BTreeSet<String> {
        let sent = send(&router, request(By::Get, query)).await.0;
        sent.header("surrogate-key").expect("tags").split(' ').map(str::to_owned).collect()
    };
    let (shows, other) =
        (tags("{ post(slug: \"post-1\") { title } }").await, tags("{ post(slug: \"post-2\") { title } }").await);
    let list = tags("{ posts(first: 2) { nodes { title } } }").await;
    let id = site.query("{ post(slug: \"post-1\") { id } }").await["post"]["id"].clone();
    let input = json!({ "input": { "id": id, "expectedVersion": 1, "title": "New" } });
    let query = "mutation($input: UpdatePostInput!) { updatePost(input: $input) { post { version } } }";
    let answer = site.mutate(query, input, Some(EDITOR_TOKEN)).await;
    assert_eq!(answer.body["data"]["updatePost"]["post"]["version"], 2, "{}", answer.text);
    let all = receiver.until(|all| !all.is_empty()).await;
    let purged = words(&all, "surrogate-key");
    assert!(!purged.is_disjoint(&shows) && !purged.is_disjoint(&list), "{purged:?} {shows:?} {list:?}");
    assert!(purged.is_disjoint(&other), "{purged:?} {other:?}");
    sending.abort();
}
