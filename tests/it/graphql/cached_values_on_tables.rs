//! Cached values on tables, where readers have no snapshots and other servers write. The rule: a reader that uses cached values reads what a reader reads
//! that uses none, whatever is under way; and while the log is not followed, no cached value is used.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::json;
use tidings::clock::Clock;
use tidings::content::Content;
use tidings::graphql::cached::VALUE_CACHE_BYTES_MAX;
use tidings::keys::Table;
use tidings::model::PostKey;
use tidings::store::azure::AzureStore;
use tidings::store::{Batch, CountingStore, Etag, LogStore, Result, StorageUse, Store, TableStore};

use crate::support::azurite::{Azurite, random_prefix};
use crate::support::graphql::{EDITOR_TOKEN, json_request};
use crate::support::memory::MemoryStore;
use crate::support::pass_on::pass_on;
use crate::support::random::{report_seed_on_failure, seeds};
use crate::support::site::{NOW, Site, instant, slug};
use crate::support::stores::logged;
use crate::write::figures::{Cost, NEW_POST, NEW_POST_ON_AZURITE, TAGS};

use super::cached_values::{FEW_BYTES, History, benchmarked, cost, read_all};

const LONG: Duration = Duration::from_secs(100_000);

/// A server over tables whose polls the test makes, and which caches no list of partitions.
struct OnTables {
    site: Site,
    log: Arc<LogStore>,
    /// The log's own clock.
    clock: Clock,
}

impl OnTables {
    async fn over(store: &Store) -> Self {
        let [clock, of_site] = [NOW, NOW].map(|now| Clock::fixed(instant(now)));
        let log = logged(store, LONG, &clock);
        let above: Store = Arc::<LogStore>::clone(&log);
        let site = Site::shared(above, &of_site).await;
        log.poll().await.expect("a poll");
        Self { site, log, clock }
    }
}

fn requests(used: &StorageUse) -> u32 {
    used.point_reads + used.range_reads + used.transactions
}

async fn assert_no_requests_again(tables: Store) {
    let counting = CountingStore::new(tables);
    let counted: Store = Arc::<CountingStore>::clone(&counting);
    let (site, queries) = benchmarked(OnTables::over(&counted).await.site).await;
    let of_other = OnTables::over(&counted).await;
    let other = Site { content: of_other.site.content.caching_values(VALUE_CACHE_BYTES_MAX), ..of_other.site };
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
async fn a_query_whose_values_are_cached_makes_no_storage_request_on_tables() {
    assert_no_requests_again(MemoryStore::empty()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn azurite_a_query_whose_values_are_cached_makes_no_storage_request() {
    let azurite = Azurite::any();
    assert_no_requests_again(Arc::new(AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client")))
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_cached_value_is_used_while_the_log_is_not_followed() {
    let store: Store = MemoryStore::empty();
    let OnTables { site, log, clock } = OnTables::over(&store).await;
    let (site, queries) = benchmarked(site).await;
    let query = &queries[0];
    cost(&site, query).await;
    assert_eq!(cost(&site, query).await.0, 0);
    // A reader that has begun while the log was followed.
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
    let (unfollowed, hits) = cost(&site, query).await;
    assert!(unfollowed > 0 && hits == 0, "{unfollowed} requests, {hits} hits");
    assert_eq!(cost(&site, query).await, (unfollowed, 0), "nothing that was read then is cached");
    log.poll().await.expect("a poll");
    assert_eq!(cost(&site, query).await.0, 0, "nothing was written meanwhile");
}

/// What new posts cost a server at work, which holds the terms, and the sequential round trips: the second and the third one.
async fn of_new_posts(
    counting: &Arc<CountingStore>,
    tags: &str,
    requests: impl Fn() -> usize,
) -> [(Cost, u32, usize); 2] {
    let (site, queries) =
        benchmarked(OnTables::over(&(Arc::<CountingStore>::clone(counting) as Store)).await.site).await;
    for query in queries {
        cost(&site, &query).await;
    }
    let mut costs = Vec::new();
    for number in 1..=3 {
        let input = format!(
            r#"title: "New", slug: "new-{number}", markdown: "x", authorSlugs: ["ada"], categorySlugs: ["news"], tagSlugs: [{tags}], publishAt: "2026-05-03T02:00:00Z""#
        );
        let mutation =
            format!("mutation {{ createPost(input: {{ {input} }}) {{ post {{ id slug }} userErrors {{ code }} }} }}");
        let (before, sent) = (counting.used(), requests());
        let answer = site.send(json_request("application/json"), Some(EDITOR_TOKEN), query_body(&mutation)).await;
        let (after, sent) = (counting.used(), requests() - sent);
        assert_eq!(answer.body["data"]["createPost"]["userErrors"], json!([]), "{}", answer.body);
        let cost = (
            after.point_reads - before.point_reads,
            after.range_reads - before.range_reads,
            after.transactions - before.transactions,
        );
        costs.push((cost, after.round_trips - before.round_trips, sent));
    }
    site.assert_sound().await;
    [costs[1], costs[2]]
}

fn query_body(query: &str) -> String {
    json!({ "query": query }).to_string()
}

#[tokio::test(start_paused = true)]
async fn a_new_post_costs_what_the_figures_say_on_tables() {
    for (tags, expected, round_trips) in NEW_POST {
        let counting = CountingStore::new(MemoryStore::empty());
        for (cost, trips, _) in of_new_posts(&counting, tags, || 0).await {
            assert_eq!((cost, trips), (expected, round_trips), "{tags}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn azurite_a_new_post_costs_what_the_figures_say_by_its_access_log() {
    let (requests, trips_max) = NEW_POST_ON_AZURITE;
    let azurite = Azurite::own();
    let store = Arc::new(AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client"));
    let counting = CountingStore::new(store);
    let costs = of_new_posts(&counting, TAGS, || azurite.requests().len()).await;
    for ((points, ranges, transactions), trips, sent) in costs {
        let counted = (points + ranges + transactions) as usize;
        assert!((sent, counted) == (requests, requests) && trips <= trips_max, "{costs:?}");
    }
}

/// A store of tables in which a reader reads everything between an entry of the log and the next write of content, and directly after each write of content,
/// before it is acknowledged.
struct ReadAtWrites {
    inner: Arc<MemoryStore>,
    is_after_entry: AtomicBool,
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
    pass_on!(inner: create_tables, get, range, scan);

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        let unread = [Table::Revisions, Table::Changes, Table::ChangeLog].map(Table::name);
        let is_entry = table == Content::LOG.table;
        let is_read = !is_entry && !unread.contains(&table);
        if is_entry {
            self.is_after_entry.store(true, Relaxed);
        } else if is_read && self.is_after_entry.swap(false, Relaxed) {
            self.read();
        }
        let answer = self.inner.commit(table, batch).await;
        if is_read {
            self.read();
        }
        answer
    }

    async fn ping(&self) -> Result<()> {
        Ok(())
    }
}

async fn run(seed: u64, bytes_max: usize) {
    let _report = report_seed_on_failure(seed);
    let reading = Arc::new(ReadAtWrites {
        inner: MemoryStore::empty(),
        is_after_entry: AtomicBool::new(false),
        reading: OnceLock::new(),
    });
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
async fn what_is_read_while_a_change_is_under_way_is_not_cached_after_it() {
    for seed in seeds(1) {
        run(seed, VALUE_CACHE_BYTES_MAX).await;
        run(seed, FEW_BYTES).await;
    }
}
