//! Metrics, as Prometheus reads them. The rule: a label's value is a word of the code, never of a client or an editor, so that the number of
//! series is bounded.
//!
//! They are the process's, and always counted: it costs less than to ask whether somebody wants them.

mod families;

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use prometheus_client::metrics::gauge::Gauge;

use families::{
    Families, HttpLabels, HttpTimeLabels, LoaderLabels, OperationLabels, OperationTimeLabels, OutcomeLabels,
    RetryLabels, StorageLabels, StorageTimeLabels, TableLabels, WriteLabels,
};

static FAMILIES: LazyLock<Families> = LazyLock::new(Families::default);

/// The type of [`text`], "OpenMetrics 1.0".
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Everything that is counted, in OpenMetrics' text form.
pub fn text() -> String {
    FAMILIES.text()
}

/// The process has started, so many seconds after 1970.
pub fn started(unix_seconds: f64) {
    FAMILIES.process_start.set(unix_seconds);
}

/// Counts as one more for as long as it is kept.
pub struct HeldGauge(&'static Gauge);

impl HeldGauge {
    fn new(gauge: &'static Gauge) -> Self {
        gauge.inc();
        Self(gauge)
    }
}

impl Drop for HeldGauge {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// A connection was taken; it is open for as long as the answer is kept.
pub fn connection_opened() -> HeldGauge {
    FAMILIES.connections.inc();
    HeldGauge::new(&FAMILIES.connections_open)
}

/// A request has begun; it is in flight for as long as the answer is kept.
pub fn request_begun() -> HeldGauge {
    HeldGauge::new(&FAMILIES.requests_in_flight)
}

/// A request was answered. `route`: as the router has it.
pub fn request_answered(route: &'static str, method: &'static str, status: u16, took: Duration) {
    FAMILIES.http_requests.get_or_create(&HttpLabels { route, method, status }).inc();
    FAMILIES.http_durations.get_or_create(&HttpTimeLabels { route, method }).observe(took.as_secs_f64());
}

/// A GraphQL operation was answered: `code` is that of its first error, or `OK`.
pub fn operation_answered(operation: &'static str, code: &'static str, took: Duration) {
    FAMILIES.operations.get_or_create(&OperationLabels { operation, code }).inc();
    FAMILIES.operation_durations.get_or_create(&OperationTimeLabels { operation }).observe(took.as_secs_f64());
}

/// What a query could have cost at the most, and what it did, in storage requests.
pub fn query_cost(bound: u64, used: u32) {
    FAMILIES.query_bounds.observe(bound as f64);
    FAMILIES.query_costs.observe(f64::from(used));
}

/// Requests of one kind to the store, answered together.
#[derive(Debug, Clone, Copy)]
pub struct StorageRequests {
    pub store: &'static str,
    pub table: &'static str,
    pub operation: &'static str,
    pub begun: Instant,
}

impl StorageRequests {
    /// So many of them ended like this.
    pub fn ended(&self, outcome: &'static str, requests: u64) {
        let Self { store, table, operation, .. } = *self;
        FAMILIES.storage_requests.get_or_create(&StorageLabels { store, table, operation, outcome }).inc_by(requests);
    }

    /// All of them have; with so many rows.
    pub fn done(&self, rows: u64) {
        let Self { store, table, operation, begun } = *self;
        let durations = FAMILIES.storage_durations.get_or_create(&StorageTimeLabels { store, operation });
        durations.observe(begun.elapsed().as_secs_f64());
        if rows > 0 {
            FAMILIES.rows_read.get_or_create(&TableLabels { table }).inc_by(rows);
        }
    }
}

/// A request to the store is sent once more. `reason`: `throttled`, `no_answer`, or `server_error`.
pub fn storage_retried(reason: &'static str) {
    FAMILIES.storage_retries.get_or_create(&RetryLabels { reason }).inc();
}

/// How far this server's clock is ahead of the storage's.
pub fn storage_clock_skew(seconds: f64) {
    FAMILIES.storage_clock_skew.set(seconds);
}

/// Pointers that lead to no post which bears them out, and were passed over.
pub fn pointers_skipped(count: u64) {
    FAMILIES.pointers_skipped.inc_by(count);
}

/// What became of changes. `what`: `post` or `term`.
pub fn changes_ended(what: &'static str, outcome: &'static str, count: u64) {
    FAMILIES.changes.get_or_create(&WriteLabels { what, outcome }).inc_by(count);
}

/// A change that was left unfinished was settled.
pub fn change_recovered() {
    FAMILIES.changes_recovered.inc();
}

/// A change could not be settled and is left to the next recovery.
pub fn change_left() {
    FAMILIES.changes_left.inc();
}

/// Keys that one round of a loader looks up together.
pub fn batch_loaded(loader: &'static str, keys: usize) {
    FAMILIES.loader_batches.get_or_create(&LoaderLabels { loader }).observe(keys as f64);
}

/// What became of posts that were imported.
pub fn posts_imported(outcome: &'static str, count: usize) {
    FAMILIES.imported.get_or_create(&OutcomeLabels { outcome }).inc_by(count as u64);
}
