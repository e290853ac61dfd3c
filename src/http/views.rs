//! `POST /views`: a page reports a view of a post with `navigator.sendBeacon`. The rule: the answer reveals neither whether the post exists nor whether the
//! view counts, and does not wait for the storage.

use std::sync::Arc;

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, Response, StatusCode, header},
    response::IntoResponse,
    routing::post,
};
use serde::Deserialize;
use tokio::time::timeout;

use super::{answer::RequestFailure, api::Api, connection::Connection, cors::is_own, settings::HttpSettings};
use crate::graphql::error::Code;
use crate::model::{NodeId, Slug};
use crate::views::ViewedPost;

/// Enough for the longest slug in JSON with escapes.
const BODY_BYTES_MAX: usize = 2 * 1024;

pub(super) fn routes(settings: &HttpSettings) -> Router<Arc<Api>> {
    match settings.views {
        Some(_) => Router::new().route("/views", post(answer)),
        None => Router::new(),
    }
}

async fn answer(State(api): State<Arc<Api>>, request: Request) -> Response<Body> {
    match note(&api, request).await {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(refused) => refused.into_response(),
    }
}

async fn note(api: &Api, request: Request) -> Result<(), RequestFailure> {
    let (head, body) = request.into_parts();
    let Some(views) = &api.settings.views else { return Err(RequestFailure::not_found()) };
    check_origin(api, &head.headers)?;
    let is_text = is_text(&head.headers)?;
    let limit = api.settings.limits.body_time;
    let Ok(received) = timeout(limit, to_bytes(body, BODY_BYTES_MAX)).await else {
        let message = format!("The body did not arrive within {limit:?}.");
        return Err(RequestFailure::new(StatusCode::REQUEST_TIMEOUT, Code::RequestTimeout, message));
    };
    let body = received.map_err(|_| {
        let message = format!("The body has more than {BODY_BYTES_MAX} bytes, which is the limit, or ended too early.");
        RequestFailure::new(StatusCode::PAYLOAD_TOO_LARGE, Code::PayloadTooLarge, message)
    })?;
    let post = viewed(&body, is_text).ok_or_else(|| {
        RequestFailure::bad_request("The body must be a post's slug as text, or {\"slug\": …} or {\"id\": …}.")
    })?;
    let agent = head.headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let client = api.client(&head.headers, &Connection::of(&head.extensions));
    views.note(post, (client, api.settings.client_address_header.is_some()), agent).map_err(|_| {
        let message = "This address reports more views than the server takes. Report others later.";
        RequestFailure::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManyRequests, message)
    })
}

/// Browsers send a beacon with a text without a CORS preflight, so any site could report views.
fn check_origin(api: &Api, headers: &HeaderMap) -> Result<(), RequestFailure> {
    // Behind a proxy, the `Host` of the request can differ from the host in the page's URL.
    let is_same = headers.get("sec-fetch-site").is_some_and(|site| site == "same-origin");
    let is_allowed = |origin| is_same || api.settings.cors.allow(origin) || is_own(origin, headers);
    match headers.get(header::ORIGIN) {
        Some(origin) if !is_allowed(origin) => {
            let message = "Pages of this origin may not report views.";
            Err(RequestFailure::new(StatusCode::FORBIDDEN, Code::Forbidden, message))
        }
        _ => Ok(()),
    }
}

/// Whether the body is text, which a beacon sends without a preflight, and not JSON.
fn is_text(headers: &HeaderMap) -> Result<bool, RequestFailure> {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media = content_type.split(';').next().unwrap_or_default().trim();
    match media.to_ascii_lowercase().as_str() {
        "text/plain" => Ok(true),
        "application/json" => Ok(false),
        _ => {
            let message = "The header `Content-Type` must be `text/plain` or `application/json`.";
            Err(RequestFailure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, Code::UnsupportedMediaType, message))
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Named {
    Slug(String),
    Id(String),
}

fn viewed(body: &[u8], is_text: bool) -> Option<ViewedPost> {
    let text = std::str::from_utf8(body).ok()?.trim();
    let named = match is_text && !text.starts_with('{') {
        true => Named::Slug(text.to_owned()),
        false => serde_json::from_str(text).ok()?,
    };
    match named {
        Named::Slug(slug) => Slug::from_address(&slug).map(ViewedPost::Slug),
        Named::Id(id) => match id.parse() {
            Ok(NodeId::Post(id)) => Some(ViewedPost::Id(id)),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_is_named_by_its_slug_or_its_id() {
        let slug = ViewedPost::Slug("a-post".parse().expect("a slug"));
        let id = ViewedPost::Id("0123456789ab".parse().expect("an id"));
        for (body, is_text, expected) in [
            ("a-post", true, Some(&slug)),
            (" a-post\n", true, Some(&slug)),
            ("{\"slug\": \"a-post\"}", true, Some(&slug)),
            ("{\"slug\":\"a-post\"}", false, Some(&slug)),
            ("{\"id\":\"post-0123456789ab\"}", false, Some(&id)),
            ("{\"id\":\"page-0123456789ab\"}", false, None),
            ("{\"id\":\"0123456789ab\"}", false, None),
            ("a-post", false, None),
            ("\"a-post\"", false, None),
            ("{}", false, None),
            ("{\"slug\":\"a\",\"id\":\"b\"}", false, None),
            ("", true, None),
            ("/", true, None),
        ] {
            assert_eq!(viewed(body.as_bytes(), is_text).as_ref(), expected, "{body}");
        }
        assert_eq!(viewed(b"\xff", true), None);
    }
}
