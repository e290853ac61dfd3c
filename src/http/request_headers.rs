//! Reads the headers of a request: its token, requests for the cost, the plan and the tags, and the position that the answer must include. The rule: an unknown
//! value is refused, so that no client waits for a report that never comes.

use async_graphql::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use super::answer::RequestFailure;
use crate::graphql::access::BearerToken;
use crate::graphql::cached::TagsRequest;
use crate::graphql::cost::CostRequest;
use crate::graphql::error::Code;
use crate::graphql::explain::ExplainRequest;
use crate::graphql::service::GraphqlService;

pub(super) const COST: HeaderName = HeaderName::from_static(CostRequest::HEADER);
pub(super) const EXPLAIN: HeaderName = HeaderName::from_static(ExplainRequest::HEADER);
pub(super) const TAGS: HeaderName = HeaderName::from_static(TagsRequest::HEADER);
/// In the answer to a mutation, the position of the write. A request with the position of an earlier answer reads at least the content that its client has seen
/// or written by then, on any server.
pub(super) const POSITION: HeaderName = HeaderName::from_static("tidings-position");

/// Checks the headers that only Tidings defines, and waits until this server has reached the position that the client requests.
///
/// # Errors
/// If a header has an unknown value or several values, no write has the position, or this server does not reach it in time.
pub(super) async fn check(service: &dyn GraphqlService, headers: &HeaderMap) -> Result<(), RequestFailure> {
    if has_other(headers, &COST, asked_cost(headers).is_some()) {
        return Err(RequestFailure::bad_request("The header `GraphQL-Cost` must be `report` or `validate`."));
    }
    if has_other(headers, &EXPLAIN, asked_plan(headers).is_some()) {
        return Err(RequestFailure::bad_request("The header `GraphQL-Explain` must be `report`."));
    }
    if has_other(headers, &TAGS, asked_tags(headers).is_some()) {
        return Err(RequestFailure::bad_request("The header `GraphQL-Tags` must be `report`."));
    }
    let Some(value) = headers.get(POSITION) else { return Ok(()) };
    let position = value.to_str().ok().and_then(|text| text.parse().ok());
    let Some(position) = position.filter(|_| is_single(headers, &POSITION)) else {
        return Err(RequestFailure::bad_request("The header `Tidings-Position` must be that of an earlier answer."));
    };
    match service.wait_for(position).await {
        Ok(true) => Ok(()),
        Ok(false) => {
            let message =
                "No write has the position of `Tidings-Position`, as after a restore. Send the request without it.";
            Err(RequestFailure::bad_request(message))
        }
        Err(error) => Err(RequestFailure::new(StatusCode::SERVICE_UNAVAILABLE, Code::Unavailable, error.message)),
    }
}

fn has_other(headers: &HeaderMap, name: &HeaderName, is_known: bool) -> bool {
    headers.contains_key(name) && !(is_known && is_single(headers, name))
}

fn is_single(headers: &HeaderMap, name: &HeaderName) -> bool {
    headers.get_all(name).iter().nth(1).is_none()
}

/// Whether the client requests the cost, so that no other client may get the answer.
pub(super) fn asks_for_cost(headers: &HeaderMap) -> bool {
    headers.contains_key(COST) || headers.contains_key(EXPLAIN)
}

/// Adds the token, and the reports that the client requests in the answer.
pub(super) fn forward(mut request: Request, headers: &HeaderMap) -> Request {
    if let Some(asked) = asked_cost(headers) {
        request = request.data(asked);
    }
    if let Some(asked) = asked_plan(headers) {
        request = request.data(asked);
    }
    if let Some(asked) = asked_tags(headers) {
        request = request.data(asked);
    }
    forward_token(request, headers)
}

fn asked_cost(headers: &HeaderMap) -> Option<CostRequest> {
    CostRequest::parse(headers.get(COST)?.to_str().ok()?)
}

fn asked_plan(headers: &HeaderMap) -> Option<ExplainRequest> {
    ExplainRequest::parse(headers.get(EXPLAIN)?.to_str().ok()?)
}

pub(super) fn asked_tags(headers: &HeaderMap) -> Option<TagsRequest> {
    TagsRequest::parse(headers.get(TAGS)?.to_str().ok()?)
}

/// Adds the token to the request, if there is one. It is read only from `Authorization: Bearer` (RFC 6750, section 2.1), never from a
/// parameter of the URL, because URLs are logged. A malformed or repeated header is added as an empty token, which is refused. Other
/// schemes are ignored, because a proxy may use them.
pub(super) fn forward_token(request: Request, headers: &HeaderMap) -> Request {
    let mut tokens = headers.get_all(header::AUTHORIZATION).iter().filter_map(token);
    match (tokens.next(), tokens.next()) {
        (None, _) => request,
        (Some(token), None) => request.data(BearerToken(token)),
        (Some(_), Some(_)) => request.data(BearerToken(String::new())),
    }
}

/// Whether the client sends a token itself, even a malformed one.
pub(super) fn has_bearer(headers: &HeaderMap) -> bool {
    headers.get_all(header::AUTHORIZATION).iter().any(|value| token(value).is_some())
}

/// `None` if the scheme is not `Bearer`.
fn token(value: &HeaderValue) -> Option<String> {
    let bytes = value.as_bytes();
    let end = bytes.iter().position(u8::is_ascii_whitespace).unwrap_or(bytes.len());
    let (scheme, token) = bytes.split_at(end);
    scheme.eq_ignore_ascii_case(b"bearer").then(|| str::from_utf8(token).unwrap_or_default().trim().to_owned())
}
