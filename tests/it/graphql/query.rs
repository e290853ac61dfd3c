//! `Query`: objects by id and slug; for an unknown or invalid id or slug, the result is null in its place, and never an error.

use serde_json::{Value, json};
use tidings::model::TermKind;

use crate::support::site::{Site, instant, post, slugs, term_id};

/// Three posts, and two terms of each kind.
async fn site() -> Site {
    let site = Site::in_memory().await;
    let posts: Vec<_> = (1..=3)
        .map(|n| {
            let mut whole = post(n, instant(&format!("2025-0{n}-01T00:00:00Z")));
            whole.post.tags = slugs(&["rust", "post-1"]);
            whole.post.categories = slugs(&["news", "rust"]);
            whole.post.authors = slugs(&["ada", "rust"]);
            whole
        })
        .collect();
    site.publish(&posts).await;
    site
}

/// The type, id and slug of every object in the lists.
async fn objects(site: &Site) -> Vec<Value> {
    let data = site
        .query(
            "{ posts { nodes { __typename id slug } } categories { nodes { __typename id slug } }
               tags { nodes { __typename id slug } } authors { nodes { __typename id slug } } }",
        )
        .await;
    let lists = ["posts", "categories", "tags", "authors"];
    lists.iter().flat_map(|list| data[list]["nodes"].as_array().expect("nodes").clone()).collect()
}

const OBJECT: &str =
    "__typename id ... on Post { slug } ... on Category { slug } ... on Tag { slug } ... on Author { slug }";

/// Ids of objects that do not exist, and texts that are not ids.
fn invalid_ids() -> Vec<String> {
    let mut ids: Vec<String> = [
        "",
        "post-",
        "post-000000000000",
        "post-00000000000",
        "tag-nothing",
        "tag-",
        "category-ada",
        "author-Ada",
        "page-1",
        "posts",
        "0",
        "-",
        "tag-rust-",
        " tag-rust",
        "tag-rust ",
        "TAG-rust",
        "tag--rust",
        "💥",
        "tag-ünï",
        "post-post-1",
        "author-../x",
        "tag-a b",
        "'",
        "\u{0}",
    ]
    .map(str::to_owned)
    .to_vec();
    ids.push("x".repeat(10_000));
    ids.push(format!("tag-{}", "x".repeat(201)));
    // The slug with another creation id, of another kind, with padding, and with another last bit.
    let id = term_id(TermKind::Tag, "rust");
    ids.extend(["tag-0123456789abcnVzdA".to_owned(), format!("{id}=="), format!("{id} ")]);
    ids.push(id.strip_suffix('A').map(|id| format!("{id}B")).expect("base64 of four bytes"));
    ids.push(term_id(TermKind::Tag, "ada"));
    ids
}

async fn nodes(site: &Site, ids: &[String]) -> Value {
    let query = format!("query($ids: [ID!]!) {{ nodes(ids: $ids) {{ {OBJECT} }} }}");
    site.query_with(&query, json!({ "ids": ids })).await["nodes"].clone()
}

#[tokio::test]
async fn each_object_is_found_by_its_id() {
    let site = site().await;
    let objects = objects(&site).await;
    assert_eq!(objects.len(), 3 + 2 * 3);
    for object in objects {
        let query = format!("{{ node(id: {}) {{ {OBJECT} }} }}", object["id"]);
        assert_eq!(site.query(&query).await, json!({ "node": object }));
    }
}

#[tokio::test]
async fn an_invalid_or_unknown_id_is_null() {
    let site = site().await;
    for id in invalid_ids() {
        let data = site.query_with("query($id: ID!) { node(id: $id) { id } }", json!({ "id": id })).await;
        assert_eq!(data, json!({ "node": null }), "{id:?}");
    }
}

#[tokio::test]
async fn nodes_have_the_order_of_the_ids_with_nulls_and_duplicates() {
    let site = site().await;
    let objects = objects(&site).await;
    let mut asked: Vec<(String, Value)> =
        objects.iter().map(|object| (object["id"].as_str().expect("an id").to_owned(), object.clone())).collect();
    let again: Vec<_> = asked.iter().rev().step_by(2).cloned().collect();
    asked.extend(invalid_ids().into_iter().map(|id| (id, Value::Null)));
    asked.extend(again);
    // Mixes types, nulls and duplicates, in the same order in every run.
    asked.sort_by_key(|(id, _)| id.bytes().rev().collect::<Vec<_>>());
    let (ids, expected): (Vec<String>, Vec<Value>) = asked.into_iter().unzip();
    assert_eq!(nodes(&site, &ids).await, Value::Array(expected));
}

#[tokio::test]
async fn the_same_id_is_allowed_100_times_and_the_list_of_ids_can_be_empty() {
    let site = site().await;
    let object = objects(&site).await[0].clone();
    let ids = vec![object["id"].as_str().expect("an id").to_owned(); 100];
    assert_eq!(nodes(&site, &ids).await, Value::Array(vec![object; 100]));
    assert_eq!(nodes(&site, &[]).await, json!([]));
}

#[tokio::test]
async fn more_than_a_hundred_ids_are_refused_with_both_numbers() {
    let site = site().await;
    let ids = vec!["post-000000000000"; 101];
    let body = json!({ "query": "query($ids: [ID!]!) { nodes(ids: $ids) { id } }", "variables": { "ids": ids } });
    let error = site.post_graphql(body).await.body["errors"][0].clone();
    let expected = (json!("BAD_USER_INPUT"), json!("`ids` names 101 objects; at most 100 are allowed"));
    assert_eq!((error["extensions"]["code"].clone(), error["message"].clone()), expected);
}

/// The tag `rust` is not the author `rust`, and the tag `post-1` is not the post.
#[tokio::test]
async fn the_kinds_of_objects_have_separate_slugs() {
    let site = site().await;
    let query = r#"{
        tag(slug: "rust") { id } category(slug: "rust") { id } author(slug: "rust") { id } post(slug: "rust") { id }
        of_tag: tag(slug: "post-1") { id } of_post: post(slug: "post-1") { title }
    }"#;
    let expected = json!({
        "tag": { "id": term_id(TermKind::Tag, "rust") }, "category": { "id": term_id(TermKind::Category, "rust") },
        "author": { "id": term_id(TermKind::Author, "rust") }, "post": null,
        "of_tag": { "id": term_id(TermKind::Tag, "post-1") }, "of_post": { "title": "Post 1" },
    });
    assert_eq!(site.query(query).await, expected);
}

#[tokio::test]
async fn an_invalid_slug_is_null_for_every_kind() {
    let site = site().await;
    for text in invalid_ids() {
        let query = "query($s: String!) { post(slug: $s) { id } tag(slug: $s) { id } category(slug: $s) { id } author(slug: $s) { id } }";
        let data = site.query_with(query, json!({ "s": text })).await;
        assert_eq!(data, json!({ "post": null, "tag": null, "category": null, "author": null }), "{text:?}");
    }
}
