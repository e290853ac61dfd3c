//! The settings of limits. The rule: the default is a constant of the module that enforces the limit, and its reason is documented there.

use super::{number, number_of_machine};
use crate::config::limits::{HTTP, QUERY, SERVER, in_seconds};
use crate::graphql::cost::STORAGE_REQUESTS_MAX;
use crate::graphql::texts::KEPT_BYTES_MAX;

/// async-graphql stops at 32 nested brackets, and brackets nest deeper than fields.
const QUERY_DEPTH_MAX: u64 = 31;

settings! {
    ALL:
    BODY_BYTES = number("limits.body_bytes", (1 << 10, 1 << 30), || HTTP.body_bytes as u64),
        "Bytes of a request's body.";
    BODY_SECONDS = number("limits.body_seconds", (1, 3_600), || in_seconds(HTTP.body_time)),
        "Seconds that a body may take to arrive.";
    REQUEST_SECONDS = number("limits.request_seconds", (1, 3_600), || in_seconds(HTTP.request_time)),
        "Seconds that an answer may take, including the arrival of the body.";
    URI_BYTES = number("limits.uri_bytes", (1 << 10, 1 << 20), || HTTP.uri_bytes as u64),
        "Bytes of the URL of a GET, including its query.";
    RUNNING = number("limits.running", (1, 1_000_000), || HTTP.running as u64),
        "Requests that run at once, on all connections; further requests wait.";
    CLIENT_REQUESTS = number("limits.client_requests", (1, 1_000_000), || HTTP.client_requests as u64),
        "Requests that one client may have in progress. Applies if client_address_header is set.";
    CONNECTIONS = number("limits.connections", (1, 1_000_000), || SERVER.connections as u64),
        "Connections open at once. Each takes one of the open files that the system allows a process.";
    ADDRESS_CONNECTIONS = number("limits.address_connections", (1, 1_000_000), || SERVER.address_connections as u64),
        "Connections of one client address open at once. A proxy has one address for all its clients.";
    HEAD_BYTES = number("limits.head_bytes", (8 << 10, 1 << 20), || SERVER.head_bytes as u64),
        "Bytes of a request's head, which includes the document of a GET.";
    IDLE_SECONDS = number("limits.idle_seconds", (1, 3_600), || in_seconds(SERVER.idle_time)),
        "Seconds that a connection may be idle, or the head of a request may take. Set it higher than the idle time of a proxy in front.";
    WRITE_SECONDS = number("limits.write_seconds", (1, 3_600), || in_seconds(SERVER.write_time)),
        "Seconds in which a client may receive no byte of its answer.";
    ANSWER_SECONDS = number("limits.answer_seconds", (1, 86_400), || in_seconds(SERVER.answer_time)),
        "Seconds that a client may take to receive a whole answer.";
    ANSWER_BYTES = number("limits.answer_bytes", (1 << 20, 1 << 40), || SERVER.answer_bytes),
        "Bytes of requests in progress and of answers that clients have not received yet, on all connections; the first 64 KiB of each do not count. \
         Set it higher than limits.body_bytes.";
    STOP_SECONDS = number("limits.stop_seconds", (1, 3_600), || in_seconds(SERVER.stop_time)),
        "Seconds that a stop waits for the requests in progress.";
    QUERY_BYTES = number("limits.query_bytes", (1 << 10, 1 << 20), || QUERY.document_bytes as u64),
        "Bytes of a document.";
    QUERY_DEPTH = number("limits.query_depth", (1, QUERY_DEPTH_MAX), || QUERY.depth as u64),
        "Levels of fields within fields.";
    QUERY_FIELDS = number("limits.query_fields", (1, 100_000), || QUERY.fields as u64),
        "Fields of a document; a fragment counts each time it is spread.";
    QUERY_ALIASES = number("limits.query_aliases", (0, 100_000), || QUERY.aliases as u64), "Aliases of a document.";
    QUERY_DIRECTIVES = number("limits.query_directives", (0, 100_000), || QUERY.directives as u64),
        "Directives of a document.";
    QUERY_TOKENS = number("limits.query_tokens", (1, 1_000_000), || QUERY.tokens as u64), "Tokens of a document.";
    QUERY_ROOT_FIELDS = number("limits.query_root_fields", (1, 10_000), || QUERY.root_fields as u64),
        "Root fields of an operation: queries or mutations.";
    STORAGE_REQUESTS = number("limits.storage_requests", (1, 1_000_000_000), || STORAGE_REQUESTS_MAX),
        "Storage requests that a query may need at most; a query that could need more is refused before it runs.";
    RENDERED_BYTES = number("limits.rendered_bytes", (0, 1 << 40), || KEPT_BYTES_MAX as u64),
        "Bytes of rendered bodies that are cached in memory; a body that is not cached is rendered again for each answer.";
    ANSWER_CACHE_BYTES = number_of_machine("limits.answer_cache_bytes", (0, 1 << 40)),
        "Bytes of answers to anonymous queries that are cached in memory until what they show changes; 0: no cache. Not set: a fortieth of the memory of the \
         machine or its cgroup, from 16 MiB to 256 MiB.";
    VALUE_CACHE_BYTES = number_of_machine("limits.value_cache_bytes", (0, 1 << 40)),
        "Bytes of posts, terms, pages and counts that are cached in memory until they change; 0: no cache. Not set: a tenth of the memory of the machine or its \
         cgroup, from 48 MiB to 1 GiB.";
    PERSISTED_BYTES = number("limits.persisted_bytes", (0, 1 << 40), || HTTP.persisted_bytes as u64),
        "Bytes of documents that clients register by their hashes (automatic persisted queries); 0 registers none.";
}
