//! All metrics with their names, labels and help texts. The rule: names follow the conventions of Prometheus: a prefix, the unit last, `_total` for
//! counters. The encoder adds `_total` and the units.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

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
    HttpLabels { route: String, method: &'static str, status: u16 }
    HttpTimeLabels { route: String, method: &'static str }
    OperationLabels { operation: &'static str, code: &'static str }
    OperationTimeLabels { operation: &'static str }
    StorageLabels { store: &'static str, table: &'static str, operation: &'static str, outcome: &'static str }
    StorageTimeLabels { store: &'static str, operation: &'static str }
    TableLabels { table: &'static str }
    ChargeLabels { operation: &'static str }
    RetryLabels { reason: &'static str }
    WriteLabels { what: &'static str, outcome: &'static str }
    LoaderLabels { loader: &'static str }
    OutcomeLabels { outcome: &'static str }
    RateLimitLabels { scope: &'static str }
}

type Durations<L> = Family<L, Histogram, fn() -> Histogram>;
type Seconds = Gauge<f64, AtomicU64>;

/// Defines the metrics: kind, name, `in Seconds` if the encoder appends this unit, help text, and the initial value unless it is empty.
macro_rules! families {
    ($($field:ident: $kind:ty, $name:literal $(in $unit:ident)?, $help:literal $(, $begin:expr)?;)+) => {
        pub(super) struct Families {
            registry: Registry,
            $(pub $field: $kind,)+
        }

        impl Default for Families {
            fn default() -> Self {
                let mut registry = Registry::default();
                registry.register_collector(Box::new(Process));
                let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
                registry.register("tidings_build", "The build that is running", version);
                $(
                    let $field: $kind = families!(@begin $($begin)?);
                    families!(@register registry, $field, $name, $help $(, $unit)?);
                )+
                Self { registry, $($field),+ }
            }
        }
    };
    (@begin) => { Default::default() };
    (@begin $begin:expr) => { $begin };
    (@register $registry:ident, $field:ident, $name:literal, $help:literal) => {
        $registry.register($name, $help, $field.clone())
    };
    (@register $registry:ident, $field:ident, $name:literal, $help:literal, $unit:ident) => {
        $registry.register_with_unit($name, $help, Unit::$unit, $field.clone())
    };
}

families! {
    process_start: Seconds, "process_start_time" in Seconds, "When the process started, since 1970";
    posts: Gauge, "tidings_posts", "Posts that everyone can see";
    store_file_bytes: Gauge, "tidings_store_file_bytes", "Size of the store file";
    search_documents: Gauge, "tidings_search_documents", "Posts and pages in the search index of this server";
    search_bytes: Gauge, "tidings_search_bytes", "Size of the search index";
    connections: Counter, "tidings_connections", "Connections accepted";
    connections_open: Gauge, "tidings_connections_open", "Connections open now";
    requests_in_flight: Gauge, "tidings_requests_in_flight", "Requests not yet answered";
    subscriptions: Gauge, "tidings_subscriptions", "Subscriptions that wait for events";
    http_requests: Family<HttpLabels, Counter>, "tidings_http_requests", "Requests answered";
    http_durations: Durations<HttpTimeLabels>, "tidings_http_request_duration" in Seconds,
        "From the request's head to the answer", durations();
    operations: Family<OperationLabels, Counter>, "tidings_graphql_operations", "Operations answered";
    operation_durations: Durations<OperationTimeLabels>, "tidings_graphql_operation_duration" in Seconds,
        "From the text of the operation to its answer", durations();
    query_bounds: Histogram, "tidings_query_bound_requests", "Storage requests that a query could need", counts();
    query_costs: Histogram, "tidings_query_cost_requests", "Storage requests that a query needed", counts();
    query_rows: Histogram, "tidings_query_rows", "Rows that the reads of a query returned", counts();
    query_bytes: Histogram, "tidings_query_row_bytes", "Bytes of the rows that a query read", bytes();
    query_round_trips: Histogram, "tidings_query_round_trips", "Storage requests of a query that waited for each other",
        Histogram::new(exponential_buckets(1.0, 2.0, 8));
    rate_limited: Family<RateLimitLabels, Counter>, "tidings_rate_limited",
        "Operations refused by a limit of fair use",
        at_zero(["token", "address", "anonymous", "refused_token"].map(|scope| RateLimitLabels { scope }));
    storage_requests: Family<StorageLabels, Counter>, "tidings_storage_requests", "Requests to the store";
    storage_durations: Durations<StorageTimeLabels>, "tidings_storage_request_duration" in Seconds,
        "Duration of a request with all its retries", durations();
    storage_retries: Family<RetryLabels, Counter>, "tidings_storage_retries", "Requests to the store sent again",
        at_zero(["throttled", "no_answer", "server_error"].map(|reason| RetryLabels { reason }));
    request_units: Family<ChargeLabels, Counter<f64, AtomicU64>>, "tidings_storage_request_units",
        "Request units that Cosmos DB charged",
        at_zero(["get", "range", "commit", "scan"].map(|operation| ChargeLabels { operation }));
    storage_clock_skew: Seconds, "tidings_storage_clock_skew" in Seconds, "This server's clock minus Azure's";
    rows_read: Family<TableLabels, Counter>, "tidings_storage_rows_read", "Rows that reads returned";
    pointers_skipped: Counter, "tidings_pointers_skipped", "Pointers that no post confirms, skipped";
    changes: Family<WriteLabels, Counter>, "tidings_changes", "Changes by outcome";
    loader_batches: Durations<LoaderLabels>, "tidings_loader_batch_keys", "Keys that a loader looks up together",
        Family::new_with_constructor(counts as fn() -> Histogram);
    imported: Family<OutcomeLabels, Counter>, "tidings_imported_posts", "Imported posts by outcome";
    cached_answers: Family<OutcomeLabels, Counter>, "tidings_cached_answers", "Cached answers by what happened to them";
    cached_answer_bytes: Gauge, "tidings_cached_answer_bytes", "Memory of the cached answers";
    cached_values: Family<OutcomeLabels, Counter>, "tidings_cached_values", "Cached values by what happened to them";
    cached_value_bytes: Gauge, "tidings_cached_value_bytes", "Memory of the cached values";
    persisted_documents: Family<OutcomeLabels, Counter>, "tidings_persisted_documents",
        "Documents that clients named, by what happened to them",
        of_outcomes(&["trusted", "hit", "miss", "registered", "refused"]);
    persisted_document_bytes: Gauge, "tidings_persisted_document_bytes",
        "Memory of the documents that clients have registered";
    log_polls: Family<OutcomeLabels, Counter>, "tidings_log_polls", "Polls of the log by outcome",
        of_outcomes(&["ok", "failed"]);
    log_poll_age: Seconds, "tidings_log_poll_age" in Seconds, "Age of the poll before the last one at its end";
    log_gaps: Counter, "tidings_log_gaps", "Times that entries of the log were missing";
    backed_up: Seconds, "tidings_backup_last_success_timestamp" in Seconds,
        "The instant up to which the place of the backup has everything, since 1970";
    purges: Family<OutcomeLabels, Counter>, "tidings_purges", "Purges of the CDN by outcome",
        of_outcomes(&["ok", "failed"]);
    webhook_messages: Family<OutcomeLabels, Counter>, "tidings_webhook_messages", "Messages to webhooks by outcome",
        of_outcomes(&["ok", "failed"]);
    purge_tags: Gauge, "tidings_purge_tags", "Tags that wait for a purge of the CDN";
}

impl Families {
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("writing to a string cannot fail");
        text
    }
}

/// The metric is exported as 0 before the first event, because a rate needs both values.
fn at_zero<L, M>(labels: impl IntoIterator<Item = L>) -> Family<L, M>
where
    L: Clone + std::hash::Hash + Eq,
    M: Default,
{
    let family = Family::default();
    labels.into_iter().for_each(|labels| drop(family.get_or_create(&labels)));
    family
}

fn of_outcomes(outcomes: &[&'static str]) -> Family<OutcomeLabels, Counter> {
    at_zero(outcomes.iter().map(|outcome| OutcomeLabels { outcome }))
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
