//! JWTs of an identity provider: which are accepted, and with which role. The rule: an invalid JWT is refused, and the error does not say what
//! is wrong with its signature, issuer, audience or subject.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::http::header;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64_URL;
use serde_json::{Value, json};
use tidings::graphql::access::SignIn;
use tidings::oidc::{KeySource, OidcSettings, Provider};
use tower::ServiceExt;

use crate::support::graphql::{EDITOR_TOKEN, json_request};
use crate::support::identity::{KeyServer, SigningKey, ed25519, message, p256, rsa_jwt};
use crate::support::site::{NOW, Site, instant, post, slugs};

const ISSUER: &str = "https://id.example";
const UNKNOWN: &str = "UNAUTHENTICATED: the token is not known here";

fn seconds(text: &str) -> i64 {
    instant(text).ticks() / 10_000_000 - 62_135_596_800
}

fn claims() -> Value {
    let now = seconds(NOW);
    json!({ "iss": ISSUER, "aud": "tidings", "sub": "u-1", "exp": now + 300, "nbf": now - 300, "roles": ["editor"] })
}

fn with(changes: Value) -> Value {
    let mut claims = claims();
    for (name, value) in changes.as_object().expect("claims") {
        claims[name] = value.clone();
    }
    claims
}

fn without(name: &str) -> Value {
    let mut claims = claims();
    claims.as_object_mut().expect("claims").remove(name);
    claims
}

/// A site with a draft by ada, and a provider with these keys.
struct SiteWithProvider {
    site: Site,
    sign_in: SignIn,
}

impl SiteWithProvider {
    async fn new(keys: KeySource) -> Self {
        let site = Site::in_memory().await;
        let mut draft = post(1, instant("2026-05-01T00:00:00Z"));
        draft.post.published_at = None;
        draft.post.authors = slugs(&["ada"]);
        site.publish(&[draft]).await;
        let settings = OidcSettings {
            issuer: ISSUER.to_owned(),
            audience: "tidings".to_owned(),
            keys,
            role_claim: "roles".to_owned(),
            author_claim: "author".to_owned(),
            client: None,
        };
        Self { site, sign_in: SignIn { oidc: Some(Arc::new(Provider::new(settings))), ..SignIn::default() } }
    }

    async fn at(server: &KeyServer) -> Self {
        Self::new(format!("{}/keys", server.address).parse().expect("an address")).await
    }

    /// Like [`ask_drafts`](Self::ask_drafts), but retries while the keys are not read yet: on a busy machine, reading them can take longer than a
    /// request waits for them.
    async fn drafts(&self, token: &str) -> String {
        let begun = Instant::now();
        loop {
            let said = self.ask_drafts(token).await;
            if !said.starts_with("UNAVAILABLE") || begun.elapsed() > Duration::from_secs(60) {
                return said;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The number of drafts that a client with this token gets, or the code and message of the error.
    async fn ask_drafts(&self, token: &str) -> String {
        let answer = self.ask(token, "{ draftPosts { totalCount } }").await;
        match answer["errors"].get(0) {
            None => answer["data"]["draftPosts"]["totalCount"].to_string(),
            Some(error) => {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                format!("{}: {}", text(&error["extensions"]["code"]), text(&error["message"]))
            }
        }
    }

    async fn ask(&self, token: &str, query: &str) -> Value {
        let body = json!({ "query": query }).to_string();
        let request = json_request("application/json").header(header::AUTHORIZATION, format!("Bearer {token}"));
        let request = request.body(Body::from(body)).expect("a request");
        let answered = tokio::spawn(self.site.router_with(self.sign_in.clone()).oneshot(request)).await;
        let response = answered.expect("no panic").expect("an answer");
        let bytes = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
        serde_json::from_slice(&bytes).expect("JSON")
    }
}

async fn site_with_key(key: &SigningKey) -> (KeyServer, SiteWithProvider) {
    let server = KeyServer::start(vec![key.jwk("k")]).await;
    let site = SiteWithProvider::at(&server).await;
    (server, site)
}

#[tokio::test]
async fn the_subject_of_a_jwt_is_a_user_of_the_provider() {
    let key = ed25519();
    let (_server, site) = site_with_key(&key).await;
    let token = key.jwt("k", &with(json!({ "roles": ["author"], "author": "ada" })));
    assert_eq!(site.drafts(&token).await, "1");
    let viewer = site.ask(&token, "{ viewer { kind name role author { slug } } }").await["data"]["viewer"].clone();
    let expected = json!({ "kind": "OPENID", "name": "oidc:u-1", "role": "AUTHOR", "author": { "slug": "ada" } });
    assert_eq!(viewer, expected);
}

#[tokio::test]
async fn a_jwt_of_each_algorithm_is_accepted() {
    let (ed, p) = (ed25519(), p256());
    let (rsa, by_rsa) = rsa_jwt("r", &claims());
    let server = KeyServer::start(vec![ed.jwk("e"), p.jwk("p"), rsa]).await;
    let site = SiteWithProvider::at(&server).await;
    for token in [ed.jwt("e", &claims()), p.jwt("p", &claims()), by_rsa] {
        assert_eq!(site.drafts(&token).await, "1", "{token}");
    }
    assert_eq!(server.asked(), 1);
}

#[tokio::test]
async fn a_jwt_with_wrong_claims_is_refused() {
    let key = p256();
    let (_server, site) = site_with_key(&key).await;
    let now = seconds(NOW);
    for (claims, expected) in [
        (with(json!({ "aud": ["other", "tidings"] })), "1"),
        (with(json!({ "exp": now - 59, "nbf": now + 60 })), "1"),
        (without("nbf"), "1"),
        (with(json!({ "exp": now - 60 })), "UNAUTHENTICATED: the token has expired"),
        (with(json!({ "nbf": now + 61 })), "UNAUTHENTICATED: the token is not valid yet"),
        (with(json!({ "nbf": "soon" })), UNKNOWN),
        (with(json!({ "exp": "never" })), UNKNOWN),
        (with(json!({ "iss": "https://id.example/" })), UNKNOWN),
        (with(json!({ "iss": [ISSUER] })), UNKNOWN),
        (with(json!({ "aud": "another" })), UNKNOWN),
        (with(json!({ "aud": [] })), UNKNOWN),
        (with(json!({ "sub": "" })), UNKNOWN),
        (with(json!({ "sub": "a\nb" })), UNKNOWN),
        (without("exp"), UNKNOWN),
        (without("iss"), UNKNOWN),
        (without("aud"), UNKNOWN),
        (without("sub"), UNKNOWN),
    ] {
        assert_eq!(site.drafts(&key.jwt("k", &claims)).await, expected, "{claims}");
    }
}

#[tokio::test]
async fn a_jwt_without_the_signature_of_the_provider_is_refused() {
    let key = ed25519();
    let (server, site) = site_with_key(&key).await;
    let good = key.jwt("k", &claims());
    assert_eq!(site.drafts(&good).await, "1");
    let none = json!({ "alg": "none", "kid": "k" });
    let shared = json!({ "alg": "HS256", "kid": "k" });
    let (signed, signature) = good.rsplit_once('.').expect("a signature");
    let public = key.jwk("k")["x"].as_str().expect("a key").to_owned();
    let forged = message(&json!({ "alg": "EdDSA", "kid": "k" }), &with(json!({ "roles": "admin" })));
    for token in [
        ed25519().jwt("k", &claims()),
        p256().jwt("k", &claims()),
        key.jwt("another", &claims()),
        key.jwt_with(&none, &claims()),
        format!("{}.", message(&none, &claims())),
        key.jwt_with(&shared, &claims()),
        format!("{}.{}", message(&shared, &claims()), hmac(&public, &message(&shared, &claims()))),
        key.jwt_with(&json!({ "alg": "ES256", "kid": "k" }), &claims()),
        key.jwt_with(&json!({ "alg": "EdDSA", "kid": "k", "crit": ["exp"] }), &claims()),
        format!("{forged}.{signature}"),
        format!("{signed}."),
        format!("{signed}.{}", BASE64_URL.encode([0; 64])),
        key.jwt("k", &with(json!({ "padding": "x".repeat(9_000) }))),
        "a.b.c".to_owned(),
        "..".to_owned(),
    ] {
        assert_eq!(site.drafts(&token).await, UNKNOWN, "{token}");
    }
    assert_eq!(server.asked(), 1, "the server read the keys again because of an unknown key id");
}

/// Signs with the public key as a shared secret: the well-known attack on a server that lets a token choose its algorithm.
fn hmac(secret: &str, message: &str) -> String {
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &BASE64_URL.decode(secret).expect("a key"));
    BASE64_URL.encode(ring::hmac::sign(&key, message.as_bytes()))
}

#[tokio::test]
async fn the_claims_determine_the_role_and_the_author() {
    let key = ed25519();
    let (_server, site) = site_with_key(&key).await;
    let no_role = "FORBIDDEN: the token's claim `roles` names none of the roles reader, author, editor and admin";
    let gone = "UNAUTHENTICATED: the author that the token names is gone";
    for (claims, expected) in [
        (with(json!({ "roles": "reader" })), "1"),
        (with(json!({ "roles": ["nobody", "author"], "author": "ada" })), "1"),
        (with(json!({ "roles": "author", "author": "grace" })), gone),
        (with(json!({ "roles": "author", "author": "No Slug" })), gone),
        (with(json!({ "roles": "author" })), gone),
        (with(json!({ "roles": ["nobody"] })), no_role),
        (without("roles"), no_role),
    ] {
        assert_eq!(site.drafts(&key.jwt("k", &claims)).await, expected, "{claims}");
    }
}

#[tokio::test]
async fn a_jwt_of_an_author_who_was_merged_gets_nothing_of_the_other() {
    let key = ed25519();
    let (_server, site) = site_with_key(&key).await;
    let jwt = |author: &str| key.jwt("k", &with(json!({ "roles": "author", "author": author })));
    let mutate = async |mutation: &str| {
        let answer = site.site.mutate(&format!("mutation {{ done: {mutation} }}"), json!({}), Some(EDITOR_TOKEN)).await;
        assert_eq!(answer.body["data"]["done"]["userErrors"], json!([]), "{}", answer.body);
        answer.body["data"]["done"].clone()
    };
    let ada = site.site.query(r#"{ author(slug: "ada") { id } }"#).await["author"]["id"].clone();
    let chief =
        mutate(r#"createAuthor(input: { slug: "chief", name: "C" }) { author { id } userErrors { code } }"#).await;
    let chief = &chief["author"]["id"];
    mutate(&format!(
        r#"updateAuthor(input: {{ id: {ada}, expectedVersion: 1, slug: "ada-b" }}) {{ userErrors {{ code }} }}"#
    ))
    .await;
    for author in ["ada", "ada-b"] {
        assert_eq!(site.drafts(&jwt(author)).await, "1", "{author}");
    }
    let input = format!("from: {{ id: {ada}, expectedVersion: 2 }}, into: {{ id: {chief}, expectedVersion: 1 }}");
    mutate(&format!("mergeAuthors(input: {{ {input} }}) {{ userErrors {{ code }} }}")).await;
    for author in ["ada", "ada-b"] {
        let said = site.drafts(&jwt(author)).await;
        assert_eq!(said, "UNAUTHENTICATED: the author that the token names is gone", "{author}");
    }
    assert_eq!(site.drafts(&jwt("chief")).await, "1");
}

#[tokio::test]
async fn keys_are_read_from_a_file_an_address_or_by_discovery() {
    let key = ed25519();
    let server = KeyServer::start(vec![key.jwk("k")]).await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keys.json");
    std::fs::write(&path, json!({ "keys": [key.jwk("k")] }).to_string()).expect("a file");
    let unreachable = "UNAVAILABLE: the keys of the identity provider cannot be reached at the moment; try again";
    let at = |path: &str| format!("{}{path}", server.address).parse().expect("an address");
    for (source, expected) in [
        (KeySource::File(path), "1"),
        (at("/keys"), "1"),
        (KeySource::discovery(&server.address).expect("an address"), "1"),
        (KeySource::discovery(&server.address.replace("127.0.0.1", "localhost")).expect("an address"), unreachable),
        (at("/moved"), unreachable),
        (at("/endless"), unreachable),
        (at("/nothing"), unreachable),
        (KeySource::File(folder.path().join("none.json")), unreachable),
    ] {
        let site = SiteWithProvider::new(source.clone()).await;
        let token = key.jwt("k", &claims());
        let found = match expected == unreachable {
            // After the keys were asked for, so that what is refused is not only late.
            true => {
                site.sign_in.oidc.as_ref().expect("a provider").prepare().await;
                site.ask_drafts(&token).await
            }
            false => site.drafts(&token).await,
        };
        assert_eq!(found, expected, "{source:?}");
    }
}

/// A server without a provider refuses even a valid JWT.
#[tokio::test]
async fn without_a_provider_a_jwt_is_refused() {
    let site = Site::in_memory().await;
    let token = ed25519().jwt("k", &claims());
    let answer = site.ask_as(Some(&token), "{ posts { totalCount } }").await;
    assert_eq!(answer["errors"][0]["extensions"]["code"], "UNAUTHENTICATED");
}
