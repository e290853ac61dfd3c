//! Pages of origins that are not allowed, for the operator: a browser tells only its user, and only that something failed. The rule: one line for each
//! origin, and for a bounded number of origins, because whoever sends a request writes its origin.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};

use super::AllowedOrigin;

/// The origins of which there is a line.
const LOGGED_MAX: usize = 100;
/// An origin is a scheme, a host and a port.
const ORIGIN_BYTES_MAX: usize = 300;

/// What a browser says of a request ("Fetch Metadata Request Headers", W3C), and no page can set.
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

#[derive(Debug, Default)]
pub(crate) struct RefusedOrigins(Mutex<HashSet<HeaderValue>>);

impl RefusedOrigins {
    /// `origin`: of a request whose answer the browser shows to no page, because the origin is not allowed.
    pub(crate) fn note(&self, origin: &HeaderValue, headers: &HeaderMap, uri: &Uri) {
        if !is_of_another_page(origin, headers, uri) || origin.len() > ORIGIN_BYTES_MAX {
            return;
        }
        // Whatever else a client writes there is not repeated.
        let Some(text) = origin.to_str().ok().filter(|text| text.parse::<AllowedOrigin>().is_ok()) else { return };
        let logged = {
            let mut logged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if logged.len() >= LOGGED_MAX || !logged.insert(origin.clone()) {
                return;
            }
            logged.len()
        };
        let setting = format!("--cors-origin {text}");
        tracing::warn!(origin = text, allow_with = setting, "http.origin_refused");
        if logged == LOGGED_MAX {
            tracing::warn!(origins = LOGGED_MAX, "http.further_origins_not_logged");
        }
    }
}

/// Whether the request is one of a page that is not the server's own: without the metadata of a browser, by the host that was asked for.
fn is_of_another_page(origin: &HeaderValue, headers: &HeaderMap, uri: &Uri) -> bool {
    if headers.get(MODE).is_some_and(|mode| mode != "cors") {
        return false;
    }
    if let Some(site) = headers.get(SITE) {
        return site != "same-origin" && site != "none";
    }
    let asked = headers.get(header::HOST).map(HeaderValue::as_bytes);
    let asked = asked.or_else(|| uri.authority().map(|authority| authority.as_str().as_bytes()));
    let own = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, host)| host.as_bytes());
    asked.is_none() || asked != own
}
