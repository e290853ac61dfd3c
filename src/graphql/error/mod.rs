//! The codes and messages of GraphQL errors for the client. The rule: every error has a stable `extensions.code`, and none exposes
//! internals: the cause is logged once, and the client gets INTERNAL_SERVER_ERROR.
//!
//! The engine sets no codes. Errors of resolvers have their own code. This module classifies other errors by their origin: an error without
//! a path occurred before the execution, an error at the value of an argument while that value was read.

mod code;
mod names;

use std::collections::HashSet;

use async_graphql::{
    Pos, Response, ServerError,
    parser::{
        parse_query,
        types::{ExecutableDocument, Selection, SelectionSet},
    },
};

use super::escapes::decoded;
use code::set_code;
pub(super) use code::shorten;
pub use code::{Code, OK, code_of, code_word, coded, coded_with_wait, forbid_retry_of_executed, retry_after_of};
pub use names::hide_unsent_names;

/// The maximum number of errors in one response. A document of 64 KB can break rules many thousand times, and each message repeats a part of it.
pub const ERRORS_MAX: usize = 50;

/// Whether the request failed before execution. Such a response has no `data`.
pub fn is_request_error(response: &Response) -> bool {
    let before_execution = response.errors.iter().all(|error| error.path.is_empty());
    !response.errors.is_empty() && before_execution && response.data == async_graphql::Value::Null
}

/// Sets a code on every error without one, as the last step of each execution. `document`: the text of the request.
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

/// Classifies an error of the validation, which also reports values that do not fit their types. It recognizes these by their messages,
/// which the test `values_that_do_not_fit_are_bad_user_input` checks.
fn code_of_rule(message: &str) -> Code {
    let about_a_value = ["Invalid value for ", "Invalid default value for "];
    if about_a_value.iter().any(|start| message.starts_with(start)) {
        Code::BadUserInput
    } else {
        Code::GraphqlValidationFailed
    }
}

/// Whether the error is about the value of an argument. Its location is then this value, or line 0 if the argument is absent; the location
/// of a resolver's error is its field.
fn is_at_argument(error: &mut ServerError, arguments: &HashSet<Pos>) -> bool {
    let is_nowhere = |position: &Pos| position.line == 0;
    if error.source.is_some() || !error.locations.iter().any(|at| is_nowhere(at) || arguments.contains(at)) {
        return false;
    }
    error.locations.retain(|at| !is_nowhere(at));
    true
}

/// The positions of the values of arguments. It parses the document again, because this is needed rarely.
fn argument_positions(document: &str) -> HashSet<Pos> {
    let mut positions = HashSet::new();
    let Ok(document) = decoded(document) else { return positions };
    if let Ok(ExecutableDocument { operations, fragments }) = parse_query(&document) {
        operations.iter().for_each(|(_, operation)| collect(&operation.node.selection_set.node, &mut positions));
        fragments.values().for_each(|fragment| collect(&fragment.node.selection_set.node, &mut positions));
    }
    positions
}

/// The guard limits the recursion.
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
    set_code(error, Code::InternalServerError);
}

fn limit_errors(response: &mut Response) {
    let more = response.errors.len().saturating_sub(ERRORS_MAX);
    if more > 0 {
        response.errors.truncate(ERRORS_MAX);
        response.extensions.insert("errorsLeftOut".to_owned(), more.into());
    }
}

#[cfg(test)]
mod tests;
