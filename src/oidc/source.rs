//! The source of a provider's keys: a file, a URL, or the provider's discovery document. The rule: time and bytes are limited, and TLS is
//! required, except for addresses of this machine. No message shows the user, password or query of a URL.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder, Url, redirect};
use serde::Deserialize;

/// The maximum size; a key set has a few kilobytes.
const BYTES_MAX: usize = 256 << 10;
const CONNECT_TIME: Duration = Duration::from_secs(5);
const FETCH_TIME: Duration = Duration::from_secs(10);

/// The source of the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// A JSON Web Key Set on this machine.
    File(PathBuf),
    /// The URL of a JSON Web Key Set.
    Url(Url),
    /// The issuer, whose discovery document contains the URL ("OpenID Connect Discovery 1.0", section 4).
    Discovery(Url),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an accepted source of keys; write https://HOST/PATH, or the path of a file")]
pub struct BadKeySource(String);

/// Why the keys cannot be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error("the file {} cannot be read", .0.display())]
    File(PathBuf, #[source] std::io::Error),
    #[error("{0} did not answer")]
    Http(String, #[source] reqwest::Error),
    #[error("{0} has more than {BYTES_MAX} bytes")]
    TooLong(String),
    #[error("{0} is not a valid answer")]
    Malformed(String, #[source] Option<serde_json::Error>),
    #[error(transparent)]
    BadAddress(#[from] BadKeySource),
}

impl FromStr for KeySource {
    type Err = BadKeySource;

    fn from_str(text: &str) -> Result<Self, BadKeySource> {
        if text.contains("://") { Ok(Self::Url(address(text)?)) } else { Ok(Self::File(text.into())) }
    }
}

impl KeySource {
    /// # Errors
    /// If the issuer is not an https URL.
    pub fn discovery(issuer: &str) -> Result<Self, BadKeySource> {
        Ok(Self::Discovery(address(issuer)?))
    }

    /// Reads the current key set.
    pub(super) async fn fetch(&self) -> Result<Vec<u8>, FetchError> {
        match self {
            Self::File(path) => {
                let bytes = tokio::fs::read(path).await.map_err(|error| FetchError::File(path.clone(), error))?;
                if bytes.len() > BYTES_MAX { Err(FetchError::TooLong(path.display().to_string())) } else { Ok(bytes) }
            }
            Self::Url(url) => get(url.clone()).await,
            Self::Discovery(issuer) => get(address(&discovered(issuer.as_str()).await?.jwks_uri)?).await,
        }
    }
}

/// Requires TLS, so that nobody can inject other keys. An address of this machine does not need it.
fn address(text: &str) -> Result<Url, BadKeySource> {
    let bad = || BadKeySource(without_credentials(text).chars().take(200).collect());
    let url: Url = text.parse().map_err(|_| bad())?;
    let is_here = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
    let is_safe = url.scheme() == "https" || url.scheme() == "http" && is_here;
    if is_safe { Ok(url) } else { Err(bad()) }
}

/// The URL for the log, without its query, which may contain a key.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // Both calls fail only for URLs that cannot have a user.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    if url.query().is_some() {
        url.set_query(Some("…"));
    }
    url.into()
}

/// A text that may be a URL, without the part before an `@`.
fn without_credentials(text: &str) -> String {
    match (text.split_once("://"), text.rsplit_once('@')) {
        (Some((scheme, rest)), Some((_, host))) if rest.contains('@') => format!("{scheme}://{host}"),
        (None, Some((_, host))) => host.to_owned(),
        _ => text.to_owned(),
    }
}

/// The used fields of a provider's discovery document.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Document {
    issuer: String,
    jwks_uri: String,
    authorization_endpoint: Option<String>,
    token_endpoint: Option<String>,
    end_session_endpoint: Option<String>,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
}

impl Document {
    pub(super) fn authorization_endpoint(&self) -> Result<Url, FetchError> {
        Ok(address(self.authorization_endpoint.as_deref().unwrap_or_default())?)
    }

    pub(super) fn token_endpoint(&self) -> Result<Url, FetchError> {
        Ok(address(self.token_endpoint.as_deref().unwrap_or_default())?)
    }

    pub(super) fn end_session_endpoint(&self) -> Option<Url> {
        address(self.end_session_endpoint.as_deref()?).ok()
    }

    /// Whether the secret is sent in the form. Without information in the document, basic authentication is the default.
    pub(super) fn takes_secret_in_form(&self) -> bool {
        let takes = |method: &str| self.token_endpoint_auth_methods_supported.iter().any(|one| one == method);
        takes("client_secret_post") && !takes("client_secret_basic")
    }
}

impl FetchError {
    pub(super) fn malformed(url: &Url, error: serde_json::Error) -> Self {
        Self::Malformed(shown(url), Some(error))
    }
}

pub(super) async fn discovered(issuer: &str) -> Result<Document, FetchError> {
    let issuer = issuer.trim_end_matches('/');
    let url = address(&format!("{issuer}/.well-known/openid-configuration"))?;
    let bytes = get(url.clone()).await?;
    let document: Document = serde_json::from_slice(&bytes).map_err(|error| FetchError::malformed(&url, error))?;
    // Section 4.3: the document must name the same issuer.
    if document.issuer.trim_end_matches('/') != issuer {
        return Err(FetchError::Malformed(shown(&url), None));
    }
    Ok(document)
}

async fn get(url: Url) -> Result<Vec<u8>, FetchError> {
    request(Method::GET, url, |request| request).await
}

/// The body of an answer with the status 200.
pub(super) async fn request(
    method: Method,
    url: Url,
    with: impl FnOnce(RequestBuilder) -> RequestBuilder,
) -> Result<Vec<u8>, FetchError> {
    let failed = |error: reqwest::Error| FetchError::Http(shown(&url), error.without_url());
    // Redirects are not followed, because the operator has not named their targets.
    let client = Client::builder().connect_timeout(CONNECT_TIME).timeout(FETCH_TIME).redirect(redirect::Policy::none());
    let request = with(client.build().map_err(failed)?.request(method, url.clone()));
    let mut answer = request.send().await.map_err(failed)?;
    if answer.status() != reqwest::StatusCode::OK {
        return Err(FetchError::Malformed(format!("{} (status {})", shown(&url), answer.status()), None));
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(failed)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > BYTES_MAX {
            return Err(FetchError::TooLong(shown(&url)));
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn no_message_shows_a_user_a_password_or_a_query() {
        let refused = |text: &str| text.parse::<KeySource>().expect_err("not a source of keys").to_string();
        let mut messages = vec![
            refused("http://user:pass-word@id.example/keys"),
            refused("https://user:pass/word@"),
            refused("ftp://user:pass@word@id.example/keys"),
        ];
        // Nothing listens on a port that was just released.
        let closed = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let closed = closed.expect("an address");
        let with = |path: &str| format!("http://user:pass-word@{closed}{path}");
        let sources = [with("/keys?key=secret").parse(), KeySource::discovery(&with("/"))];
        for source in sources {
            let error = source.expect("an address of this machine").fetch().await.expect_err("nothing answers");
            let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
            messages.push(format!("{error}: {cause}"));
        }
        for message in messages {
            let hidden = ["user", "pass", "word", "secret"];
            assert!(hidden.iter().all(|word| !message.contains(word)), "{message}");
        }
    }

    #[test]
    fn keys_come_over_tls_or_from_this_machine() {
        assert_eq!("keys.json".parse(), Ok(KeySource::File("keys.json".into())));
        for good in
            ["https://id.example/keys", "http://127.0.0.1:8000/keys", "http://localhost/keys", "http://[::1]/keys"]
        {
            assert!(matches!(good.parse(), Ok(KeySource::Url(_))), "{good}");
        }
        for bad in ["http://id.example/keys", "ftp://id.example/keys", "http://127.0.0.1.example/keys", "https://"] {
            assert!(bad.parse::<KeySource>().is_err(), "{bad}");
        }
        assert!(KeySource::discovery("id.example").is_err());
    }
}
