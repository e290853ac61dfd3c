//! The names of changes. The rule: the key of a change's row in the audit log follows from its name, so each name is used only once.

use std::fmt;

use crate::model::Instant;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ChangeName {
    server: String,
    at: Instant,
    random: String,
}

impl ChangeName {
    /// `server` and `random`: letters and digits.
    pub fn new(server: &str, at: Instant, random: &str) -> Self {
        Self { server: server.to_owned(), at, random: random.to_owned() }
    }

    /// The start of the change.
    pub fn at(&self) -> Instant {
        self.at
    }

    /// Distinguishes changes of the same instant.
    pub fn random(&self) -> &str {
        &self.random
    }
}

impl fmt::Display for ChangeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:019}-{}", self.server, self.at.ticks(), self.random)
    }
}
