//! The time limit of an answer. The rule: every request is answered within the limit, whatever its handler waits for.

use std::pin::pin;

use axum::{
    body::Body,
    extract::Request,
    http::{Response, StatusCode},
    response::IntoResponse,
};

use super::{answer::RequestFailure, api::Api};
use crate::graphql::error::Code;

/// Answers 504 and not 503, because the store behind this server did not answer in time, and because a proxy that retries after a 503 would
/// send a mutation twice.
pub(super) async fn limit_time<F>(api: &Api, request: Request, next: impl FnOnce(Request) -> F) -> Response<Body>
where
    F: Future<Output = Response<Body>>,
{
    let answering = pin!(next(request));
    match tokio::time::timeout(api.limits.request_time, answering).await {
        Ok(response) => response,
        Err(_elapsed) => {
            tracing::warn!(limit = ?api.limits.request_time, "a request was not answered in time");
            let message = format!(
                "No answer within {:?}. It is not known whether a mutation was applied.",
                api.limits.request_time
            );
            RequestFailure::new(StatusCode::GATEWAY_TIMEOUT, Code::Timeout, message).into_response()
        }
    }
}
