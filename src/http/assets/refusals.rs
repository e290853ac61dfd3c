//! The HTTP errors of pictures and files. The rule: the client gets errors that it can fix; the causes that only the operator can fix are logged.

use axum::http::StatusCode;

use crate::assets::{AssetError, BadFile, BadPicture};
use crate::graphql::error::Code;
use crate::http::answer::{RequestFailure, sentence};

pub(super) fn without_place() -> RequestFailure {
    let message = "This server has no place for pictures and files: set `assets.store`, the folder, container or bucket for them.";
    RequestFailure::new(StatusCode::NOT_FOUND, Code::RouteNotFound, message)
}

impl From<AssetError> for RequestFailure {
    fn from(error: AssetError) -> Self {
        let (status, code) = match &error {
            AssetError::Bad(BadPicture::Unknown | BadPicture::Unsupported { .. })
            | AssetError::BadFile(
                BadFile::NotAllowed(_) | BadFile::NotItsFormat(_) | BadFile::NotText(_) | BadFile::Empty,
            ) => (StatusCode::UNSUPPORTED_MEDIA_TYPE, Code::UnsupportedMediaType),
            AssetError::BadFile(BadFile::TooLarge(_)) => (StatusCode::PAYLOAD_TOO_LARGE, Code::PayloadTooLarge),
            AssetError::Bad(BadPicture::Truncated(_) | BadPicture::Damaged { .. }) => {
                (StatusCode::UNPROCESSABLE_ENTITY, Code::BadPicture)
            }
            AssetError::Bad(BadPicture::TooManyPixels { .. }) => {
                (StatusCode::UNPROCESSABLE_ENTITY, Code::PictureTooLarge)
            }
            AssetError::Overloaded => (StatusCode::SERVICE_UNAVAILABLE, Code::Overloaded),
            AssetError::Store(cause) => {
                tracing::error!(error = %error, %cause, "assets.storage_failed");
                (StatusCode::SERVICE_UNAVAILABLE, Code::Unavailable)
            }
            AssetError::NoTemporaryFile(cause) => {
                tracing::error!(cause, "assets.storage_failed");
                (StatusCode::SERVICE_UNAVAILABLE, Code::Unavailable)
            }
            // Except for the last one, these errors occur only at the start or in a backup.
            AssetError::Temporary(_)
            | AssetError::Damaged(_)
            | AssetError::NoContainer(_)
            | AssetError::NotCreated(..)
            | AssetError::Account(_)
            | AssetError::NoSignature
            | AssetError::Internal(_) => {
                tracing::error!(error = %error, "assets.failed");
                return Self::internal();
            }
        };
        Self::new(status, code, sentence(&error.to_string()))
    }
}
