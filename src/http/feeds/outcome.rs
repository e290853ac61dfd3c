//! What a client gets that asks for a feed or for the sitemap. The rule: an error is never sent with a status of success, because a reader of feeds would
//! take it for a feed.

use axum::{
    body::Body,
    http::{Response, StatusCode},
    response::IntoResponse,
};

use crate::graphql::error::Code;
use crate::http::accept::Media;
use crate::http::answer::{Answer, RequestFailure};

/// What a client gets.
pub(super) enum Outcome {
    /// A text of this media type.
    Found(Box<Answer>, &'static str),
    /// The feed of a former slug: a reference to the current one, relative to the request.
    Moved(String),
}

/// Why a client gets nothing.
pub(super) enum Refused {
    Failed(RequestFailure),
    /// The errors of the query.
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
