//! HTTP: all routes and layers, in one list. The rule of this module: it executes requests through [`GraphqlService`] and uses neither the
//! content nor the store. From `graphql` it also takes the limits of documents, the error codes, the tokens and the memory of answers.
//!
//! A refused request is always answered with JSON of one shape, `{"errors": [{"message", "extensions": {"code"}}]}`, on every route. No wait is
//! unlimited: [`server`] and `connection` limit heads, idle connections and unread answers, `body` limits bodies, `deadline` limits answers.

pub mod cors;
pub mod health;
pub mod limits;
pub mod metrics;
pub mod server;
pub mod settings;
pub mod writes;

mod accept;
mod activity;
mod answer;
mod bearer;
mod body;
mod clients;
mod compression;
mod connection;
mod deadline;
mod etag;
mod graphql;
mod headers;
mod heads;
mod json;
mod observe;
mod open;
mod panics;
mod parameters;
mod parsed;
mod playground;
mod request_id;
mod stall;
mod status;
mod timing;
mod value_count;

use std::sync::Arc;

use axum::{
    Router,
    middleware::{from_fn, from_fn_with_state},
    routing::get,
};
use bytes::Bytes;
use tokio::sync::Semaphore;
use tower::util::option_layer;

pub use limits::HttpLimits;
pub use request_id::RequestId;
pub use server::{ServerLimits, Stopped, run};
pub use settings::HttpSettings;
pub use writes::Writes;

use crate::graphql::service::GraphqlService;
use answer::RequestFailure;
use body::BodyMemory;
use clients::Clients;
use health::Readiness;
use parameters::Bounds;

/// The state that the handlers share.
struct Api {
    service: Arc<dyn GraphqlService>,
    readiness: Readiness,
    writes: Writes,
    limits: HttpLimits,
    batch_max: usize,
    has_playground: bool,
    reports_timing: bool,
    body_memory: BodyMemory,
    /// A permit for each request that runs.
    running: Semaphore,
    /// A permit for each request whose token is looked up; as many as for requests that run.
    signing_in: Semaphore,
    /// Set if a header of a trusted proxy names the client.
    clients: Option<Clients>,
    /// The SDL, printed once; `None` if introspection is switched off.
    sdl: Option<Bytes>,
}

impl Api {
    fn parameter_bounds(&self) -> Bounds {
        Bounds { batch_max: self.batch_max, variable_values: self.limits.query.variable_values }
    }
}

/// All routes inside all layers. The layer that is added last runs first.
pub fn router(
    service: Arc<dyn GraphqlService>,
    readiness: Readiness,
    writes: Writes,
    settings: HttpSettings,
) -> Router {
    let HttpSettings { cors, batch_max, playground: has_playground, reports_timing, client_address_header, limits } =
        settings;
    let sdl = limits.query.introspection.then(|| Bytes::from(service.sdl()));
    let (running, signing_in) = (Semaphore::new(limits.running), Semaphore::new(limits.running));
    let clients = client_address_header.map(|header| Clients::new(header, limits.client_requests));
    let body_memory = BodyMemory::new(&limits);
    let api = Arc::new(Api {
        service,
        readiness,
        writes,
        limits,
        batch_max,
        has_playground,
        reports_timing,
        body_memory,
        running,
        signing_in,
        clients,
        sdl,
    });
    Router::new()
        .merge(playground::routes(has_playground))
        .route("/graphql", get(graphql::answer_get).post(graphql::answer_post))
        .route("/schema.graphql", get(health::schema))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .fallback(async || RequestFailure::not_found())
        .method_not_allowed_fallback(async || RequestFailure::method_not_allowed())
        .layer(from_fn_with_state(api.clone(), deadline::limit_time))
        .layer(from_fn_with_state(api.clone(), clients::limit))
        .layer(from_fn(panics::catch))
        .layer(from_fn(headers::add))
        .layer(from_fn(compression::charge_compressor))
        .layer(compression::layer())
        .layer(option_layer(cors.layer()))
        .layer(from_fn(observe::observe))
        .layer(from_fn(request_id::assign))
        .with_state(api)
}
