//! The layers around all routes. The rule: a layer is a function that gets what is inside of it as a function or a future, so that a request passes all
//! of them without an allocation and a clone for each; `axum::middleware::from_fn` needs both.

use std::{convert::Infallible, sync::Arc};

use axum::{body::Body, extract::Request, http::Response, routing::Route};
use tower::{Layer, Service, ServiceExt, service_fn, util::option_layer};
use tower_http::cors::CorsLayer;

use super::{api::Api, clients, compression, deadline, headers, observe, panics, request_id};

/// A route inside all layers. The outermost is first: the id of the request, its report, CORS, compression, then those of [`answer`].
pub(super) fn around(
    route: Route,
    cors: Option<CorsLayer>,
    api: Arc<Api>,
) -> impl Service<Request, Response = Response<Body>, Error = Infallible, Future: Send> + Clone + Send + Sync + 'static
{
    let answering = service_fn(move |request| {
        let (api, route) = (Arc::clone(&api), route.clone());
        async move { Ok::<_, Infallible>(answer(&api, route, request).await) }
    });
    let compressing = compression::layer().layer(answering);
    let compressing = service_fn(move |request: Request| {
        let compressing = compressing.clone();
        async move {
            let compressed = async { always(compressing.oneshot(request).await).map(Body::new) };
            Ok::<_, Infallible>(compression::keep_coded(compressed).await)
        }
    });
    let sharing = option_layer(cors).layer(compressing);
    service_fn(move |request: Request| {
        let sharing = sharing.clone();
        async move {
            let shared = async |request| always(sharing.oneshot(request).await);
            Ok(request_id::assign(request, |request| observe::observe(request, shared)).await)
        }
    })
}

/// The layers inside of compression, from the outermost: memory for the compressor, headers, panics, requests of the client, time.
async fn answer(api: &Api, route: Route, request: Request) -> Response<Body> {
    let routed = async |request| always(route.oneshot(request).await);
    let limited = |request| {
        headers::add(panics::catch(clients::limit(api, request, |request| deadline::limit_time(api, routed(request)))))
    };
    compression::charge_compressor(request, limited).await
}

fn always<T>(answer: Result<T, Infallible>) -> T {
    let Ok(answer) = answer;
    answer
}
