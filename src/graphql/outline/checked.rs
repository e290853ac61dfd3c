//! The results of validating a document, for all requests with it.

use async_graphql::{Name, ServerError};

/// The errors of a document, and the requirements on its variables in addition to their types.
#[derive(Debug, Default)]
pub struct Checked {
    pub faults: Vec<ServerError>,
    /// For each operation, the nullable variables that are used where null is not allowed. The specification permits this if the variable
    /// or its position has a default.
    pub not_null: Vec<(Option<Name>, Vec<Name>)>,
    /// Whether a field with a selection set may be selected twice under one key for one object, so that the engine merges the two values.
    pub repeats_fields: bool,
}

impl Checked {
    pub fn not_null_of(&self, operation: Option<&Name>) -> &[Name] {
        let found = self.not_null.iter().find(|(name, _)| name.as_ref() == operation);
        found.map_or(&[], |(_, names)| names)
    }
}
