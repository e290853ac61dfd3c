//! Finds out whether a document contains a secret. The rule: it checks the parsed document, not the text, which a client can write in many ways.

use async_graphql::parser::types::{ExecutableDocument, Selection, SelectionSet};

/// The fields that take a secret: a preview link opens a draft to anyone who has it.
const FIELDS: [&str; 1] = ["preview"];

/// Whether any operation or fragment selects such a field. One that does not run counts too: the only cost is that the answer is not cached.
pub(super) fn is_in(document: &ExecutableDocument) -> bool {
    let operations = document.operations.iter().map(|(_, operation)| &operation.node.selection_set.node);
    let fragments = document.fragments.values().map(|fragment| &fragment.node.selection_set.node);
    operations.chain(fragments).any(selects_secret)
}

/// Recursion is bounded by the nesting of the document, which was checked before it was parsed.
fn selects_secret(set: &SelectionSet) -> bool {
    set.items.iter().any(|item| match &item.node {
        Selection::Field(field) => {
            FIELDS.contains(&field.node.name.node.as_str()) || selects_secret(&field.node.selection_set.node)
        }
        Selection::InlineFragment(fragment) => selects_secret(&fragment.node.selection_set.node),
        Selection::FragmentSpread(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;

    use super::*;

    #[test]
    fn a_secret_is_found_in_operations_and_fragments_under_any_alias() {
        for (document, expected) in [
            ("{ preview(token: \"x\") { id } }", true),
            ("{ posts { totalCount } ... { shown: preview(token: $t) { id } } }", true),
            ("query A { ...F } fragment F on Query { preview(token: \"x\") { id } }", true),
            ("query preview { preview: posts { totalCount } }", false),
        ] {
            assert_eq!(is_in(&parse_query(document).expect("a document")), expected, "{document}");
        }
    }
}
