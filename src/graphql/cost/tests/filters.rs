//! The price of a filter that excludes categories, tags or authors, however its parts are sent.

use async_graphql::Variables;
use async_graphql::parser::parse_query;
use serde_json::json;

use super::super::{Bound, CostModel};
use crate::content::read::pages::LOOK_UPS_MAX;
use crate::graphql::outline::{OperationOutline, Outline};
use crate::graphql::type_map::TypeMap;

/// The bound of the only operation of a document.
fn bound_of(document: &str, variables: serde_json::Value) -> Bound {
    let types = TypeMap::of(include_str!("../../../../schema.graphql")).expect("the schema parses");
    let outline = Outline::of(&parse_query(document).expect("a document"));
    let operation = OperationOutline::select(outline, None).expect("an operation");
    CostModel::new(std::sync::Arc::new(types)).bound(&operation, &Variables::from_json(variables), 3)
}

#[test]
fn a_filter_that_excludes_terms_costs_the_posts_that_it_examines() {
    let with = |filter: &str| bound_of(&format!("{{ posts(filter: {filter}) {{ totalCount }} }}"), json!({}));
    let plain = with(r#"{ tags: { any: ["a"] } }"#);
    let dear = with(r#"{ tags: { none: ["a"] } }"#);
    assert!(dear.point_reads > plain.point_reads + u64::from(LOOK_UPS_MAX), "{plain:?} {dear:?}");
    for kind in ["categories", "tags", "authors"] {
        assert_eq!(with(&format!(r#"{{ {kind}: {{ any: ["b"], none: ["a"] }} }}"#)), dear, "{kind}");
        assert_eq!(with(&format!("{{ {kind}: {{ none: null }} }}")), plain, "{kind}");
    }
    for (parameter, filter, variables) in [
        ("$v: PostFilter", "$v", json!({ "v": { "tags": { "none": ["a"] } } })),
        ("$v: TagFilter", "{ tags: $v }", json!({ "v": { "none": ["a"] } })),
        ("$v: [String!]", "{ tags: { none: $v } }", json!({ "v": ["a"] })),
    ] {
        let document = format!("query({parameter}) {{ posts(filter: {filter}) {{ totalCount }} }}");
        assert_eq!(bound_of(&document, variables), dear, "{parameter}");
        assert!(bound_of(&document, json!({})).point_reads <= plain.point_reads, "{parameter}");
    }
}
