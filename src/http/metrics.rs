//! `/metrics`, for Prometheus. The rule: it has a port of its own, for what a server is asked, and how it bears it, is not everyone's matter.

use axum::{Router, http::header, response::IntoResponse, routing::get};

use super::answer::RequestFailure;
use crate::telemetry::metrics;

/// The only route of the port.
pub fn router() -> Router {
    Router::new()
        .route("/metrics", get(tell))
        .fallback(async || RequestFailure::not_found())
        .method_not_allowed_fallback(async || RequestFailure::method_not_allowed())
}

async fn tell() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], metrics::text())
}
