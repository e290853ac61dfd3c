//! The versions of a post, and restoring a version.

use serde_json::{Value, json};
use tidings::model::post::REVISIONS_MAX;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{Site, instant, post};

async fn mutate(site: &Site, mutation: &str) -> Value {
    let answer = site.mutate(&format!("mutation {{ {mutation} }}"), json!({}), Some(EDITOR_TOKEN)).await;
    assert_eq!(answer.body.get("errors"), None, "{mutation}");
    answer.body["data"].as_object().expect("data").values().next().cloned().expect("one field")
}

async fn ask(site: &Site, query: &str) -> Value {
    site.mutate(query, json!({}), Some(EDITOR_TOKEN)).await.body
}

/// Creates a draft, then retitles, retags and publishes it: versions 1 to 4.
/// What the ids of the versions of a post begin with.
fn versions_of(id: &str) -> String {
    id.replace("post-", "revision-")
}

async fn create_post_with_four_versions(site: &Site) -> String {
    let made =
        mutate(site, r#"createPost(input: { title: "One", markdown: "first", tagSlugs: ["a"], createMissingTags: true }) { post { id } }"#).await;
    let id = made["post"]["id"].as_str().expect("an id").to_owned();
    for change in [
        format!(
            r#"updatePost(input: {{ id: "{id}", expectedVersion: 1, title: "Two", markdown: "second" }}) {{ post {{ version }} }}"#
        ),
        format!(
            r#"updatePost(input: {{ id: "{id}", expectedVersion: 2, tagSlugs: ["b"], createMissingTags: true, slug: "two" }}) {{ post {{ version }} }}"#
        ),
        format!(r#"publishPost(input: {{ id: "{id}", expectedVersion: 3 }}) {{ post {{ version }} }}"#),
    ] {
        assert_ne!(mutate(site, &change).await["post"], Value::Null, "{change}");
    }
    id
}

#[tokio::test]
async fn each_version_shows_who_changed_what() {
    let site = Site::in_memory().await;
    create_post_with_four_versions(&site).await;
    let fields = "version changedBy { kind name author { slug } } changedFields title body { markdown } tags { slug }";
    let query =
        format!(r#"{{ post(slug: "two") {{ revisions {{ nodes {{ {fields} }} pageInfo {{ hasNextPage }} }} }} }}"#);
    let by = json!({ "kind": "SERVER_TOKEN", "name": "TIDINGS_EDITOR_TOKEN", "author": null });
    let version = |version: i32, changed: &[&str], title: &str, body: &str, tag: &str| {
        json!({ "version": version, "changedBy": by, "changedFields": changed, "title": title, "body": { "markdown": body },
                "tags": [{ "slug": tag }] })
    };
    let expected = json!([
        version(4, &["PUBLISHED_AT"], "Two", "second", "b"),
        version(3, &["SLUG", "TAGS"], "Two", "second", "b"),
        version(2, &["TITLE", "EXCERPT", "BODY"], "Two", "second", "a"),
        version(1, &[], "One", "first", "a"),
    ]);
    let found = ask(&site, &query).await["data"]["post"]["revisions"].clone();
    assert_eq!(found, json!({ "nodes": expected, "pageInfo": { "hasNextPage": false } }));
}

#[tokio::test]
async fn versions_are_paged_and_cost_one_range_read() {
    let site = Site::in_memory().await;
    create_post_with_four_versions(&site).await;
    let (mut after, mut versions) = (String::new(), Vec::new());
    for _ in 0..3 {
        let query = format!(
            r#"{{ post(slug: "two") {{ revisions(first: 2{after}) {{ edges {{ cursor node {{ version }} }} pageInfo {{ hasNextPage endCursor }} }} }} }}"#
        );
        let page = ask(&site, &query).await["data"]["post"]["revisions"].clone();
        versions.extend(page["edges"].as_array().expect("edges").iter().map(|e| e["node"]["version"].as_i64()));
        after = format!(", after: {}", page["pageInfo"]["endCursor"]);
        if page["pageInfo"]["hasNextPage"] == json!(false) {
            break;
        }
    }
    assert_eq!(versions, [4, 3, 2, 1].map(Some));
    let cost = site.cost(r#"{ post(slug: "two") { revisions(first: 2) { nodes { version } } } }"#).await;
    assert_eq!((cost.point_reads, cost.range_reads), (4, 1));
}

/// Two point reads for the post, and two for the version and the one before it.
#[tokio::test]
async fn node_finds_each_version_as_the_list_shows_it() {
    let site = Site::in_memory().await;
    let id = create_post_with_four_versions(&site).await;
    let fields = "{ __typename id ... on Revision { version changedAt changedBy { kind name } changedFields slug title body { markdown } tags { slug } } }";
    let listed = ask(&site, &format!(r#"{{ post(slug: "two") {{ revisions {{ nodes {fields} }} }} }}"#)).await;
    let listed = listed["data"]["post"]["revisions"]["nodes"].as_array().expect("versions").clone();
    assert_eq!(listed.len(), 4);
    for version in &listed {
        let query = format!("{{ node(id: {}) {fields} }}", version["id"]);
        assert_eq!(ask(&site, &query).await, json!({ "data": { "node": version } }));
    }
    let missing = format!("{{ node(id: \"{}-5\") {{ id }} }}", versions_of(&id));
    assert_eq!(ask(&site, &missing).await, json!({ "data": { "node": null } }));
    let cost = site.cost(&format!("{{ node(id: {}) {{ id }} }}", listed[1]["id"])).await;
    assert_eq!((cost.point_reads, cost.range_reads), (4, 0));
    mutate(&site, &format!(r#"deletePost(input: {{ id: "{id}", expectedVersion: 4 }}) {{ deletedId }}"#)).await;
    let deleted = format!("{{ node(id: {}) {{ id }} }}", listed[1]["id"]);
    assert_eq!(ask(&site, &deleted).await, json!({ "data": { "node": null } }));
}

#[tokio::test]
async fn an_earlier_version_is_restored_as_a_new_version() {
    let site = Site::in_memory().await;
    let id = create_post_with_four_versions(&site).await;
    let fields = "post { version slug title status body { markdown } tags { slug } } userErrors { code field }";
    let restore = |version: i32, revision: i32| {
        format!(
            r#"restoreRevision(input: {{ revisionId: "{}-{revision}", expectedVersion: {version} }}) {{ {fields} }}"#,
            versions_of(&id)
        )
    };
    let restored = mutate(&site, &restore(4, 1)).await;
    let expected = json!({ "version": 5, "slug": "two", "title": "One", "status": "PUBLISHED",
        "body": { "markdown": "first" }, "tags": [{ "slug": "a" }] });
    assert_eq!(restored, json!({ "post": expected, "userErrors": [] }));
    let code = async |restore: String| mutate(&site, &restore).await["userErrors"][0].clone();
    assert_eq!(code(restore(4, 1)).await["code"], json!("CONFLICT"));
    assert_eq!(code(restore(5, 9)).await, json!({ "code": "NOT_FOUND", "field": ["input", "revisionId"] }));
    site.assert_sound().await;
}

#[tokio::test]
async fn a_restored_version_creates_deleted_tags_and_requires_deleted_categories() {
    let site = Site::in_memory().await;
    mutate(&site, r#"createCategory(input: { slug: "news", name: "News" }) { userErrors { code } }"#).await;
    let made = mutate(
        &site,
        r#"createPost(input: { title: "One", markdown: "x", tagSlugs: ["gone"], createMissingTags: true, categorySlugs: ["news"] }) { post { id } }"#,
    )
    .await;
    let id = made["post"]["id"].as_str().expect("an id").to_owned();
    let strip = format!(
        r#"updatePost(input: {{ id: "{id}", expectedVersion: 1, tagSlugs: [], categorySlugs: [] }}) {{ post {{ id }} }}"#
    );
    mutate(&site, &strip).await;
    for delete in [r#"deleteTag(input: { @tag(gone) })"#, r#"deleteCategory(input: { @category(news) })"#] {
        assert_ne!(mutate(&site, &format!("{delete} {{ deletedId }}")).await["deletedId"], Value::Null, "{delete}");
    }
    let restore = format!(
        r#"restoreRevision(input: {{ revisionId: "{}-1", expectedVersion: 2 }}) {{ post {{ tags {{ slug }} }} userErrors {{ message }} }}"#,
        versions_of(&id)
    );
    let refused = mutate(&site, &restore).await;
    assert!(
        refused["userErrors"][0]["message"].as_str().expect("a message").contains("category \"news\""),
        "{refused}"
    );
    mutate(&site, r#"createCategory(input: { slug: "news", name: "news" }) { userErrors { code } }"#).await;
    assert_eq!(mutate(&site, &restore).await["post"]["tags"], json!([{ "slug": "gone" }]));
    site.assert_sound().await;
}

#[tokio::test]
async fn the_newest_100_versions_are_kept_and_none_of_a_deleted_post() {
    let site = Site::in_memory().await;
    site.publish(&[post(1, instant("2026-05-01T00:00:00Z"))]).await;
    let id = format!("post-{}", post(1, instant("2026-05-01T00:00:00Z")).post.id);
    let last = REVISIONS_MAX + 6;
    for version in 1..last {
        let update = format!(
            r#"updatePost(input: {{ id: "{id}", expectedVersion: {version}, title: "T{version}" }}) {{ post {{ id }} }}"#
        );
        mutate(&site, &update).await;
    }
    let kept = || async {
        let rows = site.store.scan("Revisions", None).await.expect("a scan").rows;
        rows.len()
    };
    assert_eq!(kept().await, REVISIONS_MAX as usize);
    let restore = |revision: i32| {
        format!(
            r#"restoreRevision(input: {{ revisionId: "{}-{revision}", expectedVersion: {last} }}) {{ userErrors {{ code }} }}"#,
            versions_of(&id)
        )
    };
    assert_eq!(mutate(&site, &restore(last - REVISIONS_MAX - 1)).await["userErrors"][0]["code"], json!("NOT_FOUND"));
    mutate(&site, &format!(r#"deletePost(input: {{ id: "{id}", expectedVersion: {last} }}) {{ deletedId }}"#)).await;
    assert_eq!(kept().await, 0);
}

#[tokio::test]
async fn history_requires_a_token() {
    let site = Site::in_memory().await;
    create_post_with_four_versions(&site).await;
    for query in ["{ auditLog { nodes { id } } }", r#"{ post(slug: "two") { revisions { nodes { version } } } }"#] {
        assert_eq!(site.codes(query).await, ["UNAUTHENTICATED"], "{query}");
    }
    let bad = ask(
        &site,
        r#"{ auditLog(after: "x") { nodes { id } } post(slug: "two") { revisions(first: 51) { nodes { version } } } }"#,
    )
    .await;
    let codes: Vec<_> =
        bad["errors"].as_array().expect("errors").iter().map(|e| e["extensions"]["code"].clone()).collect();
    assert_eq!(codes, [json!("BAD_CURSOR"), json!("BAD_USER_INPUT")]);
}
