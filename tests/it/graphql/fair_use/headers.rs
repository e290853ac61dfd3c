//! What headers and refusals say of a limit. The rule: what a refusal promises is true.

use axum::http::{StatusCode, header};
use serde_json::json;
use tidings::graphql::fair_use::FairUseSettings;

use super::{Limited, POST, advance, rate, request, site};

#[tokio::test]
async fn a_refusal_says_when_the_request_will_be_answered() {
    let site = site().await;
    let limited = Limited::of(&site, FairUseSettings { token: rate(2, 20), ..FairUseSettings::default() });
    let mut last = limited.with_token(POST).await;
    while last.status == StatusCode::OK {
        last = limited.with_token(POST).await;
    }
    assert_eq!((last.status, last.body.get("data")), (StatusCode::TOO_MANY_REQUESTS, None));
    assert_eq!(last.header("retry-after"), "1");
    assert_eq!(last.header("ratelimit-policy"), "\"token\";q=20;w=10;qu=\"storage-requests\"");
    assert_eq!(last.header("ratelimit"), "\"token\";r=2;t=1");
    let expected = json!({
        "code": "RATE_LIMITED", "retryable": true, "retryAfterMs": 500, "scope": "TOKEN", "limit": 20, "restoreRate": 2, "remaining": 2, "cost": 3,
        "resetAt": "2026-06-15T12:00:09.000Z",
    });
    assert_eq!(*last.error(), expected);
    let dear = "{ posts(first: 20) { nodes { tags { posts(first: 20) { nodes { id } } } } } }";
    let refused = limited.with_token(dear).await;
    let seconds: i64 = refused.header("retry-after").parse().expect("seconds");
    assert_eq!(seconds, 9, "more than the bucket holds: it must be full");
    advance(&site, seconds - 1);
    assert_eq!(limited.with_token(dear).await.status, StatusCode::TOO_MANY_REQUESTS);
    advance(&site, 1);
    let answered = limited.with_token(dear).await;
    assert_eq!(answered.status, StatusCode::OK, "{}", answered.body);
    assert_eq!(answered.body["data"]["posts"]["nodes"].as_array().map(Vec::len), Some(20));
}

/// Clients of `application/json` too: what repeats requests knows the status.
#[tokio::test]
async fn both_media_types_get_the_status() {
    let site = site().await;
    let limited = Limited::of(&site, FairUseSettings { address: rate(1, 3), ..FairUseSettings::default() });
    assert_eq!(limited.ask("192.0.2.1", None, POST).await.status, StatusCode::OK);
    for accept in ["application/json", "application/graphql-response+json"] {
        let mut refused = request("192.0.2.1", None, "{ post(slug: \"post-2\") { title } }");
        refused.headers_mut().insert(header::ACCEPT, accept.parse().expect("a header"));
        let refused = limited.send(refused).await;
        assert_eq!((refused.status, refused.header("retry-after")), (StatusCode::TOO_MANY_REQUESTS, "3"), "{accept}");
        assert_eq!(refused.error()["scope"], "ADDRESS");
    }
}
