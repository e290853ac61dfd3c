//! The fields `rateLimit` and `operationCost`. The rule: they have the figures of the headers and of `GraphQL-Cost`, and a dry run runs nothing.

use serde_json::{Value, json};
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::graphql::fair_use::FairUseSettings;

use super::{LEFT, Limited, POST, rate, request, site};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::NOW;

#[tokio::test]
async fn the_schema_shows_what_is_left() {
    let site = site().await;
    let settings = FairUseSettings { token: rate(5, 50), address: rate(2, 20), anonymous: rate(4, 10) };
    let limited = Limited::of(&site, settings);
    let asked = limited.ask("192.0.2.1", None, LEFT).await;
    let full = json!({
        "scope": "ADDRESS", "limit": 20, "restoreRate": 2, "remaining": 20, "used": 0, "resetAt": NOW, "cost": 0,
    });
    assert_eq!(asked.body["data"]["rateLimit"], full);
    let both = format!("{{ a: post(slug: \"post-1\") {{ title }} {}", &LEFT[1..]);
    let asked = limited.with_token(&both).await;
    let taken = json!({
        "scope": "TOKEN", "limit": 50, "restoreRate": 5, "remaining": 47, "used": 3, "resetAt": "2026-06-15T12:00:00.600Z", "cost": 3,
    });
    assert_eq!(asked.body["data"]["rateLimit"], taken);
    assert_eq!(asked.left(), 48, "two of the three were spent");
    let of_all = Limited::of(&site, FairUseSettings { anonymous: rate(4, 10), ..FairUseSettings::default() });
    assert_eq!(of_all.ask("192.0.2.1", None, LEFT).await.body["data"]["rateLimit"]["scope"], "ANONYMOUS");
    let off = Limited::of(&site, FairUseSettings::default()).with_token(LEFT).await;
    assert_eq!((&off.body["data"]["rateLimit"], off.header("ratelimit-policy")), (&Value::Null, ""));
    assert_eq!(off.body.get("errors"), None);
}

#[tokio::test]
async fn operations_without_a_token_have_a_limit_of_their_own() {
    let site = site().await;
    let limited = Limited::with(&site, FairUseSettings::default(), |service| service.with_anonymous_limit(2));
    for (token, limit) in [(None, Some(2)), (Some(EDITOR_TOKEN), None)] {
        let answered = limited.ask("192.0.2.1", token, POST).await;
        let message = answered.body["errors"][0]["message"].as_str().unwrap_or_default();
        let expected = limit.map(|limit| format!("; the limit is {limit}."));
        assert_eq!(message.is_empty(), expected.is_none(), "{message}");
        assert!(expected.is_none_or(|expected| message.contains(&expected)), "{message}");
        let dry = format!("{{ operationCost(query: {}) {{ limit }} }}", json!("{ viewer { name } }"));
        let cost = limited.ask("192.0.2.1", token, &dry).await.body["data"]["operationCost"]["limit"].clone();
        assert!(cost.is_null() || cost == limit.unwrap_or(STORAGE_REQUESTS_MAX), "{cost}");
    }
}

/// The figures of the field for a document, as a client with this token gets them.
async fn dry_run(limited: &Limited, token: Option<&str>, arguments: &str) -> Value {
    let query = format!(
        "{{ operationCost({arguments}) {{ requests pointReads rangeReads transactions values limit mostExpensive {{ path requests }} }} }}"
    );
    limited.ask("192.0.2.1", token, &query).await.body
}

#[tokio::test]
async fn the_cost_of_an_operation_is_computed_without_running_it() {
    let site = site().await;
    let limited = Limited::of(&site, FairUseSettings { token: rate(1, 100), ..FairUseSettings::default() });
    let cloud = "{ tags(first: 10) { nodes { posts { totalCount } } } }";
    let figures =
        dry_run(&limited, Some(EDITOR_TOKEN), &format!("query: {}", json!(cloud))).await["data"]["operationCost"]
            .clone();
    let mut validation = request("192.0.2.1", Some(EDITOR_TOKEN), cloud);
    validation.headers_mut().insert("graphql-cost", "validate".parse().expect("a header"));
    let by_header = limited.send(validation).await.body["extensions"]["operationCost"].clone();
    for name in ["requests", "pointReads", "rangeReads", "transactions", "values"] {
        assert_eq!(figures[name], by_header["bound"][name], "{name}: {figures} {by_header}");
    }
    assert_eq!((&figures["limit"], &figures["mostExpensive"]), (&by_header["limit"], &by_header["mostExpensive"]));
    let changes =
        json!("mutation($slug: String!) { createTag(input: { name: \"New\", slug: $slug }) { userErrors { code } } }");
    let variables = "{ slug: \"new\" }";
    let of_change = dry_run(&limited, Some(EDITOR_TOKEN), &format!("query: {changes}, variables: {variables}")).await;
    assert!(of_change["data"]["operationCost"]["transactions"].as_u64() > Some(0), "{of_change}");
    assert_eq!(site.query("{ tag(slug: \"new\") { id } }").await["tag"], Value::Null, "nothing was run");
    let anonymous = dry_run(&limited, None, &format!("query: {}", json!(cloud))).await;
    assert!(anonymous["data"]["operationCost"]["requests"].as_u64() >= figures["requests"].as_u64(), "{anonymous}");
}

#[tokio::test]
async fn a_document_that_cannot_run_has_no_cost() {
    let site = site().await;
    let limited = Limited::of(&site, FairUseSettings::default());
    for (arguments, argument, text) in [
        ("query: \"{ nothing }\"", "query", "nothing"),
        ("query: \"{\"", "query", "GRAPHQL_PARSE_FAILED"),
        ("query: \"query($a: Int!) { posts(first: $a) { totalCount } }\"", "query", "$a"),
        ("query: \"{ viewer { name } }\", variables: []", "variables", "an object"),
        ("query: \"{ viewer { name } }\", variables: \"{}\"", "variables", "an object"),
        ("query: \"query A { viewer { name } } query B { viewer { name } }\"", "query", "OPERATION_RESOLUTION_FAILURE"),
    ] {
        let refused = dry_run(&limited, Some(EDITOR_TOKEN), arguments).await;
        let error = &refused["errors"][0];
        assert_eq!(refused["data"]["operationCost"], Value::Null, "{arguments}");
        assert_eq!(
            (&error["extensions"]["code"], &error["extensions"]["argument"]),
            (&json!("BAD_USER_INPUT"), &json!(argument))
        );
        assert!(error["message"].as_str().is_some_and(|message| message.contains(text)), "{arguments}: {error}");
    }
    let twice = "{ a: operationCost(query: \"{ viewer { name } }\") { requests } b: operationCost(query: \"{ viewer { name } }\") { requests } }";
    let twice = limited.with_token(twice).await.body;
    assert_eq!(twice["errors"].as_array().map(Vec::len), Some(1), "{twice}");
    let named = "query: \"query A { viewer { name } } query B { viewer { name } }\", operationName: \"B\"";
    assert_eq!(dry_run(&limited, Some(EDITOR_TOKEN), named).await["data"]["operationCost"]["requests"], 0);
}
