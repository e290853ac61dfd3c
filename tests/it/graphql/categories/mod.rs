//! Categories with a parent: their tree, its reads and its changes, on a file and on tables. The rule: every test ends with a check that finds no difference.

mod changes;
mod damaged;
mod imported;
mod lists;
mod price;
mod raced;

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::model::TermKind;
use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;

use crate::support::graphql::{EDITOR_TOKEN, input_type};
use crate::support::memory::MemoryStore;
use crate::support::site::Site;

/// An empty site on a file, and one on tables.
async fn sites() -> [Site; 2] {
    let file: Store = Arc::new(EmbeddedStore::in_memory().expect("a store in memory"));
    [Site::over(file).await, Site::over(MemoryStore::empty()).await]
}

/// The payload of a mutation.
async fn mutate(site: &Site, name: &str, input: Value) -> Value {
    let kind = input_type(name);
    let answer = if name == "deleteCategory" { "deletedId" } else { "category { id slug version parent { slug } }" };
    let query = format!(
        "mutation($input: {kind}!) {{ {name}(input: $input) {{ {answer} userErrors {{ code field message ... on InUseError {{ usedByCount }} }} }} }}"
    );
    let answer = site.mutate(&query, json!({ "input": input }), Some(EDITOR_TOKEN)).await;
    assert_eq!(answer.body.get("errors"), None, "{name}");
    answer.body["data"][name].clone()
}

/// Creates a category below another, and returns its id.
async fn create(site: &Site, slug: &str, parent: Option<&Value>) -> Value {
    let payload = mutate(site, "createCategory", json!({ "name": slug, "slug": slug, "parentId": parent })).await;
    assert_eq!(payload["userErrors"], json!([]), "{slug}");
    payload["category"]["id"].clone()
}

/// Gives a category this parent.
async fn place(site: &Site, slug: &str, parent: &Value) -> Value {
    change(site, slug, json!({ "parentId": parent })).await
}

async fn change(site: &Site, slug: &str, mut input: Value) -> Value {
    let (id, version) = site.named(TermKind::Category, slug).await;
    (input["id"], input["expectedVersion"]) = (json!(id), json!(version));
    mutate(site, "updateCategory", input).await
}

async fn delete(site: &Site, slug: &str) -> Value {
    let (id, version) = site.named(TermKind::Category, slug).await;
    mutate(site, "deleteCategory", json!({ "id": id, "expectedVersion": version })).await
}

/// The code and the field of each user error.
fn refused(payload: &Value) -> Vec<(String, String)> {
    let errors = payload["userErrors"].as_array().expect("a list");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    errors.iter().map(|error| (text(&error["code"]), text(&error["field"][1]))).collect()
}

fn error(code: &str, field: &str) -> Vec<(String, String)> {
    vec![(code.to_owned(), field.to_owned())]
}

/// Each category as `slug < parent`, or `slug`, in the order of the slugs.
async fn tree(site: &Site) -> Vec<String> {
    let data = site.query("{ categories(first: 100) { nodes { slug parent { slug } } } }").await;
    let nodes = data["categories"]["nodes"].as_array().expect("nodes");
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let line = |node: &Value| match text(&node["parent"]["slug"]) {
        Some(parent) => format!("{} < {parent}", text(&node["slug"]).unwrap_or_default()),
        None => text(&node["slug"]).unwrap_or_default(),
    };
    nodes.iter().map(line).collect()
}

/// The slugs of a list.
fn slugs_of(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|node| node["slug"].as_str().expect("a slug")).collect()
}
