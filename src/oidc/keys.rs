//! The cached keys of the provider. The rule: one background task reads them, at most once a minute, and no request waits for it longer than
//! [`WAIT`]; if the provider does not answer, the keys remain valid for a day. The start of the server reads them first, so that they are
//! cached for the first request.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant as Moment};

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde_json::Value;
use tokio::sync::{Semaphore, watch};

use super::BadJwt;
use super::source::{FetchError, KeySource};

/// A key that the provider has withdrawn is refused within the hour.
const FRESH_FOR: Duration = Duration::from_secs(60 * 60);
const USABLE_FOR: Duration = Duration::from_secs(24 * 60 * 60);
const FETCH_EVERY: Duration = Duration::from_secs(60);
/// The same while no keys have been read, so that a provider that starts at the same time as this server is asked again soon.
const FIRST_FETCH_EVERY: Duration = Duration::from_secs(5);
/// How long a request waits for keys that are being read. A working provider answers sooner, and a client does not notice this delay.
const WAIT: Duration = Duration::from_millis(700);
/// Requests that wait for keys at the same time; further ones are refused at once, because anyone can invent tokens that would wait.
const WAITING_MAX: usize = 64;
/// More keys than any provider has.
const KEYS_MAX: usize = 100;

/// Clones share the state.
#[derive(Debug, Clone)]
pub(super) struct KeyRing(Arc<SharedKeySet>);

#[derive(Debug)]
struct SharedKeySet {
    source: KeySource,
    state: Mutex<KeySetState>,
    /// Whether the background task is reading.
    is_reading: watch::Sender<bool>,
    waiting: Semaphore,
}

#[derive(Debug, Default)]
struct KeySetState {
    keys: Vec<Jwk>,
    read_at: Option<Moment>,
    /// When the last read began.
    tried_at: Option<Moment>,
}

/// The cached state of a key.
enum Known {
    Key(Jwk),
    /// It is valid, but the keys must be read again.
    Aging(Jwk),
    /// There is no such key; the other keys are valid.
    Missing,
    /// There are no valid keys.
    NoKeys,
}

impl KeyRing {
    pub(super) fn new(source: KeySource) -> Self {
        let (is_reading, waiting) = (watch::Sender::new(false), Semaphore::new(WAITING_MAX));
        Self(Arc::new(SharedKeySet { source, state: Mutex::default(), is_reading, waiting }))
    }

    /// The key of this name for this algorithm; without a name, the only key that fits the algorithm.
    ///
    /// # Errors
    /// [`BadJwt::NoKeys`] if the key is unknown and the provider has not answered in time.
    pub(super) async fn find(&self, name: Option<&str>, algorithm: Algorithm) -> Result<Option<DecodingKey>, BadJwt> {
        let mut known = self.look(name, algorithm);
        if !matches!(known, Known::Key(_)) {
            self.start_reading();
        }
        if matches!(known, Known::Missing | Known::NoKeys) {
            self.wait_for_reading().await?;
            known = self.look(name, algorithm);
        }
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

    /// Reads the keys and waits at most this long for them.
    pub(super) async fn read_within(&self, time: Duration) {
        self.start_reading();
        let mut is_reading = self.0.is_reading.subscribe();
        // The task itself logs the result.
        let _ = tokio::time::timeout(time, is_reading.wait_for(|is_reading| !is_reading)).await;
    }

    /// Starts the background task, unless it runs or was started within the interval.
    fn start_reading(&self) {
        {
            let mut state = self.lock();
            let interval = if state.read_at.is_some() { FETCH_EVERY } else { FIRST_FETCH_EVERY };
            if *self.0.is_reading.borrow() || state.tried_at.is_some_and(|at| at.elapsed() < interval) {
                return;
            }
            state.tried_at = Some(Moment::now());
            self.0.is_reading.send_replace(true);
        }
        let ring = self.clone();
        tokio::spawn(async move {
            // The source limits the time of a read. `Ended` also reports the end after a panic.
            let _ended = Ended(&ring.0.is_reading);
            ring.read().await;
        });
    }

    /// Waits until no read is in progress.
    async fn wait_for_reading(&self) -> Result<(), BadJwt> {
        let mut is_reading = self.0.is_reading.subscribe();
        if !*is_reading.borrow_and_update() {
            return Ok(());
        }
        let _place = self.0.waiting.try_acquire().map_err(|_| BadJwt::NoKeys)?;
        match tokio::time::timeout(WAIT, is_reading.wait_for(|is_reading| !is_reading)).await {
            Ok(_) => Ok(()),
            Err(_elapsed) => Err(BadJwt::NoKeys),
        }
    }

    async fn read(&self) {
        match self.0.source.fetch().await.and_then(|bytes| parse(&bytes)) {
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

    fn lock(&self) -> MutexGuard<'_, KeySetState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reports the end of a read when it is dropped.
struct Ended<'a>(&'a watch::Sender<bool>);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.send_replace(false);
    }
}

/// Parses each key separately, so that a key of an unknown type does not invalidate the others.
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
        // Two keys of one name, or several keys and no name: it is unknown which one is meant.
        _ => None,
    }
}

/// Whether the key can verify signatures of this algorithm (RFC 7517, sections 4.2, 4.3 and 4.4).
fn fits(key: &Jwk, algorithm: Algorithm) -> bool {
    let operations = key.common.key_operations.as_ref();
    let verifies = operations.is_none_or(|operations| operations.contains(&KeyOperations::Verify));
    let is_for_signatures = matches!(key.common.public_key_use, None | Some(PublicKeyUse::Signature)) && verifies;
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
        { "kty": "OKP", "kid": "signs", "key_ops": ["sign"], "crv": "Ed25519", "x": "AQAB" },
        { "kty": "OKP", "kid": "verifies", "key_ops": ["sign", "verify"], "crv": "Ed25519", "x": "AQAB" },
        { "kty": "RSA", "kid": "ps", "alg": "PS256", "n": "AQAB", "e": "AQAB" },
        { "kty": "RSA", "kid": "one", "n": "AQAB", "e": "AQAB" },
        { "kty": "EC", "kid": "p384", "crv": "P-384", "x": "AQAB", "y": "AQAB" },
        { "kty": "EC", "kid": "one", "crv": "P-256", "x": "AQAB", "y": "AQAB" },
        { "kty": "OKP", "kid": "a", "crv": "Ed25519", "x": "AQAB" },
        { "kty": "OKP", "kid": "b", "crv": "Ed25519", "x": "AQAB" },
        { "kty": "OKP", "kid": "b", "crv": "Ed25519", "x": "AQAC" } ] }"#;

    #[test]
    fn a_key_is_found_by_its_name_and_its_own_algorithm() {
        let keys = parse(KEYS.as_bytes()).expect("keys");
        let found = |name: &str, algorithm| pick(&keys, Some(name), algorithm).is_some();
        for (name, algorithm, expected) in [
            ("one", Algorithm::RS256, true),
            ("one", Algorithm::ES256, true),
            ("one", Algorithm::EdDSA, false),
            ("a", Algorithm::EdDSA, true),
            ("b", Algorithm::EdDSA, false),
            ("encrypts", Algorithm::RS256, false),
            ("signs", Algorithm::EdDSA, false),
            ("verifies", Algorithm::EdDSA, true),
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

    /// The keys use the clock of the machine, so the test sets the recorded times back.
    #[tokio::test]
    async fn keys_are_read_again_if_one_is_missing_but_at_most_once_a_minute() {
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
        assert_eq!(find("a").await, Err(BadJwt::NoKeys), "tried a moment ago");
        later();
        assert_eq!((find("a").await, find("new").await), (Ok(true), Ok(false)));
        std::fs::write(&path, KEYS.replace("\"a\"", "\"new\"")).expect("a file");
        assert_eq!(find("new").await, Ok(false), "read within the minute");
        later();
        assert_eq!((find("new").await, find("a").await), (Ok(true), Ok(false)));
        std::fs::remove_file(&path).expect("the file was there");
        later();
        assert_eq!((find("a").await, find("new").await), (Ok(false), Ok(true)), "the keys that were read remain valid");
    }
}
