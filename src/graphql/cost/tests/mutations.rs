//! The bounds of mutations by their input, and of fields that require a token, for unknown content.

use std::sync::Arc;

use async_graphql::{Request, Variables};
use serde_json::{Value, json};

use super::super::{CostModel, FieldCost, Sizes};
use crate::graphql::guard::{Limits, admit};
use crate::graphql::outline::OperationOutline;
use crate::graphql::type_map::TypeMap;

const SDL: &str = include_str!("../../../../schema.graphql");

/// The bound, and those of the fields.
fn costs(document: &str, variables: Value, sizes: &Sizes) -> (u64, Vec<FieldCost>) {
    let costs = CostModel::new(Arc::new(TypeMap::of(SDL).expect("SDL")));
    let request = Request::new(document).variables(Variables::from_json(variables));
    let mut request = admit(request, &Limits::default()).expect(document).request;
    let operation = OperationOutline::of(&mut request).expect("a document").expect("an operation");
    let cost = costs.cost(&operation, &request.variables, sizes);
    (cost.bound().requests(), cost.fields())
}

fn bound(document: &str) -> u64 {
    costs(document, json!({}), &Sizes::default()).0
}

fn create(input: &str, payload: &str) -> u64 {
    bound(&format!("mutation {{ createPost(input: {{ title: \"A\", markdown: \"\" {input} }}) {{ {payload} }} }}"))
}

fn update(input: &str, payload: &str) -> u64 {
    bound(&format!("mutation {{ updatePost(input: {{ id: \"x\", expectedVersion: 1 {input} }}) {{ {payload} }} }}"))
}

const TAGS: &str = "post { tags { name } }";

/// The reads for each text of the input.
const NAME: u64 = 4;

#[test]
fn the_post_of_a_payload_has_as_many_terms_as_a_post_can_have() {
    // The list of the tags is also read.
    assert_eq!(create("", TAGS), create("", "post { id }") + 101);
    assert_eq!(update("", TAGS), update("", "post { id }") + 101);
    let many = "mutation { updatePosts(input: { posts: [{ id: \"x\", expectedVersion: 1 }, { id: \"y\", expectedVersion: 1 }] }) ";
    assert_eq!(
        bound(&format!("{many} {{ posts {{ tags {{ name }} }} }} }}")),
        bound(&format!("{many} {{ posts {{ id }} }} }}")) + 201
    );
}

#[test]
fn a_file_that_a_node_names_is_one_read() {
    assert_eq!(update("", "post { enclosure { url } }"), update("", "post { id }"));
    for kind in ["Image", "File"] {
        let node = format!("{{ node(id: \"asset-{}\") {{ ... on {kind} {{ url byteSize }} }} }}", "0".repeat(40));
        let (bound, fields) = costs(&node, json!({}), &Sizes::default());
        assert_eq!((bound, fields.len(), fields[0].fields.len()), (1, 1, 2), "{kind}");
    }
}

#[test]
fn an_input_costs_what_its_texts_may_name() {
    assert_eq!(
        create(r#", tagSlugs: ["a", "b"], seriesSlug: "c""#, "post { id }"),
        create("", "post { id }") + 3 * NAME
    );
    assert_eq!(create(r#", enclosure: { assetId: "x" }"#, "post { id }"), create("", "post { id }") + NAME);
    assert_eq!(create(r#", metadata: { a: ["b", "c"] }, featured: true"#, "post { id }"), create("", "post { id }"));
    assert_eq!(update("", "post { id }"), 1 + NAME);
    let document = "mutation($input: UpdatePostInput!) { updatePost(input: $input) { post { tags { name } } } }";
    let input = json!({ "input": { "id": "x", "expectedVersion": 1, "tagSlugs": ["a", "b"] } });
    assert_eq!(costs(document, input, &Sizes::default()).0, update(r#", tagSlugs: ["a", "b"]"#, TAGS));
    let moved =
        |input: &str| bound(&format!("mutation {{ updatePage(input: {{ id: \"x\" {input} }}) {{ page {{ id }} }} }}"));
    assert!(moved(", path: \"a/b\"") > moved(", title: \"a/b\"") + 200);
}

#[test]
fn fields_of_one_key_read_a_list_of_partitions_once() {
    let one = "posts(first: 1) { nodes { id } }";
    let (_, fields) = costs(&format!("{{ {one} }}"), json!({}), &Sizes::default());
    let (whole, twice) = costs(&format!("{{ {one} {one} }}"), json!({}), &Sizes::default());
    assert_eq!(twice.len(), 1);
    assert_eq!(twice[0].bound, whole);
    assert!(twice[0].bound < 2 * fields[0].bound);
}

#[test]
fn a_client_without_a_token_pays_nothing_for_lists_that_it_does_not_get() {
    let mut sizes = Sizes::default();
    sizes.is_anonymous = true;
    for list in ["draftPosts", "scheduledPosts"] {
        let document = format!("{{ {list}(first: 50) {{ totalCount nodes {{ tags {{ name }} }} }} }}");
        assert_eq!(costs(&document, json!({}), &sizes).0, 0, "{list}");
        assert!(bound(&document) > 50, "{list}");
    }
}
