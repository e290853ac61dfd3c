//! Held values on tables, where readers have no snapshots and other servers write. The rule: a reader that uses held values reads what a reader reads
//! that uses none, whatever is under way; and while the feed is not followed, no held value is used.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::json;
use tidings::clock::Clock;
use tidings::content::{Content, Sharing};
use tidings::graphql::held::VALUE_BYTES_MAX;
use tidings::keys::Table;
use tidings::model::PostKey;
use tidings::store::azure::AzureStore;
use tidings::store::{
    Batch, Continuation, CountingStore, Entity, Etag, FeedSettings, FeedStore, Key, Page, Result, RowRange, StorageUse,
    Store, TableStore,
};

use crate::support::azurite::{Azurite, random_prefix};
use crate::support::graphql::{EDITOR_TOKEN, json_request};
use crate::support::memory::MemoryStore;
use crate::support::random::{report_seed_on_failure, seeds};
use crate::support::site::{NOW, Site, instant, slug};

use crate::write::budgets::are_claimed_together;

use super::held::{By, request, send, server_of};
use super::held_values::{FEW_BYTES, History, benchmarked, cost, read_all};

const LONG: Duration = Duration::from_secs(100_000);

/// A server over tables whose polls the test makes, and which caches no list of partitions.
struct OnTables {
    site: Site,
    feed: Arc<FeedStore>,
    /// The feed's own clock.
    clock: Clock,
}

impl OnTables {
    async fn over(store: &Store) -> Self {
        let settings = FeedSettings { trusted_for: LONG, ..Content::FEED };
        let [clock, of_site] = [NOW, NOW].map(|now| Clock::fixed(instant(now)));
        let feed = Arc::new(FeedStore::new(Arc::clone(store), settings, clock.clone()));
        let store: Store = Arc::<FeedStore>::clone(&feed);
        let sharing = Sharing::Shared { seen_within: Duration::ZERO };
        let content = Content::open(Arc::clone(&store), of_site.clone(), sharing).await.expect("the content opens");
        feed.poll().await.expect("a poll");
        Self { site: Site { content, store, clock: of_site }, feed, clock }
    }
}

fn requests(used: &StorageUse) -> u32 {
    used.point_reads + used.range_reads + used.transactions
}

async fn assert_no_requests_again(tables: Store) {
    let counting = CountingStore::new(tables);
    let counted: Store = Arc::<CountingStore>::clone(&counting);
    let OnTables { site, feed, .. } = OnTables::over(&counted).await;
    let (site, queries) = benchmarked(site).await;
    let of_other = OnTables::over(&counted).await;
    let other = Site { content: of_other.site.content.holding_values(VALUE_BYTES_MAX), ..of_other.site };
    // Until the announcements of what was published are closed, the other server does not know what it may hold.
    feed.finish_writes().await;
    of_other.feed.poll().await.expect("a poll");
    for query in queries {
        for site in [&site, &other] {
            let (cold, _) = cost(site, &query).await;
            let before = requests(&counting.used());
            let (warm, hits) = cost(site, &query).await;
            assert!(cold > 0 && hits > 0, "{cold} requests, {hits} hits: {query}");
            assert_eq!((warm, requests(&counting.used()) - before), (0, 0), "{query}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_whose_values_are_held_makes_no_storage_request_on_tables() {
    assert_no_requests_again(MemoryStore::empty()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn azurite_a_query_whose_values_are_held_makes_no_storage_request() {
    let azurite = Azurite::any();
    assert_no_requests_again(Arc::new(AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client")))
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_held_value_is_used_while_the_feed_is_not_followed() {
    let store: Store = MemoryStore::empty();
    let OnTables { site, feed, clock } = OnTables::over(&store).await;
    let (site, queries) = benchmarked(site).await;
    let query = &queries[0];
    cost(&site, query).await;
    assert_eq!(cost(&site, query).await.0, 0);
    // A reader that has begun while the feed was followed.
    let reader = site.content.reader().at_one_moment().await.expect("a reader");
    let post_slug = slug("post-5");
    let post = || reader.post_by_slug(&post_slug);
    post().await.expect("a read");
    let read = reader.storage_used().point_reads;
    post().await.expect("a read");
    assert_eq!(reader.storage_used().point_reads, read);
    clock.set(instant("2026-06-20T00:00:00Z"));
    post().await.expect("a read");
    assert!(reader.storage_used().point_reads > read, "the last poll is too old by now");
    let (without_feed, hits) = cost(&site, query).await;
    assert!(without_feed > 0 && hits == 0, "{without_feed} requests, {hits} hits");
    assert_eq!(cost(&site, query).await, (without_feed, 0), "nothing that was read then is held");
    feed.poll().await.expect("a poll");
    assert!(cost(&site, query).await.0 > 0, "after a long time without a poll, everything was dropped");
    assert_eq!(cost(&site, query).await.0, 0);
}

/// Point reads, range reads, transactions, and the sequential round trips until the answer.
type CostOfPost = (u32, u32, u32, u32);

/// What new posts cost a server at work, which holds the terms, has written the counts and announces its writes: the second and the third one.
async fn of_new_posts(
    counting: &Arc<CountingStore>,
    tags: &str,
    requests: impl Fn() -> usize,
) -> [(CostOfPost, usize); 2] {
    let OnTables { site, feed, .. } = OnTables::over(&(Arc::<CountingStore>::clone(counting) as Store)).await;
    let (site, queries) = benchmarked(site).await;
    for query in queries {
        cost(&site, &query).await;
    }
    let mut costs = Vec::new();
    for number in 1..=3 {
        let input = format!(
            r#"title: "New", slug: "new-{number}", markdown: "x", authors: ["ada"], categories: ["news"], tags: [{tags}], publishAt: "2026-05-03T02:00:00Z""#
        );
        let mutation =
            format!("mutation {{ createPost(input: {{ {input} }}) {{ post {{ id slug }} userErrors {{ code }} }} }}");
        feed.finish_writes().await;
        let (before, sent) = (counting.used(), requests());
        let body = json!({ "query": mutation, "extensions": { "storage": true } }).to_string();
        let answer = site.send(json_request("application/json"), Some(EDITOR_TOKEN), body).await;
        let after = counting.used();
        // The end of the announcements is a request of the change too.
        feed.finish_writes().await;
        let sent = requests() - sent;
        assert_eq!(answer.body["data"]["createPost"]["userErrors"], json!([]), "{}", answer.body);
        // The id, which is random, may be in the bucket of the slug; then one transaction claims both.
        let together = u32::from(are_claimed_together(&answer.body["data"]["createPost"]));
        let cost = (
            after.point_reads - before.point_reads,
            after.range_reads - before.range_reads,
            after.transactions - before.transactions + together,
            answer.body["extensions"]["storage"]["roundTrips"].as_u64().expect("a number") as u32,
        );
        costs.push((cost, sent + together as usize));
    }
    site.assert_sound().await;
    [costs[1], costs[2]]
}

/// The time is paused, so that announcements end after the answer.
#[tokio::test(start_paused = true)]
async fn a_new_post_costs_17_requests_in_5_round_trips_on_tables() {
    for (tags, points, transactions) in [(r#""a""#, 3, 14), (r#""a", "b", "c""#, 5, 16)] {
        let counting = CountingStore::new(MemoryStore::empty());
        let costs = of_new_posts(&counting, tags, || 0).await;
        for (cost, _) in costs {
            assert_eq!(cost, (points, 0, transactions, 5), "{tags}");
        }
    }
}

/// The access log has the end of the announcements too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn azurite_a_new_post_costs_at_most_20_requests_in_6_round_trips_by_its_access_log() {
    let azurite = Azurite::own();
    let store = Arc::new(AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client"));
    let counting = CountingStore::new(store);
    let costs = of_new_posts(&counting, r#""a""#, || azurite.requests().len()).await;
    for ((points, ranges, transactions, round_trips), sent) in costs {
        assert!((17..=20).contains(&sent) && points + ranges + transactions <= 20 && round_trips <= 6, "{costs:?}");
    }
}

/// A store of tables in which a reader reads everything directly before each write of content, and directly after it, before it is acknowledged.
struct ReadAtWrites {
    inner: Arc<MemoryStore>,
    reading: OnceLock<(Content, Vec<(String, PostKey)>)>,
}

impl ReadAtWrites {
    fn read(&self) {
        let Some((content, posts)) = self.reading.get() else { return };
        let reading = || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
            runtime.block_on(async {
                let reader = content.reader().at_one_moment().await.expect("a reader");
                read_all(&reader, posts).await;
            });
        };
        std::thread::scope(|scope| scope.spawn(reading).join().expect("it reads"));
    }
}

#[async_trait::async_trait]
impl TableStore for ReadAtWrites {
    async fn create_tables(&self, tables: &[&'static str]) -> Result<()> {
        self.inner.create_tables(tables).await
    }

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.inner.get(table, key).await
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        self.inner.range(table, range, limit, continuation).await
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        let is_read = ![Table::Feed, Table::Intents, Table::Revisions, Table::Changes, Table::ChangeLog]
            .map(Table::name)
            .contains(&table);
        if is_read {
            self.read();
        }
        let answer = self.inner.commit(table, batch).await;
        if is_read {
            self.read();
        }
        answer
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        self.inner.scan(table, continuation).await
    }

    async fn ping(&self) -> Result<()> {
        Ok(())
    }
}

async fn run(seed: u64, bytes_max: usize) {
    let _report = report_seed_on_failure(seed);
    let reading = Arc::new(ReadAtWrites { inner: MemoryStore::empty(), reading: OnceLock::new() });
    let store: Store = Arc::<ReadAtWrites>::clone(&reading);
    let mut history = History::of(OnTables::over(&store).await.site, seed, bytes_max).await;
    assert!(reading.reading.set((history.holding.clone(), history.posts.clone())).is_ok());
    history.compare("begin").await;
    for number in 0..12 {
        let step = history.step(number).await;
        history.compare(&step).await;
    }
    history.site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_read_while_a_change_is_under_way_is_not_held_after_it() {
    for seed in seeds(1) {
        run(seed, VALUE_BYTES_MAX).await;
        run(seed, FEW_BYTES).await;
    }
}

/// On one thread and without real time, so that no reader waits too long for another one.
#[tokio::test(start_paused = true)]
async fn a_crowd_that_misses_the_same_values_reads_each_of_them_once() {
    let counting = CountingStore::new(MemoryStore::empty());
    let counted: Store = Arc::<CountingStore>::clone(&counting);
    let OnTables { site, feed, .. } = OnTables::over(&counted).await;
    let (_, queries) = benchmarked(site).await;
    feed.finish_writes().await;
    let used = async |readers: u32| {
        let content = OnTables::over(&counted).await.site.content.holding_values(VALUE_BYTES_MAX);
        let server = server_of(content, 0);
        let before = requests(&counting.used());
        let asked = (0..readers).flat_map(|_| &queries).map(|query| {
            let (server, query) = (server.clone(), query.clone());
            tokio::spawn(async move { (send(&server, request(By::Post, &query)).await.0.json(), query) })
        });
        let mut answers = BTreeSet::new();
        for answer in asked.collect::<Vec<_>>() {
            let (json, query) = answer.await.expect("no panic");
            assert_eq!(json.get("errors"), None, "{query}");
            answers.insert((query, json["data"].to_string()));
        }
        assert_eq!(answers.len(), queries.len());
        requests(&counting.used()) - before
    };
    let (alone, crowd) = (used(1).await, used(30).await);
    assert_eq!(crowd, alone, "30 clients read what one reads");
}
