//! GraphQL answers over HTTP. The rule: every answer has the same JSON shape, whether a request was executed or refused. Its status is
//! that of "GraphQL over HTTP", sections "Status Codes" and "application/json".
//!
//! In `application/json`, a status other than 200 may come from any proxy, so clients of that type trust only 200. A well-formed request
//! gets 200 even if its document does not parse. The exception is 429, because programs that retry requests know this status and
//! `Retry-After`.

use std::{sync::Arc, time::Duration};

use async_graphql::{Response as GraphqlResponse, ServerError, Value};
use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, HeaderValue, Response, StatusCode, header},
    response::IntoResponse,
};

use super::{
    accept::Media,
    cdn::Freshness,
    json::{CachedJson, Json},
    observe::RequestOutcome,
};
use crate::graphql::error::{Code, OK, code_of, code_word, coded, is_request_error, retry_after_of};
use crate::graphql::fair_use::is_limit_header;
use crate::graphql::memory::OverBudget;

/// A request that is refused or fails outside of the execution of GraphQL. It has its own HTTP status.
#[derive(Debug)]
pub struct RequestFailure {
    pub status: StatusCode,
    pub code: Code,
    pub message: String,
    /// The allowed methods, for a 405.
    pub allow: Option<&'static str>,
}

impl RequestFailure {
    pub fn new(status: StatusCode, code: Code, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), allow: None }
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, Code::BadRequest, message)
    }

    pub fn timed_out(limit: Duration) -> Self {
        let message = format!("No answer within {limit:?}. It is not known whether a mutation was applied.");
        Self::new(StatusCode::GATEWAY_TIMEOUT, Code::Timeout, message)
    }

    /// JSON that is not a request ("GraphQL over HTTP", "Status Codes": 422).
    pub fn malformed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, Code::BadRequest, message)
    }

    pub fn internal() -> Self {
        let message = "Something went wrong on the server. The log has the cause.";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, Code::InternalServerError, message)
    }

    pub fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, Code::RouteNotFound, "There is nothing here. GraphQL is at /graphql.")
    }

    /// The router adds the `Allow` header itself.
    pub fn method_not_allowed() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, Code::MethodNotAllowed, "This method is not allowed here.")
    }

    pub fn render(self, media: Media) -> Response<Body> {
        let outcome = RequestOutcome { code: Some(self.code.as_str()), ..RequestOutcome::default() };
        let (status, allow) = (self.status, self.allow);
        let retry_after = self.code.retry_after();
        let mut response = json(status, media.content_type(), Json::of(&self.into()));
        set_retry_after(&mut response, retry_after);
        if let Some(allow) = allow {
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allow));
        }
        response.extensions_mut().insert(outcome);
        response
    }
}

/// The request is refused before it runs, because not enough memory is free.
impl From<OverBudget> for RequestFailure {
    fn from(over_budget: OverBudget) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, Code::Overloaded, sentence(&over_budget.to_string()))
    }
}

/// The text with a capital letter and a full stop, as in the messages of refused requests.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

/// The failure as a member of a batch, where it has no HTTP status.
impl From<RequestFailure> for GraphqlResponse {
    fn from(failure: RequestFailure) -> Self {
        Self::from_errors(vec![coded(failure.code, failure.message, None)])
    }
}

impl IntoResponse for RequestFailure {
    fn into_response(self) -> Response<Body> {
        self.render(Media::Json)
    }
}

/// The answer to one request as JSON, with its status, headers and code.
pub(super) struct Answer {
    pub json: Json,
    /// The status in `application/graphql-response+json`.
    status: StatusCode,
    headers: HeaderMap,
    code: &'static str,
    retry_after: Option<Duration>,
    /// Whether the document was valid and its execution has begun.
    pub was_executed: bool,
    pub has_data: bool,
    /// Set if the answer is cached.
    cached: Option<Arc<CachedJson>>,
    /// Set if a CDN may cache the answer.
    freshness: Option<Freshness>,
}

impl Answer {
    pub(super) fn of(response: &GraphqlResponse) -> Self {
        let status = status_of(response);
        let (headers, code) = (response.http_headers.clone(), code_word(response));
        Self {
            json: Json::of(response),
            status,
            headers,
            code,
            retry_after: response.errors.first().and_then(retry_after_of),
            was_executed: !is_request_error(response),
            has_data: response.data != Value::Null,
            cached: None,
            freshness: None,
        }
    }

    /// A cached answer of a query that ran without an error, in the same bytes. It has no rate limit headers, because it was not charged to a limit.
    pub(super) fn cached(json: Json, cached: Arc<CachedJson>) -> Self {
        Self { freshness: cached.freshness.clone(), cached: Some(cached), ..Self::of_json(json) }
    }

    /// The answer to a request for a feed or sitemap, made from queries without an error.
    pub(super) fn of_text(text: Bytes) -> Self {
        Self::of_json(Json::cached(text, None))
    }

    fn of_json(json: Json) -> Self {
        let headers = HeaderMap::new();
        Self {
            json,
            status: StatusCode::OK,
            headers,
            code: OK,
            retry_after: None,
            was_executed: true,
            has_data: true,
            cached: None,
            freshness: None,
        }
    }

    /// Whether [`cached`](Self::cached) can make the same answer from its JSON.
    pub(super) fn can_be_cached(&self) -> bool {
        // The rate limit headers belong to the request and not to its answer.
        let has_headers = self.headers.keys().any(|name| !is_limit_header(name.as_str()));
        self.status == StatusCode::OK && self.code == OK && !has_headers && self.retry_after.is_none()
    }

    /// Allows a CDN to cache the answer. Others may get it, so the rate limit headers of this client are removed.
    pub(super) fn set_freshness(&mut self, freshness: Freshness) {
        self.headers.clear();
        self.freshness = Some(freshness);
    }

    pub(super) fn freshness(&self) -> Option<&Freshness> {
        self.freshness.as_ref()
    }

    /// The same answer with the status 200 in every media type.
    pub(super) fn with_status_ok(self) -> Self {
        Self { status: StatusCode::OK, ..self }
    }

    pub(super) fn code(&self) -> &'static str {
        self.code
    }

    pub(super) fn into_http(self, media: Media) -> Response<Body> {
        let status = if media == Media::Json { status_in_json(self.status) } else { self.status };
        let mut sent = json(status, media.content_type(), self.json);
        if status == StatusCode::UNAUTHORIZED {
            // "The OAuth 2.0 Authorization Framework: Bearer Token Usage" (RFC 6750), section 3: a 401 names the scheme.
            let scheme = HeaderValue::from_static("Bearer error=\"invalid_token\"");
            sent.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
        }
        set_retry_after(&mut sent, self.retry_after);
        sent.headers_mut().extend(self.headers);
        let is_cached = self.cached.is_some();
        sent.extensions_mut().insert(RequestOutcome { code: Some(self.code), operation: None, is_cached });
        if let Some(cached) = self.cached {
            sent.extensions_mut().insert(cached);
        }
        sent
    }
}

/// The answer to a request of no GraphQL document, such as an upload, that the service refuses.
pub(super) fn failed(error: ServerError) -> Response<Body> {
    let answer = Answer::of(&GraphqlResponse::from_errors(vec![error]));
    let mut response = answer.into_http(Media::GraphqlResponse);
    response.headers_mut().insert(header::CONTENT_TYPE, Media::Json.content_type());
    response
}

/// The answers to a batch, in its order. "GraphQL over HTTP" does not define batches, and its media type is for a single response. So a
/// batch is plain JSON with the status 200, and each answer has its own errors.
pub(super) fn batch(answers: Vec<Answer>) -> Response<Body> {
    let answers = answers.into_iter().map(|answer| answer.json).collect();
    json(StatusCode::OK, Media::Json.content_type(), Json::of_batch(answers))
}

/// Adds `Retry-After` to a 503 or 429, in whole seconds: "HTTP Semantics" (RFC 9110), section 10.2.3.
fn set_retry_after(response: &mut Response<Body>, wait: Option<Duration>) {
    let is_asked_back = [StatusCode::SERVICE_UNAVAILABLE, StatusCode::TOO_MANY_REQUESTS].contains(&response.status());
    if let (true, Some(wait)) = (is_asked_back, wait) {
        let seconds = wait.as_millis().div_ceil(1000);
        let seconds = HeaderValue::try_from(seconds.to_string()).expect("digits are a header value");
        response.headers_mut().insert(header::RETRY_AFTER, seconds);
    }
}

fn json(status: StatusCode, content_type: HeaderValue, json: Json) -> Response<Body> {
    let mut response = Response::new(json.into_body());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    response
}

/// The status of a response in `application/graphql-response+json`.
fn status_of(response: &GraphqlResponse) -> StatusCode {
    if response.errors.is_empty() {
        return StatusCode::OK;
    }
    if !is_request_error(response) {
        return partial_success();
    }
    let code = response.errors.first().and_then(code_of).unwrap_or_default();
    let listed = STATUSES.iter().find(|(listed, _)| code == listed.as_str());
    // Other documents parse but cannot be executed, because of validation, coercion, limits or the choice of the operation.
    listed.map_or(StatusCode::UNPROCESSABLE_ENTITY, |(_, status)| *status)
}

const STATUSES: [(Code, StatusCode); 11] = [
    (Code::GraphqlParseFailed, StatusCode::BAD_REQUEST),
    (Code::Unauthenticated, StatusCode::UNAUTHORIZED),
    // A preview token is also a bearer token.
    (Code::BadPreview, StatusCode::UNAUTHORIZED),
    (Code::PreviewExpired, StatusCode::UNAUTHORIZED),
    (Code::Forbidden, StatusCode::FORBIDDEN),
    (Code::DocumentNotTrusted, StatusCode::FORBIDDEN),
    (Code::PersistedQueryNotFound, StatusCode::NOT_FOUND),
    (Code::Unavailable, StatusCode::SERVICE_UNAVAILABLE),
    (Code::Overloaded, StatusCode::SERVICE_UNAVAILABLE),
    (Code::RateLimited, StatusCode::TOO_MANY_REQUESTS),
    (Code::InternalServerError, StatusCode::INTERNAL_SERVER_ERROR),
];

/// The status in `application/json`, given the status in the newer type.
fn status_in_json(status: StatusCode) -> StatusCode {
    if status == StatusCode::TOO_MANY_REQUESTS { status } else { StatusCode::OK }
}

/// 294: the operation was executed, and some of its fields failed ("GraphQL over HTTP", section "Partial success"). Only that specification
/// defines this status, and only for its own media type.
fn partial_success() -> StatusCode {
    StatusCode::from_u16(294).expect("three digits are a status")
}

#[cfg(test)]
mod tests {
    use async_graphql::PathSegment;

    use super::*;

    fn failed(code: Code) -> GraphqlResponse {
        GraphqlResponse::from_errors(vec![coded(code, "", None)])
    }

    #[test]
    fn the_newer_type_shows_the_result_in_the_status() {
        let status = |code| status_of(&failed(code)).as_u16();
        let codes = [
            Code::GraphqlParseFailed,
            Code::GraphqlValidationFailed,
            Code::BadUserInput,
            Code::QueryTooDeep,
            Code::Unauthenticated,
            Code::Unavailable,
            Code::Forbidden,
            Code::BadPreview,
            Code::PreviewExpired,
            Code::RateLimited,
            Code::DocumentNotTrusted,
            Code::PersistedQueryNotFound,
        ];
        assert_eq!(codes.map(status), [400, 422, 422, 422, 401, 503, 403, 401, 401, 429, 403, 404]);
        assert_eq!(status_of(&GraphqlResponse::new(Value::Null)), StatusCode::OK);
    }

    #[test]
    fn a_failed_field_is_not_a_failed_request() {
        let mut response = failed(Code::InternalServerError);
        response.errors[0].path.push(PathSegment::Field("post".into()));
        let status = status_of(&response);
        assert_eq!((status.as_u16(), status_in_json(status)), (294, StatusCode::OK));
    }

    #[test]
    fn the_older_type_is_200_unless_the_client_has_used_up_its_limit() {
        let status = |code| status_in_json(status_of(&failed(code)));
        assert_eq!(status(Code::GraphqlParseFailed), StatusCode::OK);
        assert_eq!(status(Code::RateLimited), StatusCode::TOO_MANY_REQUESTS);
    }
}
