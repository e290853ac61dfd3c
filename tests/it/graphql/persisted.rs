//! Documents that clients name, over the schema: their cached answers, documents with a secret, and the documents of manifests.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, header};
use serde_json::{Value, json};
use tidings::graphql::content_service::ContentService;
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::graphql::guard::Limits;
use tidings::graphql::persisted::{DocumentHash, TrustedDocuments};
use tidings::http::health::Readiness;
use tidings::http::{HttpLimits, HttpSettings, Writes, router};
use tidings::model::SiteFields;

use super::cached::{HOLDING, send, server};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{Site, instant, post};

const COUNT: &str = "{ posts { totalCount } }";
const NEWER: &str = "application/graphql-response+json";

fn hash(text: &str) -> String {
    DocumentHash::of(text).to_string()
}

fn extension(hash: &str) -> Value {
    json!({ "persistedQuery": { "version": 1, "sha256Hash": hash } })
}

fn by_post(body: &Value) -> Request<Body> {
    let request = Request::post("/graphql").header(header::CONTENT_TYPE, "application/json");
    request.header(header::ACCEPT, NEWER).body(Body::from(body.to_string())).expect("a request")
}

fn by_get(hash: &str) -> Request<Body> {
    let extension: String = extension(hash).to_string().bytes().map(|byte| format!("%{byte:02X}")).collect();
    let request = Request::get(format!("/graphql?extensions={extension}")).header(header::ACCEPT, NEWER);
    request.body(Body::empty()).expect("a request")
}

fn code(answer: &Value) -> &str {
    answer["errors"][0]["extensions"]["code"].as_str().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_answer_to_a_named_document_is_cached_and_follows_each_write() {
    let site = Site::in_memory().await;
    site.publish(&[post(1, instant("2026-05-01T00:00:00Z"))]).await;
    let (holding, plain) = (server(&site, HOLDING), server(&site, 0));
    let name = json!({ "extensions": extension(&hash(COUNT)) });
    let registration = json!({ "query": COUNT, "extensions": extension(&hash(COUNT)) });
    let requests: [&dyn Fn() -> Request<Body>; 2] = [&|| by_post(&name), &|| by_get(&hash(COUNT))];
    for (n, count) in [(2, 1), (3, 2), (4, 3)] {
        for server in [&holding, &plain] {
            for _ in 0..2 {
                let (registered, was_cached) = send(server, by_post(&registration)).await;
                assert_eq!(registered.json()["data"]["posts"]["totalCount"], count);
                assert!(!was_cached, "a registration is executed, so that it registers the document");
            }
        }
        for request in requests {
            let (fresh, _) = send(&plain, request()).await;
            let (first, was_cached) = send(&holding, request()).await;
            let (second, is_cached) = send(&holding, request()).await;
            assert_eq!((was_cached, is_cached), (false, true));
            assert_eq!((&first, &second), (&fresh, &fresh));
            assert_eq!(fresh.json()["data"]["posts"]["totalCount"], count);
        }
        site.publish(&[post(n, instant("2026-05-02T00:00:00Z"))]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unknown_document_is_not_cached_and_is_found_as_soon_as_it_is_registered() {
    let site = Site::in_memory().await;
    let holding = server(&site, HOLDING);
    for _ in 0..2 {
        for request in [by_get(&hash(COUNT)), by_post(&json!({ "extensions": extension(&hash(COUNT)) }))] {
            let (missed, was_cached) = send(&holding, request).await;
            assert_eq!(code(&missed.json()), "PERSISTED_QUERY_NOT_FOUND");
            assert!(!was_cached);
        }
    }
    send(&holding, by_post(&json!({ "query": COUNT, "extensions": extension(&hash(COUNT)) }))).await;
    let (found, _) = send(&holding, by_get(&hash(COUNT))).await;
    assert_eq!(found.json()["data"]["posts"]["totalCount"], 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_document_with_a_secret_and_one_that_is_refused_are_not_kept() {
    let site = Site::in_memory().await;
    let holding = server(&site, HOLDING);
    let secret = "query($token: String!) { preview(token: $token) { slug } }";
    let aliases: String = (0..200).map(|n| format!("a{n}: __typename ")).collect();
    let complex = format!("{{ {aliases} }}");
    for text in [secret, &complex] {
        let body = json!({ "query": text, "variables": { "token": "none" }, "extensions": extension(&hash(text)) });
        let (sent, _) = send(&holding, by_post(&body)).await;
        assert_ne!(sent.json().get("errors"), None, "{text:.60}");
        let (missed, _) = send(&holding, by_post(&json!({ "extensions": extension(&hash(text)) }))).await;
        assert_eq!(code(&missed.json()), "PERSISTED_QUERY_NOT_FOUND", "{text:.60}");
    }
}

/// A server with these manifests.
fn trusting(site: &Site, manifests: &[Value], trusted_only: bool) -> Router {
    trusting_within(site, manifests, trusted_only, HttpLimits::default())
}

fn trusting_within(site: &Site, manifests: &[Value], trusted_only: bool, limits: HttpLimits) -> Router {
    let folder = tempfile::tempdir().expect("a folder");
    let paths: Vec<_> = (0..manifests.len()).map(|n| folder.path().join(format!("{n}.json"))).collect();
    for (path, manifest) in paths.iter().zip(manifests) {
        std::fs::write(path, manifest.to_string()).expect("a file");
    }
    let trusted = TrustedDocuments::read(&paths, &Limits::default(), &SiteFields::default()).expect("valid manifests");
    let service = ContentService::new(site.content.clone(), STORAGE_REQUESTS_MAX).reporting_storage(true);
    let settings = HttpSettings { trusted: Arc::new(trusted), trusted_only, limits, ..HttpSettings::default() };
    router(Arc::new(service), Readiness::new(async || Ok(None)), Writes::default(), settings)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_document_of_a_manifest_is_found_by_each_of_its_names() {
    let site = Site::in_memory().await;
    let relay = json!({ "3be4abb81fa595e25eb725b2c6a87508": COUNT });
    let codegen = json!({ format!("sha256:{}", hash(COUNT)): COUNT });
    let apollo = json!({
        "format": "apollo-persisted-query-manifest",
        "version": 1,
        "operations": [{ "id": "counting", "body": COUNT, "name": "Count", "type": "query" }],
    });
    let server = trusting(&site, &[relay, codegen, apollo], false);
    let names = [
        json!({ "documentId": "3be4abb81fa595e25eb725b2c6a87508" }),
        json!({ "doc_id": "3be4abb81fa595e25eb725b2c6a87508" }),
        json!({ "documentId": format!("sha256:{}", hash(COUNT)) }),
        json!({ "documentId": "counting" }),
        json!({ "extensions": extension("counting") }),
        json!({ "extensions": extension(&hash(COUNT)) }),
        json!({ "query": COUNT, "extensions": extension("counting") }),
        json!({ "query": COUNT, "documentId": "3be4abb81fa595e25eb725b2c6a87508" }),
        json!({ "query": COUNT }),
    ];
    for name in names {
        let (sent, _) = send(&server, by_post(&name)).await;
        assert_eq!(sent.json(), json!({ "data": { "posts": { "totalCount": 0 } } }), "{name}");
    }
    let other = json!({ "query": "{ tags { totalCount } }", "extensions": extension("counting") });
    let (refused, _) = send(&server, by_post(&other)).await;
    assert_eq!(code(&refused.json()), "PERSISTED_QUERY_HASH_MISMATCH");
    let (unknown, _) = send(&server, by_post(&json!({ "documentId": "unknown" }))).await;
    assert_eq!(code(&unknown.json()), "PERSISTED_QUERY_NOT_FOUND");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_of_trusted_documents_runs_no_other() {
    let site = Site::in_memory().await;
    let server = trusting(&site, &[json!({ "counting": COUNT })], true);
    for body in [json!({ "documentId": "counting" }), json!({ "query": COUNT })] {
        let (sent, _) = send(&server, by_post(&body)).await;
        assert_eq!(sent.json()["data"]["posts"]["totalCount"], 0, "{body}");
    }
    let other = "{ tags { totalCount } }";
    let refused = [
        json!({ "query": other }),
        json!({ "query": format!("{COUNT} ") }),
        json!({ "query": "{ __schema { queryType { name } } }" }),
        json!({ "query": other, "extensions": extension(&hash(other)) }),
        json!({ "extensions": extension(&hash(other)) }),
        json!({ "documentId": "unknown" }),
    ];
    for body in refused {
        let (sent, _) = send(&server, by_post(&body)).await;
        assert_eq!(code(&sent.json()), "DOCUMENT_NOT_TRUSTED", "{body}");
        assert_eq!(sent.json().get("data"), None);
    }
    let mut with_token = by_post(&json!({ "query": other }));
    let token = format!("Bearer {EDITOR_TOKEN}").parse().expect("a header");
    with_token.headers_mut().insert(header::AUTHORIZATION, token);
    assert_eq!(code(&send(&server, with_token).await.0.json()), "DOCUMENT_NOT_TRUSTED", "no role is exempt");
    let (sent, _) = send(&server, by_get(&hash(other))).await;
    assert_eq!(code(&sent.json()), "DOCUMENT_NOT_TRUSTED");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_a_manifest_and_no_space_a_client_of_apollos_protocol_goes_on_with_texts() {
    let site = Site::in_memory().await;
    let limits = HttpLimits { persisted_bytes: 0, ..HttpLimits::default() };
    let server = trusting_within(&site, &[json!({ "counting": COUNT })], false, limits);
    let other = "{ tags { totalCount } }";
    for body in [
        json!({ "extensions": extension(&hash(other)) }),
        json!({ "query": other, "extensions": extension(&hash(other)) }),
    ] {
        let (sent, _) = send(&server, by_post(&body)).await;
        assert_eq!(code(&sent.json()), "PERSISTED_QUERY_NOT_SUPPORTED", "{body}");
    }
    for body in [json!({ "query": other }), json!({ "extensions": extension(&hash(COUNT)) })] {
        let (sent, _) = send(&server, by_post(&body)).await;
        assert_eq!(sent.json().get("errors"), None, "{body}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_document_of_a_manifest_keeps_the_rules_of_get_and_of_secrets() {
    let site = Site::in_memory().await;
    let manifest = json!({
        "writing": "mutation { deletePost(input: { id: \"x\", expectedVersion: 1 }) { deletedId } }",
        "previewing": "query($token: String!) { preview(token: $token) { slug } }",
    });
    let server = trusting(&site, &[manifest], true);
    let get = |query: &str| {
        let request = Request::get(format!("/graphql?{query}")).header(header::ACCEPT, NEWER);
        request.body(Body::empty()).expect("a request")
    };
    let (written, _) = send(&server, get("documentId=writing")).await;
    assert_eq!(code(&written.json()), "METHOD_NOT_ALLOWED");
    let preview = "documentId=previewing&variables=%7B%22token%22%3A%22none%22%7D";
    for _ in 0..2 {
        let (previewed, was_cached) = send(&server, get(preview)).await;
        assert_eq!((code(&previewed.json()), was_cached), ("BAD_PREVIEW", false));
        assert_eq!(previewed.header("cache-control"), Some("no-store"));
    }
}
