//! `/metrics`, for Prometheus. The rule: it has its own port, because the metrics of a server are not public.

use axum::{Router, http::header, response::IntoResponse, routing::get};

use super::answer::RequestFailure;
use crate::telemetry::metrics;

/// The only route of the port.
pub fn router() -> Router {
    Router::new()
        .route("/metrics", get(metrics_text))
        .fallback(async || RequestFailure::not_found())
        .method_not_allowed_fallback(async || RequestFailure::method_not_allowed())
}

async fn metrics_text() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], metrics::text())
}
