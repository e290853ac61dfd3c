//! What leaves over HTTP. The rule: one JSON shape for every answer, and a request that failed before it ran has no `data`
//! ("GraphQL", section "Response").

use std::collections::BTreeMap;

use async_graphql::{Response as GraphqlResponse, ServerError, Value};
use axum::{
    body::Body,
    http::{HeaderValue, Response, StatusCode, header},
    response::IntoResponse,
};
use serde::Serialize;

use super::{accept::Media, observe::Told, status::status_of};
use crate::graphql::error::{Code, code_word, coded, is_request_error};

/// A request that is refused before it is a GraphQL request at all.
#[derive(Debug)]
pub struct Failure {
    pub status: StatusCode,
    pub code: Code,
    pub message: String,
    /// The methods that are allowed, where this is a 405 of our own.
    pub allow: Option<&'static str>,
}

impl Failure {
    pub fn new(status: StatusCode, code: Code, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), allow: None }
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, Code::BadRequest, message)
    }

    pub fn internal() -> Self {
        let message = "Something went wrong on the server. The log has the cause.";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, Code::Internal, message)
    }

    pub fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, Code::NotFound, "There is nothing here. GraphQL is at /graphql.")
    }

    /// The router adds the `Allow` header itself.
    pub fn method_not_allowed() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, Code::MethodNotAllowed, "This method is not allowed here.")
    }

    pub fn render(self, media: Media) -> Response<Body> {
        let told = Told { code: Some(self.code.as_str()), operation: None };
        let (status, allow) = (self.status, self.allow);
        let mut response = json(status, media.content_type(), &Answer::of(&self.into()));
        if let Some(allow) = allow {
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allow));
        }
        response.extensions_mut().insert(told);
        response
    }
}

/// As it stands in a batch, where no status of its own can tell of it.
impl From<Failure> for GraphqlResponse {
    fn from(failure: Failure) -> Self {
        Self::from_errors(vec![coded(failure.code, failure.message, None)])
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response<Body> {
        self.render(Media::Json)
    }
}

/// A GraphQL response on its way out.
pub fn graphql(response: &GraphqlResponse, media: Media) -> Response<Body> {
    let mut sent = json(status_of(response, media), media.content_type(), &Answer::of(response));
    if sent.status() == StatusCode::UNAUTHORIZED {
        // "The OAuth 2.0 Authorization Framework: Bearer Token Usage" (RFC 6750), section 3: a 401 names the scheme.
        sent.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer error=\"invalid_token\""));
    }
    sent.headers_mut().extend(response.http_headers.clone());
    sent.extensions_mut().insert(Told { code: Some(code_word(response)), operation: None });
    sent
}

/// The answers to a batch, in its order. The edition knows no batches, and its media type is for one response: they are plain JSON, and
/// each tells for itself what became of it.
pub fn batch(responses: &[GraphqlResponse]) -> Response<Body> {
    let answers: Vec<Answer<'_>> = responses.iter().map(Answer::of).collect();
    json(StatusCode::OK, Media::Json.content_type(), &answers)
}

/// Errors first, so that one who reads the raw answer sees them.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [ServerError],
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extensions: Option<&'a BTreeMap<String, Value>>,
}

impl<'a> Answer<'a> {
    fn of(response: &'a GraphqlResponse) -> Self {
        Self {
            errors: &response.errors,
            data: (!is_request_error(response)).then_some(&response.data),
            extensions: (!response.extensions.is_empty()).then_some(&response.extensions),
        }
    }
}

fn json(status: StatusCode, content_type: HeaderValue, answer: &impl Serialize) -> Response<Body> {
    let (status, text) = match serde_json::to_vec(answer) {
        Ok(text) => (status, text),
        Err(cause) => {
            tracing::error!(%cause, "an answer could not be written as JSON");
            (
                StatusCode::INTERNAL_SERVER_ERROR,
                br#"{"errors":[{"message":"The answer could not be written."}]}"#.to_vec(),
            )
        }
    };
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    response
}
