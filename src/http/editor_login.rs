//! Signing in to the editor at the provider: `/editor/sign-in` sends the browser there, and `/editor/sign-in/callback` receives the code, and begins a session
//! with the ID token, for as long as that is valid; `/editor/sign-in/leave` sends it to the provider's logout. The rule: the state in between is in a cookie of
//! ten minutes that no script can read. It is `Lax`, because the provider's page sends the browser back; the cookie of the session stays `Strict`.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Response, Uri, header};
use axum::response::{IntoResponse, Redirect};
use axum::routing::get;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64_URL;
use tokio::time::timeout;
use url::form_urlencoded::parse;

use super::answer::RequestFailure;
use super::api::Api;
use super::editor::{check_token, cookie, fits_cookie, secure, with_cookie, with_session};
use super::settings::HttpSettings;
use crate::graphql::error::{Code, code_of};
use crate::oidc::{LoginError, Pending, Provider};

const CALLBACK: &str = "/editor/sign-in/callback";
const LEAVE: &str = "/editor/sign-in/leave";
const PENDING_SECONDS: u32 = 10 * 60;
/// The time limit for all requests to the provider, so that the page can report an error before the browser's request ends.
const ENDED_WITHIN: Duration = Duration::from_secs(20);
/// The maximum length of the address in the editor to return to.
const PLACE_BYTES_MAX: usize = 1_000;

/// The routes, if sign-in at a provider is configured.
pub(super) fn routes(settings: &HttpSettings) -> Router<Arc<Api>> {
    match settings.editor && settings.login.is_some() {
        true => Router::new().route("/editor/sign-in", get(begin)).route(CALLBACK, get(end)).route(LEAVE, get(leave)),
        false => Router::new(),
    }
}

async fn begin(State(api): State<Arc<Api>>, headers: HeaderMap, uri: Uri) -> Response<Body> {
    let query = uri.query().unwrap_or_default();
    let to = parse(query.as_bytes()).find(|(name, _)| name == "to").map(|(_, to)| to.into_owned());
    let to = to.filter(|to| is_place(to)).unwrap_or_else(|| "/editor".to_owned());
    let (provider, redirect_uri) = match (provider(&api), own_address(&api, &headers, CALLBACK)) {
        (Ok(provider), Some(redirect_uri)) => (provider, redirect_uri),
        (Err(refused), _) => return refused.into_response(),
        (_, None) => return RequestFailure::bad_request("The request has no header `Host`.").into_response(),
    };
    match provider.begin_login(&redirect_uri).await {
        Ok((url, pending)) => {
            let kept = format!("{pending}.{}", BASE64_URL.encode(to));
            with_pending(Redirect::to(url.as_str()).into_response(), &api, &headers, &kept, PENDING_SECONDS)
        }
        Err(error) => failed(&to, &error),
    }
}

async fn end(State(api): State<Arc<Api>>, request: Request) -> Response<Body> {
    let (head, _) = request.into_parts();
    let headers = &head.headers;
    let kept = cookie(headers, pending_name(&api, headers)).and_then(|kept| kept.rsplit_once('.'));
    let to = kept.and_then(|(_, to)| String::from_utf8(BASE64_URL.decode(to).ok()?).ok()).filter(|to| is_place(to));
    let to = to.unwrap_or_else(|| "/editor".to_owned());
    let provider = match provider(&api) {
        Ok(provider) => provider,
        Err(refused) => return refused.into_response(),
    };
    let share = api.share_of(headers, &head.extensions);
    let ended = async {
        let pending: Pending = kept.ok_or(LoginError::Expired)?.0.parse()?;
        let place = share.client.map(|client| api.logins_of_clients.take(client).ok_or(LoginError::TooMany));
        let _place = place.transpose()?;
        let redirect_uri = own_address(&api, headers, CALLBACK).ok_or(LoginError::Expired)?;
        let ending = provider.end_login(&pending, head.uri.query().unwrap_or_default(), &redirect_uri);
        timeout(ENDED_WITHIN, ending).await?
    };
    let mut response = match ended.await {
        Err(error) => failed(&to, &error),
        Ok(token) if !fits_cookie(&token.text) => to_page(&to, "long"),
        Ok(token) => match check_token(&api, &share, &token.text).await {
            Err(error) => {
                tracing::warn!(error = error.message, "editor.sign_in_failed");
                to_page(&to, if code_of(&error) == Some(Code::Unavailable.as_str()) { "failed" } else { "role" })
            }
            Ok(()) => with_session(Redirect::to(&to).into_response(), &api, headers, &token.text, token.seconds),
        },
    };
    response.extensions_mut().insert(share.charge);
    with_pending(response, &api, headers, "", 0)
}

/// It changes nothing here: without an ID token, the provider asks the person whether to end the session.
async fn leave(State(api): State<Arc<Api>>, headers: HeaderMap) -> Response<Body> {
    let editor = Redirect::to("/editor");
    let (Ok(provider), Some(back)) = (provider(&api), own_address(&api, &headers, "/editor")) else {
        return editor.into_response();
    };
    match provider.logout(&back).await {
        Ok(url) => url.map_or(editor, |url| Redirect::to(url.as_str())).into_response(),
        Err(error) => failed("/editor", &error),
    }
}

fn provider(api: &Api) -> Result<&Provider, RequestFailure> {
    api.settings.login.as_deref().ok_or_else(RequestFailure::not_found)
}

/// The address of a path of the editor, which the provider compares with the registered ones.
fn own_address(api: &Api, headers: &HeaderMap, path: &str) -> Option<String> {
    if let Some(url) = &api.settings.public_url {
        return Some(url.join(path));
    }
    let scheme = if secure(api, headers).is_empty() { "http" } else { "https" };
    Some(format!("{scheme}://{}{path}", headers.get(header::HOST)?.to_str().ok()?))
}

/// Whether it is an address within the editor.
fn is_place(to: &str) -> bool {
    let rest = to.strip_prefix("/editor");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
        && !to.starts_with("/editor/sign-in")
        && !to.contains("/.")
        && !to.to_ascii_lowercase().contains("/%2e")
        && to.len() <= PLACE_BYTES_MAX
        && to.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"#<>\\^`{|}".contains(&byte))
}

/// Browsers accept a cookie with this prefix only from this host over `https`, so nobody else can set it.
fn pending_name(api: &Api, headers: &HeaderMap) -> &'static str {
    if secure(api, headers).is_empty() { "tidings_sign_in" } else { "__Host-tidings_sign_in" }
}

fn with_pending(response: Response<Body>, api: &Api, headers: &HeaderMap, kept: &str, age: u32) -> Response<Body> {
    let (name, secure) = (pending_name(api, headers), secure(api, headers));
    with_cookie(response, &format!("{name}={kept}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax{secure}"))
}

fn failed(to: &str, error: &LoginError) -> Response<Body> {
    let reason = match error {
        LoginError::Expired => "expired",
        LoginError::Refused(_) => "refused",
        LoginError::TooMany => "many",
        LoginError::Token(_)
        | LoginError::Provider(_)
        | LoginError::NotReached
        | LoginError::Busy(_)
        | LoginError::Random(_) => "failed",
    };
    let cause = std::error::Error::source(error).map(ToString::to_string);
    match reason {
        // Only the operator can fix this, so it is logged as a warning.
        "failed" => tracing::warn!(%error, cause, "editor.sign_in_failed"),
        _ => tracing::debug!(%error, "editor.sign_in_failed"),
    }
    to_page(to, reason)
}

/// The page has a text for each reason.
fn to_page(to: &str, reason: &str) -> Response<Body> {
    let mut response = Redirect::to(&format!("{to}#sign-in={reason}")).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
