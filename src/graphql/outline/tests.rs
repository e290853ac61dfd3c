//! Tests of the outline. The rule: each test starts from the text of a document.

use async_graphql::parser::parse_query;

use super::*;

fn outline(document: &str) -> Outline {
    Outline::of(&parse_query(document).expect("a document"))
}

#[test]
fn a_field_is_found_in_operations_and_fragments_under_any_alias() {
    for (document, expected) in [
        ("{ preview(token: \"x\") { id } }", true),
        ("{ posts { totalCount } ... { shown: preview(token: $t) { id } } }", true),
        ("query A { ...F } fragment F on Query { preview(token: \"x\") { id } }", true),
        ("query preview { preview: posts { totalCount } }", false),
    ] {
        assert_eq!(outline(document).has_field("preview"), expected, "{document}");
    }
}

#[test]
fn a_set_comes_before_the_sets_inside_it() {
    let outline = outline("{ a { ... on T { b { c } } } ...F } fragment F on Query { d { e } }");
    for (id, set) in outline.sets() {
        for selection in &set.selections {
            let inside = match &selection.kind {
                SelectionKind::Field(field) => field.set,
                SelectionKind::InlineFragment { set, .. } => Some(*set),
                SelectionKind::Spread { fragment, .. } => {
                    assert!(fragment.is_some());
                    None
                }
            };
            assert!(inside.is_none_or(|inside| inside.index() > id.index()));
        }
    }
    let mut positions: Vec<_> = outline.sets().map(|(_, set)| set.position).collect();
    positions.sort();
    positions.dedup();
    assert_eq!(positions.len(), 6);
}

#[test]
fn a_fragment_is_outlined_once_for_any_number_of_spreads() {
    let outline = outline("{ ...F ...F ...F ...Unknown } fragment F on Query { ...F a { b } }");
    assert_eq!((outline.sets().count(), outline.fragments().count()), (3, 1));
    let kinds: Vec<_> = outline.set(outline.operations()[0].set).selections.iter().map(|one| &one.kind).collect();
    assert!(
        matches!(kinds[..3], [SelectionKind::Spread { fragment: Some(a), .. }, SelectionKind::Spread { fragment: Some(b), .. }, _] if a == b)
    );
    assert!(matches!(kinds[3], SelectionKind::Spread { fragment: None, .. }));
}

#[test]
fn variables_are_counted_in_arguments_and_directives() {
    let outline = outline("query A($x: Int) @d(a: $x) { a(b: [$x, {c: $x}, 1], d: $x) @include(if: $x) { e(f: $x) } }");
    let operation = &outline.operations()[0];
    let selection = &outline.set(operation.set).selections[0];
    assert_eq!((operation.variable_uses, selection.variable_uses), (1, 4));
}
