//! Selects the operation of a document to run. The rule: it follows GetOperation() of the GraphQL specification ("Executing
//! Requests"), before anything runs, so that a transport can refuse a kind of operation that it does not support.

use async_graphql::{
    Positioned,
    parser::types::{DocumentOperations, ExecutableDocument, OperationDefinition},
};

use super::refusal::Refusal;
use crate::graphql::error::Code;

/// The operation with this name; without a name, the only operation.
pub fn select<'a>(
    document: &'a ExecutableDocument,
    name: Option<&str>,
) -> Result<&'a Positioned<OperationDefinition>, Refusal> {
    match (&document.operations, name) {
        (DocumentOperations::Multiple(operations), Some(name)) => operations.get(name).ok_or_else(|| unknown(name)),
        (DocumentOperations::Single(_), Some(name)) => Err(unknown(name)),
        (DocumentOperations::Single(operation), None) => Ok(operation),
        (DocumentOperations::Multiple(operations), None) => only(operations.values()),
    }
}

fn only<'a>(
    mut operations: impl ExactSizeIterator<Item = &'a Positioned<OperationDefinition>>,
) -> Result<&'a Positioned<OperationDefinition>, Refusal> {
    let count = operations.len();
    match (operations.next(), count) {
        (Some(operation), 1) => Ok(operation),
        _ => Err(unresolved(format!("The document has {count} operations: name the one to run in `operationName`."))),
    }
}

fn unknown(name: &str) -> Refusal {
    unresolved(format!("The document has no operation named {name:?}."))
}

fn unresolved(message: String) -> Refusal {
    Refusal::new(Code::OperationResolutionFailure, message)
}
