//! Files that cannot be imported as posts. The rule: the import reports each of them with its reason on a line of its own and imports all
//! other files.

use std::fs;

use serde_json::json;

use crate::support::command::{Blog, Ran};

const GOOD: (&str, &str) = ("2025-03-04-good.md", "---\ntitle: Good\n---\nGood.\n");

/// A post with 2 MiB of text that no compression makes small enough for a row.
pub fn vast() -> String {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b'!' + (state >> 33) as u8 % 90)
    };
    let body: String = (0..2 << 20).map(|n| if n % 100 == 99 { '\n' } else { random() }).collect();
    format!("---\ntitle: Vast\ndate: 2025-01-01\n---\n{body}")
}

/// Checks the line about one file, and that the good post was imported.
async fn assert_named(blog: &Blog, ran: &Ran, file: &str, reasons: &[&str]) {
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let lines: Vec<_> = ran.err.lines().filter(|line| line.starts_with("failed ")).collect();
    let [line] = lines.as_slice() else { panic!("one line is expected: {ran:?}") };
    assert!(line.starts_with(&format!("failed   {file}: ")), "{line}");
    assert!(reasons.iter().all(|reason| line.contains(reason)), "{line}");
    // A reason has one line: every line starts with its kind.
    let unexpected = ran.err.lines().filter(|line| {
        !["Importing ", "failed   ", "skipped  ", "note     "].iter().any(|start| line.starts_with(start))
    });
    assert_eq!(unexpected.count(), 0, "{}", ran.err);
    assert_eq!(
        blog.query("{ posts { totalCount nodes { slug } } }").await,
        json!({ "posts": { "totalCount": 1, "nodes": [{ "slug": "good" }] } })
    );
    assert_eq!(blog.check().code, Some(0));
}

async fn assert_fails(file: &str, text: &str, reasons: &[&str]) {
    let blog = Blog::of(&[GOOD, (file, text)]);
    let ran = blog.import();
    assert_named(&blog, &ran, file, reasons).await;
}

#[tokio::test]
async fn invalid_yaml_front_matter_is_reported() {
    assert_fails("bad.md", "---\ntitle: \"a\ntags: [\n---\nText.\n", &["the YAML front matter"]).await;
}

#[tokio::test]
async fn invalid_toml_front_matter_is_reported() {
    assert_fails("bad.md", "+++\ntitle = \"a\ntags = [\n+++\nText.\n", &["the TOML front matter"]).await;
}

#[tokio::test]
async fn unclosed_front_matter_is_reported() {
    assert_fails("bad.md", "---\ntitle: a\nText.\n", &["never closed"]).await;
}

#[tokio::test]
async fn an_invalid_date_without_a_day_in_the_file_name_is_reported() {
    assert_fails("bad.md", "---\ntitle: a\ndate: 2025-02-30\n---\n", &["\"2025-02-30\" is not a date"]).await;
}

#[tokio::test]
async fn a_file_that_is_not_utf8_is_reported() {
    let blog = Blog::of(&[GOOD]);
    fs::write(blog.posts().join("bad.md"), b"---\ntitle: caf\xe9\ndate: 2025-01-01\n---\n").expect("a file");
    let ran = blog.import();
    assert_named(&blog, &ran, "bad.md", &["not UTF-8: the byte at 14"]).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_name_that_is_not_utf8_is_reported() {
    use std::os::unix::ffi::OsStrExt;

    let blog = Blog::of(&[GOOD]);
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.md");
    fs::write(blog.posts().join(name), "---\ntitle: a\ndate: 2025-01-01\n---\n").expect("a file");
    let ran = blog.import();
    assert_named(&blog, &ran, "caf\u{FFFD}.md", &["the name \"caf\\xE9.md\" is not UTF-8"]).await;
}

#[tokio::test]
async fn a_body_too_large_for_a_row_is_reported() {
    assert_fails("vast.md", &vast(), &["at most 8388608 bytes, 720896 packed"]).await;
}

#[tokio::test]
async fn a_body_too_large_for_a_row_in_a_draft_that_is_published_is_reported() {
    let blog = Blog::of(&[GOOD, ("vast.md", "---\ntitle: Vast\ndraft: true\n---\nSmall.\n")]);
    assert_eq!(blog.import().code, Some(0));
    blog.write("vast.md", &vast());
    let ran = blog.import();
    assert_named(&blog, &ran, "vast.md", &["at most 8388608 bytes, 720896 packed"]).await;
}

#[tokio::test]
async fn a_body_longer_than_the_maximum_is_reported() {
    let text = format!("---\ntitle: Long\ndate: 2025-01-01\n---\n{}", "All work and no play.\n".repeat(400_000));
    assert_fails("long.md", &text, &["markdown: has 8800000 bytes; at most 8388608 are allowed"]).await;
}

#[tokio::test]
async fn a_date_before_1601_is_reported() {
    let text = "---\ntitle: Old\ndate: 1588-08-08\n---\n";
    assert_fails("old.md", text, &["1588-08-08T00:00:00Z", "before 1601-01-01T00:00:00Z"]).await;
}

#[tokio::test]
async fn a_title_of_2_000_characters_is_reported() {
    let text = format!("---\ntitle: {}\ndate: 2025-01-01\n---\n", "t".repeat(2_000));
    assert_fails("title.md", &text, &["title: has 2000 characters; at most 1000 are allowed"]).await;
}

#[tokio::test]
async fn a_post_with_101_tags_is_reported() {
    let tags: Vec<_> = (0..101).map(|n| format!("tag-{n}")).collect();
    let text = format!("---\ntitle: Tags\ndate: 2025-01-01\ntags: [{}]\n---\n", tags.join(", "));
    assert_fails("tags.md", &text, &["tags: has 101 terms; at most 100 are allowed"]).await;
}

#[tokio::test]
async fn a_tag_of_40_000_characters_is_reported() {
    let text = format!("---\ntitle: Tag\ndate: 2025-01-01\ntags: [{}]\n---\n", "tag ".repeat(10_000));
    assert_fails("tag.md", &text, &["name: has 39999 characters; at most 500 are allowed"]).await;
}

#[tokio::test]
async fn too_many_aliases_are_reported() {
    let aliases: Vec<_> = (0..101).map(|n| format!("/old/{n}")).collect();
    let text = format!("---\ntitle: Old\ndate: 2025-01-01\naliases: [{}]\n---\n", aliases.join(", "));
    assert_fails("aliases.md", &text, &["aliases: has 101 slugs; at most 100 are allowed"]).await;
}

/// A change must have space for them, however many terms they have.
#[tokio::test]
async fn hundreds_of_posts_with_a_hundred_long_tags_each_are_written() {
    let tags: Vec<_> =
        (0..100).map(|n| format!("a tag with a {}long name and the number {n}", "very ".repeat(25))).collect();
    let text = format!("---\ntitle: Tags\ntags: [{}]\n---\n", tags.join(", "));
    let blog = Blog::of(&[]);
    for n in 0..600 {
        blog.write(&format!("2025-01-01-post-{n}.md"), &text);
    }
    let ran = blog.import();
    assert!(ran.summary().starts_with("Imported: 600 created, "), "{}", ran.err);
}

#[tokio::test]
async fn a_broken_line_of_an_export_does_not_fail_the_other_lines() {
    let blog = Blog::of(&[GOOD]);
    blog.import();
    let file = blog.path().join("export.jsonl");
    let good = blog.export();
    let other = Blog::of(&[]);
    for (line, named) in [
        ("{", "line 3: not a record of an export"),
        (r#"{"type":"post","id":"000000000000"}"#, "line 3: not a record of an export"),
        (r#"{"type":"asset"}"#, "line 3: not a record of an export"),
    ] {
        fs::write(&file, format!("{good}{line}\n")).expect("a file");
        let ran = other.import_of(&file, &[]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.err.contains(&format!("failed   {named}")), "{ran:?}");
    }
    assert_eq!(other.query("{ posts { totalCount } }").await, json!({ "posts": { "totalCount": 1 } }));
}

/// Two exports in one file, as `cat` produces it: the import takes the first copy of a post and reports the second.
#[tokio::test]
async fn a_post_that_occurs_twice_in_an_export_is_imported_once() {
    let blog = Blog::of(&[GOOD, ("draft.md", "---\ntitle: Draft\ndraft: true\n---\nDraft.\n")]);
    blog.import();
    let twice = blog.path().join("twice.jsonl");
    let export = blog.export();
    let (_, lines) = export.split_once('\n').expect("a header");
    fs::write(&twice, format!("{export}{lines}")).expect("a file");
    let other = Blog::of(&[]);
    let ran = other.import_of(&twice, &[]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.summary().starts_with("Imported: 2 created, 0 changed, 0 unchanged, 0 skipped, 2 failed;"), "{ran:?}");
    assert!(ran.err.contains("occurs twice"), "{ran:?}");
    assert_eq!(other.check().code, Some(0), "{:?}", other.check());
    assert_eq!(other.export(), export);
}
