//! The errors of a document. The rule: their number and length are limited, because they are cached with the document.

use async_graphql::{Pos, ServerError};

use crate::graphql::error::shorten;

/// The maximum number of errors of one document. The rest of the document is not checked.
const FAULTS_MAX: usize = 20;

#[derive(Debug, Default)]
pub(super) struct Faults {
    errors: Vec<ServerError>,
    is_over: bool,
}

impl Faults {
    pub(super) fn add(&mut self, message: String, at: &[Pos]) {
        let mut error = ServerError::new(message, None);
        shorten(&mut error.message);
        error.locations = at.to_vec();
        self.add_error(error);
    }

    pub(super) fn add_error(&mut self, error: ServerError) {
        if !self.is_full() {
            self.errors.push(error);
        }
    }

    /// Ends the search for errors.
    pub(super) fn end(&mut self) {
        self.is_over = true;
    }

    pub(super) fn is_full(&self) -> bool {
        self.is_over || self.errors.len() >= FAULTS_MAX
    }

    pub(super) fn into_errors(self) -> Vec<ServerError> {
        self.errors
    }
}
