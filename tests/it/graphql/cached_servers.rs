//! Cached answers and values of two servers over one store of tables. The rule: after each change, the server that has made it sends what a server that
//! holds nothing sends, and so does the other server after its next poll of the log.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::header;
use serde_json::json;
use tidings::clock::Clock;
use tidings::content::{Content, Sharing};
use tidings::graphql::cached::VALUE_CACHE_BYTES_MAX;
use tidings::store::azure::AzureStore;
use tidings::store::{LogStore, Store};

use crate::support::azurite::{Azurite, random_prefix};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::random::{report_seed_on_failure, seeds};
use crate::support::site::{NOW, Site, instant, post};
use crate::support::stores::{logged, served};

use super::cached::{By, Compares, HOLDING, Pair, Sent, request, send, server, server_of};

/// Lists of partitions are cached for so long, so that nothing but the log shows that they are out of date.
const LONG: Duration = Duration::from_secs(100_000);

/// One of the servers.
struct Server {
    site: Site,
    /// With cached answers and values, and with values only.
    holding: Router,
    valuing: Router,
    log: Arc<LogStore>,
}

/// A server whose polls the test makes.
pub(super) async fn polling(store: &Store, clock: &Clock) -> (Site, Arc<LogStore>) {
    // Its own clock is not the one that the test sets back and forth.
    let log = logged(store, LONG, &Clock::System);
    let above: Store = Arc::<LogStore>::clone(&log);
    (site(&above, clock, LONG).await, log)
}

/// Polls until the server knows that all changes that it has learned of are carried out.
pub(super) async fn poll_all(log: &LogStore) {
    for _ in 0..2 {
        log.poll().await.expect("a poll");
    }
}

pub(super) async fn site(store: &Store, clock: &Clock, seen_within: Duration) -> Site {
    let (store, clock) = (served(Arc::clone(store), clock), clock.clone());
    let sharing = Sharing::Shared { seen_within };
    let content = Content::open(Arc::clone(&store), clock.clone(), sharing).await.expect("the content opens");
    Site { content, store, clock }
}

/// Two servers with cached answers, and one without that caches nothing.
struct Servers {
    /// With the server that writes next.
    pair: Pair,
    writer: Arc<LogStore>,
    other: Server,
}

impl Servers {
    async fn over(store: &Store, seed: u64) -> Self {
        let clock = Clock::fixed(instant(NOW));
        let plain = server(&site(store, &clock, Duration::ZERO).await, 0);
        let (first, writer) = polling(store, &clock).await;
        let (second, log) = polling(store, &clock).await;
        let [holding, valuing] =
            [HOLDING, 0].map(|bytes| server_of(second.content.clone().caching_values(VALUE_CACHE_BYTES_MAX), bytes));
        let pair = Pair::of(first, plain, seed).await;
        poll_all(&writer).await;
        poll_all(&log).await;
        Self { pair, writer, other: Server { site: second, holding, valuing, log } }
    }

    fn swap(&mut self) {
        std::mem::swap(&mut self.pair.site, &mut self.other.site);
        std::mem::swap(&mut self.pair.holding, &mut self.other.holding);
        std::mem::swap(&mut self.pair.valuing, &mut self.other.valuing);
        std::mem::swap(&mut self.writer, &mut self.other.log);
    }

    /// A change by one of the servers, then both are compared with the third one.
    async fn step(&mut self) {
        if self.pair.random.chance(50) {
            self.swap();
        }
        let step = self.pair.step().await;
        self.pair.compare(step).await;
        // For the other server, the rows are in doubt at first, until its next poll.
        for is_in_doubt in [true, false] {
            self.swap();
            self.writer.poll().await.expect("a poll");
            self.pair.compares = if is_in_doubt { Compares::Cached } else { Compares::All };
            self.pair.compare(&format!("{step} on the other server, in doubt: {is_in_doubt}")).await;
            self.swap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cached_answer_of_two_servers_is_the_one_that_the_query_gets_without_holding() {
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let store: Store = MemoryStore::empty();
        let mut servers = Servers::over(&store, seed).await;
        for _ in 0..20 {
            servers.step().await;
        }
        println!("seed {seed}: {:?}", servers.pair.seen);
        assert!(servers.pair.seen.hits > 100, "{:?}", servers.pair.seen);
        assert!(servers.pair.seen.values_hits > 4 * servers.pair.seen.values_misses, "{:?}", servers.pair.seen);
        servers.pair.site.assert_sound().await;
    }
}

/// Without the header, the other server may answer with what it holds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_sends_the_position_of_its_write_reads_it_on_the_other_server() {
    let (store, clock) = (MemoryStore::empty(), Clock::fixed(instant(NOW)));
    let store: Store = store;
    let ((writing, _), (reading, log)) = (polling(&store, &clock).await, polling(&store, &clock).await);
    writing.publish(&[post(1, instant("2026-05-01T00:00:00Z"))]).await;
    poll_all(&log).await;
    let (writer, reader) = (server(&writing, HOLDING), server(&reading, HOLDING));
    let query = "{ post(slug: \"post-1\") { id title } }";
    let title = |sent: &Sent| sent.json()["data"]["post"]["title"].clone();
    let (before, _) = send(&reader, request(By::Post, query)).await;
    assert_eq!(before.header("tidings-position"), None, "only of what may have written");
    let id = before.json()["data"]["post"]["id"].as_str().expect("an id").to_owned();
    let changed = format!(
        r#"mutation {{ updatePost(input: {{ id: "{id}", expectedVersion: 1, title: "New" }}) {{ userErrors {{ code }} }} }}"#
    );
    let mut mutation = request(By::Post, &changed);
    let token = format!("Bearer {EDITOR_TOKEN}").parse().expect("a header");
    mutation.headers_mut().insert(header::AUTHORIZATION, token);
    let (made, _) = send(&writer, mutation).await;
    assert_eq!(made.json()["data"]["updatePost"]["userErrors"], json!([]), "{}", made.text());
    let position = made.header("tidings-position").expect("a position").to_owned();
    let (cached, was_cached) = send(&reader, request(By::Post, query)).await;
    assert!(was_cached && title(&cached) == title(&before), "this server has not polled");
    for by in [By::Get, By::Post] {
        let asking = |position: &str| {
            let mut asking = request(by, query);
            asking.headers_mut().insert("tidings-position", position.parse().expect("a header"));
            asking
        };
        let (own, _) = send(&reader, asking(&position)).await;
        assert_eq!(title(&own), "New", "{by:?}");
        for wrong in ["soon", "1000000"] {
            let (refused, _) = send(&reader, asking(wrong)).await;
            assert_eq!(refused.json()["errors"][0]["extensions"]["code"], "BAD_REQUEST", "{wrong} {by:?}");
            assert_eq!(refused.status(), 400, "{wrong} {by:?}");
        }
    }
}

/// Queries run while the other server writes, and this one polls.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_reader_never_gets_an_answer_older_than_the_last_poll() {
    let (store, clock) = (MemoryStore::empty(), Clock::fixed(instant(NOW)));
    let store: Store = store;
    let ((writing, _), (reading, log)) = (polling(&store, &clock).await, polling(&store, &clock).await);
    writing.publish(&[post(1, instant("2026-05-01T00:00:00Z"))]).await;
    let query = "{ post(slug: \"post-1\") { id version } }";
    let found = writing.query(query).await;
    let id = found["post"]["id"].as_str().expect("an id").to_owned();
    let (acknowledged, polled) = (Arc::new(AtomicI64::new(1)), Arc::new(AtomicI64::new(0)));
    let is_over = Arc::new(AtomicBool::new(false));
    let follower = tokio::spawn({
        let (log, acknowledged) = (Arc::clone(&log), Arc::clone(&acknowledged));
        let (polled, is_over) = (Arc::clone(&polled), Arc::clone(&is_over));
        async move {
            while !is_over.load(Ordering::SeqCst) {
                let shown = acknowledged.load(Ordering::SeqCst);
                log.poll().await.expect("a poll");
                polled.store(shown, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(3)).await;
            }
        }
    });
    let valuing = |site: &Site| server_of(site.content.clone().caching_values(VALUE_CACHE_BYTES_MAX), 0);
    let holding = [
        (server(&writing, HOLDING), Arc::clone(&acknowledged)),
        (server(&reading, HOLDING), Arc::clone(&polled)),
        (valuing(&writing), Arc::clone(&acknowledged)),
        (valuing(&reading), polled),
    ];
    let readers = holding.map(|(holding, floor)| {
        let is_over = Arc::clone(&is_over);
        tokio::spawn(async move {
            let mut hits = 0;
            while !is_over.load(Ordering::SeqCst) {
                let at_least = floor.load(Ordering::SeqCst);
                let (sent, was_cached) = send(&holding, request(By::Post, query)).await;
                let version = sent.json()["data"]["post"]["version"].as_i64().expect("a version");
                assert!(version >= at_least, "version {version} after {at_least}, cached: {was_cached}");
                hits += u32::from(was_cached);
            }
            hits
        })
    });
    for version in 1..60 {
        let input = json!({ "input": { "id": id, "expectedVersion": version, "title": format!("Title {version}") } });
        let query = "mutation($input: UpdatePostInput!) { updatePost(input: $input) { post { version } } }";
        let answer = writing.mutate(query, input, Some(EDITOR_TOKEN)).await;
        assert_eq!(answer.body["data"]["updatePost"]["post"]["version"], version + 1, "{}", answer.text);
        acknowledged.store(version + 1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    is_over.store(true, Ordering::SeqCst);
    follower.await.expect("every poll succeeds");
    for reader in readers {
        println!("cached: {}", reader.await.expect("no older answer"));
    }
    poll_all(&log).await;
    let reading = server(&reading, HOLDING);
    let answers = [send(&reading, request(By::Post, query)).await, send(&reading, request(By::Post, query)).await];
    assert_eq!(
        answers.map(|(sent, was_cached)| (sent.json()["data"]["post"]["version"].as_i64(), was_cached)),
        [(Some(60), false), (Some(60), true)]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn azurite_a_cached_answer_of_two_servers_is_the_one_that_the_query_gets_without_holding() {
    let azurite = Azurite::any();
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let store: Store = Arc::new(AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client"));
        let mut servers = Servers::over(&store, seed).await;
        for _ in 0..4 {
            servers.step().await;
        }
        println!("seed {seed}: {:?}", servers.pair.seen);
        assert!(servers.pair.seen.hits > 20, "{:?}", servers.pair.seen);
        assert!(servers.pair.seen.values_hits > servers.pair.seen.values_misses, "{:?}", servers.pair.seen);
    }
}
