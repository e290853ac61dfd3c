//! Finds out whether a document contains a secret. The rule: it checks the outline, not the text, which a client can write in many ways.

use crate::graphql::outline::Outline;

/// The fields that take a secret: a preview link opens a draft to anyone who has it, and a document can contain one.
const FIELDS: [&str; 2] = ["preview", "operationCost"];

/// Whether any operation or fragment selects such a field. One that does not run counts too: the only cost is that the answer is not cached.
pub(super) fn is_in(outline: &Outline) -> bool {
    FIELDS.iter().any(|field| outline.has_field(field))
}
