//! Errors of resolvers, for the client. The rule: an error has a stable code in `extensions.code` and a text without internals; its cause is logged
//! once.

use std::error::Error as StdError;
use std::sync::Arc;

use async_graphql::{Error, ErrorExtensions};

use super::error::Code;
use crate::content::ContentError;

/// The error of a field.
pub enum FieldError {
    Own(ContentError),
    /// Returned to every field that shared a batch.
    Shared(Arc<ContentError>),
    /// An error that already has its code and its text.
    Ready(Error),
}

/// The result of a field.
pub type Result<T, E = FieldError> = std::result::Result<T, E>;

impl From<ContentError> for FieldError {
    fn from(error: ContentError) -> Self {
        Self::Own(error)
    }
}

impl From<Arc<ContentError>> for FieldError {
    fn from(error: Arc<ContentError>) -> Self {
        Self::Shared(error)
    }
}

impl From<Error> for FieldError {
    fn from(error: Error) -> Self {
        Self::Ready(error)
    }
}

impl From<FieldError> for Error {
    fn from(error: FieldError) -> Self {
        match error {
            FieldError::Own(error) => describe(&error),
            FieldError::Shared(error) => describe(&error),
            FieldError::Ready(error) => error,
        }
    }
}

/// An invalid input that a resolver found.
pub fn bad_input(argument: &'static str, message: impl Into<String>) -> FieldError {
    FieldError::Own(ContentError::BadArgument { argument, message: message.into() })
}

pub(super) fn with_code(message: String, code: Code) -> Error {
    Error::new(message).extend_with(|_, e| e.set("code", code.as_str()))
}

fn describe(error: &ContentError) -> Error {
    match error {
        ContentError::BadArgument { argument, message } => Error::new(message.clone()).extend_with(|_, e| {
            e.set("code", Code::BadUserInput.as_str());
            e.set("argument", *argument);
        }),
        ContentError::BadCursor { argument } => Error::new(error.to_string()).extend_with(|_, e| {
            e.set("code", Code::BadCursor.as_str());
            e.set("argument", *argument);
        }),
        ContentError::TooBroad { .. } => with_code(error.to_string(), Code::FilterTooBroad),
        ContentError::TooLarge { .. } => with_code(error.to_string(), Code::TooLarge),
        ContentError::Forbidden { .. } => with_code(error.to_string(), Code::Forbidden),
        ContentError::BadPreview => with_code(error.to_string(), Code::BadPreview),
        ContentError::PreviewExpired => with_code(error.to_string(), Code::PreviewExpired),
        ContentError::Conflict { .. } => with_code(error.to_string(), Code::Conflict),
        ContentError::Busy => with_code(error.to_string(), Code::Conflict),
        _ if error.is_outcome_unknown() => {
            log(error);
            with_code(ContentError::OutcomeUnknown.to_string(), Code::OutcomeUnknown)
        }
        ContentError::LeaseLost | ContentError::Gone { .. } => with_code(error.to_string(), Code::Unavailable),
        ContentError::Shared(shared) => describe(shared),
        ContentError::Store(_) if error.is_full() => {
            log(error);
            with_code(
                "the disk of the storage is full; no change is possible until space is freed".to_owned(),
                Code::Unavailable,
            )
        }
        ContentError::Store(_) if error.is_wrong_clock() => {
            log(error);
            with_code(error.to_string(), Code::Unavailable)
        }
        ContentError::Store(_) if error.is_passing() => {
            log(error);
            with_code("the storage cannot be reached at the moment; try again".to_owned(), Code::Unavailable)
        }
        ContentError::Store(_) | ContentError::OutcomeUnknown | ContentError::Internal { .. } => {
            log(error);
            with_code("the server failed to read its storage; its log says why".to_owned(), Code::Internal)
        }
    }
}

fn log(error: &ContentError) {
    let mut causes = Vec::new();
    let mut source = error.source();
    while let Some(cause) = source {
        causes.push(cause.to_string());
        source = cause.source();
    }
    tracing::error!(error = %error, causes = ?causes, "graphql.storage_failed");
}
