//! Reports each request to the operator: a log line, the metrics and the root span of its trace. The rule: of the client's input, only the
//! start of the path and a plain request id are reported, and only in the log and the trace.

use std::time::{Duration, Instant};

use axum::{
    body::Body,
    extract::Request,
    http::{Method, Response},
};
use tracing::{Instrument, Span};

use super::request_id::{RequestId, shortened};
use crate::model::feed_path;
use crate::telemetry::{metrics, spans, traces};

/// The routes that are reported by name; all other paths are reported as [`OTHER_ROUTE`].
const ROUTES: [&str; 6] = ["/graphql", "/", "/schema.graphql", "/mcp", "/healthz", "/readyz"];
/// The prefix of the playground's files, whose names change with each build.
const PLAYGROUND: &str = "/playground/";
/// The editor: its views, files and session.
const EDITOR: &str = "/editor";
/// The feeds of the site and of its tags, categories and authors, and the Markdown of its posts and pages.
const FEEDS: &str = "/feeds";
/// Pictures: uploads and downloads.
const ASSETS: &str = "/assets";
/// The sitemap and its parts.
const SITEMAPS: &str = "/sitemaps";
const OTHER_ROUTE: &str = "other";
/// Monitoring requests these routes every few seconds, so they are logged only at debug level.
const WATCHED: [&str; 2] = ["/healthz", "/readyz"];

/// The outcome of a request to `/graphql`, in the extensions of its answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct RequestOutcome {
    /// `query`, `mutation` or `batch`; `None` if no operation was chosen.
    pub operation: Option<&'static str>,
    /// The code of the first error, or `OK`.
    pub code: Option<&'static str>,
    /// Whether the answer was cached.
    pub is_cached: bool,
}

/// Runs inside the layer that assigns the request id.
pub(super) async fn observe<F>(request: Request, next: impl FnOnce(Request) -> F) -> Response<Body>
where
    F: Future<Output = Response<Body>>,
{
    let (begun, _in_flight) = (Instant::now(), metrics::request_begun());
    let (route, method) = (route_of(request.uri().path()), method_of(request.method()));
    let span = root(&request, method, route);
    let response = next(request).instrument(span.clone()).await;
    let (status, took) = (response.status().as_u16(), begun.elapsed());
    metrics::request_answered(route, method, status, took);
    spans::request_answered(&span, status);
    log(route, status, took, response.extensions().get().copied().unwrap_or_default());
    response
}

fn root(request: &Request, method: &'static str, route: &'static str) -> Span {
    let id = request.extensions().get::<RequestId>().and_then(|id| id.0.to_str().ok()).unwrap_or_default();
    let span = spans::request(method, route, shortened(request.uri().path()), id);
    traces::join(&span, &|name| request.headers().get(name)?.to_str().ok());
    if let Some(trace) = traces::trace_id(&span) {
        Span::current().record("trace_id", trace);
    }
    span
}

/// The span of the request id adds the method and the path to the line.
fn log(route: &'static str, status: u16, took: Duration, outcome: RequestOutcome) {
    let RequestOutcome { operation, code, .. } = outcome;
    let duration_ms = (took.as_secs_f64() * 1e6).round() / 1e3;
    if WATCHED.contains(&route) {
        tracing::debug!(target: "tidings::access", status, duration_ms, "http.request");
    } else {
        tracing::info!(target: "tidings::access", status, duration_ms, operation, code, "http.request");
    }
}

fn route_of(requested: &str) -> &'static str {
    if requested.starts_with(PLAYGROUND) {
        return PLAYGROUND;
    }
    if requested == EDITOR || requested.starts_with("/editor/") {
        return EDITOR;
    }
    if feed_path::is_feed(requested) {
        return FEEDS;
    }
    if requested == ASSETS || requested.starts_with("/assets/") {
        return ASSETS;
    }
    if feed_path::is_sitemap(requested) {
        return SITEMAPS;
    }
    ROUTES.into_iter().find(|route| *route == requested).unwrap_or(OTHER_ROUTE)
}

/// The method as a label. Clients can send arbitrary methods, so unknown ones share a label.
fn method_of(method: &Method) -> &'static str {
    let known = ["GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"];
    known.into_iter().find(|known| *known == method.as_str()).unwrap_or("_OTHER")
}
