//! What a GraphQL error says to the client. The rule: every error has a stable `extensions.code`, and none shows what went wrong
//! inside: the cause is logged once, and the client reads INTERNAL.
//!
//! The engine gives no codes. A resolver's error brings its own; the rest is told apart here by where it arose: an error
//! without a path came before execution, one at an argument's value from reading that value.

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

pub use code::{Code, code_of, code_word, coded};
use code::{set_code, shorten};
pub use names::hide_unsent_names;

/// Errors of one response, at most; a document of 64 KB can break rules many thousand times, and repeats each in its message.
pub const ERRORS_MAX: usize = 50;

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

#[cfg(test)]
mod tests;
