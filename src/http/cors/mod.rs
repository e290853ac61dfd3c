//! Cross-origin requests from browsers. The rule: the CORS protocol of the Fetch Standard. An origin that is not configured gets no CORS
//! headers, and the log names once the setting that would allow it.
//!
//! Credentials are not allowed: a page sends its token in `Authorization`, and the cookie of the editor is only for the editor's own origin
//! (`editor`). So a page of an allowed origin may send any headers that its libraries add.

mod origin;
mod refused;

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, Method, header, request::Parts};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use super::{
    request_headers::{COST, EXPLAIN, POSITION, TAGS},
    request_id,
};
pub use origin::{AllowedOrigin, BadOrigin};
pub(super) use refused::{RefusedOrigins, is_own};

/// How long browsers cache the answer to a preflight: the maximum of Chromium.
const PREFLIGHT_AGE: Duration = Duration::from_secs(2 * 60 * 60);

/// The headers of Trace Context (W3C), which a page sends if it traces its requests.
const TRACE_HEADERS: [HeaderName; 2] = [HeaderName::from_static("traceparent"), HeaderName::from_static("tracestate")];

/// The headers that inform a limited client when to retry.
const LIMIT_HEADERS: [HeaderName; 3] =
    [header::RETRY_AFTER, HeaderName::from_static("ratelimit"), HeaderName::from_static("ratelimit-policy")];

/// The origins whose pages may send requests. By default only the server's own origin may.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedOrigins {
    origins: Arc<[AllowedOrigin]>,
    headers: Vec<HeaderName>,
}

impl AllowedOrigins {
    pub fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    /// Sets the headers that pages may send in addition to those that Tidings reads; if there are none, all headers are allowed.
    #[must_use]
    pub fn with_headers(self, headers: Vec<HeaderName>) -> Self {
        Self { headers, ..self }
    }

    pub(super) fn allow(&self, origin: &HeaderValue) -> bool {
        self.origins.iter().any(|allowed| allowed.matches(origin))
    }

    /// `None` if no other origin is allowed.
    pub(super) fn layer(&self) -> Option<CorsLayer> {
        if self.is_empty() {
            return None;
        }
        let layer = CorsLayer::new()
            .allow_origin(self.origins())
            .allow_methods([Method::GET, Method::HEAD, Method::POST])
            .allow_headers(self.headers())
            .expose_headers([request_id::HEADER, POSITION].into_iter().chain(LIMIT_HEADERS).collect::<Vec<_>>())
            .max_age(PREFLIGHT_AGE);
        Some(layer)
    }

    fn origins(&self) -> AllowOrigin {
        if self.origins.contains(&AllowedOrigin::Any) {
            return AllowOrigin::any();
        }
        let allowed = self.clone();
        AllowOrigin::predicate(move |origin: &HeaderValue, _: &Parts| allowed.allow(origin))
    }

    fn headers(&self) -> AllowHeaders {
        if self.headers.is_empty() {
            return AllowHeaders::mirror_request();
        }
        let own = [
            header::ACCEPT,
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            COST,
            EXPLAIN,
            TAGS,
            POSITION,
            request_id::HEADER,
        ];
        AllowHeaders::list(own.into_iter().chain(TRACE_HEADERS).chain(self.headers.iter().cloned()))
    }
}

impl FromIterator<AllowedOrigin> for AllowedOrigins {
    fn from_iter<I: IntoIterator<Item = AllowedOrigin>>(origins: I) -> Self {
        Self { origins: origins.into_iter().collect(), headers: Vec::new() }
    }
}
