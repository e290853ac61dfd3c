//! The provider's keys, as they were last read. The rule: they are asked for anew where they are old or a key is missing, but no more than once
//! a minute, whoever makes up names of keys; and what was read goes on counting for a day where the provider is out of reach.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant as Moment};

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde_json::Value;

use super::BadJwt;
use super::source::{FetchError, KeySource};

/// So a key that the provider has taken back is gone within the hour.
const FRESH_FOR: Duration = Duration::from_secs(60 * 60);
const USABLE_FOR: Duration = Duration::from_secs(24 * 60 * 60);
const FETCH_EVERY: Duration = Duration::from_secs(60);
/// More than any provider has at once.
const KEYS_MAX: usize = 100;

#[derive(Debug)]
pub(super) struct KeyRing {
    source: KeySource,
    state: Mutex<State>,
    /// Held while the keys are read, so that they are read once for all who wait; whoever has a key does not wait.
    reading: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    keys: Vec<Jwk>,
    read_at: Option<Moment>,
    tried_at: Option<Moment>,
}

/// What is known of a key without asking the provider.
enum Known {
    Key(Jwk),
    /// It counts, and the keys are to be read anew.
    Aging(Jwk),
    /// There is none; with keys that count, and without.
    Missing,
    NoKeys,
}

impl KeyRing {
    pub fn new(source: KeySource) -> Self {
        Self { source, state: Mutex::default(), reading: tokio::sync::Mutex::default() }
    }

    /// The key of a name, for an algorithm; without a name the only one that fits it.
    ///
    /// # Errors
    /// [`BadJwt::NoKeys`] where none have been read that still count.
    pub async fn find(&self, name: Option<&str>, algorithm: Algorithm) -> Result<Option<DecodingKey>, BadJwt> {
        let known = match self.look(name, algorithm) {
            Known::Aging(key) => {
                if let Ok(reading) = self.reading.try_lock() {
                    self.refresh(&reading).await;
                    self.look(name, algorithm)
                } else {
                    Known::Key(key)
                }
            }
            Known::Missing | Known::NoKeys => {
                let reading = self.reading.lock().await;
                // Whoever had it before may have brought the key.
                if matches!(self.look(name, algorithm), Known::Missing | Known::NoKeys) {
                    self.refresh(&reading).await;
                }
                self.look(name, algorithm)
            }
            known @ Known::Key(_) => known,
        };
        match known {
            Known::Key(key) | Known::Aging(key) => Ok(DecodingKey::from_jwk(&key).ok()),
            Known::Missing => Ok(None),
            Known::NoKeys => Err(BadJwt::NoKeys),
        }
    }

    fn look(&self, name: Option<&str>, algorithm: Algorithm) -> Known {
        let state = self.lock();
        let is_younger_than = |age: Duration| state.read_at.is_some_and(|at| at.elapsed() < age);
        match pick(&state.keys, name, algorithm) {
            _ if !is_younger_than(USABLE_FOR) => Known::NoKeys,
            None => Known::Missing,
            Some(key) if is_younger_than(FRESH_FOR) => Known::Key(key),
            Some(key) => Known::Aging(key),
        }
    }

    /// Reads the keys, where that was not tried within the minute.
    async fn refresh(&self, _reading: &tokio::sync::MutexGuard<'_, ()>) {
        if self.lock().tried_at.is_some_and(|at| at.elapsed() < FETCH_EVERY) {
            return;
        }
        self.lock().tried_at = Some(Moment::now());
        match self.source.fetch().await.and_then(|bytes| parse(&bytes)) {
            Ok(keys) => {
                tracing::info!(keys = keys.len(), "oidc.keys_read");
                let mut state = self.lock();
                state.keys = keys;
                state.read_at = Some(Moment::now());
            }
            Err(error) => {
                let cause = std::error::Error::source(&error).map(ToString::to_string);
                tracing::warn!(%error, cause, "oidc.keys_failed");
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Each key by itself: one of a kind that is not known here does not take the others along.
fn parse(bytes: &[u8]) -> Result<Vec<Jwk>, FetchError> {
    let malformed = |error| FetchError::Malformed("the key set".to_owned(), error);
    let set: Value = serde_json::from_slice(bytes).map_err(|error| malformed(Some(error)))?;
    let keys = set.get("keys").and_then(Value::as_array).ok_or_else(|| malformed(None))?;
    Ok(keys.iter().take(KEYS_MAX).filter_map(|key| serde_json::from_value(key.clone()).ok()).collect())
}

fn pick(keys: &[Jwk], name: Option<&str>, algorithm: Algorithm) -> Option<Jwk> {
    let mut fitting = keys
        .iter()
        .filter(|key| fits(key, algorithm) && name.is_none_or(|name| key.common.key_id.as_deref() == Some(name)));
    match (fitting.next(), fitting.next()) {
        (Some(key), None) => Some(key.clone()),
        // Two of one name, or several and no name: which is meant is not known.
        _ => None,
    }
}

/// Whether the key is one for signatures by this algorithm (RFC 7517, sections 4.2 and 4.4).
fn fits(key: &Jwk, algorithm: Algorithm) -> bool {
    let is_for_signatures = matches!(key.common.public_key_use, None | Some(PublicKeyUse::Signature));
    let named = key.common.key_algorithm;
    is_for_signatures
        && match (algorithm, &key.algorithm) {
            (Algorithm::RS256, AlgorithmParameters::RSA(_)) => matches!(named, None | Some(KeyAlgorithm::RS256)),
            (Algorithm::ES256, AlgorithmParameters::EllipticCurve(of)) => {
                of.curve == EllipticCurve::P256 && matches!(named, None | Some(KeyAlgorithm::ES256))
            }
            (Algorithm::EdDSA, AlgorithmParameters::OctetKeyPair(of)) => {
                of.curve == EllipticCurve::Ed25519 && matches!(named, None | Some(KeyAlgorithm::EdDSA))
            }
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: &str = r#"{ "keys": [
        { "kty": "oct", "kid": "secret", "k": "c2VjcmV0" },
        { "kty": "of another world", "kid": "strange" },
        { "kty": "RSA", "kid": "encrypts", "use": "enc", "n": "AQAB", "e": "AQAB" },
        { "kty": "RSA", "kid": "ps", "alg": "PS256", "n": "AQAB", "e": "AQAB" },
        { "kty": "RSA", "kid": "one", "n": "AQAB", "e": "AQAB" },
        { "kty": "EC", "kid": "p384", "crv": "P-384", "x": "AQAB", "y": "AQAB" },
        { "kty": "EC", "kid": "one", "crv": "P-256", "x": "AQAB", "y": "AQAB" },
        { "kty": "OKP", "kid": "a", "crv": "Ed25519", "x": "AQAB" },
        { "kty": "OKP", "kid": "b", "crv": "Ed25519", "x": "AQAB" },
        { "kty": "OKP", "kid": "b", "crv": "Ed25519", "x": "AQAC" } ] }"#;

    #[test]
    fn a_key_is_taken_by_its_name_and_for_its_own_algorithm() {
        let keys = parse(KEYS.as_bytes()).expect("keys");
        let found = |name: &str, algorithm| pick(&keys, Some(name), algorithm).is_some();
        for (name, algorithm, expected) in [
            ("one", Algorithm::RS256, true),
            ("one", Algorithm::ES256, true),
            ("one", Algorithm::EdDSA, false),
            ("a", Algorithm::EdDSA, true),
            ("b", Algorithm::EdDSA, false),
            ("encrypts", Algorithm::RS256, false),
            ("ps", Algorithm::RS256, false),
            ("p384", Algorithm::ES256, false),
            ("secret", Algorithm::HS256, false),
            ("never", Algorithm::RS256, false),
        ] {
            assert_eq!(found(name, algorithm), expected, "{name} {algorithm:?}");
        }
        assert!(pick(&keys, None, Algorithm::RS256).is_some(), "the only one that fits");
        assert!(pick(&keys, None, Algorithm::EdDSA).is_none(), "one of several");
        assert!(parse(b"[]").is_err() && parse(b"{").is_err());
    }

    /// The clock of these is the machine's, so the test turns back what was noted of it.
    #[tokio::test]
    async fn keys_are_read_anew_where_one_is_missing_but_no_more_than_once_a_minute() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("keys.json");
        let ring = KeyRing::new(KeySource::File(path.clone()));
        let find = async |name: &str| ring.find(Some(name), Algorithm::EdDSA).await.map(|key| key.is_some());
        let later = || {
            let state = &mut *ring.lock();
            for at in [&mut state.tried_at, &mut state.read_at].into_iter().flatten() {
                *at = at.checked_sub(FETCH_EVERY).expect("a machine that has run for a minute");
            }
        };
        assert_eq!(find("a").await, Err(BadJwt::NoKeys), "there is no file");
        std::fs::write(&path, KEYS).expect("a file");
        assert_eq!(find("a").await, Err(BadJwt::NoKeys), "tried within the minute");
        later();
        assert_eq!((find("a").await, find("new").await), (Ok(true), Ok(false)));
        std::fs::write(&path, KEYS.replace("\"a\"", "\"new\"")).expect("a file");
        assert_eq!(find("new").await, Ok(false), "read within the minute");
        later();
        assert_eq!((find("new").await, find("a").await), (Ok(true), Ok(false)));
        std::fs::remove_file(&path).expect("the file was there");
        later();
        assert_eq!((find("a").await, find("new").await), (Ok(false), Ok(true)), "what was read goes on counting");
    }
}
