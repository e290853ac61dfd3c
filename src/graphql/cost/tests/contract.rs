//! The bounds of selections on the interfaces of the schema. The rule: a field of an interface costs what it costs on the dearest type.

use std::sync::Arc;

use async_graphql::Request;

use super::super::{Bound, CostModel};
use crate::graphql::guard::{Limits, admit};
use crate::graphql::outline::OperationOutline;
use crate::graphql::type_map::TypeMap;

const SDL: &str = include_str!("../../../../schema.graphql");

fn bound(document: &str) -> Bound {
    let costs = CostModel::new(Arc::new(TypeMap::of(SDL).expect("SDL")));
    let mut request = admit(Request::new(document), &Limits::default()).expect(document).request;
    let operation = OperationOutline::of(&mut request).expect("a document").expect("an operation");
    costs.bound(&operation, &request.variables, 0)
}

#[test]
fn a_field_of_content_or_term_costs_what_it_costs_on_the_type() {
    let content = "body { html } revisions(first: 5) { nodes { tags { posts { totalCount } } } } viewerCanUpdate";
    let term = "postCount posts(first: 10, after: \"x\") { totalCount nodes { body { html } authors { name } } }";
    for (field, interface, object, selection) in [
        ("preview(token: \"x\")", "Content", "Post", content),
        ("node(id: \"x\")", "Content", "Post", content),
        ("nodes(ids: [\"x\", \"y\"])", "Content", "Post", content),
        ("node(id: \"x\")", "Term", "Tag", term),
        ("nodes(ids: [\"x\", \"y\"])", "Term", "Category", term),
    ] {
        let on = |name: &str| bound(&format!("{{ {field} {{ ... on {name} {{ {selection} }} }} }}"));
        assert_eq!(on(interface), on(object), "{field} {interface}");
        assert!(on(interface).requests() > 50, "{field} {interface}");
    }
    let direct = bound(&format!("{{ preview(token: \"x\") {{ {content} }} }}"));
    assert_eq!(direct, bound(&format!("{{ preview(token: \"x\") {{ ... on Post {{ {content} }} }} }}")));
}
