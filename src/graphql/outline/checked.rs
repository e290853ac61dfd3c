//! What validation has found in a document, for all requests with it.

use async_graphql::{Name, ServerError};

/// The faults of a document, and what its variables must fit beside their types.
#[derive(Debug, Default)]
pub struct Checked {
    pub faults: Vec<ServerError>,
    /// For each operation, the nullable variables that are used where null is not allowed: they have a default, or what they are the value of has one.
    pub not_null: Vec<(Option<Name>, Vec<Name>)>,
}

impl Checked {
    pub fn not_null_of(&self, operation: Option<&Name>) -> &[Name] {
        let found = self.not_null.iter().find(|(name, _)| name.as_ref() == operation);
        found.map_or(&[], |(_, names)| names)
    }
}
