//! Search and related posts, as clients ask for them. What words are and how hits are ranked, the tests of `crates/search` show.

mod found;
mod hidden;
mod histories;
mod titles;

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::graphql::{EDITOR_TOKEN, input_type};
use crate::support::site::Site;

/// How often a server is asked until it has seen the last change.
const TRIES_MAX: usize = 300;

/// Makes a change that must succeed, and returns the post or page.
async fn make(site: &Site, field: &str, input: Value) -> Value {
    let object = if field.ends_with("Page") { "page { id version path }" } else { "post { id version slug }" };
    let object = if field.starts_with("delete") { "deletedId" } else { object };
    let query = format!(
        "mutation($input: {}!) {{ {field}(input: $input) {{ {object} userErrors {{ message }} }} }}",
        input_type(field)
    );
    let answer = site.mutate(&query, json!({ "input": input }), Some(EDITOR_TOKEN)).await.body;
    let payload = &answer["data"][field];
    assert_eq!(payload["userErrors"], json!([]), "{field}: {answer}");
    if payload["post"].is_null() { payload["page"].clone() } else { payload["post"].clone() }
}

/// The slugs of posts and the paths of pages that are found, in their order. `arguments`: those beside `query`.
async fn found(site: &Site, token: Option<&str>, text: &str, arguments: &str) -> Vec<String> {
    let text = serde_json::to_string(text).expect("JSON");
    let fields = "nodes { slug ... on Page { path } }";
    let query = format!("{{ search(query: {text}{arguments}) {{ {fields} }} }}");
    let mut answer = site.ask_as(token, &query).await;
    while answer["errors"][0]["extensions"]["code"] == "SEARCH_NOT_READY" {
        answer = site.ask_as(token, &query).await;
    }
    assert_eq!(answer.get("errors"), None, "{text}: {answer}");
    let name = |node: &Value| node["path"].as_str().or(node["slug"].as_str()).expect("a name").to_owned();
    answer["data"]["search"]["nodes"].as_array().expect("nodes").iter().map(name).collect()
}

/// Asks until the answer is this one: a search waits for the index for a second, and a busy machine may need longer.
async fn assert_found(site: &Site, token: Option<&str>, text: &str, expected: &[&str]) {
    let mut last = found(site, token, text, "").await;
    for _ in 0..TRIES_MAX {
        if last == expected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        last = found(site, token, text, "").await;
    }
    assert_eq!(last, expected, "{text}");
}
