//! How each CDN is purged. The rule: the tags of one request are within the limits of the CDN, and its token is never shown.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder, StatusCode, Url, redirect};

use crate::content::Tag;

const CONNECT_TIME: Duration = Duration::from_secs(5);
const SEND_TIME: Duration = Duration::from_secs(10);

/// Whose headers and requests are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CdnKind {
    /// `Surrogate-Key`, and a POST with the same header.
    Fastly,
    /// `Cache-Tag`, and a POST with JSON.
    Cloudflare,
    /// `xkey`, and a request `PURGE` with `xkey-purge`, as the module `xkey` of Varnish is mostly used.
    Varnish,
}

impl CdnKind {
    /// The header of an answer with its tags, and what separates them.
    pub const fn tag_header(self) -> (&'static str, &'static str) {
        match self {
            Self::Fastly => ("surrogate-key", " "),
            Self::Cloudflare => ("cache-tag", ","),
            Self::Varnish => ("xkey", " "),
        }
    }

    /// The most tags of one request: by the documentation of Fastly and Cloudflare; 3 KB of a header for Varnish.
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

/// Where purges are sent.
#[derive(Clone)]
pub struct PurgeUrl(Url);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "this is not an http address without a user and a password; write one such as https://api.fastly.com/service/ID/purge"
)]
pub struct BadPurgeUrl;

impl FromStr for PurgeUrl {
    type Err = BadPurgeUrl;

    fn from_str(text: &str) -> Result<Self, BadPurgeUrl> {
        let url: Url = text.parse().map_err(|_| BadPurgeUrl)?;
        let is_http = matches!(url.scheme(), "http" | "https");
        let is_open = url.username().is_empty() && url.password().is_none();
        if is_http && is_open { Ok(Self(url)) } else { Err(BadPurgeUrl) }
    }
}

#[derive(Clone)]
pub struct PurgeSettings {
    pub kind: CdnKind,
    pub url: PurgeUrl,
    pub token: Option<String>,
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
            // A token is sent to the configured address alone.
            .redirect(redirect::Policy::none())
            .build()?;
        Ok(Self { settings: settings.clone(), client })
    }

    pub(super) fn batch_max(&self) -> usize {
        self.settings.kind.batch_max()
    }

    pub(super) async fn send(&self, tags: &[Tag]) -> Result<(), PurgeError> {
        let sent = self.request(tags).send().await;
        // Without its address, which may have a secret in its query.
        let answer = sent.map_err(|error| PurgeError::Http(error.without_url().to_string()))?;
        if answer.status().is_success() { Ok(()) } else { Err(PurgeError::Refused(answer.status())) }
    }

    fn request(&self, tags: &[Tag]) -> RequestBuilder {
        let PurgeSettings { kind, url: PurgeUrl(url), token } = &self.settings;
        let texts: Vec<String> = tags.iter().map(Tag::to_string).collect();
        let (url, token) = (url.clone(), token.as_deref());
        match kind {
            CdnKind::Fastly => {
                let request = self.client.post(url).header("surrogate-key", texts.join(" "));
                token.into_iter().fold(request, |request, token| request.header("fastly-key", token))
            }
            CdnKind::Cloudflare => {
                let body = serde_json::json!({ "tags": texts }).to_string();
                let request = self.client.post(url).header("content-type", "application/json").body(body);
                token.into_iter().fold(request, RequestBuilder::bearer_auth)
            }
            CdnKind::Varnish => {
                let purge = Method::from_bytes(b"PURGE").expect("letters are a method");
                let request = self.client.request(purge, url).header("xkey-purge", texts.join(" "));
                token.into_iter().fold(request, RequestBuilder::bearer_auth)
            }
        }
    }
}
