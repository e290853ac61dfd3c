//! The metadata of posts: written by mutations, read in a post, in a version and in a conflict. The rule: what is read is what was written, in its order,
//! and only by those who may read the post.

use serde_json::{Value, json};
use tidings::keys::{PostPlace, Table};
use tidings::model::{Metadata, Role, WholePost};
use tidings::store::{Entity, Key, Precondition, Properties, Value as Property};

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::rows::{batch, put, scan};
use crate::support::site::{Site, instant, post};

const GIVEN: &str = r#"{"cover":{"image":"a.png","alt":"A \"b\"\n"},"weight":-1.5,"flags":[true,null,"é"],"a":{}}"#;

async fn mutate(site: &Site, mutation: &str, variables: Value) -> Value {
    let answer = site.mutate(mutation, variables, Some(EDITOR_TOKEN)).await;
    assert_eq!(answer.body.get("errors"), None, "{mutation}");
    answer.body["data"].as_object().expect("data").values().next().cloned().expect("one field")
}

/// Creates a published post with this metadata, and returns its id.
async fn create(site: &Site, slug: &str, metadata: &str) -> String {
    let query = "mutation($metadata: JSON, $slug: String) { createPost(input: { title: \"A\", markdown: \"b\", slug: $slug, metadata: $metadata, publishAt: \"2026-05-01T00:00:00Z\" }) { post { id } userErrors { message } } }";
    let metadata: Value = serde_json::from_str(metadata).expect("JSON");
    let made = mutate(site, query, json!({ "metadata": metadata, "slug": slug })).await;
    assert_eq!(made["userErrors"], json!([]));
    made["post"]["id"].as_str().expect("an id").to_owned()
}

async fn update(site: &Site, id: &str, version: i32, fields: &str) -> Value {
    let query = format!(
        "mutation {{ updatePost(input: {{ id: \"{id}\", expectedVersion: {version}, {fields} }}) {{ post {{ version metadata }} userErrors {{ code field message }} }} }}"
    );
    mutate(site, &query, json!({})).await
}

/// The text of the answer, because a parsed object has lost the order of its names.
async fn text(site: &Site, query: &str) -> String {
    site.post_graphql(json!({ "query": query })).await.text
}

#[tokio::test]
async fn metadata_is_read_as_it_was_written_in_its_order_in_whole_or_by_keys() {
    let site = Site::in_memory().await;
    // A literal, because the JSON of a test's variables has lost its order.
    let literal = r#"{ cover: { image: "a.png", alt: "A \"b\"\n" }, weight: -1.5, flags: [true, null, "é"], a: {} }"#;
    let query = format!(
        "mutation {{ createPost(input: {{ title: \"A\", markdown: \"b\", metadata: {literal}, publishAt: \"2026-05-01T00:00:00Z\" }}) {{ post {{ metadata }} userErrors {{ message }} }} }}"
    );
    let made = site.mutate(&query, json!({}), Some(EDITOR_TOKEN)).await.text;
    assert_eq!(made, format!(r#"{{"data":{{"createPost":{{"post":{{"metadata":{GIVEN}}},"userErrors":[]}}}}}}"#));
    for (query, expected) in [
        ("{ post(slug: \"a\") { metadata } }", format!(r#"{{"data":{{"post":{{"metadata":{GIVEN}}}}}}}"#)),
        (
            "{ posts { nodes { metadata body { markdown } } } }",
            format!(r#"{{"data":{{"posts":{{"nodes":[{{"metadata":{GIVEN},"body":{{"markdown":"b"}}}}]}}}}}}"#),
        ),
        (
            "{ post(slug: \"a\") { some: metadata(keys: [\"a\", \"weight\", \"absent\"]) none: metadata(keys: []) all: metadata(keys: null) } }",
            format!(r#"{{"data":{{"post":{{"some":{{"weight":-1.5,"a":{{}}}},"none":{{}},"all":{GIVEN}}}}}}}"#),
        ),
    ] {
        assert_eq!(text(&site, query).await, expected, "{query}");
        assert_eq!(text(&site, query).await, expected, "{query}, cached");
    }
    site.assert_sound().await;
}

#[tokio::test]
async fn a_change_replaces_the_metadata_keeps_it_if_it_is_omitted_and_clears_it_with_null() {
    let site = Site::in_memory().await;
    let id = create(&site, "a", GIVEN).await;
    let changed = |version: i32, metadata: Value| json!({ "post": { "version": version, "metadata": metadata }, "userErrors": [] });
    let given: Value = serde_json::from_str(GIVEN).expect("JSON");
    assert_eq!(update(&site, &id, 1, "title: \"B\"").await, changed(2, given));
    assert_eq!(update(&site, &id, 2, "metadata: { b: 1 }").await, changed(3, json!({ "b": 1 })));
    assert_eq!(update(&site, &id, 3, "metadata: { b: 1 }").await, changed(3, json!({ "b": 1 })), "nothing changes");
    assert_eq!(update(&site, &id, 3, "metadata: null").await, changed(4, json!({})));
    let restore = format!(
        "mutation {{ restoreRevision(input: {{ revisionId: \"{}-3\", expectedVersion: 4 }}) {{ post {{ version metadata }} userErrors {{ code }} }} }}",
        id.replace("post-", "revision-")
    );
    assert_eq!(mutate(&site, &restore, json!({})).await, changed(5, json!({ "b": 1 })));
    let versions = format!(
        "{{ node(id: \"{id}\") {{ ... on Post {{ revisions {{ nodes {{ version changedFields metadata(keys: [\"b\", \"weight\"]) }} }} }} }} }}"
    );
    let answer = site.ask_as(Some(EDITOR_TOKEN), &versions).await;
    let version = |version: i32, changed: Value, metadata: Value| json!({ "version": version, "changedFields": changed, "metadata": metadata });
    let expected = json!([
        version(5, json!(["METADATA"]), json!({ "b": 1 })),
        version(4, json!(["METADATA"]), json!({})),
        version(3, json!(["METADATA"]), json!({ "b": 1 })),
        version(2, json!(["TITLE"]), json!({ "weight": -1.5 })),
        version(1, json!([]), json!({ "weight": -1.5 })),
    ]);
    assert_eq!(answer["data"]["node"]["revisions"]["nodes"], expected, "{answer}");
    let log = site
        .ask_as(
            Some(EDITOR_TOKEN),
            "{ auditLog(first: 10) { nodes { actions ... on ContentAuditLogEntry { version } } } }",
        )
        .await;
    let entries = log["data"]["auditLog"]["nodes"].as_array().expect("entries");
    // The changes are at one instant, so their order is random.
    let updates = entries.iter().filter(|entry| entry["version"] != 1);
    assert_eq!(updates.filter(|entry| entry["actions"] == json!(["UPDATED"])).count(), 4, "{log}");
    site.assert_sound().await;
}

#[tokio::test]
async fn metadata_that_cannot_be_stored_is_a_user_error_with_the_other_faults() {
    let site = Site::in_memory().await;
    let id = create(&site, "a", "{}").await;
    let long = "x".repeat(32 << 10);
    let many = (0..=1_000).map(|n| format!("k{n}: 0")).collect::<Vec<_>>().join(", ");
    for (value, code, message) in [
        ("[1]", "INVALID", "metadata must be a JSON object, which has names and values"),
        ("\"{}\"", "INVALID", "metadata must be a JSON object, which has names and values"),
        (
            &format!("{{ a: {}1{} }}", "[".repeat(16), "]".repeat(16)),
            "INVALID",
            "metadata nests lists and objects 17 levels deep in \"a\"; at most 16 are allowed",
        ),
        (
            &format!("{{ b: 1, a: \"{long}\" }}"),
            "TOO_LARGE",
            "metadata has 32782 bytes as JSON, most of them in \"a\"; at most 32768 are allowed",
        ),
        (
            &format!("{{ a: {{ {many} }} }}"),
            "INVALID",
            "metadata has 1002 keys, most of them in \"a\"; at most 1000 are allowed",
        ),
    ] {
        let refused = update(&site, &id, 1, &format!("metadata: {value}, title: null")).await;
        let error = |code: &str, field: &str, message: &str| json!({ "code": code, "field": ["input", field], "message": message });
        let errors = refused["userErrors"].as_array().expect("errors").clone();
        assert!(errors.contains(&error(code, "metadata", message)), "{refused}");
        assert!(errors.contains(&error("INVALID", "title", "title cannot be null; omit it instead")), "{refused}");
        let query = format!(
            "mutation {{ createPost(input: {{ title: \"A\", markdown: \"b\", metadata: {value} }}) {{ post {{ id }} userErrors {{ code field message }} }} }}"
        );
        let refused = mutate(&site, &query, json!({})).await;
        assert_eq!(refused, json!({ "post": null, "userErrors": [error(code, "metadata", message)] }));
    }
    let keys = (0..=100).map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ");
    let answer = site
        .post_graphql(json!({ "query": format!("{{ post(slug: \"a\") {{ slug metadata(keys: [{keys}]) }} }}") }))
        .await
        .body;
    assert_eq!(answer["errors"][0]["message"], "`keys` names 101 keys; at most 100 are allowed", "{answer}");
    assert_eq!(answer["data"], json!({ "post": { "slug": "a", "metadata": null } }), "only the field is null");
}

#[tokio::test]
async fn a_conflict_shows_the_metadata_as_it_is_now() {
    let site = Site::in_memory().await;
    let id = create(&site, "a", "{\"by\":\"one\"}").await;
    update(&site, &id, 1, "metadata: { by: \"another\" }").await;
    let query = format!(
        "mutation {{ updatePost(input: {{ id: \"{id}\", expectedVersion: 1, metadata: {{}} }}) {{ userErrors {{ code ... on ConflictError {{ current {{ ... on Post {{ version metadata }} }} }} }} }} }}"
    );
    let expected = json!([{ "code": "CONFLICT", "current": { "version": 2, "metadata": { "by": "another" } } }]);
    assert_eq!(mutate(&site, &query, json!({})).await["userErrors"], expected);
}

/// Of an unpublished post, each way that could reach its metadata is tried by those who have no access.
#[tokio::test]
async fn the_metadata_of_a_draft_is_read_only_with_access_to_the_draft() {
    let site = Site::in_memory().await;
    let query =
        "mutation { createPost(input: { title: \"A\", markdown: \"b\", metadata: { secret: 1 } }) { post { id } } }";
    let made = mutate(&site, query, json!({})).await;
    let id = made["post"]["id"].as_str().expect("an id");
    mutate(&site, "mutation { createAuthor(input: { slug: \"ada\", name: \"Ada\" }) { author { id } } }", json!({}))
        .await;
    let other = site.token(Role::Author, Some("ada")).await;
    let query = format!(
        "{{ post(slug: \"a\") {{ metadata }} node(id: \"{id}\") {{ ... on Post {{ metadata }} }} posts {{ nodes {{ metadata }} }} }}"
    );
    for token in [None, Some(other.as_str())] {
        let answer = site.ask_as(token, &query).await;
        assert_eq!(answer, json!({ "data": { "post": null, "node": null, "posts": { "nodes": [] } } }));
    }
    let seen = site.ask_as(Some(EDITOR_TOKEN), &query).await;
    assert_eq!(seen["data"]["post"], json!({ "metadata": { "secret": 1 } }), "{seen}");
    assert_eq!(site.ask_as(None, &query).await["data"]["post"], Value::Null, "also after an editor has read it");
}

#[tokio::test]
async fn a_row_without_the_property_has_no_metadata_and_a_damaged_one_is_reported() {
    let site = Site::in_memory().await;
    let whole =
        WholePost { metadata: Metadata::parse(GIVEN).expect("metadata"), ..post(1, instant("2026-05-01T00:00:00Z")) };
    site.publish(std::slice::from_ref(&whole)).await;
    let key = PostPlace::of(&whole.post).whole(&whole.post.slug);
    let rows = scan(&site.store, Table::Posts.name()).await;
    let with_property = |row: &&Entity| row.properties.get("Metadata").is_some();
    assert_eq!(rows.iter().filter(with_property).map(|row| &row.key).collect::<Vec<_>>(), [&key]);
    let row = rows.iter().find(|row| row.key == key).expect("the whole row").properties.clone();
    assert_eq!(row.get("Metadata"), Some(&Property::String(GIVEN.into())));
    let mut damaged = row.clone();
    damaged.set("Metadata", Property::String("{\"a\":".into()));
    for (properties, expected) in [
        (row.without("Metadata"), json!({ "data": { "post": { "metadata": {} } } })),
        (
            row.clone(),
            json!({ "data": { "post": { "metadata": serde_json::from_str::<Value>(GIVEN).expect("JSON") } } }),
        ),
    ] {
        write(&site, &key, properties).await;
        assert_eq!(site.ask_as(None, "{ post(slug: \"post-1\") { metadata } }").await, expected);
        site.assert_sound().await;
    }
    write(&site, &key, damaged).await;
    let report = site.content.check().await.expect("a report");
    assert!(
        report.differences.iter().any(|difference| difference.what.contains("Metadata")),
        "{:?}",
        report.differences
    );
    let answer = site.ask_as(None, "{ post(slug: \"post-1\") { metadata } }").await;
    assert_eq!(answer["data"]["post"], Value::Null, "{answer}");
    assert!(answer.get("errors").is_some(), "{answer}");
}

async fn write(site: &Site, key: &Key, properties: Properties) {
    let operation = put(key.row(), properties, Precondition::None);
    site.store.commit(Table::Posts.name(), &batch(key.partition(), vec![operation])).await.expect("a commit");
    site.invalidate_cached();
}

/// The same text in an answer many times counts each time, whatever keys are requested.
#[tokio::test]
async fn an_answer_with_too_much_metadata_is_refused() {
    let site = Site::in_memory().await;
    let metadata = Metadata::parse(&format!("{{\"a\":\"{}\"}}", "x".repeat(32_000))).expect("metadata");
    let posts: Vec<WholePost> = (1..=100)
        .map(|n| WholePost { metadata: metadata.clone(), ..post(n, instant("2026-05-01T00:00:00Z")) })
        .collect();
    site.publish(&posts).await;
    let fields = |aliases: usize| {
        let fields: Vec<String> = (0..aliases).map(|n| format!("m{n}: metadata(keys: [\"b\"])")).collect();
        format!("{{ posts(first: 100) {{ nodes {{ {} }} }} }}", fields.join(" "))
    };
    let answer = site.post_graphql(json!({ "query": fields(2) })).await;
    assert_eq!(answer.body["data"]["posts"]["nodes"][99], json!({ "m0": {}, "m1": {} }));
    assert!(site.codes(&fields(8)).await.iter().all(|code| code == "ANSWER_TOO_LARGE"));
    assert!(!site.codes(&fields(8)).await.is_empty());
}
