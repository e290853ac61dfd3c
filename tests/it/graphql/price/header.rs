//! The header `GraphQL-Cost`, the refusal of what is too expensive, and the counts of mutations.

use std::sync::Arc;

use axum::http::StatusCode;
use serde_json::{Value, json};
use tidings::graphql::access::SignIn;
use tidings::graphql::content_service::ContentService;
use tidings::http::health::Readiness;
use tidings::http::{HttpSettings, Writes, router};

use super::{Asking, Way};
use crate::support::graphql::json_request;
use crate::support::memory::MemoryStore;
use crate::support::site::{NOW, Site, instant, post, slugs};

const CLOUD: &str = "{ tags(first: 100) { nodes { name posts { totalCount } } } }";

/// Three posts with three tags of their own each.
async fn site() -> Site {
    let site = Site::in_memory().await;
    fill(&site).await;
    site
}

async fn fill(site: &Site) {
    let posts = (0..3).map(|n| {
        let mut whole = post(n, instant(NOW));
        whole.post.tags = slugs(&[&format!("a-{n}"), &format!("b-{n}"), &format!("c-{n}")]);
        whole.post.authors = slugs(&["grace"]);
        whole
    });
    site.publish(&posts.collect::<Vec<_>>()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn report_returns_the_figures_with_the_answer_and_validate_without_running() {
    let site = site().await;
    let asking = Asking::of(&site);
    let reported = asking.ask(CLOUD, &json!({}), Way::Header("report")).await;
    assert_eq!(reported.body["data"]["tags"]["nodes"].as_array().map(Vec::len), Some(9));
    assert!(reported.spent >= 9 && reported.bound >= reported.spent, "{}", reported.body);
    let checked = asking.ask(CLOUD, &json!({}), Way::Header("Validate")).await;
    assert_eq!((&checked.body["data"], checked.spent), (&Value::Null, 0));
    assert_eq!(checked.body["extensions"]["operationCost"]["limit"], 50_000);
    assert_eq!(
        checked.body["extensions"]["operationCost"]["mostExpensive"],
        json!({ "path": "tags.nodes.posts.totalCount", "requests": 18 })
    );
    let changes = "mutation { createTag(input: { name: \"New\", slug: \"new\" }) { userErrors { code } } }";
    assert_eq!(asking.ask(changes, &json!({}), Way::Header("validate")).await.body["data"], Value::Null);
    assert_eq!(site.query("{ tag(slug: \"new\") { id } }").await["tag"], Value::Null, "nothing was run");
    let both = asking.ask(CLOUD, &json!({}), Way::Header("report, validate")).await;
    assert_eq!(both.body["errors"][0]["extensions"]["code"], "BAD_REQUEST");
}

#[tokio::test]
async fn a_client_that_may_not_know_the_cost_gets_the_answer_alone_or_an_error() {
    let site = site().await;
    let body = json!({ "query": CLOUD }).to_string();
    let send = async |value: &str| {
        let request = json_request("application/json").header("GraphQL-Cost", value);
        site.send(request, None, body.clone()).await.body
    };
    let reported = send("report").await;
    assert_eq!((reported.get("extensions"), reported.get("errors")), (None, None));
    assert_eq!(send("validate").await["errors"][0]["extensions"]["code"], "FORBIDDEN");
}

#[tokio::test]
async fn a_query_over_the_limit_is_refused_with_the_path_that_costs_most() {
    let site = site().await;
    let service = ContentService::new(site.content.clone(), 20).with_sign_in(SignIn::default());
    let router =
        router(Arc::new(service), Readiness::new(async || Ok(None)), Writes::default(), HttpSettings::default());
    let ask = async |query: &str| {
        let body = json!({ "query": query }).to_string();
        let request = json_request("application/graphql-response+json").body(axum::body::Body::from(body));
        let answer = tower::ServiceExt::oneshot(router.clone(), request.expect("a request")).await.expect("an answer");
        let status = answer.status();
        let bytes = axum::body::to_bytes(answer.into_body(), usize::MAX).await.expect("a body");
        (status, serde_json::from_slice::<Value>(&bytes).expect("JSON"))
    };
    let dear = "{ cloud: tags(first: 100) { nodes { posts(first: 10) { nodes { id } } } } }";
    let (status, refused) = ask(dear).await;
    assert_eq!((status, refused.get("data")), (StatusCode::UNPROCESSABLE_ENTITY, None));
    let message = refused["errors"][0]["message"].as_str().expect("a message");
    assert!(message.starts_with("This query may need "), "{message}");
    assert!(message.contains("; the limit is 20. The most expensive part is cloud.nodes.posts: "), "{message}");
    let cheap = "{ tags(first: 1) { nodes { name postCount } } }";
    assert_eq!(ask(cheap).await.0, StatusCode::OK, "the number of tags is read before it is refused");
}

/// On tables as on a file, a change is one transaction.
#[tokio::test(flavor = "multi_thread")]
async fn the_requests_of_a_mutation_are_counted() {
    let changes = "mutation { createPost(input: { title: \"New\", markdown: \"x\", tagSlugs: [\"a-1\"], authorSlugs: [\"grace\"], publishAt: \"2026-01-01T00:00:00Z\" }) { post { id } userErrors { code } } }";
    for site in [Site::in_memory().await, Site::over(MemoryStore::empty()).await] {
        fill(&site).await;
        let asked = Asking::of(&site).ask(changes, &json!({}), Way::Header("report")).await;
        assert_eq!(asked.body["data"]["createPost"]["userErrors"], json!([]));
        let transactions = &asked.body["extensions"]["operationCost"]["spent"]["transactions"];
        assert!(transactions.as_u64().is_some_and(|count| count >= 1), "{}", asked.body);
        assert!(asked.spent >= 2 && asked.spent <= asked.bound, "{}", asked.body);
    }
}
