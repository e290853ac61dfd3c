//! Who sees and changes what by tools.

use serde_json::{Value, json};
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::http::HttpSettings;
use tidings::model::Role;
use tidings::testing::{NewToken, Tokens, operator};

use super::Server;
use crate::support::command::{Blog, Serving};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{Site, instant};

const READING: [&str; 3] = ["search", "read", "changes"];

#[tokio::test]
async fn only_what_the_caller_may_call_is_listed() {
    let server = Server::start().await;
    let all = [&READING[..], &["create_draft", "update", "create_page_draft", "update_page"]].concat();
    let author = "mutation { createAuthor(input: { name: \"Ada\" }) { author { slug } } }";
    assert_eq!(server.site.ask_as(Some(EDITOR_TOKEN), author).await.get("errors"), None);
    assert_eq!(server.names(None).await, READING);
    for (role, expected) in
        [(Role::Reader, &READING[..]), (Role::Author, &all), (Role::Editor, &all), (Role::Admin, &all)]
    {
        let token = server.site.token(role, (role == Role::Author).then_some("ada")).await;
        assert_eq!(server.names(Some(&token)).await, expected, "{role}");
    }
    let tools = server.tools(Some(EDITOR_TOKEN)).await;
    let schema = |name: &str| &tools.iter().find(|tool| tool["name"] == name).expect(name)["inputSchema"];
    assert_eq!(schema("update")["required"], json!(["id", "expectedVersion"]));
    assert_eq!(schema("update")["properties"]["subtitle"]["type"], json!(["string", "null"]), "null clears it");
    assert_eq!(schema("create_draft")["required"], json!(["title", "markdown"]));
    assert!(schema("create_draft")["properties"].get("publish").is_none(), "{}", schema("create_draft"));
    let Server { site, .. } = server;
    let settings = HttpSettings { mcp: true, reads_only: true, ..HttpSettings::default() };
    let reading = Server::of(site, settings, STORAGE_REQUESTS_MAX).await;
    assert_eq!(reading.names(Some(EDITOR_TOKEN)).await, READING, "nothing can be changed");
    reading.end().await;
}

#[tokio::test]
async fn a_draft_is_seen_only_with_the_right() {
    let server = Server::start().await;
    let reader = server.site.token(Role::Reader, None).await;
    for hidden in [json!({ "slug": "post-3" }), json!({ "path": "hidden" })] {
        let (text, is_error) = server.call(None, "read", hidden.clone()).await;
        assert!(is_error && text.starts_with("NOT_FOUND: ") && !text.contains("secret"), "{text}");
        let (text, is_error) = server.call(Some(&reader), "read", hidden).await;
        assert!(!is_error && text.contains("\nstatus: \"DRAFT\"\n"), "{text}");
    }
    let (text, is_error) = server.call(None, "create_draft", json!({ "title": "No", "markdown": "No" })).await;
    assert!(is_error && text.starts_with("UNAUTHENTICATED: "), "{text}");
    let (text, is_error) = server.call(Some(&reader), "create_draft", json!({ "title": "No", "markdown": "No" })).await;
    assert!(is_error && text.starts_with("FORBIDDEN: "), "{text}");
    server.end().await;
}

#[tokio::test]
async fn a_draft_is_made_and_changed_and_published_only_if_that_is_asked_for() {
    let server = Server::start().await;
    let editor = server.site.token(Role::Editor, None).await;
    let made = server.data(Some(&editor), "create_draft", json!({ "title": "Brief", "markdown": "One." })).await;
    let post = &made["createPost"]["post"];
    assert_eq!((&post["status"], &post["version"]), (&json!("DRAFT"), &json!(1)), "{made}");
    for publishing in [json!({ "publish": true }), json!({ "publishAt": "2026-01-01T00:00:00Z" })] {
        let mut arguments = json!({ "title": "Loud", "markdown": "x" });
        arguments.as_object_mut().expect("an object").extend(publishing.as_object().expect("an object").clone());
        let (text, is_error) = server.call(Some(&editor), "create_draft", arguments).await;
        assert!(is_error && text.starts_with("BAD_USER_INPUT: The tool has no argument \"publish"), "{text}");
    }
    let change = |version: u32, more: Value| {
        let mut arguments = json!({ "id": post["id"], "expectedVersion": version });
        arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        arguments
    };
    let changed = server.data(Some(&editor), "update", change(1, json!({ "markdown": "Two." }))).await;
    assert_eq!(changed["updatePost"]["post"]["version"], 2);
    let (text, is_error) = server.call(Some(&editor), "update", change(1, json!({ "title": "Late" }))).await;
    assert!(is_error && text.starts_with("CONFLICT: ") && text.contains("\"version\":2"), "{text}");
    let (read, _) = server.call(Some(&editor), "read", json!({ "slug": "brief" })).await;
    let (text, is_error) = server.call(Some(&editor), "update", change(2, json!({ "markdown": read }))).await;
    assert!(is_error && text.starts_with("BAD_USER_INPUT: Send `markdown` without the head"), "{text}");
    let (text, _) = server.call(None, "read", json!({ "slug": "brief" })).await;
    assert!(text.starts_with("NOT_FOUND: "), "{text}");
    let published = server.data(Some(&editor), "update", change(2, json!({ "publish": true }))).await;
    assert_eq!(published["updatePost"]["post"]["status"], "PUBLISHED");
    let (text, _) = server.call(None, "read", json!({ "slug": "brief" })).await;
    assert!(text.ends_with("---\n\nTwo."), "{text}");
    server.end().await;
}

#[tokio::test]
async fn a_page_is_made_as_a_draft_changed_and_moved() {
    let server = Server::start().await;
    let editor = server.site.token(Role::Editor, None).await;
    let new = json!({ "path": "install", "title": "Install", "markdown": "One." });
    let made = server.data(Some(&editor), "create_page_draft", new).await;
    let page = &made["createPage"]["page"];
    assert_eq!((&page["status"], &page["version"], &page["path"]), (&json!("DRAFT"), &json!(1), &json!("install")));
    let (text, _) = server.call(None, "read", json!({ "path": "install" })).await;
    assert!(text.starts_with("NOT_FOUND: "), "{text}");
    let change = json!({ "id": page["id"], "expectedVersion": 1, "path": "setup", "publish": true });
    let changed = server.data(Some(&editor), "update_page", change.clone()).await;
    let page = &changed["updatePage"]["page"];
    assert_eq!((&page["status"], &page["path"]), (&json!("PUBLISHED"), &json!("setup")));
    let (text, is_error) = server.call(Some(&editor), "update_page", change).await;
    assert!(is_error && text.starts_with("CONFLICT: ") && text.contains("\"version\":2"), "{text}");
    let (text, _) = server.call(None, "read", json!({ "path": "install" })).await;
    assert!(text.ends_with("---\n\nOne."), "{text}");
    let (text, is_error) = server
        .call(Some(&editor), "create_page_draft", json!({ "path": "no/parent", "title": "x", "markdown": "x" }))
        .await;
    assert!(is_error && !text.starts_with("INTERNAL"), "{text}");
    server.end().await;
}

/// A client takes a 401 for a reason to ask its user for another token.
#[tokio::test]
async fn a_refused_token_refuses_every_message() {
    let server = Server::start().await;
    let expired = expired_token(&server.site).await;
    for token in ["tdg_wrong_wrong", &expired] {
        for (method, params) in [("tools/list", json!({})), ("tools/call", json!({ "name": "read", "arguments": {} }))]
        {
            let refused = server.ask(Some(token), method, params).await;
            assert_eq!((refused.status, refused.code().as_str()), (401, "UNAUTHENTICATED"), "{refused:?}");
            assert!(refused.header("www-authenticate").is_some_and(|scheme| scheme.starts_with("Bearer")));
        }
    }
    server.end().await;
}

/// A token that was valid until a minute ago.
async fn expired_token(site: &Site) -> String {
    let (reader, actor) = (site.content.reader(), operator());
    let expires_at = Some(instant("2026-06-15T12:01:00Z"));
    let new = NewToken { name: "Short".to_owned(), role: Role::Editor, author: None, expires_at };
    let tokens = Tokens::new(&site.content, &reader, &actor).expect("an admin");
    let token = tokens.create(new).await.expect("a store").expect("a token").1.reveal();
    site.clock.set(instant("2026-06-15T12:02:00Z"));
    token
}

#[test]
fn the_log_names_the_client_of_a_change_beside_its_token() {
    let blog = Blog::of(&[]);
    let token = [("TIDINGS_EDITOR_TOKEN", EDITOR_TOKEN)];
    let serving = Serving::start_with(&["--create", "--store", &blog.store()], &token);
    let arguments = json!({ "name": "create_draft", "arguments": { "title": "From a brief", "markdown": "x" } });
    let message = super::message("tools/call", arguments);
    let bearer = format!("Bearer {EDITOR_TOKEN}");
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", super::REVISION),
        ("mcp-method", "tools/call"),
        ("mcp-name", "create_draft"),
        ("authorization", bearer.as_str()),
    ];
    let (head, body) = serving.post_to("/mcp", &headers, &message.to_string());
    assert!(head.starts_with("HTTP/1.1 200") && body.contains("DRAFT"), "{head}\n{body}");
    let (_, lines) = serving.stop_with_errors();
    let changed = lines.iter().find(|line| line.contains("content.changed")).unwrap_or_else(|| panic!("{lines:?}"));
    let changed: Value = serde_json::from_str(changed).expect("a line of JSON");
    assert_eq!(changed["span"]["client"], "tests", "{changed}");
    assert_eq!(changed["fields"]["actor"], "TIDINGS_EDITOR_TOKEN", "{changed}");
    assert!(changed["span"]["request_id"].is_string(), "{changed}");
    assert!(lines.iter().all(|line| !line.contains("rmcp")), "{lines:?}");
}
