//! `renderedMarkdown`, the preview of a text that is not saved. The rule: its forms are those that the body of a post with this text has, and its limit is that
//! of a body.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::http::header;
use serde_json::{Value, json};
use tidings::graphql::access::{EditorToken, SignIn};
use tidings::graphql::content_service::ContentService;
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::http::health::Readiness;
use tidings::http::{HttpLimits, HttpSettings, Writes, router};
use tidings::model::rules::BODY_BYTES_MAX;
use tower::ServiceExt;

use crate::support::graphql::{EDITOR_TOKEN, json_request};
use crate::support::site::Site;

const TEXT: &str = "# One & <b onclick='x()'>two</b>\n\n<script>x()</script>\n\n[a](javascript:x()) ![p](/assets/p.png)\n\n~~c~~\n\n```rust\nfn a() {}\n```\n";
const FORMS: &str = "{ markdown html text wordCount readingMinutes headings { level text anchor } }";

#[tokio::test]
async fn the_preview_of_a_text_is_what_a_saved_body_is_and_costs_nothing() {
    let site = Site::in_memory().await;
    let create = format!(
        "mutation ($text: String!) {{ createPost(input: {{ title: \"T\", markdown: $text }}) {{ post {{ body {FORMS} }} }} }}"
    );
    let saved = site.mutate(&create, json!({ "text": TEXT }), Some(EDITOR_TOKEN)).await.body;
    let query = format!("query ($text: String!) {{ renderedMarkdown(markdown: $text) {FORMS} }}");
    let preview = site.mutate(&query, json!({ "text": TEXT }), Some(EDITOR_TOKEN)).await.body;
    let body = &saved["data"]["createPost"]["post"]["body"];
    assert_eq!(&preview["data"]["renderedMarkdown"], body, "{saved}");
    let html = body["html"].as_str().expect("HTML");
    assert!(html.contains("<del>c</del>") && !html.contains("script"), "{html}");
    let cost = site.cost("{ renderedMarkdown(markdown: \"*a*\") { html } }").await;
    assert_eq!((cost.point_reads, cost.range_reads), (0, 0));
}

#[tokio::test]
async fn a_text_that_no_body_can_have_is_refused_as_by_a_save() {
    let site = Site::in_memory().await;
    let editor_token = EditorToken::new(Some(EDITOR_TOKEN.to_owned())).expect("a token");
    let sign_in = SignIn { editor_token, ..SignIn::default() };
    let service = ContentService::new(site.content.clone(), STORAGE_REQUESTS_MAX).with_sign_in(sign_in);
    let limits = HttpLimits { body_bytes: 3 * BODY_BYTES_MAX, ..HttpLimits::default() };
    let router =
        router(Arc::new(service), Readiness::new(async || Ok(None)), Writes::default(), HttpSettings::from(limits));
    let ask = async |query: &str, bytes: usize| -> Value {
        let body = json!({ "query": query, "variables": { "text": "x".repeat(bytes) } }).to_string();
        let request = json_request("application/json").header(header::AUTHORIZATION, format!("Bearer {EDITOR_TOKEN}"));
        let request = request.body(Body::from(body)).expect("a request");
        let answered = tokio::spawn(router.clone().oneshot(request)).await;
        let response = answered.expect("the router does not panic").expect("the router answers");
        let bytes = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
        serde_json::from_slice(&bytes).expect("JSON")
    };
    let query = "query ($text: String!) { renderedMarkdown(markdown: $text) { wordCount } }";
    let whole = ask(query, BODY_BYTES_MAX).await;
    assert_eq!(whole["data"]["renderedMarkdown"]["wordCount"], 1, "{whole}");
    let refused = ask(query, BODY_BYTES_MAX + 1).await["errors"][0].clone();
    assert_eq!(refused["extensions"]["code"], "BAD_USER_INPUT", "{refused}");
    let save =
        "mutation ($text: String!) { createPost(input: { title: \"T\", markdown: $text }) { userErrors { message } } }";
    let by_save = ask(save, BODY_BYTES_MAX + 1).await;
    assert_eq!(refused["message"], by_save["data"]["createPost"]["userErrors"][0]["message"]);
}

#[tokio::test]
async fn an_operation_renders_one_text() {
    let site = Site::in_memory().await;
    let query = "{ a: renderedMarkdown(markdown: \"a\") { html } b: renderedMarkdown(markdown: \"b\") { html } }";
    let answer = site.ask_as(Some(EDITOR_TOKEN), query).await;
    assert_eq!(answer["data"], json!({ "a": { "html": "<p>a</p>\n" }, "b": null }), "{answer}");
    assert_eq!(answer["errors"][0]["extensions"]["code"], "BAD_USER_INPUT");
}
