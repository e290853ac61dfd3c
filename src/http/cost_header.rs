//! The header `GraphQL-Cost`, by which a client asks for the cost of its request. The rule: a value that is not known is refused, so that nobody waits for
//! figures that do not come.

use async_graphql::Request;
use axum::http::{HeaderMap, HeaderName};

use super::answer::RequestFailure;
use crate::graphql::cost::CostRequest;

pub(super) const HEADER: HeaderName = HeaderName::from_static(CostRequest::HEADER);

/// # Errors
/// If the header has another value, or several.
pub(super) fn check(headers: &HeaderMap) -> Result<(), RequestFailure> {
    let is_known = || asked(headers).is_some() && headers.get_all(HEADER).iter().nth(1).is_none();
    if !headers.contains_key(HEADER) || is_known() {
        return Ok(());
    }
    Err(RequestFailure::bad_request("The header `GraphQL-Cost` must be `report` or `validate`."))
}

/// Adds to the request what the header asks for.
pub(super) fn forward(request: Request, headers: &HeaderMap) -> Request {
    match asked(headers) {
        Some(asked) => request.data(asked),
        None => request,
    }
}

fn asked(headers: &HeaderMap) -> Option<CostRequest> {
    CostRequest::parse(headers.get(HEADER)?.to_str().ok()?)
}
