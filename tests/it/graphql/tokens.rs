//! Tokens through GraphQL: they are created, listed and revoked, and invalid tokens are refused.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::content::{Content, Sharing};
use tidings::keys::Table;
use tidings::model::Role;
use tidings::store::Value as Property;
use tower::ServiceExt;

use crate::support::graphql::{EDITOR_TOKEN, json_request};
use crate::support::site::{NOW, Site, instant, post, slugs};
use crate::support::stores;

const PUBLIC: &str = "{ posts { totalCount } }";

async fn create(site: &Site, input: &str) -> Value {
    let fields =
        "token { id name role author { slug } createdAt expiresAt revokedAt } secret userErrors { code field }";
    let query = format!("mutation {{ createToken(input: {{ {input} }}) {{ {fields} }} }}");
    site.ask_as(Some(EDITOR_TOKEN), &query).await["data"]["createToken"].clone()
}

async fn revoke(site: &Site, id: &Value) -> Value {
    let query = format!(
        "mutation {{ revokeToken(input: {{ id: {id} }}) {{ token {{ id revokedAt }} userErrors {{ code field }} }} }}"
    );
    site.ask_as(Some(EDITOR_TOKEN), &query).await["data"]["revokeToken"].clone()
}

/// The code and the message of the error of a public query, if it has one.
async fn refusal(site: &Site, token: &str) -> Option<(String, String)> {
    let answer = site.ask_as(Some(token), PUBLIC).await;
    let error = answer["errors"].get(0)?;
    assert!(answer.get("data").is_none(), "{answer}");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Some((text(&error["extensions"]["code"]), text(&error["message"])))
}

async fn site() -> Site {
    let site = Site::in_memory().await;
    let mut whole = post(1, instant("2026-05-01T00:00:00Z"));
    whole.post.authors = slugs(&["ada"]);
    site.publish(&[whole]).await;
    site
}

#[tokio::test]
async fn a_token_is_accepted_until_it_is_revoked() {
    let site = site().await;
    let made = create(&site, "name: \" Front end \", role: READER").await;
    assert_eq!(made["userErrors"], json!([]));
    let text = made["secret"].as_str().expect("a secret");
    let token = &made["token"];
    let id = token["id"].as_str().and_then(|id| id.strip_prefix("token-")).expect("an id");
    assert!(text.starts_with(&format!("tdg_{id}_")), "{text}");
    assert_eq!(revoke(&site, &json!(id)).await["userErrors"][0]["code"], "NOT_FOUND", "a part of the id");
    assert_eq!(
        (&token["name"], &token["role"], &token["createdAt"], &token["expiresAt"]),
        (&json!("Front end"), &json!("READER"), &json!(NOW), &Value::Null)
    );
    assert_eq!(refusal(&site, text).await, None);
    let revoked = revoke(&site, &token["id"]).await;
    assert_eq!(revoked["token"]["revokedAt"], NOW);
    let unauthenticated = |why: &str| Some(("UNAUTHENTICATED".to_owned(), why.to_owned()));
    assert_eq!(refusal(&site, text).await, unauthenticated("the token was revoked"));
    assert_eq!(revoke(&site, &token["id"]).await, revoked, "revoked again");
}

/// One point read.
#[tokio::test]
async fn node_finds_a_token_as_the_list_shows_it() {
    let site = site().await;
    let made = create(&site, "name: \"n\", role: AUTHOR, authorSlug: \"ada\"").await["token"].clone();
    let fields = "{ __typename id ... on Token { name role author { slug } createdAt expiresAt revokedAt } }";
    let query = format!("{{ node(id: {}) {fields} tokens {{ nodes {fields} }} }}", made["id"]);
    let data = site.ask_as(Some(EDITOR_TOKEN), &query).await["data"].take();
    assert_eq!((&data["node"]["id"], &data["node"]["__typename"]), (&made["id"], &json!("Token")));
    assert_eq!(data["node"], data["tokens"]["nodes"][0]);
    let cost = site.cost(&format!("{{ node(id: {}) {{ id }} }}", made["id"])).await;
    assert_eq!((cost.point_reads, cost.range_reads), (1, 0));
}

#[tokio::test]
async fn viewer_returns_the_kind_name_role_and_author_of_the_token() {
    let site = site().await;
    let made = create(&site, "name: \"Ada's laptop\", role: AUTHOR, authorSlug: \"ada\"").await;
    let query = "{ viewer { kind name role author { slug name } } }";
    let viewer = async |token: Option<&str>| site.ask_as(token, query).await["data"]["viewer"].clone();
    assert_eq!(viewer(None).await, Value::Null);
    let ada = json!({ "kind": "TOKEN", "name": "Ada's laptop", "role": "AUTHOR", "author": { "slug": "ada", "name": "The author ada" } });
    assert_eq!(viewer(made["secret"].as_str()).await, ada);
    let admin = json!({ "kind": "SERVER_TOKEN", "name": "TIDINGS_EDITOR_TOKEN", "role": "ADMIN", "author": null });
    assert_eq!(viewer(Some(EDITOR_TOKEN)).await, admin);
}

/// The error does not say which part of a token is wrong, and only the holder of a token can learn that it has expired.
#[tokio::test]
async fn an_invalid_token_is_refused_even_for_a_public_query() {
    let site = site().await;
    let expiring = create(&site, "name: \"e\", role: ADMIN, expiresAt: \"2026-06-15T13:00:00Z\"").await;
    let text = expiring["secret"].as_str().expect("a secret").to_owned();
    let (other_secret, other_id) =
        (format!("{}{}", &text[..17], "0".repeat(48)), format!("tdg_000000000000{}", &text[16..]));
    assert_eq!(refusal(&site, &text).await, None);
    site.clock.set(instant("2026-06-15T13:00:00Z"));
    let unauthenticated = |why: &str| Some(("UNAUTHENTICATED".to_owned(), why.to_owned()));
    assert_eq!(refusal(&site, &text).await, unauthenticated("the token has expired"));
    let unknown = unauthenticated("the token is not known here");
    assert_eq!(refusal(&site, &other_secret).await, unknown);
    assert_eq!(refusal(&site, &other_id).await, unknown);
    assert_eq!(refusal(&site, "never-a-token-of-this-server").await, unknown);
    for malformed in ["tdg_", &text[..60], "tdg_ü", &text.to_uppercase().replace("TDG_", "tdg_")] {
        let (code, message) = refusal(&site, malformed).await.expect("a refusal");
        assert!(code == "UNAUTHENTICATED" && message.starts_with("the token is malformed"), "{malformed} {message}");
    }
    assert!(refusal(&site, "").await.is_some(), "an empty one");
}

#[tokio::test]
async fn an_invalid_token_is_a_401_for_clients_that_accept_the_newer_media_type() {
    let site = site().await;
    for (accept, status) in [("application/json", 200), ("application/graphql-response+json", 401)] {
        let body = json!({ "query": PUBLIC }).to_string();
        let answer = site.send(json_request(accept), Some("tdg_bad"), body).await;
        assert_eq!(answer.status.as_u16(), status, "{accept}");
    }
    // Also for GET. If a request has two tokens, neither is accepted.
    let get = Request::get("/graphql?query=%7Bposts%7BtotalCount%7D%7D")
        .header(header::ACCEPT, "application/graphql-response+json");
    let twice = get
        .header(header::AUTHORIZATION, format!("Bearer {EDITOR_TOKEN}"))
        .header(header::AUTHORIZATION, "bearer tdg_bad");
    let response = site.router().oneshot(twice.body(Body::empty()).expect("a request")).await.expect("an answer");
    assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(response.headers()[header::WWW_AUTHENTICATE], "Bearer error=\"invalid_token\"");
}

/// Credentials of another scheme may be for a proxy.
#[tokio::test]
async fn another_authorization_scheme_is_ignored() {
    let site = site().await;
    let request = json_request("application/json").header(header::AUTHORIZATION, "Basic dXNlcjpwYXNz");
    let answer = site.send(request, None, json!({ "query": PUBLIC }).to_string()).await;
    assert_eq!(answer.body, json!({ "data": { "posts": { "totalCount": 1 } } }));
}

#[tokio::test]
async fn an_invalid_token_input_is_named() {
    let site = site().await;
    create(&site, "name: \"taken\", role: READER").await;
    for (input, code, field) in [
        ("name: \" \", role: READER", "INVALID", "name"),
        ("name: \"taken\", role: ADMIN", "TAKEN", "name"),
        ("name: \"n\", role: AUTHOR", "INVALID", "authorSlug"),
        ("name: \"n\", role: AUTHOR, authorSlug: \"nobody\"", "NOT_FOUND", "authorSlug"),
        ("name: \"n\", role: EDITOR, authorSlug: \"ada\"", "INVALID", "authorSlug"),
        ("name: \"n\", role: EDITOR, expiresAt: \"2026-06-15T12:00:00Z\"", "INVALID", "expiresAt"),
    ] {
        let made = create(&site, input).await;
        assert_eq!(made["userErrors"], json!([{ "code": code, "field": ["input", field] }]), "{input}");
        assert_eq!((&made["token"], &made["secret"]), (&Value::Null, &Value::Null));
    }
    let missing = revoke(&site, &json!("no token")).await;
    assert_eq!(missing["userErrors"], json!([{ "code": "NOT_FOUND", "field": ["input", "id"] }]));
}

#[tokio::test]
async fn tokens_are_listed_without_their_secrets() {
    let site = site().await;
    let mut texts = Vec::new();
    for n in 0..5 {
        site.clock.set(instant(&format!("2026-06-15T12:00:0{n}Z")));
        texts.push(create(&site, &format!("name: \"{n}\", role: AUTHOR, authorSlug: \"ada\"")).await["secret"].clone());
    }
    let page = async |arguments: &str| {
        let query = format!(
            "{{ tokens({arguments}) {{ totalCount nodes {{ name author {{ slug }} }} edges {{ cursor }} pageInfo {{ hasNextPage hasPreviousPage endCursor }} }} }}"
        );
        let answer = site.ask_as(Some(EDITOR_TOKEN), &query).await;
        assert_eq!(answer.get("errors"), None, "{answer}");
        answer["data"]["tokens"].clone()
    };
    let names = |page: &Value| {
        page["nodes"]
            .as_array()
            .expect("nodes")
            .iter()
            .map(|t| t["name"].as_str().unwrap_or_default().to_owned())
            .collect::<String>()
    };
    let first = page("first: 2").await;
    assert_eq!(
        (names(&first), &first["totalCount"], &first["pageInfo"]["hasNextPage"]),
        ("43".to_owned(), &json!(5), &json!(true))
    );
    let next = page(&format!("first: 9, after: {}", first["pageInfo"]["endCursor"])).await;
    assert_eq!((names(&next), &next["pageInfo"]["hasPreviousPage"]), ("210".to_owned(), &json!(true)));
    assert_eq!(names(&page(&format!("last: 1, before: {}", first["pageInfo"]["endCursor"])).await), "4");
    let everything = format!("{:?}", site.store.scan(Table::Tokens.name(), None).await.expect("rows"));
    for text in texts {
        let secret = text.as_str().expect("a secret").rsplit('_').next().expect("a secret").to_owned();
        assert!(!everything.contains(&secret));
    }
    let bad = site.ask_as(Some(EDITOR_TOKEN), "{ tokens(after: \"x\") { totalCount } }").await;
    assert_eq!(bad["errors"][0]["extensions"]["code"], "BAD_CURSOR");
}

/// The hash has 32 bytes.
#[tokio::test]
async fn only_a_hash_of_a_secret_is_stored() {
    let site = site().await;
    site.token(Role::Editor, None).await;
    let rows = site.store.scan(Table::Tokens.name(), None).await.expect("rows").rows;
    let Some(Property::Binary(hash)) = rows[0].properties.get("SecretHash") else { panic!("no hash: {rows:?}") };
    assert_eq!(hash.len(), 32);
}

/// The other server has the token in its cache and reads it again when the cache entry has expired.
#[tokio::test]
async fn a_token_revoked_by_one_server_is_refused_by_another_in_time() {
    let site = site().await;
    let seen_within = std::time::Duration::from_millis(50);
    let shared = Sharing::Shared { seen_within };
    let clock = Clock::fixed(instant(NOW));
    let content = Content::open(Arc::clone(&site.store), clock.clone(), shared).await.expect("the content opens");
    let other = Site { content, store: Arc::clone(&site.store), clock };
    let made = create(&site, "name: \"n\", role: READER").await;
    let text = made["secret"].as_str().expect("a secret");
    assert_eq!(refusal(&other, text).await, None);
    revoke(&site, &made["token"]["id"]).await;
    tokio::time::sleep(seen_within * 2).await;
    assert_eq!(refusal(&other, text).await.map(|(code, _)| code).as_deref(), Some("UNAUTHENTICATED"));
}

/// One point read for a token, and none while it is cached.
#[tokio::test]
async fn a_token_costs_one_point_read() {
    let site = site().await;
    let token = site.token(Role::Editor, None).await;
    site.invalidate_cached();
    for expected in [1, 0] {
        let request = json_request("application/json").header("GraphQL-Cost", "report");
        let answer = site.send(request, Some(&token), json!({ "query": "{ __typename }" }).to_string()).await;
        let spent = &answer.body["extensions"]["operationCost"]["spent"];
        assert_eq!((&spent["pointReads"], &spent["rangeReads"]), (&json!(expected), &json!(0)));
    }
}

/// The same operations as on the embedded store.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens_and_preview_links_work_in_azurite() {
    let subject = stores::azurite().await;
    let site = Site::over(subject.store.clone()).await;
    site.publish(&[post(1, instant("2026-05-01T00:00:00Z"))]).await;
    let made = create(&site, "name: \"n\", role: EDITOR, expiresAt: \"2026-07-01T00:00:00Z\"").await;
    let text = made["secret"].as_str().expect("a secret");
    let id = format!("post-{}", post(1, instant(NOW)).post.id);
    let link = site
        .ask_as(
            Some(text),
            &format!("mutation {{ createPreview(input: {{ contentId: \"{id}\" }}) {{ preview {{ token }} }} }}"),
        )
        .await;
    let shown = site
        .ask_as(
            None,
            &format!("{{ preview(token: {}) {{ slug }} }}", link["data"]["createPreview"]["preview"]["token"]),
        )
        .await;
    assert_eq!(shown, json!({ "data": { "preview": { "slug": "post-1" } } }));
    assert_eq!(revoke(&site, &made["token"]["id"]).await["token"]["revokedAt"], NOW);
    assert!(refusal(&site, text).await.is_some());
    let tokens = site.ask_as(Some(EDITOR_TOKEN), "{ tokens { totalCount } }").await;
    assert_eq!(tokens["data"]["tokens"]["totalCount"], 1);
    site.assert_sound().await;
}
