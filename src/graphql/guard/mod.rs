//! The checks of a request before the engine sees it, on every transport. The rule: an admitted request can be parsed, validated
//! and started in bounded time and stack, and every check here takes time in proportion to the length of the document.
//!
//! In order: the bytes ([`scan`]), the parser, the outline, the totals ([`document`]), the operation to run, the variables ([`variables`]). The
//! schema bounds what a query costs the storage.

pub mod limits;

mod document;
mod refusal;
mod scan;
mod secret;
mod syntax;
mod totals;
mod variables;

use async_graphql::{
    Request,
    parser::{parse_query, types::OperationType},
};

use super::outline::{OperationOutline, Outline};

pub use limits::Limits;
pub use refusal::Refusal;

/// An admitted request with its parsed document and its [outline](OperationOutline), and the kind of its operation.
#[derive(Debug)]
pub struct Admitted {
    pub request: Request,
    pub kind: OperationType,
    /// Whether the document has a field whose argument is a secret. If so, no cache may store the answer.
    pub has_secret: bool,
}

/// The number of tokens of a document, so that memory can be charged before the document is parsed.
///
/// # Errors
/// If the document exceeds a limit that the scan checks.
pub fn count_tokens(document: &str, limits: &Limits) -> Result<usize, Refusal> {
    scan::scan(document, limits)
}

/// Admits `request` if it is within all limits and names the operation to run.
///
/// # Errors
/// If it is malformed or exceeds a limit.
pub fn admit(mut request: Request, limits: &Limits) -> Result<Admitted, Refusal> {
    scan::scan(&request.query, limits)?;
    let document = parse_query(&request.query).map_err(|error| syntax::refuse(&request.query, &error))?;
    let outline = Outline::of(&document);
    let variable_uses = document::measure(&outline, limits)?;
    let has_secret = secret::is_in(&outline);
    // An empty name is no name ("GraphQL over HTTP", on GET).
    request.operation_name = request.operation_name.filter(|name| !name.is_empty());
    let outline = OperationOutline::select(outline, request.operation_name.as_deref())?;
    let operation = outline.operation();
    let kind = operation.kind;
    variables::check(&request.variables, operation, variable_uses, limits)?;
    request.set_parsed_query(document);
    Ok(Admitted { request: outline.attach(request), kind, has_secret })
}

#[cfg(test)]
mod tests;
