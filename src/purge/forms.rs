//! The purge requests of each CDN. The rule: the tags of one request are within the limits of the CDN, and its token is never shown.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use reqwest::header::HeaderValue;
use reqwest::{Client, Method, RequestBuilder, StatusCode, Url, redirect};

use crate::content::Tag;

const CONNECT_TIME: Duration = Duration::from_secs(5);
const SEND_TIME: Duration = Duration::from_secs(10);

/// The CDN, which determines the headers and requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CdnKind {
    /// `Surrogate-Key`, and a POST with the same header.
    Fastly,
    /// `Cache-Tag`, and a POST with JSON.
    Cloudflare,
    /// `xkey`, and a request `PURGE` with `xkey-purge`, the usual configuration of Varnish's module `xkey`.
    Varnish,
}

impl CdnKind {
    /// The header of an answer with its tags, and their separator.
    pub const fn tag_header(self) -> (&'static str, &'static str) {
        match self {
            Self::Fastly => ("surrogate-key", " "),
            Self::Cloudflare => ("cache-tag", ","),
            Self::Varnish => ("xkey", " "),
        }
    }

    /// The maximum number of tags in one request: documented limits of Fastly and Cloudflare, and 3 KB of a header for Varnish.
    const fn batch_max(self) -> usize {
        match self {
            Self::Fastly | Self::Varnish => 256,
            Self::Cloudflare => 100,
        }
    }
}

impl FromStr for CdnKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "fastly" => Ok(Self::Fastly),
            "cloudflare" => Ok(Self::Cloudflare),
            "varnish" => Ok(Self::Varnish),
            _ => Err(format!("{text:?} is neither fastly nor cloudflare nor varnish")),
        }
    }
}

/// The address for purges. It contains no secret, so that the settings can be shown.
#[derive(Clone)]
pub struct PurgeUrl(Url);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "this is not an http address without a user, a password and a query; write one such as https://api.fastly.com/service/ID/purge, and a secret in cdn.purge_token"
)]
pub struct BadPurgeUrl;

impl FromStr for PurgeUrl {
    type Err = BadPurgeUrl;

    fn from_str(text: &str) -> Result<Self, BadPurgeUrl> {
        let url: Url = text.parse().map_err(|_| BadPurgeUrl)?;
        let is_http = matches!(url.scheme(), "http" | "https");
        let is_open = url.username().is_empty() && url.password().is_none();
        let has_more = url.query().is_some() || url.fragment().is_some();
        if is_http && is_open && !has_more { Ok(Self(url)) } else { Err(BadPurgeUrl) }
    }
}

/// The secret of the purges.
#[derive(Clone)]
pub struct PurgeToken(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it has a space, or a character that is not ASCII, and cannot be sent in a header")]
pub struct BadPurgeToken;

impl FromStr for PurgeToken {
    type Err = BadPurgeToken;

    fn from_str(text: &str) -> Result<Self, BadPurgeToken> {
        let can_be_sent = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        if can_be_sent { Ok(Self(text.to_owned())) } else { Err(BadPurgeToken) }
    }
}

impl PurgeToken {
    fn to_header(&self, scheme: &str) -> HeaderValue {
        let mut value = HeaderValue::try_from(format!("{scheme}{}", self.0)).expect("it was checked");
        value.set_sensitive(true);
        value
    }
}

#[derive(Clone)]
pub struct PurgeSettings {
    pub kind: CdnKind,
    pub url: PurgeUrl,
    pub token: Option<PurgeToken>,
}

impl fmt::Debug for PurgeSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PurgeSettings").field("kind", &self.kind).finish_non_exhaustive()
    }
}

#[derive(Debug, thiserror::Error)]
pub(super) enum PurgeError {
    #[error("the CDN was not reached: {0}")]
    Http(String),
    #[error("the CDN answered {0}")]
    Refused(StatusCode),
}

pub(super) struct Sender {
    settings: PurgeSettings,
    client: Client,
}

impl Sender {
    pub(super) fn new(settings: &PurgeSettings) -> Result<Self, reqwest::Error> {
        let client = Client::builder()
            .connect_timeout(CONNECT_TIME)
            .timeout(SEND_TIME)
            // The token is only sent to the configured address.
            .redirect(redirect::Policy::none())
            .build()?;
        Ok(Self { settings: settings.clone(), client })
    }

    pub(super) fn batch_max(&self) -> usize {
        self.settings.kind.batch_max()
    }

    pub(super) async fn send(&self, tags: &BTreeSet<Tag>) -> Result<(), PurgeError> {
        let sent = self.request(tags).send().await;
        let answer = sent.map_err(|error| PurgeError::Http(error.without_url().to_string()))?;
        if answer.status().is_success() { Ok(()) } else { Err(PurgeError::Refused(answer.status())) }
    }

    fn request(&self, tags: &BTreeSet<Tag>) -> RequestBuilder {
        let PurgeSettings { kind, url: PurgeUrl(url), token } = &self.settings;
        let texts: Vec<String> = tags.iter().map(Tag::to_string).collect();
        let (url, joined) = (url.clone(), texts.join(" "));
        let request = match kind {
            CdnKind::Fastly => self.client.post(url).header("surrogate-key", joined),
            CdnKind::Cloudflare => {
                let body = serde_json::json!({ "tags": texts }).to_string();
                self.client.post(url).header("content-type", "application/json").body(body)
            }
            CdnKind::Varnish => {
                let purge = Method::from_bytes(b"PURGE").expect("letters are a method");
                self.client.request(purge, url).header("xkey-purge", joined)
            }
        };
        let (name, scheme) = match kind {
            CdnKind::Fastly => ("fastly-key", ""),
            CdnKind::Cloudflare | CdnKind::Varnish => ("authorization", "Bearer "),
        };
        token.iter().fold(request, |request, token| request.header(name, token.to_header(scheme)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_with_a_secret_and_a_token_that_cannot_be_sent_are_refused() {
        for good in ["https://api.fastly.com/service/ID/purge", "http://varnish:6081"] {
            assert!(good.parse::<PurgeUrl>().is_ok(), "{good}");
        }
        for bad in
            ["", "varnish", "ftp://a/b", "https://user@a/b", "https://:pass@a/b", "https://a/b?key=1", "https://a/#b"]
        {
            assert!(bad.parse::<PurgeUrl>().is_err(), "{bad}");
        }
        assert!("Abc-1_2.3~+/=".parse::<PurgeToken>().is_ok());
        for bad in ["", "a b", "a\n", "é"] {
            assert!(bad.parse::<PurgeToken>().is_err(), "{bad:?}");
        }
        let token = "secret".parse::<PurgeToken>().expect("a token");
        let url = "https://cdn.example/purge".parse().expect("an address");
        let settings = PurgeSettings { kind: CdnKind::Fastly, url, token: Some(token.clone()) };
        assert_eq!(format!("{settings:?}{:?}", token.to_header("")), "PurgeSettings { kind: Fastly, .. }Sensitive");
    }
}
