//! What a GraphQL error says to the client. The rule: every error has a stable `extensions.code`, and none shows what went wrong
//! inside: the cause is logged once, and the client reads INTERNAL.
//!
//! The engine gives no codes. A resolver's error brings its own; the rest is told apart here by where it arose: an error
//! without a path came before execution, one at an argument's value from reading that value.

use std::collections::HashSet;

use async_graphql::{
    ErrorExtensionValues, Pos, Response, ServerError,
    parser::{
        parse_query,
        types::{ExecutableDocument, Selection, SelectionSet},
    },
};

/// Errors of one response, at most; a document of 64 KB can break rules many thousand times, and repeats each in its message.
pub const ERRORS_MAX: usize = 50;

/// Characters of a message that repeats what the client sent, at most: a name in a document can be 64 KB long.
const MESSAGE_CHARACTERS_MAX: usize = 500;

/// The codes of errors that do not come from a resolver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The request itself is malformed: its JSON, or one of its parameters.
    BadRequest,
    BatchingNotSupported,
    /// A value does not fit its type, or a variable that must be given is not.
    BadUserInput,
    FragmentCycle,
    GraphqlParseFailed,
    GraphqlValidationFailed,
    /// The server's own fault. The log has the cause.
    Internal,
    /// A kind of operation or an HTTP method that must not come this way.
    MethodNotAllowed,
    NotAcceptable,
    NotFound,
    OperationResolutionFailure,
    PayloadTooLarge,
    QueryTooComplex,
    QueryTooDeep,
    QueryTooLarge,
    /// The request's body did not arrive in time.
    RequestTimeout,
    SubscriptionsNotSupported,
    /// The answer was not ready in time. Whether a mutation was made is not known.
    Timeout,
    UnsupportedMediaType,
}

impl Code {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BadRequest => "BAD_REQUEST",
            Self::BatchingNotSupported => "BATCHING_NOT_SUPPORTED",
            Self::BadUserInput => "BAD_USER_INPUT",
            Self::FragmentCycle => "FRAGMENT_CYCLE",
            Self::GraphqlParseFailed => "GRAPHQL_PARSE_FAILED",
            Self::GraphqlValidationFailed => "GRAPHQL_VALIDATION_FAILED",
            Self::Internal => "INTERNAL",
            Self::MethodNotAllowed => "METHOD_NOT_ALLOWED",
            Self::NotAcceptable => "NOT_ACCEPTABLE",
            Self::NotFound => "NOT_FOUND",
            Self::OperationResolutionFailure => "OPERATION_RESOLUTION_FAILURE",
            Self::PayloadTooLarge => "PAYLOAD_TOO_LARGE",
            Self::QueryTooComplex => "QUERY_TOO_COMPLEX",
            Self::QueryTooDeep => "QUERY_TOO_DEEP",
            Self::QueryTooLarge => "QUERY_TOO_LARGE",
            Self::RequestTimeout => "REQUEST_TIMEOUT",
            Self::SubscriptionsNotSupported => "SUBSCRIPTIONS_NOT_SUPPORTED",
            Self::Timeout => "TIMEOUT",
            Self::UnsupportedMediaType => "UNSUPPORTED_MEDIA_TYPE",
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
        async_graphql::Value::String(code) => Some(code),
        _ => None,
    }
}

/// Whether the request failed before anything of it ran. Such a response has no `data`.
pub fn is_request_error(response: &Response) -> bool {
    let before_execution = response.errors.iter().all(|error| error.path.is_empty());
    !response.errors.is_empty() && before_execution && response.data == async_graphql::Value::Null
}

/// The last step of every execution: no error leaves without a code. `document` is the text that was run.
pub fn give_codes(response: &mut Response, document: &str) {
    let request_error = is_request_error(response);
    limit_errors(response);
    let mut arguments = None;
    for error in response.errors.iter_mut().filter(|error| code_of(error).is_none()) {
        if request_error {
            set_code(error, code_of_rule(&error.message));
        } else if is_at_argument(error, arguments.get_or_insert_with(|| argument_positions(document))) {
            set_code(error, Code::BadUserInput);
        } else {
            hide(error);
        }
        shorten(&mut error.message);
    }
}

/// Validation reports a value that does not fit its type among its rules, with the variables' values put in.
/// The texts are the engine's; `values_that_do_not_fit_are_bad_user_input` holds them to it.
fn code_of_rule(message: &str) -> Code {
    let about_a_value = ["Invalid value for argument", "Invalid default value for argument"];
    if about_a_value.iter().any(|start| message.starts_with(start)) {
        Code::BadUserInput
    } else {
        Code::GraphqlValidationFailed
    }
}

/// A resolver's error stands at its field. An argument that cannot be read stands at its value, or nowhere where it is absent.
fn is_at_argument(error: &mut ServerError, arguments: &HashSet<Pos>) -> bool {
    let is_nowhere = |position: &Pos| position.line == 0;
    if error.source.is_some() || !error.locations.iter().any(|at| is_nowhere(at) || arguments.contains(at)) {
        return false;
    }
    error.locations.retain(|at| !is_nowhere(at));
    true
}

/// Where the values of arguments stand. Parsed once more, since only this rare case asks.
fn argument_positions(document: &str) -> HashSet<Pos> {
    let mut positions = HashSet::new();
    if let Ok(ExecutableDocument { operations, fragments }) = parse_query(document) {
        operations.iter().for_each(|(_, operation)| collect(&operation.node.selection_set.node, &mut positions));
        fragments.values().for_each(|fragment| collect(&fragment.node.selection_set.node, &mut positions));
    }
    positions
}

/// Recursion is bounded by the guard, which the document has passed.
fn collect(set: &SelectionSet, positions: &mut HashSet<Pos>) {
    for selection in &set.items {
        match &selection.node {
            Selection::Field(field) => {
                positions.extend(field.node.arguments.iter().map(|(_, value)| value.pos));
                collect(&field.node.selection_set.node, positions);
            }
            Selection::InlineFragment(inline) => collect(&inline.node.selection_set.node, positions),
            Selection::FragmentSpread(_) => {}
        }
    }
}

fn hide(error: &mut ServerError) {
    tracing::error!(cause = %error.message, path = ?error.path, "a resolver failed");
    "Something went wrong on the server. The log has the cause.".clone_into(&mut error.message);
    error.source = None;
    error.extensions = None;
    set_code(error, Code::Internal);
}

fn limit_errors(response: &mut Response) {
    let more = response.errors.len().saturating_sub(ERRORS_MAX);
    if more > 0 {
        response.errors.truncate(ERRORS_MAX);
        response.extensions.insert("errorsLeftOut".to_owned(), more.into());
    }
}

fn shorten(message: &mut String) {
    if let Some((end, _)) = message.char_indices().nth(MESSAGE_CHARACTERS_MAX) {
        message.truncate(end);
        message.push('…');
    }
}

fn set_code(error: &mut ServerError, code: Code) {
    error.extensions.get_or_insert_with(ErrorExtensionValues::default).set("code", code.as_str());
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
