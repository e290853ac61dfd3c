//! The refusal of a request. The rule: it names the limit, its value and the position where the document exceeds it, so that the
//! client can fix the document.

use async_graphql::{Pos, ServerError};

use crate::graphql::error::{Code, coded};
use crate::graphql::outline::UnresolvedOperation;

/// Why the guard refused a request. Nothing of the request was executed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    pub code: Code,
    pub message: String,
    pub at: Option<Pos>,
}

impl Refusal {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), at: None }
    }

    /// The document has more of `what` than `limit`; counting stopped there.
    pub fn over(code: Code, what: &str, limit: usize) -> Self {
        Self::new(code, format!("The document has more than {limit} {what}; {limit} is the limit."))
    }

    /// The document has `found` of `what`, which is more than `limit`.
    pub fn found_over(code: Code, what: &str, found: u64, limit: usize) -> Self {
        Self::new(code, format!("The document has {found} {what}; the limit is {limit}."))
    }

    #[must_use]
    pub fn at(self, position: Pos) -> Self {
        Self { at: Some(position), ..self }
    }
}

impl From<UnresolvedOperation> for Refusal {
    fn from(unresolved: UnresolvedOperation) -> Self {
        Self::new(Code::OperationResolutionFailure, unresolved.to_string())
    }
}

impl From<Refusal> for ServerError {
    fn from(refusal: Refusal) -> Self {
        coded(refusal.code, refusal.message, refusal.at)
    }
}
