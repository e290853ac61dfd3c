//! The header `Tidings-Position`. The rule: a request with the position of an earlier answer reads at least what its client has seen or
//! written by then, whichever server runs it.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Response, StatusCode},
};

use super::{answer::RequestFailure, api::Api, headers::POSITION, timing::Stages};
use crate::graphql::error::Code;

/// Waits until this server has reached the position that the client requests.
///
/// # Errors
/// If the header is not a position, no write has this position, or this server does not reach it in time.
pub(super) async fn wait(api: &Api, headers: &HeaderMap) -> Result<(), RequestFailure> {
    let mut values = headers.get_all(POSITION).iter();
    let Some(value) = values.next() else { return Ok(()) };
    let position = value.to_str().ok().and_then(|text| text.parse().ok()).filter(|_| values.next().is_none());
    let Some(position) = position else {
        return Err(RequestFailure::bad_request("The header `Tidings-Position` must be that of an earlier answer."));
    };
    match api.service.wait_for(position).await {
        Ok(true) => Ok(()),
        Ok(false) => {
            let message =
                "No write has the position of `Tidings-Position`, as after a restore. Send the request without it.";
            Err(RequestFailure::bad_request(message))
        }
        Err(error) => Err(RequestFailure::new(StatusCode::SERVICE_UNAVAILABLE, Code::Unavailable, error.message)),
    }
}

/// Adds the position to the answer to a mutation, if other servers share the store.
pub(super) fn show(api: &Api, stages: &Stages, response: &mut Response<Body>) {
    if stages.may_have_written()
        && let Some(position) = api.service.position()
    {
        response.headers_mut().insert(POSITION, HeaderValue::from(position));
    }
}
