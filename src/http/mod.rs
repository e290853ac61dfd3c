//! HTTP: all routes and layers, in one list. The rule of this module: it executes requests through [`GraphqlService`] and uses neither the
//! content nor the store. From `graphql` it also takes the check of documents (`guard`), the budget of a batch, the error codes, the
//! tokens, the address of a client and the memory of answers.
//!
//! A refused request is answered with the same JSON on every route: `{"errors": [{"message", "extensions": {"code"}}]}`. Every wait is
//! limited: `connection` limits heads and idle connections, `socket` unread answers, `body` bodies, `layers` answers.

pub mod cdn;
pub mod cors;
pub mod health;
pub mod metrics;
pub mod server;
pub mod settings;
pub mod writes;

mod accept;
mod answer;
mod api;
mod assets;
mod body;
mod cached;
mod clients;
mod compression;
mod connection;
mod editor;
mod editor_login;
mod etag;
mod execution;
mod feeds;
mod graphql;
mod json;
mod layers;
mod mcp;
mod observe;
mod pages;
mod parameters;
mod persisted;
mod request_headers;
mod request_id;
mod socket;
mod subscriptions;
#[cfg(test)]
mod tests;
mod turns;
mod views;

use std::sync::Arc;

use axum::{Router, routing::get};
use tower::layer::layer_fn;

pub use observe::RequestOutcome;
pub use request_id::RequestId;
pub use server::{Stopped, run};
pub use settings::{HttpLimits, HttpSettings, ServerLimits};
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
    let cors = settings.cors.layer();
    let pages = pages::routes(&settings).merge(editor::routes(&settings)).merge(editor_login::routes(&settings));
    let (views, mcp) = (views::routes(&settings), mcp::routes(&settings));
    let api = Arc::new(Api::new(service, readiness, writes, settings));
    let of_layers = Arc::clone(&api);
    Router::new()
        .merge(pages)
        .route("/graphql", get(graphql::answer_get).post(graphql::answer_post))
        .route("/schema.graphql", get(health::schema))
        .merge(feeds::routes())
        .merge(assets::routes())
        .merge(views)
        .merge(mcp)
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .fallback(async || RequestFailure::not_found())
        .method_not_allowed_fallback(async || RequestFailure::method_not_allowed())
        .layer(layer_fn(move |route| layers::around(route, cors.clone(), Arc::clone(&of_layers))))
        .with_state(api)
}
