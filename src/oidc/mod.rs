//! JWTs of an OpenID provider: the second way to show who one is. The rule of this room: a JWT is believed for its signature by a key of the
//! provider's own, its issuer and its audience, all three, and only while its time runs; the algorithm is never the token's choice alone.
//!
//! "OpenID Connect Core 1.0", section 3.1.3.7 ("ID Token Validation"); "JSON Web Token Best Current Practices" (RFC 8725).

mod claims;
mod keys;
mod source;
mod verifier;

use std::time::Duration;

use jsonwebtoken::{Algorithm, Validation, decode, decode_header};

use crate::model::{Instant, Role, Slug};
use claims::Claims;
use keys::KeyRing;
pub use source::{BadKeySource, KeySource};

/// Longer than what providers give; what is longer is not looked at.
const TEXT_BYTES_MAX: usize = 8 << 10;
/// Clocks differ; both ends of a token's time are taken that much wider.
const LEEWAY_SECONDS: i64 = 60;
/// Signatures by a key that only the provider has. `none` and those by a shared secret are not among them.
const ALGORITHMS: [Algorithm; 3] = [Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA];
/// How long the start of the server waits for the provider's keys. A provider that is down does not keep the server from starting.
const START_WAIT: Duration = Duration::from_secs(5);
const UNIX_EPOCH_SECONDS: i64 = 62_135_596_800;
const TICKS_PER_SECOND: i64 = 10_000_000;

/// Whose JWTs are believed, and what of them is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OidcSettings {
    /// Just as the claim `iss` has it.
    pub issuer: String,
    /// One of the claim `aud`.
    pub audience: String,
    pub keys: KeySource,
    /// The claim that names roles: a string, or an array of them. With dots it may lead into objects.
    pub role_claim: String,
    /// The claim that names the author's slug, for the role author.
    pub author_claim: String,
}

/// Whom a JWT is about, as far as the provider tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// `oidc:` and the claim `sub`, for the log.
    pub name: String,
    pub role: Role,
    /// As the claim has it; whether there is such an author is not known here.
    pub author: Option<Slug>,
}

/// Why a JWT opens nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadJwt {
    /// A signature, an issuer or an audience that is not ours; which of them is the log's matter.
    #[error("the token is not known here")]
    Unknown,
    #[error("the token has expired")]
    Expired,
    #[error("the token is not valid yet")]
    NotYet,
    #[error("the token's claim `{claim}` names none of the roles reader, author, editor and admin")]
    NoRole { claim: String },
    /// The provider's keys cannot be had at the moment.
    #[error("the keys of the identity provider cannot be reached at the moment; try again")]
    NoKeys,
}

/// The provider, with its keys.
#[derive(Debug)]
pub struct Provider {
    settings: OidcSettings,
    keys: KeyRing,
}

impl Provider {
    pub fn new(settings: OidcSettings) -> Self {
        verifier::install();
        let keys = KeyRing::new(settings.keys.clone());
        Self { settings, keys }
    }

    /// Reads the provider's keys before the first request needs them, for up to five seconds.
    pub async fn prepare(&self) {
        self.keys.read_within(START_WAIT).await;
    }

    /// Whether a text has the form of a JWT; nothing is believed of it yet.
    pub fn is_jwt(text: &str) -> bool {
        text.split('.').count() == 3 && decode_header(text).is_ok()
    }

    /// # Errors
    /// Why the JWT opens nothing.
    pub async fn verify(&self, text: &str, now: Instant) -> Result<Subject, BadJwt> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(unknown("it is too long"));
        }
        let header = decode_header(text).map_err(|_| unknown("its header does not read"))?;
        if !ALGORITHMS.contains(&header.alg) {
            return Err(unknown("its algorithm is not taken"));
        }
        // RFC 7515, section 4.1.11: who does not know an extension that is critical refuses the token.
        if header.crit.is_some() {
            return Err(unknown("it has a critical extension"));
        }
        let key = self.keys.find(header.kid.as_deref(), header.alg).await?.ok_or_else(|| unknown("its key"))?;
        let claims =
            decode::<Claims>(text, &key, &self.validation(header.alg)).map_err(|error| unknown(&error))?.claims;
        self.subject(&claims, now)
    }

    /// Time is not asked of the library: it would ask the system, and not our clock.
    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.set_required_spec_claims(&["iss", "aud", "exp", "sub"]);
        validation.set_issuer(&[&self.settings.issuer]);
        validation.set_audience(&[&self.settings.audience]);
        validation.validate_exp = false;
        validation
    }

    fn subject(&self, claims: &Claims, now: Instant) -> Result<Subject, BadJwt> {
        let now = now.ticks() / TICKS_PER_SECOND - UNIX_EPOCH_SECONDS;
        if claims.expires_at().ok_or_else(|| unknown("its claim exp"))? <= now - LEEWAY_SECONDS {
            return Err(BadJwt::Expired);
        }
        if claims.not_before().map_err(unknown)?.is_some_and(|from| from > now + LEEWAY_SECONDS) {
            return Err(BadJwt::NotYet);
        }
        // The library would take an array that holds the issuer.
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

/// The reason is for the operator: told to whoever sent it, it would tell what to try next.
fn unknown(reason: impl std::fmt::Display) -> BadJwt {
    tracing::debug!(%reason, "oidc.refused");
    BadJwt::Unknown
}
