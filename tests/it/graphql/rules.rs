//! The rules of the GraphQL specification for documents and values. The rule: the server has the verdict of graphql-js, and nothing of a request that is not
//! valid runs.

use std::collections::BTreeMap;
use std::process::Command;

use serde::Deserialize;
use serde_json::{Value, json};

use super::price::Asking;
use crate::support::graphql::{EDITOR_TOKEN, json_request};
use crate::support::random::seeds;
use crate::support::site::Site;

/// How many documents are made for a seed.
const DOCUMENTS: usize = 1_500;

/// A document that graphql-js has judged.
#[derive(Debug, Deserialize)]
struct Judged {
    text: String,
    variables: Value,
    name: String,
    errors: Vec<String>,
}

/// The code and the message of each error, and the data.
async fn sent(site: &Site, query: &str, variables: Value) -> (Vec<(String, String)>, Option<Value>) {
    let body = json!({ "query": query, "variables": variables }).to_string();
    let answer = site.send(json_request(NEWER), Some(EDITOR_TOKEN), body).await;
    let errors = answer.body["errors"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let errors: Vec<_> =
        errors.iter().map(|error| (text(&error["extensions"]["code"]), text(&error["message"]))).collect();
    let is_request_error = answer.body.get("data").is_none();
    assert_eq!(answer.status.as_u16(), if is_request_error && !errors.is_empty() { 422 } else { 200 }, "{query}");
    (errors, answer.body.get("data").cloned())
}

/// The message of the only error, which has this code; nothing ran.
async fn assert_refused(site: &Site, cases: &[(&str, Value, &str, &str)]) {
    for (query, variables, code, message) in cases {
        let (errors, data) = sent(site, query, variables.clone()).await;
        let expected = vec![((*code).to_owned(), (*message).to_owned())];
        assert_eq!((errors, data), (expected, None), "{query} {variables}");
    }
}

const NEWER: &str = "application/graphql-response+json";
const INVALID: &str = "GRAPHQL_VALIDATION_FAILED";
const BAD_INPUT: &str = "BAD_USER_INPUT";
const USE_ALIASES: &str = "Use different aliases on the fields to fetch both if this was intentional.";

#[tokio::test]
async fn fields_under_one_key_that_cannot_be_merged_are_refused() {
    let site = Site::in_memory().await;
    let different = format!("Fields \"x\" conflict because \"slug\" and \"title\" are different fields. {USE_ALIASES}");
    let arguments = format!("Fields \"tags\" conflict because they have differing arguments. {USE_ALIASES}");
    let types = format!(
        "Fields \"x\" conflict because they return conflicting types \"DateTime!\" and \"DateTime\". {USE_ALIASES}"
    );
    for (query, message) in [
        ("{ posts { nodes { x: slug ...F } } } fragment F on Post { x: title }", &different),
        ("{ posts { nodes { x: slug ... { x: title } } } }", &different),
        ("{ posts { nodes { x: slug } } ...F } fragment F on Query { posts { nodes { x: title } } }", &different),
        ("{ node(id: \"x\") { ... on Post { x: slug } ... on Node { ... on Post { x: title } } } }", &different),
        ("{ tags(first: 1) { totalCount } ... on Query { tags(first: 2) { totalCount } } }", &arguments),
        (
            "query($a: Int, $b: Int) { tags(first: $a) { totalCount } ...F } fragment F on Query { tags(first: $b) { totalCount } }",
            &arguments,
        ),
        ("{ node(id: \"x\") { ... on Page { x: updatedAt } ... on Post { x: publishedAt } } }", &types),
    ] {
        let (errors, data) = sent(&site, query, json!({})).await;
        assert_eq!((errors, data), (vec![(INVALID.to_owned(), message.clone())], None), "{query}");
    }
    for query in [
        "{ node(id: \"x\") { ... on Post { x: slug } ... on Page { x: path } } }",
        "{ tags(first: 1) { totalCount } ...F ...F } fragment F on Query { tags(first: 1) { nodes { slug } totalCount } }",
        "{ node(id: \"x\") { id ... on Post { id x: title } ... on Page { id x: title } } }",
        "{ __schema { types { name } } ... { __schema { types { kind name } } } }",
        "query($a: Int) { tags(first: $a) { totalCount } ...F } fragment F on Query { tags(first: $a) { totalCount } }",
    ] {
        assert_eq!(sent(&site, query, json!({})).await.0, [], "{query}");
    }
}

#[tokio::test]
async fn nothing_of_a_mutation_runs_before_a_value_that_does_not_fit() {
    let site = Site::in_memory().await;
    let create =
        |rest: &str| format!("a: createTag(input: {{ name: \"A\", slug: \"a\" }}) {{ tag {{ id }} }} b: {rest}");
    let post = |value: &str| {
        create(&format!("createPost(input: {{ title: \"T\", markdown: \"x\", {value} }}) {{ post {{ id }} }}"))
    };
    let no_time = "\"tomorrow\" is not an RFC 3339 time with Z or a UTC offset, of the years 1 to 9999, such as 2025-02-03T04:05:06.789Z";
    for (definitions, fields, variables, message) in [
        (
            "($at: DateTime!)",
            post("publishAt: $at"),
            json!({ "at": "tomorrow" }),
            format!("Invalid value for variable \"$at\", {no_time}"),
        ),
        (
            "",
            post("publishAt: \"tomorrow\""),
            json!({}),
            format!("Invalid value for argument \"input.publishAt\", {no_time}"),
        ),
        (
            "($at: DateTime = \"tomorrow\")",
            post("publishAt: $at"),
            json!({ "at": "2026-01-01T00:00:00Z" }),
            format!("Invalid default value for variable \"$at\", {no_time}"),
        ),
        (
            "($input: CreatePostInput!)",
            create("createPost(input: $input) { post { id } }"),
            json!({ "input": { "title": "T", "markdown": "x", "publishAt": "tomorrow" } }),
            format!("Invalid value for variable \"$input.publishAt\", {no_time}"),
        ),
        (
            "($input: CreatePostInput!)",
            create("createPost(input: $input) { post { id } }"),
            json!({ "input": "text" }),
            "Invalid value for variable \"$input\", expected type \"CreatePostInput\"".to_owned(),
        ),
        (
            "($version: Int!)",
            create("deleteTag(input: { id: \"x\", expectedVersion: $version }) { deletedId }"),
            json!({ "version": 2_147_483_648_i64 }),
            "Invalid value for variable \"$version\", expected type \"Int\", an integer from -2147483648 to 2147483647"
                .to_owned(),
        ),
        (
            "($title: String = \"T\")",
            create("createPost(input: { title: $title, markdown: \"x\" }) { post { id } }"),
            json!({ "title": null }),
            "Invalid value for variable \"$title\", null is not allowed where it is used".to_owned(),
        ),
        (
            "",
            post("tagSlugs: [\"a\", 7]"),
            json!({}),
            "Invalid value for argument \"input.tagSlugs.1\", expected type \"String\"".to_owned(),
        ),
    ] {
        let query = format!("mutation{definitions} {{ {fields} }}");
        let (errors, data) = sent(&site, &query, variables.clone()).await;
        assert_eq!((errors, data), (vec![(BAD_INPUT.to_owned(), message)], None), "{query} {variables}");
        assert_eq!(site.query("{ tags { totalCount } }").await["tags"]["totalCount"], 0, "{query}");
    }
    let number = json!({ "n": 2_147_483_648_i64 });
    let message = "Invalid value for variable \"$n\", expected type \"Int\", an integer from -2147483648 to 2147483647";
    assert_refused(
        &site,
        &[("query($n: Int) { site { name } tags(first: $n) { totalCount } }", number, BAD_INPUT, message)],
    )
    .await;
}

#[tokio::test]
async fn values_and_variables_are_where_the_specification_allows_them() {
    let site = Site::in_memory().await;
    assert_refused(
        &site,
        &[
            (
                "mutation { createTag(input: { name: \"A\", slug: \"a\", name: \"B\" }) { tag { id } } }",
                json!({}),
                INVALID,
                "There can be only one input field named \"name\".",
            ),
            (
                "query($a: String) { tags(first: $a) { totalCount } }",
                json!({}),
                INVALID,
                "Variable \"$a\" of type \"String\" used in position expecting type \"Int\"",
            ),
            (
                "query($a: [String]) { posts(filter: { tags: { any: $a } }) { totalCount } }",
                json!({}),
                INVALID,
                "Variable \"$a\" of type \"[String]\" used in position expecting type \"[String!]\"",
            ),
            (
                "query($a: String) { ...F } fragment F on Query { post(slug: $a) { id } }",
                json!({}),
                INVALID,
                "Variable \"$a\" of type \"String\" used in position expecting type \"String!\"",
            ),
            (
                "{ posts(orderBy: { field: \"PUBLISHED_AT\", direction: ASC }) { totalCount } }",
                json!({}),
                BAD_INPUT,
                "Invalid value for argument \"orderBy.field\", a value of the enumeration type \"PostOrderField\" has no quotes: PUBLISHED_AT",
            ),
            (
                "query($a: Int @include(if: true)) { tags(first: $a) { totalCount } }",
                json!({}),
                INVALID,
                "Directive \"include\" may not be used on \"VARIABLE_DEFINITION\"",
            ),
            (
                "query($a: Int @nothing) { tags(first: $a) { totalCount } }",
                json!({}),
                INVALID,
                "Unknown directive \"nothing\"",
            ),
            (
                "query($a: Boolean) { tags @include(if: $a) { totalCount } }",
                json!({ "a": true }),
                INVALID,
                "Variable \"$a\" of type \"Boolean\" used in position expecting type \"Boolean!\"",
            ),
        ],
    )
    .await;
    for (query, variables) in [
        ("query($a: Int!) { tags(first: $a) { totalCount } }", json!({ "a": 1 })),
        ("query($a: [String!]!) { posts(filter: { tags: { any: $a } }) { totalCount } }", json!({ "a": ["x"] })),
        ("query($a: String!) { posts(filter: { tags: { any: [$a] } }) { totalCount } }", json!({ "a": "x" })),
        ("query($a: [String!]) { posts(filter: { tags: { any: $a } }) { totalCount } }", json!({ "a": "x" })),
        ("query($a: Boolean = true) { tags @include(if: $a) { totalCount } }", json!({})),
        (
            "query($a: PostOrderField!) { posts(orderBy: { field: $a, direction: ASC }) { totalCount } }",
            json!({ "a": "PUBLISHED_AT" }),
        ),
    ] {
        assert_eq!(sent(&site, query, variables).await.0, [], "{query}");
    }
}

#[tokio::test]
async fn a_similar_name_is_suggested() {
    let site = Site::in_memory().await;
    for (query, suggested) in [
        ("{ post(slug: \"a\") { titel } }", "Did you mean \"title\""),
        ("{ post(slg: \"a\") { title } }", "Did you mean \"slug\""),
        ("{ posts(filter: { tag: {} }) { totalCount } }", "Did you mean \"tags\"?"),
        ("{ posts(orderBy: { field: PUBLISHED, direction: ASC }) { totalCount } }", "Did you mean \"PUBLISHED_AT\"?"),
        ("{ posts(orderBy: { field: PUBLISHED_AT, direction: ASK }) { totalCount } }", "Did you mean \"ASC\"?"),
        ("{ pages(parent: \"a\") { totalCount } }", "Did you mean \"parentPath\"?"),
        (
            "{ posts(orderBy: { field: NAME, direction: ASC }) { totalCount } }",
            "value \"NAME\". Its values are PUBLISHED_AT",
        ),
        ("{ posts(limit: 5) { totalCount } }", "Did you mean \"first\"?"),
        ("{ post(id: \"post-1\") { title } }", "Did you mean \"asset(id:)\" or \"node(id:)\"?"),
        ("{ posts(year: 2024) { totalCount } }", "Did you mean \"archive(year:)\"?"),
        ("{ posts { title } }", "Did you mean \"nodes { title }\"?"),
        ("{ post(slug: \"a\") { html } }", "Did you mean \"body { html }\"?"),
        ("{ languages }", "Did you mean \"site { languages }\" or \"webhooks { languages }\"?"),
        ("{ site { title } }", "Did you mean \"name\"?"),
        (
            "mutation { createPost(input: { title: \"T\", markdown: \"x\", authors: [] }) { post { id } } }",
            "\"authorSlugs\"",
        ),
        (
            "mutation { createPost(input: { title: \"T\", markdown: \"x\", series: null }) { post { id } } }",
            "\"seriesSlug\"",
        ),
        ("{ asset(id: \"x\") { width } }", "Did you mean \"... on Image { width }\"?"),
        ("{ operationCost(query: \"{ site { name } }\") { dearest } }", "Did you mean \"mostExpensive\"?"),
        ("{ auditLog { nodes { nodeId } } }", "Did you mean \"id\"?"),
        ("query($by: TagFilter) { posts(filter: { tags: $by }) { totalCount } }", "Did you mean \"TermFilter\""),
        ("{ changes { changes { ...C } } } fragment C on ContentChange { action }", "Did you mean \"Change\""),
        (
            "fragment C on ChangeConnection { nodes { id } } { auditLog { ...C } }",
            "Did you mean \"AuditLogEntryConnection\"",
        ),
        (
            "mutation($of: DeleteCategoryInput) { deleteCategory(input: $of) { deletedId } }",
            "Did you mean \"DeleteInput\"",
        ),
        (
            "mutation { createPost(input: { title: \"T\", markdown: \"x\", translationOf: \"x\" }) { post { id } } }",
            "\"translationOfId\"",
        ),
        ("mutation($input: DeleteTagInput) { deleteTag(input: $input) { deletedId } }", "\"DeleteInput!\""),
    ] {
        let (errors, _) = sent(&site, query, json!({})).await;
        assert!(errors.iter().any(|(_, message)| message.contains(suggested)), "{query}: {errors:?}");
    }
    let variables = json!({ "filter": { "tag": {} } });
    let (errors, _) =
        sent(&site, "query($filter: PostFilter) { posts(filter: $filter) { totalCount } }", variables).await;
    assert!(
        errors[0].1.ends_with("unknown field \"tag\" of type \"PostFilter\". Did you mean \"tags\"?"),
        "{errors:?}"
    );
}

#[tokio::test]
async fn escapes_of_characters_are_read_and_wrong_ones_are_named() {
    let site = Site::in_memory().await;
    let create = r#"mutation { createTag(input: { slug: "a", name: "\uD83D\uDE00 \u{1F600} \u00e9 \u{22}" }) { tag { name } userErrors { message } } }"#;
    let (errors, data) = sent(&site, create, json!({})).await;
    assert_eq!((errors, &data.expect("data")["createTag"]["tag"]["name"]), (vec![], &json!("😀 😀 é \"")));
    for (escape, quoted) in [(r"\uD83D", r"\uD83D"), (r"\u{110000}", r"\u{110000}"), (r"\u12", r"\u12"), (r"\x", r"\x")]
    {
        let body = json!({ "query": format!("{{ post(slug: \"{escape}\") {{ id }} }}") }).to_string();
        let answer = site.send(json_request(NEWER), Some(EDITOR_TOKEN), body).await;
        let error = &answer.body["errors"][0];
        assert_eq!(error["message"], format!("Syntax error: {quoted} is no escape of a character."));
        assert_eq!((&error["locations"], answer.status.as_u16()), (&json!([{ "line": 1, "column": 15 }]), 400));
    }
}

/// What graphql-js accepts and the server refuses, and the other way round, with the reason.
fn exception(judged: &Judged, errors: &[(String, String)]) -> Option<&'static str> {
    let has_code = |start: &str| errors.iter().any(|(code, _)| code.starts_with(start));
    if has_code("QUERY_TOO") || has_code("FILTER_TOO") {
        return Some("a limit of the server");
    }
    let is_of_values = |message: &String| ["Invalid ", "The variable "].iter().any(|start| message.starts_with(start));
    if judged.errors.is_empty()
        && errors.iter().all(|(code, message)| code == BAD_INPUT && !is_of_values(message))
        && !errors.is_empty()
    {
        return Some("a value that fits its type, and that the field refuses");
    }
    None
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_has_the_verdict_of_graphql_js_on_documents_made_at_random() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let count = documents();
    let asking = Asking::of(&Site::in_memory().await);
    for seed in seeds(1) {
        let mut node = Command::new("node");
        node.arg(root.join("tests/tools/verdicts.js")).arg(root.join("schema.graphql"));
        let output = node.args([count.to_string(), seed.to_string()]).output().expect("node runs");
        assert!(output.status.success(), "npm ci --prefix tests/tools? {}", String::from_utf8_lossy(&output.stderr));
        let (mut differing, mut exceptions, mut valid) = (Vec::new(), BTreeMap::<_, usize>::new(), 0);
        for line in String::from_utf8(output.stdout).expect("UTF-8").lines() {
            let judged: Judged = serde_json::from_str(line).expect("a verdict");
            valid += usize::from(judged.errors.is_empty());
            let errors = errors_of(&asking, &judged).await;
            match exception(&judged, &errors) {
                Some(reason) => *exceptions.entry(reason).or_default() += 1,
                None if judged.errors.is_empty() == errors.is_empty() => {}
                None => differing.push((judged, errors)),
            }
        }
        let shown: Vec<String> =
            differing.iter().take(5).map(|(judged, errors)| format!("{judged:#?}\n{errors:?}")).collect();
        assert!(differing.is_empty(), "seed {seed}, {} of {count} differ:\n{}", differing.len(), shown.join("\n"));
        let excepted: usize = exceptions.values().sum();
        assert!(excepted * 10 < count && valid * 4 > count && valid * 4 < count * 3, "{valid} valid, {exceptions:?}");
    }
}

/// The errors of the server, which runs nothing.
async fn errors_of(asking: &Asking, judged: &Judged) -> Vec<(String, String)> {
    let body = asking.validated(&judged.text, &judged.variables, &judged.name).await;
    let errors = body["errors"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    errors.iter().map(|error| (text(&error["extensions"]["code"]), text(&error["message"]))).collect()
}

/// How many documents are compared for each seed.
#[expect(clippy::disallowed_methods, reason = "a test run's own setting")]
fn documents() -> usize {
    std::env::var("TIDINGS_TEST_DOCUMENTS").ok().and_then(|count| count.parse().ok()).unwrap_or(DOCUMENTS)
}
