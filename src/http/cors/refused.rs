//! Logs origins that are not allowed, because a browser shows only its user that a request failed. The rule: one line for each origin, and
//! for a bounded number of origins, because clients choose the value of `Origin`.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

use super::AllowedOrigin;

/// The maximum number of origins that are logged.
const LOGGED_MAX: usize = 100;
/// Longer values are not logged. An origin is a scheme, a host and a port.
const ORIGIN_BYTES_MAX: usize = 300;

/// A header that a browser sets and no page can set ("Fetch Metadata Request Headers", W3C).
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

#[derive(Debug, Default)]
pub(crate) struct RefusedOrigins(Mutex<HashSet<HeaderValue>>);

impl RefusedOrigins {
    /// Logs an origin that is not allowed, so the browser shows the answer to no page.
    pub(crate) fn note(&self, origin: &HeaderValue, headers: &HeaderMap) {
        if is_own(origin, headers) || headers.get(SITE).is_some_and(|site| site == "same-origin") {
            return;
        }
        // Only well-formed origins are logged, because a client can write any text there.
        let text = origin.to_str().ok().filter(|text| text.len() <= ORIGIN_BYTES_MAX);
        let Some(text) = text.filter(|text| text.parse::<AllowedOrigin>().is_ok()) else { return };
        let mut logged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if logged.len() < LOGGED_MAX && logged.insert(origin.clone()) {
            let setting = format!("--cors-origin {text}");
            tracing::warn!(origin = text, allow_with = setting, "http.origin_refused");
        }
    }
}

/// Whether a page of this server sends the request. The scheme may differ, because a proxy may terminate TLS.
pub(crate) fn is_own(origin: &HeaderValue, headers: &HeaderMap) -> bool {
    let host = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, host)| host.as_bytes());
    host.is_some() && host == headers.get(header::HOST).map(HeaderValue::as_bytes)
}
