//! Errors for invalid requests. The rule: an error has a stable code, a status below 500, and a message that names the limit and the actual
//! value; an unknown id or slug gives null and no error.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::model::Instant;

use crate::support::site::{NOW, Site, instant, post, slugs};

const NEWER: &str = "application/graphql-response+json";
const OLDER: &str = "application/json";

/// Thirty posts with a tag and an author, an hour apart.
pub async fn site() -> Site {
    let newest = instant(NOW).ticks() - 1;
    let at = |n: u64| Instant::from_ticks(newest - n as i64 * 36_000_000_000).expect("ticks");
    let posts = (0..30).map(|n| {
        let mut whole = post(n, at(n));
        whole.post.tags = slugs(&["any"]);
        whole.post.authors = slugs(&["ann"]);
        whole
    });
    let site = Site::in_memory().await;
    site.publish(&posts.collect::<Vec<_>>()).await;
    site
}

/// The outcome of a request: the status, and the code, the argument and the message of each error.
async fn outcome(site: &Site, query: &str, variables: Value) -> String {
    let body = json!({ "query": query, "variables": variables }).to_string();
    let (answer, older) = (site.post_bytes(NEWER, body.clone()).await, site.post_bytes(OLDER, body).await);
    assert_eq!((older.status.as_u16(), &older.body), (200, &answer.body), "{query}");
    let errors = answer.body["errors"].as_array().cloned().unwrap_or_default();
    let texts = errors.iter().map(|error| {
        let (extensions, message) = (&error["extensions"], error["message"].as_str().expect("a message"));
        let code = extensions["code"].as_str().expect("a code");
        // Each of these errors is one of the request.
        assert_eq!((&extensions["retryable"], extensions.get("retryAfterMs")), (&json!(false), None), "{query}");
        match extensions["argument"].as_str() {
            Some(argument) => format!(" {code}({argument}): {message}"),
            None => format!(" {code}: {message}"),
        }
    });
    format!("{}{}", answer.status.as_u16(), texts.collect::<String>())
}

/// Checks the outcome of each query.
async fn assert_outcomes(cases: &[(&str, Value, &str)]) {
    let site = site().await;
    for (query, variables, expected) in cases {
        assert_eq!(outcome(&site, query, variables.clone()).await, *expected, "{query} {variables}");
    }
}

#[tokio::test]
async fn an_unknown_slug_or_id_is_null() {
    let query = r#"{ post(slug: "none") { id } bad: post(slug: "No such!") { id } tag(slug: "none") { id } category(slug: "") { id }
        author(slug: "none") { id } node(id: "none") { id } empty: node(id: "") { id } number: node(id: 7) { id } nodes(ids: ["a", "b"]) { id } }"#;
    let data = site().await.query(query).await;
    assert_eq!(
        data,
        json!({ "post": null, "bad": null, "tag": null, "category": null, "author": null,
            "node": null, "empty": null, "number": null, "nodes": [null, null] })
    );
}

#[tokio::test]
async fn a_cursor_that_is_not_of_this_list_is_refused() {
    let site = site().await;
    let cursor = |data: &Value| data["posts"]["pageInfo"]["endCursor"].as_str().expect("a cursor").to_owned();
    let own = cursor(&site.query("{ posts(first: 3) { pageInfo { endCursor } } }").await);
    let of_tag =
        cursor(&site.query(r#"{ tag(slug: "any") { posts(first: 3) { pageInfo { endCursor } } } }"#).await["tag"]);
    let filtered = r#"{ posts(first: 3, filter: { tags: { all: ["any"] } }) { pageInfo { endCursor } } }"#;
    let of_filter = cursor(&site.query(filtered).await);
    let plain = URL_SAFE_NO_PAD.decode(&own).expect("base64");
    let other_version = URL_SAFE_NO_PAD.encode([b"2", &plain[1..]].concat());
    let mut refused: Vec<String> =
        ["garbage", "🌒", &"A".repeat(60_000), &format!("{own}A"), &format!("{own}="), &own.to_lowercase()]
            .map(ToOwned::to_owned)
            .to_vec();
    refused.extend([of_tag, of_filter, other_version]);
    refused.extend((0..plain.len()).map(|end| URL_SAFE_NO_PAD.encode(&plain[..end])));
    refused.extend((0..own.len()).map(|end| own[..end].to_owned()));
    for argument in ["after", "before"] {
        let query = format!("query($c: String) {{ posts({argument}: $c) {{ nodes {{ id }} }} }}");
        let message = format!(
            "294 BAD_CURSOR({argument}): `{argument}` is not a cursor of this list; pass an `endCursor` or `startCursor` that this list has given"
        );
        for cursor in &refused {
            assert_eq!(outcome(&site, &query, json!({ "c": cursor })).await, message, "{cursor}");
        }
        assert_eq!(outcome(&site, &query, json!({ "c": own })).await, "200");
    }
}

#[tokio::test]
async fn a_page_size_out_of_range_is_refused_with_the_limit() {
    let cases = [
        ("{ posts(first: -1) { nodes { id } } }", "294 BAD_USER_INPUT(first): `first` is -1; it must be 0 to 100"),
        (
            "{ posts(first: 101) { nodes { id } } }",
            "294 BAD_USER_INPUT(first): `first` is 101; a page holds at most 100",
        ),
        ("{ posts(last: -7) { nodes { id } } }", "294 BAD_USER_INPUT(last): `last` is -7; it must be 0 to 100"),
        ("{ tags(last: 101) { nodes { id } } }", "294 BAD_USER_INPUT(last): `last` is 101; a page holds at most 100"),
        // Both are invalid: the error names the argument that is checked first.
        (
            "{ posts(first: 101, last: -1) { nodes { id } } }",
            "294 BAD_USER_INPUT(first): `first` is 101; a page holds at most 100",
        ),
        (
            "{ posts(first: 1, last: 101) { nodes { id } } }",
            "294 BAD_USER_INPUT(last): `last` is 101; a page holds at most 100",
        ),
        (
            "{ posts(first: 5000000000) { nodes { id } } }",
            "422 BAD_USER_INPUT: Invalid value for argument \"first\", expected type \"Int\", an integer from -2147483648 to 2147483647",
        ),
    ];
    assert_outcomes(&cases.map(|(query, expected)| (query, json!({}), expected))).await;
}

#[tokio::test]
async fn too_many_ids_or_slugs_are_refused_with_their_number() {
    let many = |count: usize| (0..count).map(|n| format!("s{n}")).collect::<Vec<_>>();
    let nodes = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }";
    let posts = "query($s: [String!]) { posts(filter: { tags: { all: $s } }) { nodes { id } } }";
    assert_outcomes(&[
        (nodes, json!({ "ids": many(100) }), "200"),
        (
            nodes,
            json!({ "ids": many(101) }),
            "294 BAD_USER_INPUT(ids): `ids` names 101 objects; at most 100 are allowed",
        ),
        (posts, json!({ "s": many(20) }), "200"),
        (
            posts,
            json!({ "s": many(21) }),
            "294 BAD_USER_INPUT(filter): `filter` names 21 slugs; at most 20 are allowed",
        ),
    ])
    .await;
}

#[tokio::test]
async fn an_invalid_instant_is_refused() {
    let site = site().await;
    let in_document =
        |at: &str| format!("{{ posts(filter: {{ publishedAt: {{ gte: {at} }} }}) {{ nodes {{ id }} }} }}");
    let in_variable = "query($at: DateTime) { posts(filter: { publishedAt: { gte: $at } }) { nodes { id } } }";
    let other = "is not an RFC 3339 time with Z or a UTC offset, of the years 1 to 9999";
    let fine = "is finer than a millisecond; at most three fractional digits are allowed";
    let unknown = "has the offset -00:00, which means an unknown one; write Z or the UTC offset";
    for (at, what) in [
        ("2025-02-30T00:00:00Z", other),
        ("0000-01-01T00:00:00Z", other),
        ("10000-01-01T00:00:00Z", other),
        ("2025-02-03", other),
        ("", other),
        ("2025-02-03T04:05:06", other),
        ("2025-02-03T04:05:06.1234Z", fine),
        ("2025-02-03T04:05:06.789000001+01:00", fine),
        ("2025-02-03T04:05:06-00:00", unknown),
    ] {
        let expected = |place: &str| {
            format!("422 BAD_USER_INPUT: Invalid value for {place}, {at:?} {what}, such as 2025-02-03T04:05:06.789Z")
        };
        let literal = outcome(&site, &in_document(&format!("{at:?}")), json!({})).await;
        assert_eq!(literal, expected("argument \"filter.publishedAt.gte\""));
        assert_eq!(outcome(&site, in_variable, json!({ "at": at })).await, expected("variable \"$at\""));
    }
    let number = outcome(&site, &in_document("2025"), json!({})).await;
    assert_eq!(
        number,
        "422 BAD_USER_INPUT: Invalid value for argument \"filter.publishedAt.gte\", expected type \"DateTime\""
    );
}

#[tokio::test]
async fn a_value_of_the_wrong_type_is_refused_before_execution() {
    let (id, int) =
        ("query($id: ID!) { node(id: $id) { id } }", "query($n: Int) { posts(first: $n) { nodes { id } } }");
    let no_id = "422 BAD_USER_INPUT: Invalid value for argument \"id\", expected type \"ID\"";
    let no_int = "422 BAD_USER_INPUT: Invalid value for argument \"first\", expected type \"Int\"";
    let of_id = "422 BAD_USER_INPUT: Invalid value for variable \"$id\", expected type \"ID\"";
    let of_int = "422 BAD_USER_INPUT: Invalid value for variable \"$n\", expected type \"Int\"";
    assert_outcomes(&[
        ("{ node(id: { a: 1 }) { id } }", json!({}), no_id),
        ("{ node(id: 1.5) { id } }", json!({}), no_id),
        ("{ node(id: true) { id } }", json!({}), no_id),
        (id, json!({ "id": {} }), of_id),
        (id, json!({ "id": 1.5 }), of_id),
        (id, json!({ "id": true }), of_id),
        (id, json!({}), "422 BAD_USER_INPUT: The variable \"$id\" of type \"ID!\" was not given."),
        (id, json!({ "id": null }), "422 BAD_USER_INPUT: The variable \"$id\" of type \"ID!\" is null."),
        ("{ posts(first: 1.5) { nodes { id } } }", json!({}), no_int),
        (int, json!({ "n": "x" }), of_int),
        (int, json!({ "n": 1.5 }), of_int),
        (int, json!({ "n": [1] }), of_int),
    ])
    .await;
}

#[tokio::test]
async fn a_document_that_does_not_match_the_schema_is_refused() {
    let failed = |message: &str| format!("422 GRAPHQL_VALIDATION_FAILED: {message}");
    let cases = [
        (
            "{",
            "400 GRAPHQL_PARSE_FAILED: Syntax error: found the end of the document, expected a field or a fragment."
                .to_owned(),
        ),
        ("{ nothing }", failed("Unknown field \"nothing\" on type \"Query\".")),
        (
            "{ posts(nothing: 1) { nodes { id } } }",
            failed("Unknown argument \"nothing\" on field \"posts\" of type \"Query\"."),
        ),
        ("{ posts }", failed("Field \"posts\" of type \"PostConnection\" must have a selection of subfields")),
        (
            "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }",
            "422 FRAGMENT_CYCLE: The fragment \"A\" spreads itself, directly or through others.".to_owned(),
        ),
    ];
    let site = site().await;
    for (query, expected) in cases {
        assert_eq!(outcome(&site, query, json!({})).await, expected, "{query}");
    }
}

#[tokio::test]
async fn a_document_over_a_limit_is_refused_with_the_limit_and_the_actual_number() {
    let repeated = |part: &dyn Fn(usize) -> String, count: usize| (0..count).map(part).collect::<String>();
    let lists = format!("{{ nodes(ids: {}{}) {{ id }} }}", "[".repeat(2_000), "]".repeat(2_000));
    let bomb_step = |n| format!("fragment F{n} on PostConnection {{ {} }} ", format!("...F{} ", n + 1).repeat(15));
    let bomb =
        format!("{{ posts {{ ...F0 }} }} {} fragment F6 on PostConnection {{ totalCount }}", repeated(&bomb_step, 6));
    let nested = format!("{}{}", "{posts".repeat(10_000), "}".repeat(10_000));
    let nested_short = format!("{}{}", "{a".repeat(10_000), "}".repeat(10_000));
    let aliases = format!("{{ posts {{ {} }} }}", repeated(&|n| format!("a{n}: totalCount "), 1_000));
    let wide = format!("{{ {} }}", repeated(&|n| format!("a{n}: archive {{ year }} "), 90));
    let cases = [
        (lists, "422 QUERY_TOO_DEEP: The document has more than 32 brackets open at once; 32 is the limit."),
        (
            bomb,
            "422 QUERY_TOO_COMPLEX: The document has 23594867 fields and fragments with all spreads expanded; the limit is 2000.",
        ),
        (nested, "422 QUERY_TOO_LARGE: The document has 70000 bytes; the limit is 65536."),
        (nested_short, "422 QUERY_TOO_DEEP: The document has more than 32 brackets open at once; 32 is the limit."),
        (aliases, "422 QUERY_TOO_COMPLEX: The document has 1000 aliases; the limit is 100."),
        (wide, "422 QUERY_TOO_COMPLEX: The document has 90 fields at an operation's root; the limit is 50."),
    ];
    let site = site().await;
    for (query, expected) in cases {
        assert_eq!(outcome(&site, &query, json!({})).await, expected, "{}", &query[..query.len().min(80)]);
    }
}

/// With and without a name: the way the operation is selected must not change its cost.
#[tokio::test]
async fn a_query_over_the_storage_bound_is_refused_with_both_numbers() {
    // The versions of each post: those are not counted by a list of partitions.
    let versions = "revisions(first: 50) { nodes { tags { name } categories { name } authors { name } } }";
    let posts = format!("posts(first: 100) {{ nodes {{ {versions} }} }}");
    let query = format!("{{ {posts} again: {posts} }}");
    let site = site().await;
    // The bound has the reads of these lists if they are not cached.
    site.query("{ categories { totalCount } tags { totalCount } authors { totalCount } posts { totalCount } }").await;
    for operation in ["", "query", "query Named"] {
        let refusal = outcome(&site, &format!("{operation} {query}"), json!({})).await;
        let (start, rest) = refusal.split_once(" storage requests; the limit is ").expect("both numbers");
        let found = start.strip_prefix("422 QUERY_TOO_COMPLEX: This query may need ").expect("the code");
        assert!(found.parse::<u64>().expect("a number") > STORAGE_REQUESTS_MAX, "{refusal}");
        assert!(rest.starts_with(&format!("{STORAGE_REQUESTS_MAX}. ")), "{refusal}");
    }
}

#[tokio::test]
async fn an_invalid_request_body_is_refused() {
    let site = site().await;
    let cases = [
        (b"{\"query\": \"\xff\"}".to_vec(), 400, "BAD_REQUEST: The body is not UTF-8 (byte 11)."),
        (vec![b' '; 10 << 20], 413, "PAYLOAD_TOO_LARGE: The body has more than 1048576 bytes, which is the limit."),
        (
            b"[]".to_vec(),
            400,
            "BATCHING_NOT_SUPPORTED: This server accepts one request per body; send them one by one.",
        ),
    ];
    for (body, status, expected) in cases {
        for accept in [OLDER, NEWER] {
            let answer = site.post_bytes(accept, body.clone()).await;
            let error = &answer.body["errors"][0];
            let (code, message) = (error["extensions"]["code"].as_str(), error["message"].as_str());
            let refusal = format!("{}: {}", code.expect("a code"), message.expect("a message"));
            assert_eq!((answer.status.as_u16(), refusal.as_str()), (status, expected));
        }
    }
}
