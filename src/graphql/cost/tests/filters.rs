//! The price of a filter that excludes categories, tags or authors, whether it is sent as a literal or as variables.

use async_graphql::Variables;
use async_graphql::parser::parse_query;
use serde_json::json;

use super::super::{Bound, CostModel};
use crate::content::read::pages::{LOOK_UPS_MAX, RANGE_READS_MAX};
use crate::graphql::outline::{OperationOutline, Outline};
use crate::graphql::type_map::TypeMap;

/// The bound of a document with a single operation.
fn bound_of(document: &str, variables: serde_json::Value) -> Bound {
    let types = TypeMap::of(include_str!("../../../../schema.graphql")).expect("the schema parses");
    let outline = Outline::of(&parse_query(document).expect("a document"));
    let operation = OperationOutline::select(outline, None).expect("an operation");
    let variables = Variables::from_json(variables);
    CostModel::new(std::sync::Arc::new(types)).cost(&operation, &variables, &super::UNKNOWN).bound()
}

#[test]
fn a_filter_that_excludes_terms_costs_the_posts_that_it_examines() {
    let with =
        |filter: &str| bound_of(&format!("{{ posts(filter: {filter}) {{ nodes {{ id }} totalCount }} }}"), json!({}));
    let plain = with(r#"{ tags: { any: ["a"] } }"#);
    let dear = with(r#"{ tags: { none: ["a"] } }"#);
    let most_expensive = with(r#"{ tags: { any: ["b"], none: ["a"] } }"#);
    assert!(dear.range_reads >= u64::from(RANGE_READS_MAX) && plain.range_reads < 40, "{plain:?} {dear:?}");
    assert!(
        most_expensive.point_reads > plain.point_reads + u64::from(LOOK_UPS_MAX) - 30,
        "{plain:?} {most_expensive:?}"
    );
    for kind in ["categories", "tags", "authors"] {
        assert_eq!(with(&format!(r#"{{ {kind}: {{ none: ["a"] }} }}"#)), dear, "{kind}");
        assert_eq!(with(&format!(r#"{{ {kind}: {{ any: ["b"], none: ["a"] }} }}"#)), most_expensive, "{kind}");
        assert_eq!(with(&format!(r#"{{ {kind}: {{ any: ["a"], none: null }} }}"#)), plain, "{kind}");
    }
    for (parameter, filter, variables) in [
        ("$v: PostFilter", "$v", json!({ "v": { "tags": { "none": ["a"] } } })),
        ("$v: TagFilter", "{ tags: $v }", json!({ "v": { "none": ["a"] } })),
        ("$v: [String!]", "{ tags: { none: $v } }", json!({ "v": ["a"] })),
    ] {
        let document = format!("query({parameter}) {{ posts(filter: {filter}) {{ nodes {{ id }} totalCount }} }}");
        assert_eq!(bound_of(&document, variables), dear, "{parameter}");
        assert!(bound_of(&document, json!({})).requests() < plain.requests() + 40, "{parameter}");
    }
}

#[test]
fn the_slugs_that_a_filter_excludes_are_looked_up_for_an_empty_page_too() {
    let empty = "{ posts(first: 0, filter: { tags: { none: [\"a\", \"b\"] } }) { nodes { id } } }";
    assert_eq!(bound_of(empty, json!({})).point_reads, 2 * 3);
}

#[test]
fn a_filter_by_featured_costs_what_one_by_a_term_costs() {
    let with =
        |filter: &str| bound_of(&format!("{{ posts(filter: {filter}) {{ nodes {{ id }} totalCount }} }}"), json!({}));
    assert_eq!(with("{ featured: true }"), with(r#"{ tags: { all: ["a"] } }"#));
    for nothing in ["null", "[]", "{}", "[[], {}]"] {
        assert_eq!(with(&format!("{{ featured: {nothing} }}")), with("{}"), "{nothing}");
    }
    let others = with("{ featured: false }");
    assert_eq!(others, with(r#"{ tags: { none: ["a"] } }"#));
    for (parameter, filter, variables) in [
        ("$v: PostFilter", "$v", json!({ "v": { "featured": false } })),
        ("$v: Boolean", "{ featured: $v }", json!({ "v": false })),
        ("$v: Boolean = false", "{ featured: $v }", json!({})),
    ] {
        let document = format!("query({parameter}) {{ posts(filter: {filter}) {{ nodes {{ id }} totalCount }} }}");
        assert_eq!(bound_of(&document, variables), others, "{parameter}");
    }
}

#[test]
fn a_page_costs_only_what_is_selected_of_it() {
    let of = |selection: &str| {
        bound_of(&format!("{{ tag(slug: \"a\") {{ posts(first: 10) {{ {selection} }} }} }}"), json!({}))
    };
    let page = of("nodes { id }");
    assert_eq!(of("totalCount").requests(), page.requests() - 1 - 10 - 10_u64.div_ceil(4) + 11);
    assert_eq!(of("__typename").requests(), 2);
    assert_eq!(of("nodes { id } pageInfo { hasNextPage }").point_reads, page.point_reads + 1);
    assert_eq!(of("pageInfo { endCursor }").requests(), page.requests() + 1);
    assert_eq!(of("... on PostConnection { ... { nodes { id } } }").requests(), page.requests());
}
