//! Imports of the exports of Medium. The rule: a story is a post, a response is not, and everything that is not imported is in the report.

use std::path::PathBuf;

use serde_json::json;

use crate::support::command::{Blog, Ran};
use crate::support::folder::{counts, import, write};
use crate::support::memory::MemoryStore;
use crate::support::rows::all_rows;

use super::pictures::{addresses_of, library, notes, png, site_over, write_bytes};

/// A file of the export: `body` is inside of Medium's boxes, `footer` is the end of the footer.
fn file(title: &str, subtitle: &str, body: &str, footer: &str) -> String {
    let subtitle = match subtitle {
        "" => String::new(),
        text => format!("<section data-field=\"subtitle\" class=\"p-summary\">\n{text}\n</section>\n"),
    };
    format!(
        "<!DOCTYPE html><html><head><meta http-equiv=\"Content-Type\" content=\"text/html; charset=utf-8\"><title>{title}</title><style>\n * {{ margin: 0; }}\n</style></head>\
         <body><article class=\"h-entry\">\n<header>\n<h1 class=\"p-name\">{title}</h1>\n</header>\n{subtitle}<section data-field=\"body\" class=\"e-content\">\n\
         <section name=\"e53a\" class=\"section section--body section--first\"><div class=\"section-divider\"><hr class=\"section-divider\"></div><div class=\"section-content\">\
         <div class=\"section-inner sectionLayout--insetColumn\">{body}</div></div></section>\n</section>\n<footer>{footer}<p>Exported from <a href=\"https://medium.com\">Medium</a> on May 5, 2024.</p></footer></article></body></html>"
    )
}

fn published(day: &str, address: &str) -> String {
    format!(
        "<p>By <a href=\"https://medium.com/@ada\" class=\"p-author h-card\">Ada L.</a> on <a href=\"https://medium.com/p/x\"><time class=\"dt-published\" datetime=\"{day}T09:00:00.123Z\">A day</time></a>.</p>\
         <p><a href=\"{address}\" class=\"p-canonical\">Canonical link</a></p>"
    )
}

const TITLE: &str = "<h3 name=\"95d1\" id=\"95d1\" class=\"graf graf--h3 graf--leading graf--title\">The Tide</h3>";

fn tide(body: &str) -> String {
    let footer = published("2019-05-01", "https://medium.com/@ada/the-tide-0123456789ab");
    let tags =
        "<p class=\"p-tags\">Tagged in <a href=\"https://medium.com/tag/low-water\" class=\"p-tag\">Low Water</a></p>";
    file("The Tide", "Twice a day", &format!("{TITLE}{body}"), &(tags.to_owned() + &footer))
}

const TIDE: &str = "posts/2019-05-01_The-Tide-0123456789ab.html";
const SKETCH: &str = "posts/draft_A-Sketch-aaaaaaaaaaaa.html";

struct Export {
    blog: Blog,
}

impl Export {
    fn of(files: &[(&str, &str)]) -> Self {
        let export = Self { blog: Blog::of(&[]) };
        files.iter().for_each(|(name, text)| write(&export.folder(), name, text));
        export
    }

    fn folder(&self) -> PathBuf {
        self.blog.path().join("export")
    }

    fn import(&self) -> Ran {
        self.blog.import_of(&self.folder(), &[])
    }

    fn counts(&self) -> String {
        let ran = self.import();
        let summary = ran.summary().strip_prefix("Imported: ").unwrap_or_else(|| panic!("{ran:?}"));
        summary.split(';').next().unwrap_or_default().to_owned()
    }
}

fn everything() -> Export {
    let sketch = file(
        "A Sketch",
        "",
        "<h3 class=\"graf--title\">A Sketch</h3><p>Not yet.</p>",
        "<p><a href=\"https://medium.com/p/aaaaaaaaaaaa\">View original.</a></p>",
    );
    let response = file(
        "Thank you, Grace.",
        "",
        "<p>Thank you, Grace. I shall look.</p>",
        &published("2019-06-01", "https://medium.com/@ada/thank-you-grace-bbbbbbbbbbbb"),
    );
    Export::of(&[
        (
            TIDE,
            &tide(
                "<p name=\"7cb6\" id=\"7cb6\" class=\"graf\">It is <strong class=\"markup\">high</strong>.</p><pre data-code-block-lang=\"rust\"><span class=\"pre--content\">let a;</span></pre>",
            ),
        ),
        (SKETCH, &sketch),
        ("posts/2019-06-01_Thank-you--Grace--bbbbbbbbbbbb.html", &response),
        ("profile/profile.html", "<section class=\"h-card\">ada@example.org</section>"),
        ("README.html", "<p>Your archive</p>"),
    ])
}

#[tokio::test]
async fn stories_and_drafts_are_imported_and_the_old_addresses_find_them() {
    let export = everything();
    let ran = export.import();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.summary().starts_with("Imported: 2 created, 0 changed, 0 unchanged, 1 skipped, 0 failed; 2 new"),
        "{ran:?}"
    );
    let lines: Vec<&str> = ran.err.lines().collect();
    let expected = [
        "Importing 2 posts …",
        "skipped  posts/2019-06-01_Thank-you--Grace--bbbbbbbbbbbb.html: has neither a title of its own nor a heading, so it is a response to another story, which is not imported",
        "ignored  2 files with .html, such as README.html: not read as posts",
    ];
    assert_eq!(lines, expected);
    let query = r#"{ posts { nodes { slug title excerpt publishedAt authors { name slug } tags { name slug } body { markdown html } metadata } }
        long: post(slug: "the-tide-0123456789ab") { slug } short: post(slug: "0123456789ab") { slug } }"#;
    let body = "<p>It is <strong>high</strong>.</p>\n<pre><code class=\"language-rust\">let a;</code></pre>\n";
    let expected = json!({
        "posts": { "nodes": [{
            "slug": "the-tide", "title": "The Tide", "excerpt": "Twice a day", "publishedAt": "2019-05-01T09:00:00.123Z",
            "authors": [{ "name": "Ada L.", "slug": "ada" }], "tags": [{ "name": "Low Water", "slug": "low-water" }],
            "body": { "markdown": body, "html": body }, "metadata": {},
        }] },
        "long": { "slug": "the-tide" }, "short": { "slug": "the-tide" },
    });
    assert_eq!(export.blog.query(query).await, expected);
    let exported = export.blog.export();
    assert!(exported.contains("\"A Sketch\"") && exported.contains("Not yet."), "the draft is stored: {exported}");
    assert!(!exported.contains("example.org"), "an e-mail address of the account was imported");
    assert_eq!(export.blog.check().code, Some(0));
}

#[tokio::test]
async fn a_second_import_changes_nothing_and_a_published_draft_becomes_a_version() {
    let export = everything();
    assert_eq!(export.counts(), "2 created, 0 changed, 0 unchanged, 1 skipped, 0 failed");
    let before = all_rows(&export.blog.site().await.store).await;
    let tried = export.blog.import_of(&export.folder(), &["--dry-run"]);
    assert!(tried.summary().contains("0 created, 0 changed, 2 unchanged"), "{tried:?}");
    assert_eq!(export.counts(), "0 created, 0 changed, 2 unchanged, 1 skipped, 0 failed");
    assert_eq!(all_rows(&export.blog.site().await.store).await, before);
    write(&export.folder(), TIDE, &tide("<p>Low.</p>"));
    std::fs::remove_file(export.folder().join(SKETCH)).expect("the file was there");
    let sketch = file(
        "A Sketch",
        "",
        "<h3 class=\"graf--title\">A Sketch</h3><p>Now.</p>",
        &published("2024-04-01", "https://medium.com/@ada/a-sketch-aaaaaaaaaaaa"),
    );
    write(&export.folder(), "posts/2024-04-01_A-Sketch-aaaaaaaaaaaa.html", &sketch);
    assert_eq!(export.counts(), "0 created, 2 changed, 0 unchanged, 1 skipped, 0 failed");
    let query = r#"{ tide: post(slug: "the-tide") { version body { text } } sketch: post(slug: "a-sketch") { version body { text } } }"#;
    let expected = json!({ "tide": { "version": 2, "body": { "text": "Low." } }, "sketch": { "version": 2, "body": { "text": "Now." } } });
    assert_eq!(export.blog.query(query).await, expected);
}

#[tokio::test]
async fn a_story_with_a_subtitle_or_a_heading_is_no_response() {
    let footer = |id: &str| published("2020-01-01", &format!("https://medium.com/@ada/{id}"));
    let export = Export::of(&[
        (
            "posts/2020-01-01_a-aaaaaaaaaaa1.html",
            &file("Dawn", "A poem", "<p>Dawn breaks.</p>", &footer("dawn-aaaaaaaaaaa1")),
        ),
        (
            "posts/2020-01-01_b-aaaaaaaaaaa2.html",
            &file("Noon", "", "<p>Noon, it is.</p><h4>Later</h4><p>x</p>", &footer("noon-aaaaaaaaaaa2")),
        ),
        ("posts/2020-01-01_c-aaaaaaaaaaa3.html", &file("Dusk", "", "<p>It darkens.</p>", &footer("aaaaaaaaaaa3"))),
        (
            "posts/2020-01-01_d-aaaaaaaaaaa4.html",
            &file("Good point…", "", "<p>Good point, and well made.</p>", &footer("good-point-aaaaaaaaaaa4")),
        ),
    ]);
    assert_eq!(export.counts(), "3 created, 0 changed, 0 unchanged, 1 skipped, 0 failed");
    let read = export.blog.query("{ posts { nodes { slug title } } }").await;
    let mut slugs: Vec<&str> =
        read["posts"]["nodes"].as_array().expect("posts").iter().filter_map(|post| post["slug"].as_str()).collect();
    slugs.sort_unstable();
    assert_eq!(slugs, ["dawn", "dusk", "noon"]);
}

#[tokio::test]
async fn damaged_files_are_reported_by_their_names() {
    let whole = tide("<p>a</p>");
    let cut = whole.find("</footer>").expect("a footer");
    let undated = whole.replace("datetime=\"2019-05-01T09:00:00.123Z\"", "datetime=\"someday\"");
    let export = Export::of(&[
        ("posts/2019-05-01_Good-cccccccccccc.html", &whole),
        ("posts/2019-05-01_Again-cccccccccccc.html", &whole),
        ("posts/2019-05-01_Cut-dddddddddddd.html", &whole[..cut]),
        ("posts/2019-05-01_Other-eeeeeeeeeeee.html", "<html><p>a</p></html>"),
        ("posts/2019-05-01_Undated-ffffffffffff.html", &undated),
        ("posts/2019-05-01_Deep-aaaaaaaaaaaa.html", &tide(&"<b>".repeat(1_000))),
    ]);
    std::fs::write(export.folder().join("posts/2019-05-01_Torn-bbbbbbbbbbbb.html"), b"\xff").expect("a file");
    let ran = export.import();
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let mut lines: Vec<&str> = ran.err.lines().skip(1).collect();
    lines.sort_unstable();
    let expected = [
        "failed   posts/2019-05-01_Cut-dddddddddddd.html: the file ends before its article does, so export the stories again",
        "failed   posts/2019-05-01_Deep-aaaaaaaaaaaa.html: its HTML is nested too deeply to be read",
        "failed   posts/2019-05-01_Good-cccccccccccc.html: occurs twice, as medium:cccccccccccc; only the first one is read",
        "failed   posts/2019-05-01_Other-eeeeeeeeeeee.html: has no <article class=\"h-entry\">, so it is no story of Medium; is it damaged?",
        "failed   posts/2019-05-01_Torn-bbbbbbbbbbbb.html: is not UTF-8, from byte 0 on; is it damaged?",
        "failed   posts/2019-05-01_Undated-ffffffffffff.html: published, but without a date that can be read",
    ];
    assert_eq!(lines, expected);
    assert_eq!(export.blog.query("{ posts { totalCount } }").await, json!({ "posts": { "totalCount": 1 } }));
}

#[tokio::test]
async fn an_archive_is_refused_with_what_to_do() {
    let export = Export::of(&[("medium-export.zip", "PK\u{3}\u{4}")]);
    let archive = export.folder().join("medium-export.zip");
    let refused = export.blog.import_of(&archive, &[]);
    let expected = format!("{} is a ZIP archive; unpack it, and import the folder", archive.display());
    assert_eq!(refused.complaint(), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_in_the_folder_images_become_assets_and_covers() {
    let (folder, library) = (tempfile::tempdir().expect("a folder"), library());
    let image = |name: &str, more: &str| {
        format!(
            "<figure><img class=\"graf-image\" data-image-id=\"{name}\" {more} src=\"https://cdn-images-1.medium.com/max/800/{name}\"></figure>"
        )
    };
    let body = format!(
        "{}<p>a</p>{}{}",
        image("1*cover.png", "data-is-featured=\"true\" alt=\"A boat\""),
        image("1*a.png", ""),
        image("1*gone.png", "")
    );
    write(folder.path(), TIDE, &tide(&body));
    let site = site_over(MemoryStore::empty(), &library).await;
    let without = import(&site.content, folder.path()).await.expect("an import");
    let text = "pictures: the export has no folder images, so the pictures stay at their addresses (found: 3); docs/moving.md has the command that gets them";
    assert_eq!((counts(&without), notes(&without)), ((1, 0, 0, 0), vec![text.to_owned()]));
    // Not every file system has names with an asterisk.
    write_bytes(&folder, "images/1*cover.png", &png(1));
    write_bytes(&folder, "images/1_a.png", &png(2));
    let report = import(&site.content, folder.path()).await.expect("an import");
    assert_eq!(counts(&report), (0, 1, 0, 0), "{report:?}");
    let gone = "https://cdn-images-1.medium.com/max/800/1*gone.png";
    let reason = "is not imported: there is no such file in or beside the export";
    assert_eq!(notes(&report), [format!("{TIDE}, picture {gone}: {reason}")]);
    let read = site.query(r#"{ post(slug: "the-tide") { cover { url alt } body { markdown } } }"#).await;
    let cover = read["post"]["cover"]["url"].as_str().expect("a cover");
    assert_eq!(read["post"]["cover"]["alt"], json!("A boat"));
    let names: Vec<String> = addresses_of(&library).await;
    let other = names.iter().find(|name| *name != cover).expect("the other picture");
    let expected = format!("<p>a</p>\n<figure><img src=\"{other}\"></figure>\n<figure><img src=\"{gone}\"></figure>\n");
    assert_eq!(read["post"]["body"]["markdown"], json!(expected), "the cover is not in the body too");
    assert_eq!(counts(&import(&site.content, folder.path()).await.expect("an import")), (0, 0, 1, 0));
    site.assert_sound().await;
}
