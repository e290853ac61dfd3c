//! Queries as a client sends them: through every route and layer, without a socket.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header, request};
use serde_json::{Value, json};
use tidings::graphql::access::{EditorToken, SignIn};
use tidings::graphql::content_service::ContentService;
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::http::health::Readiness;
use tidings::http::{HttpSettings, Writes, router};
use tidings::model::{Role, TermKind};
use tidings::testing::{NewToken, Tokens, operator};
use tower::ServiceExt;

use super::site::Site;

/// The token of the tests' server.
pub const EDITOR_TOKEN: &str = "the-editor-token-of-the-tests";

/// The type of the input of a mutation of posts, pages or terms.
pub fn input_type(mutation: &str) -> String {
    match mutation.starts_with("delete") {
        true => "DeleteInput".to_owned(),
        false => format!("{}{}Input", mutation[..1].to_uppercase(), &mutation[1..]),
    }
}

/// An answer of `/graphql`.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub body: Value,
    /// The body as it was sent, with its keys in their order.
    pub text: String,
}

impl Site {
    pub fn router(&self) -> axum::Router {
        let editor_token = EditorToken::new(Some(EDITOR_TOKEN.to_owned())).expect("a token");
        let sign_in = SignIn { editor_token, ..SignIn::default() };
        self.router_with(sign_in)
    }

    pub fn router_with(&self, sign_in: SignIn) -> axum::Router {
        let service = ContentService::new(self.content.clone(), STORAGE_REQUESTS_MAX).with_sign_in(sign_in);
        let service = Arc::new(service);
        router(service, Readiness::new(async || Ok(None)), Writes::default(), HttpSettings::default())
    }

    pub async fn post_graphql(&self, body: Value) -> Answer {
        self.post_bytes("application/json", body.to_string()).await
    }

    /// In the text, `@tag(rust)` is replaced by the id and the version of the tag that has this slug, as the input of a change has them.
    pub async fn mutate(&self, mutation: &str, variables: Value, token: Option<&str>) -> Answer {
        let query = self.with_ids(mutation).await;
        let body = json!({ "query": query, "variables": variables }).to_string();
        self.send(json_request("application/json"), token, body).await
    }

    /// The id and the version of a term, as the input of a change has them; an id that no term has if it does not exist.
    pub async fn named(&self, kind: TermKind, slug: &str) -> (String, i32) {
        let found = self.content.reader().term(kind, &super::site::slug(slug)).await;
        match found.ok().flatten() {
            Some(term) => (term.node_id().to_string(), term.version),
            None => (super::site::term_id(kind, "no-such-term"), 1),
        }
    }

    /// The text with the ids and versions of the terms that it names by their slugs.
    pub async fn with_ids(&self, text: &str) -> String {
        let mut done = text.to_owned();
        for kind in TermKind::ALL {
            let mark = format!("@{}(", kind.noun());
            while let Some((before, rest)) = done.clone().split_once(&mark) {
                let (slug, after) = rest.split_once(')').expect("the end of a slug");
                let (id, version) = self.named(kind, slug).await;
                done = format!("{before}id: \"{id}\", expectedVersion: {version}{after}");
            }
        }
        done
    }

    /// The whole answer to a client with this token.
    pub async fn ask_as(&self, token: Option<&str>, query: &str) -> Value {
        self.mutate(query, json!({}), token).await.body
    }

    /// The text of a new token.
    pub async fn token(&self, role: Role, author: Option<&str>) -> String {
        let reader = self.content.reader();
        let name = format!("{role} {}", author.unwrap_or_default());
        let new = NewToken { name, role, author: author.map(str::to_owned), expires_at: None };
        let actor = operator();
        let tokens = Tokens::new(&self.content, &reader, &actor).expect("an admin");
        tokens.create(new).await.expect("a store").expect("a token").1.reveal()
    }

    /// Sends this body from a client that accepts this media type.
    pub async fn post_bytes(&self, accept: &str, body: impl Into<Body>) -> Answer {
        self.send(json_request(accept), None, body).await
    }

    pub async fn send(&self, request: request::Builder, token: Option<&str>, body: impl Into<Body>) -> Answer {
        let request = match token {
            Some(token) => request.header(header::AUTHORIZATION, format!("Bearer {token}")),
            None => request,
        };
        let request = request.body(body.into()).expect("a request");
        // On a worker thread, as in the server: elsewhere tokio's `yield_now` wakes at once, and the loaders gather nothing.
        let answered = tokio::spawn(self.router().oneshot(request)).await;
        let response = answered.expect("the router does not panic").expect("the router answers");
        let status = response.status();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
        let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
        Answer { status, body: serde_json::from_str(&text).expect("JSON"), text }
    }

    /// The data of a query that must succeed without errors.
    pub async fn query(&self, query: &str) -> Value {
        self.query_with(query, json!({})).await
    }

    pub async fn query_with(&self, query: &str, variables: Value) -> Value {
        let answer = self.post_graphql(json!({ "query": query, "variables": variables })).await;
        assert_eq!(answer.body.get("errors"), None, "{query}");
        answer.body["data"].clone()
    }

    /// The storage requests of a query, from its plan, with nothing cached.
    pub async fn cost(&self, query: &str) -> Cost {
        self.invalidate_cached();
        let request = json_request("application/json").header("GraphQL-Explain", "report");
        let answer = self.send(request, Some(EDITOR_TOKEN), json!({ "query": query }).to_string()).await;
        assert_eq!(answer.body.get("errors"), None, "{query}");
        let plan = &answer.body["extensions"]["explain"];
        let (spent, bound) = (&plan["spent"], &plan["bound"]);
        let count = |of: &Value, name: &str| of[name].as_u64().unwrap_or_else(|| panic!("{name} of {of}"));
        let cost = Cost {
            point_reads: count(spent, "pointReads"),
            range_reads: count(spent, "rangeReads"),
            round_trips: count(spent, "roundTrips"),
        };
        assert!(
            cost.point_reads + cost.range_reads <= count(bound, "pointReads") + count(bound, "rangeReads"),
            "{spent} {bound}"
        );
        cost
    }

    /// The codes of the errors of a request.
    pub async fn codes(&self, query: &str) -> Vec<String> {
        let answer = self.post_graphql(json!({ "query": query })).await;
        let errors = answer.body["errors"].as_array().cloned().unwrap_or_default();
        errors.iter().map(|e| e["extensions"]["code"].as_str().unwrap_or("NONE").to_owned()).collect()
    }
}

pub fn json_request(accept: &str) -> request::Builder {
    Request::post("/graphql").header(header::CONTENT_TYPE, "application/json").header(header::ACCEPT, accept)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    pub point_reads: u64,
    pub range_reads: u64,
    pub round_trips: u64,
}
