//! The spans of a trace: each stage of a request, and each request to the store. The rule: each span is created by a function here that documents
//! it; if traces are off, the span is disabled and costs one check of a flag.
//!
//! Names and attributes follow OpenTelemetry's semantic conventions for HTTP, GraphQL and databases; the others begin with `tidings.`. They contain
//! no slugs and no input of a client, except the path, a plain request id and the name of the operation.

use tracing::Span;
use tracing::field::Empty;

/// The target that distinguishes these spans from those of the log.
pub const TARGET: &str = "tidings_trace";
/// The client chooses the name of an operation; longer names are cut.
const OPERATION_NAME_BYTES_MAX: usize = 64;

macro_rules! span {
    ($name:literal $(, $($field:tt)+)?) => {
        tracing::info_span!(target: TARGET, $name $(, $($field)+)?)
    };
}

/// A request, from its head to its answer: a root span, or a child of the client's span.
pub fn request(method: &str, route: &str, path: &str, request_id: &str) -> Span {
    span!(
        "request",
        otel.name = format_args!("{method} {route}"),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = route,
        url.path = path,
        http.response.status_code = Empty,
        tidings.request.id = request_id,
    )
}

/// Records the answer to a request. Only a server error is an error of its span.
pub fn request_answered(span: &Span, status: u16) {
    span.record("http.response.status_code", status);
    if status >= 500 {
        span.record("otel.status_code", "ERROR");
    }
}

/// The arrival of the request's body.
pub fn receive() -> Span {
    span!("receive")
}

/// The checks before anything runs: the bytes, the parse, the limits, the choice of the operation.
pub fn admit() -> Span {
    span!("admit")
}

/// The execution of an operation, until its answer is written.
pub fn execute(operation: &'static str, name: Option<&str>) -> Span {
    let span = span!(
        "execute",
        otel.name = operation,
        "graphql.operation.type" = operation,
        graphql.operation.name = Empty,
        tidings.code = Empty,
    );
    if let Some(name) = name {
        span.record("graphql.operation.name", &name[..name.floor_char_boundary(OPERATION_NAME_BYTES_MAX)]);
    }
    span
}

/// Records the code of the operation's first error, or `OK`.
pub fn executed(span: &Span, code: &'static str) {
    span.record("tidings.code", code);
}

/// A batch of a loader: the keys that the fields of one level request.
pub fn load(loader: &'static str, keys: usize) -> Span {
    span!("load", otel.name = format_args!("load {loader}"), tidings.loader = loader, tidings.keys = keys)
}

/// A change of posts.
pub fn change(posts: usize) -> Span {
    span!("change", tidings.posts = posts)
}

/// The transaction of a change.
pub fn commit() -> Span {
    span!("commit")
}

/// One request to the store, with all its retries.
pub fn storage(system: &'static str, table: &'static str, operation: &'static str) -> Span {
    span!(
        "storage",
        otel.name = format_args!("{operation} {table}"),
        otel.kind = "client",
        otel.status_code = Empty,
        db.system.name = system,
        db.collection.name = table,
        db.operation.name = operation,
        db.operation.batch.size = Empty,
        db.response.returned_rows = Empty,
        "error.type" = Empty,
    )
}

/// Records how many rows a transaction writes.
pub fn storage_writes(span: &Span, rows: usize) {
    span.record("db.operation.batch.size", rows);
}

/// Records the end of a storage request. `failed`: the kind of the error, if it failed.
pub fn storage_done(span: &Span, rows: Option<u64>, failed: Option<&'static str>) {
    if let Some(rows) = rows {
        span.record("db.response.returned_rows", rows);
    }
    if let Some(failed) = failed {
        span.record("error.type", failed);
        span.record("otel.status_code", "ERROR");
    }
}
