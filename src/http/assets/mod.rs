//! Pictures over HTTP: `POST /assets` adds one, `GET /assets/{hash}.{extension}` reads it. The rule: a file is in memory only while its turn to be decoded
//! has come; before, it is in a file without a name, and after, it is sent piece by piece.

mod range;
mod receive;
mod serve;
mod upload;

use std::sync::Arc;
use std::time::Duration;

use axum::{
    Router,
    extract::Request,
    http::{Method, StatusCode},
    routing::{get, post},
};

use super::{answer::RequestFailure, api::Api};
use crate::assets::{AssetError, BadPicture};
use crate::graphql::error::Code;

const ADD: &str = "/assets";

pub(super) fn routes() -> Router<Arc<Api>> {
    Router::new().route(ADD, post(upload::answer)).route("/assets/{file}", get(serve::answer))
}

/// The time in which the file of a picture may arrive; none for other requests.
pub(super) fn receive_time(api: &Api, request: &Request) -> Duration {
    let is_upload = request.method() == Method::POST && request.uri().path() == ADD;
    api.assets.as_ref().filter(|_| is_upload).map_or(Duration::ZERO, |assets| assets.limits().file_time)
}

fn without_place() -> RequestFailure {
    let message = "This server has no place for pictures: set `assets.path`, the folder for them.";
    RequestFailure::new(StatusCode::NOT_FOUND, Code::RouteNotFound, message)
}

impl From<AssetError> for RequestFailure {
    fn from(error: AssetError) -> Self {
        let (status, code) = match &error {
            AssetError::Bad(BadPicture::Svg | BadPicture::Unknown | BadPicture::Unsupported { .. }) => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, Code::UnsupportedMediaType)
            }
            AssetError::Bad(BadPicture::Truncated(_) | BadPicture::Damaged { .. }) => {
                (StatusCode::UNPROCESSABLE_ENTITY, Code::BadPicture)
            }
            AssetError::Bad(BadPicture::TooManyPixels { .. }) => {
                (StatusCode::UNPROCESSABLE_ENTITY, Code::PictureTooLarge)
            }
            AssetError::Overloaded => (StatusCode::SERVICE_UNAVAILABLE, Code::Overloaded),
            AssetError::Store(cause) => {
                tracing::error!(error = %error, ?cause, "assets.storage_failed");
                (StatusCode::SERVICE_UNAVAILABLE, Code::Unavailable)
            }
            AssetError::NoTemporaryFile(cause) => {
                tracing::error!(cause, "assets.storage_failed");
                (StatusCode::SERVICE_UNAVAILABLE, Code::Unavailable)
            }
            AssetError::Internal(_) => {
                tracing::error!(error = %error, "assets.failed");
                return Self::internal();
            }
        };
        Self::new(status, code, format!("{}.", capitalized(&error.to_string())))
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}
