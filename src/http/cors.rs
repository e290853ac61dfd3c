//! Cross-origin requests from browsers. The rule: the CORS protocol of the Fetch Standard; an origin that is not configured gets no CORS headers.
//!
//! Credentials are not allowed, because there are none: a token is sent in `Authorization`, which a page sets itself, and never in a cookie.

use std::{str::FromStr, time::Duration};

use axum::http::{HeaderName, HeaderValue, Method, Uri, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::{cost_header, request_id, timing};

/// How long browsers cache the answer to a preflight; Chromium's maximum.
const PREFLIGHT_AGE: Duration = Duration::from_secs(2 * 60 * 60);

/// Trace Context (W3C): a page that traces its requests sends them.
const TRACE_HEADERS: [HeaderName; 2] = [HeaderName::from_static("traceparent"), HeaderName::from_static("tracestate")];

/// What a page needs to know to come back when it may.
const LIMIT_HEADERS: [HeaderName; 3] =
    [header::RETRY_AFTER, HeaderName::from_static("ratelimit"), HeaderName::from_static("ratelimit-policy")];

/// The origins whose pages may send requests; by default only the server's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedOrigins(Vec<AllowedOrigin>);

impl AllowedOrigins {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `None` if there is no other origin to allow.
    pub(super) fn layer(&self) -> Option<CorsLayer> {
        if self.is_empty() {
            return None;
        }
        let headers = [
            header::ACCEPT,
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            cost_header::COST,
            cost_header::EXPLAIN,
            request_id::HEADER,
        ];
        let layer = CorsLayer::new()
            .allow_origin(self.allow())
            .allow_methods([Method::GET, Method::HEAD, Method::POST])
            .allow_headers(headers.into_iter().chain(TRACE_HEADERS).collect::<Vec<_>>())
            .expose_headers([request_id::HEADER, timing::HEADER].into_iter().chain(LIMIT_HEADERS).collect::<Vec<_>>())
            .max_age(PREFLIGHT_AGE);
        Some(layer)
    }

    fn allow(&self) -> AllowOrigin {
        if self.0.contains(&AllowedOrigin::Any) {
            return AllowOrigin::any();
        }
        AllowOrigin::list(self.0.iter().filter_map(|origin| match origin {
            AllowedOrigin::Any => None,
            AllowedOrigin::One(origin) => Some(origin.clone()),
        }))
    }
}

impl FromIterator<AllowedOrigin> for AllowedOrigins {
    fn from_iter<I: IntoIterator<Item = AllowedOrigin>>(origins: I) -> Self {
        Self(origins.into_iter().collect())
    }
}

/// One origin as a browser writes it in `Origin`, or `*` for all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedOrigin {
    Any,
    One(HeaderValue),
}

/// The text is not an origin; the message shows the accepted form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not an origin; write one as a browser does, such as https://blog.example or http://localhost:5173, without a path and \
         without the default port of the scheme; or * for all"
)]
pub struct BadOrigin(String);

impl FromStr for AllowedOrigin {
    type Err = BadOrigin;

    /// Origins are compared byte by byte, so forms that a browser never sends are refused: a path, a slash at the end, a default port, capitals.
    fn from_str(text: &str) -> Result<Self, BadOrigin> {
        if text == "*" {
            return Ok(Self::Any);
        }
        let refused = || BadOrigin(text.to_owned());
        let uri: Uri = text.parse().map_err(|_| refused())?;
        let (scheme, authority) = uri.scheme_str().zip(uri.authority()).ok_or_else(refused)?;
        let default_port = match scheme {
            "http" => 80,
            "https" => 443,
            _ => return Err(refused()),
        };
        let is_written_so = text == format!("{scheme}://{authority}") && !text.contains(['@', '*']);
        if !is_written_so || text != text.to_ascii_lowercase() || authority.port_u16() == Some(default_port) {
            return Err(refused());
        }
        HeaderValue::from_str(text).map(Self::One).map_err(|_| refused())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_written_as_a_browser_sends_it() {
        for text in ["https://blog.example", "http://localhost:5173", "http://127.0.0.1:3000", "http://[::1]:3000", "*"]
        {
            assert!(text.parse::<AllowedOrigin>().is_ok(), "{text}");
        }
        let refused = [
            "",
            "blog.example",
            "https://blog.example/",
            "https://blog.example/path",
            "https://Blog.example",
            "https://blog.example:443",
            "http://localhost:80",
            "https://*.example",
            "https://me@blog.example",
            "ftp://blog.example",
            "null",
            "https://",
        ];
        for text in refused {
            let error = text.parse::<AllowedOrigin>().expect_err(text);
            assert!(error.to_string().contains("such as https://blog.example"), "{error}");
        }
    }
}
