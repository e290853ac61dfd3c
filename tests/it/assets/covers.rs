//! Covers of posts and pages. The rule: a cover is a picture that exists when it is set, and null once the picture is deleted.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tidings::export::export;
use tidings::model::Instant;
use tidings::store::Store;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;

use super::Gallery;
use super::files::{jpeg, png};
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::folder::{counts, import};
use crate::support::graphql::{Cost, EDITOR_TOKEN};
use crate::support::memory::MemoryStore;
use crate::support::site::{NOW, Site, instant, post};

impl Gallery {
    pub(super) async fn cover(&self, side: u32) -> String {
        self.add(png(side, side)).await["id"].as_str().expect("an id").to_owned()
    }

    pub(super) async fn delete(&self, id: &str) {
        let version = self.version(&json!({ "id": id })).await;
        let input = format!("id: \"{id}\", expectedVersion: {version}");
        let deleted = self.ask(&format!("mutation {{ deleteAsset(input: {{ {input} }}) {{ deletedId }} }}")).await;
        assert_eq!(deleted["data"]["deleteAsset"]["deletedId"], json!(id));
    }

    /// The field of the payload of a mutation with this input.
    async fn change(&self, mutation: &str, input: &str) -> Value {
        let of = if mutation.ends_with("Page") { "page" } else { "post" };
        let query = format!(
            "mutation {{ {mutation}(input: {{ {input} }}) {{ {of} {{ id version cover {{ id width }} }} userErrors {{ code field }} }} }}"
        );
        let answer = self.ask(&query).await;
        let payload = answer["data"][mutation].clone();
        assert!(payload.is_object(), "{answer}");
        json!({ "object": payload[of], "userErrors": payload["userErrors"] })
    }
}

fn refused(field: &str) -> Value {
    json!([{ "code": "NOT_FOUND", "field": ["input", field] }])
}

/// A post or page gets a cover, loses it, gets it again, and is restored.
async fn a_cover_is_set_changed_removed_and_restored(gallery: &Gallery, kind: &str, place: &str) {
    let (one, two) = (gallery.cover(11).await, gallery.cover(12).await);
    let (create, update) = (format!("create{kind}"), format!("update{kind}"));
    let unknown = "asset-0123456789abcdef0123456789abcdef01234567";
    for id in [unknown, "post-000000000000", "x"] {
        let made = gallery.change(&create, &format!("{place} title: \"A\", markdown: \"b\", coverId: \"{id}\"")).await;
        assert_eq!(made, json!({ "object": null, "userErrors": refused("coverId") }), "{id}");
    }
    let made = gallery.change(&create, &format!("{place} title: \"A\", markdown: \"b\", coverId: \"{one}\"")).await;
    assert_eq!(made["userErrors"], json!([]));
    assert_eq!(made["object"]["cover"], json!({ "id": one, "width": 11 }));
    let id = made["object"]["id"].as_str().expect("an id").to_owned();
    let with = |version: i32, change: &str| format!("id: \"{id}\", expectedVersion: {version}, {change}");
    let kept = gallery.change(&update, &with(1, "title: \"B\"")).await;
    assert_eq!(kept["object"], json!({ "id": id, "version": 2, "cover": { "id": one, "width": 11 } }));
    let bad = gallery.change(&update, &with(2, &format!("title: \"C\", coverId: \"{unknown}\""))).await;
    assert_eq!(bad, json!({ "object": null, "userErrors": refused("coverId") }));
    let other = gallery.change(&update, &with(2, &format!("coverId: \"{two}\""))).await;
    assert_eq!(other["object"], json!({ "id": id, "version": 3, "cover": { "id": two, "width": 12 } }));
    let same = gallery.change(&update, &with(3, &format!("coverId: \"{two}\""))).await;
    assert_eq!(same["object"]["version"], json!(3));
    let removed = gallery.change(&update, &with(3, "coverId: null")).await;
    assert_eq!(removed["object"], json!({ "id": id, "version": 4, "cover": null }));
    let versions = format!(
        "{{ node(id: \"{id}\") {{ ... on Content {{ revisions(first: 4) {{ nodes {{ version changedFields cover {{ id }} }} }} }} }} }}"
    );
    let read = gallery.ask(&versions).await;
    let expected = json!([
        { "version": 4, "changedFields": ["COVER"], "cover": null },
        { "version": 3, "changedFields": ["COVER"], "cover": { "id": two } },
        { "version": 2, "changedFields": ["TITLE"], "cover": { "id": one } },
        { "version": 1, "changedFields": [], "cover": { "id": one } },
    ]);
    assert_eq!(read["data"]["node"]["revisions"]["nodes"], expected, "{read}");
    gallery.site.assert_sound().await;
}

async fn covers_are_set_changed_and_removed(store: Store) {
    let gallery = Gallery::over(&store).await;
    a_cover_is_set_changed_removed_and_restored(&gallery, "Post", "").await;
    a_cover_is_set_changed_removed_and_restored(&gallery, "Page", "path: \"a\",").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn covers_are_set_changed_and_removed_on_a_file() {
    covers_are_set_changed_and_removed(Arc::new(EmbeddedStore::in_memory().expect("a store"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn covers_are_set_changed_and_removed_on_tables_in_memory() {
    covers_are_set_changed_and_removed(MemoryStore::empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn covers_are_set_changed_and_removed_on_azurite() {
    let azurite = Azurite::any();
    let store = AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
    covers_are_set_changed_and_removed(Arc::new(store)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restored_version_has_its_cover_and_a_deleted_picture_is_no_cover_until_it_is_added_again() {
    let gallery = Gallery::in_memory().await;
    let cover = gallery.cover(21).await;
    let made = gallery
        .change(
            "createPost",
            &format!("title: \"A\", markdown: \"b\", publishAt: \"2020-01-01T00:00:00Z\", coverId: \"{cover}\""),
        )
        .await;
    let id = made["object"]["id"].as_str().expect("an id").to_owned();
    gallery.change("updatePost", &format!("id: \"{id}\", expectedVersion: 1, coverId: null")).await;
    let read = gallery
        .ask(&format!("{{ node(id: \"{id}\") {{ ... on Post {{ revisions(last: 1) {{ nodes {{ id }} }} }} }} }}"))
        .await;
    let first = read["data"]["node"]["revisions"]["nodes"][0]["id"].clone();
    let restored = gallery.change("restoreRevision", &format!("revisionId: {first}, expectedVersion: 2")).await;
    assert_eq!(restored["object"]["cover"], json!({ "id": cover, "width": 21 }));

    let list = "{ posts { nodes { cover { id } } } }";
    let shown = async |expected: Value| {
        // The second answer is held.
        for _ in 0..2 {
            assert_eq!(gallery.ask_as(None, list).await["data"]["posts"]["nodes"], json!([{ "cover": expected }]));
            assert_eq!(gallery.ask(list).await["data"]["posts"]["nodes"], json!([{ "cover": expected }]));
        }
    };
    shown(json!({ "id": cover })).await;
    gallery.delete(&cover).await;
    shown(Value::Null).await;
    assert_eq!(gallery.cover(21).await, cover);
    shown(json!({ "id": cover })).await;
    gallery.site.assert_sound().await;
}

#[tokio::test]
async fn the_covers_of_a_page_are_one_batch_that_costs_what_the_bound_says() {
    let gallery = Gallery::in_memory().await;
    let mut posts = Vec::new();
    for number in 0..20 {
        let cover = gallery.cover(30 + number).await;
        let at = Instant::from_ticks(instant(NOW).ticks() - 1 - i64::from(number)).expect("ticks");
        let mut whole = post(number.into(), at);
        whole.post.cover = cover.strip_prefix("asset-").expect("an id").parse().ok();
        posts.push(whole);
    }
    gallery.site.publish(&posts).await;
    let query = "{ posts(first: 20) { nodes { cover { url width } } } }";
    let expected = Cost { point_reads: 20, range_reads: 2, round_trips: 3 };
    assert_eq!(gallery.site.cost(query).await, expected);
    let price = format!("{{ operationCost(query: \"{query}\") {{ pointReads rangeReads }} }}");
    let priced = gallery.ask(&price).await;
    assert_eq!(priced["data"]["operationCost"]["pointReads"], json!(20), "{priced}");
    // One picture of several posts is read once.
    let twice = "{ a: posts(first: 20) { nodes { cover { url } } } b: posts(first: 20) { nodes { cover { width } } } }";
    assert_eq!(gallery.site.cost(twice).await.point_reads, 20);
}

async fn exported(site: &Site, path: &Path) -> String {
    let mut out = Vec::new();
    export(&site.content, &mut out).await.expect("an export");
    std::fs::write(path, &out).expect("a file");
    String::from_utf8(out).expect("UTF-8")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_names_the_covers_and_an_import_keeps_them() {
    let gallery = Gallery::in_memory().await;
    let id = gallery.add(jpeg(40, 30)).await["id"].as_str().expect("an id").to_owned();
    gallery.change("createPost", &format!("title: \"A\", markdown: \"b\", coverId: \"{id}\"")).await;
    gallery.change("createPost", "title: \"B\", markdown: \"b\"").await;
    gallery.change("createPage", &format!("path: \"c\", title: \"C\", markdown: \"b\", coverId: \"{id}\"")).await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("export.jsonl");
    let lines = exported(&gallery.site, &path).await;
    assert_eq!(
        (lines.matches(&format!("\"coverId\":\"{id}\"")).count(), lines.matches("\"coverId\":null").count()),
        (2, 1)
    );

    let other = Gallery::in_memory().await;
    assert_eq!(counts(&import(&other.site.content, &path).await.expect("an import")).0, 2);
    assert_eq!(exported(&other.site, &folder.path().join("again.jsonl")).await, lines);
    let read = "{ draftPosts { nodes { title cover { id } } } draftPages { nodes { cover { id } } } }";
    let covers = async |cover: Value| {
        let posts = json!([{ "title": "B", "cover": null }, { "title": "A", "cover": cover }]);
        let mut data = other.ask(read).await["data"].clone();
        let listed = data["draftPosts"]["nodes"].as_array_mut().expect("posts");
        listed.sort_by_key(|post| post["title"] == json!("A"));
        assert_eq!(data, json!({ "draftPosts": { "nodes": posts }, "draftPages": { "nodes": [{ "cover": cover }] } }));
    };
    // An export has no pictures. The same picture has the same id wherever it is added.
    covers(Value::Null).await;
    other.add(jpeg(40, 30)).await;
    covers(json!({ "id": id })).await;

    // An export of an earlier version does not say it.
    let earlier = lines.replace(&format!("\"coverId\":\"{id}\","), "").replace("\"coverId\":null,", "");
    std::fs::write(&path, earlier).expect("a file");
    assert_eq!(counts(&import(&other.site.content, &path).await.expect("an import")), (0, 0, 2, 0));
    covers(json!({ "id": id })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_of_a_creation_covers_the_cover() {
    let gallery = Gallery::in_memory().await;
    let cover = gallery.cover(61).await;
    let input = |more: &str| format!("title: \"A\", markdown: \"b\", idempotencyKey: \"k\" {more}");
    let with = input(&format!("coverId: \"{cover}\""));
    let first = gallery.change("createPost", &with).await["object"]["id"].clone();
    assert_eq!(gallery.change("createPost", &with).await["object"]["id"], first);
    let other = gallery
        .ask_as(
            Some(EDITOR_TOKEN),
            &format!("mutation {{ createPost(input: {{ {} }}) {{ userErrors {{ code }} }} }}", input("")),
        )
        .await;
    assert_eq!(other["data"]["createPost"]["userErrors"], json!([{ "code": "KEY_REUSED" }]));
}
