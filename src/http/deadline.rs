//! The time limit of an answer. The rule: every request is answered within the limit, whatever its handler waits for.

use std::pin::pin;

use axum::{
    body::Body,
    extract::Request,
    http::{Response, StatusCode},
    response::IntoResponse,
};

use super::{answer::RequestFailure, api::Api, assets};
use crate::graphql::error::Code;

/// Answers 504 and not 503, because the store did not answer in time, and because a proxy that retries after a 503 would send a mutation
/// twice.
pub(super) async fn limit_time<F>(api: &Api, request: Request, next: impl FnOnce(Request) -> F) -> Response<Body>
where
    F: Future<Output = Response<Body>>,
{
    // The upload of a picture has its own time limit, in addition to that of the answer.
    let limit = api.limits.request_time + assets::receive_time(api, &request);
    let answering = pin!(next(request));
    match tokio::time::timeout(limit, answering).await {
        Ok(response) => response,
        Err(_elapsed) => {
            tracing::warn!(?limit, "a request was not answered in time");
            let message = format!("No answer within {limit:?}. It is not known whether a mutation was applied.");
            RequestFailure::new(StatusCode::GATEWAY_TIMEOUT, Code::Timeout, message).into_response()
        }
    }
}
