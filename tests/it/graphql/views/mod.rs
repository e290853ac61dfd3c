//! The counts of views, as pages report them and as queries return them. The rule: they are those of a counter that simply remembers every visit.

mod against_model;
mod door;
mod months;
mod writers;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderName, Request, header};
use serde_json::{Value, json};
use tidings::content::views::ViewWriter;
use tidings::http::cors::AllowedOrigins;
use tidings::http::{HttpLimits, HttpSettings};
use tidings::views::Views;
use tokio::sync::Mutex;
use tower::ServiceExt;

use super::cached::{By, HOLDING, request, send, server_with};
use crate::support::site::Site;

const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/// A server that counts views.
struct Counting {
    site: Site,
    router: Router,
    writer: Mutex<ViewWriter>,
}

impl Counting {
    fn of(site: Site, months: u32) -> Self {
        let views = Arc::new(Views::new(site.clock.clone(), months));
        let content = site.content.clone().counting_views(Some(Arc::clone(&views)));
        let origins: AllowedOrigins = ["https://blog.example".parse().expect("an origin")].into_iter().collect();
        let settings = HttpSettings {
            cors: origins,
            client_address_header: Some(HeaderName::from_static("x-forwarded-for")),
            limits: HttpLimits { answer_cache_bytes: HOLDING, ..HttpLimits::default() },
            views: Some(views),
            ..HttpSettings::default()
        };
        let router = server_with(content.clone(), settings);
        let writer = Mutex::new(ViewWriter::of(&content).expect("random bytes").expect("views are counted"));
        Self { site: Site { content, ..site }, router, writer }
    }

    /// Reports a view of a post, and returns the status of the answer.
    async fn view(&self, address: &str, agent: &str, body: &str) -> u16 {
        let kind = if body.starts_with('{') { "application/json" } else { "text/plain;charset=UTF-8" };
        let headers = [("content-type", kind), ("user-agent", agent), ("x-forwarded-for", address)];
        self.post(&headers, body.to_owned()).await
    }

    async fn post(&self, headers: &[(&str, &str)], body: impl Into<Body>) -> u16 {
        let request =
            headers.iter().fold(Request::post("/views"), |request, (name, value)| request.header(*name, *value));
        let response = self.router.clone().oneshot(request.body(body.into()).expect("a request")).await;
        response.expect("the router answers").status().as_u16()
    }

    async fn flush(&self) {
        self.writer.lock().await.flush().await.expect("a store");
    }

    /// The data of an answer, and whether it was cached.
    async fn ask(&self, query: &str) -> (Value, bool) {
        let (sent, was_cached) = send(&self.router, request(By::Post, query)).await;
        assert_eq!(sent.json().get("errors"), None, "{query}: {}", sent.text());
        (sent.json()["data"].clone(), was_cached)
    }

    async fn views(&self, slug: &str, span: &str) -> Value {
        self.ask(&format!("{{ post(slug: \"{slug}\") {{ views{span} }} }}")).await.0["post"]["views"].clone()
    }
}

/// The codes of the errors of a query.
async fn codes(counting: &Counting, query: &str) -> Vec<Value> {
    let body = json!({ "query": query }).to_string();
    let request = Request::post("/graphql").header(header::CONTENT_TYPE, "application/json").body(Body::from(body));
    let (sent, _) = send(&counting.router, request.expect("a request")).await;
    let errors = sent.json()["errors"].as_array().cloned().unwrap_or_default();
    errors.iter().map(|error| error["extensions"]["code"].clone()).collect()
}
