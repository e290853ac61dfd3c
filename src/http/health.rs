//! Routes for operators: liveness, readiness and the schema. The rule: these routes execute no GraphQL operation.

use std::{fmt, sync::Arc, time::Duration};

use axum::{
    Json,
    body::Bytes,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use futures_util::future::BoxFuture;
use serde_json::json;

use super::{answer::RequestFailure, api::Api};

/// How long the readiness check may take; load balancers wait only a few seconds.
const CHECK_TIME: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub struct Readiness(Arc<dyn Fn() -> BoxFuture<'static, Result<Ready, NotReady>> + Send + Sync>);

/// The state of the search index; `None` if search is turned off. Requests are served even before it is built.
pub type Ready = Option<&'static str>;

/// Why requests cannot be served: a word for the operator, such as `store`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotReady(pub &'static str);

impl Readiness {
    pub fn new<Check, Checked>(check: Check) -> Self
    where
        Check: Fn() -> Checked + Send + Sync + 'static,
        Checked: Future<Output = Result<Ready, NotReady>> + Send + 'static,
    {
        Self(Arc::new(move || Box::pin(check())))
    }
}

impl fmt::Debug for Readiness {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Readiness")
    }
}

/// Reports that the process is alive. The store is not checked, because a restart of the server would not repair it.
pub(super) async fn healthz() -> impl IntoResponse {
    Json(json!({"status": "ok"}))
}

/// Reports whether requests can be served. A check that does not end in time has failed.
pub(super) async fn readyz(State(api): State<Arc<Api>>) -> impl IntoResponse {
    let checked = tokio::time::timeout(CHECK_TIME, (api.readiness.0)()).await;
    match checked.unwrap_or(Err(NotReady("timeout"))) {
        Ok(None) => (StatusCode::OK, Json(json!({"status": "ready"}))),
        Ok(Some(search)) => (StatusCode::OK, Json(json!({"status": "ready", "search": search}))),
        Err(NotReady(reason)) => {
            (StatusCode::SERVICE_UNAVAILABLE, Json(json!({"status": "unavailable", "reason": reason})))
        }
    }
}

pub(super) async fn schema(State(api): State<Arc<Api>>) -> impl IntoResponse {
    let sdl: Bytes = api.sdl().ok_or_else(RequestFailure::not_found)?;
    Ok::<_, RequestFailure>(([(header::CONTENT_TYPE, "application/graphql; charset=utf-8")], sdl))
}
