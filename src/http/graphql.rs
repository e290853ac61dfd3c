//! `/graphql` by GET and POST, in stages: what the client takes, what it sends, what of it may run, the run, the answer. The rule:
//! nothing runs before every stage before it has let it through; above all, no mutation by GET.
//!
//! A POST must be `application/json`. A browser sends forms, multipart and text to any origin without asking first, so that
//! taking one of those would let any page on the web act with a reader's cookies.

use std::sync::Arc;

use async_graphql::{Request as GraphqlRequest, Response as GraphqlResponse, parser::types::OperationType};
use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Response, StatusCode, header},
};

use super::{
    Api,
    accept::{self, Media},
    answer::{self, Failure},
    body, parameters, playground,
};
use crate::graphql::{
    access::BearerToken,
    error::{Code, give_codes},
    guard::{Admitted, admit},
};

pub async fn answer_post(State(api): State<Arc<Api>>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let Some(media) = accept::negotiate(&head.headers) else {
        body::discard(&head.headers, body, &api.limits).await;
        return not_acceptable();
    };
    let answer = match read_post(&api, &head.headers, body).await {
        Ok(request) => run(&api, with_bearer(request, &head.headers), CanWrite::Yes).await,
        Err(failure) => Err(failure),
    };
    render(answer, media)
}

/// Hands the token of `Authorization: Bearer` on, where there is one (RFC 6750, section 2.1). What is malformed is handed on as an empty one,
/// and refused; other schemes are a proxy's.
fn with_bearer(request: GraphqlRequest, headers: &HeaderMap) -> GraphqlRequest {
    let mut tokens = headers.get_all(header::AUTHORIZATION).iter().filter_map(bearer_token);
    match (tokens.next(), tokens.next()) {
        (None, _) => request,
        (Some(token), None) => request.data(BearerToken(token)),
        (Some(_), Some(_)) => request.data(BearerToken(String::new())),
    }
}

/// `None` where the scheme is another.
fn bearer_token(value: &HeaderValue) -> Option<String> {
    let bytes = value.as_bytes();
    let end = bytes.iter().position(|byte| *byte == b' ').unwrap_or(bytes.len());
    let (scheme, token) = bytes.split_at(end);
    scheme.eq_ignore_ascii_case(b"bearer").then(|| str::from_utf8(token).unwrap_or_default().trim().to_owned())
}

pub async fn answer_get(State(api): State<Arc<Api>>, request: Request) -> Response<Body> {
    if api.settings.playground && playground::is_for_a_person(request.headers(), request.uri().query()) {
        return playground::show_instead();
    }
    let Some(media) = accept::negotiate(request.headers()) else {
        return not_acceptable();
    };
    let answer = match parameters::from_uri(request.uri()) {
        Ok(sent) => run(&api, with_bearer(sent, request.headers()), CanWrite::No).await,
        Err(failure) => Err(failure),
    };
    render(answer, media)
}

/// Whether the method of the request may change anything.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CanWrite {
    Yes,
    No,
}

async fn read_post(api: &Api, headers: &HeaderMap, body: Body) -> Result<GraphqlRequest, Failure> {
    if let Err(failure) = check_encoding(headers) {
        body::discard(headers, body, &api.limits).await;
        return Err(failure);
    }
    parameters::from_body(&body::read(headers, body, &api.limits).await?)
}

/// The body must be JSON in UTF-8, as it is.
fn check_encoding(headers: &HeaderMap) -> Result<(), Failure> {
    let unsupported =
        |message| Err(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, Code::UnsupportedMediaType, message));
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut parts = content_type.split(';').map(str::trim);
    if !parts.next().unwrap_or_default().eq_ignore_ascii_case("application/json") {
        return unsupported("A POST must have the header `Content-Type: application/json`.");
    }
    let charsets =
        parts.filter_map(|part| part.split_once('=')).filter(|(name, _)| name.eq_ignore_ascii_case("charset"));
    if charsets.into_iter().any(|(_, charset)| !accept::is_utf8(charset)) {
        return unsupported("The body must be UTF-8.");
    }
    if headers.get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
        return unsupported("The body must not be compressed.");
    }
    Ok(())
}

async fn run(api: &Api, request: GraphqlRequest, can_write: CanWrite) -> Result<GraphqlResponse, Failure> {
    let Admitted { request, kind } = match admit(request, &api.limits.query) {
        Ok(admitted) => admitted,
        Err(refusal) => return Ok(GraphqlResponse::from_errors(vec![refusal.into()])),
    };
    check_kind(kind, can_write)?;
    let document = request.query.clone();
    let mut response = match kind {
        OperationType::Mutation => {
            let service = Arc::clone(&api.service);
            api.writes.run(async move { service.execute(request).await }).await
        }
        _ => api.service.execute(request).await,
    };
    give_codes(&mut response, &document);
    Ok(response)
}

fn check_kind(kind: OperationType, can_write: CanWrite) -> Result<(), Failure> {
    match (kind, can_write) {
        (OperationType::Query, _) | (OperationType::Mutation, CanWrite::Yes) => Ok(()),
        (OperationType::Mutation, CanWrite::No) => {
            let message = "A mutation must be sent by POST. Nothing was changed.";
            let failure = Failure::new(StatusCode::METHOD_NOT_ALLOWED, Code::MethodNotAllowed, message);
            Err(Failure { allow: Some("POST"), ..failure })
        }
        (OperationType::Subscription, _) => {
            let message = "A subscription needs a WebSocket; over HTTP there are queries and mutations.";
            Err(Failure::new(StatusCode::BAD_REQUEST, Code::SubscriptionsNotSupported, message))
        }
    }
}

fn render(answer: Result<GraphqlResponse, Failure>, media: Media) -> Response<Body> {
    match answer {
        Ok(response) => answer::graphql(&response, media),
        Err(failure) => failure.render(media),
    }
}

fn not_acceptable() -> Response<Body> {
    let message = "Answers are `application/graphql-response+json` or `application/json`; `Accept` names neither.";
    Failure::new(StatusCode::NOT_ACCEPTABLE, Code::NotAcceptable, message).render(Media::Json)
}
