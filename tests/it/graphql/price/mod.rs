//! The price of a query: its bound beside what it spends, and what the server reports of it.

pub mod examples;
mod fields;
mod header;
mod random;
mod reads;

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, header::AUTHORIZATION, header::CONTENT_TYPE, request};
use serde_json::{Value, json};
use tidings::graphql::access::{EditorToken, SignIn};
use tidings::graphql::content_service::ContentService;
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::graphql::fair_use::FairUseSettings;
use tidings::http::health::Readiness;
use tidings::http::{HttpSettings, Writes, router};
use tower::ServiceExt;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::Site;

/// The requests of a cost, each with a bound of its own.
const FIGURES: [&str; 3] = ["pointReads", "rangeReads", "transactions"];

/// What else `GraphQL-Cost` reports with a bound.
const MORE_FIGURES: [&str; 2] = ["rows", "roundTrips"];

/// A client of one server that reports costs to everyone.
pub(in crate::graphql) struct Asking {
    router: Router,
    /// The token that is sent, if any.
    token: Option<String>,
}

/// How a client asks for the cost.
#[derive(Debug, Clone, Copy)]
pub(in crate::graphql) enum Way {
    /// By the header `GraphQL-Cost`, with this value: the server reads the lists of partitions that make the bound tighter.
    Header(&'static str),
    /// By `GraphQL-Explain`: the bound is computed from what is cached.
    Plan,
}

/// The figures of the answer; `spent` is 0 if nothing ran.
pub(in crate::graphql) struct Asked {
    pub bound: u64,
    pub spent: u64,
    pub body: Value,
}

impl Asking {
    pub(in crate::graphql) fn of(site: &Site) -> Self {
        Self::of_server(site, true)
    }

    /// `reports_storage`: whether the server reports costs to everyone.
    fn of_server(site: &Site, reports_storage: bool) -> Self {
        Self::of_service(Self::service(site).reporting_storage(reports_storage))
    }

    /// A server that limits storage requests a second.
    fn limited(site: &Site, limits: FairUseSettings) -> Self {
        Self::of_service(Self::service(site).reporting_storage(true).with_fair_use(limits))
    }

    fn service(site: &Site) -> ContentService {
        let editor_token = EditorToken::new(Some(EDITOR_TOKEN.to_owned())).expect("a token");
        let sign_in = SignIn { editor_token, ..SignIn::default() };
        ContentService::new(site.content.clone(), STORAGE_REQUESTS_MAX).with_sign_in(sign_in)
    }

    fn of_service(service: ContentService) -> Self {
        let readiness = Readiness::new(async || Ok(None));
        let router = router(Arc::new(service), readiness, Writes::default(), HttpSettings::default());
        Self { router, token: Some(EDITOR_TOKEN.to_owned()) }
    }

    fn with_token(&self, token: Option<&str>) -> Self {
        Self { router: self.router.clone(), token: token.map(str::to_owned) }
    }

    async fn send(&self, mut request: request::Builder, body: &Value) -> Value {
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.header(CONTENT_TYPE, "application/json").body(Body::from(body.to_string()));
        // On a worker thread, as in the server, so that the loaders gather.
        let sent = tokio::spawn(self.router.clone().oneshot(request.expect("a request"))).await.expect("no panic");
        let bytes = to_bytes(sent.expect("an answer").into_body(), usize::MAX).await.expect("a body");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    /// The bound of a query by the field `operationCost`.
    async fn dry_run(&self, query: &str, variables: &Value) -> u64 {
        let document =
            "query($query: String!, $of: JSON) { operationCost(query: $query, variables: $of) { requests } }";
        let body = json!({ "query": document, "variables": { "query": query, "of": variables } });
        let body = self.send(Request::post("/graphql"), &body).await;
        body["data"]["operationCost"]["requests"].as_u64().unwrap_or_else(|| panic!("{query}\n{body}"))
    }

    /// The answer to an operation that is validated and does not run.
    pub(in crate::graphql) async fn validated(&self, query: &str, variables: &Value, name: &str) -> Value {
        let body = json!({ "query": query, "variables": variables, "operationName": name });
        self.send(Request::post("/graphql").header("GraphQL-Cost", "validate"), &body).await
    }

    pub(in crate::graphql) async fn ask(&self, query: &str, variables: &Value, way: Way) -> Asked {
        let body = json!({ "query": query, "variables": variables });
        let mut request = Request::post("/graphql");
        match way {
            Way::Header(value) => request = request.header("GraphQL-Cost", value),
            Way::Plan => request = request.header("GraphQL-Explain", "report"),
        }
        let body = self.send(request, &body).await;
        let (spent, bound) = match way {
            Way::Header(_) => {
                let cost = &body["extensions"]["operationCost"];
                (&cost["spent"], &cost["bound"])
            }
            Way::Plan => (&body["extensions"]["explain"]["spent"], &body["extensions"]["explain"]["bound"]),
        };
        for name in FIGURES.into_iter().chain(MORE_FIGURES.into_iter().filter(|name| bound.get(name).is_some())) {
            let figure = |of: &Value| of[name].as_u64().unwrap_or(0);
            assert!(figure(spent) <= figure(bound), "{name}: {query}\n{variables}\n{body:.2000}");
        }
        let requests = |of: &Value| FIGURES.iter().map(|name| of[name].as_u64().unwrap_or(0)).sum();
        Asked { bound: requests(bound), spent: requests(spent), body }
    }
}
