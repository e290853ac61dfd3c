//! An identity provider for tests: its own keys, JWTs signed with them, and a server that returns the keys and counts the requests.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::response::{IntoResponse, Redirect};
use axum::routing::get;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64_URL;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A signing key of the provider.
pub enum SigningKey {
    Ed25519(Ed25519KeyPair),
    P256(EcdsaKeyPair),
}

pub fn ed25519() -> SigningKey {
    let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
    SigningKey::Ed25519(Ed25519KeyPair::from_pkcs8(document.as_ref()).expect("its own key"))
}

pub fn p256() -> SigningKey {
    let (algorithm, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
    let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
    SigningKey::P256(EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).expect("its own key"))
}

impl SigningKey {
    pub fn algorithm(&self) -> &'static str {
        match self {
            Self::Ed25519(_) => "EdDSA",
            Self::P256(_) => "ES256",
        }
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Ed25519(key) => key.sign(message).as_ref().to_vec(),
            Self::P256(key) => key.sign(&SystemRandom::new(), message).expect("a signature").as_ref().to_vec(),
        }
    }

    /// The public half, as a provider publishes it.
    pub fn jwk(&self, name: &str) -> Value {
        match self {
            Self::Ed25519(key) => {
                json!({ "kty": "OKP", "crv": "Ed25519", "kid": name, "x": BASE64_URL.encode(key.public_key()) })
            }
            Self::P256(key) => {
                let (x, y) = key.public_key().as_ref()[1..].split_at(32);
                json!({ "kty": "EC", "crv": "P-256", "kid": name, "use": "sig", "x": BASE64_URL.encode(x), "y": BASE64_URL.encode(y) })
            }
        }
    }

    pub fn jwt(&self, name: &str, claims: &Value) -> String {
        self.jwt_with(&json!({ "alg": self.algorithm(), "typ": "JWT", "kid": name }), claims)
    }

    pub fn jwt_with(&self, header: &Value, claims: &Value) -> String {
        let message = message(header, claims);
        format!("{message}.{}", BASE64_URL.encode(self.sign(message.as_bytes())))
    }
}

/// The text that is signed.
pub fn message(header: &Value, claims: &Value) -> String {
    format!("{}.{}", BASE64_URL.encode(header.to_string()), BASE64_URL.encode(claims.to_string()))
}

/// A new RSA key, which ring cannot generate: its public half, and a JWT signed with it.
pub fn rsa_jwt(name: &str, claims: &Value) -> (Value, String) {
    const SCRIPT: &str = "
        const { generateKeyPairSync, sign } = require('node:crypto');
        const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
        const signature = sign('sha256', Buffer.from(process.argv[1]), privateKey).toString('base64url');
        console.log(JSON.stringify({ jwk: publicKey.export({ format: 'jwk' }), signature }));";
    let message = message(&json!({ "alg": "RS256", "kid": name }), claims);
    let output = Command::new("node").args(["-e", SCRIPT, &message]).output().expect("node runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let made: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut jwk = made["jwk"].clone();
    jwk["kid"] = json!(name);
    (jwk, format!("{message}.{}", made["signature"].as_str().expect("a signature")))
}

/// Serves the keys until it is dropped.
pub struct KeyServer {
    pub address: String,
    asked: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl KeyServer {
    /// `/keys` has the keys, `/moved` redirects there, `/endless` is longer than a client should read, and `/.well-known/openid-configuration` names
    /// the URL of the keys.
    pub async fn start(keys: Vec<Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let set = json!({ "keys": keys }).to_string();
        let document = json!({ "issuer": address, "jwks_uri": format!("{address}/keys") }).to_string();
        let answer = move || {
            count.fetch_add(1, Ordering::Relaxed);
            std::future::ready(set.clone().into_response())
        };
        let routes = Router::new()
            .route("/keys", get(answer))
            .route("/moved", get(async || Redirect::temporary("/keys")))
            .route("/endless", get(async || " ".repeat(1 << 20)))
            .route("/.well-known/openid-configuration", get(move || std::future::ready(document.clone())));
        let task = tokio::spawn(async move { axum::serve(listener, routes).await.expect("it serves") });
        Self { address, asked, task }
    }

    /// How often the keys were requested.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Drop for KeyServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}
