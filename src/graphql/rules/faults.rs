//! The faults of a document. The rule: they are few and short, because a document that is held keeps them.

use async_graphql::{Pos, ServerError};

use crate::graphql::error::shorten;

/// The most faults of one document; what follows them is not looked for.
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

    /// No more faults are looked for.
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
