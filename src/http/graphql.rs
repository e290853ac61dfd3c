//! `/graphql` by GET and POST, in stages: what the client takes, what it sends, what of it may run, the run, the answer. The rule:
//! nothing runs before every stage before it has let it through; above all, no mutation by GET.
//!
//! A POST must be `application/json`. A browser sends forms, multipart and text to any origin without asking first, so that
//! taking one of those would let any page on the web act with a reader's cookies.

use std::{sync::Arc, time::Instant};

use async_graphql::{Request as GraphqlRequest, Response as GraphqlResponse, parser::types::OperationType};
use axum::{
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Response, StatusCode, Uri, header},
};

use tracing::Instrument;

use super::{
    Api,
    accept::{self, Media},
    answer::{self, Failure},
    bearer,
    body::{self, Received},
    etag,
    parameters::{self, Sent},
    playground,
    timing::Stages,
};
use crate::graphql::{
    budget::Budget,
    error::{Code, code_word, give_codes, hide_unsent_names},
    guard::{Admitted, admit},
};
use crate::telemetry::{metrics, spans};

pub async fn answer_post(State(api): State<Arc<Api>>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let Some(media) = accept::negotiate(&head.headers) else {
        body::discard(&head.headers, body, &api.limits).await;
        return not_acceptable();
    };
    let mut stages = Stages::begin();
    let received = receive(&api, &head.headers, body).instrument(spans::receive()).await;
    stages.end("receive");
    let sent = received.and_then(|received| Ok((parameters::from_body(&received.bytes, api.batch_max)?, received)));
    let mut response = match sent {
        Ok((Sent::One(request), _received)) => {
            let request = bearer::hand_on(*request, &head.headers);
            render(run(&api, request, CanWrite::Yes, &mut stages).await, media)
        }
        Ok((Sent::Batch(requests), _received)) => run_batch(&api, requests, &head.headers, &mut stages).await,
        Err(failure) => failure.render(media),
    };
    stages.tell(&mut response, api.tells_timing);
    response
}

/// An answer to a GET may be kept, by whoever asks each time whether it still holds: what is shown changes by the clock as well as by
/// mutations. Where a token was sent, it is kept by nobody.
pub async fn answer_get(State(api): State<Arc<Api>>, request: Request) -> Response<Body> {
    let headers = request.headers();
    if api.has_playground && playground::is_for_a_person(headers, request.uri().query()) {
        return playground::show_instead();
    }
    let Some(media) = accept::negotiate(headers) else {
        return not_acceptable();
    };
    let mut stages = Stages::begin();
    let mut response = match receive_get(&api, request.uri()) {
        Ok(sent) => render(run(&api, bearer::hand_on(sent, headers), CanWrite::No, &mut stages).await, media),
        Err(failure) => failure.render(media),
    };
    // A preview's link is a secret in the request, as a token is.
    let is_private = headers.contains_key(header::AUTHORIZATION) || asks_preview(request.uri());
    let keeping = if is_private { "no-store" } else { "no-cache" };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(keeping));
    if response.status() == StatusCode::OK && !is_private {
        response = tagged(response, headers).await;
    }
    response.headers_mut().append(header::VARY, HeaderValue::from_static("accept, authorization"));
    stages.tell(&mut response, api.tells_timing);
    response
}

/// Whether the address may ask for a draft by its preview link. One word too many costs a tag, and nothing else.
fn asks_preview(uri: &Uri) -> bool {
    uri.query().is_some_and(|query| query.contains("preview"))
}

async fn tagged(response: Response<Body>, asked: &HeaderMap) -> Response<Body> {
    let (head, body) = response.into_parts();
    let Ok(content) = to_bytes(body, usize::MAX).await else { return Failure::internal().render(Media::Json) };
    let tag = etag::tag_of(&content);
    let mut response = Response::from_parts(head, Body::from(content));
    etag::apply(&tag, asked, &mut response);
    response
}

fn receive_get(api: &Api, uri: &Uri) -> Result<GraphqlRequest, Failure> {
    let (bytes, limit) = (uri.path_and_query().map_or(0, |text| text.as_str().len()), api.limits.uri_bytes);
    if bytes > limit {
        let message = format!("The address has {bytes} bytes; the limit is {limit}. Send the request by POST.");
        return Err(Failure::new(StatusCode::URI_TOO_LONG, Code::UriTooLong, message));
    }
    parameters::from_uri(uri)
}

/// Whether the method of the request may change anything.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CanWrite {
    Yes,
    No,
}

async fn receive<'a>(api: &'a Api, headers: &HeaderMap, body: Body) -> Result<Received<'a>, Failure> {
    if let Err(failure) = check_encoding(headers) {
        body::discard(headers, body, &api.limits).await;
        return Err(failure);
    }
    body::read(headers, body, &api.limits, &api.large_bodies).await
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

/// One after another, for a mutation is to be seen by what comes behind it. What a query may cost, all of them may cost together.
async fn run_batch(
    api: &Api,
    requests: Vec<Result<GraphqlRequest, Failure>>,
    headers: &HeaderMap,
    stages: &mut Stages,
) -> Response<Body> {
    let budget = Arc::new(Budget::default());
    let mut responses = Vec::with_capacity(requests.len());
    for request in requests {
        let outcome = match request {
            Ok(request) => {
                let request = bearer::hand_on(request, headers).data(Arc::clone(&budget));
                run(api, request, CanWrite::Yes, stages).await
            }
            Err(failure) => Err(failure),
        };
        responses.push(outcome.unwrap_or_else(GraphqlResponse::from));
    }
    stages.run("batch");
    answer::batch(&responses)
}

async fn run(
    api: &Api,
    request: GraphqlRequest,
    can_write: CanWrite,
    stages: &mut Stages,
) -> Result<GraphqlResponse, Failure> {
    let begun = Instant::now();
    let admitted = spans::admit().in_scope(|| admit(request, &api.limits.query));
    stages.end("admit");
    let Admitted { request, kind } = match admitted {
        Ok(admitted) => admitted,
        Err(refusal) => {
            let response = GraphqlResponse::from_errors(vec![refusal.into()]);
            metrics::operation_answered("none", code_word(&response), begun.elapsed());
            return Ok(response);
        }
    };
    let operation = word_of(kind);
    stages.run(operation);
    check_kind(kind, can_write)?;
    let _slot = api.running.acquire().await.expect("the semaphore is never closed");
    stages.end("wait");
    let span = spans::execute(operation, request.operation_name.as_deref());
    let response = execute(api, request, kind).instrument(span.clone()).await;
    stages.end("execute");
    let code = code_word(&response);
    spans::executed(&span, code);
    metrics::operation_answered(operation, code, begun.elapsed());
    Ok(response)
}

async fn execute(api: &Api, request: GraphqlRequest, kind: OperationType) -> GraphqlResponse {
    let document = request.query.clone();
    let mut response = match kind {
        OperationType::Mutation => {
            let service = Arc::clone(&api.service);
            api.writes.run(async move { service.execute(request).await }).await
        }
        _ => api.service.execute(request).await,
    };
    if !api.limits.query.introspection {
        hide_unsent_names(&mut response, &document);
    }
    give_codes(&mut response, &document);
    response
}

fn word_of(kind: OperationType) -> &'static str {
    match kind {
        OperationType::Query => "query",
        OperationType::Mutation => "mutation",
        OperationType::Subscription => "subscription",
    }
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
            let message = "There are no subscriptions here; over HTTP there are queries and mutations.";
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
