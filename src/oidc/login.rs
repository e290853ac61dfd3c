//! Signing in by redirect to the provider: the authorization code flow with PKCE. The rule: only the browser that has begun a login can end it, because its
//! cookie has the state, the nonce and the verifier; no page and no log line contains the code or the client's secret.
//!
//! Sources: "OpenID Connect Core 1.0", section 3.1; "OpenID Connect RP-Initiated Logout 1.0"; PKCE (RFC 7636); the issuer in an answer (RFC 9207); "Best Current Practice for OAuth 2.0 Security" (RFC
//! 9700).

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant as Moment};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64_URL;
use reqwest::{Method, Url};
use ring::digest::{SHA256, digest};
use serde::Deserialize;
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;
use tokio::time::error::Elapsed;
use tokio::time::timeout;
use url::form_urlencoded::{byte_serialize, parse};

use super::source::{Document, FetchError, discovered, request};
use super::{BadJwt, Provider};

/// How long the provider's addresses are used before they are read again.
const FRESH_FOR: Duration = Duration::from_secs(60 * 60);
/// How long a login waits for other logins that wait for the provider.
const WAIT: Duration = Duration::from_secs(5);
/// How long no further request is sent after the provider could not be reached.
const ASKED_AGAIN_AFTER: Duration = Duration::from_secs(5);
const RANDOM_CHARS: usize = 43;
/// Anybody can begin logins, so the number of concurrent exchanges with the provider is limited.
pub const EXCHANGES_MAX: usize = 16;
static EXCHANGES: Semaphore = Semaphore::const_new(EXCHANGES_MAX);

/// The registration of this server at the provider.
#[derive(Clone, PartialEq, Eq)]
pub struct OidcClient {
    pub id: String,
    /// `None` for a public client.
    pub secret: Option<String>,
    /// Scopes separated by spaces, including `openid`.
    pub scope: String,
}

/// Omits the secret.
impl fmt::Debug for OidcClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OidcClient").field("id", &self.id).field("scope", &self.scope).finish_non_exhaustive()
    }
}

/// The values that the browser's cookie keeps until the redirect returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    state: String,
    nonce: String,
    verifier: String,
}

/// The ID token that the provider has issued for this login. Its role is checked like that of any other token.
pub struct IdToken {
    pub text: String,
    /// Its remaining validity in seconds.
    pub seconds: u32,
}

/// Why a login failed.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// The login began too long ago, in another browser, or not at all.
    #[error("the state is not that of this browser")]
    Expired,
    /// The person or the provider has refused it.
    #[error("the provider answered {0:?}")]
    Refused(String),
    #[error(transparent)]
    Provider(#[from] FetchError),
    #[error("the provider could not be reached a moment ago")]
    NotReached,
    #[error("the client's address has as many logins under way as it may have")]
    TooMany,
    #[error("the provider, or those who wait for it, take too long")]
    Busy(#[from] Elapsed),
    #[error("the operating system provides no random bytes")]
    Random(#[from] getrandom::Error),
    #[error("the ID token is refused: {0}")]
    Token(#[from] BadJwt),
}

impl fmt::Display for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.state, self.nonce, self.verifier)
    }
}

impl FromStr for Pending {
    type Err = LoginError;

    fn from_str(text: &str) -> Result<Self, LoginError> {
        let [state, nonce, verifier] = text.split('.').collect::<Vec<_>>()[..] else { return Err(LoginError::Expired) };
        if [state, nonce, verifier].iter().any(|part| part.len() != RANDOM_CHARS) {
            return Err(LoginError::Expired);
        }
        Ok(Self { state: state.to_owned(), nonce: nonce.to_owned(), verifier: verifier.to_owned() })
    }
}

impl Pending {
    fn new() -> Result<Self, getrandom::Error> {
        Ok(Self { state: random()?, nonce: random()?, verifier: random()? })
    }
}

/// The addresses of the provider.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    document: Option<Document>,
    read_at: Option<Moment>,
    tried_at: Option<Moment>,
}

impl Provider {
    /// Whether the server is registered as a client, so that people can sign in by redirect.
    pub fn has_login(&self) -> bool {
        self.settings.client.is_some()
    }

    /// The host of the provider.
    pub fn host(&self) -> Option<String> {
        self.settings.issuer.parse::<Url>().ok()?.host_str().map(str::to_owned)
    }

    /// The address to which the browser is redirected, and the values for its cookie until it returns to `redirect_uri`.
    ///
    /// # Errors
    /// If the provider cannot be reached.
    pub async fn begin_login(&self, redirect_uri: &str) -> Result<(Url, Pending), LoginError> {
        let (client, document) = self.client().await?;
        let pending = Pending::new()?;
        let challenge = BASE64_URL.encode(digest(&SHA256, pending.verifier.as_bytes()));
        let mut to = document.authorization_endpoint()?;
        to.query_pairs_mut().extend_pairs([
            ("response_type", "code"),
            ("client_id", &client.id),
            ("redirect_uri", redirect_uri),
            ("scope", &client.scope),
            ("state", &pending.state),
            ("nonce", &pending.nonce),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ]);
        Ok((to, pending))
    }

    /// Exchanges the code in the query for the ID token.
    ///
    /// # Errors
    /// The reason why the login failed.
    pub async fn end_login(&self, pending: &Pending, query: &str, redirect_uri: &str) -> Result<IdToken, LoginError> {
        let sent =
            |name: &str| parse(query.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        let state = sent("state").ok_or(LoginError::Expired)?;
        if !bool::from(state.as_bytes().ct_eq(pending.state.as_bytes())) {
            return Err(LoginError::Expired);
        }
        if let Some(error) = sent("error") {
            return Err(LoginError::Refused(error));
        }
        if sent("iss").is_some_and(|issuer| issuer != self.settings.issuer) {
            return Err(LoginError::Expired);
        }
        let code = sent("code").ok_or(LoginError::Expired)?;
        let text = self.exchange(&code, &pending.verifier, redirect_uri).await?;
        let seconds = self.verify_id_token(&text, &pending.nonce).await?;
        Ok(IdToken { text, seconds })
    }

    /// The address at which the provider ends its own session, and from which the browser returns to `back`. `None` if the provider has none.
    ///
    /// # Errors
    /// If the provider cannot be reached.
    pub async fn logout(&self, back: &str) -> Result<Option<Url>, LoginError> {
        let (client, document) = self.client().await?;
        let to = document.end_session_endpoint().map(|mut to| {
            to.query_pairs_mut().extend_pairs([("client_id", client.id.as_str()), ("post_logout_redirect_uri", back)]);
            to
        });
        Ok(to)
    }

    async fn exchange(&self, code: &str, verifier: &str, redirect_uri: &str) -> Result<String, LoginError> {
        #[derive(Deserialize)]
        struct Tokens {
            id_token: String,
        }
        let (client, document) = self.client().await?;
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect_uri),
            ("client_id", &client.id),
            ("code_verifier", verifier),
        ];
        let mut authorization = None;
        if let Some(secret) = &client.secret {
            if document.takes_secret_in_form() {
                form.push(("client_secret", secret));
            } else {
                // RFC 6749, section 2.3.1.
                let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
                authorization = Some((encoded(&client.id), encoded(secret)));
            }
        }
        let url = document.token_endpoint()?;
        let _place = timeout(WAIT, EXCHANGES.acquire()).await?.expect("the semaphore is never closed");
        let bytes = request(Method::POST, url.clone(), |request| {
            let request = request.form(&form);
            match &authorization {
                Some((id, secret)) => request.basic_auth(id, Some(secret)),
                None => request,
            }
        })
        .await?;
        Ok(serde_json::from_slice::<Tokens>(&bytes).map_err(|error| FetchError::malformed(&url, error))?.id_token)
    }

    /// Checks that the token was issued to this server for this login, and returns its validity in seconds ("OpenID Connect Core 1.0", section 3.1.3.7).
    async fn verify_id_token(&self, text: &str, nonce: &str) -> Result<u32, BadJwt> {
        let claims = self.claims(text).await?;
        let client = self.settings.client.as_ref().map(|client| client.id.as_str());
        if claims.text("nonce").map(String::as_str) != Some(nonce) {
            return Err(super::unknown("its nonce"));
        }
        if !client.is_some_and(|client| claims.is_for(client)) {
            return Err(super::unknown("its audience is not this client"));
        }
        if claims.text("azp").is_some_and(|party| Some(party.as_str()) != client) {
            return Err(super::unknown("it was issued to another client"));
        }
        // The token was issued a moment ago, so its validity does not depend on the difference of the clocks.
        let seconds = claims.expires_at().zip(claims.issued_at()).map(|(ends, begins)| ends.saturating_sub(begins));
        seconds.and_then(|seconds| seconds.try_into().ok()).ok_or_else(|| super::unknown("its claim iat"))
    }

    /// The registration, and the provider's addresses, which are read once an hour. If they cannot be read, the previous ones are used.
    async fn client(&self) -> Result<(&OidcClient, Document), LoginError> {
        let client = self.settings.client.as_ref().ok_or(LoginError::Expired)?;
        let mut addresses = timeout(WAIT, self.addresses.lock()).await?;
        let is_fresh = addresses.read_at.is_some_and(|at| at.elapsed() < FRESH_FOR);
        let is_due = addresses.tried_at.is_none_or(|at| at.elapsed() >= ASKED_AGAIN_AFTER);
        if !is_fresh && is_due {
            addresses.tried_at = Some(Moment::now());
            match discovered(&self.settings.issuer).await {
                Ok(document) => {
                    (addresses.read_at, addresses.document) = (Some(Moment::now()), Some(document));
                }
                Err(error) if addresses.document.is_none() => return Err(error.into()),
                Err(error) => tracing::warn!(%error, "editor.sign_in_failed"),
            }
        }
        Ok((client, addresses.document.clone().ok_or(LoginError::NotReached)?))
    }
}

/// 256 bits in [`RANDOM_CHARS`] characters.
fn random() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(BASE64_URL.encode(bytes))
}
