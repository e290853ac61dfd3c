//! What operations take of the buckets of their clients, and give back. The rule: the store counts the requests too, so that a charge does not only equal itself.

use std::sync::Arc;

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::{Value, json};
use tidings::graphql::fair_use::FairUseSettings;
use tidings::model::Role;
use tidings::model::token::{TOKEN_ID_CHARS, TOKEN_PREFIX};
use tidings::store::{CountingStore, Store};
use tokio::task::JoinSet;

use super::{LEFT, Limited, POST, advance, fill, rate, request, site};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::site::Site;

/// How many requests a token gets answered in each of some seconds, if it sends as many as it can; after each, a crowd of 100 clients sends some too. And
/// how many of those are answered.
async fn admitted_beside(crowd: usize) -> (Vec<u64>, u64) {
    let site = site().await;
    let settings = FairUseSettings { token: rate(20, 100), address: rate(2, 6), anonymous: rate(60, 300) };
    let limited = Limited::of(&site, settings);
    let (mut of_token, mut of_crowd) = (Vec::new(), 0);
    for second in 0..5 {
        let mut clients = JoinSet::new();
        for client in 0..crowd {
            let limited = limited.clone();
            // Different queries, because cached answers take nothing.
            let query = format!("{{ c{second}: post(slug: \"post-{client}\") {{ title }} }}");
            clients.spawn(async move { limited.ask(&format!("198.51.100.{client}"), None, &query).await });
        }
        let mut admitted = 0;
        while limited.with_token(POST).await.status == StatusCode::OK {
            admitted += 1;
        }
        of_token.push(admitted);
        of_crowd += clients.join_all().await.iter().filter(|answered| answered.status == StatusCode::OK).count() as u64;
        advance(&site, 1);
    }
    (of_token, of_crowd)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_keeps_its_rate_beside_a_crowd_of_a_hundred_anonymous_clients() {
    let (alone, _) = admitted_beside(0).await;
    let (beside, of_crowd) = admitted_beside(100).await;
    assert_eq!(alone, beside);
    // Two of the three that each may need are spent, so 49 fit into the burst, and then ten into each second.
    assert_eq!(alone, [49, 10, 10, 10, 10]);
    // 300 at once and 60 a second, three for each.
    assert_eq!(of_crowd, 180);
}

/// Documents of many costs; some fail before they run, some while they run.
fn any_query(random: &mut Random) -> String {
    let (n, first) = (random.below(20), random.below(5) + 1);
    match random.below(8) {
        0 => format!("{{ post(slug: \"post-{n}\") {{ title body {{ text }} }} }}"),
        1 => {
            format!("{{ posts(first: {first}) {{ nodes {{ title tags {{ name postCount }} authors {{ name }} }} }} }}")
        }
        2 => format!(
            "{{ tags(first: {first}) {{ nodes {{ name posts(first: {first}) {{ totalCount nodes {{ id }} }} }} }} }}"
        ),
        3 => "{ nothing }".to_owned(),
        4 => "{ posts(first: 1000) { nodes { id } } }".to_owned(),
        5 => format!("{{ posts(first: {first}, after: \"bad\") {{ nodes {{ id }} }} viewer {{ name }} }}"),
        6 => format!("mutation {{ createTag(input: {{ name: \"N\", slug: \"n-{n}\" }}) {{ userErrors {{ code }} }} }}"),
        _ => format!(
            "mutation {{ createPost(input: {{ title: \"T\", markdown: \"x\", tagSlugs: [\"t-{}\"] }}) {{ post {{ id }} userErrors {{ code }} }} }}",
            n % 5
        ),
    }
}

/// The store counts the requests too, so that the charge does not only equal itself.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_spent_is_given_back_exactly_also_by_what_fails() {
    const BURST: u64 = 1_000_000;
    for seed in seeds(2) {
        let _report = report_seed_on_failure(seed);
        let mut random = Random::new(seed);
        let counting = CountingStore::new(MemoryStore::transactional());
        let store: Store = Arc::<CountingStore>::clone(&counting);
        let site = Site::over(store).await;
        fill(&site).await;
        let limited = Limited::of(&site, FairUseSettings { token: rate(1_000, BURST), ..FairUseSettings::default() });
        let begun = counting.used().requests();
        let so_far = || u64::from(counting.used().requests() - begun);
        for _ in 0..100 {
            let (query, before) = (any_query(&mut random), so_far());
            let left = limited.left().await;
            let answered = limited.with_token(&query).await;
            let spent = so_far() - before;
            assert_eq!(limited.left().await, left - spent, "{query}: {}", answered.body);
        }
        advance(&site, 1_000);
        assert_eq!(limited.left().await, BURST, "nothing stays reserved");
    }
}

/// A token with this secret and an id that no token has.
fn another_id(token: &str) -> String {
    let (prefix, rest) = token.split_at(TOKEN_PREFIX.len());
    format!("{prefix}{}{}", "0".repeat(TOKEN_ID_CHARS), &rest[TOKEN_ID_CHARS..])
}

#[tokio::test]
async fn tokens_that_are_refused_are_limited_by_address_and_others_are_not() {
    let site = site().await;
    let token = site.token(Role::Reader, None).await;
    let limited = Limited::of(&site, FairUseSettings { address: rate(1, 3), ..FairUseSettings::default() });
    let wrong = another_id(&token);
    let mut statuses = Vec::new();
    for _ in 0..5 {
        statuses.push(limited.ask("192.0.2.1", Some(&wrong), POST).await.status.as_u16());
    }
    assert_eq!(statuses, [401, 401, 401, 429, 429], "each look-up is a read");
    let refused = limited.ask("192.0.2.1", Some(&wrong), POST).await;
    assert_eq!((&refused.error()["code"], refused.header("retry-after")), (&json!("RATE_LIMITED"), "1"));
    assert_eq!(limited.ask("192.0.2.2", Some(&token), POST).await.status, StatusCode::OK);
    assert_eq!(
        limited.ask("192.0.2.1", Some(&token), POST).await.status,
        StatusCode::OK,
        "a token that is known is not guessed, wherever it comes from"
    );
    assert_eq!(limited.ask("192.0.2.1", Some(EDITOR_TOKEN), POST).await.status, StatusCode::OK);
    assert_eq!(
        limited.ask("192.0.2.1", None, POST).await.status,
        StatusCode::OK,
        "an anonymous request is another limit"
    );
}

#[tokio::test]
async fn each_request_of_a_batch_takes_its_own_and_a_validation_takes_nothing() {
    let site = site().await;
    let limited = Limited::of(&site, FairUseSettings { token: rate(1, 7), ..FairUseSettings::default() });
    let mut validation = request("192.0.2.1", Some(EDITOR_TOKEN), POST);
    validation.headers_mut().insert("graphql-cost", "validate".parse().expect("a header"));
    let validated = limited.send(validation).await;
    assert_eq!(validated.body["extensions"]["operationCost"]["bound"]["requests"], 3, "{}", validated.body);
    assert_eq!(limited.left().await, 7);
    let mut batch = request("192.0.2.1", Some(EDITOR_TOKEN), POST);
    *batch.body_mut() =
        Body::from(json!([{ "query": POST }, { "query": POST }, { "query": POST }, { "query": POST }]).to_string());
    let answers = limited.send(batch).await;
    assert_eq!(answers.status, StatusCode::OK);
    let codes: Vec<_> = (0..4).map(|n| answers.body[n]["errors"][0]["extensions"]["code"].clone()).collect();
    assert_eq!(codes, [Value::Null, Value::Null, Value::Null, json!("RATE_LIMITED")]);
    assert_eq!(limited.left().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cached_answer_takes_nothing_and_one_that_shows_the_limit_is_not_cached() {
    let site = site().await;
    let limited = Limited::of(&site, FairUseSettings { address: rate(1, 4), ..FairUseSettings::default() });
    let first = limited.ask("192.0.2.1", None, POST).await;
    assert_eq!(first.left(), 1);
    for address in ["192.0.2.1", "192.0.2.2"] {
        for _ in 0..3 {
            let cached = limited.ask(address, None, POST).await;
            assert_eq!((cached.status, cached.header("ratelimit")), (StatusCode::OK, ""));
            assert_eq!(cached.body, first.body);
        }
    }
    assert_eq!(limited.ask("192.0.2.1", None, LEFT).await.body["data"]["rateLimit"]["remaining"], 1);
    assert_eq!(limited.ask("192.0.2.2", None, LEFT).await.body["data"]["rateLimit"]["remaining"], 4);
}
