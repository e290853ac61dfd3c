//! Detects documents with a secret. The rule: it checks the outline and not the text, which a client can write in many ways.

use crate::graphql::outline::Outline;

/// The fields that take a secret. The token of a preview opens a draft to anyone who has it, and the document of a dry run can contain one.
const FIELDS: [&str; 2] = ["preview", "operationCost"];

/// Whether any operation or fragment selects such a field, even one that is not executed. Then the answer is not cached.
pub(super) fn is_in(outline: &Outline) -> bool {
    FIELDS.iter().any(|field| outline.has_field(field))
}
