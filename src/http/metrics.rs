//! `/metrics`, for Prometheus. The rule: metrics have their own port, because they are not public.

use axum::{Router, http::header, response::IntoResponse, routing::get};

use super::answer::RequestFailure;
use crate::telemetry::metrics;

/// The only route of the port. `measure` updates the metrics that are read on demand; each answer waits for it.
pub fn router<F>(measure: impl Fn() -> F + Clone + Send + Sync + 'static) -> Router
where
    F: Future<Output = ()> + Send + 'static,
{
    Router::new()
        .route(
            "/metrics",
            get(async move || {
                measure().await;
                metrics_text()
            }),
        )
        .fallback(async || RequestFailure::not_found())
        .method_not_allowed_fallback(async || RequestFailure::method_not_allowed())
}

fn metrics_text() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], metrics::text())
}
