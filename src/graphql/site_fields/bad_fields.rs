//! The fault of a file of declared fields. The rule: it names the position and what to do.

use std::fmt;

use async_graphql::Pos;

/// Why a file does not declare fields that can be served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadFields {
    at: Option<Pos>,
    message: String,
}

impl std::error::Error for BadFields {}

impl fmt::Display for BadFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Pos { line, column }) = self.at {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl BadFields {
    /// A fault of the whole file.
    pub(super) fn of(message: impl Into<String>) -> Self {
        Self { at: None, message: message.into() }
    }

    pub(super) fn at(at: Pos, message: impl Into<String>) -> Self {
        Self { at: Some(at), message: message.into() }
    }
}
