//! The fields of a plan with their bounds, and the plan of a request that does not run. The rule: a field that needs a storage request has a bound, and a dry
//! run makes none for it.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tidings::model::TermKind;

use super::{EXPLAIN, Server, bounds_of_fields, fill};
use crate::support::site::{Site, term_id};

const QUERY: &str = "query Page($n: Int!) {
  cloud: tags(first: 100) { nodes { name posts(first: $n) { nodes { title } totalCount } } }
  ...More
}
fragment More on Query { posts(first: 2) { nodes { author { name } } } }";

async fn plan(server: &Server, headers: &[(&str, &str)]) -> Value {
    let mut answer = server.ask(headers, &json!({ "query": QUERY, "variables": { "n": 2 } })).await;
    assert_eq!(answer.get("errors"), None);
    answer["extensions"]["explain"].take()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_has_the_fields_with_their_bounds_and_no_request() {
    let site = Site::in_memory().await;
    fill(&site).await;
    let server = Server::of(&site, true);
    let dry = plan(&server, &[EXPLAIN, ("GraphQL-Cost", "validate")]).await;
    assert_eq!((&dry["executed"], &dry["requests"], &dry["spent"]), (&json!(false), &json!([]), &Value::Null));
    // The dry run has read lists for the bound, which are cached now.
    site.invalidate_cached();
    let run = plan(&server, &[EXPLAIN, ("GraphQL-Cost", "report")]).await;
    assert_eq!(dry["bound"], run["bound"]);
    let of = |plan: &Value| {
        let mut found = BTreeMap::new();
        bounds_of_fields(&plan["fields"], &mut found);
        found
    };
    let (of_dry, of_run) = (of(&dry), of(&run));
    assert_eq!(of_dry, of_run);
    assert!(of_run["cloud.nodes.posts"] > 0 && of_run["posts.nodes.author"] == 2, "{of_run:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_has_its_type_and_its_place_in_the_document() {
    let site = Site::in_memory().await;
    fill(&site).await;
    let dry = plan(&Server::of(&site, true), &[EXPLAIN, ("GraphQL-Cost", "validate")]).await;
    let shown =
        |field: &Value| json!([field["path"], field["fieldName"], field["type"], field["line"], field["column"]]);
    let roots: Vec<Value> = dry["fields"].as_array().expect("fields").iter().map(shown).collect();
    assert_eq!(
        roots,
        [json!(["cloud", "tags", "TagConnection!", 2, 3]), json!(["posts", "posts", "PostConnection!", 5, 26])]
    );
    let nodes = &dry["fields"][0]["fields"][0];
    assert_eq!(shown(nodes), json!(["cloud.nodes", "nodes", "[Tag!]!", 2, 29]));
    let names: Vec<&Value> = nodes["fields"].as_array().expect("fields").iter().map(|field| &field["path"]).collect();
    assert_eq!(names, ["cloud.nodes.name", "cloud.nodes.posts"]);
}

/// On objects of two types, the fields of one key are one field.
#[tokio::test(flavor = "multi_thread")]
async fn fields_of_one_key_are_one_field() {
    let site = Site::in_memory().await;
    fill(&site).await;
    let ids = [term_id(TermKind::Tag, "tag-0"), term_id(TermKind::Author, "author-0")];
    let query = format!(
        "{{ list: nodes(ids: {ids:?}) {{ ... on Tag {{ posts(first: 2) {{ totalCount }} }} ... on Author {{ posts(first: 2) {{ totalCount }} }} }} }}"
    );
    let plan = Server::of(&site, true).plan(&query).await;
    let below = plan["fields"][0]["fields"].as_array().expect("fields");
    let found: Vec<&Value> = below.iter().map(|field| &field["path"]).collect();
    assert_eq!(found, ["list.posts"], "{plan:#}");
    let count = &below[0]["fields"][0];
    assert!(count["path"] == "list.posts.totalCount" && count["bound"].as_u64() >= Some(2), "{plan:#}");
}

/// An alias can be as long as a document, and a request can serve all of its fields.
#[tokio::test(flavor = "multi_thread")]
async fn a_plan_is_not_many_times_as_long_as_its_document() {
    let site = Site::in_memory().await;
    fill(&site).await;
    let server = Server::of(&site, true);
    let tags: String = (0..90).map(|n| format!(" t{n}: tags {{ name }}")).collect();
    let query = format!("{{ {}: posts(first: 100) {{ nodes {{{tags} }} }} }}", "A".repeat(58_000));
    for headers in [&[EXPLAIN][..], &[EXPLAIN, ("GraphQL-Cost", "validate")]] {
        let answer = server.ask(headers, &json!({ "query": query })).await;
        assert_eq!(answer.get("errors"), None);
        let plan = answer["extensions"]["explain"].to_string();
        assert!(plan.len() < 200_000, "{} bytes", plan.len());
    }
}
