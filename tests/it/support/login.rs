//! A provider at which people log in: the authorization code flow with PKCE, as "OpenID Connect Core 1.0" and RFC 7636 define it. The rule: it is as strict as a real
//! one, so a code is exchanged once, by the client that it was issued to, with its verifier.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD as BASE64_URL};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::identity::{SigningKey, ed25519};

pub const CLIENT: &str = "the editor";
pub const SECRET: &str = "a secret: with + and %";
/// How long an ID token is valid.
pub const SECONDS: u64 = 3_600;

/// How the client authenticates.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    Basic,
    Form,
    /// It is a public client.
    None,
}

type Fields = HashMap<String, String>;

struct Shared {
    issuer: String,
    proof: Proof,
    key: SigningKey,
    /// What was asked for, by code.
    codes: Mutex<HashMap<String, Fields>>,
    /// What the next ID tokens say differently; null for a claim that they lack.
    claims: Mutex<Value>,
    is_forging: Mutex<bool>,
    /// Whether exchanges wait, and how many have come.
    is_holding: watch::Sender<bool>,
    come: watch::Sender<usize>,
}

pub struct LoginServer {
    pub address: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

impl LoginServer {
    pub async fn start(proof: Proof) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let shared = Arc::new(Shared {
            issuer: address.clone(),
            proof,
            key: ed25519(),
            codes: Mutex::default(),
            claims: Mutex::new(json!({})),
            is_forging: Mutex::default(),
            is_holding: watch::Sender::default(),
            come: watch::Sender::default(),
        });
        let routes = Router::new()
            .route("/.well-known/openid-configuration", get(discovery))
            .route("/keys", get(async |State(own): State<Arc<Shared>>| Json(json!({ "keys": [own.key.jwk("k")] }))))
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .route("/logout", get(logout))
            .with_state(Arc::clone(&shared));
        let task = tokio::spawn(async move { axum::serve(listener, routes).await.expect("it serves") });
        Self { address, shared, task }
    }

    /// The settings of a server that is registered here.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = vec![
            ("TIDINGS_OIDC_ISSUER", self.address.clone()),
            ("TIDINGS_OIDC_AUDIENCE", "the api".to_owned()),
            ("TIDINGS_OIDC_CLIENT_ID", CLIENT.to_owned()),
            ("TIDINGS_OIDC_SCOPE", "openid roles".to_owned()),
        ];
        if self.shared.proof != Proof::None {
            settings.push(("TIDINGS_OIDC_CLIENT_SECRET", SECRET.to_owned()));
        }
        settings
    }

    /// From now on, ID tokens have these claims; null for one that they lack.
    pub fn set_claims(&self, claims: Value) {
        *self.shared.claims.lock().expect("no panic") = claims;
    }

    /// Whether ID tokens are signed with a key that is not published.
    pub fn forge(&self, is_forging: bool) {
        *self.shared.is_forging.lock().expect("no panic") = is_forging;
    }

    /// Whether exchanges wait until this is called with `false`.
    pub fn hold(&self, is_holding: bool) {
        self.shared.is_holding.send_replace(is_holding);
    }

    /// Waits until so many exchanges have come.
    pub async fn has_got(&self, exchanges: usize) {
        self.shared.come.subscribe().wait_for(|come| *come >= exchanges).await.expect("it sends");
    }
}

impl Drop for LoginServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn discovery(State(own): State<Arc<Shared>>) -> Json<Value> {
    let issuer = &own.issuer;
    let methods = if own.proof == Proof::Form { json!(["client_secret_post"]) } else { json!(["client_secret_basic"]) };
    // A provider of public clients has no logout.
    let logout = (own.proof != Proof::None).then(|| format!("{issuer}/logout"));
    Json(json!({
        "end_session_endpoint": logout, "issuer": issuer, "jwks_uri": format!("{issuer}/keys"), "authorization_endpoint": format!("{issuer}/authorize?tenant=1"),
        "token_endpoint": format!("{issuer}/token"), "token_endpoint_auth_methods_supported": methods,
    }))
}

/// The page of the login: one link, which goes back.
async fn authorize(State(own): State<Arc<Shared>>, Query(asked): Query<Fields>) -> Response {
    let is = |name: &str, value: &str| asked.get(name).is_some_and(|found| found == value);
    let has = |name: &str| asked.get(name).is_some_and(|found| found.len() >= 43);
    let is_fine =
        is("response_type", "code") && is("client_id", CLIENT) && is("scope", "openid roles") && is("tenant", "1");
    if !(is_fine && is("code_challenge_method", "S256") && has("code_challenge") && has("state") && has("nonce")) {
        return (StatusCode::BAD_REQUEST, format!("{asked:?}")).into_response();
    }
    let code = BASE64_URL.encode(asked["state"].as_bytes());
    let mut back: url::Url = asked["redirect_uri"].parse().expect("an address");
    back.query_pairs_mut().extend_pairs([("code", &code), ("state", &asked["state"]), ("iss", &own.issuer)]);
    own.codes.lock().expect("no panic").insert(code, asked);
    let back = back.as_str().replace('&', "&amp;");
    Html(format!("<!doctype html><title>Log in</title><a href=\"{back}\">Continue as Ada</a>")).into_response()
}

/// The page of the logout: one link, which goes back.
async fn logout(Query(asked): Query<Fields>) -> Response {
    if asked.get("client_id").is_none_or(|id| id != CLIENT) {
        return (StatusCode::BAD_REQUEST, format!("{asked:?}")).into_response();
    }
    let back = &asked["post_logout_redirect_uri"];
    Html(format!("<!doctype html><title>Log out</title><a href=\"{back}\">Log out Ada</a>")).into_response()
}

async fn token(State(own): State<Arc<Shared>>, headers: HeaderMap, body: String) -> Response {
    own.come.send_modify(|come| *come += 1);
    own.is_holding.subscribe().wait_for(|is_holding| !is_holding).await.expect("it sends");
    let sent: Fields = url::form_urlencoded::parse(body.as_bytes()).into_owned().collect();
    let encoded = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let basic = format!("Basic {}", BASE64_STANDARD.encode(format!("{}:{}", encoded(CLIENT), encoded(SECRET))));
    let has_basic = headers.get(header::AUTHORIZATION).map(|value| value.to_str().expect("ASCII")) == Some(&*basic);
    let has_form = sent.get("client_secret").is_some_and(|secret| secret == SECRET);
    let is_client = match own.proof {
        Proof::Basic => has_basic && !sent.contains_key("client_secret"),
        Proof::Form => has_form && !headers.contains_key(header::AUTHORIZATION),
        Proof::None => !has_basic && !sent.contains_key("client_secret"),
    };
    let refuse = |error: &str| (StatusCode::BAD_REQUEST, Json(json!({ "error": error }))).into_response();
    if !is_client || sent["client_id"] != CLIENT {
        return refuse("invalid_client");
    }
    let Some(asked) = own.codes.lock().expect("no panic").remove(&sent["code"]) else { return refuse("invalid_grant") };
    let challenge = ring::digest::digest(&ring::digest::SHA256, sent["code_verifier"].as_bytes());
    let is_same =
        asked["redirect_uri"] == sent["redirect_uri"] && asked["code_challenge"] == BASE64_URL.encode(challenge);
    if sent["grant_type"] != "authorization_code" || !is_same {
        return refuse("invalid_grant");
    }
    let now = unix_seconds();
    let mut claims = json!({
        "iss": own.issuer, "aud": CLIENT, "sub": "ada", "nonce": asked["nonce"], "iat": now, "exp": now + SECONDS, "roles": ["editor"],
    });
    for (name, value) in own.claims.lock().expect("no panic").as_object().expect("claims") {
        match value {
            Value::Null => drop(claims.as_object_mut().expect("claims").remove(name)),
            value => claims[name] = value.clone(),
        }
    }
    let is_forging = *own.is_forging.lock().expect("no panic");
    let id_token = if is_forging { ed25519().jwt("k", &claims) } else { own.key.jwt("k", &claims) };
    Json(json!({ "access_token": "opaque", "token_type": "Bearer", "id_token": id_token })).into_response()
}

/// The time of the machine, which the server compares with the claims of a token.
#[expect(clippy::disallowed_methods, reason = "the server runs as a process with the clock of the machine")]
pub fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_secs()
}
