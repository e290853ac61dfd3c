//! The session of the editor: `POST /editor/session` checks a token and keeps it in a cookie, `DELETE /editor/session` removes it. The rule: the cookie counts
//! only for a request with the header `X-Tidings-Editor` from a page of this server. Browsers let no page of another origin send such a header together with
//! cookies, because `cors` allows no credentials; for every other request, the cookie is ignored.

use std::sync::Arc;

use async_graphql::{Request as GraphqlRequest, ServerError};
use axum::{
    Json, Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header},
    response::IntoResponse,
    routing::get,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    answer::{RequestFailure, failed},
    api::{Api, Share},
    body,
    cors::is_own,
    execution,
    request_headers::has_bearer,
    settings::HttpSettings,
};
use crate::graphql::access::BearerToken;
use crate::graphql::error::Code;
use crate::graphql::fair_use::ClientAddress;

const HEADER: HeaderName = HeaderName::from_static("x-tidings-editor");
const COOKIE: &str = "tidings_editor";
/// The paths that read the cookie. Each has its own cookie, so that no other path of the host gets the token.
const PATHS: [&str; 2] = ["/graphql", "/assets"];
/// A session lasts a quarter of a year, unless the token is revoked.
const AGE_SECONDS: u32 = 90 * 24 * 60 * 60;
/// Browsers refuse a cookie of more than 4,096 bytes with its name and attributes.
const TOKEN_BYTES_MAX: usize = 3_900;

/// A header that a browser sets and no page can set ("Fetch Metadata Request Headers", W3C).
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// The scheme of the request at the proxy in front.
const SCHEME: HeaderName = HeaderName::from_static("x-forwarded-proto");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    token: String,
}

/// The route of the session, if the editor is enabled.
pub(super) fn routes(settings: &HttpSettings) -> Router<Arc<Api>> {
    match settings.editor {
        true => Router::new().route("/editor/session", get(offer).post(begin).delete(end)),
        false => Router::new(),
    }
}

/// Writes the token of the cookie into `Authorization`, where all routes read it. Without the cookie, the page's request is refused like one with an expired
/// token, so that the page never takes an anonymous answer for its own. A scheme other than `Bearer` belongs to a proxy.
pub(super) fn authorize(headers: &mut HeaderMap) {
    if !headers.contains_key(HEADER) || has_bearer(headers) || !is_of_own_page(headers) {
        return;
    }
    let token = cookie(headers, COOKIE).map(|token| format!("Bearer {token}"));
    let value = token.and_then(|value| HeaderValue::try_from(value).ok());
    headers.insert(header::AUTHORIZATION, value.unwrap_or(HeaderValue::from_static("Bearer")));
}

/// False if the browser reports that a page of another origin sends the request.
fn is_of_own_page(headers: &HeaderMap) -> bool {
    match (headers.get(SITE), headers.get(header::ORIGIN)) {
        (Some(site), _) => site == "same-origin",
        (None, Some(origin)) => is_own(origin, headers),
        (None, None) => true,
    }
}

/// The ways to begin a session other than a token: the host of a provider, or null.
async fn offer(State(api): State<Arc<Api>>) -> Json<Value> {
    let host = api.settings.login.as_ref().and_then(|provider| provider.host());
    Json(json!({ "provider": host }))
}

async fn begin(State(api): State<Arc<Api>>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let share = api.share_of(&head.headers, &head.extensions);
    let mut response = match check(&api, &head.headers, body, &share).await {
        Ok(token) => with_session(StatusCode::NO_CONTENT.into_response(), &api, &head.headers, &token, AGE_SECONDS),
        Err(refused) => refused,
    };
    response.extensions_mut().insert(share.charge);
    response
}

async fn end(State(api): State<Arc<Api>>, headers: HeaderMap) -> Response<Body> {
    match is_of_own_page(&headers) {
        true => with_session(StatusCode::NO_CONTENT.into_response(), &api, &headers, "", 0),
        false => of_another_origin().into_response(),
    }
}

/// Returns the token of the request, if it is valid.
async fn check(api: &Api, headers: &HeaderMap, body: Body, share: &Share) -> Result<String, Response<Body>> {
    let limits = &api.settings.limits;
    if !is_of_own_page(headers) {
        body::discard(headers, body, limits).await;
        return Err(of_another_origin().into_response());
    }
    let body = body::read(headers, body, limits, (&share.charge, &api.long_bodies)).await;
    let body = body.map_err(IntoResponse::into_response)?;
    let token = token_in(&body).map_err(IntoResponse::into_response)?;
    check_token(api, share, &token).await.map_err(failed)?;
    Ok(token)
}

/// Checks that the token is valid.
pub(super) async fn check_token(api: &Api, share: &Share, token: &str) -> Result<(), ServerError> {
    let request = share.client.into_iter().fold(GraphqlRequest::new(""), |of, client| of.data(ClientAddress(client)));
    execution::sign_in(api, request.data(BearerToken(token.to_owned()))).await.map(drop)
}

fn token_in(body: &[u8]) -> Result<String, RequestFailure> {
    let Ok(Sent { token }) = serde_json::from_slice(body) else {
        return Err(RequestFailure::malformed("The body must be `{\"token\": \"…\"}`."));
    };
    let token = token.trim();
    if !fits_cookie(token) {
        let message = format!(
            "This token does not fit in a cookie: it must be at most {TOKEN_BYTES_MAX} bytes of visible ASCII without `\"`, `,`, \
             `;` and `\\`. Use another one."
        );
        return Err(RequestFailure::bad_request(message));
    }
    Ok(token.to_owned())
}

/// RFC 6265, section 4.1.1.
pub(super) fn fits_cookie(token: &str) -> bool {
    let is_fit = |byte: u8| byte.is_ascii_graphic() && !b"\",;\\".contains(&byte);
    token.len() <= TOKEN_BYTES_MAX && token.bytes().all(is_fit)
}

fn of_another_origin() -> RequestFailure {
    let message = "Only a page of this server can begin or end a session of its editor.";
    RequestFailure::new(StatusCode::FORBIDDEN, Code::Forbidden, message)
}

/// Adds the cookies of the session. `HttpOnly` hides the token from scripts, `SameSite` from other sites' requests, and `Secure` from plain `http`.
pub(super) fn with_session(
    response: Response<Body>,
    api: &Api,
    headers: &HeaderMap,
    token: &str,
    age: u32,
) -> Response<Body> {
    let secure = secure(api, headers);
    PATHS.into_iter().fold(response, |response, path| {
        let cookie = format!("{COOKIE}={token}; Path={path}; Max-Age={age}; HttpOnly; SameSite=Strict{secure}");
        with_cookie(response, &cookie)
    })
}

pub(super) fn with_cookie(mut response: Response<Body>, cookie: &str) -> Response<Body> {
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The attribute `Secure` of a cookie, if the browser uses `https`.
pub(super) fn secure(api: &Api, headers: &HeaderMap) -> &'static str {
    let begins = |name: &HeaderName, scheme: &str| {
        headers.get(name).is_some_and(|value| value.as_bytes().starts_with(scheme.as_bytes()))
    };
    let is_public_by_https = api.settings.public_url.as_ref().is_some_and(|url| url.as_str().starts_with("https:"));
    match is_public_by_https || begins(&SCHEME, "https") || begins(&header::ORIGIN, "https:") {
        true => "; Secure",
        false => "",
    }
}

/// The value of a cookie of the request.
pub(super) fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| value)
}
