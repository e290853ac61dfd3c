//! The cached keys of the provider. The rule: one task at a time reads them, at most once a minute, and no request waits for it longer than
//! [`WAIT`]; if the provider does not answer, the keys remain valid for a day. The start of the server reads them first, so that they are
//! cached for the first request.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant as Moment};

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde_json::Value;
use tokio::sync::Mutex as ReadLock;
use tokio::task::JoinHandle;

use super::BadJwt;
use super::source::{FetchError, KeySource};

/// A key that the provider has withdrawn is refused within the hour.
const FRESH_FOR: Duration = Duration::from_secs(60 * 60);
const USABLE_FOR: Duration = Duration::from_secs(24 * 60 * 60);
const FETCH_EVERY: Duration = Duration::from_secs(60);
/// The interval while no keys have been read, so that a provider that starts at the same time as this server is soon asked again.
const FIRST_FETCH_EVERY: Duration = Duration::from_secs(5);
/// How long a request waits for keys that are being read. A working provider answers sooner, and a client does not notice this delay.
const WAIT: Duration = Duration::from_millis(700);
/// No provider has more keys.
const KEYS_MAX: usize = 100;

/// Clones share the state.
#[derive(Debug, Clone)]
pub(super) struct KeyRing(Arc<SharedKeySet>);

#[derive(Debug)]
struct SharedKeySet {
    source: KeySource,
    state: Mutex<KeySetState>,
    /// The start of the last read. Locked while the keys are read.
    tried_at: Arc<ReadLock<Option<Moment>>>,
}

#[derive(Debug, Default)]
struct KeySetState {
    keys: Vec<Jwk>,
    read_at: Option<Moment>,
}

impl KeyRing {
    pub(super) fn new(source: KeySource) -> Self {
        Self(Arc::new(SharedKeySet { source, state: Mutex::default(), tried_at: Arc::default() }))
    }

    /// The key with this name for this algorithm; without a name, the only key that fits the algorithm.
    ///
    /// # Errors
    /// [`BadJwt::NoKeys`] if the key is unknown and the provider has not answered in time.
    pub(super) async fn find(&self, name: Option<&str>, algorithm: Algorithm) -> Result<Option<DecodingKey>, BadJwt> {
        let mut known = self.look(name, algorithm);
        if !matches!(known, Ok(Some((_, true)))) {
            let begun = self.begin_read();
            if !matches!(known, Ok(Some(_))) {
                tokio::time::timeout(WAIT, self.end_of_read(begun)).await.map_err(|_elapsed| BadJwt::NoKeys)?;
                known = self.look(name, algorithm);
            }
        }
        Ok(known?.and_then(|(key, _)| DecodingKey::from_jwk(&key).ok()))
    }

    /// A cached key, and whether it is fresh.
    fn look(&self, name: Option<&str>, algorithm: Algorithm) -> Result<Option<(Jwk, bool)>, BadJwt> {
        let state = self.lock();
        let age = state.read_at.map(|at| at.elapsed()).filter(|age| *age < USABLE_FOR).ok_or(BadJwt::NoKeys)?;
        Ok(pick(&state.keys, name, algorithm).map(|key| (key, age < FRESH_FOR)))
    }

    /// Reads the keys and waits at most this long for them.
    pub(super) async fn read_within(&self, time: Duration) {
        // The read itself logs the result.
        let _ = tokio::time::timeout(time, self.end_of_read(self.begin_read())).await;
    }

    /// Begins to read the keys, unless they are being read, or were read within the interval. The task is detached, so that the read continues even if nobody
    /// waits for it.
    fn begin_read(&self) -> Option<JoinHandle<()>> {
        let mut tried_at = Arc::clone(&self.0.tried_at).try_lock_owned().ok()?;
        let interval = if self.lock().read_at.is_some() { FETCH_EVERY } else { FIRST_FETCH_EVERY };
        if tried_at.is_some_and(|at| at.elapsed() < interval) {
            return None;
        }
        *tried_at = Some(Moment::now());
        let ring = self.clone();
        Some(tokio::spawn(async move {
            // The source limits the time of a read.
            ring.read().await;
            drop(tried_at);
        }))
    }

    /// Waits for the read that was begun here, or else for the one in progress.
    async fn end_of_read(&self, begun: Option<JoinHandle<()>>) {
        match begun {
            Some(task) => drop(task.await),
            None => drop(self.0.tried_at.lock().await),
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
        // It is ambiguous which key is meant: several have the same name, or no name is given.
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
        let later = async || {
            let (mut tried_at, mut state) = (ring.0.tried_at.lock().await, ring.lock());
            for at in [&mut *tried_at, &mut state.read_at].into_iter().flatten() {
                *at = at.checked_sub(FETCH_EVERY).expect("a machine that has run for a minute");
            }
        };
        assert_eq!(find("a").await, Err(BadJwt::NoKeys), "there is no file");
        std::fs::write(&path, KEYS).expect("a file");
        assert_eq!(find("a").await, Err(BadJwt::NoKeys), "tried a moment ago");
        later().await;
        assert_eq!((find("a").await, find("new").await), (Ok(true), Ok(false)));
        std::fs::write(&path, KEYS.replace("\"a\"", "\"new\"")).expect("a file");
        assert_eq!(find("new").await, Ok(false), "read within the minute");
        later().await;
        assert_eq!((find("new").await, find("a").await), (Ok(true), Ok(false)));
        std::fs::remove_file(&path).expect("the file was there");
        later().await;
        assert_eq!((find("a").await, find("new").await), (Ok(false), Ok(true)), "the keys that were read remain valid");
    }
}
