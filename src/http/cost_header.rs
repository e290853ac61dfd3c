//! The headers `GraphQL-Cost` and `GraphQL-Explain`, by which a client requests the cost and the plan of its request. The rule: an unknown
//! value is refused, so that no client waits for figures that never come.

use async_graphql::Request;
use axum::http::{HeaderMap, HeaderName};

use super::answer::RequestFailure;
use crate::graphql::cost::CostRequest;
use crate::graphql::explain::ExplainRequest;

pub(super) const COST: HeaderName = HeaderName::from_static(CostRequest::HEADER);
pub(super) const EXPLAIN: HeaderName = HeaderName::from_static(ExplainRequest::HEADER);

/// # Errors
/// If one of the headers has an unknown value or several values.
pub(super) fn check(headers: &HeaderMap) -> Result<(), RequestFailure> {
    if has_other(headers, &COST, asked_cost(headers).is_some()) {
        return Err(RequestFailure::bad_request("The header `GraphQL-Cost` must be `report` or `validate`."));
    }
    if has_other(headers, &EXPLAIN, asked_plan(headers).is_some()) {
        return Err(RequestFailure::bad_request("The header `GraphQL-Explain` must be `report`."));
    }
    Ok(())
}

fn has_other(headers: &HeaderMap, name: &HeaderName, is_known: bool) -> bool {
    headers.contains_key(name) && !(is_known && headers.get_all(name).iter().nth(1).is_none())
}

/// Whether the client requests its own figures, so that no other client may get the answer.
pub(super) fn asks(headers: &HeaderMap) -> bool {
    headers.contains_key(COST) || headers.contains_key(EXPLAIN)
}

/// Adds the requested figures to the request.
pub(super) fn forward(mut request: Request, headers: &HeaderMap) -> Request {
    if let Some(asked) = asked_cost(headers) {
        request = request.data(asked);
    }
    match asked_plan(headers) {
        Some(asked) => request.data(asked),
        None => request,
    }
}

fn asked_cost(headers: &HeaderMap) -> Option<CostRequest> {
    CostRequest::parse(headers.get(COST)?.to_str().ok()?)
}

fn asked_plan(headers: &HeaderMap) -> Option<ExplainRequest> {
    ExplainRequest::parse(headers.get(EXPLAIN)?.to_str().ok()?)
}
