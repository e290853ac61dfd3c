//! Enclosures of posts. The rule: what a mutation, a folder of Markdown or an export of WordPress names is read from the post, from its versions, from lists, and
//! from an import of each export.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;

use super::Gallery;
use crate::import::links::addresses;
use crate::import::pictures::{library, site_over, write_bytes};
use crate::support::folder::{counts, folder, import};
use crate::support::memory::MemoryStore;

const MP3: &[u8] = b"ID3\x04 an episode";
const FIELDS: &str = "enclosure { url byteSize contentType }";

impl Gallery {
    async fn write_enclosure(&self, mutation: &str, input: &str) -> Value {
        let query = format!(
            "mutation {{ {mutation}(input: {{ {input} }}) {{ post {{ id version {FIELDS} }} userErrors {{ code field }} }} }}"
        );
        self.ask(&query).await["data"][mutation].clone()
    }
}

async fn an_enclosure_is_set_changed_removed_and_restored(store: Store) {
    let gallery = Gallery::over(&store).await;
    let asset = gallery.add_named("a.mp3", MP3.to_vec()).await;
    let own = json!({ "url": asset["url"], "byteSize": MP3.len(), "contentType": "audio/mpeg" });
    let other = json!({ "url": "https://cdn.example/a.m4a?b", "byteSize": 7, "contentType": "audio/mp4" });
    let by_id = format!("enclosure: {{ assetId: {} }}", asset["id"]);
    let created = gallery.write_enclosure("createPost", &format!("title: \"A\", markdown: \"a\", {by_id}")).await;
    let id = created["post"]["id"].clone();
    let done = |version: i32, enclosure: &Value| json!({ "post": { "id": id, "version": version, "enclosure": enclosure }, "userErrors": [] });
    assert_eq!(created, done(1, &own));
    let by_url = "enclosure: { url: \"https://cdn.example/a.m4a?b\", byteSize: 7 }";
    for (version, changes, after) in [
        (1, "title: \"B\"", done(2, &own)),
        (2, by_url, done(3, &other)),
        (3, by_url, done(3, &other)),
        (3, "enclosure: null", done(4, &Value::Null)),
    ] {
        let input = format!("id: {id}, expectedVersion: {version}, {changes}");
        assert_eq!(gallery.write_enclosure("updatePost", &input).await, after, "{changes}");
    }
    for (named, code) in [
        ("assetId: \"asset-0000000000000000000000000000000000000000\"", "NOT_FOUND"),
        ("assetId: \"none\"", "NOT_FOUND"),
        ("", "INVALID"),
        (&format!("assetId: {}, contentType: \"audio/mpeg\"", asset["id"]), "INVALID"),
        ("assetId: \"none\", url: \"https://cdn.example/a.mp3\"", "INVALID"),
        (&format!("url: {}", asset["url"]), "INVALID"),
        ("url: \"javascript:a.mp3\"", "INVALID"),
        ("url: \"https://cdn.example/a\"", "INVALID"),
        ("url: \"https://cdn.example/a.mp3\", byteSize: 0", "INVALID"),
        ("url: \"https://cdn.example/a.mp3\", contentType: \"<b>\"", "INVALID"),
    ] {
        let input = format!("id: {id}, expectedVersion: 4, enclosure: {{ {named} }}");
        let refused = json!({ "post": null, "userErrors": [{ "code": code, "field": ["input", "enclosure"] }] });
        assert_eq!(gallery.write_enclosure("updatePost", &input).await, refused, "{named}");
    }
    let versions =
        format!("{{ node(id: {id}) {{ ... on Post {{ revisions {{ nodes {{ id {FIELDS} changedFields }} }} }} }} }}");
    let kept = gallery.ask(&versions).await["data"]["node"]["revisions"]["nodes"].clone();
    let seen: Vec<_> =
        kept.as_array().expect("versions").iter().map(|one| (&one["enclosure"], &one["changedFields"])).collect();
    let (changed, title, none) = (json!(["ENCLOSURE"]), json!(["TITLE"]), json!([]));
    assert_eq!(seen, [(&Value::Null, &changed), (&other, &changed), (&own, &title), (&own, &none)]);
    let restore = format!("revisionId: {}, expectedVersion: 4", kept[3]["id"]);
    assert_eq!(gallery.write_enclosure("restoreRevision", &restore).await, done(5, &own));
    gallery.site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn enclosures_are_set_changed_removed_and_restored_on_a_file() {
    let store = EmbeddedStore::in_memory().expect("a store");
    an_enclosure_is_set_changed_removed_and_restored(Arc::new(store)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn enclosures_are_set_changed_removed_and_restored_on_tables_in_memory() {
    an_enclosure_is_set_changed_removed_and_restored(MemoryStore::empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_of_a_creation_covers_the_enclosure() {
    let gallery = Gallery::in_memory().await;
    let asset = gallery.add_named("a.mp3", MP3.to_vec()).await;
    let input = |more: &str| format!("title: \"A\", markdown: \"a\", idempotencyKey: \"k\", {more}");
    let with = input(&format!("enclosure: {{ assetId: {} }}", asset["id"]));
    let first = gallery.write_enclosure("createPost", &with).await;
    assert_eq!(gallery.write_enclosure("createPost", &with).await, first);
    let other = gallery.write_enclosure("createPost", &input("")).await;
    assert_eq!(other["userErrors"], json!([{ "code": "KEY_REUSED", "field": ["input", "idempotencyKey"] }]));
}

const POSTS: &[(&str, &str)] = &[
    ("posts/a.md", "---\ntitle: A\ndate: 2025-01-01\nenclosure: a.mp3\n---\na\n"),
    (
        "posts/b.md",
        "---\ntitle: B\ndate: 2025-01-02\nenclosure: {url: 'https://cdn.example/b', length: 9, type: video/mp4}\n---\nb\n",
    ),
    ("posts/c.md", "---\ntitle: C\ndate: 2025-01-03\npodcast_file: /audio/c.mp3\n---\nc\n"),
    ("posts/d.md", "---\ntitle: D\ndate: 2025-01-04\nenclosure: gone.mp3\n---\nd\n"),
    ("posts/e.md", "---\ntitle: E\ndate: 2025-01-05\nenclosure: https://cdn.example/e\n---\ne\n"),
    ("posts/f.md", "---\ntitle: F\ndate: 2025-01-06\n---\nf\n"),
];

#[tokio::test(flavor = "multi_thread")]
async fn an_enclosure_of_a_folder_is_its_file_and_every_export_has_it() {
    let folder = folder(POSTS);
    write_bytes(&folder, "posts/a.mp3", MP3);
    write_bytes(&folder, "static/audio/c.mp3", b"ID3 another");
    let files = library();
    let site = site_over(Arc::new(EmbeddedStore::in_memory().expect("a store")), &files).await;
    let report = import(&site.content, folder.path()).await.expect("an import");
    let notes: Vec<String> = report.notes.iter().map(|note| format!("{}: {}", note.origin, note.text)).collect();
    assert_eq!((report.pictures.made, notes.len()), (2, 2), "{report:?}");
    assert!(notes.iter().any(|note| note.contains("posts/d.md, file gone.mp3: is not imported")), "{notes:?}");
    assert!(
        notes.iter().any(|note| note.contains("posts/e.md: its enclosure has \"\" in place of a media")),
        "{notes:?}"
    );
    let query = format!("{{ posts {{ nodes {{ slug {FIELDS} }} }} }}");
    let read = site.query(&query).await;
    let url = |at: usize| read["posts"]["nodes"][at]["enclosure"]["url"].as_str().expect("a URL").to_owned();
    let of = |at, bytes: usize| json!({ "url": url(at), "byteSize": bytes, "contentType": "audio/mpeg" });
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let names = sorted(files.list().await.expect("files").iter().map(|one| one.path()).collect());
    assert_eq!(sorted(vec![url(3), url(5)]), names);
    let expected = json!([
        { "slug": "f", "enclosure": null },
        { "slug": "e", "enclosure": null },
        { "slug": "d", "enclosure": null },
        { "slug": "c", "enclosure": of(3, 11) },
        { "slug": "b", "enclosure": { "url": "https://cdn.example/b", "byteSize": 9, "contentType": "video/mp4" } },
        { "slug": "a", "enclosure": of(5, MP3.len()) },
    ]);
    assert_eq!(read["posts"]["nodes"], expected);
    let again = import(&site.content, folder.path()).await.expect("an import");
    assert_eq!((counts(&again).1, counts(&again).2), (0, 6), "{again:?}");

    let (backup, markdown) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    tidings::export::export_with_pictures(&site.content, backup.path()).await.expect("an export");
    let report = tidings::export::export_markdown(&site.content, markdown.path(), |_| {}).await.expect("an export");
    assert_eq!((report.posts, report.pictures, report.failed), (6, 2, Vec::new()));
    for source in [backup.path(), markdown.path()] {
        let copy = site_over(Arc::new(EmbeddedStore::in_memory().expect("a store")), &library()).await;
        let report = import(&copy.content, source).await.expect("an import");
        assert_eq!((counts(&report).0, report.pictures.made), (6, 2), "{report:?}");
        assert_eq!(copy.query(&query).await, read, "{}", source.display());
    }
    // Without a place for files, the posts of an export name them nevertheless.
    let copy = crate::support::site::Site::in_memory().await;
    import(&copy.content, markdown.path()).await.expect("an import");
    assert_eq!(copy.query(&query).await, read);
    let mut broken = Vec::new();
    let of_site = addresses(None, "/posts/{slug}");
    copy.content.check_links(&of_site, |found| broken.push(found.link)).await.expect("a check");
    assert_eq!(sorted(broken), names, "they do not exist");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_enclosure_of_wordpress_is_one_of_the_post() {
    let item = |number: u32, value: &str| {
        format!(
            "<item><title>T</title><link>https://quay.example/s{number}/</link><wp:post_id>{number}</wp:post_id><wp:post_name>s{number}</wp:post_name>\
             <wp:post_type>post</wp:post_type><wp:status>publish</wp:status><wp:post_date_gmt>2020-01-0{number} 03:00:00</wp:post_date_gmt>\
             <wp:postmeta><wp:meta_key>enclosure</wp:meta_key><wp:meta_value><![CDATA[{value}]]></wp:meta_value></wp:postmeta></item>"
        )
    };
    let own = "https://quay.example/wp-content/uploads/a.mp3\n5\naudio/mpeg\n";
    let export = format!(
        "<rss xmlns:wp=\"http://wordpress.org/export/1.2/\"><channel><wp:base_blog_url>https://quay.example</wp:base_blog_url>{}</channel></rss>",
        [item(1, own), item(2, "https://cdn.example/b.mp3\r\n77\r\naudio/mpeg\r\na:0:{}"), item(3, "none")].concat()
    );
    let folder = folder(&[("site.xml", &export)]);
    write_bytes(&folder, "wp-content/uploads/a.mp3", MP3);
    let files = library();
    let site = site_over(Arc::new(EmbeddedStore::in_memory().expect("a store")), &files).await;
    let report = import(&site.content, &folder.path().join("site.xml")).await.expect("an import");
    let notes: Vec<&str> = report.notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(
        notes,
        ["its enclosure has a URL that does not begin with http:// or https://; it is only in the metadata"]
    );
    let read = site.query(&format!("{{ posts {{ nodes {{ {FIELDS} }} }} }}")).await;
    let path = files.list().await.expect("files")[0].path();
    let expected = json!([
        { "enclosure": null },
        { "enclosure": { "url": "https://cdn.example/b.mp3", "byteSize": 77, "contentType": "audio/mpeg" } },
        { "enclosure": { "url": path, "byteSize": MP3.len(), "contentType": "audio/mpeg" } },
    ]);
    assert_eq!(read["posts"]["nodes"], expected);
}
