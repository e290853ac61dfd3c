//! The outcome of a request for a feed or the sitemap. The rule: an error never has a successful status, because feed readers would take it
//! for a feed.

use axum::{
    body::Body,
    http::{Response, StatusCode},
    response::IntoResponse,
};

use crate::graphql::error::Code;
use crate::http::accept::Media;
use crate::http::answer::{Answer, RequestFailure};

pub(super) enum Outcome {
    /// An answer of this media type.
    Found(Box<Answer>, &'static str),
    /// The redirect from a former slug to the current one, relative to the request.
    Moved(String),
}

pub(super) enum Refused {
    Failed(RequestFailure),
    /// The query failed with these errors.
    Errors(Box<Answer>),
}

impl From<RequestFailure> for Refused {
    fn from(failure: RequestFailure) -> Self {
        Self::Failed(failure)
    }
}

impl Refused {
    pub(super) fn not_found() -> Self {
        Self::Failed(RequestFailure::not_found())
    }

    pub(super) fn render(self) -> Response<Body> {
        match self {
            Self::Failed(failure) => failure.into_response(),
            Self::Errors(answer) => {
                let is_internal = answer.code() == Code::InternalServerError.as_str();
                let mut response = answer.into_http(Media::GraphqlResponse);
                if response.status().is_success() {
                    let status =
                        if is_internal { StatusCode::INTERNAL_SERVER_ERROR } else { StatusCode::SERVICE_UNAVAILABLE };
                    *response.status_mut() = status;
                }
                response
            }
        }
    }
}
