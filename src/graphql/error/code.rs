//! The codes of errors. The rule: a released code never changes, because clients branch on the code and on nothing else of an error.

use async_graphql::{ErrorExtensionValues, Pos, Response, ServerError, Value};

/// The maximum length of a message in characters. A message can repeat input of the client, and a name in a document can be 64 KB long.
const MESSAGE_CHARACTERS_MAX: usize = 500;

/// Every code of an error; docs/errors.md describes each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The bodies in the answer would be too long in total.
    AnswerTooLarge,
    /// A text that is not a cursor, or a cursor of another list.
    BadCursor,
    /// An invalid preview link.
    BadPreview,
    /// The request itself is malformed: its JSON, or one of its parameters.
    BadRequest,
    BatchingNotSupported,
    BatchTooLarge,
    /// A value does not fit its type, or a required variable is missing.
    BadUserInput,
    /// The object was changed since the client read it.
    Conflict,
    /// A filter that needs too many reads for one page.
    FilterTooBroad,
    /// The client is authenticated, but its role does not permit this.
    Forbidden,
    FragmentCycle,
    GraphqlParseFailed,
    GraphqlValidationFailed,
    /// An internal error. The log has the cause.
    Internal,
    /// The operator has switched introspection off.
    IntrospectionDisabled,
    /// A kind of operation or an HTTP method that this route does not accept.
    MethodNotAllowed,
    NotAcceptable,
    NotFound,
    OperationResolutionFailure,
    /// The server cannot find out whether a change was made.
    OutcomeUnknown,
    /// Unread answers use all the memory for answers.
    Overloaded,
    PayloadTooLarge,
    /// An expired preview link.
    PreviewExpired,
    QueryTooComplex,
    QueryTooDeep,
    QueryTooLarge,
    /// The body of the request did not arrive in time.
    RequestTimeout,
    SubscriptionsNotSupported,
    /// The answer was not ready in time. It is unknown whether a mutation was made.
    Timeout,
    /// A text that is too large to be stored.
    TooLarge,
    /// One client has the maximum number of requests in progress.
    TooManyRequests,
    /// The client is not authenticated: no token, or an invalid one.
    Unauthenticated,
    /// The storage is not reachable at the moment.
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

/// The code of an error, if it has one.
pub fn code_of(error: &ServerError) -> Option<&str> {
    match error.extensions.as_ref()?.get("code")? {
        Value::String(code) => Some(code),
        _ => None,
    }
}

/// The code of the first error of a response, or `OK`, or `OTHER` for an unknown code: a bounded set of labels for metrics.
pub fn code_word(response: &Response) -> &'static str {
    let Some(error) = response.errors.first() else { return "OK" };
    let code = code_of(error).unwrap_or_default();
    let mut words = Code::ALL.iter().map(|code| code.as_str());
    words.find(|word| *word == code).unwrap_or("OTHER")
}

/// Shortens a message that repeats long input of the client.
pub(super) fn shorten(message: &mut String) {
    if let Some((end, _)) = message.char_indices().nth(MESSAGE_CHARACTERS_MAX) {
        message.truncate(end);
        message.push('…');
    }
}

pub(super) fn set_code(error: &mut ServerError, code: Code) {
    error.extensions.get_or_insert_with(ErrorExtensionValues::default).set("code", code.as_str());
}
