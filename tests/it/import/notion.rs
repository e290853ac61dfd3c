//! Imports of the exports of Notion. The rule: what its pages say is in the posts and pages, links between them point to these, and everything that is not imported
//! is in the report.

use std::path::PathBuf;

use serde_json::json;

use crate::support::command::{Blog, Ran};
use crate::support::folder::{counts, import, write};
use crate::support::memory::MemoryStore;
use crate::support::rows::all_rows;

use super::pictures::{addresses_of, library, notes, png, site_over, write_bytes};

/// The id of a page, which is this digit again and again.
fn id(digit: char) -> String {
    digit.to_string().repeat(32)
}

struct Export {
    blog: Blog,
}

impl Export {
    fn of(files: &[(String, String)]) -> Self {
        let export = Self { blog: Blog::of(&[]) };
        files.iter().for_each(|(name, text)| export.write(name, text));
        export
    }

    fn folder(&self) -> PathBuf {
        self.blog.path().join("export")
    }

    fn write(&self, name: &str, text: &str) {
        write(&self.folder(), name, text);
    }

    fn import(&self) -> Ran {
        self.blog.import_of(&self.folder(), &["--public"])
    }

    /// The counts, and the lines of the report.
    fn report(&self) -> (String, Vec<String>) {
        self.import().counts_and_lines()
    }
}

/// The folders around a workspace in an archive.
const AROUND: &str = "Export-0b5f4e7e/Private & Shared";

fn tide(body: &str) -> (String, String) {
    let properties = "Author: Ada L., Bo\nCategory: Water\nCreated time: January 1, 2024 9:00 AM\nLast edited time: January 3, 2024 5:06 PM\n\
                      Mood: calm\nPublish Date: January 2, 2024\nSlug: the-tide\nStatus: Published\nSummary: Twice a day.\nTags: Low Water, Boats";
    (
        format!("{AROUND}/Home/Blog/The tide, again {}.md", id('2')),
        format!("# The *tide*, again\n\n{properties}\n\n{body}"),
    )
}

fn home() -> Export {
    let talk = format!(
        "# A talk\n\nPublish Date: March 1, 2024\nStatus: Published\n\nSee [the tide](The%20tide,%20again%20{}.md#x).\n",
        id('2')
    );
    let table = "Name,Author,Category,Created time,Last edited time,Mood,Publish Date,Slug,Status,Summary,Tags\n\
                 \"The *tide*, again\",x,,,,,,,,,\nA talk,,,,,,,,,,\nA sketch,,,,,,,,,,\n";
    Export::of(&[
        (
            format!("{AROUND}/Home {}.md", id('1')),
            format!(
                "# Home\n\n[Who we are](Home/About%20us%20{}.md), and [a talk](https://www.notion.so/A-talk-{}?pvs=21).\n",
                id('4'),
                id('3')
            ),
        ),
        (format!("{AROUND}/Home/About us {}.md", id('4')), "# About us\n\nNote: we row.\n".to_owned()),
        (format!("{AROUND}/Home/Blog {}.csv", id('5')), "Name,Status\n".to_owned()),
        (format!("{AROUND}/Home/Blog {}_all.csv", id('5')), table.to_owned()),
        tide(&format!("It is **high**: [home](../../Home%20{}.md).\n", id('1'))),
        (format!("{AROUND}/Home/Blog/A talk {}.md", id('3')), talk),
        (format!("{AROUND}/Home/Blog/A sketch {}.md", id('6')), "# A sketch\n\nStatus: Draft\n\nNot yet.\n".to_owned()),
    ])
}

#[tokio::test]
async fn pages_of_a_database_are_posts_others_are_pages_and_links_find_them() {
    let export = home();
    let ran = export.import();
    let lines: Vec<&str> = ran.err.lines().collect();
    let expected = [
        "Importing 3 posts …".to_owned(),
        format!("ignored  2 files with .csv, such as {AROUND}/Home/Blog {}.csv: not read as posts", id('5')),
    ];
    assert_eq!((ran.code, lines), (Some(0), expected.iter().map(String::as_str).collect()), "{ran:?}");
    assert!(
        ran.summary().starts_with("Imported: 3 created, 0 changed, 0 unchanged, 0 skipped, 0 failed; 5 new"),
        "{ran:?}"
    );
    assert!(ran.summary().ends_with("; pages: 2 created, 0 changed, 0 unchanged"), "{ran:?}");
    let query = r#"{ posts { nodes { slug title excerpt publishedAt createdAt updatedAt authors { name } categories { name } tags { name } body { markdown } metadata } }
        home: page(path: "home") { title body { markdown } } about: page(path: "home/about-us") { title body { markdown } metadata } }"#;
    let expected = json!({
        "posts": { "nodes": [
            { "slug": "a-talk", "title": "A talk", "excerpt": "See the tide.", "publishedAt": "2024-03-01T00:00:00.000Z", "createdAt": "2024-03-01T00:00:00.000Z",
              "updatedAt": "2024-03-01T00:00:00.000Z", "authors": [], "categories": [], "tags": [], "body": { "markdown": "See [the tide](/posts/the-tide).\n" }, "metadata": {} },
            { "slug": "the-tide", "title": "The tide, again", "excerpt": "Twice a day.", "publishedAt": "2024-01-02T00:00:00.000Z", "createdAt": "2024-01-01T09:00:00.000Z",
              "updatedAt": "2024-01-03T17:06:00.000Z", "authors": [{ "name": "Ada L." }, { "name": "Bo" }], "categories": [{ "name": "Water" }],
              "tags": [{ "name": "Low Water" }, { "name": "Boats" }], "body": { "markdown": "It is **high**: [home](/home).\n" }, "metadata": { "Mood": "calm" } },
        ] },
        "home": { "title": "Home", "body": { "markdown": "[Who we are](/home/about-us), and [a talk](/posts/a-talk).\n" } },
        "about": { "title": "About us", "body": { "markdown": "Note: we row.\n" }, "metadata": {} },
    });
    assert_eq!(export.blog.query(query).await, expected);
    assert!(export.blog.export().contains("\"A sketch\""), "the draft is stored");
    assert_eq!(export.blog.check().code, Some(0));
}

#[tokio::test]
async fn a_second_import_changes_nothing_and_a_page_is_found_again_by_its_id() {
    let export = home();
    export.import();
    let before = all_rows(&export.blog.site().await.store).await;
    assert_eq!(export.report().0, "0 created, 0 changed, 3 unchanged, 0 skipped, 0 failed");
    let tried = export.blog.import_of(&export.folder(), &["--public", "--dry-run"]);
    assert!(tried.summary().contains("0 created, 0 changed, 3 unchanged"), "{tried:?}");
    assert_eq!(all_rows(&export.blog.site().await.store).await, before);
    // The title has changed, and with it the names of the file and of links to it.
    let (old, text) = tide("Low.\n");
    std::fs::remove_file(export.folder().join(&old)).expect("the file was there");
    export.write(&old.replace("The tide, again", "The tides"), &text.replace("Slug: the-tide", "Slug: the-tides"));
    assert_eq!(export.report().0, "0 created, 2 changed, 1 unchanged, 0 skipped, 0 failed");
    let query = r#"{ tide: post(slug: "the-tide") { slug version body { text } } talk: post(slug: "a-talk") { body { markdown } } }"#;
    let expected = json!({
        "tide": { "slug": "the-tides", "version": 2, "body": { "text": "Low." } },
        "talk": { "body": { "markdown": "See [the tide](/posts/the-tides).\n" } },
    });
    assert_eq!(export.blog.query(query).await, expected);
}

#[tokio::test]
async fn links_have_the_paths_of_the_settings() {
    let export = home();
    let config = export.blog.path().join("config.toml");
    std::fs::write(&config, "[site]\npost_path = \"/{year}/{slug}.html\"\npage_path = \"/docs/{path}\"\n")
        .expect("a file");
    let ran = export.blog.import_of(&export.folder(), &["--public", "--config", config.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let query =
        r#"{ talk: post(slug: "a-talk") { body { markdown } } home: page(path: "home") { body { markdown } } }"#;
    let expected = json!({
        "talk": { "body": { "markdown": "See [the tide](/2024/the-tide.html).\n" } },
        "home": { "body": { "markdown": "[Who we are](/docs/home/about-us), and [a talk](/2024/a-talk.html).\n" } },
    });
    assert_eq!(export.blog.query(query).await, expected);
}

/// A database with pages in unusual states, and files that are no pages.
fn unusual() -> Export {
    let page = |name: &str, digit: char, text: &str| (format!("Blog/{name} {}.md", id(digit)), text.to_owned());
    let export = Export::of(&[
        (
            format!("Blog {}.csv", id('0')),
            "Name,Date,Status,Published\nA,,,\nB,,,\nC,,,\nD,,,\nE,,,\nF,,,\nG,,,\nH,,,\nI,,,\n".to_owned(),
        ),
        page("Done", '1', "# Done\n\nDate: January 2, 2024\nStatus: Done\n\nsecret\n"),
        page("Hidden", '2', "# Hidden\n\nDate: January 2, 2024\nPublished: No\n\nsecret\n"),
        page("Odd", '3', "# Odd\n\nDate: 02/01/2024\nStatus: Published\n\na\n"),
        page(
            "Open",
            '4',
            &format!(
                "# Open\n\nDate: January 2, 2024\nPublished: Yes\n\n[a](Open/a%20b.pdf) [b](Gone%20{}.md) ![c](gone.png)\n",
                id('9')
            ),
        ),
        page("Twin", '4', "# Open\n\nDate: January 2, 2024\n\na\n"),
        (format!("Blog/Untitled {}.md", id('5')), String::new()),
        (format!("Blog/Untitled {}.md", id('6')), String::new()),
        ("Blog/read me.md".to_owned(), "# Read me\n".to_owned()),
        ("Blog/Open/a b.pdf".to_owned(), "x".to_owned()),
        (format!("Torn {}.csv", id('8')), "Name,\"Date".to_owned()),
    ]);
    std::fs::write(export.folder().join(format!("Blog/Broken {}.md", id('7'))), b"\xff").expect("a file");
    export
}

#[tokio::test]
async fn what_may_not_be_public_is_a_draft_and_what_is_not_imported_is_named() {
    let export = unusual();
    let (counts, mut lines) = export.report();
    assert_eq!(counts, "3 created, 0 changed, 0 unchanged, 1 skipped, 4 failed");
    lines.sort_unstable();
    let named = |name: &str, digit: char| format!("Blog/{name} {}.md", id(digit));
    let expected = [
        format!("failed   {}: is not UTF-8, from byte 0 on; is it damaged?", named("Broken", '7')),
        format!(
            "failed   {}: its Date \"02/01/2024\" cannot be read as a date, such as January 2, 2024 or 2024-01-02; set the date format of the property, and export again",
            named("Odd", '3')
        ),
        format!("failed   {}: occurs twice, as notion:{}; only the first one is read", named("Twin", '4'), id('4')),
        format!(
            "failed   Torn {}.csv: line 1: a quoted field does not end; is the file cut off?; without this table, the properties of its pages are read from their files alone",
            id('8')
        ),
        format!("ignored  2 files with .csv, such as Blog {}.csv: not read as posts", id('0')),
        "ignored  Blog/Open/a b.pdf: not read as a post".to_owned(),
        format!("note     Blog {}.csv: rows without a file of their own are not imported (found: 1)", id('0')),
        format!(
            "note     {}: links to files that are not imported: Gone {}.md, Open/a b.pdf",
            named("Open", '4'),
            id('9')
        ),
        format!(
            "note     {}, picture gone.png: is not imported: there is no such file in the export",
            named("Open", '4')
        ),
        format!(
            "note     {}: has the status \"Done\", which may not mean that it is public, so it is imported as a draft",
            named("Done", '1')
        ),
        "skipped  Blog/read me.md: its name does not end with an id of Notion, so it is no page of the export"
            .to_owned(),
    ];
    for line in &expected {
        assert!(lines.contains(line), "{line} is not in {lines:#?}");
    }
    let query = "{ posts { nodes { slug } } pages { nodes { path title } } }";
    let shown = json!({
        "posts": { "nodes": [{ "slug": "open" }] },
        "pages": { "nodes": [{ "path": "untitled", "title": "Untitled" }, { "path": "untitled-2", "title": "Untitled" }] },
    });
    assert_eq!(export.blog.query(query).await, shown);
    assert_eq!(export.blog.export().matches("secret").count(), 2, "each is a draft");
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_of_the_export_become_assets_and_covers() {
    let (folder, library) = (tempfile::tempdir().expect("a folder"), library());
    write(folder.path(), &format!("Blog {}.csv", id('1')), "Name,Date,Cover,Status\nA,,,\n");
    let file = format!("Blog/A {}.md", id('2'));
    let text = "# A\n\nDate: 2024-01-02\nStatus: Published\nCover: A/cover.png\n\n![A boat](A/a%20(1).png)\n\n![](A/gone.png) ![](https://a.example/b.png)\n";
    write(folder.path(), &file, text);
    write(folder.path(), &format!("About {}.md", id('3')), "# About\n\nPublished: Yes\n\n![](Blog/A/cover.png)\n");
    write_bytes(&folder, "Blog/A/cover.png", &png(1));
    write_bytes(&folder, "Blog/A/a (1).png", &png(2));
    let site = site_over(MemoryStore::empty(), &library).await;
    let report = import(&site.content, folder.path()).await.expect("an import");
    assert_eq!((counts(&report), report.pages.made), ((1, 0, 0, 0), 1), "{report:?}");
    assert_eq!(
        notes(&report),
        [format!("{file}, picture A/gone.png: is not imported: there is no such file in the export")]
    );
    let read = site
        .query(r#"{ post(slug: "a") { cover { url } body { markdown } metadata } page(path: "about") { body { markdown } } }"#)
        .await;
    let cover = read["post"]["cover"]["url"].as_str().expect("a cover");
    let names: Vec<String> = addresses_of(&library).await;
    let other = names.iter().find(|name| *name != cover).expect("the other picture");
    let expected = json!({
        "post": {
            "cover": { "url": cover },
            "body": { "markdown": format!("![A boat]({other})\n\n![](A/gone.png) ![](https://a.example/b.png)\n") },
            "metadata": { "Cover": "A/cover.png" },
        },
        "page": { "body": { "markdown": format!("![]({cover})\n") } },
    });
    assert_eq!(read, expected);
    let again = import(&site.content, folder.path()).await.expect("an import");
    assert_eq!((counts(&again), again.pages.unchanged), ((0, 0, 1, 0), 1));
    site.assert_sound().await;
}

/// The export does not say which pages were public.
#[tokio::test]
async fn pages_without_a_status_are_drafts_unless_the_import_is_asked_to_publish_them() {
    let database = "Name,Date,Status,Published\n".to_owned();
    let page = |name: &str, digit: char, properties: &str| {
        (format!("Blog/{name} {}.md", id(digit)), format!("# {name}\n\n{properties}\n\nText.\n"))
    };
    let files = [
        (format!("Blog {}.csv", id('0')), database),
        page("Dated", '1', "Date: January 2, 2024"),
        page("Marked", '2', "Date: January 2, 2024\nStatus: Published"),
        page("Checked", '3', "Date: January 2, 2024\nPublished: Yes"),
        page("Out", '4', "Published: January 2, 2024"),
        (format!("About {}.md", id('5')), "# About\n\nWe row.\n".to_owned()),
    ];
    let query = "{ posts { nodes { slug } } pages { nodes { path } } }";
    let shown = async |arguments: &[&str]| {
        let export = Export::of(&files);
        let ran = export.blog.import_of(&export.folder(), arguments);
        let (counts, lines) = ran.counts_and_lines();
        assert_eq!((ran.code, counts.as_str()), (Some(0), "4 created, 0 changed, 0 unchanged, 0 skipped, 0 failed"));
        let found = export.blog.query(query).await;
        let texts = |list: &str, field: &str| -> Vec<String> {
            let nodes = found[list]["nodes"].as_array().expect("a list");
            nodes.iter().map(|node| node[field].as_str().expect("a text").to_owned()).collect()
        };
        let (mut posts, pages) = (texts("posts", "slug"), texts("pages", "path"));
        posts.sort_unstable();
        let is_noted =
            lines.iter().any(|line| line.starts_with("note     pages: do not say whether they are published"));
        (posts.join(" "), pages.join(" "), is_noted)
    };
    assert_eq!(shown(&["--public"]).await, ("checked dated marked out".to_owned(), "about".to_owned(), false));
    assert_eq!(shown(&[]).await, ("checked marked out".to_owned(), String::new(), true));
    let blog = Blog::of(&[("2025-03-04-hello.md", "---\ntitle: Hello\n---\nHello.\n")]);
    let refused = blog.import_of(&blog.posts(), &["--public"]);
    assert!(refused.complaint().starts_with("--public is for pages of Notion, and "), "{refused:?}");
}
