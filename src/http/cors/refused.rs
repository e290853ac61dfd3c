//! Logs origins that are not allowed, because a browser shows only its user that a request failed. The rule: one line for each origin, and
//! for a bounded number of origins, because clients choose the value of `Origin`.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};

use super::AllowedOrigin;

/// The maximum number of origins that are logged.
const LOGGED_MAX: usize = 100;
/// Longer values are not logged. An origin is a scheme, a host and a port.
const ORIGIN_BYTES_MAX: usize = 300;

/// Headers that a browser sets and no page can set ("Fetch Metadata Request Headers", W3C).
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

#[derive(Debug, Default)]
pub(crate) struct RefusedOrigins(Mutex<HashSet<HeaderValue>>);

impl RefusedOrigins {
    /// Logs an origin that is not allowed, so the browser shows the answer to no page.
    pub(crate) fn note(&self, origin: &HeaderValue, headers: &HeaderMap, uri: &Uri) {
        if !is_of_another_page(origin, headers, uri) || origin.len() > ORIGIN_BYTES_MAX {
            return;
        }
        // Only well-formed origins are logged, because a client can write any text there.
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

/// Whether a page that is not the server's own sent the request. Without the metadata of a browser, the origin is compared with the
/// requested host.
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
