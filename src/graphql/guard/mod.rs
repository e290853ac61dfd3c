//! What is checked before the engine sees a request, on every transport. The rule: whatever is let in can be parsed, validated
//! and started in bounded time and stack, and no check here takes longer than the document is long.
//!
//! In order: the bytes ([`scan`]), the parser, the totals ([`document`]), the operation ([`operation`]), the variables
//! ([`variables`]). What a query costs the storage is the schema's to bound.

pub mod limits;

mod document;
mod operation;
mod refusal;
mod scan;
mod secret;
mod totals;
mod variables;

use async_graphql::{
    Request,
    parser::{self, parse_query, types::OperationType},
};

pub use limits::Limits;
pub use operation::select as select_operation;
pub use refusal::Refusal;

use super::error::Code;

/// A request that may run, its parsed document with it, and the kind of its operation.
#[derive(Debug)]
pub struct Admitted {
    pub request: Request,
    pub kind: OperationType,
    /// Whether the document has a field whose argument is a secret, so that no cache may keep the answer.
    pub has_secret: bool,
}

/// The tokens of a document that may be parsed, so that memory can be charged for it before that.
///
/// # Errors
/// If the document is over a limit that its bytes show.
pub fn count_tokens(document: &str, limits: &Limits) -> Result<usize, Refusal> {
    scan::scan(document, limits)
}

/// Admits `request` if it keeps all limits and says which operation to run.
///
/// # Errors
/// If it is malformed or over a limit.
pub fn admit(mut request: Request, limits: &Limits) -> Result<Admitted, Refusal> {
    scan::scan(&request.query, limits)?;
    let document = parse_query(&request.query).map_err(parse_failure)?;
    let variable_uses = document::measure(&document, limits)?;
    // An empty name is no name ("GraphQL over HTTP", on GET).
    request.operation_name = request.operation_name.filter(|name| !name.is_empty());
    let operation = operation::select(&document, request.operation_name.as_deref())?;
    let kind = operation.node.ty;
    variables::check(&request.variables, &operation.node, variable_uses, limits)?;
    let has_secret = secret::is_in(&document);
    request.set_parsed_query(document);
    Ok(Admitted { request, kind, has_secret })
}

/// The parser's message draws the line at fault, which may be 64 KB long; its last line says what was expected.
fn parse_failure(error: parser::Error) -> Refusal {
    let message = error.to_string();
    let last_line = message.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    let reason = last_line.trim_start_matches([' ', '=']);
    let refusal = Refusal::new(Code::GraphqlParseFailed, format!("Syntax error: {reason}."));
    match error.positions().next() {
        Some(position) => refusal.at(position),
        None => refusal,
    }
}

#[cfg(test)]
mod tests;
