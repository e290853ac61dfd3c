//! An allowed origin. The rule: it is written as a browser writes it in `Origin`, and compared byte by byte; a `*` matches a part of one
//! label of the host, never a dot.

use std::str::FromStr;

use axum::http::HeaderValue;
use url::{Position, Url};

/// Browsers never send origins of these schemes: their pages have the origin `null`.
const WITHOUT_ORIGINS: [&str; 8] = ["about", "blob", "data", "file", "ftp", "javascript", "ws", "wss"];

/// One origin, the origins that match a pattern with `*` in one label, or any origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedOrigin {
    Any,
    One(HeaderValue),
    /// The host has any label between these two texts.
    OneLabel(String, String),
}

/// The text is not an origin; the message shows the accepted form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not an origin; write one as a browser does, such as https://blog.example, http://localhost:5173 or capacitor://localhost, without a path and \
     without the default port of the scheme; or with one * in the first label, as https://*.blog.example; or * for all"
)]
pub struct BadOrigin(String);

impl AllowedOrigin {
    pub(super) fn matches(&self, origin: &HeaderValue) -> bool {
        match self {
            Self::Any => true,
            Self::One(allowed) => allowed == origin,
            Self::OneLabel(before, after) => {
                let rest = origin.to_str().ok().and_then(|origin| origin.strip_prefix(before)?.strip_suffix(after));
                rest.is_some_and(is_label)
            }
        }
    }
}

fn is_label(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
}

impl FromStr for AllowedOrigin {
    type Err = BadOrigin;

    /// Forms that a browser never sends are refused: a path, a slash at the end, a default port, capitals.
    fn from_str(text: &str) -> Result<Self, BadOrigin> {
        if text == "*" {
            return Ok(Self::Any);
        }
        let refused = || BadOrigin(text.to_owned());
        let Some((before, after)) = text.split_once('*') else {
            let is_one = HeaderValue::from_str(text).ok().filter(|_| is_origin(text));
            return is_one.map(Self::One).ok_or_else(refused);
        };
        let (_, host) = before.split_once("://").ok_or_else(refused)?;
        let (_, domain) = after.split_once('.').ok_or_else(refused)?;
        // An operator never owns all hosts of a top-level domain.
        let is_of_operator = domain.contains('.') || domain.split(':').next() == Some("localhost");
        let is_in_first_label = !host.contains('.') && !after.contains('*');
        if is_of_operator && is_in_first_label && is_origin(&format!("{before}x{after}")) {
            return Ok(Self::OneLabel(before.to_owned(), after.to_owned()));
        }
        Err(refused())
    }
}

/// Whether this is a scheme, a host and a port in the form in which a browser serializes them. The scheme may be that of an app, such as
/// `capacitor` and `tauri`, or of a browser extension.
fn is_origin(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else { return false };
    let is_http = matches!(url.scheme(), "http" | "https");
    url.has_host()
        && (is_http || !WITHOUT_ORIGINS.contains(&url.scheme()))
        && !text.contains(['@', '*'])
        && url[..Position::BeforePath] == *text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_written_as_a_browser_sends_it() {
        for text in [
            "https://blog.example",
            "http://localhost:5173",
            "http://127.0.0.1:3000",
            "http://[::1]:3000",
            "capacitor://localhost",
            "tauri://localhost",
            "ionic://localhost",
            "app://-",
            "chrome-extension://abcdefghijklmnop",
            "https://*.vercel.app",
            "https://blog-*.vercel.app",
            "https://*-team.pages.example.dev:8443",
            "http://*.localhost:3000",
            "*",
        ] {
            assert!(text.parse::<AllowedOrigin>().is_ok(), "{text}");
        }
        let refused = [
            "",
            "blog.example",
            "https://blog.example/",
            "https://blog.example/path",
            "https://blog.example?x",
            "https://Blog.example",
            "https://blog.example:443",
            "http://localhost:80",
            "https://*.example",
            "https://*",
            "https://*.*.vercel.app",
            "https://preview.*.vercel.app",
            "https://**.vercel.app",
            "*.vercel.app",
            "*://vercel.app",
            "https://me@blog.example",
            "ftp://blog.example",
            "file://blog",
            "wss://blog.example",
            "capacitor://localhost/",
            "Capacitor://localhost",
            "capacitor://",
            "://localhost",
            "null",
            "https://",
        ];
        for text in refused {
            let error = text.parse::<AllowedOrigin>().expect_err(text);
            assert!(error.to_string().contains("such as https://blog.example"), "{error}");
        }
    }

    #[test]
    fn a_star_stands_for_a_part_of_one_label() {
        let matches = |allowed: &str, origin: &'static str| {
            allowed.parse::<AllowedOrigin>().expect(allowed).matches(&HeaderValue::from_static(origin))
        };
        for origin in ["https://a.vercel.app", "https://a-b-1.vercel.app"] {
            assert!(matches("https://*.vercel.app", origin), "{origin}");
        }
        for origin in [
            "https://vercel.app",
            "https://.vercel.app",
            "https://a.b.vercel.app",
            "https://a.vercel.app:8443",
            "http://a.vercel.app",
            "https://a.vercel.app.evil.example",
            "https://evil.example#.vercel.app",
            "https://evil.example/.vercel.app",
            "https://A.vercel.app",
            "null",
        ] {
            assert!(!matches("https://*.vercel.app", origin), "{origin}");
        }
        assert!(matches("https://blog-*.vercel.app", "https://blog-x.vercel.app"));
        assert!(!matches("https://blog-*.vercel.app", "https://other-x.vercel.app"));
        assert!(!matches("https://blog-*.vercel.app", "https://blog-.vercel.app"));
    }
}
