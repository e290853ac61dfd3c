//! Subtitles. The rule: what a mutation writes is read from the post or page, from lists, from its versions, and from a restored version.

use serde_json::{Value, json};

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::Site;

/// The payload of a mutation with this input; `object`: `post` or `page`.
async fn change(site: &Site, (mutation, object): (&str, &str), input: &str) -> Value {
    let query = format!(
        "mutation {{ {mutation}(input: {{ {input} }}) {{ {object} {{ id version subtitle }} userErrors {{ code field }} }} }}"
    );
    site.ask_as(Some(EDITOR_TOKEN), &query).await["data"][mutation].clone()
}

fn done(object: &str, id: &Value, (version, subtitle): (i32, Value)) -> Value {
    json!({ object: { "id": id, "version": version, "subtitle": subtitle }, "userErrors": [] })
}

async fn a_subtitle_is_set_changed_and_removed(site: Site, object: &str, place: &str) {
    let kind = if object == "post" { "Post" } else { "Page" };
    let made = change(
        &site,
        (&format!("create{kind}"), object),
        &format!("{place}, title: \"A\", markdown: \"b\", subtitle: \" Below \""),
    )
    .await;
    let id = made[object]["id"].clone();
    assert_eq!(made, done(object, &id, (1, json!("Below"))));
    for (version, changes, after) in [
        (1, "title: \"B\"", (2, json!("Below"))),
        (2, "subtitle: \"Other\"", (3, json!("Other"))),
        (3, "subtitle: \"Other\"", (3, json!("Other"))),
        (3, "subtitle: \" \"", (4, Value::Null)),
        (4, "subtitle: null", (4, Value::Null)),
    ] {
        let input = format!("id: {id}, expectedVersion: {version}, {changes}");
        assert_eq!(
            change(&site, (&format!("update{kind}"), object), &input).await,
            done(object, &id, after),
            "{changes}"
        );
    }
    let long = format!("id: {id}, expectedVersion: 4, subtitle: \"{}\"", "x".repeat(1_001));
    let refused = json!({ object: null, "userErrors": [{ "code": "INVALID", "field": ["input", "subtitle"] }] });
    assert_eq!(change(&site, (&format!("update{kind}"), object), &long).await, refused);
    let versions = format!(
        "{{ node(id: {id}) {{ ... on Content {{ subtitle revisions {{ nodes {{ subtitle changedFields }} }} }} }} }}"
    );
    let read = site.ask_as(Some(EDITOR_TOKEN), &versions).await["data"]["node"].clone();
    let expected = json!([
        { "subtitle": null, "changedFields": ["SUBTITLE"] },
        { "subtitle": "Other", "changedFields": ["SUBTITLE"] },
        { "subtitle": "Below", "changedFields": ["TITLE"] },
        { "subtitle": "Below", "changedFields": [] },
    ]);
    assert_eq!((&read["subtitle"], &read["revisions"]["nodes"]), (&Value::Null, &expected), "{read}");
    site.assert_sound().await;
}

#[tokio::test]
async fn the_subtitle_of_a_post_is_set_changed_and_removed() {
    a_subtitle_is_set_changed_and_removed(Site::in_memory().await, "post", "slug: \"a\"").await;
    a_subtitle_is_set_changed_and_removed(Site::over(MemoryStore::empty()).await, "post", "slug: \"a\"").await;
}

#[tokio::test]
async fn the_subtitle_of_a_page_is_set_changed_and_removed() {
    a_subtitle_is_set_changed_and_removed(Site::in_memory().await, "page", "path: \"a\"").await;
    a_subtitle_is_set_changed_and_removed(Site::over(MemoryStore::empty()).await, "page", "path: \"a\"").await;
}

#[tokio::test]
async fn lists_have_subtitles_and_a_restored_version_has_its_own() {
    let site = Site::in_memory().await;
    let input = "title: \"A\", markdown: \"b\", subtitle: \"First\", publishAt: \"2020-01-01T00:00:00Z\"";
    let id = change(&site, ("createPost", "post"), input).await["post"]["id"].clone();
    let list = "{ posts { nodes { subtitle } } }";
    assert_eq!(site.query(list).await, json!({ "posts": { "nodes": [{ "subtitle": "First" }] } }));
    change(&site, ("updatePost", "post"), &format!("id: {id}, expectedVersion: 1, subtitle: \"Second\"")).await;
    assert_eq!(site.query(list).await, json!({ "posts": { "nodes": [{ "subtitle": "Second" }] } }));
    let versions = format!("{{ node(id: {id}) {{ ... on Post {{ revisions(last: 1) {{ nodes {{ id }} }} }} }} }}");
    let first = site.ask_as(Some(EDITOR_TOKEN), &versions).await["data"]["node"]["revisions"]["nodes"][0]["id"].clone();
    let restore = format!("expectedVersion: 2, revisionId: {first}");
    assert_eq!(change(&site, ("restoreRevision", "post"), &restore).await, done("post", &id, (3, json!("First"))));
    assert_eq!(site.query(list).await, json!({ "posts": { "nodes": [{ "subtitle": "First" }] } }));
}
