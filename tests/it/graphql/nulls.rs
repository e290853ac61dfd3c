//! The `data` of an answer, as the GraphQL specification defines it: keys in the order of the selection, and null propagation after a field
//! error. The order is checked on the response text, because parsed JSON values do not keep it.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::content::{Content, Sharing};
use tidings::model::Role;

use super::errors::site;
use crate::support::faulty::{FaultyStore, Last};
use crate::support::graphql::{Answer, json_request};
use crate::support::site::{Site, instant, post};

/// The data, and the path of each error with its code.
async fn ask(site: &Site, query: &str) -> (Value, Vec<String>) {
    let answer = site.post_graphql(json!({ "query": query })).await;
    assert_eq!(answer.status, 200, "{query}");
    let data = answer.body.get("data").unwrap_or_else(|| panic!("no data: {}", answer.text)).clone();
    (data, failures(&answer))
}

/// The path of each error with its code.
fn failures(answer: &Answer) -> Vec<String> {
    let errors = answer.body["errors"].as_array().cloned().unwrap_or_default();
    let mut failures: Vec<_> =
        errors.iter().map(|e| format!("{} {}", e["path"], e["extensions"]["code"].as_str().expect("a code"))).collect();
    failures.sort();
    failures
}

/// Only the first errors are answered, so their order decides which. An object's own field, which fails at once, comes before a field of the object
/// inside it, which has to be read first.
#[tokio::test]
async fn errors_are_in_the_order_in_which_fields_fail() {
    let site = site().await;
    let query = "{ posts(first: 2) { nodes { revisions { totalCount } newer { revisions { totalCount } } } } }";
    let answer = site.post_graphql(json!({ "query": query })).await;
    let errors = answer.body["errors"].as_array().cloned().unwrap_or_default();
    let paths: Vec<_> = errors.into_iter().map(|error| error["path"].clone()).collect();
    let expected = [
        json!(["posts", "nodes", 0, "revisions"]),
        json!(["posts", "nodes", 1, "revisions"]),
        json!(["posts", "nodes", 1, "newer", "revisions"]),
    ];
    assert_eq!(paths, expected, "{}", answer.text);
}

/// A client does not know before it asks what its token allows: one document serves readers and editors.
#[tokio::test]
async fn a_query_of_public_and_gated_fields_keeps_the_public_ones() {
    let site = site().await;
    site.publish(&[post(40, instant("2026-05-01T00:00:00Z"))]).await;
    let query = r#"{
        posts { totalCount } draftPosts { totalCount } scheduledPosts { totalCount } tokens { totalCount }
        auditLog(first: 0) { nodes { id } } own: post(slug: "post-1") { slug revisions { nodes { version } } }
        post(slug: "post-40") { slug revisions { nodes { version } } }
    }"#;
    let gated = ["draftPosts", "scheduledPosts", "tokens", "auditLog", "own,revisions", "post,revisions"];
    let cases = [
        (None, "UNAUTHENTICATED", &gated[..]),
        (Some(Role::Reader), "FORBIDDEN", &["tokens", "auditLog"][..]),
        (Some(Role::Author), "FORBIDDEN", &["tokens", "auditLog", "post,revisions"][..]),
        (Some(Role::Editor), "FORBIDDEN", &["tokens"][..]),
        (Some(Role::Admin), "", &[][..]),
    ];
    for (role, code, refused) in cases {
        let token = match role {
            None => None,
            Some(role) => Some(site.token(role, (role == Role::Author).then_some("ann")).await),
        };
        let status = if refused.is_empty() { 200 } else { 294 };
        for (media, status) in [("application/json", 200), ("application/graphql-response+json", status)] {
            let body = json!({ "query": query }).to_string();
            let answer = site.send(json_request(media), token.as_deref(), body).await;
            assert_eq!(answer.status.as_u16(), status, "{role:?}");
            let mut expected: Vec<String> =
                refused.iter().map(|path| format!("{} {code}", json!(path.split(',').collect::<Vec<_>>()))).collect();
            expected.sort();
            assert_eq!(failures(&answer), expected, "{role:?}");
            let data = &answer.body["data"];
            assert_eq!(data["posts"]["totalCount"], 31);
            assert_eq!((&data["own"]["slug"], &data["post"]["slug"]), (&json!("post-1"), &json!("post-40")));
            for path in gated {
                let value = path.split(',').fold(data, |value, field| &value[field]);
                assert_eq!(value.is_null(), refused.contains(&path), "{path} for {role:?}: {data}");
            }
        }
    }
}

#[tokio::test]
async fn a_failed_field_nulls_its_parents_up_to_the_next_nullable_one() {
    let site = site().await;
    let tag = site.query(r#"{ tag(slug: "any") { id } }"#).await["tag"]["id"].clone();
    let post = site.query(r#"{ post(slug: "post-1") { id } }"#).await["post"]["id"].clone();
    let nodes =
        format!("{{ nodes(ids: [{tag}, {post}]) {{ id ... on Tag {{ posts(first: -1) {{ nodes {{ id }} }} }} }} }}");
    let cases = [
        // `posts: PostConnection!` of the query.
        (
            r#"{ node(id: "x") { id } posts(after: "x") { nodes { id } } }"#,
            json!(null),
            vec![r#"["posts"] BAD_CURSOR"#],
        ),
        // The same field of a tag, which may be null; its siblings keep their values.
        (
            r#"{ tag(slug: "any") { slug posts(after: "x") { nodes { id } } } other: tag(slug: "any") { slug } }"#,
            json!({ "tag": null, "other": { "slug": "any" } }),
            vec![r#"["tag","posts"] BAD_CURSOR"#],
        ),
        (
            r#"{ post(slug: "post-1") { slug author { slug posts(last: 101) { totalCount } } } }"#,
            json!({ "post": { "slug": "post-1", "author": null } }),
            vec![r#"["post","author","posts"] BAD_USER_INPUT"#],
        ),
        // Through `[Tag!]!` and `[Post!]!` to the root.
        (
            r#"{ posts(first: 2) { nodes { tags { posts(first: 1, after: "x") { nodes { id } } } } } }"#,
            json!(null),
            vec![
                r#"["posts","nodes",0,"tags",0,"posts"] BAD_CURSOR"#,
                r#"["posts","nodes",1,"tags",0,"posts"] BAD_CURSOR"#,
            ],
        ),
        // Up to the item of `[Node]!`.
        (&nodes, json!({ "nodes": [null, { "id": post }] }), vec![r#"["nodes",0,"posts"] BAD_USER_INPUT"#]),
        // Selected twice, reported once.
        (
            r#"{ ...A ...B } fragment A on Query { posts(after: "x") { totalCount } } fragment B on Query { posts(after: "x") { totalCount } }"#,
            json!(null),
            vec![r#"["posts"] BAD_CURSOR"#],
        ),
    ];
    for (query, data, errors) in cases {
        let (found, failures) = ask(&site, query).await;
        assert_eq!((found, failures), (data, errors.into_iter().map(ToOwned::to_owned).collect()), "{query}");
    }
}

/// The store fails after each number of requests: the answer has no data, posts without their authors, or all data.
#[tokio::test]
async fn a_storage_failure_nulls_only_the_fields_that_needed_the_storage() {
    let healthy = site().await;
    let query = "{ posts(first: 2) { nodes { slug author { name } } } }";
    let mut answers: Vec<(Value, Vec<String>)> = Vec::new();
    for requests in 0..20 {
        let store = FaultyStore::stopping_after(Arc::clone(&healthy.store), requests, Last::Unsent);
        let content = Content::open(store.clone(), healthy.clock.clone(), Sharing::Alone).await.expect("it opens");
        let site = Site { content, store: store.clone(), clock: healthy.clock.clone() };
        let answer = ask(&site, query).await;
        if answers.last() != Some(&answer) {
            answers.push(answer);
        }
    }
    let posts = |author: Value| json!({ "posts": { "nodes": [{ "slug": "post-0", "author": author }, { "slug": "post-1", "author": author }] } });
    let failed = |paths: &[&str]| paths.iter().map(|path| format!("{path} INTERNAL_SERVER_ERROR")).collect::<Vec<_>>();
    let expected = vec![
        (Value::Null, failed(&[r#"["posts"]"#])),
        (posts(Value::Null), failed(&[r#"["posts","nodes",0,"author"]"#, r#"["posts","nodes",1,"author"]"#])),
        (posts(json!({ "name": "The author ann" })), Vec::new()),
    ];
    assert_eq!(answers, expected);
}

#[tokio::test]
async fn keys_have_the_order_of_the_selection() {
    let site = site().await;
    let cases = [
        // Counts and reads are resolved later than cached values.
        (
            r#"{ tags { totalCount nodes { posts { totalCount } slug } } __typename z: post(slug: "post-0") { body { markdown } slug } a: archive { year } }"#,
            r#"{"data":{"tags":{"totalCount":1,"nodes":[{"posts":{"totalCount":30},"slug":"any"}]},"__typename":"Query","z":{"body":{"markdown":"Post 0, *in full*.\n"},"slug":"post-0"},"a":[{"year":2026}]}}"#,
        ),
        (
            r#"{ ...P post(slug: "post-1") { slug ... @skip(if: true) { id } } } fragment P on Query { post(slug: "post-1") { author { name } title } }"#,
            r#"{"data":{"post":{"author":{"name":"The author ann"},"title":"Post 1","slug":"post-1"}}}"#,
        ),
        ("{ posts(first: 1) { nodes { id @skip(if: true) } } }", r#"{"data":{"posts":{"nodes":[{}]}}}"#),
    ];
    for (query, expected) in cases {
        assert_eq!(site.post_graphql(json!({ "query": query })).await.text, expected, "{query}");
    }
}
