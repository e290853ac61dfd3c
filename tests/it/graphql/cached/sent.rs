//! Requests to a server and the answers that it sends, with whether each was cached.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{Request, StatusCode, header};
use serde_json::{Value, json};
use tidings::content::Content;
use tidings::graphql::access::{EditorToken, SignIn};
use tidings::graphql::content_service::ContentService;
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::http::health::Readiness;
use tidings::http::{HttpLimits, HttpSettings, RequestOutcome, Writes, router};
use tower::ServiceExt;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::Site;

/// A server over the site's store.
pub(in crate::graphql) fn server(site: &Site, answer_cache_bytes: usize) -> Router {
    server_of(site.content.clone(), answer_cache_bytes)
}

pub(in crate::graphql) fn server_of(content: Content, answer_cache_bytes: usize) -> Router {
    let limits = HttpLimits { answer_cache_bytes, ..HttpLimits::default() };
    server_with(content, HttpSettings { limits, batch_max: 10, ..HttpSettings::default() })
}

/// A server with these settings.
pub(in crate::graphql) fn server_with(content: Content, settings: HttpSettings) -> Router {
    let editor_token = EditorToken::new(Some(EDITOR_TOKEN.to_owned())).expect("a token");
    let sign_in = SignIn { editor_token, ..SignIn::default() };
    let service = ContentService::new(content, STORAGE_REQUESTS_MAX).with_sign_in(sign_in).reporting_storage(true);
    router(Arc::new(service), Readiness::new(async || Ok(None)), Writes::default(), settings)
}

pub(in crate::graphql) const HOLDING: usize = 1 << 20;

/// An answer as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::graphql) struct Sent {
    pub(super) status: StatusCode,
    /// Without the id of the request.
    pub(super) headers: BTreeMap<String, String>,
    pub(super) bytes: Bytes,
}

impl Sent {
    pub(in crate::graphql) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    pub(in crate::graphql) fn status(&self) -> u16 {
        self.status.as_u16()
    }

    pub(in crate::graphql) fn text(&self) -> String {
        String::from_utf8(self.bytes.to_vec()).expect("UTF-8")
    }

    pub(in crate::graphql) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).expect("JSON")
    }
}

/// The answer, and whether it was cached.
pub(in crate::graphql) async fn send(router: &Router, request: Request<Body>) -> (Sent, bool) {
    // On a worker thread, as in the server.
    let answered = tokio::spawn(router.clone().oneshot(request)).await;
    let response = answered.expect("the router does not panic").expect("the router answers");
    let status = response.status();
    let is_cached = response.extensions().get::<RequestOutcome>().is_some_and(|outcome| outcome.is_cached);
    let text = |value: &axum::http::HeaderValue| value.to_str().expect("ASCII").to_owned();
    let mut headers: BTreeMap<String, String> =
        response.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    headers.remove("x-request-id");
    let bytes = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
    (Sent { status, headers, bytes }, is_cached)
}

/// How a query is sent.
#[derive(Debug, Clone, Copy)]
pub(in crate::graphql) enum By {
    Post,
    Get,
}

pub(in crate::graphql) fn request(by: By, query: &str) -> Request<Body> {
    let request = match by {
        By::Post => Request::post("/graphql").header(header::CONTENT_TYPE, "application/json"),
        By::Get => {
            let escaped = percent_encode(query);
            Request::get(format!("/graphql?query={escaped}"))
        }
    };
    let request = request.header(header::ACCEPT, "application/graphql-response+json");
    let body = match by {
        By::Post => Body::from(json!({ "query": query }).to_string()),
        By::Get => Body::empty(),
    };
    request.body(body).expect("a request")
}

pub(super) fn percent_encode(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
