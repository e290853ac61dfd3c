//! The codes of errors. The rule: a released code never changes, because clients branch on the code and on nothing else of an error.

use std::time::Duration;

use async_graphql::{ErrorExtensionValues, Pos, Response, ServerError, Value};

/// The maximum length of a message in characters. A message can repeat input of the client, and a name in a document can have 64 KB.
const MESSAGE_CHARACTERS_MAX: usize = 500;

/// Declares the codes: the name, the text that clients get, and when clients may retry.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $retry:ident;)+) => {
        /// Every code of an error; docs/errors.md describes each.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Code {
            $($(#[$doc])* $name,)+
        }

        impl Code {
            const ALL: &[Self] = &[$(Self::$name),+];

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }

            /// How long a client should wait before it retries, unless the error has its own time; `None` if a retry is useless or can do harm.
            pub fn retry_after(self) -> Option<Duration> {
                match self {
                    $(Self::$name => $retry,)+
                }
            }
        }
    };
}

/// These codes tell when a failed request can be retried unchanged, with a chance of success and without harm.
const NEVER: Option<Duration> = None;
const SOON: Option<Duration> = Some(Duration::from_secs(1));
/// The client has to read its answers, or waits until others read theirs.
const LATER: Option<Duration> = Some(Duration::from_secs(2));

codes! {
    /// The bodies in the answer would be too long in total.
    AnswerTooLarge = "ANSWER_TOO_LARGE", NEVER;
    /// A text that is not a cursor, or a cursor of another list.
    BadCursor = "BAD_CURSOR", NEVER;
    /// An invalid preview link.
    BadPreview = "BAD_PREVIEW", NEVER;
    /// A file that is not a whole picture, or is damaged.
    BadPicture = "BAD_PICTURE", NEVER;
    /// The request itself is malformed: its JSON, or one of its parameters.
    BadRequest = "BAD_REQUEST", NEVER;
    BatchingNotSupported = "BATCHING_NOT_SUPPORTED", NEVER;
    BatchTooLarge = "BATCH_TOO_LARGE", NEVER;
    /// A value does not fit its type, or a required variable is missing.
    BadUserInput = "BAD_USER_INPUT", NEVER;
    /// Other changes of the same content are under way. Nothing was changed.
    ChangeInProgress = "CHANGE_IN_PROGRESS", SOON;
    /// The operator allows only the documents of manifests, and this is not one of them.
    DocumentNotTrusted = "DOCUMENT_NOT_TRUSTED", NEVER;
    /// A filter that needs too many reads for one page.
    FilterTooBroad = "FILTER_TOO_BROAD", NEVER;
    /// The client is authenticated, but its role does not permit this.
    Forbidden = "FORBIDDEN", NEVER;
    FragmentCycle = "FRAGMENT_CYCLE", NEVER;
    GraphqlParseFailed = "GRAPHQL_PARSE_FAILED", NEVER;
    GraphqlValidationFailed = "GRAPHQL_VALIDATION_FAILED", NEVER;
    /// A filter by a field of the site whose index the operator has not built yet.
    IndexNotBuilt = "INDEX_NOT_BUILT", NEVER;
    /// A fault of the server. The log has the cause.
    InternalServerError = "INTERNAL_SERVER_ERROR", NEVER;
    /// The operator has switched introspection off.
    IntrospectionDisabled = "INTROSPECTION_DISABLED", NEVER;
    /// A kind of operation or an HTTP method that this route does not accept.
    MethodNotAllowed = "METHOD_NOT_ALLOWED", NEVER;
    NotAcceptable = "NOT_ACCEPTABLE", NEVER;
    OperationResolutionFailure = "OPERATION_RESOLUTION_FAILURE", NEVER;
    /// The server cannot find out whether a change was made.
    OutcomeUnknown = "OUTCOME_UNKNOWN", NEVER;
    /// Unread answers use all the memory for answers.
    Overloaded = "OVERLOADED", LATER;
    PayloadTooLarge = "PAYLOAD_TOO_LARGE", NEVER;
    /// A picture with too many pixels.
    PictureTooLarge = "PICTURE_TOO_LARGE", NEVER;
    /// A hash that is not the one of the document beside it.
    PersistedQueryHashMismatch = "PERSISTED_QUERY_HASH_MISMATCH", NEVER;
    /// A document that the server does not know; the client can send its text.
    PersistedQueryNotFound = "PERSISTED_QUERY_NOT_FOUND", NEVER;
    /// The server keeps no documents; the client must send texts only.
    PersistedQueryNotSupported = "PERSISTED_QUERY_NOT_SUPPORTED", NEVER;
    /// The changes after this position are not kept any more.
    PositionExpired = "POSITION_EXPIRED", NEVER;
    /// An expired preview link.
    PreviewExpired = "PREVIEW_EXPIRED", NEVER;
    QueryTooComplex = "QUERY_TOO_COMPLEX", NEVER;
    QueryTooDeep = "QUERY_TOO_DEEP", NEVER;
    QueryTooLarge = "QUERY_TOO_LARGE", NEVER;
    /// The client, or all anonymous clients together, have caused too many storage requests lately. Nothing was run.
    RateLimited = "RATE_LIMITED", SOON;
    /// The body of the request did not arrive in time.
    RequestTimeout = "REQUEST_TIMEOUT", SOON;
    /// The address has no route.
    RouteNotFound = "ROUTE_NOT_FOUND", NEVER;
    /// The operator has switched search off.
    SearchDisabled = "SEARCH_DISABLED", NEVER;
    /// The index of this server is being built.
    SearchNotReady = "SEARCH_NOT_READY", SOON;
    /// A subscription whose client takes its events more slowly than they come.
    SubscriberTooSlow = "SUBSCRIBER_TOO_SLOW", SOON;
    /// The answer was not ready in time. It is unknown whether a mutation was made, so only a client that sent a query can send it again.
    Timeout = "TIMEOUT", NEVER;
    /// One client has the maximum number of requests in progress.
    TooManyRequests = "TOO_MANY_REQUESTS", SOON;
    /// The client is not authenticated: no token, or an invalid one.
    Unauthenticated = "UNAUTHENTICATED", NEVER;
    /// The storage is not reachable at the moment.
    Unavailable = "UNAVAILABLE", SOON;
    UnsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE", NEVER;
    UriTooLong = "URI_TOO_LONG", NEVER;
}

impl Code {
    /// Writes `code`, `retryable` and, if it is true, `retryAfterMs`. `wait` replaces the time of the code.
    pub(in crate::graphql) fn write_to(self, extensions: &mut ErrorExtensionValues, wait: Option<Duration>) {
        let retry_after = self.retry_after().map(|usual| wait.unwrap_or(usual));
        extensions.set("code", self.as_str());
        extensions.set("retryable", retry_after.is_some());
        if let Some(wait) = retry_after {
            extensions.set("retryAfterMs", u32::try_from(wait.as_millis()).unwrap_or(u32::MAX));
        }
    }
}

pub fn coded(code: Code, message: impl Into<String>, at: Option<Pos>) -> ServerError {
    let mut error = ServerError::new(message, at);
    shorten(&mut error.message);
    set_code(&mut error, code);
    error
}

/// An error with a retryable code, and the time after which clients may retry.
pub fn coded_with_wait(code: Code, message: impl Into<String>, wait: Duration) -> ServerError {
    let mut error = coded(code, message, None);
    code.write_to(error.extensions.get_or_insert_with(ErrorExtensionValues::default), Some(wait));
    error
}

pub fn code_of(error: &ServerError) -> Option<&str> {
    match error.extensions.as_ref()?.get("code")? {
        Value::String(code) => Some(code),
        _ => None,
    }
}

/// The time after which an error allows a retry.
pub fn retry_after_of(error: &ServerError) -> Option<Duration> {
    match error.extensions.as_ref()?.get("retryAfterMs")? {
        Value::Number(milliseconds) => milliseconds.as_u64().map(Duration::from_millis),
        _ => None,
    }
}

/// Stands for a code in answers without errors.
pub const OK: &str = "OK";

/// The code of the first error, `OK` without errors, or `OTHER` for an unknown code. The set is bounded, so metrics can use it as a label.
pub fn code_word(response: &Response) -> &'static str {
    let Some(error) = response.errors.first() else { return OK };
    let code = code_of(error).unwrap_or_default();
    let mut words = Code::ALL.iter().map(|code| code.as_str());
    words.find(|word| *word == code).unwrap_or("OTHER")
}

/// Removes the permission to retry from all errors if a field of the mutation was executed, because a retry would execute it again.
pub fn forbid_retry_of_executed(response: &mut Response) {
    let is_executed = match &response.data {
        Value::Object(fields) => fields.values().any(|field| *field != Value::Null),
        _ => false,
    };
    for error in response.errors.iter_mut().filter(|_| is_executed) {
        let extensions = error.extensions.get_or_insert_with(ErrorExtensionValues::default);
        extensions.set("retryable", false);
        extensions.unset("retryAfterMs");
    }
}

/// Shortens a message that repeats long input of the client.
pub(in crate::graphql) fn shorten(message: &mut String) {
    if let Some((end, _)) = message.char_indices().nth(MESSAGE_CHARACTERS_MAX) {
        message.truncate(end);
        message.push('…');
    }
}

pub(super) fn set_code(error: &mut ServerError, code: Code) {
    code.write_to(error.extensions.get_or_insert_with(ErrorExtensionValues::default), None);
}
