//! The bounds of selections on the interfaces of the schema. The rule: a field of an interface costs as much as on the most expensive type.

use std::sync::Arc;

use async_graphql::Request;

use super::super::{Bound, CostModel};
use crate::content::read::TAGS_MAX;
use crate::graphql::guard::{Limits, admit};
use crate::graphql::outline::OperationOutline;
use crate::graphql::type_map::TypeMap;
use crate::model::{CreationId, NodeId, PostId, TermId, TermKind, TermNodeId};

const SDL: &str = include_str!("../../../../schema.graphql");

fn bound(document: &str) -> Bound {
    let costs = CostModel::new(Arc::new(TypeMap::of(SDL).expect("SDL")));
    let mut request = admit(Request::new(document), &Limits::default()).expect(document).request;
    let operation = OperationOutline::of(&mut request).expect("a document").expect("an operation");
    costs.cost(&operation, &request.variables, &super::UNKNOWN).bound()
}

fn term(kind: TermKind) -> NodeId {
    let key = TermId { kind, first_slug: "a".parse().expect("a slug") };
    NodeId::Term(TermNodeId { key, creation: CreationId::from_bits(7) })
}

#[test]
fn a_field_of_content_or_term_costs_what_it_costs_on_the_type() {
    let content = "body { html } revisions(first: 5) { nodes { tags { posts { totalCount } } } } viewerCanUpdate \
         translations { body { html } } translation(language: \"de\") { body { html } }";
    let term_fields =
        "postCount posts(first: 10, after: \"x\") { totalCount nodes { body { html } authors { name } } }";
    let post = NodeId::Post(PostId::from_bits(7));
    let (tag, category) = (term(TermKind::Tag), term(TermKind::Category));
    for (field, interface, object, selection) in [
        ("preview(token: \"x\")".to_owned(), "Content", "Post", content),
        (format!("node(id: \"{post}\")"), "Content", "Post", content),
        (format!("nodes(ids: [\"{post}\", \"{post}\"])"), "Content", "Post", content),
        (format!("node(id: \"{tag}\")"), "Term", "Tag", term_fields),
        (format!("nodes(ids: [\"{category}\", \"{category}\"])"), "Term", "Category", term_fields),
    ] {
        let on = |name: &str| bound(&format!("{{ {field} {{ ... on {name} {{ {selection} }} }} }}"));
        assert_eq!(on(interface), on(object), "{field} {interface}");
        assert!(on(interface).requests() > 50, "{field} {interface}");
    }
    let direct = bound(&format!("{{ preview(token: \"x\") {{ {content} }} }}"));
    assert_eq!(direct, bound(&format!("{{ preview(token: \"x\") {{ ... on Post {{ {content} }} }} }}")));
}

#[test]
fn an_id_costs_what_the_object_that_it_names_costs() {
    let selection =
        "... on Post { body { html } } ... on Tag { posts(first: 10) { nodes { id } } } ... on Token { author { id } }";
    let of = |id: &str| bound(&format!("{{ node(id: \"{id}\") {{ {selection} }} }}")).requests();
    assert_eq!(of(&NodeId::Post(PostId::from_bits(7)).to_string()), 2 + 1);
    // The list of the months is also read, for the number of posts.
    assert_eq!(of(&term(TermKind::Tag).to_string()), 2 + 1 + 10 + 10_u64.div_ceil(4) + 10);
    assert_eq!(of(&term(TermKind::Category).to_string()), 2);
    assert_eq!(of("token-x"), 0, "no id");
}

#[test]
fn each_tag_of_a_change_is_a_value() {
    let values = |selection: &str| bound(&format!("{{ changes(first: 10) {{ changes {{ {selection} }} }} }}")).values;
    assert_eq!(values("version tags") - values("version"), 10 * TAGS_MAX as u64);
}
