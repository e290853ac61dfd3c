//! Which answers are cached, and in which forms they are sent.

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use serde_json::json;
use tower::ServiceExt;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{Site, instant, post};

use super::sent::{By, HOLDING, percent_encode, request, send, server};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_answer_to_a_single_anonymous_query_without_an_error_is_cached() {
    let site = Site::in_memory().await;
    site.publish(&[post(1, instant("2026-05-01T00:00:00Z"))]).await;
    let holding = server(&site, HOLDING);
    let second = async |build: &dyn Fn() -> Request<Body>| {
        send(&holding, build()).await;
        send(&holding, build()).await.1
    };
    let body = |text: &str| {
        let text = text.to_owned();
        move || {
            let request = Request::post("/graphql").header(header::CONTENT_TYPE, "application/json");
            request.body(Body::from(text.clone())).expect("a request")
        }
    };
    let query = json!({ "query": "{ posts { totalCount } }" });
    assert!(second(&body(&query.to_string())).await);
    let with_token = || {
        let mut request = body(&query.to_string())();
        let token = format!("Bearer {EDITOR_TOKEN}").parse().expect("a header");
        request.headers_mut().insert(header::AUTHORIZATION, token);
        request
    };
    assert!(!second(&with_token).await);
    for text in [
        json!([query]).to_string(),
        json!({ "query": "{ post(slug: \"post-1\") { revisions { totalCount } } }" }).to_string(),
        json!({ "query": "{ preview(token: \"none\") { slug } }" }).to_string(),
        json!({ "query": "{ nothing }" }).to_string(),
        json!({ "query": "mutation { deletePost(input: { id: \"x\", expectedVersion: 1 }) { post { id } } }" })
            .to_string(),
        "{".to_owned(),
    ] {
        assert!(!second(&body(&text)).await, "{text}");
    }
}

/// Five posts of each month from February to May; it is June.
async fn site_of_four_months() -> Site {
    let site = Site::in_memory().await;
    let at = |n: u64| instant(&format!("2026-0{}-{}T00:00:00Z", 2 + n / 5, 10 + n % 5));
    site.publish(&(0..20).map(|n| post(n, at(n))).collect::<Vec<_>>()).await;
    site
}

async fn publish(site: &Site, title: &str, at: Option<&str>) {
    let created = site
        .mutate(
            "mutation($input: CreatePostInput!) { createPost(input: $input) { post { id } } }",
            json!({ "input": { "title": title, "markdown": "X" } }),
            Some(EDITOR_TOKEN),
        )
        .await;
    let id = &created.body["data"]["createPost"]["post"]["id"];
    let published = site
        .mutate(
            "mutation($input: PublishPostInput!) { publishPost(input: $input) { post { id } userErrors { message } } }",
            json!({ "input": { "id": id, "expectedVersion": 1, "publishAt": at } }),
            Some(EDITOR_TOKEN),
        )
        .await;
    assert_eq!(published.body["data"]["publishPost"]["userErrors"], json!([]), "{}", published.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_post_drops_the_pages_and_months_that_it_may_be_in_and_no_others() {
    let site = site_of_four_months().await;
    let holding = server(&site, HOLDING);
    let first = "{ posts(first: 8) { pageInfo { endCursor } } }";
    let cursor = send(&holding, request(By::Post, first)).await.0.json()["data"]["posts"]["pageInfo"]["endCursor"]
        .as_str()
        .expect("a cursor")
        .to_owned();
    let after = format!("after: {cursor:?}");
    // What is asked, and whether it is cached after a post of June, and then after one of April.
    let queries = [
        (format!("{{ posts(first: 1, {after}) {{ nodes {{ slug }} pageInfo {{ hasNextPage }} }} }}"), true, false),
        (format!("{{ posts(first: 6, {after}) {{ nodes {{ slug }} }} }}"), true, false),
        ("{ posts(last: 3) { nodes { slug } pageInfo { hasPreviousPage } } }".to_owned(), true, true),
        ("{ posts(last: 2) { nodes { newer { slug } older { slug } } } }".to_owned(), true, true),
        (
            "{ posts(first: 2, orderBy: { field: PUBLISHED_AT, direction: ASC }) { nodes { slug } } }".to_owned(),
            true,
            true,
        ),
        (
            "{ archive(year: 2026, month: 3) { postCount posts(first: 2) { totalCount nodes { slug } } } }".to_owned(),
            true,
            true,
        ),
        ("{ archive(year: 2026, month: 4) { postCount posts(first: 2) { nodes { slug } } } }".to_owned(), true, false),
        ("{ archive(year: 2025) { month postCount } }".to_owned(), true, true),
        ("{ posts(filter: { publishedAt: { lt: \"2026-05-01T00:00:00Z\" } }) { totalCount } }".to_owned(), true, false),
        (
            "{ posts(filter: { publishedAt: { lt: \"2026-03-15T00:00:00Z\" } }, first: 3) { nodes { slug } } }"
                .to_owned(),
            true,
            true,
        ),
        ("{ posts(first: 2) { nodes { slug } } }".to_owned(), false, true),
        ("{ posts { totalCount } }".to_owned(), false, false),
        ("{ archive { month postCount } }".to_owned(), false, false),
        ("{ archive(year: 2026) { month } }".to_owned(), false, false),
        ("{ archive(year: 2026, month: 6) { postCount } }".to_owned(), false, true),
        ("{ archive(year: 2027) { month } }".to_owned(), true, true),
        ("{ posts(first: 100) { nodes { slug } } }".to_owned(), false, false),
    ];
    let ask_all = async || {
        let mut cached = Vec::new();
        for (query, ..) in &queries {
            let (sent, was_cached) = send(&holding, request(By::Post, query)).await;
            assert_eq!(sent.status(), 200, "{}", sent.text());
            cached.push((query.clone(), was_cached));
        }
        cached
    };
    ask_all().await;
    assert!(ask_all().await.iter().all(|(_, was_cached)| *was_cached));
    publish(&site, "Of June", None).await;
    assert_eq!(ask_all().await, queries.clone().map(|(query, after_june, _)| (query, after_june)));
    publish(&site, "Of April", Some("2026-04-12T12:00:00Z")).await;
    assert_eq!(ask_all().await, queries.map(|(query, _, after_april)| (query, after_april)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_has_the_cached_answer_gets_304() {
    let site = Site::in_memory().await;
    let holding = server(&site, HOLDING);
    let query = "{ posts { totalCount } }";
    let (first, _) = send(&holding, request(By::Get, query)).await;
    let mut again = request(By::Get, query);
    let tag = first.headers["etag"].parse().expect("a header");
    again.headers_mut().insert(header::IF_NONE_MATCH, tag);
    let (second, was_cached) = send(&holding, again).await;
    assert_eq!((second.status, was_cached, second.bytes.len()), (StatusCode::NOT_MODIFIED, true, 0));
}

/// A site with posts of which one has a text that is sent as a piece of its own.
async fn site_with_a_long_text() -> Site {
    let site = Site::in_memory().await;
    let mut posts: Vec<_> = (0..20).map(|n| post(n, instant("2026-05-01T00:00:00Z"))).collect();
    for n in [3, 7] {
        let text: String = (0..500).map(|word| format!("word{} of {n} ", word * word)).collect();
        posts[n].markdown = text.into();
    }
    site.publish(&posts).await;
    site
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cached_answer_is_compressed_once_and_has_the_headers_of_the_first() {
    let site = site_with_a_long_text().await;
    let (holding, without) = (server(&site, HOLDING), server(&site, 0));
    let query = "{ posts { nodes { id title excerpt body { html } } } }";
    let coding = "gzip";
    for by in [By::Post, By::Get] {
        let coded = || {
            let mut request = request(by, query);
            request.headers_mut().insert(header::ACCEPT_ENCODING, coding.parse().expect("a header"));
            request
        };
        let (first, _) = send(&holding, coded()).await;
        assert_eq!(first.headers["content-encoding"], coding);
        assert!(!first.headers.contains_key("content-length"), "it is compressed while it is sent");
        let executed = send(&without, coded()).await;
        assert_eq!(executed, (first.clone(), false), "{by:?}");
        for _ in 0..3 {
            let again = send(&holding, coded()).await;
            assert_eq!(again, (first.clone(), true), "{by:?}");
        }
        let mut body = holding.clone().oneshot(coded()).await.expect("an answer").into_body();
        assert_eq!(axum::body::HttpBody::size_hint(&body).exact(), None, "a cached form has no length either");
        let frame =
            std::future::poll_fn(|context| axum::body::HttpBody::poll_frame(std::pin::Pin::new(&mut body), context));
        let bytes = frame.await.expect("a frame").expect("no error").into_data().expect("data");
        assert_eq!(bytes, first.bytes, "the compressed form is cached as one piece");
        let (plain, was_cached) = send(&holding, request(by, query)).await;
        assert!(was_cached && plain.bytes.len() > 2 * first.bytes.len());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cached_answer_is_the_same_for_other_headers_and_another_order_of_variables() {
    let site = site_with_a_long_text().await;
    let (holding, without) = (server(&site, HOLDING), server(&site, 0));
    let query = percent_encode("query($n: Int!) { posts(first: $n) { nodes { slug body { html } } } }");
    let variables = percent_encode("{\"n\":4}");
    let orders = [format!("query={query}&variables={variables}"), format!("variables={variables}&query={query}")];
    let headers = [
        None,
        Some((header::ACCEPT_ENCODING, "identity")),
        Some((header::ACCEPT_ENCODING, "br, gzip;q=0.5")),
        Some((header::ORIGIN, "https://example.org")),
    ];
    let mut hits = 0;
    for order in &orders {
        for method in ["GET", "HEAD", "GET", "HEAD"] {
            for more in &headers {
                let request = || {
                    let mut request = Request::builder().method(method).uri(format!("/graphql?{order}"));
                    if let Some((name, value)) = more {
                        request = request.header(name, *value);
                    }
                    request.header(header::ACCEPT, "application/json").body(Body::empty()).expect("a request")
                };
                let (executed, _) = send(&without, request()).await;
                assert_eq!(executed.status, StatusCode::OK);
                let (sent, was_cached) = send(&holding, request()).await;
                assert_eq!(sent, executed, "{method} {more:?}, cached: {was_cached}");
                hits += u32::from(was_cached);
            }
        }
    }
    assert_eq!(hits, 2 * (4 * 4 - 1), "the first of each order is run");
}
