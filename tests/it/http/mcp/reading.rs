//! What everyone can read by tools.

use serde_json::{Value, json};
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::http::HttpSettings;

use super::{POST, REVISION, Server};
use crate::support::graphql::EDITOR_TOKEN;

#[tokio::test]
async fn each_tool_says_what_it_takes_in_the_words_of_the_schema() {
    let server = Server::start().await;
    let tools = server.tools(None).await;
    let search = tools.iter().find(|tool| tool["name"] == "search").expect("search");
    let (schema, hints) = (&search["inputSchema"], &search["annotations"]);
    assert_eq!((&schema["required"], &schema["additionalProperties"]), (&json!(["query"]), &json!(false)));
    assert_eq!(schema["properties"]["first"]["description"], "1 to 100; 20 if omitted.");
    assert_eq!(schema["properties"]["first"]["default"], 10);
    assert_eq!(schema["properties"]["types"]["items"], json!({ "type": "string", "enum": ["POST", "PAGE"] }));
    let tags = &schema["properties"]["filter"]["properties"]["tags"]["properties"];
    assert_eq!(tags["any"]["type"], "array", "{schema}");
    assert_eq!((&hints["readOnlyHint"], &hints["openWorldHint"]), (&json!(true), &json!(false)));
    let changes = tools.iter().find(|tool| tool["name"] == "changes").expect("changes");
    let types = &changes["inputSchema"]["properties"]["types"]["items"]["enum"];
    assert!(types.as_array().is_some_and(|types| types.contains(&json!("CATEGORY"))), "{changes}");
    server.end().await;
}

#[tokio::test]
async fn a_post_and_a_page_are_read_as_markdown_below_their_facts() {
    let server = Server::start().await;
    let (text, is_error) = server.call(None, "read", json!({ "slug": "post-1" })).await;
    let facts = ["title: \"A \\\"first\\\" post: --- \"", "type: \"Post\"", "version: 1", "status: \"PUBLISHED\""];
    assert!(!is_error && text.starts_with("---\n") && text.ends_with("\n---\n\nThe lighthouse.\n"), "{text}");
    assert!(facts.iter().all(|fact| text.lines().any(|line| line == *fact)), "{text}");
    let id = text.lines().find_map(|line| line.strip_prefix("id: \"")?.strip_suffix('"')).expect("an id");
    assert_eq!(server.call(None, "read", json!({ "id": id })).await.0, text);
    let (page, _) = server.call(None, "read", json!({ "path": "guide/install", "slug": null })).await;
    assert!(page.contains("\npath: \"guide/install\"\n"), "{page}");
    for none in [json!({ "slug": "nothing" }), json!({ "path": "nothing" }), json!({ "id": "post-nothing" })] {
        let (text, is_error) = server.call(None, "read", none).await;
        assert!(is_error && text.starts_with("NOT_FOUND: "), "{text}");
    }
    for wrong in [json!({}), json!({ "slug": "a", "path": "b" })] {
        let (text, is_error) = server.call(None, "read", wrong).await;
        assert!(is_error && text.starts_with("BAD_USER_INPUT: Give one of"), "{text}");
    }
    server.end().await;
}

#[tokio::test]
async fn changes_follow_a_position_and_are_of_the_asked_types() {
    let server = Server::start().await;
    let position = server.data(None, "changes", json!({})).await["changes"]["endCursor"].clone();
    for mutation in [
        "mutation { createTag(input: { name: \"New\" }) { tag { id } } }",
        "mutation { createPost(input: { title: \"New\", markdown: \"x\", publish: true }) { post { id } } }",
    ] {
        assert_eq!(server.site.ask_as(Some(EDITOR_TOKEN), mutation).await.get("errors"), None);
    }
    let types = async |types: Value| {
        let found = server.data(None, "changes", json!({ "after": position, "types": types })).await;
        let changes = found["changes"]["changes"].as_array().expect("changes").clone();
        changes.iter().map(|change| change["nodeType"].as_str().expect("a type").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(types(Value::Null).await, ["Tag", "Post"]);
    assert_eq!(types(json!(["POST"])).await, ["Post"]);
    let (text, is_error) = server.call(None, "changes", json!({ "after": "made-up" })).await;
    assert!(is_error && text.starts_with("BAD_CURSOR: "), "{text}");
    server.end().await;
}

#[tokio::test]
async fn a_client_of_an_earlier_revision_shakes_hands_and_has_no_session() {
    let server = Server::start().await;
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "old", "version": "1" },
    } });
    let begun = server.send(POST, &begin.to_string()).await;
    assert_eq!(begun.json()["result"]["protocolVersion"], "2025-06-18", "{begun:?}");
    assert_eq!(begun.json()["result"]["serverInfo"]["name"], "tidings");
    assert_eq!(begun.header("mcp-session-id"), None);
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(server.send(POST, &ready.to_string()).await.status, 202);
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "read", "arguments": { "slug": "post-2" },
    } });
    let called = server.send(&format!("{POST}\r\nmcp-protocol-version: 2025-06-18"), &call.to_string()).await;
    assert!(called.json()["result"]["content"][0]["text"].as_str().is_some_and(|text| text.contains("post-2")));
    let discovered = server.ask(None, "server/discover", json!({})).await.json();
    let versions = &discovered["result"]["supportedVersions"];
    assert!(versions.as_array().is_some_and(|versions| versions.contains(&json!(REVISION))), "{discovered}");
    server.end().await;
}

#[tokio::test]
async fn a_tool_costs_no_more_than_a_query_may() {
    let settings = HttpSettings { mcp: true, ..HttpSettings::default() };
    let server = Server::start_with(settings, 50).await;
    let (text, is_error) = server.call(None, "read", json!({ "slug": "post-1" })).await;
    assert!(!is_error, "{text}");
    let (text, is_error) = server.call(None, "changes", json!({ "first": 1 })).await;
    assert!(is_error && text.starts_with("QUERY_TOO_COMPLEX: "), "{text}");
    server.end().await;
}

#[tokio::test]
async fn a_server_without_tools_has_no_route_for_them() {
    let server = Server::start_with(HttpSettings::default(), STORAGE_REQUESTS_MAX).await;
    assert_eq!(server.ask(None, "tools/list", json!({})).await.status, 404);
    server.end().await;
}
