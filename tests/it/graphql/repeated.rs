//! A document that is sent again, which the server holds parsed and checked. The rule: each answer is the same, byte for byte, whether its document is cached
//! or not; a fresh server is what it is compared with.

use axum::body::{Body, to_bytes};
use axum::http::header;
use serde_json::{Value, json};
use tidings::model::Role;
use tower::ServiceExt;

use super::errors::site;
use crate::support::graphql::json_request;
use crate::support::site::Site;

/// How often each request is sent: the document is cached after the first time.
const TIMES: usize = 4;

/// Sends a body to one server, and returns the status and the text.
async fn send(router: &axum::Router, body: &Value) -> (u16, String) {
    send_as(None, router, body).await
}

/// As [`send`], from a client with this token.
async fn send_as(token: Option<&str>, router: &axum::Router, body: &Value) -> (u16, String) {
    let request = json_request("application/graphql-response+json");
    let request = match token {
        Some(token) => request.header(header::AUTHORIZATION, format!("Bearer {token}")),
        None => request,
    };
    let request = request.body(Body::from(body.to_string())).expect("a request");
    let answered = tokio::spawn(router.clone().oneshot(request)).await;
    let response = answered.expect("the router does not panic").expect("the router answers");
    let status = response.status().as_u16();
    let bytes = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
    (status, String::from_utf8(bytes.to_vec()).expect("UTF-8"))
}

/// Documents, each with the variables and operation names that it is sent with, in this order.
fn corpus() -> Vec<(String, Vec<Value>)> {
    let page = "query Page($first: Int = 2, $after: String, $with: Boolean! = true) { posts(first: $first, after: $after) { \
                nodes { title ...Terms @include(if: $with) } pageInfo { endCursor hasNextPage } } } \
                fragment Terms on Post { authors { name } ... on Node { id } categories { slug __typename } tags { slug } }";
    let variables = [
        json!({}),
        json!({ "first": 1, "with": false }),
        json!({ "first": "one" }),
        json!({ "first": null, "with": null }),
        json!({ "first": 1000 }),
        json!({ "after": "no cursor" }),
        json!({ "with": "yes", "first": [1, 2] }),
        json!({ "unknown": { "a": vec![0; 20_000] } }),
        json!({ "first": 1 }),
    ];
    let list = |query: &str, variables: Value| json!({ "query": query, "variables": variables });
    let two = "query A($slug: String!) { post(slug: $slug) { title } } query B { a: posts(first: 1) { nodes { ...P } } b: tags { totalCount } } \
               fragment P on Content { status version title }";
    let one = "query One($slug: String!, $first: Int) { post(slug: $slug) { title } posts(first: $first) { nodes { slug } } }";
    let valid_first = [
        json!({ "slug": "post-1", "first": 1 }),
        json!({ "slug": "post-2", "first": 2 }),
        json!({ "slug": 5, "first": 1 }),
        json!({ "slug": "post-1", "first": -1 }),
        json!({ "slug": null, "first": 1 }),
        json!({ "slug": "post-1", "first": "1" }),
        json!({ "slug": "post-1", "first": 4_000_000_000_u32 }),
        json!({ "first": 1 }),
        json!({ "slug": ["post-1"], "first": 1.5 }),
    ];
    // The literal beside the variable is looked at only if the variable has a value.
    let beside = "query Beside($tag: String) { posts(filter: { tags: { all: [$tag] }, publishedAt: { gt: 5 } }) { nodes { title } } }";
    let missing_first = [json!({}), json!({ "tag": "a" }), json!({ "tag": null }), json!({ "tag": 1 })];
    let same = |query: &str| (query.to_owned(), vec![list(query, json!({}))]);
    vec![
        (page.to_owned(), variables.into_iter().map(|variables| list(page, variables)).collect()),
        (
            two.to_owned(),
            vec![
                json!({ "query": two, "operationName": "A", "variables": { "slug": "post-1" } }),
                json!({ "query": two, "operationName": "B" }),
                json!({ "query": two, "operationName": "A" }),
                json!({ "query": two, "operationName": "C" }),
                json!({ "query": two }),
            ],
        ),
        // Validation is left out once an operation was valid, if the values cannot change its result.
        (one.to_owned(), valid_first.into_iter().map(|variables| list(one, variables)).collect()),
        (beside.to_owned(), missing_first.into_iter().map(|variables| list(beside, variables)).collect()),
        same("{ posts { nodes { title unknown } } }"),
        same("{ posts(first: \"x\") { nodes { title } } }"),
        same("{ posts { nodes { body { html } newer { title } } } node(id: \"post-nothing\") { id } }"),
        same("{ posts { nodes { publishedAt } } posts { nodes { title publishedAt } } draftPosts { totalCount } }"),
        same("{ nodes(ids: [\"x\"]) { ... on Post { title } } __type(name: \"Post\") { name } }"),
        same("{ posts { nodes { ...A } } } fragment A on Post { ...A }"),
        same("{ post(slug: \"post-1\") { t: title @skip(if: true) publishedAt ... { publishedAt } } viewer { name } }"),
        same("{ posts { nodes { "),
        same("mutation { publishPost(input: { id: \"post-1\" }) { post { title } } }"),
        same("{ preview(token: \"wrong\") { title } }"),
    ]
}

#[tokio::test]
async fn an_answer_is_the_same_whether_its_document_is_cached_or_not() {
    let site: Site = site().await;
    for (document, bodies) in corpus() {
        let holding = site.router();
        for _ in 0..TIMES {
            for body in &bodies {
                let expected = send(&site.router(), body).await;
                assert_eq!(send(&holding, body).await, expected, "{document}: {body:.200}");
            }
        }
    }
}

/// What a token allows is decided for each request: nothing of it is cached with the document.
#[tokio::test]
async fn a_cached_document_shows_each_client_what_its_token_allows() {
    let site: Site = site().await;
    let token = site.token(Role::Reader, None).await;
    let body =
        json!({ "query": "{ draftPosts { totalCount } post(slug: \"post-1\") { title revisions { totalCount } } }" });
    let holding = site.router();
    let mut answers = Vec::new();
    for token in [Some(&*token), None].repeat(TIMES) {
        let expected = send_as(token, &site.router(), &body).await;
        let answer = send_as(token, &holding, &body).await;
        assert_eq!(answer, expected, "with a token: {}", token.is_some());
        answers.push(answer);
    }
    let (with_token, without) = (&answers[0], &answers[1]);
    assert_eq!((with_token.0, with_token.1.contains("errors")), (200, false), "{}", with_token.1);
    assert_eq!((without.0, without.1.contains("UNAUTHENTICATED")), (294, true), "{}", without.1);
    assert!(answers.chunks(2).all(|pair| pair == &answers[..2]), "each of them stays the same");
}
