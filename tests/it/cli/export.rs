//! `export` and the import of its output: the content, ids, versions, dates and old slugs stay the same, byte for byte.

use std::fs;

use serde_json::{Value, json};
use tidings::model::WholePost;

use crate::support::command::{Blog, Ran, run};
use crate::support::site::{instant, post, slug, slugs};

pub(super) const POSTS: [(&str, &str); 6] = [
    (
        "2025-01-10-one.md",
        "---\ntitle: \"One \\\"quoted\\\" — ünï\"\ntags: [a, \"C++\", C]\nauthors: [Ada, Łukasz / Ĳ]\ncategory: News\naliases: [/old/uno, eins]\nsummary: Its own words.\nweight: 1.50\nz: {a: [1e3, 0.1, ~, \"é\\n\"]}\nday: 2025-01-02\n---\r\nOne.\r\n\u{2028}\u{0}end",
    ),
    ("2025-01-10-tie.md", "---\ntitle: Tie\n---\n\n\n  Spaces kept.  \n"),
    ("2019-05-05-five.md", "---\ntitle: Five\ndate: 2019-05-05T05:05:05.1234567Z\nlastmod: 2020-02-02\n---\n"),
    ("draft.md", "---\ntitle: Draft\ndraft: true\ntags: [hidden]\nlayout: wide\n---\nDraft.\n"),
    ("9990-01-01-far.md", "---\ntitle: Far\n---\nStill to come.\n"),
    ("old.md", "---\nredirect: /five\n---\n"),
];

/// Queries for every field that a reader has access to.
const EVERYTHING: [&str; 2] = [
    "{
    posts(first: 10) { totalCount edges { cursor node {
        id slug title excerpt version status createdAt updatedAt publishedAt
        author { id } authors { id } categories { id } tags { id } metadata body { markdown html } newer { id } older { id }
    } } }
}",
    "{
    posts(last: 100) { totalCount edges { cursor node { id slug version updatedAt } } }
    categories { totalCount nodes { id slug name description } }
    tags { totalCount edges { cursor node { id slug name description posts { totalCount nodes { slug } } } } }
    authors { totalCount nodes { id slug name description url } }
    archive { year month postCount }
    uno: post(slug: \"uno\") { slug } eins: post(slug: \"eins\") { slug } old: post(slug: \"old\") { slug }
}",
];

fn import_export(from: &Blog, to: &Blog) -> Ran {
    let file = from.path().join("export.jsonl");
    fs::write(&file, from.export()).expect("a file");
    to.import_of(&file, &[])
}

/// Exports, imports into an empty store, and compares both stores.
async fn assert_same_after_import(blog: &Blog) {
    let copy = Blog::of(&[]);
    let ran = import_export(blog, &copy);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!ran.err.contains("note "), "{ran:?}");
    assert_eq!(copy.export(), blog.export());
    for query in EVERYTHING {
        assert_eq!(copy.query(query).await, blog.query(query).await);
    }
    assert_eq!(copy.check().code, Some(0));
    let again = import_export(blog, &copy);
    assert!(again.summary().starts_with("Imported: 0 created, 0 changed, "), "{again:?}");
}

#[tokio::test]
async fn a_blog_is_the_same_after_export_and_import() {
    let blog = Blog::of(&POSTS);
    let ran = blog.import();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // Renamed, retagged and edited posts: versions, old slugs, and terms that no post has any more.
    blog.write("2025-01-10-tie.md", "---\ntitle: Tie\nslug: bow-tie\ntags: [a]\n---\nNew.\n");
    blog.write("draft.md", "---\ntitle: Draft\ndraft: true\n---\nDraft, second.\n");
    assert!(blog.import().summary().starts_with("Imported: 0 created, 2 changed, "));
    assert_same_after_import(&blog).await;
}

#[tokio::test]
async fn the_example_blog_is_the_same_after_export_and_import() {
    let blog = Blog::of(&[]);
    let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/blog");
    assert_eq!(blog.import_of(&example, &[]).code, Some(0));
    assert_same_after_import(&blog).await;
}

/// Slugs that look like addresses, or that an importer would change; the posts were not created by an import.
#[tokio::test]
async fn posts_with_unusual_slugs_are_the_same_after_export_and_import() {
    let blog = Blog::of(&[]);
    let made = |number, slug_text: &str, former: &[&str]| -> WholePost {
        let mut whole = post(number, instant("2024-02-03T04:05:06.0000007Z"));
        whole.post.slug = slug(slug_text);
        whole.post.former_slugs = slugs(former);
        whole.post.version = 7;
        whole.post.has_own_excerpt = true;
        whole.post.tags = slugs(&["c--", "index", "1.0"].map(|tag| tag.trim_end_matches('-')));
        whole
    };
    let site = blog.site().await;
    site.publish(&[
        made(1, "notes.html", &["index", "readme.md", "a--b"]),
        made(2, "two--dashes", &["notes.htm", "notes"]),
        made(3, "index.html", &["2024.md"]),
    ])
    .await;
    drop(site);
    assert_same_after_import(&blog).await;
}

#[test]
fn an_empty_store_is_exported_as_a_header_and_imported_as_nothing() {
    let blog = Blog::of(&[]);
    let header = blog.path().join("empty.jsonl").display().to_string();
    fs::write(&header, "{\"tidings\":1}\n").expect("a file");
    assert_eq!(run(&["import", &header, "--store", &blog.store()]).code, Some(0));
    assert_eq!(blog.export(), "{\"tidings\":1}\n");
    let copy = Blog::of(&[]);
    let ran = import_export(&blog, &copy);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.summary().starts_with("Imported: 0 created, 0 changed, 0 unchanged, 0 skipped, 0 failed;"), "{ran:?}");
    assert_eq!(copy.export(), blog.export());
}

#[test]
fn an_export_to_a_file_equals_the_standard_output() {
    let blog = Blog::of(&POSTS);
    blog.import();
    let file = blog.path().join("out.jsonl").display().to_string();
    let ran = run(&["export", &file, "--store", &blog.store()]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "", "Exported 5 posts\n"));
    assert_eq!(fs::read_to_string(&file).expect("the export"), blog.export());
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let blog = Blog::of(&POSTS);
    blog.import();
    let ran = run(&["export", "/nowhere/out.jsonl", "--store", &blog.store()]);
    assert!(ran.complaint().starts_with("cannot write /nowhere/out.jsonl: "), "{ran:?}");
    let full = run(&["export", "/dev/full", "--store", &blog.store()]);
    assert!(full.complaint().contains("No space left on device"), "{full:?}");
}

#[test]
fn every_line_is_json_and_terms_come_before_the_posts_that_name_them() {
    let blog = Blog::of(&POSTS);
    blog.import();
    let export = blog.export();
    let kinds: Vec<Value> =
        export.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).expect("JSON")["type"].clone()).collect();
    let mut ordered = ["category"].to_vec();
    ordered.extend(["tag"; 4]);
    ordered.extend(["author"; 2]);
    ordered.extend(["post"; 5]);
    assert_eq!(kinds, ordered.into_iter().map(|kind| json!(kind)).collect::<Vec<_>>());
}

/// The id identifies the post, whatever else was edited in its line.
#[tokio::test]
async fn a_slug_edited_in_an_export_renames_the_post() {
    let blog = Blog::of(&POSTS);
    blog.import();
    let file = blog.path().join("edited.jsonl");
    let export = blog.export();
    fs::write(&file, export.replace("\"slug\":\"tie\"", "\"slug\":\"bow-tie\"")).expect("a file");
    let ran = blog.import_of(&file, &[]);
    assert!(ran.summary().starts_with("Imported: 0 created, 1 changed, 4 unchanged, "), "{ran:?}");
    let data = blog.query(r#"{ post(slug: "tie") { slug version } posts { totalCount } }"#).await;
    assert_eq!(data, json!({ "post": { "slug": "bow-tie", "version": 2 }, "posts": { "totalCount": 3 } }));
}

/// The posts of the site have changed since the export: the import changes them and creates no copies.
#[tokio::test]
async fn importing_an_older_export_creates_no_copies() {
    let blog = Blog::of(&POSTS);
    blog.import();
    let file = blog.path().join("before.jsonl");
    fs::write(&file, blog.export()).expect("a file");
    blog.write("2025-01-10-tie.md", "---\ntitle: Tie\nslug: bow-tie\n---\nNew.\n");
    blog.import();
    let ran = blog.import_of(&file, &[]);
    assert!(ran.summary().starts_with("Imported: 0 created, 1 changed, 4 unchanged, "), "{ran:?}");
    let data = blog.query(r#"{ post(slug: "bow-tie") { slug version } posts { totalCount } }"#).await;
    assert_eq!(data, json!({ "post": { "slug": "tie", "version": 3 }, "posts": { "totalCount": 3 } }));
}
