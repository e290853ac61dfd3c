//! HTTP: all routes and layers, in one list. The rule of this module: it executes requests through [`GraphqlService`] and uses neither the
//! content nor the store. From `graphql` it also takes the check of documents (`guard`), the budget of a batch, the error codes, the
//! tokens and the memory of answers.
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
mod api;
mod bearer;
mod body;
mod clients;
mod compression;
mod connection;
mod cost_header;
mod deadline;
mod etag;
mod graphql;
mod headers;
mod heads;
mod held;
mod held_json;
mod json;
mod observe;
mod open;
mod panics;
mod parameters;
mod parsed;
mod playground;
mod request_id;
mod server_limits;
mod share;
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
use tower::util::option_layer;

pub use limits::HttpLimits;
pub use request_id::RequestId;
pub use server::{Stopped, run};
pub use server_limits::ServerLimits;
pub use settings::HttpSettings;
pub use writes::Writes;

use crate::graphql::service::GraphqlService;
use answer::RequestFailure;
use api::Api;
use health::Readiness;

/// All routes inside all layers. The layer that is added last runs first.
pub fn router(
    service: Arc<dyn GraphqlService>,
    readiness: Readiness,
    writes: Writes,
    settings: HttpSettings,
) -> Router {
    let (cors, has_playground) = (settings.cors.layer(), settings.playground);
    let api = Arc::new(Api::new(service, readiness, writes, settings));
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
        .layer(from_fn(compression::keep_coded))
        .layer(option_layer(cors))
        .layer(from_fn(observe::observe))
        .layer(from_fn(request_id::assign))
        .with_state(api)
}
