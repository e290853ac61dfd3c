//! Answers that a CDN holds. The rule: after the purges of each change were delivered, the CDN shows what a server shows that holds nothing.

mod headers;
mod purges;
mod site_pages;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use tidings::clock::Clock;
use tidings::content::Content;
use tidings::content::changed::{ChangeSink, Changed};
use tidings::graphql::cached::VALUE_CACHE_BYTES_MAX;
use tidings::http::HttpSettings;
use tidings::http::cdn::{CdnSettings, TAG_BYTES_MAX};
use tidings::model::Instant;
use tidings::purge::CdnKind;
use tidings::store::Store;

use crate::support::memory::MemoryStore;
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::site::{NOW, Site, instant};

use super::cached::{By, Compares, Pair, Sent, request, send, server, server_with};
use super::cached_servers::{poll_all, polling, site};

const FRESH_FOR: Duration = Duration::from_secs(1_200);

/// Collects what was changed.
#[derive(Default)]
struct Changes(Mutex<Vec<Changed>>);

impl ChangeSink for Changes {
    fn changed(&self, changed: Changed) {
        self.0.lock().expect("no panic").push(changed);
    }
}

impl Changes {
    /// The tags to purge; `None`: everything.
    fn take(&self, now: Instant) -> Option<BTreeSet<String>> {
        let changes = std::mem::take(&mut *self.0.lock().expect("no panic"));
        if changes.iter().any(|changed| changed.appears_within(FRESH_FOR, now)) {
            return None;
        }
        Some(changes.iter().flat_map(|changed| &changed.tags).map(ToString::to_string).collect())
    }
}

/// The settings of a CDN that is purged by the test.
fn settings(tag_bytes: usize) -> HttpSettings {
    let kind = Some(CdnKind::Fastly);
    let cdn = CdnSettings { fresh_for: FRESH_FOR, stale_for: Duration::ZERO, kind, tag_bytes, purges: None };
    HttpSettings { cdn: Some(Arc::new(cdn)), ..HttpSettings::default() }
}

/// The content of a site whose changes are reported, and a server of it for a CDN.
fn behind_cdn(site: Site, changes: &Arc<Changes>, tag_bytes: usize) -> (Site, Router) {
    let sink: Arc<dyn ChangeSink> = Arc::<Changes>::clone(changes);
    let content: Content = site.content.reporting_changes(sink);
    let router = server_with(content.clone().caching_values(VALUE_CACHE_BYTES_MAX), settings(tag_bytes));
    (Site { content, ..site }, router)
}

struct Entry {
    sent: Sent,
    tags: BTreeSet<String>,
    at: Instant,
    ends: Instant,
}

#[derive(Debug, Default)]
struct Seen {
    hits: u32,
    fetched: u32,
    purged: u32,
    /// Purged, although the answer is still the same.
    needless: u32,
}

/// Holds answers by their queries.
#[derive(Default)]
struct Cdn {
    entries: HashMap<String, Entry>,
    /// What was purged by the last step, and not fetched since.
    purged: HashMap<String, Sent>,
    seen: Seen,
}

impl Cdn {
    async fn get(&mut self, origin: &Router, query: &str, now: Instant) -> Sent {
        if let Some(entry) = self.entries.get(query).filter(|entry| entry.at <= now && now < entry.ends) {
            self.seen.hits += 1;
            return entry.sent.clone();
        }
        let (sent, _) = send(origin, request(By::Get, query)).await;
        self.seen.fetched += 1;
        let control = sent.header("cache-control").expect("a header").to_owned();
        let seconds = control.split("s-maxage=").nth(1).map(|text| text.parse::<i64>().expect("seconds"));
        if let Some(seconds) = seconds {
            let tags = sent.header("surrogate-key").expect("tags").split(' ').map(str::to_owned).collect();
            let ends = Instant::from_ticks(now.ticks() + seconds * 10_000_000).expect("an instant");
            self.entries.insert(query.to_owned(), Entry { sent: sent.clone(), tags, at: now, ends });
        }
        sent
    }

    fn purge(&mut self, tags: Option<&BTreeSet<String>>) {
        let is_purged = |entry: &Entry| tags.is_none_or(|tags| !tags.is_disjoint(&entry.tags));
        for (query, entry) in self.entries.extract_if(|_, entry| is_purged(entry)) {
            self.seen.purged += 1;
            self.purged.insert(query, entry.sent);
        }
    }

    /// Each query, by one of the servers.
    async fn compare(&mut self, queries: &[String], servers: &Servers<'_>, random: &mut Random, step: &str) {
        let now = servers.clock.now();
        for query in queries {
            let shown = self.get(random.pick(servers.origins), query, now).await;
            let (fresh, _) = send(servers.plain, request(By::Get, query)).await;
            assert_eq!(shown.text(), fresh.text(), "after the step to {step}, at {now}: {query}");
            if let Some(before) = self.purged.remove(query) {
                self.seen.needless += u32::from(before.text() == fresh.text());
            }
        }
        self.purged.clear();
    }
}

struct Servers<'a> {
    origins: &'a [Router],
    /// Holds nothing.
    plain: &'a Router,
    clock: &'a Clock,
}

async fn a_history_on_a_file(seed: u64, tag_bytes: usize) -> Seen {
    let changes = Arc::<Changes>::default();
    let (site, origin) = behind_cdn(Site::in_memory().await, &changes, tag_bytes);
    let plain = server(&site, 0);
    let mut pair = Pair::of(site, plain.clone(), seed).await;
    let (mut cdn, mut random) = (Cdn::default(), Random::new(seed));
    let origins = [origin];
    let clock = pair.site.clock.clone();
    let servers = Servers { origins: &origins, plain: &plain, clock: &clock };
    for _ in 0..25 {
        cdn.compare(&pair.queries(), &servers, &mut random, "wait").await;
        let step = pair.step().await;
        cdn.purge(changes.take(clock.now()).as_ref());
        cdn.compare(&pair.queries(), &servers, &mut random, step).await;
    }
    cdn.seen
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_cdn_shows_is_the_present_answer_after_each_purge() {
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let seen = a_history_on_a_file(seed, TAG_BYTES_MAX).await;
        println!("seed {seed}: {seen:?}");
        assert!(seen.hits > 200, "{seen:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_cdn_shows_is_the_present_answer_if_tags_are_coarse() {
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let seen = a_history_on_a_file(seed, 100).await;
        println!("seed {seed}: {seen:?}");
        assert!(seen.hits > 100, "{seen:?}");
    }
}

/// The first purge comes before the other server knows of the change, so that an old answer may be cached again until the second one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_cdn_of_two_servers_shows_is_the_present_answer_after_the_second_purge() {
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let store: Store = MemoryStore::empty();
        let clock = Clock::fixed(instant(NOW));
        let plain = server(&site(&store, &clock, Duration::ZERO).await, 0);
        let changes = Arc::<Changes>::default();
        let (first, mut log) = polling(&store, &clock).await;
        let (second, mut other_log) = polling(&store, &clock).await;
        let (first, router) = behind_cdn(first, &changes, TAG_BYTES_MAX);
        let (mut other, other_router) = behind_cdn(second, &changes, TAG_BYTES_MAX);
        let origins = [router, other_router];
        let servers = Servers { origins: &origins, plain: &plain, clock: &clock };
        let mut pair = Pair::of(first, plain.clone(), seed).await;
        let (mut cdn, mut random) = (Cdn::default(), Random::new(seed));
        // The server that holds answers is the first one, and the steps are also those of the second.
        pair.compares = Compares::Nothing;
        for _ in 0..20 {
            if random.chance(50) {
                std::mem::swap(&mut pair.site, &mut other);
                std::mem::swap(&mut log, &mut other_log);
            }
            let step = pair.step().await;
            let now = pair.site.clock.now();
            let tags = changes.take(now);
            cdn.purge(tags.as_ref());
            for query in pair.queries() {
                cdn.get(random.pick(&origins), &query, now).await;
            }
            poll_all(&log).await;
            poll_all(&other_log).await;
            // Lists of partitions are cached for a second in a server; here, for longer.
            pair.site.invalidate_cached();
            other.invalidate_cached();
            cdn.purge(tags.as_ref());
            cdn.compare(&pair.queries(), &servers, &mut random, step).await;
        }
        println!("seed {seed}: {:?}", cdn.seen);
        assert!(cdn.seen.hits > 100, "{:?}", cdn.seen);
    }
}
