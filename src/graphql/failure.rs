//! Errors of resolvers, for the client. The rule: an error has a stable code in `extensions.code` and a message without internals; its cause is logged once.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use async_graphql::{Error, ErrorExtensions};

use super::error::Code;
use crate::content::ContentError;

/// The retry time of a request that fails until a person repairs something.
const REPAIR_TIME: Duration = Duration::from_secs(60);

pub struct FieldError(Error);

pub type Result<T, E = FieldError> = std::result::Result<T, E>;

impl From<ContentError> for FieldError {
    fn from(error: ContentError) -> Self {
        Self(describe(&error))
    }
}

/// The error of a batch, which all of its fields share.
impl From<Arc<ContentError>> for FieldError {
    fn from(error: Arc<ContentError>) -> Self {
        Self(describe(&error))
    }
}

impl From<Error> for FieldError {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl From<FieldError> for Error {
    fn from(FieldError(error): FieldError) -> Self {
        error
    }
}

pub fn bad_input(argument: &'static str, message: impl Into<String>) -> FieldError {
    ContentError::BadArgument { argument, message: message.into() }.into()
}

pub(super) fn with_code(message: String, code: Code) -> Error {
    Error::new(message).extend_with(|_, extensions| code.write_to(extensions, None))
}

fn describe(error: &ContentError) -> Error {
    match error {
        ContentError::BadArgument { argument, .. } => at_argument(error, Code::BadUserInput, argument),
        ContentError::BadCursor { argument } => at_argument(error, Code::BadCursor, argument),
        ContentError::PositionExpired { argument } => at_argument(error, Code::PositionExpired, argument),
        ContentError::TooBroad { .. } => with_code(error.to_string(), Code::FilterTooBroad),
        ContentError::IndexNotBuilt { .. } => with_code(error.to_string(), Code::IndexNotBuilt),
        ContentError::SearchDisabled => with_code(error.to_string(), Code::SearchDisabled),
        ContentError::SearchNotReady => with_code(error.to_string(), Code::SearchNotReady),
        ContentError::TooLarge { .. } | ContentError::BadParent(_) => with_code(error.to_string(), Code::BadUserInput),
        ContentError::Forbidden { .. } => with_code(error.to_string(), Code::Forbidden),
        ContentError::BadPreview => with_code(error.to_string(), Code::BadPreview),
        ContentError::PreviewExpired => with_code(error.to_string(), Code::PreviewExpired),
        ContentError::Busy => with_code(error.to_string(), Code::ChangeInProgress),
        _ if error.is_outcome_unknown() => {
            log(error);
            with_code(ContentError::OutcomeUnknown.to_string(), Code::OutcomeUnknown)
        }
        ContentError::Gone { .. } => with_code(error.to_string(), Code::Unavailable),
        ContentError::Shared(shared) => describe(shared),
        ContentError::Store(_) if error.is_full() => {
            log(error);
            until_repaired("the disk of the storage is full; no change is possible until space is freed".to_owned())
        }
        ContentError::Store(_) if error.is_wrong_clock() => {
            log(error);
            until_repaired(error.to_string())
        }
        ContentError::Store(_) if error.is_read_only() => with_code(error.to_string(), Code::Forbidden),
        ContentError::Store(_) if error.is_passing() => {
            log(error);
            with_code("the storage cannot be reached at the moment; try again".to_owned(), Code::Unavailable)
        }
        ContentError::Store(_) | ContentError::OutcomeUnknown | ContentError::Internal { .. } => {
            log(error);
            with_code("the server failed to read its storage; its log says why".to_owned(), Code::InternalServerError)
        }
    }
}

fn at_argument(error: &ContentError, code: Code, argument: &str) -> Error {
    with_code(error.to_string(), code).extend_with(|_, extensions| extensions.set("argument", argument))
}

/// The error `UNAVAILABLE` with a long retry time, because a person must repair something.
fn until_repaired(message: String) -> Error {
    Error::new(message).extend_with(|_, extensions| Code::Unavailable.write_to(extensions, Some(REPAIR_TIME)))
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
