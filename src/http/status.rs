//! The HTTP status of an answer. The rule: the table below, according to "GraphQL over HTTP", sections "Status Codes" and
//! "application/json".
//!
//! In `application/json`, a status other than 200 may come from any proxy, so clients of that type trust only 200. A well-formed request
//! gets 200 even if its document does not parse. The exception is 429, because programs that retry requests know this status and
//! `Retry-After`.

use async_graphql::Response;
use axum::http::StatusCode;

use super::accept::Media;
use crate::graphql::error::{Code, code_of, is_request_error};

/// The status of a GraphQL response, sent as `media`.
pub(super) fn status_of(response: &Response, media: Media) -> StatusCode {
    if media == Media::Json {
        return in_json(status_of(response, Media::GraphqlResponse));
    }
    if response.errors.is_empty() {
        return StatusCode::OK;
    }
    if !is_request_error(response) {
        return partial_success();
    }
    let code = response.errors.first().and_then(code_of).unwrap_or_default();
    if code == Code::GraphqlParseFailed.as_str() {
        StatusCode::BAD_REQUEST
    } else if [Code::Unauthenticated, Code::BadPreview, Code::PreviewExpired]
        .iter()
        .any(|refused| code == refused.as_str())
    {
        // A preview token is a bearer token too.
        StatusCode::UNAUTHORIZED
    } else if code == Code::Forbidden.as_str() || code == Code::DocumentNotTrusted.as_str() {
        StatusCode::FORBIDDEN
    } else if code == Code::PersistedQueryNotFound.as_str() {
        StatusCode::NOT_FOUND
    } else if code == Code::Unavailable.as_str() || code == Code::Overloaded.as_str() {
        StatusCode::SERVICE_UNAVAILABLE
    } else if code == Code::RateLimited.as_str() {
        StatusCode::TOO_MANY_REQUESTS
    } else if code == Code::InternalServerError.as_str() {
        StatusCode::INTERNAL_SERVER_ERROR
    } else {
        // The document parses but cannot be executed: validation, coercion, limits, the choice of the operation.
        StatusCode::UNPROCESSABLE_ENTITY
    }
}

/// The status in `application/json`, given the status in the newer type.
pub(super) fn in_json(status: StatusCode) -> StatusCode {
    if status == StatusCode::TOO_MANY_REQUESTS { status } else { StatusCode::OK }
}

/// 294: the operation was executed, and some of its fields failed ("GraphQL over HTTP", section "Partial success"). Only that specification
/// defines this status, and only for its own media type.
fn partial_success() -> StatusCode {
    StatusCode::from_u16(294).expect("three digits are a status")
}

#[cfg(test)]
mod tests {
    use async_graphql::{PathSegment, Value};

    use super::*;
    use crate::graphql::error::coded;

    fn failed(code: Code) -> Response {
        Response::from_errors(vec![coded(code, "", None)])
    }

    #[test]
    fn the_newer_type_shows_the_result_in_the_status() {
        let status = |code| status_of(&failed(code), Media::GraphqlResponse).as_u16();
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
        assert_eq!(status_of(&Response::new(Value::Null), Media::GraphqlResponse), StatusCode::OK);
    }

    #[test]
    fn a_failed_field_is_not_a_failed_request() {
        let mut response = failed(Code::InternalServerError);
        response.errors[0].path.push(PathSegment::Field("post".into()));
        assert_eq!(status_of(&response, Media::GraphqlResponse).as_u16(), 294);
        assert_eq!(status_of(&response, Media::Json), StatusCode::OK);
    }

    #[test]
    fn the_older_type_is_200_unless_the_client_has_used_up_its_limit() {
        assert_eq!(status_of(&failed(Code::GraphqlParseFailed), Media::Json), StatusCode::OK);
        assert_eq!(status_of(&failed(Code::RateLimited), Media::Json), StatusCode::TOO_MANY_REQUESTS);
    }
}
