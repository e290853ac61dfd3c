//! The pages of a site: their tree, their reads and their changes, on a file and on tables. The rule: every test ends with a check that finds no difference.

mod against_model;
mod cached;
mod changes;
mod hidden;
mod lists;
mod once;
mod paging;
mod preview;
mod raced;
mod repaired;
mod scheduled;
mod stopped;

use std::sync::Arc;

use serde_json::{Value, json};
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

const FIELDS: &str = "id path slug title excerpt status version order body { markdown } metadata";

/// The payload of a mutation of a page.
async fn mutate(site: &Site, name: &str, input: Value) -> Value {
    let kind = input_type(name);
    let answer = if name == "deletePage" { "deletedId".to_owned() } else { format!("page {{ {FIELDS} }}") };
    let query = format!(
        "mutation($input: {kind}!) {{ {name}(input: $input) {{ {answer} userErrors {{ code field message ... on InUseError {{ usedByCount }} \
           ... on ConflictError {{ current {{ ... on Page {{ version title }} }} }} }} }} }}"
    );
    let answer = site.mutate(&query, json!({ "input": input }), Some(EDITOR_TOKEN)).await;
    assert_eq!(answer.body.get("errors"), None, "{name}");
    answer.body["data"][name].clone()
}

/// The page after a mutation that must succeed.
async fn done(site: &Site, name: &str, input: Value) -> Value {
    let payload = mutate(site, name, input).await;
    assert_eq!(payload["userErrors"], json!([]), "{name}");
    payload["page"].clone()
}

/// Creates a published page.
async fn create(site: &Site, path: &str, order: Option<i32>) -> Value {
    let title = format!("The page {path}");
    let input =
        json!({ "path": path, "title": title, "markdown": format!("Of *{path}*."), "order": order, "publish": true });
    done(site, "createPage", input).await
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

/// The paths of the pages of a list.
fn paths(connection: &Value) -> Vec<String> {
    let nodes = connection["nodes"].as_array().expect("nodes");
    nodes.iter().map(|page| page["path"].as_str().expect("a path").to_owned()).collect()
}
