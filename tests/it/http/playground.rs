//! The playground over HTTP: its security headers, how long a browser caches it, and which requests are redirected to it.

use serde_json::json;
use tidings::http::{HttpSettings, ServerLimits};
use tokio::io::AsyncReadExt;

use super::{
    client::{Answer, Client, ask, get},
    toy::Toy,
};

/// The Accept header of a browser that opens an address.
const PERSON: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

async fn start() -> Toy {
    Toy::start_with(HttpSettings { playground: true, ..HttpSettings::default() }, ServerLimits::default()).await
}

fn get_with(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: toy\r\n{headers}\r\n")
}

/// The addresses that the page loads.
fn assets_of(page: &str) -> Vec<String> {
    let quoted = page.split('"').filter(|text| text.starts_with("/playground/"));
    quoted.map(str::to_owned).collect()
}

fn policy_of(answer: &Answer) -> Vec<&str> {
    answer.header("content-security-policy").expect("a policy").split("; ").collect()
}

#[tokio::test]
async fn the_content_security_policy_allows_only_this_server() {
    let toy = start().await;
    let page = ask(toy.address, get("/")).await;
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let expected = [
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "connect-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "font-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "object-src 'none'",
    ];
    assert_eq!(policy_of(&page), expected);
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(page.header("cross-origin-opener-policy"), Some("same-origin"));
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    assert!(page.header("permissions-policy").is_some_and(|policy| policy.contains("camera=()")));
    let elsewhere: Vec<&str> = page.body.split('"').filter(|text| text.contains("//")).collect();
    assert_eq!(elsewhere, [""; 0]);
    toy.end().await;
}

#[tokio::test]
async fn assets_are_cached_for_a_year_and_the_page_is_revalidated() {
    let toy = start().await;
    let page = ask(toy.address, get("/")).await;
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    let assets = assets_of(&page.body);
    assert!(assets.len() >= 3, "{assets:?}");
    for path in assets.iter().filter(|path| path.contains("/assets/")) {
        let asset = ask(toy.address, get(path)).await;
        let expected =
            if path.ends_with(".css") { "text/css; charset=utf-8" } else { "text/javascript; charset=utf-8" };
        assert_eq!((asset.status, asset.header("content-type")), (200, Some(expected)), "{path}");
        assert_eq!(asset.header("cache-control"), Some("public, max-age=31536000, immutable"), "{path}");
        assert_eq!(policy_of(&asset)[1], "script-src 'self'", "a worker's policy is that of its own answer");
    }
    let icon = ask(toy.address, get("/playground/favicon.svg")).await;
    assert_eq!((icon.header("content-type"), icon.header("cache-control")), (Some("image/svg+xml"), Some("no-cache")));
    toy.end().await;
}

#[tokio::test]
async fn a_cached_page_is_answered_with_a_304() {
    let toy = start().await;
    let mut client = Client::connect(toy.address).await;
    client.send(get("/")).await;
    let page = client.answer().await;
    let tag = page.header("etag").expect("a tag").to_owned();
    for (known, status) in [(tag.clone(), 304), (format!("\"other\", {tag}"), 304), ("\"other\"".to_owned(), 200)] {
        client.send(get_with("/", &format!("if-none-match: {known}\r\n"))).await;
        let again = client.answer().await;
        assert_eq!((again.status, again.body.is_empty()), (status, status == 304), "{known}");
        assert_eq!(again.header("etag"), Some(tag.as_str()));
    }
    toy.end().await;
}

#[tokio::test]
async fn a_head_request_returns_the_headers_of_a_get() {
    let toy = start().await;
    let page = ask(toy.address, get("/")).await;
    let mut client = Client::connect(toy.address).await;
    client.send("HEAD / HTTP/1.1\r\nhost: toy\r\nconnection: close\r\n\r\n").await;
    let mut sent = String::new();
    client.stream.read_to_string(&mut sent).await.expect("a head, and the end");
    let (head, body) = sent.split_once("\r\n\r\n").expect("a head");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(head.contains(&format!("content-length: {}", page.body.len())), "{head}");
    assert!(head.contains("text/html"), "{head}");
    assert_eq!(body, "");
    toy.end().await;
}

#[tokio::test]
async fn a_missing_file_is_a_404_and_a_post_to_the_page_a_405() {
    let toy = start().await;
    for path in ["/playground/", "/playground/none.js", "/playground/../Cargo.toml", "/playground/%2e%2e/Cargo.toml"] {
        let answer = ask(toy.address, get(path)).await;
        assert_eq!((answer.status, answer.code()), (404, "ROUTE_NOT_FOUND".to_owned()), "{path}");
    }
    let answer = ask(toy.address, "POST / HTTP/1.1\r\nhost: toy\r\ncontent-length: 0\r\n\r\n").await;
    assert_eq!((answer.status, answer.code()), (405, "METHOD_NOT_ALLOWED".to_owned()));
    toy.end().await;
}

#[tokio::test]
async fn only_a_browser_that_opens_graphql_is_redirected_to_the_playground() {
    let toy = start().await;
    let mut client = Client::connect(toy.address).await;
    let cases = [
        ("/graphql", PERSON, 303),
        ("/graphql?utm_source=mail", PERSON, 303),
        ("/graphql?query=%7Bname%7D", PERSON, 200),
        ("/graphql?query=%7Bname%7D", "application/json", 200),
        ("/graphql", "application/json", 422),
        ("/graphql", "*/*", 422),
        ("/graphql", "application/json, text/html;q=0.9", 422),
    ];
    for (path, accept, status) in cases {
        client.send(get_with(path, &format!("accept: {accept}\r\n"))).await;
        let answer = client.answer().await;
        assert_eq!(answer.status, status, "{path} {accept}: {answer:?}");
        assert_eq!(answer.header("location"), (status == 303).then_some("/"));
    }
    toy.end().await;
}

#[tokio::test]
async fn without_the_playground_the_root_lists_the_paths_of_the_server() {
    let toy = Toy::start().await;
    let root = ask(toy.address, get("/")).await;
    assert_eq!(root.status, 200);
    let expected = json!({
        "server": "tidings", "graphql": "/graphql", "schema": "/schema.graphql", "health": "/healthz", "readiness": "/readyz"
    });
    assert_eq!(root.json(), expected);
    assert_eq!(ask(toy.address, get("/playground/favicon.svg")).await.status, 404);
    let opened = ask(toy.address, get_with("/graphql", &format!("accept: {PERSON}\r\n"))).await;
    assert_eq!((opened.status, opened.header("location")), (422, None));
    toy.end().await;
}
