//! All metrics with their names, labels and help texts. The rule: names follow the conventions of Prometheus: a prefix, the unit last, `_total` for
//! counters. The encoder adds `_total` and the units.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Metric, Registry, Unit};

use std::sync::atomic::AtomicU64;

use super::process::Process;

/// A struct for the labels of a metric, with a field for each label.
macro_rules! labels {
    ($($name:ident { $($label:ident: $kind:ty),+ })+) => {$(
        #[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
        pub(super) struct $name { $(pub $label: $kind),+ }
    )+};
}

labels! {
    HttpLabels { route: &'static str, method: &'static str, status: u16 }
    HttpTimeLabels { route: &'static str, method: &'static str }
    OperationLabels { operation: &'static str, code: &'static str }
    OperationTimeLabels { operation: &'static str }
    StorageLabels { store: &'static str, table: &'static str, operation: &'static str, outcome: &'static str }
    StorageTimeLabels { store: &'static str, operation: &'static str }
    TableLabels { table: &'static str }
    RetryLabels { reason: &'static str }
    WriteLabels { what: &'static str, outcome: &'static str }
    LoaderLabels { loader: &'static str }
    OutcomeLabels { outcome: &'static str }
    RateLimitLabels { scope: &'static str }
}

/// The reasons for which a request to the store is sent again.
const RETRY_REASONS: [&str; 3] = ["throttled", "no_answer", "server_error"];
/// The limits by which operations are refused.
const RATE_LIMITS: [&str; 4] = ["token", "address", "anonymous", "refused_token"];
/// The outcomes of named documents, of polls and of purges.
const PERSISTED: [&str; 5] = ["trusted", "hit", "miss", "registered", "refused"];
const POLLED: [&str; 2] = ["ok", "failed"];
const PURGED: [&str; 2] = ["ok", "failed"];

type Durations<L> = Family<L, Histogram, fn() -> Histogram>;

pub(super) struct Families {
    registry: Registry,
    pub process_start: Gauge<f64, AtomicU64>,
    pub posts: Gauge,
    pub store_file_bytes: Gauge,
    pub connections: Counter,
    pub connections_open: Gauge,
    pub requests_in_flight: Gauge,
    pub subscriptions: Gauge,
    pub http_requests: Family<HttpLabels, Counter>,
    pub http_durations: Durations<HttpTimeLabels>,
    pub operations: Family<OperationLabels, Counter>,
    pub operation_durations: Durations<OperationTimeLabels>,
    pub query_bounds: Histogram,
    pub query_costs: Histogram,
    pub query_rows: Histogram,
    pub query_bytes: Histogram,
    pub query_round_trips: Histogram,
    pub rate_limited: Family<RateLimitLabels, Counter>,
    pub storage_requests: Family<StorageLabels, Counter>,
    pub storage_durations: Durations<StorageTimeLabels>,
    pub storage_retries: Family<RetryLabels, Counter>,
    pub storage_clock_skew: Gauge<f64, AtomicU64>,
    pub rows_read: Family<TableLabels, Counter>,
    pub pointers_skipped: Counter,
    pub changes: Family<WriteLabels, Counter>,
    pub loader_batches: Durations<LoaderLabels>,
    pub imported: Family<OutcomeLabels, Counter>,
    pub held_answers: Family<OutcomeLabels, Counter>,
    pub held_answer_bytes: Gauge,
    pub held_values: Family<OutcomeLabels, Counter>,
    pub held_value_bytes: Gauge,
    pub persisted_documents: Family<OutcomeLabels, Counter>,
    pub persisted_document_bytes: Gauge,
    pub log_polls: Family<OutcomeLabels, Counter>,
    pub log_poll_age: Gauge<f64, AtomicU64>,
    pub log_gaps: Counter,
    pub purges: Family<OutcomeLabels, Counter>,
    pub purge_tags: Gauge,
}

impl Families {
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("writing to a string cannot fail");
        text
    }
}

impl Default for Families {
    fn default() -> Self {
        let mut all = Registering(Registry::default());
        let retries = at_zero(RETRY_REASONS.map(|reason| RetryLabels { reason }));
        let (skew, poll_age) = (Gauge::default(), Gauge::default());
        let [query_bounds, query_costs, query_rows, query_bytes, query_round_trips] = all.queries();
        let (process_start, rate_limited) = (all.process(), all.rate_limited());
        let (persisted_documents, persisted_document_bytes) = all.persisted();
        Self {
            process_start,
            posts: all.plain("tidings_posts", "Posts that everyone can see", Gauge::default()),
            store_file_bytes: all.plain("tidings_store_file_bytes", "Size of the store file", Gauge::default()),
            connections: all.plain("tidings_connections", "Connections accepted", Counter::default()),
            connections_open: all.plain("tidings_connections_open", "Connections open now", Gauge::default()),
            requests_in_flight: all.plain("tidings_requests_in_flight", "Requests not yet answered", Gauge::default()),
            subscriptions: all.plain("tidings_subscriptions", "Subscriptions that wait for events", Gauge::default()),
            http_requests: all.plain("tidings_http_requests", "Requests answered", Family::default()),
            http_durations: all.timed(
                "tidings_http_request_duration",
                "From the request's head to the answer",
                durations(),
            ),
            operations: all.plain("tidings_graphql_operations", "Operations answered", Family::default()),
            operation_durations: all.timed(
                "tidings_graphql_operation_duration",
                "From the text of the operation to its answer",
                durations(),
            ),
            query_bounds,
            query_costs,
            query_rows,
            query_bytes,
            query_round_trips,
            rate_limited,
            storage_requests: all.plain("tidings_storage_requests", "Requests to the store", Family::default()),
            storage_durations: all.timed(
                "tidings_storage_request_duration",
                "Duration of a request with all its retries",
                durations(),
            ),
            storage_retries: all.plain("tidings_storage_retries", "Requests to the store sent again", retries),
            storage_clock_skew: all.timed("tidings_storage_clock_skew", "This server's clock minus Azure's", skew),
            rows_read: all.plain("tidings_storage_rows_read", "Rows that reads returned", Family::default()),
            pointers_skipped: all.plain(
                "tidings_pointers_skipped",
                "Pointers that no post confirms, skipped",
                Counter::default(),
            ),
            changes: all.plain("tidings_changes", "Changes by outcome", Family::default()),
            loader_batches: all.plain(
                "tidings_loader_batch_keys",
                "Keys that a loader looks up together",
                Family::new_with_constructor(counts as fn() -> Histogram),
            ),
            imported: all.plain("tidings_imported_posts", "Imported posts by outcome", Family::default()),
            held_answers: all.plain("tidings_held_answers", "Held answers by what happened to them", Family::default()),
            held_answer_bytes: all.plain("tidings_held_answer_bytes", "Memory of the held answers", Gauge::default()),
            held_values: all.plain("tidings_held_values", "Held values by what happened to them", Family::default()),
            held_value_bytes: all.plain("tidings_held_value_bytes", "Memory of the held values", Gauge::default()),
            persisted_documents,
            persisted_document_bytes,
            log_polls: all.plain("tidings_log_polls", "Polls of the log by outcome", of_outcomes(&POLLED)),
            log_poll_age: all.timed("tidings_log_poll_age", "Age of the poll before the last one at its end", poll_age),
            log_gaps: all.plain("tidings_log_gaps", "Times that entries of the log were missing", Counter::default()),
            purges: all.plain("tidings_purges", "Purges of the CDN by outcome", of_outcomes(&PURGED)),
            purge_tags: all.plain("tidings_purge_tags", "Tags that wait for a purge of the CDN", Gauge::default()),
            registry: all.0,
        }
    }
}

/// Exported as 0 before the first event, because a rate needs both values.
fn at_zero<L: Clone + std::hash::Hash + Eq>(labels: impl IntoIterator<Item = L>) -> Family<L, Counter> {
    let family = Family::default();
    labels.into_iter().for_each(|labels| drop(family.get_or_create(&labels)));
    family
}

fn of_outcomes(outcomes: &[&'static str]) -> Family<OutcomeLabels, Counter> {
    at_zero(outcomes.iter().map(|outcome| OutcomeLabels { outcome }))
}

struct Registering(Registry);

impl Registering {
    fn plain<M: Metric + Clone>(&mut self, name: &str, help: &str, metric: M) -> M {
        self.0.register(name, help, metric.clone());
        metric
    }

    /// A metric in seconds; the encoder appends the unit to its name.
    fn timed<M: Metric + Clone>(&mut self, name: &str, help: &str, metric: M) -> M {
        self.0.register_with_unit(name, help, Unit::Seconds, metric.clone());
        metric
    }

    /// The build, and what the process uses. Returns when it started.
    fn process(&mut self) -> Gauge<f64, AtomicU64> {
        self.0.register_collector(Box::new(Process));
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        self.0.register("tidings_build", "The build that is running", version);
        self.timed("process_start_time", "When the process started, since 1970", Gauge::default())
    }

    /// What queries could need and needed: their bounds, storage requests, rows, bytes and round trips.
    fn queries(&mut self) -> [Histogram; 5] {
        let round_trips = Histogram::new(exponential_buckets(1.0, 2.0, 8));
        [
            self.plain("tidings_query_bound_requests", "Storage requests that a query could need", counts()),
            self.plain("tidings_query_cost_requests", "Storage requests that a query needed", counts()),
            self.plain("tidings_query_rows", "Rows that the reads of a query returned", counts()),
            self.plain("tidings_query_row_bytes", "Bytes of the rows that a query read", bytes()),
            self.plain(
                "tidings_query_round_trips",
                "Storage requests of a query that waited for each other",
                round_trips,
            ),
        ]
    }

    /// The operations that were refused by a limit of what a client may cost in a second.
    fn rate_limited(&mut self) -> Family<RateLimitLabels, Counter> {
        let limited = at_zero(RATE_LIMITS.map(|scope| RateLimitLabels { scope }));
        self.plain("tidings_rate_limited", "Operations refused by a limit of fair use", limited)
    }

    /// The documents that clients name, and their memory.
    fn persisted(&mut self) -> (Family<OutcomeLabels, Counter>, Gauge) {
        let outcomes = of_outcomes(&PERSISTED);
        let help = "Documents that clients named, by what happened to them";
        let outcomes = self.plain("tidings_persisted_documents", help, outcomes);
        let help = "Memory of the documents that clients have registered";
        (outcomes, self.plain("tidings_persisted_document_bytes", help, Gauge::default()))
    }
}

/// Bounds of the buckets in seconds, three for each power of ten, so that a p99 can be estimated from them: from 0.1 ms, which a read of
/// the file takes, to 30 s, the deadline of a request.
#[rustfmt::skip]
const SECONDS: [f64; 18] = [
    0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0,
];

fn durations<L: Clone + std::hash::Hash + Eq>() -> Durations<L> {
    Family::new_with_constructor(|| Histogram::new(SECONDS))
}

/// Bounds of the buckets from 256 bytes to 16 MiB, each four times the previous one.
fn bytes() -> Histogram {
    Histogram::new(exponential_buckets(256.0, 4.0, 9))
}

/// Bounds of the buckets from 1 to 65,536, each four times the previous one.
fn counts() -> Histogram {
    Histogram::new(exponential_buckets(1.0, 4.0, 9))
}
