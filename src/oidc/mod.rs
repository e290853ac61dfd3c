//! Authentication by JWTs of an OpenID provider. The rule of this module: a JWT is accepted only if a key of the provider has signed it, its issuer
//! and its audience are the configured ones, and it is currently valid; the algorithm must be allowed and fit the key.
//!
//! Sources: "OpenID Connect Core 1.0", section 3.1.3.7 ("ID Token Validation"); "JSON Web Token Best Current Practices" (RFC 8725).

mod claims;
mod keys;
mod login;
mod source;
mod verifier;

use std::time::Duration;

use jsonwebtoken::{Algorithm, Validation, decode, decode_header};
use tokio::sync::Mutex;

use crate::model::{Instant, Role, Slug};
use claims::Claims;
use keys::KeyRing;
use login::Addresses;
pub use login::{EXCHANGES_MAX, IdToken, LoginError, OidcClient, Pending};
pub use source::{BadKeySource, FetchError, KeySource};

/// Longer than the tokens of providers; a longer text is refused without being parsed.
const TEXT_BYTES_MAX: usize = 8 << 10;
/// Clocks differ, so the validity of a token is extended by this time at both ends.
const LEEWAY_SECONDS: i64 = 60;
/// Signatures with a private key of the provider. `none` and signatures with a shared secret are not allowed.
const ALGORITHMS: [Algorithm; 3] = [Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA];
/// How long the start of the server waits for the provider's keys. The server also starts if the provider is down.
const START_WAIT: Duration = Duration::from_secs(5);

/// The issuer whose JWTs are accepted, and the claims that are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OidcSettings {
    /// Exactly the text of the claim `iss`.
    pub issuer: String,
    /// A required value of the claim `aud`.
    pub audience: String,
    pub keys: KeySource,
    /// The claim that names the roles: a string or an array of strings. Dots select nested objects.
    pub role_claim: String,
    /// The claim that names the author's slug, for the role author.
    pub author_claim: String,
    /// Set if people can sign in to the editor by redirect. Its id is also accepted as an audience.
    pub client: Option<OidcClient>,
}

/// The subject of a JWT, as the provider describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// `oidc:` and the claim `sub`, for the log.
    pub name: String,
    pub role: Role,
    /// The author from the claim; whether it exists is not checked here.
    pub author: Option<Slug>,
}

/// Why a JWT is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadJwt {
    /// The signature, the issuer, the audience or another claim is wrong; the log has the reason.
    #[error("the token is not known here")]
    Unknown,
    #[error("the token has expired")]
    Expired,
    #[error("the token is not valid yet")]
    NotYet,
    #[error("the token's claim `{claim}` names none of the roles reader, author, editor and admin")]
    NoRole { claim: String },
    /// The provider's keys are currently not available.
    #[error("the keys of the identity provider cannot be reached at the moment; try again")]
    NoKeys,
}

#[derive(Debug)]
pub struct Provider {
    settings: OidcSettings,
    keys: KeyRing,
    addresses: Mutex<Addresses>,
}

impl Provider {
    pub fn new(settings: OidcSettings) -> Self {
        verifier::install();
        let keys = KeyRing::new(settings.keys.clone());
        Self { settings, keys, addresses: Mutex::default() }
    }

    /// Reads the provider's keys before the first request needs them, for up to five seconds.
    pub async fn prepare(&self) {
        self.keys.read_within(START_WAIT).await;
    }

    /// Whether a text has the form of a JWT; nothing is verified.
    pub fn is_jwt(text: &str) -> bool {
        text.split('.').count() == 3 && decode_header(text).is_ok()
    }

    /// # Errors
    /// The reason why the JWT is refused.
    pub async fn verify(&self, text: &str, now: Instant) -> Result<Subject, BadJwt> {
        self.subject(&self.claims(text).await?, now)
    }

    /// The claims that the provider has signed; their times are not checked.
    async fn claims(&self, text: &str) -> Result<Claims, BadJwt> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(unknown("it is too long"));
        }
        let header = decode_header(text).map_err(|_| unknown("its header does not read"))?;
        if !ALGORITHMS.contains(&header.alg) {
            return Err(unknown("its algorithm is not taken"));
        }
        // RFC 7515, section 4.1.11: a token with an unknown critical extension must be refused.
        if header.crit.is_some() {
            return Err(unknown("it has a critical extension"));
        }
        let key = self.keys.find(header.kid.as_deref(), header.alg).await?.ok_or_else(|| unknown("its key"))?;
        Ok(decode::<Claims>(text, &key, &self.validation(header.alg)).map_err(|error| unknown(&error))?.claims)
    }

    /// The library does not check the times, because it would read the system time and not our clock.
    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.set_required_spec_claims(&["iss", "aud", "exp", "sub"]);
        validation.set_issuer(&[&self.settings.issuer]);
        let client = self.settings.client.iter().map(|client| &client.id);
        validation.set_audience(&client.chain([&self.settings.audience]).collect::<Vec<_>>());
        validation.validate_exp = false;
        validation
    }

    fn subject(&self, claims: &Claims, now: Instant) -> Result<Subject, BadJwt> {
        let now = now.to_chrono().timestamp();
        if claims.expires_at().ok_or_else(|| unknown("its claim exp"))? <= now - LEEWAY_SECONDS {
            return Err(BadJwt::Expired);
        }
        if claims.not_before().map_err(unknown)?.is_some_and(|from| from > now + LEEWAY_SECONDS) {
            return Err(BadJwt::NotYet);
        }
        // The library accepts an array that contains the issuer.
        if claims.text("iss") != Some(&self.settings.issuer) {
            return Err(unknown("its issuer"));
        }
        let subject = claims.subject().ok_or_else(|| unknown("its claim sub"))?;
        let role = claims.highest_role(&self.settings.role_claim);
        let role = role.ok_or_else(|| BadJwt::NoRole { claim: self.settings.role_claim.clone() })?;
        let author = claims.text(&self.settings.author_claim).and_then(|slug| slug.parse().ok());
        Ok(Subject { name: format!("oidc:{subject}"), role, author })
    }
}

/// Logs the reason. The client does not get it, because it would help an attacker.
fn unknown(reason: impl std::fmt::Display) -> BadJwt {
    tracing::debug!(%reason, "oidc.refused");
    BadJwt::Unknown
}
