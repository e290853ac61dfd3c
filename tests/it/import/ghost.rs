//! Imports of Ghost exports by the command. The rule: the import reports everything that it leaves out or changes.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::command::{Blog, Ran};
use crate::support::rows::all_rows;

/// A row of the table `posts` of a current Ghost version.
fn post(number: u32, slug: &str) -> Value {
    json!({
        "id": format!("65a{number:021}"), "uuid": format!("0b5f4e7e-6a52-4a8e-9d53-{number:012}"), "title": format!("The {slug}"), "slug": slug,
        "mobiledoc": null, "lexical": "{\"root\":{}}", "html": format!("<p>On <a href=\"__GHOST_URL__/{slug}/\">{slug}</a>.</p>"),
        "comment_id": "x", "plaintext": "On it.", "feature_image": null, "featured": 0, "type": "post", "status": "published", "locale": null,
        "visibility": "public", "email_recipient_filter": "none", "created_at": "2025-03-01T08:00:00.000Z",
        "updated_at": "2025-03-02T08:00:00.000Z", "published_at": format!("2025-03-{number:02}T09:00:00.000Z"), "custom_excerpt": null,
        "codeinjection_head": null, "codeinjection_foot": null, "custom_template": null, "canonical_url": null,
    })
}

fn with(mut row: Value, fields: Value) -> Value {
    let fields = fields.as_object().expect("fields").clone();
    row.as_object_mut().expect("a row").extend(fields);
    row
}

fn id(number: u32) -> String {
    format!("65a{number:021}")
}

/// An export with these posts, three users, of whom one has no post, two public tags and an internal one. The first post has two authors and
/// all tags.
fn site(posts: &[Value]) -> Value {
    json!({ "db": [{ "meta": { "exported_on": 1_767_225_600_000_i64, "version": "5.130.0" }, "data": {
        "posts": posts,
        "posts_authors": [
            { "post_id": id(1), "author_id": "u2", "sort_order": 1 }, { "post_id": id(1), "author_id": "u1", "sort_order": 0 },
        ],
        "posts_meta": [{ "post_id": id(1), "feature_image_alt": "a \"quay\"", "feature_image_caption": "<i>At dawn</i>",
            "meta_title": "Quay, in short", "og_image": "__GHOST_URL__/content/images/og.png", "og_title": null }],
        "posts_tags": [
            { "post_id": id(1), "tag_id": "t2", "sort_order": 2 }, { "post_id": id(1), "tag_id": "t3", "sort_order": 1 },
            { "post_id": id(1), "tag_id": "t1", "sort_order": 0 },
        ],
        "tags": [
            { "id": "t1", "name": "Zebra", "slug": "zebra", "description": "Striped", "visibility": "public" },
            { "id": "t2", "name": "Apple & Co", "slug": "apple", "description": null, "visibility": "public" },
            { "id": "t3", "name": "#layout", "slug": "hash-layout", "description": null, "visibility": "internal" },
        ],
        "users": [
            { "id": "u1", "name": "Ines", "slug": "ines", "email": "ines@example.org", "password": "$2a$", "bio": "By the water.", "website": "https://ines.example/" },
            { "id": "u2", "name": "Bo", "slug": "bo", "email": "bo@example.org", "bio": null, "website": null },
            { "id": "u3", "name": "Nobody", "slug": "nobody", "email": "no@example.org", "bio": "Has an account.", "website": null },
        ],
    } }] })
}

struct Ghost {
    blog: Blog,
    file: PathBuf,
}

impl Ghost {
    fn of(export: &Value) -> Self {
        let blog = Blog::of(&[]);
        let ghost = Self { file: blog.path().join("my-site.ghost.json"), blog };
        ghost.write_export(export);
        ghost
    }

    fn write_export(&self, export: &Value) {
        std::fs::write(&self.file, export.to_string()).expect("a file");
    }

    fn import(&self) -> Ran {
        self.blog.import_of(&self.file, &[])
    }

    fn counts(&self) -> String {
        let ran = self.import();
        let summary = ran.summary().strip_prefix("Imported: ").unwrap_or_else(|| panic!("{ran:?}"));
        summary.split(';').next().unwrap_or_default().to_owned()
    }
}

#[tokio::test]
async fn a_post_is_imported_with_all_its_ghost_data() {
    let first = with(
        post(1, "quay"),
        json!({
            "feature_image": "__GHOST_URL__/content/images/q.png", "custom_excerpt": "Boats & ropes", "featured": 1,
            "canonical_url": "https://elsewhere.example/quay/", "meta_title": "Not this one", "codeinjection_head": "",
            "locale": "Nautical",
        }),
    );
    // Earlier versions of Ghost have all fields in one table.
    let second = with(post(2, "tide"), json!({ "meta_title": "Tide, in short", "locale": "pt_br" }));
    let ghost = Ghost::of(&site(&[first, second]));
    let ran = ghost.import();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let report = "Importing 2 posts …\nskipped  tag #layout: an internal tag of Ghost, not for readers\n\
                  note     pictures: the folder content/images is not beside the file of the export, so the pictures of the site stay at their addresses (found: 1); copy it there to import them\n";
    assert_eq!(ran.err, report);
    let query = r#"{ post(slug: "quay") { title excerpt publishedAt createdAt updatedAt status tags { name slug description } categories { slug }
        authors { name slug description url } body { html } language featured metadata } tide: post(slug: "tide") { language featured metadata } authors { nodes { slug } } tags { nodes { slug } } posts { nodes { slug } } }"#;
    let figure = "<figure><img src=\"/content/images/q.png\" alt=\"a &quot;quay&quot;\"><figcaption><i>At dawn</i></figcaption></figure>";
    let expected = json!({
        "post": {
            "title": "The quay", "excerpt": "Boats & ropes", "status": "PUBLISHED", "publishedAt": "2025-03-01T09:00:00.000Z",
            "createdAt": "2025-03-01T08:00:00.000Z", "updatedAt": "2025-03-02T08:00:00.000Z", "categories": [],
            "tags": [{ "name": "Zebra", "slug": "zebra", "description": "Striped" }, { "name": "Apple & Co", "slug": "apple", "description": null }],
            "authors": [
                { "name": "Ines", "slug": "ines", "description": "By the water.", "url": "https://ines.example/" },
                { "name": "Bo", "slug": "bo", "description": null, "url": null },
            ],
            "body": { "html": format!("{figure}\n<p>On <a href=\"/quay/\">quay</a>.</p>\n") },
            "language": null, "featured": true,
            "metadata": {
                "locale": "Nautical", "feature_image": "/content/images/q.png", "feature_image_alt": "a \"quay\"", "feature_image_caption": "<i>At dawn</i>",
                "canonical_url": "https://elsewhere.example/quay/", "meta_title": "Quay, in short", "og_image": "/content/images/og.png",
            },
        },
        "tide": { "language": "pt-BR", "featured": false, "metadata": { "meta_title": "Tide, in short" } },
        "authors": { "nodes": [{ "slug": "bo" }, { "slug": "ines" }] },
        "tags": { "nodes": [{ "slug": "apple" }, { "slug": "zebra" }] },
        "posts": { "nodes": [{ "slug": "tide" }, { "slug": "quay" }] },
    });
    assert_eq!(ghost.blog.query(query).await, expected);
    assert_eq!(ghost.blog.check().code, Some(0));
}

#[tokio::test]
async fn a_second_import_changes_nothing_and_an_edited_post_becomes_a_version() {
    let draft = with(post(3, "sketch"), json!({ "status": "draft", "published_at": null }));
    let ghost = Ghost::of(&site(&[post(1, "quay"), post(2, "tide"), draft.clone()]));
    assert_eq!(ghost.counts(), "3 created, 0 changed, 0 unchanged, 1 skipped, 0 failed");
    let before = all_rows(&ghost.blog.site().await.store).await;
    assert_eq!(ghost.counts(), "0 created, 0 changed, 3 unchanged, 1 skipped, 0 failed");
    assert_eq!(all_rows(&ghost.blog.site().await.store).await, before);
    let edited = with(post(1, "quay"), json!({ "html": "<p>New.</p>", "updated_at": "2025-04-01T00:00:00.000Z" }));
    let renamed = with(post(2, "tide"), json!({ "slug": "tides" }));
    ghost.write_export(&site(&[edited, renamed, draft]));
    assert_eq!(ghost.counts(), "0 created, 2 changed, 1 unchanged, 1 skipped, 0 failed");
    let query = r#"{ quay: post(slug: "quay") { version body { text } } tide: post(slug: "tide") { slug version } posts { totalCount } }"#;
    let expected = json!({
        "quay": { "version": 2, "body": { "text": "New." } }, "tide": { "slug": "tides", "version": 2 }, "posts": { "totalCount": 2 },
    });
    assert_eq!(ghost.blog.query(query).await, expected);
}

#[tokio::test]
async fn content_that_was_not_public_in_ghost_stays_hidden_and_is_reported() {
    let gated = |readers: &str| format!("<!--kg-gated-block:begin {readers} --><p>secret</p><!--kg-gated-block:end-->");
    let posts = [
        with(post(1, "paid"), json!({ "visibility": "paid" })),
        with(post(2, "mailed"), json!({ "status": "sent" })),
        with(post(3, "later"), json!({ "status": "scheduled", "published_at": "2999-01-01T00:00:00.000Z" })),
        with(post(4, "about"), json!({ "type": "page" })),
        with(post(5, "binned"), json!({ "status": "trashed" })),
        with(
            post(6, "scripted"),
            json!({ "codeinjection_foot": "<script>x()</script>", "html": "<p>a</p><form action=\"https://x.example\"></form>" }),
        ),
        with(
            post(7, "gated"),
            json!({ "html": format!("<p>a</p>{}", gated("nonMember:false memberSegment:\"status:-free\"")) }),
        ),
        with(post(8, "invited"), json!({ "html": gated("nonMember:true memberSegment:\"\"") })),
        with(post(9, "torn"), json!({ "html": "<p>a</p><!--kg-gated-block:begin nonMember:false --><p>secret</p>" })),
        with(
            post(10, "lexical"),
            json!({ "html": null, "lexical": "{\"root\":{\"children\":[{\"type\":\"horizontalrule\"}]}}" }),
        ),
    ];
    let ghost = Ghost::of(&site(&posts));
    let ran = ghost.import();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let mut lines: Vec<&str> = ran.err.lines().skip(1).collect();
    lines.sort_unstable();
    let expected = [
        "note     post gated: has parts that only members or readers of e-mails saw, so they are left out (found: 1)",
        "note     post lexical: has a text, but no HTML, so it is imported as a draft without it; save it in Ghost, and export again",
        "note     post mailed: was sent only by e-mail, so it is imported as a draft",
        "note     post paid: has the visibility \"paid\", so it is imported as a draft",
        "note     post scripted: its code injection is not imported",
        "note     post scripted: the body contains <form>, which is not shown to readers",
        "note     post torn: may have parts that only members or readers of e-mails saw, so it is imported as a draft",
        "skipped  post binned: has the status \"trashed\", which is neither published nor a draft",
        "skipped  tag #layout: an internal tag of Ghost, not for readers",
    ];
    assert_eq!(lines, expected);
    let query = r#"{ posts { nodes { slug body { html } } } paid: post(slug: "paid") { id } later: post(slug: "later") { id } }"#;
    let shown = json!({ "posts": { "nodes": [
        { "slug": "invited", "body": { "html": "<p>secret</p>\n" } },
        { "slug": "gated", "body": { "html": "<p>a</p>\n" } }, { "slug": "scripted", "body": { "html": "<p>a</p>\n" } },
    ] }, "paid": null, "later": null });
    assert_eq!(ghost.blog.query(query).await, shown);
    let exported = ghost.blog.export();
    assert_eq!(
        (exported.matches("\"DRAFT\"").count(), exported.matches("\"SCHEDULED\"").count()),
        (4, 1),
        "{exported}"
    );
    assert!(!exported.contains("example.org"), "an e-mail address of an account was imported: {exported}");
}

#[tokio::test]
async fn an_invalid_row_is_reported_and_the_others_are_imported() {
    let posts = [
        post(1, "quay"),
        json!("not a row"),
        with(post(2, "undated"), json!({ "published_at": "someday" })),
        with(
            post(3, "ancient"),
            json!({ "published_at": "1500-01-01T00:00:00.000Z", "created_at": null, "updated_at": null }),
        ),
        with(post(4, "wordy"), json!({ "title": "x".repeat(1_001) })),
        with(post(1, "again"), json!({})),
        post(6, "tide"),
    ];
    let mut export = site(&posts);
    export["db"][0]["data"]["posts_tags"]
        .as_array_mut()
        .expect("rows")
        .extend([json!({ "post_id": id(6), "tag_id": "t9", "sort_order": 0 }), json!({ "tag_id": "t1" })]);
    let ghost = Ghost::of(&export);
    let ran = ghost.import();
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let named = [
        "failed   posts, item 2: not a row of a table",
        "failed   post undated: published, but without a date that can be read",
        "failed   ghost:0b5f4e7e-6a52-4a8e-9d53-000000000003: publishedAt: is 1500-01-01T00:00:00Z; the tables keep no instant before 1601",
        "failed   ghost:0b5f4e7e-6a52-4a8e-9d53-000000000004: title: has 1001 characters; at most 1000 are allowed",
        "failed   post again: occurs twice, as ghost:0b5f4e7e-6a52-4a8e-9d53-000000000001; only the first one is read",
        "failed   posts_tags, item 5: lacks a name or an id",
        "note     post tide: names a tag or an author that the export does not contain, so it is not imported",
    ];
    for line in named {
        assert!(ran.err.lines().any(|found| found.starts_with(line)), "{line}\nis not in\n{}", ran.err);
    }
    assert_eq!(ran.err.lines().filter(|line| line.starts_with("failed ")).count(), 6, "{}", ran.err);
    let shown = json!({ "posts": { "nodes": [{ "slug": "tide" }, { "slug": "quay" }] } });
    assert_eq!(ghost.blog.query("{ posts { nodes { slug } } }").await, shown);
}

/// A part of an export would remove tags and authors from the posts of an earlier import.
#[tokio::test]
async fn a_truncated_export_imports_nothing() {
    let ghost = Ghost::of(&site(&[post(1, "quay"), post(2, "tide")]));
    ghost.import();
    let before = all_rows(&ghost.blog.site().await.store).await;
    let whole = std::fs::read(&ghost.file).expect("the export");
    for length in [whole.len() - 1, whole.len() * 2 / 3, whole.len() / 3] {
        std::fs::write(&ghost.file, &whole[..length]).expect("a file");
        let ran = ghost.import();
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.err.contains("nothing was imported, so export it again"), "{ran:?}");
    }
    assert_eq!(all_rows(&ghost.blog.site().await.store).await, before);
    ghost.write_export(&json!({ "db": [] }));
    assert!(ghost.import().err.contains("contains no table of posts"));
}

#[tokio::test]
async fn exports_of_old_ghost_versions_are_imported() {
    let export = json!({ "meta": { "exported_on": 1_388_805_572_000_i64, "version": "003" }, "data": {
        "posts": [
            { "id": 5, "title": "Old", "slug": "old", "markdown": "Some *old* text.", "html": "<p>x</p>", "page": 0, "status": "published",
              "author_id": 1, "image": "/content/images/o.png", "created_at": 1_283_780_649_000_i64, "updated_at": 1_286_958_624_000_i64,
              "published_at": 1_283_780_649_000_i64 },
            { "id": 6, "title": "A page", "slug": "page", "markdown": "p", "page": 1, "status": "published", "author_id": 1,
              "published_at": 1_283_780_649_000_i64 },
            { "id": 7, "title": "Mobile", "slug": "mobile", "html": "<p>m</p>", "status": "published", "author_id": 1, "published_at": "2018-01-02 03:04:05",
              "mobiledoc": "{}" },
        ],
        "posts_tags": [{ "tag_id": 3, "post_id": 5 }, { "tag_id": 2, "post_id": 5 }],
        "tags": [{ "id": 3, "name": "Colorado Ho!", "slug": "colorado-ho", "description": "" }, { "id": 2, "name": "blue", "slug": "blue" }],
        "users": [{ "id": 1, "name": "Jo", "slug": "jo", "bio": "", "website": "" }],
    } });
    let ghost = Ghost::of(&export);
    assert_eq!(ghost.counts(), "2 created, 0 changed, 0 unchanged, 0 skipped, 0 failed");
    assert_eq!(ghost.counts(), "0 created, 0 changed, 2 unchanged, 0 skipped, 0 failed");
    let page = ghost.blog.query("{ page(path: \"page\") { title metadata body { markdown } } }").await;
    assert_eq!(
        page["page"],
        json!({ "title": "A page", "metadata": { "authors": ["Jo"] }, "body": { "markdown": "p" } })
    );
    let query = "{ posts { nodes { slug publishedAt author { name } tags { slug } body { markdown text } } } }";
    let expected = json!({ "posts": { "nodes": [
        { "slug": "mobile", "publishedAt": "2018-01-02T03:04:05.000Z", "author": { "name": "Jo" }, "tags": [],
          "body": { "markdown": "<p>m</p>\n", "text": "m" } },
        { "slug": "old", "publishedAt": "2010-09-06T13:44:09.000Z", "author": { "name": "Jo" }, "tags": [{ "slug": "colorado-ho" }, { "slug": "blue" }],
          "body": { "markdown": "<figure><img src=\"/content/images/o.png\" alt=\"\"></figure>\n\nSome *old* text.", "text": "Some old text." } },
    ] } });
    assert_eq!(ghost.blog.query(query).await, expected);
}
