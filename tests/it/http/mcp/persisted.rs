//! The documents of the operator's manifests as tools.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::graphql::guard::Limits;
use tidings::graphql::persisted::TrustedDocuments;
use tidings::http::HttpSettings;
use tidings::model::SiteFields;

use super::Server;
use crate::support::graphql::EDITOR_TOKEN;

const LATEST: &str =
    "query Latest($first: Int! = 2, $filter: PostFilter) { posts(first: $first, filter: $filter) { nodes { slug } } }";

async fn server(trusted_only: bool, storage_requests: u64) -> Server {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("documents.json");
    let documents = json!({
        "1": LATEST,
        "2": "query Latest { site { name } }",
        "3": "{ posts { totalCount } }",
        "4": "subscription News { changes { endCursor } }",
        "5": "query Live @live { posts(first: 1) { nodes { slug } } }",
        "6": "query search { site { name } }",
        "7": "mutation Tag($name: String!) { createTag(input: { name: $name }) { tag { slug } userErrors { code } } }",
        "8": "query One { a: posts(first: 1) { totalCount } } query Other($slug: String!) { post(slug: $slug) { title } }",
    });
    std::fs::write(&path, documents.to_string()).expect("a file");
    let trusted = TrustedDocuments::read(&[path], &Limits::default(), &SiteFields::default()).expect("a manifest");
    let settings = HttpSettings { mcp: true, trusted: Arc::new(trusted), trusted_only, ..HttpSettings::default() };
    Server::start_with(settings, storage_requests).await
}

#[tokio::test]
async fn each_named_operation_that_has_one_answer_is_a_tool() {
    let server = server(false, STORAGE_REQUESTS_MAX).await;
    let own = ["search", "read", "changes"];
    assert_eq!(server.names(None).await, [&own[..], &["Latest", "One", "Other"]].concat());
    let with_token =
        [&own[..], &["create_draft", "update", "create_page_draft", "update_page", "Latest", "Tag", "One", "Other"]]
            .concat();
    assert_eq!(server.names(Some(EDITOR_TOKEN)).await, with_token);
    let tools = server.tools(None).await;
    let latest = tools.iter().find(|tool| tool["name"] == "Latest").expect("the first with this name");
    let schema = &latest["inputSchema"];
    assert_eq!((&schema["properties"]["first"]["type"], &schema["required"]), (&json!("integer"), &Value::Null));
    assert_eq!(schema["properties"]["first"]["default"], 2);
    assert!(latest["description"].as_str().is_some_and(|about| about.contains(LATEST)), "{latest}");
    let data = server.data(None, "Latest", json!({ "first": 1 })).await;
    assert_eq!(data, json!({ "posts": { "nodes": [{ "slug": "post-2" }] } }));
    let data = server.data(None, "Other", json!({ "slug": "post-2" })).await;
    assert_eq!(data, json!({ "post": { "title": "Post 2" } }));
    let (text, is_error) = server.call(None, "Tag", json!({ "name": "New" })).await;
    assert!(is_error && text.starts_with("UNAUTHENTICATED: "), "{text}");
    let made = server.data(Some(EDITOR_TOKEN), "Tag", json!({ "name": "New" })).await;
    assert_eq!(made["createTag"]["tag"]["slug"], "new");
    let (text, is_error) = server.call(Some(EDITOR_TOKEN), "Tag", json!({ "name": "" })).await;
    assert!(is_error && text.contains("INVALID"), "{text}");
    server.end().await;
}

#[tokio::test]
async fn they_are_the_only_tools_if_nothing_else_may_run_and_have_a_price() {
    let server = server(true, 30).await;
    assert_eq!(server.names(None).await, ["Latest", "search", "One", "Other"]);
    assert_eq!(server.data(None, "search", json!({})).await, json!({ "site": { "name": "Tidings" } }));
    let (text, is_error) =
        server.call(None, "Latest", json!({ "first": 100, "filter": { "tags": { "any": ["a"] } } })).await;
    assert!(is_error && text.starts_with("QUERY_TOO_COMPLEX: "), "{text}");
    server.end().await;
}
