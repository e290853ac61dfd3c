//! HTTP: all routes and layers, in one list. The rule of this module: it executes requests through [`GraphqlService`] and uses neither the
//! content nor the store. From `graphql` it also takes the check of documents (`guard`), the budget of a batch, the error codes, the
//! tokens, the address of a client and the memory of answers.
//!
//! A refused request is answered with the same JSON on every route: `{"errors": [{"message", "extensions": {"code"}}]}`. Every wait is
//! limited: [`server`] and `connection` limit heads, idle connections and unread answers, `body` limits bodies, `deadline` limits answers.

pub mod cdn;
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
mod assets;
mod bearer;
mod body;
mod clients;
mod compression;
mod connection;
mod cost_header;
mod deadline;
mod etag;
mod execution;
mod feeds;
mod graphql;
mod headers;
mod heads;
mod held;
mod held_json;
mod json;
mod layers;
mod listen;
mod observe;
mod open;
mod panics;
mod parameters;
mod parsed;
mod persisted;
mod playground;
mod position;
mod prepared;
mod request_id;
mod resident;
mod server_limits;
mod share;
mod stall;
mod status;
mod streams;
mod timing;
mod turns;
mod value_count;

use std::sync::Arc;

use axum::{Router, routing::get};
use tower::layer::layer_fn;

pub use feeds::settings as feed_settings;
pub use limits::HttpLimits;
pub use listen::listen;
pub use request_id::RequestId;
pub use server::{Stopped, run};
pub use server_limits::ServerLimits;
pub use settings::HttpSettings;
pub use writes::Writes;

use crate::graphql::service::GraphqlService;
use answer::RequestFailure;
use api::Api;
use health::Readiness;

/// All routes inside all layers.
pub fn router(
    service: Arc<dyn GraphqlService>,
    readiness: Readiness,
    writes: Writes,
    settings: HttpSettings,
) -> Router {
    let (cors, has_playground) = (settings.cors.layer(), settings.playground);
    let api = Arc::new(Api::new(service, readiness, writes, settings));
    let of_layers = Arc::clone(&api);
    Router::new()
        .merge(playground::routes(has_playground))
        .route("/graphql", get(graphql::answer_get).post(graphql::answer_post))
        .route("/schema.graphql", get(health::schema))
        .merge(feeds::routes())
        .merge(assets::routes())
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .fallback(async || RequestFailure::not_found())
        .method_not_allowed_fallback(async || RequestFailure::method_not_allowed())
        .layer(layer_fn(move |route| layers::around(route, cors.clone(), Arc::clone(&of_layers))))
        .with_state(api)
}
