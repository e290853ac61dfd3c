//! Held answers and values of two servers over one store of tables. The rule: after each change, the server that has made it sends what a server that
//! holds nothing sends, and so does the other server after its next poll of the feed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use axum::Router;
use serde_json::json;
use tidings::clock::Clock;
use tidings::content::{Content, Sharing};
use tidings::graphql::held::VALUE_BYTES_MAX;
use tidings::store::azure::AzureStore;
use tidings::store::{FeedSettings, FeedStore, Store, TableStore as _};

use crate::support::azurite::{Azurite, random_prefix};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::random::{report_seed_on_failure, seeds};
use crate::support::site::{NOW, Site, instant, post};

use super::held::{By, Compares, HOLDING, Pair, request, send, server, server_of};

/// Lists of partitions are cached for so long, so that nothing but the feed shows that they are out of date.
const LONG: Duration = Duration::from_secs(100_000);

/// One of the servers.
struct Server {
    site: Site,
    /// With held answers and values, and with values only.
    holding: Router,
    valuing: Router,
    feed: Arc<FeedStore>,
}

/// A server whose polls the test makes.
pub(super) async fn announcing(store: &Store, clock: &Clock) -> (Site, Arc<FeedStore>) {
    let settings = FeedSettings { trusted_for: LONG, ..Content::FEED };
    // Its own clock is not the one that the test sets back and forth.
    let feed = Arc::new(FeedStore::new(Arc::clone(store), settings, Clock::System));
    let announced: Store = Arc::<FeedStore>::clone(&feed);
    (site(&announced, clock, LONG).await, feed)
}

pub(super) async fn site(store: &Store, clock: &Clock, seen_within: Duration) -> Site {
    let (store, clock) = (Arc::clone(store), clock.clone());
    let sharing = Sharing::Shared { seen_within };
    let content = Content::open(Arc::clone(&store), clock.clone(), sharing).await.expect("the content opens");
    Site { content, store, clock }
}

/// Two servers with held answers, and one without that caches nothing.
struct Servers {
    /// With the server that writes next.
    pair: Pair,
    writer: Arc<FeedStore>,
    other: Server,
}

impl Servers {
    async fn over(store: &Store, seed: u64) -> Self {
        let clock = Clock::fixed(instant(NOW));
        let plain = server(&site(store, &clock, Duration::ZERO).await, 0);
        let (first, writer) = announcing(store, &clock).await;
        let (second, feed) = announcing(store, &clock).await;
        let [holding, valuing] =
            [HOLDING, 0].map(|bytes| server_of(second.content.clone().holding_values(VALUE_BYTES_MAX), bytes));
        let pair = Pair::of(first, plain, seed).await;
        writer.poll().await.expect("a poll");
        feed.poll().await.expect("a poll");
        Self { pair, writer, other: Server { site: second, holding, valuing, feed } }
    }

    fn swap(&mut self) {
        std::mem::swap(&mut self.pair.site, &mut self.other.site);
        std::mem::swap(&mut self.pair.holding, &mut self.other.holding);
        std::mem::swap(&mut self.pair.valuing, &mut self.other.valuing);
        std::mem::swap(&mut self.writer, &mut self.other.feed);
    }

    /// A change by one of the servers, then both are compared with the third one.
    async fn step(&mut self) {
        if self.pair.random.chance(50) {
            self.swap();
        }
        let step = self.pair.step().await;
        self.pair.compare(step).await;
        // For the other server, the rows are in doubt at first.
        for is_in_doubt in [true, false] {
            if !is_in_doubt {
                self.writer.finish_writes().await;
            }
            self.swap();
            self.writer.poll().await.expect("a poll");
            self.pair.compares = if is_in_doubt { Compares::Held } else { Compares::All };
            self.pair.compare(&format!("{step} on the other server, in doubt: {is_in_doubt}")).await;
            self.swap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_held_answer_of_two_servers_is_the_one_that_the_query_gets_without_holding() {
    for seed in seeds(2) {
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

/// Queries run while the other server announces, writes, and this one polls.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_reader_never_gets_an_answer_older_than_the_last_poll() {
    let (store, clock) = (MemoryStore::empty(), Clock::fixed(instant(NOW)));
    let store: Store = store;
    let ((writing, _), (reading, feed)) = (announcing(&store, &clock).await, announcing(&store, &clock).await);
    writing.publish(&[post(1, instant("2026-05-01T00:00:00Z"))]).await;
    let query = "{ post(slug: \"post-1\") { id version } }";
    let found = writing.query(query).await;
    let id = found["post"]["id"].as_str().expect("an id").to_owned();
    let (acknowledged, polled) = (Arc::new(AtomicI64::new(1)), Arc::new(AtomicI64::new(0)));
    let is_over = Arc::new(AtomicBool::new(false));
    let polling = tokio::spawn({
        let (feed, acknowledged) = (Arc::clone(&feed), Arc::clone(&acknowledged));
        let (polled, is_over) = (Arc::clone(&polled), Arc::clone(&is_over));
        async move {
            while !is_over.load(Ordering::SeqCst) {
                let shown = acknowledged.load(Ordering::SeqCst);
                feed.poll().await.expect("a poll");
                polled.store(shown, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(3)).await;
            }
        }
    });
    let valuing = |site: &Site| server_of(site.content.clone().holding_values(VALUE_BYTES_MAX), 0);
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
                let (sent, was_held) = send(&holding, request(By::Post, query)).await;
                let version = sent.json()["data"]["post"]["version"].as_i64().expect("a version");
                assert!(version >= at_least, "version {version} after {at_least}, held: {was_held}");
                hits += u32::from(was_held);
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
        if version % 3 == 0 {
            writing.store.finish_writes().await;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    is_over.store(true, Ordering::SeqCst);
    polling.await.expect("every poll succeeds");
    for reader in readers {
        println!("held: {}", reader.await.expect("no older answer"));
    }
    writing.store.finish_writes().await;
    feed.poll().await.expect("a poll");
    let reading = server(&reading, HOLDING);
    let answers = [send(&reading, request(By::Post, query)).await, send(&reading, request(By::Post, query)).await];
    assert_eq!(
        answers.map(|(sent, was_held)| (sent.json()["data"]["post"]["version"].as_i64(), was_held)),
        [(Some(60), false), (Some(60), true)]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn azurite_a_held_answer_of_two_servers_is_the_one_that_the_query_gets_without_holding() {
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
