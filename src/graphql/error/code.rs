//! The codes that errors bear. The rule: a code once given stays; clients branch on it, and on nothing else of an error.

use async_graphql::{ErrorExtensionValues, Pos, Response, ServerError, Value};

/// Characters of a message that repeats what the client sent, at most: a name in a document can be 64 KB long.
const MESSAGE_CHARACTERS_MAX: usize = 500;

/// Every code that an error of a query can bear; docs/errors.md tells each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The bodies that the answer would hold are too long together.
    AnswerTooLarge,
    /// A cursor that is none, or another list's.
    BadCursor,
    /// A preview link that is none.
    BadPreview,
    /// The request itself is malformed: its JSON, or one of its parameters.
    BadRequest,
    BatchingNotSupported,
    BatchTooLarge,
    /// A value does not fit its type, or a variable that must be given is not.
    BadUserInput,
    /// What was to be changed has been changed since it was read.
    Conflict,
    /// A filter that passes over too much before it finds a page.
    FilterTooBroad,
    /// Who asks is known, and may not.
    Forbidden,
    FragmentCycle,
    GraphqlParseFailed,
    GraphqlValidationFailed,
    /// The server's own fault. The log has the cause.
    Internal,
    /// The operator has switched it off.
    IntrospectionDisabled,
    /// A kind of operation or an HTTP method that must not come this way.
    MethodNotAllowed,
    NotAcceptable,
    NotFound,
    OperationResolutionFailure,
    /// Whether a change was made cannot be learned.
    OutcomeUnknown,
    /// Answers that were not read yet hold as much memory as they may.
    Overloaded,
    PayloadTooLarge,
    /// A preview link whose time is over.
    PreviewExpired,
    QueryTooComplex,
    QueryTooDeep,
    QueryTooLarge,
    /// The request's body did not arrive in time.
    RequestTimeout,
    SubscriptionsNotSupported,
    /// The answer was not ready in time. Whether a mutation was made is not known.
    Timeout,
    /// A text that does not fit where it is kept.
    TooLarge,
    /// One client has as many requests under way as it may.
    TooManyRequests,
    /// Who asks is not known: no token, or none that is good.
    Unauthenticated,
    /// The storage is out of reach at the moment.
    Unavailable,
    UnsupportedMediaType,
    UriTooLong,
}

impl Code {
    const ALL: [Self; 35] = [
        Self::AnswerTooLarge,
        Self::BadCursor,
        Self::BadPreview,
        Self::BadRequest,
        Self::BatchingNotSupported,
        Self::BatchTooLarge,
        Self::BadUserInput,
        Self::Conflict,
        Self::FilterTooBroad,
        Self::Forbidden,
        Self::FragmentCycle,
        Self::GraphqlParseFailed,
        Self::GraphqlValidationFailed,
        Self::Internal,
        Self::IntrospectionDisabled,
        Self::MethodNotAllowed,
        Self::NotAcceptable,
        Self::NotFound,
        Self::OperationResolutionFailure,
        Self::OutcomeUnknown,
        Self::Overloaded,
        Self::PayloadTooLarge,
        Self::PreviewExpired,
        Self::QueryTooComplex,
        Self::QueryTooDeep,
        Self::QueryTooLarge,
        Self::RequestTimeout,
        Self::SubscriptionsNotSupported,
        Self::Timeout,
        Self::TooLarge,
        Self::TooManyRequests,
        Self::Unauthenticated,
        Self::Unavailable,
        Self::UnsupportedMediaType,
        Self::UriTooLong,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::AnswerTooLarge => "ANSWER_TOO_LARGE",
            Self::BadCursor => "BAD_CURSOR",
            Self::BadPreview => "BAD_PREVIEW",
            Self::BadRequest => "BAD_REQUEST",
            Self::BatchingNotSupported => "BATCHING_NOT_SUPPORTED",
            Self::BatchTooLarge => "BATCH_TOO_LARGE",
            Self::BadUserInput => "BAD_USER_INPUT",
            Self::Conflict => "CONFLICT",
            Self::FilterTooBroad => "FILTER_TOO_BROAD",
            Self::Forbidden => "FORBIDDEN",
            Self::FragmentCycle => "FRAGMENT_CYCLE",
            Self::GraphqlParseFailed => "GRAPHQL_PARSE_FAILED",
            Self::GraphqlValidationFailed => "GRAPHQL_VALIDATION_FAILED",
            Self::Internal => "INTERNAL",
            Self::IntrospectionDisabled => "INTROSPECTION_DISABLED",
            Self::MethodNotAllowed => "METHOD_NOT_ALLOWED",
            Self::NotAcceptable => "NOT_ACCEPTABLE",
            Self::NotFound => "NOT_FOUND",
            Self::OperationResolutionFailure => "OPERATION_RESOLUTION_FAILURE",
            Self::OutcomeUnknown => "OUTCOME_UNKNOWN",
            Self::Overloaded => "OVERLOADED",
            Self::PayloadTooLarge => "PAYLOAD_TOO_LARGE",
            Self::PreviewExpired => "PREVIEW_EXPIRED",
            Self::QueryTooComplex => "QUERY_TOO_COMPLEX",
            Self::QueryTooDeep => "QUERY_TOO_DEEP",
            Self::QueryTooLarge => "QUERY_TOO_LARGE",
            Self::RequestTimeout => "REQUEST_TIMEOUT",
            Self::SubscriptionsNotSupported => "SUBSCRIPTIONS_NOT_SUPPORTED",
            Self::Timeout => "TIMEOUT",
            Self::TooLarge => "TOO_LARGE",
            Self::TooManyRequests => "TOO_MANY_REQUESTS",
            Self::Unauthenticated => "UNAUTHENTICATED",
            Self::Unavailable => "UNAVAILABLE",
            Self::UnsupportedMediaType => "UNSUPPORTED_MEDIA_TYPE",
            Self::UriTooLong => "URI_TOO_LONG",
        }
    }
}

/// An error with a code.
pub fn coded(code: Code, message: impl Into<String>, at: Option<Pos>) -> ServerError {
    let mut error = ServerError::new(message, at);
    shorten(&mut error.message);
    set_code(&mut error, code);
    error
}

/// The code of an error, where it has one.
pub fn code_of(error: &ServerError) -> Option<&str> {
    match error.extensions.as_ref()?.get("code")? {
        Value::String(code) => Some(code),
        _ => None,
    }
}

/// The code of a response's first error, or `OK`, as one of the words that there are: for those who count.
pub fn code_word(response: &Response) -> &'static str {
    let Some(error) = response.errors.first() else { return "OK" };
    let code = code_of(error).unwrap_or_default();
    let mut words = Code::ALL.iter().map(|code| code.as_str());
    words.find(|word| *word == code).unwrap_or("OTHER")
}

/// Cuts a message that repeats what the client sent.
pub(super) fn shorten(message: &mut String) {
    if let Some((end, _)) = message.char_indices().nth(MESSAGE_CHARACTERS_MAX) {
        message.truncate(end);
        message.push('…');
    }
}

pub(super) fn set_code(error: &mut ServerError, code: Code) {
    error.extensions.get_or_insert_with(ErrorExtensionValues::default).set("code", code.as_str());
}
