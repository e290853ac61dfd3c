//! The limits of fair use through every route and layer, with a clock that the test sets. The rule: what a client is charged is what it has spent, if it
//! may know that, and otherwise the bound; and what a refusal promises is true.

mod buckets;
mod cut_off;
mod headers;
mod leaks;
mod schema;

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, HeaderName, Request, StatusCode, header};
use serde_json::{Value, json};
use tidings::graphql::access::{EditorToken, SignIn};
use tidings::graphql::content_service::ContentService;
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::graphql::fair_use::{FairUseSettings, Rate};
use tidings::http::health::Readiness;
use tidings::http::{HttpLimits, HttpSettings, Writes, router};
use tidings::model::instant::TICKS_PER_SECOND;
use tower::ServiceExt;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{NOW, Site, instant, post, slugs};

/// Bounded at three point reads; two are spent.
const POST: &str = "{ post(slug: \"post-1\") { title } }";
const LEFT: &str = "{ rateLimit { scope limit restoreRate remaining used resetAt cost } }";

/// A server with limits of fair use over a site, whose clients have addresses.
#[derive(Clone)]
struct Limited {
    router: Router,
    writes: Writes,
}

#[derive(Debug)]
struct Answered {
    status: StatusCode,
    headers: HeaderMap,
    body: Value,
}

impl Answered {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("ASCII"))
    }

    /// The requests that are left, by the header.
    fn left(&self) -> u64 {
        let of_limit = self.header("ratelimit").split(';').find_map(|part| part.strip_prefix("r="));
        of_limit.and_then(|left| left.parse().ok()).unwrap_or_else(|| panic!("no limit: {self:?}"))
    }

    fn error(&self) -> &Value {
        &self.body["errors"][0]["extensions"]
    }
}

fn rate(per_second: u64, burst: u64) -> Option<Rate> {
    Some(Rate::new(per_second, burst).expect("a rate"))
}

impl Limited {
    fn of(site: &Site, settings: FairUseSettings) -> Self {
        Self::with(site, settings, |service| service)
    }

    fn with(site: &Site, settings: FairUseSettings, set: impl Fn(ContentService) -> ContentService) -> Self {
        let editor_token = EditorToken::new(Some(EDITOR_TOKEN.to_owned())).expect("a token");
        let sign_in = SignIn { editor_token, ..SignIn::default() };
        let service = ContentService::new(site.content.clone(), STORAGE_REQUESTS_MAX).with_sign_in(sign_in);
        let http = HttpSettings {
            batch_max: 10,
            client_address_header: Some(HeaderName::from_static("x-forwarded-for")),
            limits: HttpLimits::default(),
            ..HttpSettings::default()
        };
        let service = Arc::new(set(service.with_fair_use(settings)));
        let writes = Writes::default();
        Self { router: router(service, Readiness::new(async || Ok(None)), writes.clone(), http), writes }
    }

    async fn send(&self, request: Request<Body>) -> Answered {
        // On a worker thread, as in the server.
        let answered = tokio::spawn(self.router.clone().oneshot(request)).await;
        let response = answered.expect("the router does not panic").expect("the router answers");
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
        Answered { status, headers, body: serde_json::from_slice(&bytes).expect("JSON") }
    }

    /// A request of a client with this address, and with this token if there is one.
    async fn ask(&self, address: &str, token: Option<&str>, query: &str) -> Answered {
        self.send(request(address, token, query)).await
    }

    async fn with_token(&self, query: &str) -> Answered {
        self.ask("192.0.2.1", Some(EDITOR_TOKEN), query).await
    }

    /// What the token has left.
    async fn left(&self) -> u64 {
        self.with_token("{ rateLimit { remaining } }").await.left()
    }
}

fn request(address: &str, token: Option<&str>, query: &str) -> Request<Body> {
    let mut request = Request::post("/graphql")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/graphql-response+json")
        .header("x-forwarded-for", address);
    if let Some(token) = token {
        request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
    }
    request.body(Body::from(json!({ "query": query }).to_string())).expect("a request")
}

async fn fill(site: &Site) {
    let posts = (0..20).map(|n| {
        let mut whole = post(n, instant(NOW));
        whole.post.tags = slugs(&[&format!("t-{}", n % 5), "all"]);
        whole.post.authors = slugs(&["grace"]);
        whole
    });
    site.publish(&posts.collect::<Vec<_>>()).await;
}

async fn site() -> Site {
    let site = Site::in_memory().await;
    fill(&site).await;
    site
}

fn advance(site: &Site, seconds: i64) {
    let ticks = site.clock.now().ticks() + seconds * TICKS_PER_SECOND;
    site.clock.set(tidings::model::Instant::from_ticks(ticks).expect("an instant"));
}
