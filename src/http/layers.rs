//! The layers around all routes. The rule: a layer is a function that gets the next inner layer as a function of the request, so that a
//! request passes all of them with two allocations. `axum::middleware::from_fn` would need one and several clones for each layer.
//!
//! A layer awaits the future of the inner layer in place, and never takes a future as an argument: an async function stores such an
//! argument twice, so each layer would double the size of a request's future.

use std::{convert::Infallible, sync::Arc};

use axum::http::{Response, header};
use axum::{body::Body, extract::Request, response::IntoResponse, routing::Route};
use tower::{Layer, Service, service_fn, util::option_layer};
use tower_http::cors::CorsLayer;

use super::{answer::RequestFailure, api::Api, clients, compression, deadline, headers, observe, panics, request_id};

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
        let compress = async move |request| always(compressing.call(request).await).map(Body::new);
        async move { Ok::<_, Infallible>(compression::keep_coded(request, compress).await) }
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

/// Logs an origin that is not allowed. The browser hides the answer from its page without telling the operator, who could change that.
fn note_origin(api: &Api, request: &Request) {
    if let Some(origin) = request.headers().get(header::ORIGIN).filter(|origin| !api.cors.allow(origin)) {
        api.refused_origins.note(origin, request.headers(), request.uri());
    }
}

/// The layers inside of compression, from the outermost: memory for the compressor, headers, panics, requests of one client, time limit.
async fn answer(api: &Api, mut route: Route, request: Request) -> Response<Body> {
    let routed = async move |request: Request| match request.headers().get_all(header::HOST).iter().nth(1) {
        // "HTTP/1.1", RFC 9112, section 3.2: a proxy and this server could each use a different one.
        Some(_) => RequestFailure::bad_request("The request has more than one Host header.").into_response(),
        None => always(route.call(request).await),
    };
    let in_time = |request| deadline::limit_time(api, request, routed);
    let limited = |request| clients::limit(api, request, in_time);
    let caught = |request| panics::catch(request, limited);
    compression::charge_compressor(request, |request| headers::add(request, caught)).await
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
