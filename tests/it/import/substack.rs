//! Imports of the exports of Substack. The rule: what Substack did not show to everyone does not become public, and everything that is not imported is in the report.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::command::{Blog, Ran};
use crate::support::folder::{counts, import, write};
use crate::support::memory::MemoryStore;
use crate::support::rows::all_rows;

use super::pictures::{addresses_of, library, notes, png, site_over, write_bytes};

const HEADER: &str =
    "post_id,post_date,is_published,email_sent_at,inbox_sent_at,type,audience,title,subtitle,podcast_url\n";

struct Export {
    blog: Blog,
}

impl Export {
    /// An export with these rows, and these bodies by the ids of their posts.
    fn of(rows: &[&str], bodies: &[(&str, &str)]) -> Self {
        let export = Self { blog: Blog::of(&[]) };
        export.write_rows(rows);
        bodies.iter().for_each(|(id, body)| export.write_body(id, body));
        export
    }

    fn folder(&self) -> PathBuf {
        self.blog.path().join("export")
    }

    fn write_rows(&self, rows: &[&str]) {
        write(&self.folder(), "posts.csv", &format!("{HEADER}{}", rows.concat()));
    }

    fn write_body(&self, id: &str, body: &str) {
        write(&self.folder(), &format!("posts/{id}.html"), body);
    }

    fn import(&self) -> Ran {
        self.blog.import_of(&self.folder(), &[])
    }

    /// The counts, and the lines of the report.
    fn report(&self) -> (String, Vec<String>) {
        self.import().counts_and_lines()
    }
}

const TIDE: &str = "101.the-tide,2024-03-01T08:00:00.000Z,true,2024-03-01T08:00:00.000Z,,newsletter,everyone,\"The tide, \"\"again\"\"\",\"Twice\na day\",\n";
const TALK: &str = "102.a-talk,2024-03-02T08:00:00.000Z,TRUE,,,podcast,everyone,A talk,,https://cdn.example/talk.mp3\n";
const ABOUT: &str = "103.about-us,2024-03-03T08:00:00.000Z,true,,,page,everyone,About us,Who we are,\n";
const SKETCH: &str = "104.,,false,,,newsletter,everyone,A sketch,,\n";

const BODIES: &[(&str, &str)] = &[
    (
        "101.the-tide",
        "<p>It is <em>high</em>.</p><p>On <a href=\"https://boats.substack.com/p/a-talk\">Friday</a>.</p>",
    ),
    ("102.a-talk", "<p>Listen.</p>"),
    ("103.about-us", "<p>We row.</p>"),
    ("104.", "<p>Not yet.</p>"),
];

fn everything() -> Export {
    Export::of(&[TIDE, TALK, ABOUT, SKETCH], BODIES)
}

#[tokio::test]
async fn posts_pages_and_drafts_are_imported_and_the_old_addresses_find_them() {
    let export = everything();
    let ran = export.import();
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), "Importing 3 posts …\n"), "{ran:?}");
    assert!(
        ran.summary().starts_with("Imported: 3 created, 0 changed, 0 unchanged, 0 skipped, 0 failed; 0 new"),
        "{ran:?}"
    );
    assert!(ran.summary().ends_with("; pages: 1 created, 0 changed, 0 unchanged"), "{ran:?}");
    let query = r#"{ posts { nodes { slug title subtitle publishedAt status authors { slug } body { markdown html } metadata } }
        page(path: "about-us") { title subtitle body { markdown } } old: page(path: "p/about-us") { path } }"#;
    let read = export.blog.query(query).await;
    let tide = "<p>It is <em>high</em>.</p>\n<p>On <a href=\"https://boats.substack.com/p/a-talk\">Friday</a>.</p>\n";
    let talk = "<p><audio controls=\"\" src=\"https://cdn.example/talk.mp3\"></audio></p>\n<p>Listen.</p>\n";
    let expected = json!({
        "posts": { "nodes": [
            { "slug": "a-talk", "title": "A talk", "subtitle": null, "publishedAt": "2024-03-02T08:00:00.000Z", "status": "PUBLISHED", "authors": [],
              "body": { "markdown": talk, "html": talk }, "metadata": { "type": "podcast", "podcast_url": "https://cdn.example/talk.mp3" } },
            { "slug": "the-tide", "title": "The tide, \"again\"", "subtitle": "Twice\na day", "publishedAt": "2024-03-01T08:00:00.000Z", "status": "PUBLISHED",
              "authors": [], "body": { "markdown": tide, "html": tide }, "metadata": {} },
        ] },
        "page": { "title": "About us", "subtitle": "Who we are", "body": { "markdown": "<p>We row.</p>\n" } },
        "old": { "path": "about-us" },
    });
    assert_eq!(read, expected);
    assert!(export.blog.export().contains("\"A sketch\""), "the draft is stored");
    assert_eq!(export.blog.check().code, Some(0));
}

#[tokio::test]
async fn a_second_import_changes_nothing_and_an_edited_post_becomes_a_version() {
    let export = everything();
    assert_eq!(export.report(), ("3 created, 0 changed, 0 unchanged, 0 skipped, 0 failed".to_owned(), Vec::new()));
    let before = all_rows(&export.blog.site().await.store).await;
    let tried = export.blog.import_of(&export.folder(), &["--dry-run"]);
    assert!(tried.summary().contains("0 created, 0 changed, 3 unchanged"), "{tried:?}");
    assert_eq!(export.report().0, "0 created, 0 changed, 3 unchanged, 0 skipped, 0 failed");
    assert_eq!(all_rows(&export.blog.site().await.store).await, before);
    // The author has published the draft, and has edited and renamed a post.
    let sketch = "104.a-sketch,2024-04-01T08:00:00.000Z,true,,,newsletter,everyone,A sketch,,\n";
    export.write_rows(&[&TIDE.replace("the-tide", "the-tides"), TALK, ABOUT, sketch]);
    export.write_body("101.the-tides", "<p>Low.</p>");
    export.write_body("104.a-sketch", "<p>Now.</p>");
    std::fs::remove_file(export.folder().join("posts/101.the-tide.html")).expect("the file was there");
    std::fs::remove_file(export.folder().join("posts/104..html")).expect("the file was there");
    assert_eq!(export.report().0, "0 created, 2 changed, 1 unchanged, 0 skipped, 0 failed");
    let query = r#"{ post(slug: "the-tide") { slug version body { text } } sketch: post(slug: "a-sketch") { version body { text } } }"#;
    let expected = json!({ "post": { "slug": "the-tides", "version": 2, "body": { "text": "Low." } }, "sketch": { "version": 2, "body": { "text": "Now." } } });
    assert_eq!(export.blog.query(query).await, expected);
}

#[tokio::test]
async fn what_only_some_readers_could_see_stays_hidden_and_is_reported() {
    let row = |id: &str, kind: &str, audience: &str| {
        format!("{id},2024-03-01T08:00:00.000Z,true,,,{kind},{audience},T {id},,\n")
    };
    let rows = [
        row("1.paid", "newsletter", "only_paid"),
        row("2.founding", "page", "founding"),
        row("3.walled", "newsletter", "everyone"),
        row("4.parts", "newsletter", "everyone"),
        row("5.mail", "adhoc_email", "everyone"),
        row("6.unknown", "newsletter", ""),
        row("7.public", "thread", "everyone"),
    ];
    let bodies = [
        ("1.paid", "<p>secret</p>"),
        ("2.founding", "<p>secret</p>"),
        ("3.walled", "<p>free</p><div class=\"paywall-jump\" data-component-name=\"PaywallToDOM\"></div><p>secret</p>"),
        ("4.parts", "<div class=\"dynamic-content-block\" data-dynamic-audiences=\"paid_sub\"><p>secret</p></div>"),
        ("5.mail", "<p>secret</p>"),
        ("6.unknown", "<p>secret</p>"),
        ("7.public", "<p>open</p>"),
    ];
    let export = Export::of(&rows.iter().map(String::as_str).collect::<Vec<_>>(), &bodies);
    let (counts, lines) = export.report();
    assert_eq!(counts, "6 created, 0 changed, 0 unchanged, 0 skipped, 0 failed");
    let expected = [
        "note     posts/1.paid.html: has the audience \"only_paid\", so it is imported as a draft",
        "note     posts/2.founding.html: has the audience \"founding\", so it is imported as a draft",
        "note     posts/3.walled.html: has parts that only some readers could see, so it is imported as a draft",
        "note     posts/5.mail.html: has the type \"adhoc_email\", so it is imported as a draft",
        "note     posts/6.unknown.html: has the audience \"\", so it is imported as a draft",
    ];
    for line in expected {
        let (_, reason) = line.split_once(".html: ").expect("a reason");
        assert!(
            lines.iter().any(|found| found.starts_with("note     ") && found.ends_with(reason)),
            "{line} is not in {lines:?}"
        );
    }
    let query = r#"{ posts { nodes { slug body { html } } } paid: post(slug: "paid") { id } pages { nodes { id } } page(path: "founding") { id } }"#;
    let shown = json!({ "posts": { "nodes": [{ "slug": "public", "body": { "html": "<p>open</p>\n" } }] }, "paid": null, "pages": { "nodes": [] }, "page": null });
    assert_eq!(export.blog.query(query).await, shown);
    let exported = export.blog.export();
    assert_eq!(exported.matches("secret").count(), 6, "each is a draft: {exported}");
}

#[tokio::test]
async fn widgets_become_text_and_links_and_forms_are_counted() {
    let body = "<p>a</p><div class=\"subscription-widget-wrap-editor\" data-attrs=\"{}\"><p>Subscribe</p><form class=\"x\"><input type=\"email\"></form></div>\
         <div id=\"youtube2-x\" class=\"youtube-wrap\" data-attrs=\"{&quot;videoId&quot;:&quot;xyz&quot;}\"><div class=\"youtube-inner\"><iframe src=\"https://www.youtube-nocookie.com/embed/xyz\"></iframe></div></div>\
         <p class=\"button-wrapper\"><a class=\"button primary\" href=\"https://boats.example/donate\"><span>Donate</span></a></p>\
         <div class=\"native-video-embed\" data-attrs=\"{&quot;mediaUploadId&quot;:&quot;1&quot;}\"></div>";
    let export = Export::of(&["1.a,2024-03-01T08:00:00.000Z,true,,,newsletter,everyone,A,,\n"], &[("1.a", body)]);
    let (_, lines) = export.report();
    let expected = [
        "note     posts: forms and buttons to subscribe, share or comment are not imported (found: 1)",
        "note     posts/1.a.html: not in the body, because the export does not have it: native-video-embed",
    ];
    assert_eq!(lines, expected);
    let shown = "<p>a</p>\n<p><a href=\"https://www.youtube.com/watch?v=xyz\">https://www.youtube.com/watch?v=xyz</a></p>\n\
                 <p><a href=\"https://boats.example/donate\"><span>Donate</span></a></p>\n";
    let read = export.blog.query(r#"{ post(slug: "a") { body { html } } }"#).await;
    assert_eq!(read, json!({ "post": { "body": { "html": shown } } }));
}

#[tokio::test]
async fn damaged_rows_and_files_are_reported_by_their_names() {
    let rows = [
        TIDE,
        "x,2024-03-01T08:00:00.000Z,true,,,newsletter,everyone,No number,,\n",
        "105.short,2024\n",
        "101.the-tide,2024-03-01T08:00:00.000Z,true,,,newsletter,everyone,Again,,\n",
        "106.dated,soon,true,,,newsletter,everyone,Dated,,\n",
        "107.gone,2024-03-01T08:00:00.000Z,true,,,newsletter,everyone,Gone,,\n",
        "108.,,false,,,newsletter,everyone,,,\n",
        "109.only-a-title,,false,,,newsletter,everyone,Only a title,,\n",
        "110.torn,2024-03-01T08:00:00.000Z,true,,,newsletter,everyone,Torn,,\n",
    ];
    let export = Export::of(&rows, &[BODIES[0], ("106.dated", "<p>a</p>"), ("999.orphan", "<p>b</p>")]);
    std::fs::write(export.folder().join("posts/110.torn.html"), b"<p>\xff").expect("a file");
    write(&export.folder(), "email_list.boats.csv", "email\nada@example.org\n");
    write(&export.folder(), "posts/101.the-tide.opens.csv", "email\nada@example.org\n");
    let ran = export.import();
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let mut lines: Vec<&str> = ran.err.lines().skip(1).collect();
    lines.sort_unstable();
    let expected = [
        "failed   posts.csv, line 4: its post_id \"x\" does not begin with a number",
        "failed   posts.csv, line 5: has 2 fields, but the header has 10; is the file cut off?",
        "failed   posts/101.the-tide.html: occurs twice, as substack:101; only the first one is read",
        "failed   posts/106.dated.html: published, but its post_date \"soon\" cannot be read",
        "failed   posts/107.gone.html: the export does not have this file",
        "failed   posts/110.torn.html: is not UTF-8, from byte 3 on; is it damaged?",
        "ignored  2 files with .csv, such as email_list.boats.csv: not read as posts",
        "skipped  posts/108..html: a draft without a title, of which the export has no body",
        "skipped  posts/999.orphan.html: has no row in posts.csv, so it is no post",
    ];
    assert_eq!(lines, expected);
    assert!(ran.summary().starts_with("Imported: 2 created, 0 changed, 0 unchanged, 2 skipped, 6 failed"), "{ran:?}");
    assert!(!export.blog.export().contains("example.org"), "an e-mail address of a reader was imported");
}

#[tokio::test]
async fn a_truncated_table_imports_nothing() {
    let export = everything();
    export.import();
    let before = all_rows(&export.blog.site().await.store).await;
    let whole = std::fs::read_to_string(export.folder().join("posts.csv")).expect("the table");
    let cut = whole.find("a day").expect("a quoted field");
    write(&export.folder(), "posts.csv", &whole[..cut]);
    let ran = export.import();
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let reason = "failed   posts.csv, line 2: a quoted field does not end; is the file cut off?; nothing was imported, so export the posts again";
    assert!(ran.err.contains(reason), "{ran:?}");
    write(&export.folder(), "posts.csv", "post_id;title\n");
    assert!(export.import().err.contains("failed   posts.csv, line 1: there is no column post_id"));
    assert_eq!(all_rows(&export.blog.site().await.store).await, before);
}

#[tokio::test]
async fn columns_that_are_not_known_are_named() {
    let export = everything();
    write(
        &export.folder(),
        "posts.csv",
        "post_id,title,is_published,post_date,audience,likes\n101.the-tide,Tide,true,2024-03-01,everyone,7\n",
    );
    let (counts, lines) = export.report();
    assert_eq!(counts, "1 created, 0 changed, 0 unchanged, 3 skipped, 0 failed");
    assert!(
        lines.contains(&"note     posts.csv: these columns are not known, so they are not imported: likes".to_owned()),
        "{lines:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_in_the_folder_images_become_assets() {
    let (folder, library) = (tempfile::tempdir().expect("a folder"), library());
    let file = |name: &str| format!("https%3A%2F%2Fsubstack-post-media.s3.amazonaws.com%2Fpublic%2Fimages%2F{name}");
    let sized = |name: &str| format!("https://substackcdn.com/image/fetch/$s_!x!,w_1456,c_limit/{}", file(name));
    let captioned = |name: &str| {
        format!(
            "<div class=\"captioned-image-container\"><figure><a class=\"image-link\" href=\"{0}\"><img src=\"{0}\" alt=\"\"></a></figure></div>",
            sized(name)
        )
    };
    let body = format!("{}{}<img src=\"https://a.example/b.png\">", captioned("a_2x2.png"), captioned("gone_2x2.png"));
    write(
        folder.path(),
        "posts.csv",
        &format!("{HEADER}1.a,2024-03-01T08:00:00.000Z,true,,,newsletter,everyone,A,,\n"),
    );
    write(folder.path(), "posts/1.a.html", &body);
    let site = site_over(MemoryStore::empty(), &library).await;
    let without = import(&site.content, folder.path()).await.expect("an import");
    let text = "pictures: the export has no folder images, so the pictures stay at their addresses (found: 2); docs/moving.md has the command that gets them";
    assert_eq!((counts(&without), notes(&without)), ((1, 0, 0, 0), vec![text.to_owned()]));
    write_bytes(&folder, "images/a_2x2.png", &png(1));
    let report = import(&site.content, folder.path()).await.expect("an import");
    assert_eq!(counts(&report), (0, 1, 0, 0), "{report:?}");
    let gone = "https://substack-post-media.s3.amazonaws.com/public/images/gone_2x2.png";
    let reason = "is not imported: there is no such file in or beside the export";
    assert_eq!(notes(&report), [format!("posts/1.a.html, picture {gone}: {reason}")]);
    let asset = addresses_of(&library).await.remove(0);
    let expected = format!(
        "<figure><img src=\"{asset}\" alt=\"\"></figure>\n<figure><img src=\"{gone}\" alt=\"\"></figure>\n<img src=\"https://a.example/b.png\">\n"
    );
    let read: Value = site.query(r#"{ post(slug: "a") { body { markdown } } }"#).await;
    assert_eq!(read["post"]["body"]["markdown"], json!(expected));
    assert_eq!(counts(&import(&site.content, folder.path()).await.expect("an import")), (0, 0, 1, 0));
    site.assert_sound().await;
}
