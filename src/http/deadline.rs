//! How long an answer may take. The rule: every request is answered within the limit, whatever its handler waits for.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Request, State},
    http::{Response, StatusCode},
    middleware::Next,
    response::IntoResponse,
};

use super::{Api, answer::RequestFailure};
use crate::graphql::error::Code;

/// 504 and not 503: what did not answer in time stands behind this server, and a proxy that sends a 503 again would send a
/// mutation twice.
pub async fn limit_time(State(api): State<Arc<Api>>, request: Request, next: Next) -> Response<Body> {
    match tokio::time::timeout(api.limits.request_time, next.run(request)).await {
        Ok(response) => response,
        Err(_elapsed) => {
            tracing::warn!(limit = ?api.limits.request_time, "a request was not answered in time");
            let message =
                format!("No answer within {:?}. Whether a mutation was made is not known.", api.limits.request_time);
            RequestFailure::new(StatusCode::GATEWAY_TIMEOUT, Code::Timeout, message).into_response()
        }
    }
}
