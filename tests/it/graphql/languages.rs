//! The languages of posts and pages. The rule: a language is a tag of BCP 47 in its usual case, and what is written by a mutation is read in each place that
//! shows a post, in its versions, and after an export and an import.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::store::Store;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;

use crate::support::azurite::{Azurite, random_prefix};
use crate::support::folder::{counts, exported, folder, import};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::{Site, instant, post};

/// The field of the payload of a mutation with this input.
async fn change(site: &Site, mutation: &str, input: &str) -> Value {
    let of = if mutation.ends_with("Page") { "page" } else { "post" };
    let query = format!(
        "mutation {{ {mutation}(input: {{ {input} }}) {{ {of} {{ id version language }} userErrors {{ code field message }} }} }}"
    );
    let answer = site.ask_as(Some(EDITOR_TOKEN), &query).await;
    let payload = answer["data"][mutation].clone();
    assert!(payload.is_object(), "{answer}");
    json!({ "object": payload[of], "userErrors": payload["userErrors"] })
}

const UNUSUAL: &str = "\"english\" is not a language tag such as en, pt-BR or zh-Hant: BCP 47, at most 35 characters, in front the two or three letters of the language";

/// A post or page gets a language, another one, and none; and its versions have them.
async fn a_language_is_set_changed_and_removed(site: &Site, kind: &str, place: &str) {
    let (create, update) = (format!("create{kind}"), format!("update{kind}"));
    let made = |language: &str| format!("{place} title: \"A\", markdown: \"b\", language: \"{language}\"");
    let refused = change(site, &create, &made("english")).await;
    let error = json!([{ "code": "INVALID", "field": ["input", "language"], "message": UNUSUAL }]);
    assert_eq!(refused, json!({ "object": null, "userErrors": error }));
    let made = change(site, &create, &made("PT-br")).await;
    assert_eq!((&made["object"]["language"], &made["userErrors"]), (&json!("pt-BR"), &json!([])));
    let id = made["object"]["id"].as_str().expect("an id").to_owned();
    let expected = |version: i32, language: Value| json!({ "id": id, "version": version, "language": language });
    for (version, changes, after) in [
        (1, "title: \"B\"", expected(2, json!("pt-BR"))),
        (2, "language: \"pt-BR\"", expected(2, json!("pt-BR"))),
        (2, "language: \"PT-BR\"", expected(2, json!("pt-BR"))),
        (2, "language: \" zh-hant \"", expected(3, json!("zh-Hant"))),
        (3, "language: \"\"", expected(4, Value::Null)),
        (4, "language: \"de\", title: \"C\"", expected(5, json!("de"))),
        (5, "language: null", expected(6, Value::Null)),
    ] {
        let changed = change(site, &update, &format!("id: \"{id}\", expectedVersion: {version}, {changes}")).await;
        assert_eq!(changed, json!({ "object": after, "userErrors": [] }), "{changes}");
    }
    let bad = change(site, &update, &format!("id: \"{id}\", expectedVersion: 6, language: \"de_DE\"")).await;
    assert_eq!((&bad["object"], &bad["userErrors"][0]["code"]), (&Value::Null, &json!("INVALID")));
    let versions = format!(
        "{{ node(id: \"{id}\") {{ ... on Content {{ language revisions {{ nodes {{ version changedFields language }} }} }} }} }}"
    );
    let read = site.ask_as(Some(EDITOR_TOKEN), &versions).await;
    let expected = json!([
        { "version": 6, "changedFields": ["LANGUAGE"], "language": null },
        { "version": 5, "changedFields": ["TITLE", "LANGUAGE"], "language": "de" },
        { "version": 4, "changedFields": ["LANGUAGE"], "language": null },
        { "version": 3, "changedFields": ["LANGUAGE"], "language": "zh-Hant" },
        { "version": 2, "changedFields": ["TITLE"], "language": "pt-BR" },
        { "version": 1, "changedFields": [], "language": "pt-BR" },
    ]);
    assert_eq!(read["data"]["node"]["revisions"]["nodes"], expected, "{read}");
    site.assert_sound().await;
}

async fn languages_are_set_changed_and_removed(store: Store) {
    let site = Site::over(store).await;
    a_language_is_set_changed_and_removed(&site, "Post", "").await;
    a_language_is_set_changed_and_removed(&site, "Page", "path: \"a\",").await;
    let log = site
        .ask_as(
            Some(EDITOR_TOKEN),
            "{ auditLog(first: 20) { nodes { actions ... on ContentAuditLogEntry { version } } } }",
        )
        .await;
    let entries = log["data"]["auditLog"]["nodes"].as_array().expect("entries");
    let updates = entries.iter().filter(|entry| entry["version"] != 1);
    assert_eq!(updates.filter(|entry| entry["actions"] == json!(["UPDATED"])).count(), 10, "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn languages_are_set_changed_and_removed_on_a_file() {
    languages_are_set_changed_and_removed(Arc::new(EmbeddedStore::in_memory().expect("a store"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn languages_are_set_changed_and_removed_on_tables_in_memory() {
    languages_are_set_changed_and_removed(MemoryStore::empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn languages_are_set_changed_and_removed_on_azurite() {
    let azurite = Azurite::any();
    let store = AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
    languages_are_set_changed_and_removed(Arc::new(store)).await;
}

#[tokio::test]
async fn a_published_post_shows_its_language_in_lists_and_a_restored_version_has_its_own() {
    let site = Site::in_memory().await;
    let input = "title: \"A\", markdown: \"b\", publishAt: \"2020-01-01T00:00:00Z\", language: \"de-ch\"";
    let id = change(&site, "createPost", input).await["object"]["id"].as_str().expect("an id").to_owned();
    let list = "{ posts { nodes { language } } post(slug: \"a\") { language } }";
    let shown = async |language: Value| {
        let expected = json!({ "posts": { "nodes": [{ "language": language }] }, "post": { "language": language } });
        // The second answer is cached.
        for _ in 0..2 {
            assert_eq!(site.query(list).await, expected);
        }
    };
    shown(json!("de-CH")).await;
    change(&site, "updatePost", &format!("id: \"{id}\", expectedVersion: 1, language: null")).await;
    shown(Value::Null).await;
    let first = format!("revisionId: \"{}-1\", expectedVersion: 2", id.replace("post-", "revision-"));
    assert_eq!(change(&site, "restoreRevision", &first).await["object"]["language"], json!("de-CH"));
    shown(json!("de-CH")).await;
    site.assert_sound().await;
}

/// Creates, changes and deletes posts, and reads the languages after each step.
async fn the_languages_of_the_site_are_those_of_published_posts(store: Store) {
    let site = Site::over(store).await;
    let are = async |expected: &[&str]| {
        // The second answer is cached.
        for _ in 0..2 {
            assert_eq!(site.query("{ site { languages } }").await, json!({ "site": { "languages": expected } }));
        }
    };
    are(&[]).await;
    let create = async |language: &str, publication: &str| {
        let input = format!("title: \"A\", markdown: \"b\", language: {language}, {publication}");
        change(&site, "createPost", &input).await["object"]["id"].as_str().expect("an id").to_owned()
    };
    let published = "publishAt: \"2020-01-01T00:00:00Z\"";
    let de = create("\"de\"", published).await;
    create("\"PT-br\"", published).await;
    create("null", published).await;
    create("\"it\"", "publish: false").await;
    let scheduled = create("\"fr\"", "publishAt: \"2100-01-01T00:00:00Z\"").await;
    are(&["de", "pt-BR"]).await;
    change(&site, "createPage", "path: \"a\", title: \"A\", markdown: \"b\", language: \"es\", publish: true").await;
    let second = create("\"de\"", "publishAt: \"2100-01-01T00:00:00Z\"").await;
    are(&["de", "pt-BR"]).await;
    change(&site, "updatePost", &format!("id: \"{de}\", expectedVersion: 1, language: \"nl\"")).await;
    are(&["nl", "pt-BR"]).await;
    change(&site, "updatePost", &format!("id: \"{scheduled}\", expectedVersion: 1, {published}")).await;
    are(&["fr", "nl", "pt-BR"]).await;
    change(&site, "updatePost", &format!("id: \"{second}\", expectedVersion: 1, publish: true")).await;
    change(&site, "unpublishPost", &format!("id: \"{de}\", expectedVersion: 2")).await;
    are(&["de", "fr", "pt-BR"]).await;
    site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_languages_of_the_site_are_those_of_published_posts_on_a_file() {
    let store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
    the_languages_of_the_site_are_those_of_published_posts(store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_languages_of_the_site_are_those_of_published_posts_on_tables() {
    the_languages_of_the_site_are_those_of_published_posts(MemoryStore::empty()).await;
}

#[tokio::test]
async fn more_languages_than_a_list_can_have_are_refused() {
    let site = Site::in_memory().await;
    let posts: Vec<_> = (0..=100_u64)
        .map(|n| {
            let mut whole = post(n, instant("2020-01-01T00:00:00Z"));
            whole.post.language = format!("x-{n}").parse().ok();
            whole
        })
        .collect();
    site.publish(&posts[..100]).await;
    let listed = site.query("{ site { languages } }").await;
    assert_eq!(listed["site"]["languages"].as_array().map(Vec::len), Some(100));
    let mut scheduled = post(101, instant("2100-01-01T00:00:00Z"));
    scheduled.post.language = "x-101".parse().ok();
    site.publish(&[scheduled]).await;
    assert_eq!(site.query("{ site { languages } }").await, listed, "that of a scheduled post does not count");
    site.publish(&posts[100..]).await;
    let refused = site.ask_as(None, "{ site { languages } }").await;
    assert_eq!(refused["errors"][0]["extensions"]["code"], json!("BAD_USER_INPUT"), "{refused}");
    site.assert_sound().await;
}

#[tokio::test]
async fn the_key_of_a_creation_covers_the_language() {
    let site = Site::in_memory().await;
    let input = |more: &str| format!("title: \"A\", markdown: \"b\", idempotencyKey: \"k\" {more}");
    let first = change(&site, "createPost", &input("language: \"de\"")).await["object"]["id"].clone();
    assert_eq!(change(&site, "createPost", &input("language: \"de\"")).await["object"]["id"], first);
    let other = change(&site, "createPost", &input("")).await;
    assert_eq!(other["userErrors"][0]["code"], json!("KEY_REUSED"));
}

#[tokio::test]
async fn an_export_has_the_languages_and_an_import_restores_them() {
    let site = Site::in_memory().await;
    change(&site, "createPost", "title: \"A\", markdown: \"b\", language: \"pt-br\"").await;
    change(&site, "createPost", "title: \"B\", markdown: \"b\"").await;
    change(&site, "createPage", "path: \"c\", title: \"C\", markdown: \"b\", language: \"de\"").await;
    let lines = exported(&site).await;
    for (part, times) in [("\"language\":\"pt-BR\"", 1), ("\"language\":\"de\"", 1), ("\"language\":null", 1)] {
        assert_eq!(lines.matches(part).count(), times, "{part}: {lines}");
    }
    let other = Site::in_memory().await;
    let from = async |text: &str| {
        let folder = folder(&[("export.jsonl", text)]);
        counts(&import(&other.content, &folder.path().join("export.jsonl")).await.expect("an import"))
    };
    assert_eq!(from(&lines).await, (2, 0, 0, 0));
    assert_eq!(exported(&other).await, lines);
    // An export of an earlier version does not say it.
    let earlier = ["\"pt-BR\"", "\"de\"", "null"]
        .into_iter()
        .fold(lines.clone(), |text, language| text.replace(&format!("\"language\":{language},"), ""));
    assert_eq!(from(&earlier).await, (0, 0, 2, 0));
    assert_eq!(exported(&other).await, lines);
    assert_eq!(from(&lines.replace("\"pt-BR\"", "\"portuguese\"")).await, (0, 0, 1, 1));
    other.assert_sound().await;
}

/// What the front matter of a file says, and the language and the metadata of its post.
const FRONT_MATTER: [(&str, Option<&str>, &str); 6] = [
    ("lang: pt-br", Some("pt-BR"), "{}"),
    ("language: zh-Hant\nlocale: fr", Some("zh-Hant"), "{\"locale\":\"fr\"}"),
    ("locale: en_US", Some("en-US"), "{}"),
    ("language: python", None, "{\"language\":\"python\"}"),
    ("lang: German", None, "{\"lang\":\"German\"}"),
    ("layout: wide", None, "{\"layout\":\"wide\"}"),
];

#[tokio::test]
async fn front_matter_has_the_language_and_a_file_that_no_longer_names_one_removes_it() {
    let site = Site::in_memory().await;
    let text = |front: &str| format!("---\ntitle: A\ndate: 2025-01-02\n{front}\n---\nB.\n");
    let files: Vec<(String, String)> =
        FRONT_MATTER.iter().enumerate().map(|(n, (front, ..))| (format!("p{n}.md"), text(front))).collect();
    let named: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let folder = folder(&[&named[..], &[("guide.md", "---\ntitle: Guide\nlang: fr\n---\nC.\n")]].concat());
    let made = import(&site.content, folder.path()).await.expect("an import");
    assert_eq!((counts(&made), made.pages.made), ((FRONT_MATTER.len(), 0, 0, 0), 1));
    for (number, (front, language, metadata)) in FRONT_MATTER.iter().enumerate() {
        let found = site.query(&format!("{{ post(slug: \"p{number}\") {{ language metadata }} }}")).await;
        let metadata: Value = serde_json::from_str(metadata).expect("JSON");
        assert_eq!(found, json!({ "post": { "language": language, "metadata": metadata } }), "{front}");
    }
    assert_eq!(site.query("{ page(path: \"guide\") { language } }").await, json!({ "page": { "language": "fr" } }));
    assert_eq!(counts(&import(&site.content, folder.path()).await.expect("an import")), (0, 0, FRONT_MATTER.len(), 0));

    std::fs::write(folder.path().join("p0.md"), text("layout: wide")).expect("a file");
    let changed = import(&site.content, folder.path()).await.expect("an import");
    assert_eq!(counts(&changed), (0, 1, FRONT_MATTER.len() - 1, 0));
    assert_eq!(site.query("{ post(slug: \"p0\") { language } }").await, json!({ "post": { "language": null } }));
    site.assert_sound().await;
}

const POLYLANG: &str = "<?xml version=\"1.0\"?><rss version=\"2.0\" xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" \
    xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:wp=\"http://wordpress.org/export/1.2/\"><channel><title>A</title>\
    <link>https://a.example</link><language>en-US</language><wp:wxr_version>1.2</wp:wxr_version>\
    <wp:base_site_url>https://a.example</wp:base_site_url><wp:base_blog_url>https://a.example</wp:base_blog_url>\
    <item><title>Eins</title><link>https://a.example/eins/</link><dc:creator>ada</dc:creator><content:encoded>Text.</content:encoded>\
    <wp:post_id>1</wp:post_id><wp:post_date_gmt>2025-01-02 03:04:05</wp:post_date_gmt><wp:post_name>eins</wp:post_name>\
    <wp:status>publish</wp:status><wp:post_type>post</wp:post_type>\
    <category domain=\"language\" nicename=\"de\">Deutsch</category></item></channel></rss>";

#[tokio::test]
async fn a_wordpress_export_has_the_language_if_polylang_has_recorded_it() {
    let site = Site::in_memory().await;
    let of = async |text: &str| {
        let folder = folder(&[("site.WordPress.xml", text)]);
        let report = import(&site.content, &folder.path().join("site.WordPress.xml")).await.expect("an import");
        assert_eq!(report.failed, Vec::new());
        let found = site.query("{ post(slug: \"eins\") { language categories { slug } } }").await;
        (counts(&report), found["post"].clone())
    };
    let expected = json!({ "language": "de", "categories": [] });
    assert_eq!(of(POLYLANG).await, ((1, 0, 0, 0), expected.clone()));
    // Another export does not say it.
    let without = POLYLANG.replace("<category domain=\"language\" nicename=\"de\">Deutsch</category>", "");
    assert_eq!(of(&without).await, ((0, 0, 1, 0), expected));
}
