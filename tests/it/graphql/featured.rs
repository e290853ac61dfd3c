//! Featured posts. The rule: what is written by a mutation is read in each place that shows a post, in its versions, and after an export and an import; the list of
//! featured posts has those that are published.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::store::Store;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;

use crate::support::azurite::{Azurite, random_prefix};
use crate::support::folder::{counts, exported, folder, import};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::Site;

/// The payload of a mutation of a post with this input.
async fn change(site: &Site, mutation: &str, input: &str) -> Value {
    let query = format!(
        "mutation {{ {mutation}(input: {{ {input} }}) {{ post {{ id version featured }} userErrors {{ code field message }} }} }}"
    );
    let answer = site.ask_as(Some(EDITOR_TOKEN), &query).await;
    let payload = answer["data"][mutation].clone();
    assert!(payload.is_object(), "{answer}");
    payload
}

async fn a_post_becomes_featured_and_is_no_longer(store: Store) {
    let site = Site::over(store).await;
    let plain = change(&site, "createPost", "title: \"Plain\", markdown: \"b\"").await;
    assert_eq!((&plain["post"]["featured"], &plain["userErrors"]), (&json!(false), &json!([])));
    let made = change(&site, "createPost", "title: \"A\", markdown: \"b\", featured: true").await;
    assert_eq!((&made["post"]["featured"], &made["userErrors"]), (&json!(true), &json!([])));
    let id = made["post"]["id"].as_str().expect("an id").to_owned();
    for (version, changes, after) in [
        (1, "title: \"B\"", (2, true)),
        (2, "featured: true", (2, true)),
        (2, "featured: false", (3, false)),
        (3, "featured: null", (3, false)),
        (3, "featured: true, title: \"C\"", (4, true)),
        (4, "featured: null", (5, false)),
    ] {
        let changed =
            change(&site, "updatePost", &format!("id: \"{id}\", expectedVersion: {version}, {changes}")).await;
        let expected = json!({ "id": id, "version": after.0, "featured": after.1 });
        assert_eq!(changed, json!({ "post": expected, "userErrors": [] }), "{changes}");
    }
    let versions = format!(
        "{{ node(id: \"{id}\") {{ ... on Post {{ featured revisions {{ nodes {{ version changedFields featured }} }} }} }} }}"
    );
    let read = site.ask_as(Some(EDITOR_TOKEN), &versions).await;
    let expected = json!([
        { "version": 5, "changedFields": ["FEATURED"], "featured": false },
        { "version": 4, "changedFields": ["TITLE", "FEATURED"], "featured": true },
        { "version": 3, "changedFields": ["FEATURED"], "featured": false },
        { "version": 2, "changedFields": ["TITLE"], "featured": true },
        { "version": 1, "changedFields": [], "featured": true },
    ]);
    assert_eq!(read["data"]["node"]["revisions"]["nodes"], expected, "{read}");
    let log = site
        .ask_as(
            Some(EDITOR_TOKEN),
            "{ auditLog(first: 20) { nodes { actions ... on ContentAuditLogEntry { version } } } }",
        )
        .await;
    let entries = log["data"]["auditLog"]["nodes"].as_array().expect("entries");
    let updates = entries.iter().filter(|entry| entry["version"] != 1);
    assert_eq!(updates.filter(|entry| entry["actions"] == json!(["UPDATED"])).count(), 4, "{log}");
    site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_becomes_featured_and_is_no_longer_on_a_file() {
    a_post_becomes_featured_and_is_no_longer(Arc::new(EmbeddedStore::in_memory().expect("a store"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_becomes_featured_and_is_no_longer_on_tables_in_memory() {
    a_post_becomes_featured_and_is_no_longer(MemoryStore::empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_becomes_featured_and_is_no_longer_on_azurite() {
    let azurite = Azurite::any();
    let store = AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
    a_post_becomes_featured_and_is_no_longer(Arc::new(store)).await;
}

#[tokio::test]
async fn lists_show_whether_a_post_is_featured_and_a_restored_version_is_featured_as_it_was() {
    let site = Site::in_memory().await;
    let input = "title: \"A\", markdown: \"b\", publishAt: \"2020-01-01T00:00:00Z\", featured: true";
    let id = change(&site, "createPost", input).await["post"]["id"].as_str().expect("an id").to_owned();
    let list = "{ posts { nodes { featured } } post(slug: \"a\") { featured } }";
    let shown = async |featured: bool| {
        let expected = json!({ "posts": { "nodes": [{ "featured": featured }] }, "post": { "featured": featured } });
        // The second answer is cached.
        for _ in 0..2 {
            assert_eq!(site.query(list).await, expected);
        }
    };
    shown(true).await;
    change(&site, "updatePost", &format!("id: \"{id}\", expectedVersion: 1, featured: false")).await;
    shown(false).await;
    let first = format!("revisionId: \"{}-1\", expectedVersion: 2", id.replace("post-", "revision-"));
    assert_eq!(change(&site, "restoreRevision", &first).await["post"]["featured"], json!(true));
    shown(true).await;
    site.assert_sound().await;
}

async fn the_list_of_featured_posts_follows_each_change(store: Store) {
    let site = Site::over(store).await;
    let mut ids = Vec::new();
    for (title, more) in [
        ("a", "featured: true, publishAt: \"2025-01-01T00:00:00Z\""),
        ("b", "publishAt: \"2025-02-01T00:00:00Z\""),
        ("c", "featured: true, publishAt: \"2025-03-01T00:00:00Z\""),
        ("draft", "featured: true"),
        ("scheduled", "featured: true, publishAt: \"2099-01-01T00:00:00Z\""),
    ] {
        let made = change(&site, "createPost", &format!("title: \"{title}\", markdown: \"b\", {more}")).await;
        ids.push(made["post"]["id"].as_str().expect("an id").to_owned());
    }
    let listed = async |expected: &[&str], others: &[&str]| {
        let list = |is_featured: bool| {
            format!("posts(filter: {{ featured: {is_featured} }}) {{ totalCount nodes {{ slug }} }}")
        };
        let query = format!("{{ yes: {} no: {} }}", list(true), list(false));
        let page = |slugs: &[&str]| {
            let nodes: Vec<Value> = slugs.iter().map(|slug| json!({ "slug": slug })).collect();
            json!({ "totalCount": slugs.len(), "nodes": nodes })
        };
        assert_eq!(site.query(&query).await, json!({ "yes": page(expected), "no": page(others) }));
    };
    listed(&["c", "a"], &["b"]).await;
    let update = async |number: usize, version: i32, mutation: &str, more: &str| {
        let made =
            change(&site, mutation, &format!("id: \"{}\", expectedVersion: {version} {more}", ids[number])).await;
        assert_eq!(made["userErrors"], json!([]));
    };
    update(1, 1, "updatePost", "featured: true").await;
    listed(&["c", "b", "a"], &[]).await;
    update(2, 1, "updatePost", "featured: false").await;
    listed(&["b", "a"], &["c"]).await;
    update(3, 1, "publishPost", "publishAt: \"2025-01-15T00:00:00Z\"").await;
    update(4, 1, "publishPost", "publishAt: \"2025-04-01T00:00:00Z\"").await;
    listed(&["scheduled", "b", "draft", "a"], &["c"]).await;
    update(0, 1, "unpublishPost", "").await;
    listed(&["scheduled", "b", "draft"], &["c"]).await;
    let first =
        site.query("{ posts(first: 1, filter: { featured: true }) { pageInfo { endCursor hasNextPage } } }").await;
    let cursor = &first["posts"]["pageInfo"]["endCursor"];
    let next = format!("{{ posts(first: 1, after: {cursor}, filter: {{ featured: true }}) {{ nodes {{ slug }} }} }}");
    assert_eq!(site.query(&next).await, json!({ "posts": { "nodes": [{ "slug": "b" }] } }));
    site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_featured_posts_follows_each_change_on_a_file() {
    the_list_of_featured_posts_follows_each_change(Arc::new(EmbeddedStore::in_memory().expect("a store"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_featured_posts_follows_each_change_on_tables_in_memory() {
    the_list_of_featured_posts_follows_each_change(MemoryStore::empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_featured_posts_follows_each_change_on_azurite() {
    let azurite = Azurite::any();
    let store = AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
    the_list_of_featured_posts_follows_each_change(Arc::new(store)).await;
}

#[tokio::test]
async fn the_key_of_a_creation_covers_whether_the_post_is_featured() {
    let site = Site::in_memory().await;
    let input = |more: &str| format!("title: \"A\", markdown: \"b\", idempotencyKey: \"k\" {more}");
    let first = change(&site, "createPost", &input("")).await["post"]["id"].clone();
    assert_eq!(change(&site, "createPost", &input("featured: false")).await["post"]["id"], first);
    let other = change(&site, "createPost", &input("featured: true")).await;
    assert_eq!(other["userErrors"][0]["code"], json!("KEY_REUSED"));
}

#[tokio::test]
async fn an_export_says_which_posts_are_featured_and_an_import_restores_them() {
    let site = Site::in_memory().await;
    change(&site, "createPost", "title: \"A\", markdown: \"b\", featured: true").await;
    change(&site, "createPost", "title: \"B\", markdown: \"b\"").await;
    let lines = exported(&site).await;
    for part in ["\"featured\":true", "\"featured\":false"] {
        assert_eq!(lines.matches(part).count(), 1, "{part}: {lines}");
    }
    let other = Site::in_memory().await;
    let from = async |text: &str| {
        let folder = folder(&[("export.jsonl", text)]);
        counts(&import(&other.content, &folder.path().join("export.jsonl")).await.expect("an import"))
    };
    assert_eq!(from(&lines).await, (2, 0, 0, 0));
    assert_eq!(exported(&other).await, lines);
    // An export of an earlier version does not say it.
    let earlier = lines.replace("\"featured\":true,", "").replace("\"featured\":false,", "");
    assert_eq!(from(&earlier).await, (0, 0, 2, 0));
    assert_eq!(exported(&other).await, lines);
    assert_eq!(from(&lines.replace("\"featured\":true", "\"featured\":\"yes\"")).await, (0, 0, 1, 1));
    assert_eq!(from(&lines.replace("\"featured\":true", "\"featured\":false")).await, (0, 1, 1, 0));
    other.assert_sound().await;
}

/// What the front matter of a file says, whether its post is featured, and the metadata of the post.
const FRONT_MATTER: [(&str, bool, &str); 9] = [
    ("featured: true", true, "{}"),
    ("pinned: yes", true, "{}"),
    ("pin: true\ntop: false", true, "{\"top\":false}"),
    ("sticky: true", true, "{}"),
    // A rank says more than that the post is featured.
    ("sticky: 100", true, "{\"sticky\":100}"),
    ("top: 0", false, "{\"top\":0}"),
    ("featured: false", false, "{}"),
    ("featured: a.png", false, "{\"featured\":\"a.png\"}"),
    ("layout: wide", false, "{\"layout\":\"wide\"}"),
];

#[tokio::test]
async fn front_matter_features_posts_and_a_file_that_no_longer_does_so_removes_it() {
    let site = Site::in_memory().await;
    let text = |front: &str| format!("---\ntitle: A\ndate: 2025-01-02\n{front}\n---\nB.\n");
    let files: Vec<(String, String)> =
        FRONT_MATTER.iter().enumerate().map(|(n, (front, ..))| (format!("p{n}.md"), text(front))).collect();
    let named: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let folder = folder(&[&named[..], &[("guide.md", "---\ntitle: Guide\nfeatured: true\n---\nC.\n")]].concat());
    let made = import(&site.content, folder.path()).await.expect("an import");
    assert_eq!((counts(&made), made.pages.made), ((FRONT_MATTER.len(), 0, 0, 0), 1));
    for (number, (front, featured, metadata)) in FRONT_MATTER.iter().enumerate() {
        let found = site.query(&format!("{{ post(slug: \"p{number}\") {{ featured metadata }} }}")).await;
        let metadata: Value = serde_json::from_str(metadata).expect("JSON");
        assert_eq!(found, json!({ "post": { "featured": featured, "metadata": metadata } }), "{front}");
    }
    // No page is featured.
    let page = site.query("{ page(path: \"guide\") { metadata } }").await;
    assert_eq!(page, json!({ "page": { "metadata": { "featured": true } } }));
    assert_eq!(counts(&import(&site.content, folder.path()).await.expect("an import")), (0, 0, FRONT_MATTER.len(), 0));

    std::fs::write(folder.path().join("p0.md"), text("layout: wide")).expect("a file");
    let changed = import(&site.content, folder.path()).await.expect("an import");
    assert_eq!(counts(&changed), (0, 1, FRONT_MATTER.len() - 1, 0));
    assert_eq!(site.query("{ post(slug: \"p0\") { featured } }").await, json!({ "post": { "featured": false } }));
    site.assert_sound().await;
}

const WORDPRESS: &str = "<?xml version=\"1.0\"?><rss version=\"2.0\" xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" \
    xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:wp=\"http://wordpress.org/export/1.2/\"><channel><title>A</title>\
    <link>https://a.example</link><wp:wxr_version>1.2</wp:wxr_version>\
    <wp:base_site_url>https://a.example</wp:base_site_url><wp:base_blog_url>https://a.example</wp:base_blog_url>\
    <item><title>One</title><link>https://a.example/one/</link><dc:creator>ada</dc:creator><content:encoded>Text.</content:encoded>\
    <wp:post_id>1</wp:post_id><wp:post_date_gmt>2025-01-02 03:04:05</wp:post_date_gmt><wp:post_name>one</wp:post_name>\
    <wp:status>publish</wp:status><wp:post_type>post</wp:post_type><wp:is_sticky>1</wp:is_sticky></item></channel></rss>";

#[tokio::test]
async fn a_sticky_post_of_wordpress_is_featured() {
    let site = Site::in_memory().await;
    let of = async |is_sticky: &str| {
        let text = WORDPRESS.replace("<wp:is_sticky>1</wp:is_sticky>", is_sticky);
        let folder = folder(&[("site.WordPress.xml", &text)]);
        let report = import(&site.content, &folder.path().join("site.WordPress.xml")).await.expect("an import");
        assert_eq!(report.failed, Vec::new());
        let found = site.query("{ post(slug: \"one\") { featured } }").await;
        (counts(&report), found["post"]["featured"].clone())
    };
    assert_eq!(of("<wp:is_sticky>1</wp:is_sticky>").await, ((1, 0, 0, 0), json!(true)));
    // Another export does not say it.
    assert_eq!(of("").await, ((0, 0, 1, 0), json!(true)));
    assert_eq!(of("<wp:is_sticky>0</wp:is_sticky>").await, ((0, 1, 0, 0), json!(false)));
}
