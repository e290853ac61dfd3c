//! The checks of a request before the engine gets it, on every transport. The rule: an admitted request can be parsed, validated and
//! started in bounded time and stack, and every check takes time in proportion to the length of the document.
//!
//! The order: the bytes ([`scan`]), the escapes, the parser, the names in input objects, the outline, the totals ([`document`]), the
//! operation to run, the variables ([`variables`]). The checks before the operation depend only on the text, and are done once for a text
//! that [`documents`](super::documents) caches. The service limits the storage requests of a query.

pub mod limits;

mod document;
mod input_fields;
mod refusal;
mod scan;
mod syntax;
mod totals;
mod variables;

use std::sync::Arc;

use async_graphql::{
    Request,
    parser::{
        parse_query, parse_schema,
        types::{ExecutableDocument, OperationType, TypeSystemDefinition},
    },
};

use super::error::Code;
use super::escapes::decoded;
use super::outline::{Operation, OperationOutline, Outline};

pub use limits::Limits;
pub use refusal::Refusal;

/// The fields that take a secret: the token of a preview opens a draft to anyone who has it, and the document of a dry run can contain one. If any operation or
/// fragment selects one, the answer is not cached. The check uses the outline, because a client can write the text in many ways.
pub(super) const SECRET_FIELDS: [&str; 2] = ["preview", "operationCost"];

/// An admitted request with its parsed document, its [outline](OperationOutline) and the kind of its operation.
#[derive(Debug)]
pub struct Admitted {
    pub request: Request,
    pub kind: OperationType,
    /// Whether it has the directive `@live`.
    pub is_live: bool,
    /// Whether the document has a field that takes a secret. If so, no cache may store the answer.
    pub has_secret: bool,
}

/// The number of tokens of a document, to charge memory before the document is parsed.
///
/// # Errors
/// If the document exceeds a limit that the scan checks.
pub fn count_tokens(document: &str, limits: &Limits) -> Result<usize, Refusal> {
    scan::scan(document, limits)
}

/// The definitions in an SDL text. It is scanned before it is parsed, like a document.
///
/// # Errors
/// If the text is malformed, or exceeds a limit that the scan checks.
pub fn definitions(text: &str, limits: &Limits) -> Result<Vec<TypeSystemDefinition>, Refusal> {
    scan::scan(text, limits)?;
    let parsed = parse_schema(text).map_err(|error| syntax::refuse(text, &error))?;
    Ok(parsed.definitions)
}

/// Admits `request` if it is within all limits and names the operation to run.
///
/// # Errors
/// If it is malformed or exceeds a limit.
pub fn admit(request: Request, limits: &Limits) -> Result<Admitted, Refusal> {
    CheckedDocument::of(&request.query, limits)?.admit_last(request, limits)
}

/// A document within the limits. Requests with the same text can share it, because all checks that depend only on the text are done.
#[derive(Debug)]
pub struct CheckedDocument {
    parsed: ExecutableDocument,
    checks: TextChecks,
}

/// The results of the checks of the text.
#[derive(Debug)]
struct TextChecks {
    outline: Arc<Outline>,
    tokens: usize,
    variable_uses: u64,
    has_secret: bool,
}

impl CheckedDocument {
    /// # Errors
    /// If the document is malformed or exceeds a limit.
    pub fn of(text: &str, limits: &Limits) -> Result<Self, Refusal> {
        let tokens = scan::scan(text, limits)?;
        let text = &*decoded(text).map_err(|bad| Refusal::new(Code::GraphqlParseFailed, bad.message).at(bad.at))?;
        let parsed = parse_query(text).map_err(|error| syntax::refuse(text, &error))?;
        input_fields::are_unique(text)?;
        let outline = Arc::new(Outline::of(&parsed));
        let variable_uses = document::measure(&outline, limits)?;
        let has_secret = SECRET_FIELDS.iter().any(|field| outline.has_field(field));
        Ok(Self { parsed, checks: TextChecks { outline, tokens, variable_uses, has_secret } })
    }

    /// Admits a request with the text of this document, like [`admit`], under the same limits.
    ///
    /// # Errors
    /// If the request does not identify an operation of the document, or its variables exceed a limit.
    pub fn admit(&self, request: Request, limits: &Limits) -> Result<Admitted, Refusal> {
        self.checks.admit(request, self.parsed.clone(), limits)
    }

    /// Like [`admit`](Self::admit), for the last request with this document, which moves the document instead of copying it.
    ///
    /// # Errors
    /// The errors of [`admit`](Self::admit).
    pub fn admit_last(self, request: Request, limits: &Limits) -> Result<Admitted, Refusal> {
        self.checks.admit(request, self.parsed, limits)
    }

    /// The number of tokens of the text, as returned by [`count_tokens`].
    pub fn tokens(&self) -> usize {
        self.checks.tokens
    }

    pub fn outline(&self) -> &Arc<Outline> {
        &self.checks.outline
    }

    pub fn parsed(&self) -> &ExecutableDocument {
        &self.parsed
    }

    /// Whether the document contains only queries, and no field that takes a secret.
    pub fn is_public(&self) -> bool {
        let is_query = |operation: &Operation| operation.kind == OperationType::Query;
        !self.checks.has_secret && self.checks.outline.operations().iter().all(is_query)
    }
}

impl TextChecks {
    fn admit(&self, mut request: Request, parsed: ExecutableDocument, limits: &Limits) -> Result<Admitted, Refusal> {
        // An empty name counts as absent ("GraphQL over HTTP", on GET).
        request.operation_name = request.operation_name.filter(|name| !name.is_empty());
        let outline = OperationOutline::select(Arc::clone(&self.outline), request.operation_name.as_deref())?;
        let operation = outline.operation();
        let (kind, is_live) = (operation.kind, operation.is_live());
        // Each answer has another position, so each write would be sent, also of what the client must not know (I4b).
        if is_live && self.outline.has_field("changes") {
            let message = "`changes` cannot be @live: use the subscription `changes`.";
            return Err(Refusal::new(Code::GraphqlValidationFailed, message));
        }
        variables::check(&request.variables, operation, self.variable_uses, limits)?;
        request.set_parsed_query(parsed);
        Ok(Admitted { request: outline.attach(request), kind, is_live, has_secret: self.has_secret })
    }
}

#[cfg(test)]
mod tests;
