//! Metrics for Prometheus. The rule: the value of a label is a constant of the code, never input of a client or an editor, so that the number of
//! series is bounded.
//!
//! Metrics belong to the process and are always counted, because counting costs less than checking whether they are read.

mod families;
mod process;

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use prometheus_client::metrics::gauge::Gauge;

use families::{
    ChargeLabels, Families, HttpLabels, HttpTimeLabels, LoaderLabels, OperationLabels, OperationTimeLabels,
    OutcomeLabels, RateLimitLabels, RetryLabels, StorageLabels, StorageTimeLabels, TableLabels, WriteLabels,
};

static FAMILIES: LazyLock<Families> = LazyLock::new(Families::default);

/// The content type of [`text`], "OpenMetrics 1.0".
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// All metrics, in the text format of OpenMetrics.
pub fn text() -> String {
    FAMILIES.text()
}

/// Sets the start of the process, in seconds since 1970.
pub fn started(unix_seconds: f64) {
    FAMILIES.process_start.set(unix_seconds);
}

/// Records that everything that was written before this time, in seconds since 1970, is backed up.
pub fn backed_up(unix_seconds: f64) {
    FAMILIES.backed_up.set(unix_seconds);
}

/// Sets the number of public posts.
pub fn posts_counted(posts: u64) {
    FAMILIES.posts.set(posts.try_into().unwrap_or(i64::MAX));
}

/// Sets the number of documents and the size of the search index.
pub fn search_measured(documents: u64, bytes: u64) {
    FAMILIES.search_documents.set(documents.try_into().unwrap_or(i64::MAX));
    FAMILIES.search_bytes.set(bytes.try_into().unwrap_or(i64::MAX));
}

pub fn store_file_measured(bytes: u64) {
    FAMILIES.store_file_bytes.set(bytes.try_into().unwrap_or(i64::MAX));
}

/// Increments a gauge until it is dropped.
pub struct GaugeGuard(&'static Gauge);

impl GaugeGuard {
    fn new(gauge: &'static Gauge) -> Self {
        gauge.inc();
        Self(gauge)
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Records an accepted connection. It counts as open until the result is dropped.
pub fn connection_opened() -> GaugeGuard {
    FAMILIES.connections.inc();
    GaugeGuard::new(&FAMILIES.connections_open)
}

/// Records the start of a request. It counts as in flight until the result is dropped.
pub fn request_begun() -> GaugeGuard {
    GaugeGuard::new(&FAMILIES.requests_in_flight)
}

/// Records a waiting subscription. It counts until the result is dropped.
pub fn subscription_begun() -> GaugeGuard {
    GaugeGuard::new(&FAMILIES.subscriptions)
}

/// Records an answered request. `route`: a route of the router, not the path of the request.
pub fn request_answered(route: &str, method: &'static str, status: u16, took: Duration) {
    let route = || route.to_owned();
    FAMILIES.http_requests.get_or_create(&HttpLabels { route: route(), method, status }).inc();
    let durations = FAMILIES.http_durations.get_or_create(&HttpTimeLabels { route: route(), method });
    durations.observe(took.as_secs_f64());
}

/// Records an answered GraphQL operation. `code`: the code of its first error, or `OK`.
pub fn operation_answered(operation: &'static str, code: &'static str, took: Duration) {
    FAMILIES.operations.get_or_create(&OperationLabels { operation, code }).inc();
    FAMILIES.operation_durations.get_or_create(&OperationTimeLabels { operation }).observe(took.as_secs_f64());
}

/// The cost of one operation.
#[derive(Debug, Clone, Copy)]
pub struct QueryCost {
    pub requests: u32,
    pub rows: u64,
    pub bytes: u64,
    pub round_trips: u32,
}

/// The upper bound of a query's storage requests, and its actual cost.
pub fn query_cost(bound: u64, used: &QueryCost) {
    FAMILIES.query_bounds.observe(bound as f64);
    FAMILIES.query_costs.observe(f64::from(used.requests));
    FAMILIES.query_rows.observe(used.rows as f64);
    FAMILIES.query_bytes.observe(used.bytes as f64);
    FAMILIES.query_round_trips.observe(f64::from(used.round_trips));
}

/// Records an operation that was refused because too little was left of a limit. `scope`: `token`, `address`, `anonymous`, or `refused_token` for the look-ups
/// of tokens.
pub fn rate_limited(scope: &'static str) {
    FAMILIES.rate_limited.get_or_create(&RateLimitLabels { scope }).inc();
}

/// Requests of one kind to the store that are answered together.
#[derive(Debug, Clone, Copy)]
pub struct StorageRequests {
    pub store: &'static str,
    pub table: &'static str,
    pub operation: &'static str,
    pub begun: Instant,
}

impl StorageRequests {
    /// Records the outcome of this many of them.
    pub fn ended(&self, outcome: &'static str, requests: u64) {
        let Self { store, table, operation, .. } = *self;
        FAMILIES.storage_requests.get_or_create(&StorageLabels { store, table, operation, outcome }).inc_by(requests);
    }

    /// Records that they cost this many request units of Cosmos DB.
    pub fn charged(&self, units: f64) {
        if units > 0.0 {
            FAMILIES.request_units.get_or_create(&ChargeLabels { operation: self.operation }).inc_by(units);
        }
    }

    /// Records that all of them have ended, with this many rows.
    pub fn done(&self, rows: u64) {
        let Self { store, table, operation, begun } = *self;
        let durations = FAMILIES.storage_durations.get_or_create(&StorageTimeLabels { store, operation });
        durations.observe(begun.elapsed().as_secs_f64());
        if rows > 0 {
            FAMILIES.rows_read.get_or_create(&TableLabels { table }).inc_by(rows);
        }
    }
}

/// Records a repeated storage request. `reason`: `throttled`, `no_answer` or `server_error`.
pub fn storage_retried(reason: &'static str) {
    FAMILIES.storage_retries.get_or_create(&RetryLabels { reason }).inc();
}

/// Sets how far this server's clock is ahead of the storage's.
pub fn storage_clock_skew(seconds: f64) {
    FAMILIES.storage_clock_skew.set(seconds);
}

/// Records skipped pointers, which no post confirms.
pub fn pointers_skipped(count: u64) {
    FAMILIES.pointers_skipped.inc_by(count);
}

/// Records the outcome of changes. `what`: `post` or `term`.
pub fn changes_ended(what: &'static str, outcome: &'static str, count: u64) {
    FAMILIES.changes.get_or_create(&WriteLabels { what, outcome }).inc_by(count);
}

/// Records the number of keys in a batch of a loader.
pub fn batch_loaded(loader: &'static str, keys: usize) {
    FAMILIES.loader_batches.get_or_create(&LoaderLabels { loader }).observe(keys as f64);
}

/// The kinds of cache entries that writes invalidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheKind {
    /// The answer to a request.
    Answer,
    /// A value from which answers are computed.
    Value,
    /// The read set of a live query; it has no metrics.
    Watch,
}

/// Records events of cached answers or values: `hit`, `miss`, `kept`, `refused`, `dropped` or `evicted`.
pub fn cached(kind: CacheKind, outcome: &'static str, count: u64) {
    let family = match kind {
        CacheKind::Answer => &FAMILIES.cached_answers,
        CacheKind::Value => &FAMILIES.cached_values,
        CacheKind::Watch => return,
    };
    if count > 0 {
        family.get_or_create(&OutcomeLabels { outcome }).inc_by(count);
    }
}

/// Sets the memory of all cached answers or values.
pub fn cache_bytes(kind: CacheKind, bytes: usize) {
    let gauge = match kind {
        CacheKind::Answer => &FAMILIES.cached_answer_bytes,
        CacheKind::Value => &FAMILIES.cached_value_bytes,
        CacheKind::Watch => return,
    };
    gauge.set(i64::try_from(bytes).unwrap_or(i64::MAX));
}

/// Records the look-up of a document that a client named: `trusted` (of a manifest), `hit`, `miss`, `registered`, or `refused`.
pub fn persisted_documents(outcome: &'static str) {
    FAMILIES.persisted_documents.get_or_create(&OutcomeLabels { outcome }).inc();
}

/// Sets the memory of the documents that clients have registered.
pub fn persisted_document_bytes(bytes: u64) {
    FAMILIES.persisted_document_bytes.set(i64::try_from(bytes).unwrap_or(i64::MAX));
}

/// Records a poll of the log on tables: `ok` or `failed`.
pub fn log_polled(outcome: &'static str) {
    FAMILIES.log_polls.get_or_create(&OutcomeLabels { outcome }).inc();
}

/// Records the age of the previous poll when a poll completes.
pub fn log_poll_age(age: Duration) {
    FAMILIES.log_poll_age.set(age.as_secs_f64());
}

/// Records missing entries of the log, after which all caches were invalidated.
pub fn log_gap() {
    FAMILIES.log_gaps.inc();
}

/// Records a purge of the CDN: `ok` or `failed`.
pub fn purged(outcome: &'static str) {
    FAMILIES.purges.get_or_create(&OutcomeLabels { outcome }).inc();
}

/// Records a message to a webhook: `ok` or `failed`.
pub fn webhook_sent(outcome: &'static str) {
    FAMILIES.webhook_messages.get_or_create(&OutcomeLabels { outcome }).inc();
}

/// Sets the number of tags that wait for a purge.
pub fn purges_waiting(tags: usize) {
    FAMILIES.purge_tags.set(tags.try_into().unwrap_or(i64::MAX));
}

/// Records the outcome of imported posts.
pub fn posts_imported(outcome: &'static str, count: usize) {
    FAMILIES.imported.get_or_create(&OutcomeLabels { outcome }).inc_by(count as u64);
}
