//! The layers around all routes. The rule: a layer is a function that gets the next inner layer as a function of the request, so that a
//! request passes all of them with two allocations. `axum::middleware::from_fn` would need one and several clones for each layer.
//!
//! A layer awaits the future of the inner layer in place, and never takes a future as an argument: an async function stores such an
//! argument twice, so each layer would double the size of a request's future.

use std::{any::Any, convert::Infallible, panic::AssertUnwindSafe, pin::pin, sync::Arc};

use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use axum::{body::Body, extract::Request, response::IntoResponse, routing::Route};
use futures_util::FutureExt;
use tower::{Layer, Service, service_fn, util::option_layer};
use tower_http::cors::CorsLayer;

use super::{
    answer::RequestFailure, api::Api, assets, compression, connection::Connection, editor, observe, request_id,
    socket::kept_with,
};
use crate::graphql::error::Code;

/// JSON is data: a browser must not guess another type, run scripts in it, or show it in a frame.
const ALWAYS: [(HeaderName, HeaderValue); 3] = [
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
];

/// A route inside all layers, which are always ready for a request. From the outermost: the request id, the log and metrics of the request,
/// CORS, compression, then the layers of [`answer`].
pub(super) fn around(
    route: Route,
    cors: Option<CorsLayer>,
    api: Arc<Api>,
) -> impl Service<Request, Response = Response<Body>, Error = Infallible, Future: Send> + Clone + Send + Sync + 'static
{
    let shared = Arc::clone(&api);
    let answering = service_fn(move |request| {
        let (api, route) = (Arc::clone(&api), route.clone());
        Box::pin(async move { Ok::<_, Infallible>(answer(&api, route, request).await) })
    });
    let compressing = compression::layer().layer(answering);
    let compressing = service_fn(move |request| {
        let mut compressing = compressing.clone();
        async move { Ok::<_, Infallible>(always(compressing.call(request).await).map(Body::new)) }
    });
    let sharing = option_layer(cors).layer(compressing);
    service_fn(move |request| {
        let (mut sharing, api) = (sharing.clone(), Arc::clone(&shared));
        let share = async move |request| {
            note_origin(&api, &request);
            always(sharing.call(request).await)
        };
        async move { Ok(request_id::assign(request, |request| observe::observe(request, share)).await) }
    })
}

/// Logs an origin that is not allowed. The browser hides the answer from its page without informing the operator, who could change that.
fn note_origin(api: &Api, request: &Request) {
    if let Some(origin) = request.headers().get(header::ORIGIN).filter(|origin| !api.settings.cors.allow(origin)) {
        api.refused_origins.note(origin, request.headers());
    }
}

/// The layers inside of compression, from the outermost: the compressed form of a cached answer, headers, panics, requests of one client, time limit.
async fn answer(api: &Api, mut route: Route, mut request: Request) -> Response<Body> {
    if api.settings.editor {
        editor::authorize(request.headers_mut());
    }
    let routed = async move |request: Request| match request.headers().get_all(header::HOST).iter().nth(1) {
        // "HTTP/1.1", RFC 9112, section 3.2: a proxy and this server could each use a different header.
        Some(_) => RequestFailure::bad_request("The request has more than one Host header.").into_response(),
        None => always(route.call(request).await),
    };
    let in_time = |request| limit_time(api, request, routed);
    let limited = |request| limit_client(api, request, in_time);
    let caught = |request| catch_panic(request, limited);
    compression::prepare(request, |request| add_headers(request, caught)).await
}

/// Adds the headers of every answer, unless a handler has set them.
async fn add_headers<F>(request: Request, next: impl FnOnce(Request) -> F) -> Response<Body>
where
    F: Future<Output = Response<Body>>,
{
    let mut response = next(request).await;
    for (name, value) in ALWAYS {
        response.headers_mut().entry(name).or_insert(value);
    }
    response
}

/// A panic fails only its own request, with a 500; its text goes to the log, never to the client.
async fn catch_panic<F>(request: Request, next: impl FnOnce(Request) -> F) -> Response<Body>
where
    F: Future<Output = Response<Body>>,
{
    let answering = pin!(next(request));
    // Unwind safe, because after a panic the handler's future is dropped and not used.
    match AssertUnwindSafe(answering).catch_unwind().await {
        Ok(response) => response,
        Err(panic) => {
            tracing::error!(cause = text_of(panic.as_ref()), "a handler panicked");
            RequestFailure::internal().into_response()
        }
    }
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a text")
}

/// Answers every request within the limit, whatever its handler waits for: with 504 and not 503, because the store did not answer in time,
/// and because a proxy that retries after a 503 would send a mutation twice.
async fn limit_time<F>(api: &Api, request: Request, next: impl FnOnce(Request) -> F) -> Response<Body>
where
    F: Future<Output = Response<Body>>,
{
    // The upload of a picture has its own time limit, in addition to that of the answer.
    let limit = api.settings.limits.request_time + assets::receive_time(api, &request);
    let answering = pin!(next(request));
    match tokio::time::timeout(limit, answering).await {
        Ok(response) => response,
        Err(_elapsed) => {
            tracing::warn!(?limit, "a request was not answered in time");
            RequestFailure::timed_out(limit).into_response()
        }
    }
}

/// Refuses a request if its client has reached the limit of concurrent requests.
async fn limit_client<F>(api: &Api, request: Request, next: impl FnOnce(Request) -> F) -> Response<Body>
where
    F: Future<Output = Response<Body>>,
{
    let is_named = api.settings.client_address_header.is_some();
    let client = is_named.then(|| api.client(request.headers(), &Connection::of(request.extensions())));
    let Some(client) = client.flatten() else { return next(request).await };
    match api.requests_of_clients.take(client) {
        // The body keeps the slot until it is sent.
        Some(slot) => next(request).await.map(|body| kept_with(body, slot)),
        None => {
            let max = api.settings.limits.client_requests;
            let message =
                format!("This client has {max} requests in progress, which is the limit. Wait for their answers.");
            RequestFailure::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManyRequests, message).into_response()
        }
    }
}

fn always<T>(answer: Result<T, Infallible>) -> T {
    let Ok(answer) = answer;
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of_future<F>(_: impl FnOnce(&'static Api, Route, Request) -> F) -> usize {
        size_of::<F>()
    }

    /// The future is moved several times.
    #[test]
    fn the_future_of_a_request_is_small() {
        let bytes = bytes_of_future(answer);
        assert!(bytes < 4 * 1024, "{bytes}");
    }
}
