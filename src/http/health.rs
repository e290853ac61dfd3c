//! Whether the server lives and can answer, and what it can answer: for those who operate it. The rule: these routes run no
//! query.

use std::{fmt, sync::Arc};

use axum::{
    Json,
    body::Bytes,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use futures_util::future::BoxFuture;
use serde_json::json;

use super::{Api, answer::RequestFailure};

/// Answers where requests can be served at this moment.
#[derive(Clone)]
pub struct Readiness(Arc<dyn Fn() -> BoxFuture<'static, Result<(), NotReady>> + Send + Sync>);

/// Why requests cannot be served: a word for whoever operates the server, such as `store`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotReady(pub &'static str);

impl Readiness {
    pub fn new<Check, Checked>(check: Check) -> Self
    where
        Check: Fn() -> Checked + Send + Sync + 'static,
        Checked: Future<Output = Result<(), NotReady>> + Send + 'static,
    {
        Self(Arc::new(move || Box::pin(check())))
    }
}

impl fmt::Debug for Readiness {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Readiness")
    }
}

/// The process lives. It says nothing of the store: a restart would not bring that back.
pub(super) async fn healthz() -> impl IntoResponse {
    Json(json!({"status": "ok"}))
}

/// Requests can be served. A check that does not end in time is answered as one that failed.
pub(super) async fn readyz(State(api): State<Arc<Api>>) -> impl IntoResponse {
    let checked = tokio::time::timeout(api.limits.readiness_time, (api.readiness.0)()).await;
    match checked.unwrap_or(Err(NotReady("timeout"))) {
        Ok(()) => (StatusCode::OK, Json(json!({"status": "ready"}))),
        Err(NotReady(reason)) => {
            (StatusCode::SERVICE_UNAVAILABLE, Json(json!({"status": "unavailable", "reason": reason})))
        }
    }
}

/// The schema as SDL, where introspection may tell it too.
pub(super) async fn schema(State(api): State<Arc<Api>>) -> impl IntoResponse {
    let sdl: Bytes = api.sdl.clone().ok_or_else(RequestFailure::not_found)?;
    Ok::<_, RequestFailure>(([(header::CONTENT_TYPE, "application/graphql; charset=utf-8")], sdl))
}
