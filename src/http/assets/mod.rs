//! Pictures and files over HTTP: `POST /assets` adds one, `GET /assets/{name}` reads it. The rule: a picture is in memory only while it is decoded,
//! any other file never. Uploads go to an unnamed file, and downloads are sent in pieces.

mod range;
mod receive;
mod refusals;
mod serve;
mod upload;

use std::sync::Arc;
use std::time::Duration;

use axum::{
    Router,
    extract::Request,
    http::Method,
    routing::{get, post},
};

use super::api::Api;

const ADD: &str = "/assets";

pub(super) fn routes() -> Router<Arc<Api>> {
    Router::new().route(ADD, post(upload::answer)).route("/assets/{file}", get(serve::answer))
}

/// The time in which the uploaded file may arrive; zero for other requests.
pub(super) fn receive_time(api: &Api, request: &Request) -> Duration {
    let is_upload = request.method() == Method::POST && request.uri().path() == ADD;
    api.settings.assets.as_ref().filter(|_| is_upload).map_or(Duration::ZERO, |assets| assets.limits().file_time)
}
