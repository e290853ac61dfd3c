//! `tidings import`: its output, its exit code, and the store after it.

use std::path::Path;

use serde_json::{Value, json};

use super::export_markdown::png;
use crate::support::command::{Blog, run};
use crate::support::rows::all_rows;

const HELLO: (&str, &str) = ("2025-03-04-hello.md", "---\ntitle: Hello\ntags: [a, b]\nauthor: Ada\n---\nHello.\n");
const WORLD: (&str, &str) =
    ("2025-03-05-world.md", "---\ntitle: World\ntags: [b]\naliases: [/old/globe]\n---\nWorld.\n");

#[test]
fn the_summary_counts_each_outcome_and_the_exit_code_is_0() {
    let blog = Blog::of(&[HELLO, WORLD, ("README.md", "No front matter.\n")]);
    let ran = blog.import();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(
        ran.out,
        "Imported: 2 created, 0 changed, 0 unchanged, 1 skipped, 0 failed; 3 new categories, tags, authors and series; 0 redirects\n"
    );
    assert_eq!(ran.err, "Importing 2 posts …\nskipped  README.md: no front matter\n");
}

#[test]
fn a_post_that_fails_is_named_and_the_exit_code_is_2() {
    let blog = Blog::of(&[HELLO, ("bad.md", "---\ntitle: Bad\ndate: someday\n---\n")]);
    let ran = blog.import();
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.summary().starts_with("Imported: 1 created, 0 changed, 0 unchanged, 0 skipped, 1 failed;"), "{ran:?}");
    assert!(ran.err.contains("failed   bad.md: \"someday\" is not a date, such as 2025-02-03"), "{ran:?}");
}

#[tokio::test]
async fn a_second_import_changes_nothing() {
    let blog = Blog::of(&[HELLO, WORLD]);
    blog.import();
    let before = all_rows(&blog.site().await.store).await;
    let again = blog.import();
    assert_eq!(again.code, Some(0));
    assert!(again.summary().starts_with("Imported: 0 created, 0 changed, 2 unchanged, 0 skipped, 0 failed; 0 new"));
    assert_eq!(all_rows(&blog.site().await.store).await, before);
}

#[tokio::test]
async fn a_dry_run_reports_what_an_import_would_do_and_writes_nothing() {
    let blog = Blog::of(&[HELLO, ("2025-01-01-same.md", "---\ntitle: Same\n---\n")]);
    blog.import();
    let before = all_rows(&blog.site().await.store).await;
    blog.write(HELLO.0, &HELLO.1.replace("[a, b]", "[a, c]"));
    blog.write(WORLD.0, WORLD.1);
    blog.write("bad.md", "---\ntitle: [\n---\n");
    let dry = blog.import_of(&blog.posts(), &["--dry-run"]);
    assert_eq!(
        dry.summary(),
        "Dry run, nothing written: 1 created, 1 changed, 1 unchanged, 0 skipped, 1 failed; 1 new categories, tags, authors and series; 0 redirects"
    );
    assert_eq!(dry.code, Some(2));
    assert_eq!(all_rows(&blog.site().await.store).await, before);
    let wet = blog.import();
    assert_eq!(wet.summary().split_once(": ").map(|s| s.1), dry.summary().split_once(": ").map(|s| s.1));
}

#[test]
fn the_report_in_json_names_every_item() {
    let skipped: Vec<String> = (0..6).map(|i| format!("plain-{i}.md")).collect();
    let bad = ("bad.md", "---\ntitle: Bad\ndate: someday\n---\n");
    let blog = Blog::of(&[
        HELLO,
        WORLD,
        bad,
        ("logo.png", "not a picture"),
        ("2025-01-01-x.md", "---\ntitle: X\nmood: calm\n---\n"),
    ]);
    skipped.iter().for_each(|name| blog.write(name, "No front matter.\n"));
    let file = blog.path().join("report.json");
    let report = || serde_json::from_slice::<Value>(&std::fs::read(&file).expect("the report")).expect("JSON");
    let path = file.to_str().expect("UTF-8");
    let dry = blog.import_of(&blog.posts(), &["--dry-run", "--report", path]);
    assert_eq!(dry.code, Some(2), "{dry:?}");
    assert_eq!(report()["dryRun"], true);
    let wet = blog.import_of(&blog.posts(), &["--report", path]);
    assert!(wet.err.contains("skipped  6 of them"), "{wet:?}");
    let item = |origin: &str, text: &str| json!({"origin": origin, "text": text});
    let expected = json!({
        "dryRun": false, "created": 3, "changed": 0, "unchanged": 0, "kept": 0, "termsCreated": 3, "redirects": 0,
        "pages": { "created": 0, "changed": 0, "unchanged": 0 }, "assets": { "created": 0, "unchanged": 0 },
        "failed": [item("bad.md", report()["failed"][0]["text"].as_str().expect("a text"))],
        "skipped": skipped.iter().map(|name| item(name, "no front matter")).collect::<Vec<_>>(),
        "notes": [], "brokenLinks": [], "brokenLinksTotal": 0,
        "metadata": [{"key": "aliases", "posts": 1, "first": WORLD.0}, {"key": "mood", "posts": 1, "first": "2025-01-01-x.md"}],
        "ignored": [{"ending": ".png", "files": 1, "first": "logo.png"}],
    });
    assert_eq!(report(), expected);
    let text = std::fs::read_to_string(&file).expect("the report");
    let place = |key: &str| text.find(&format!("\n  \"{key}\"")).expect("a key");
    let keys = ["dryRun", "created", "changed", "redirects", "pages", "failed", "notes", "metadata", "ignored"];
    assert!(keys.map(place).is_sorted(), "in the order of their importance: {text}");
    assert!(report()["failed"][0]["text"].as_str().is_some_and(|text| text.contains("someday")));
}

#[test]
fn a_report_that_cannot_be_written_ends_the_import_before_it_begins() {
    let blog = Blog::of(&[HELLO]);
    let (nowhere, source) = (blog.path().join("no/such/report.json"), blog.posts().join(HELLO.0));
    for (file, complaint) in [(&nowhere, "cannot be written"), (&source, "is a file of the source")] {
        let refused = blog.import_of(&blog.posts(), &["--report", file.to_str().expect("UTF-8")]);
        assert!(refused.complaint().starts_with(&format!("{} {complaint}", file.display())), "{refused:?}");
    }
    assert_eq!(std::fs::read_to_string(&source).expect("the source"), HELLO.1);
    assert!(!blog.path().join("store").exists(), "a store was created");
}

/// The store contains drafts and the key of preview links.
#[cfg(unix)]
#[test]
fn a_new_store_is_accessible_to_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let blog = Blog::of(&[HELLO]);
    blog.import();
    let store = blog.path().join("store");
    let mode = |path: &Path| std::fs::metadata(path).expect("the import created it").permissions().mode() & 0o777;
    assert_eq!((mode(&store), mode(&store.join("tidings.redb"))), (0o700, 0o600));
    std::fs::set_permissions(&store, PermissionsExt::from_mode(0o750)).expect("permissions");
    blog.import();
    assert_eq!(mode(&store), 0o750, "the second import changed the permissions that the owner set");
}

/// A dry run before the first import, when there is no store.
#[test]
fn a_dry_run_creates_no_store() {
    let blog = Blog::of(&[HELLO]);
    let dry = blog.import_of(&blog.posts(), &["--dry-run"]);
    assert!(dry.summary().starts_with("Dry run, nothing written: 1 created, "), "{dry:?}");
    assert!(!blog.path().join("store").exists(), "a store was created");
}

#[test]
fn a_dry_run_reports_bodies_too_large_for_a_row() {
    let blog = Blog::of(&[("2025-01-01-vast.md", &super::broken::vast())]);
    let (dry, wet) = (blog.import_of(&blog.posts(), &["--dry-run"]), blog.import());
    assert_eq!((dry.code, wet.code), (Some(2), Some(2)), "{dry:?} {wet:?}");
}

#[test]
fn a_missing_path_is_named_and_no_store_is_created() {
    let blog = Blog::of(&[]);
    let missing = blog.path().join("nowhere");
    let refused = blog.import_of(&missing, &[]);
    assert!(refused.complaint().starts_with(&format!("{} cannot be read: ", missing.display())), "{refused:?}");
    assert!(!blog.path().join("store").exists(), "a store was created");
}

#[test]
fn a_folder_without_markdown_is_an_error_and_no_store_is_created() {
    for files in [&[][..], &[("deep/page.html", "<html></html>")]] {
        let blog = Blog::of(files);
        for more in [&[][..], &["--dry-run"]] {
            let refused = blog.import_of(&blog.posts(), more);
            let expected = format!("no .md file in {} ", blog.posts().display());
            assert!(refused.complaint().starts_with(&expected), "{refused:?}");
        }
        assert!(!blog.path().join("store").exists(), "a store was created");
    }
}

#[test]
fn the_error_of_an_unknown_format_lists_the_known_formats() {
    let blog = Blog::of(&[("page.html", "<html></html>")]);
    for path in [blog.posts().join("page.html"), Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")] {
        let refused = blog.import_of(&path, &[]);
        let complaint = refused.complaint();
        assert!(
            complaint.starts_with(&format!("{} has no format that can be imported", path.display())),
            "{complaint}"
        );
        assert!(
            ["Markdown", "WXR", "Ghost", "Contentful", "Substack", "Medium", "Notion", ".jsonl"]
                .iter()
                .all(|form| complaint.contains(form)),
            "{complaint}"
        );
    }
}

/// A wrong `--format` is an error, and does not import an empty site.
#[test]
fn a_format_that_does_not_match_the_files_is_an_error() {
    let blog = Blog::of(&[HELLO]);
    let file = blog.posts().join(HELLO.0);
    for (path, format) in [
        (blog.posts(), "wxr"),
        (blog.posts(), "jsonl"),
        (blog.posts(), "ghost"),
        (blog.posts(), "substack"),
        (blog.posts(), "medium"),
        (blog.posts(), "notion"),
        (blog.posts(), "contentful"),
        (file.clone(), "substack"),
        (file.clone(), "medium"),
        (file.clone(), "notion"),
        (file.clone(), "contentful"),
        (file.clone(), "ghost"),
        (file.clone(), "markdown"),
        (file, "wxr"),
    ] {
        let ran = blog.import_of(&path, &["--format", format]);
        assert_ne!(ran.code, Some(0), "{} as {format}: {ran:?}", path.display());
        assert!(!ran.err.contains("panicked"), "{ran:?}");
    }
}

/// A small WordPress export, because the one of the corpora is not in the repository.
const WXR: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:wp="http://wordpress.org/export/1.2/" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/">
<channel>
<link>https://example.org</link>
<wp:base_blog_url>https://example.org</wp:base_blog_url>
<wp:author><wp:author_login><![CDATA[ada]]></wp:author_login><wp:author_display_name><![CDATA[Ada L.]]></wp:author_display_name></wp:author>
<item>
<title>Hello &amp; welcome</title>
<dc:creator><![CDATA[ada]]></dc:creator>
<content:encoded><![CDATA[<p>Hi <script>alert(1)</script>there.</p>]]></content:encoded>
<excerpt:encoded><![CDATA[]]></excerpt:encoded>
<wp:post_id>7</wp:post_id>
<wp:post_date_gmt>2015-02-03 04:05:06</wp:post_date_gmt>
<wp:post_modified_gmt>2015-03-03 04:05:06</wp:post_modified_gmt>
<wp:post_name>hello</wp:post_name>
<wp:status>publish</wp:status>
<wp:post_type>post</wp:post_type>
<category domain="category" nicename="news"><![CDATA[News]]></category>
<category domain="post_tag" nicename="a-tag"><![CDATA[A tag]]></category>
<wp:postmeta><wp:meta_key>_wp_old_slug</wp:meta_key><wp:meta_value><![CDATA[hallo]]></wp:meta_value></wp:postmeta>
</item>
<item>
<title>Unfinished</title>
<dc:creator><![CDATA[ada]]></dc:creator>
<content:encoded><![CDATA[…]]></content:encoded>
<wp:post_id>8</wp:post_id>
<wp:post_date_gmt>0000-00-00 00:00:00</wp:post_date_gmt>
<wp:post_name></wp:post_name>
<wp:status>draft</wp:status>
<wp:post_type>post</wp:post_type>
</item>
<item>
<title>A picture</title>
<wp:post_id>9</wp:post_id>
<wp:post_type>attachment</wp:post_type>
</item>
</channel>
</rss>
"#;

#[tokio::test]
async fn a_wordpress_export_is_imported() {
    let blog = Blog::of(&[]);
    let file = blog.path().join("export.xml");
    std::fs::write(&file, WXR).expect("a file");
    let ran = blog.import_of(&file, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.summary().starts_with("Imported: 2 created, 0 changed, 0 unchanged, 1 skipped, 0 failed; 3 new"),
        "{ran:?}"
    );
    let again = blog.import_of(&file, &["--format", "wxr"]);
    assert!(again.summary().starts_with("Imported: 0 created, 0 changed, 2 unchanged, 1 skipped, 0 failed; 0 new"));
    let query = r#"{ post(slug: "hallo") { slug title publishedAt updatedAt author { name slug } categories { name }
        tags { slug } body { html } } posts { totalCount } }"#;
    let expected = serde_json::json!({
        "post": {
            "slug": "hello", "title": "Hello & welcome", "publishedAt": "2015-02-03T04:05:06.000Z",
            "updatedAt": "2015-03-03T04:05:06.000Z", "author": { "name": "Ada L.", "slug": "ada" },
            "categories": [{ "name": "News" }], "tags": [{ "slug": "a-tag" }],
            "body": { "html": "<p>Hi there.</p>\n" },
        },
        "posts": { "totalCount": 1 },
    });
    assert_eq!(blog.query(query).await, expected);
}

#[test]
fn an_import_without_a_store_setting_uses_the_default_folder_of_the_help() {
    let blog = Blog::of(&[HELLO]);
    let mut command = crate::support::command::tidings(&["import", "posts"]);
    command.current_dir(blog.path());
    let ran = crate::support::command::finish(command);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(blog.path().join("tidings-data/tidings.redb").is_file());
    assert!(run(&["import", "--help"]).out.contains("file:tidings-data"));
}

/// The report names what is lost, files and slugs, and what is kept as metadata.
#[test]
fn the_report_names_ignored_files_kept_metadata_changed_slugs_and_the_remedy_for_invalid_yaml() {
    let blog = Blog::of(&[
        HELLO,
        ("2025-04-01-hello.md", "---\ntitle: Hello\nlayout: post\nparams: {color: red}\n---\n"),
        ("2025-04-02-third.md", "---\ntitle: Third\nlayout: post\ntagline:\n---\n"),
        ("colon.md", "---\ndate: 2025-01-01\ntitle: Rust: a love story\n---\n"),
        ("toml.md", "+++\ndate = 2025-01-01\ntitle = Rust\n+++\n"),
        (
            "page.mdx",
            "---\ntitle: MDX\ndate: 2025-01-01\nauthor: Ada, Grace\n---\nimport Chart from './chart'\n\n<Chart/>\n",
        ),
        ("images/a.PNG", "a"),
        ("images/b.png", "b"),
        ("LICENSE", "c"),
        (".hidden.png", "d"),
    ]);
    let kept = "metadata \"layout\": 2 posts, the first is 2025-04-01-hello.md\nmetadata \"params\": 2025-04-01-hello.md\nmetadata \"tagline\": 2025-04-02-third.md\n";
    let tried = blog.import_of(&blog.posts(), &["--dry-run"]);
    assert!(tried.err.starts_with(kept), "{tried:?}");
    let ran = blog.import();
    let lines: Vec<&str> = ran.err.lines().skip(1).collect();
    let expected = [
        "failed   colon.md: the YAML front matter: line 3, `title: Rust: a love story`: mapping values are not allowed in this context; a text that has a colon, or begins with a sign, needs quotes",
        "failed   toml.md: the TOML front matter: line 3, column 9: string values must be quoted, expected literal string",
        "note     page.mdx: components are not rendered, only what is inside them: Chart",
        "note     2025-04-01-hello.md: its slug is hello-2, because another post has hello",
        "ignored  LICENSE: not read as a post",
        "ignored  2 files with .png, such as images/a.PNG: not read as posts",
    ];
    let mut sorted = lines.clone();
    sorted.sort_unstable();
    let mut expected_sorted = expected.to_vec();
    expected_sorted.sort_unstable();
    assert_eq!(sorted, expected_sorted, "{ran:?}");
    assert!(ran.summary().starts_with("Imported: 4 created, 0 changed, 0 unchanged, 0 skipped, 2 failed;"), "{ran:?}");
    // The slug is kept, so there is nothing to say about it.
    assert!(!blog.import().err.contains("its slug is"));
}

#[test]
fn pictures_that_a_text_names_are_counted_and_others_are_ignored() {
    let text = "---\ntitle: A\nimage: cover.png\n---\n![](a.png) ![](same.png) ![](gone.png) ![](drawing.svg)\n";
    let blog = Blog::of(&[("2025-01-01-a.md", text), ("drawing.svg", "<svg>&drawing;</svg>")]);
    for (name, red) in [("cover.png", 1), ("a.png", 2), ("same.png", 2), ("unnamed.png", 3), ("other/unnamed.png", 4)] {
        let path = blog.posts().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, png(red)).expect("a file");
    }
    // One that is refused has a note, and is not called ignored too.
    let note = "note     2025-01-01-a.md, picture drawing.svg: is not imported: the SVG picture is damaged";
    let line = "ignored  2 files with .png, such as other/unnamed.png: not read as posts";
    for (flags, counts) in [
        (&["--dry-run"][..], "; pictures and files: 2 created, 1 unchanged"),
        (&[], "; pictures and files: 2 created, 1 unchanged; links that point nowhere: 2"),
        (&[], "; pictures and files: 0 created, 3 unchanged; links that point nowhere: 2"),
    ] {
        let ran = blog.import_of(&blog.posts(), flags);
        assert!(ran.summary().ends_with(counts), "{ran:?}");
        assert_eq!(ran.err.lines().filter(|found| found.starts_with("ignored")).collect::<Vec<_>>(), [line]);
        assert!(ran.err.contains(note), "{ran:?}");
    }
}

#[tokio::test]
async fn a_date_without_a_zone_is_in_the_time_zone_of_the_site() {
    let file = |name: &'static str, date: &str| (name, format!("---\ntitle: A\ndate: {date}\n---\nA.\n"));
    let files =
        [file("day.md", "2024-01-15"), file("minute.md", "2024-07-15 20:30"), file("zone.md", "2024-07-15T20:30:00Z")];
    let blog = Blog::of(&files.iter().map(|(name, text)| (*name, text.as_str())).collect::<Vec<_>>());
    blog.write("2024-02-01-name.md", "---\ntitle: A\n---\nA.\n");
    let config = blog.path().join("config.toml");
    let import = |zone: &str| {
        std::fs::write(&config, format!("[site]\ntime_zone = \"{zone}\"\n")).expect("a file");
        blog.import_of(&blog.posts(), &["--config", config.to_str().expect("UTF-8")])
    };
    assert_eq!(
        import("America/New_York").counts_and_lines().0,
        "4 created, 0 changed, 0 unchanged, 0 skipped, 0 failed"
    );
    let at = async |slug: &str| {
        let query = format!("{{ post(slug: \"{slug}\") {{ publishedAt }} }}");
        blog.query(&query).await["post"]["publishedAt"].as_str().expect("an instant").to_owned()
    };
    assert_eq!(at("day").await, "2024-01-15T05:00:00.000Z");
    assert_eq!(at("minute").await, "2024-07-16T00:30:00.000Z");
    assert_eq!(at("zone").await, "2024-07-15T20:30:00.000Z");
    assert_eq!(at("name").await, "2024-02-01T05:00:00.000Z");
    assert_eq!(
        import("America/New_York").counts_and_lines().0,
        "0 created, 0 changed, 4 unchanged, 0 skipped, 0 failed"
    );
    assert_eq!(import("UTC").counts_and_lines().0, "0 created, 3 changed, 1 unchanged, 0 skipped, 0 failed");
    assert_eq!(at("day").await, "2024-01-15T00:00:00.000Z");
    assert!(import("Berlin").complaint().ends_with(
        "config.toml, line 2: site.time_zone: \"Berlin\" is not the name of a time zone of the IANA database, such as Europe/Berlin or UTC"
    ));
}
