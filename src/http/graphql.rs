//! `/graphql` by GET and POST: negotiates the media type, receives and parses the request, then answers it with a cached answer or runs it.
//! The rule: a request runs only as its headers (`request_headers`) and its method (`execution`) allow.
//!
//! A POST must be `application/json`. A browser sends forms, multipart and plain text to any origin without a preflight. If one of them was
//! accepted, any page on the web could send requests with a reader's cookies.

use std::{sync::Arc, time::Instant};

use async_graphql::{Request as GraphqlRequest, parser::types::OperationType};
use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Response, StatusCode, header, request::Parts},
};

use tracing::Instrument;

use super::{
    accept::{self, Media},
    answer::{self, Answer, RequestFailure},
    api::{Api, Share},
    body,
    cached::{self, Door, ToCache},
    etag,
    execution::{CanWrite, Ran, name_of, run},
    observe::RequestOutcome,
    pages,
    parameters::{self, SentRequest},
    request_headers::{POSITION, asks_for_cost, check, forward},
    subscriptions::{Sent, events, websocket},
};
use crate::graphql::{budget::Budget, error::Code};
use crate::telemetry::{metrics, spans};

/// The headers on which an answer depends.
const VARY: &str =
    "accept, authorization, graphql-cost, graphql-explain, graphql-tags, tidings-position, x-tidings-editor";

pub(super) async fn answer_post(State(api): State<Arc<Api>>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let gets_events = accept::prefers_events(&head.headers);
    let media = if gets_events { Some(Media::Json) } else { accept::negotiate(&head.headers) };
    let Some(media) = media else {
        body::discard(&head.headers, body, &api.settings.limits).await;
        return not_acceptable();
    };
    let mut operation = None;
    let share = api.share_of(&head.headers, &head.extensions);
    let receiving = body::read(&head.headers, body, &api.settings.limits, (&share.charge, &api.long_bodies));
    let mut body = match receiving.instrument(spans::receive()).await {
        Ok(body) => body,
        Err(failure) => return failure.render(media),
    };
    if !gets_events {
        let answered = answer_received(&api, &head.headers, (&body, media), &share, &mut operation).await;
        if !answered.as_ref().is_err_and(|failure| needs_events(failure, &head.headers)) {
            let mut response = answered.unwrap_or_else(|failure| failure.render(media));
            show_position(&api, operation, &mut response);
            response.extensions_mut().insert(share.charge);
            response.extensions_mut().get_or_insert_default::<RequestOutcome>().operation = operation;
            return response;
        }
    }
    body.shrink_to_fit();
    Box::pin(answer_with_events(api, head, Sent::Body(body))).await
}

/// Whether this is a subscription of a client that prefers JSON but accepts events.
fn needs_events(failure: &RequestFailure, headers: &HeaderMap) -> bool {
    failure.code == Code::NotAcceptable && accept::takes_events(headers)
}

/// The stream has its own charge, because it does not need the memory for reading the request.
async fn answer_with_events(api: Arc<Api>, head: Parts, sent: Sent) -> Response<Body> {
    let share = api.share_of(&head.headers, &head.extensions);
    let events = events::answer(api, head.headers, share, sent).await;
    events.unwrap_or_else(|refused| refused.render(Media::Json))
}

/// Adds the position to the answer to a mutation, if other servers share the store.
fn show_position(api: &Api, operation: Option<&str>, response: &mut Response<Body>) {
    if matches!(operation, Some("mutation" | "batch"))
        && let Some(position) = api.service.position()
    {
        response.headers_mut().insert(POSITION, HeaderValue::from(position));
    }
}

/// Answers a body, with a cached answer or by running its requests.
async fn answer_received(
    api: &Api,
    headers: &HeaderMap,
    (received, media): (&[u8], Media),
    share: &Share,
    operation: &mut Option<&'static str>,
) -> Result<Response<Body>, RequestFailure> {
    check(api.service.as_ref(), headers).await?;
    let to_cache = match find_cached(api, headers, (Door::Post(media), received), share, operation) {
        Ok(answer) => return Ok(answer.into_http(media)),
        Err(to_cache) => to_cache,
    };
    // The future is boxed, so that the future of a cached answer, which is moved into each layer, stays small.
    Box::pin(api.turns.run(run_received(api, headers, (received, media), to_cache, share, operation))).await
}

/// Parses and runs the requests of a body.
async fn run_received(
    api: &Api,
    headers: &HeaderMap,
    (received, media): (&[u8], Media),
    to_cache: Option<ToCache>,
    share: &Share,
    operation: &mut Option<&'static str>,
) -> Result<Response<Body>, RequestFailure> {
    match parameters::from_body(received, api.parameter_bounds(), &share.charge).await? {
        SentRequest::One(request) => {
            let ran = run(api, forward(*request, headers), (CanWrite::Yes, to_cache), share, operation).await?;
            Ok(ran.answer.into_http(media))
        }
        SentRequest::Batch(requests) => Ok(run_batch(api, requests, headers, share, operation).await),
    }
}

/// Calls [`cached::find`], and reports a cached answer in the metrics like an executed operation.
fn find_cached(
    api: &Api,
    headers: &HeaderMap,
    request: (Door, &[u8]),
    share: &Share,
    operation: &mut Option<&'static str>,
) -> Result<Answer, Option<ToCache>> {
    let begun = Instant::now();
    let answer = cached::find(api, headers, request, &share.charge)?;
    let query = name_of(OperationType::Query);
    *operation = Some(query);
    metrics::operation_answered(query, answer.code(), begun.elapsed());
    Ok(answer)
}

/// A client may cache the answer to a GET if it revalidates it each time, because the content changes with the clock as well as by mutations.
/// No cache may store an answer to a request with a token or another secret.
pub(super) async fn answer_get(State(api): State<Arc<Api>>, request: Request) -> Response<Body> {
    let (head, _) = request.into_parts();
    if api.settings.playground && pages::is_for_a_person(&head.headers, head.uri.query()) {
        return pages::show_instead();
    }
    if websocket::is_requested(&head.headers) {
        let upgraded = Box::pin(websocket::answer(api, head)).await;
        return upgraded.unwrap_or_else(|refused| refused.render(Media::Json));
    }
    let answer = if accept::prefers_events(&head.headers) { None } else { answer_get_once(&api, &head).await };
    match answer {
        Some(answer) => answer,
        None => {
            let sent = Sent::Url(head.uri.clone());
            Box::pin(answer_with_events(api, head, sent)).await
        }
    }
}

/// `None` if only events can answer the request.
async fn answer_get_once(api: &Api, Parts { headers, uri, extensions, .. }: &Parts) -> Option<Response<Body>> {
    let Some(media) = accept::negotiate(headers) else {
        return Some(not_acceptable());
    };
    let mut operation = None;
    let share = api.share_of(headers, extensions);
    if let Err(failure) = check(api.service.as_ref(), headers).await {
        return Some(failure.render(media));
    }
    let query = uri.query().unwrap_or_default().as_bytes();
    let ran = match find_cached(api, headers, (Door::Get(media), query), &share, &mut operation) {
        Ok(answer) => Ok(Ran { answer, has_secret: false }),
        Err(to_cache) => match api.request_of(uri, &share).await {
            // The future is boxed, as for a POST.
            Ok(sent) => {
                let run = run(api, forward(sent, headers), (CanWrite::No, to_cache), &share, &mut operation);
                Box::pin(api.turns.run(run)).await
            }
            Err(failure) => Err(failure),
        },
    };
    if ran.as_ref().is_err_and(|failure| needs_events(failure, headers)) {
        return None;
    }
    // A request that could not be parsed may contain a secret.
    let is_private = headers.contains_key(header::AUTHORIZATION)
        || asks_for_cost(headers)
        || headers.contains_key(POSITION)
        || ran.as_ref().map_or(true, |ran| ran.has_secret);
    let mut response = match ran {
        Ok(Ran { answer, .. }) => {
            let tag = (!is_private).then(|| etag::tag_of_hash(answer.json.hash()));
            let freshness = answer.freshness().filter(|_| !is_private).cloned();
            let mut response = answer.into_http(media);
            if let Some(tag) = tag.filter(|_| response.status() == StatusCode::OK) {
                etag::apply(&tag, headers, &mut response);
                api.show_freshness(freshness.as_ref(), &mut response);
            }
            response
        }
        Err(failure) => failure.render(media),
    };
    let caching = if is_private { "no-store" } else { "no-cache" };
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static(caching));
    let varies_by = HeaderValue::from_static(VARY);
    response.headers_mut().append(header::VARY, varies_by);
    response.extensions_mut().insert(share.charge);
    response.extensions_mut().get_or_insert_default::<RequestOutcome>().operation = operation;
    Some(response)
}

/// Runs the requests one by one, so that later ones see earlier mutations. Together they may cost as much as one query.
async fn run_batch(
    api: &Api,
    requests: Vec<Result<GraphqlRequest, RequestFailure>>,
    headers: &HeaderMap,
    share: &Share,
    operation: &mut Option<&'static str>,
) -> Response<Body> {
    let budget = Arc::new(Budget::default());
    let mut answers = Vec::with_capacity(requests.len());
    for request in requests {
        let outcome = match request {
            Ok(request) => {
                let request = forward(request, headers).data(Arc::clone(&budget));
                run(api, request, (CanWrite::Yes, None), share, operation).await
            }
            Err(failure) => Err(failure),
        };
        answers.push(outcome.map_or_else(|failure| Answer::of(&failure.into()), |ran| ran.answer));
    }
    *operation = Some("batch");
    answer::batch(answers)
}

fn not_acceptable() -> Response<Body> {
    let message = "Answers are `application/graphql-response+json`, `application/json` or `text/event-stream`; `Accept` names none.";
    RequestFailure::new(StatusCode::NOT_ACCEPTABLE, Code::NotAcceptable, message).render(Media::Json)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of_future<F>(_: impl FnOnce(State<Arc<Api>>, Request) -> F) -> usize {
        size_of::<F>()
    }

    /// Each layer moves the future, even of a cached answer.
    #[test]
    fn the_futures_of_the_handlers_are_small() {
        assert!(bytes_of_future(answer_post) <= 2_048, "{}", bytes_of_future(answer_post));
        assert!(bytes_of_future(answer_get) <= 2_048, "{}", bytes_of_future(answer_get));
    }
}
