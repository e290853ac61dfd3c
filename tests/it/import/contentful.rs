//! Imports of the exports of Contentful. The rule: what Contentful has not published is a draft, entries that posts link to are their terms, and everything that is
//! not imported is in the report.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::command::{Blog, Ran};
use crate::support::folder::{counts, import, write};
use crate::support::memory::MemoryStore;
use crate::support::rows::all_rows;

use super::pictures::{addresses_of, library, notes, png, site_over, write_bytes};

fn link(id: &str) -> Value {
    json!({ "sys": { "type": "Link", "linkType": "Entry", "id": id } })
}

/// An entry with values of the default locale, published on this day of 2024.
fn entry(kind: &str, id: &str, day: &str, fields: Value) -> Value {
    let fields: Value =
        fields.as_object().expect("fields").iter().map(|(id, value)| (id.clone(), json!({ "en-US": value }))).collect();
    json!({
        "metadata": { "tags": [] },
        "sys": {
            "space": link("s1"), "id": id, "type": "Entry", "contentType": link(kind), "version": 4, "publishedVersion": 3,
            "createdAt": format!("2024-{day}T08:00:00.000Z"), "updatedAt": format!("2024-{day}T10:00:00.000Z"),
            "firstPublishedAt": format!("2024-{day}T09:00:00.000Z"), "publishedAt": format!("2024-{day}T10:00:00.000Z"),
        },
        "fields": fields,
    })
}

fn asset(id: &str, name: &str, kind: &str) -> Value {
    let url = format!("//images.ctfassets.net/s1/{id}/h/{name}");
    let file = json!({ "url": url, "fileName": name, "contentType": kind, "details": { "size": 1 } });
    json!({ "sys": { "id": id, "type": "Asset" }, "fields": { "title": { "en-US": name }, "description": { "en-US": "A boat" }, "file": { "en-US": file } } })
}

fn node(kind: &str, data: Value, content: &[Value]) -> Value {
    json!({ "nodeType": kind, "data": data, "content": content })
}

fn text(value: &str, marks: &[&str]) -> Value {
    let marks: Vec<Value> = marks.iter().map(|mark| json!({ "type": mark })).collect();
    json!({ "nodeType": "text", "value": value, "marks": marks, "data": {} })
}

fn paragraph(content: &[Value]) -> Value {
    node("paragraph", json!({}), content)
}

fn document(content: &[Value]) -> Value {
    node("document", json!({}), content)
}

fn field(id: &str, kind: &str) -> Value {
    match kind {
        "Asset" | "Entry" => json!({ "id": id, "name": id, "type": "Link", "linkType": kind }),
        "Entries" => json!({ "id": id, "name": id, "type": "Array", "items": { "type": "Link", "linkType": "Entry" } }),
        "Symbols" => json!({ "id": id, "name": id, "type": "Array", "items": { "type": "Symbol" } }),
        kind => json!({ "id": id, "name": id, "type": kind, "localized": true }),
    }
}

fn content_type(id: &str, displayed: &str, fields: &[(&str, &str)]) -> Value {
    let fields: Vec<Value> = fields.iter().map(|(id, kind)| field(id, kind)).collect();
    json!({ "sys": { "id": id, "type": "ContentType" }, "displayField": displayed, "name": id, "description": "", "fields": fields })
}

/// An export with these entries.
fn space(entries: &[Value]) -> Value {
    let post = [
        ("title", "Symbol"),
        ("slug", "Symbol"),
        ("publishDate", "Date"),
        ("description", "Text"),
        ("body", "RichText"),
        ("heroImage", "Asset"),
        ("author", "Entry"),
        ("category", "Entry"),
        ("tags", "Symbols"),
        ("related", "Entries"),
        ("featured", "Boolean"),
        ("rating", "Integer"),
        ("place", "Object"),
    ];
    let person =
        [("name", "Symbol"), ("title", "Symbol"), ("shortBio", "RichText"), ("email", "Symbol"), ("website", "Symbol")];
    json!({
        "contentTypes": [
            content_type("blogPost", "title", &post),
            content_type("page", "title", &[("title", "Symbol"), ("slug", "Symbol"), ("content", "Text")]),
            content_type("person", "name", &person),
            content_type("category", "title", &[("title", "Symbol"), ("slug", "Symbol"), ("description", "Text")]),
            content_type("menu", "name", &[("name", "Symbol")]),
        ],
        "tags": [{ "sys": { "id": "lowWater", "visibility": "public" }, "name": "Low Water" }],
        "editorInterfaces": [{ "sys": { "id": "default" } }],
        "entries": entries,
        "assets": [asset("hero", "hero.png", "image/png"), asset("plan", "plan.png", "image/png"), asset("paper", "paper.pdf", "application/pdf")],
        "locales": [{ "name": "English", "code": "en-US", "default": true, "sys": { "id": "l1" } }],
        "webhooks": [], "roles": [],
    })
}

fn tide() -> Value {
    let body = document(&[
        node("heading-2", json!({}), &[text("High *water*", &[])]),
        paragraph(&[
            text("It is ", &[]),
            text("high", &["bold"]),
            text(": ", &[]),
            node("entry-hyperlink", json!({ "target": link("talk") }), &[text("a talk", &[])]),
            text(", ", &[]),
            node("hyperlink", json!({ "uri": "https://a.example/" }), &[text("more", &["italic"])]),
            text(", ", &[]),
            node("asset-hyperlink", json!({ "target": link("paper") }), &[text("a paper", &[])]),
            text(", ", &[]),
            node("entry-hyperlink", json!({ "target": link("about") }), &[text("us", &[])]),
        ]),
        node("embedded-entry-block", json!({ "target": link("m1") }), &[]),
        paragraph(&[text("", &[])]),
    ]);
    let fields = json!({
        "title": "The tide, again", "slug": "the-tide", "publishDate": "2024-01-02T00:00+01:00", "description": "Twice *a* day.", "body": body,
        "author": link("ada"), "category": link("water"), "tags": ["Boats", "low water"], "related": [link("talk")], "featured": true, "rating": 5,
        "place": { "lat": 52.5 },
    });
    let mut tide = entry("blogPost", "tide", "02-01", fields);
    tide["metadata"] = json!({ "tags": [{ "sys": { "type": "Link", "linkType": "Tag", "id": "lowWater" } }] });
    tide
}

fn draft(mut entry: Value) -> Value {
    let system = entry["sys"].as_object_mut().expect("an object");
    ["publishedVersion", "publishedAt", "firstPublishedAt"].iter().for_each(|name| drop(system.remove(*name)));
    entry
}

fn everything() -> Vec<Value> {
    let plain = |value: &str| document(&[paragraph(&[text(value, &[])])]);
    vec![
        tide(),
        entry(
            "blogPost",
            "talk",
            "03-01",
            json!({ "title": "A talk", "slug": "a-talk", "body": plain("Listen."), "author": link("ada") }),
        ),
        draft(entry(
            "blogPost",
            "sketch",
            "04-01",
            json!({ "title": "A sketch", "body": plain("secret"), "publishDate": "2024-05-01" }),
        )),
        entry(
            "page",
            "about",
            "01-01",
            json!({ "title": "About us", "slug": "/team/about-us", "content": "We **row**.\n" }),
        ),
        entry(
            "person",
            "ada",
            "01-01",
            json!({ "name": "Ada L.", "title": "Rower", "shortBio": plain("By the water."), "email": "ada@example.org", "website": "https://ada.example/" }),
        ),
        entry("person", "bo", "01-01", json!({ "name": "Bo", "email": "bo@example.org" })),
        entry("category", "water", "01-01", json!({ "title": "Water", "slug": "wet", "description": "All of it." })),
        entry("menu", "m1", "01-01", json!({ "name": "Menu" })),
    ]
}

struct Export {
    blog: Blog,
}

impl Export {
    fn of(export: &Value) -> Self {
        let made = Self { blog: Blog::of(&[]) };
        made.write(export);
        made
    }

    fn file(&self) -> PathBuf {
        self.blog.path().join("contentful-export-s1-master.json")
    }

    fn write(&self, export: &Value) {
        std::fs::write(self.file(), serde_json::to_string_pretty(export).expect("JSON")).expect("a file");
    }

    fn import(&self) -> Ran {
        self.blog.import_of(&self.file(), &[])
    }

    /// The counts, and the lines of the report.
    fn report(&self) -> (String, Vec<String>) {
        self.import().counts_and_lines()
    }
}

#[tokio::test]
async fn entries_are_imported_with_what_they_link_to() {
    let export = Export::of(&space(&everything()));
    let ran = export.import();
    assert!(
        ran.summary().starts_with("Imported: 3 created, 0 changed, 0 unchanged, 2 skipped, 0 failed; 4 new"),
        "{ran:?}"
    );
    assert!(ran.summary().ends_with("; pages: 2 created, 0 changed, 0 unchanged"), "{ran:?}");
    let reason = "is neither of posts nor of pages, and no imported post has these entries as categories, tags or authors (found: 1)";
    let expected = [
        "Importing 3 posts …".to_owned(),
        format!("skipped  content type menu: {reason}"),
        format!("skipped  content type person: {reason}"),
        "note     team: has no file of its own, so it is a page with only a title".to_owned(),
        "note     blogPost the-tide: not in the body, because HTML has no form for it: embedded-entry-block (menu)"
            .to_owned(),
        "note     blogPost the-tide: these fields are not imported: related".to_owned(),
        "note     pictures: no folder beside the file of the export has the name of their server, so the pictures stay at their addresses (found: 1); export again with --download-assets to import them"
            .to_owned(),
    ];
    let mut lines: Vec<String> = ran.err.lines().map(str::to_owned).collect();
    let mut sorted = expected.to_vec();
    lines.sort_unstable();
    sorted.sort_unstable();
    assert_eq!((ran.code, lines), (Some(0), sorted), "{ran:?}");
    let query = r#"{ posts { nodes { slug title excerpt publishedAt createdAt updatedAt featured language authors { name jobTitle description url } categories { name slug description } tags { name slug }
        body { markdown } metadata } } page(path: "team/about-us") { title body { markdown } } }"#;
    let ada =
        json!({ "name": "Ada L.", "jobTitle": "Rower", "description": "By the water.", "url": "https://ada.example/" });
    let body = "<h2>High *water*</h2>\n<p>It is <strong>high</strong>: <a href=\"/posts/a-talk\">a talk</a>, \
                <a href=\"https://a.example/\"><em>more</em></a>, <a href=\"https://images.ctfassets.net/s1/paper/h/paper.pdf\">a paper</a>, \
                <a href=\"/team/about-us\">us</a></p>\n";
    let expected = json!({
        "posts": { "nodes": [
            { "slug": "a-talk", "title": "A talk", "excerpt": "Listen.", "publishedAt": "2024-03-01T09:00:00.000Z", "createdAt": "2024-03-01T08:00:00.000Z",
              "updatedAt": "2024-03-01T10:00:00.000Z", "featured": false, "language": null, "authors": [ada], "categories": [], "tags": [], "body": { "markdown": "<p>Listen.</p>\n" }, "metadata": {} },
            { "slug": "the-tide", "title": "The tide, again", "excerpt": "Twice a day.", "publishedAt": "2024-01-01T23:00:00.000Z", "createdAt": "2024-02-01T08:00:00.000Z",
              "updatedAt": "2024-02-01T10:00:00.000Z", "featured": true, "language": null, "authors": [ada],
              "categories": [{ "name": "Water", "slug": "wet", "description": "All of it." }],
              "tags": [{ "name": "Boats", "slug": "boats" }, { "name": "low water", "slug": "low-water" }], "body": { "markdown": body },
              "metadata": { "rating": 5, "place": { "lat": 52.5 } } },
        ] },
        "page": { "title": "About us", "body": { "markdown": "We **row**.\n" } },
    });
    assert_eq!(export.blog.query(query).await, expected);
    let exported = export.blog.export();
    assert!(
        exported.contains("\"A sketch\"") && !exported.contains("example.org"),
        "an e-mail address was imported: {exported}"
    );
    assert_eq!(export.blog.check().code, Some(0));
}

#[tokio::test]
async fn a_second_import_changes_nothing_and_a_published_draft_becomes_a_version() {
    let export = Export::of(&space(&everything()));
    export.import();
    let before = all_rows(&export.blog.site().await.store).await;
    let tried = export.blog.import_of(&export.file(), &["--dry-run"]);
    assert!(tried.summary().contains("0 created, 0 changed, 3 unchanged"), "{tried:?}");
    assert_eq!(export.report().0, "0 created, 0 changed, 3 unchanged, 2 skipped, 0 failed");
    assert_eq!(all_rows(&export.blog.site().await.store).await, before);
    let mut entries = everything();
    entries[1]["fields"]["slug"]["en-US"] = json!("the-talk");
    entries[2]["sys"]["publishedVersion"] = json!(3);
    export.write(&space(&entries));
    // The tide links to the talk, whose address is another one now.
    assert_eq!(export.report().0, "0 created, 3 changed, 0 unchanged, 2 skipped, 0 failed");
    let query = r#"{ talk: post(slug: "a-talk") { slug version } tide: post(slug: "the-tide") { body { markdown } } sketch: post(slug: "a-sketch") { version publishedAt } }"#;
    let read = export.blog.query(query).await;
    assert_eq!(read["talk"], json!({ "slug": "the-talk", "version": 2 }));
    assert_eq!(read["sketch"], json!({ "version": 2, "publishedAt": "2024-05-01T00:00:00.000Z" }));
    assert!(
        read["tide"]["body"]["markdown"].as_str().expect("a body").contains("<a href=\"/posts/the-talk\">a talk</a>"),
        "{read}"
    );
}

#[tokio::test]
async fn a_translation_is_a_post_of_its_own_with_its_language() {
    let plain = |value: &str| document(&[paragraph(&[text(value, &[])])]);
    let mut tide = entry(
        "blogPost",
        "tide",
        "02-01",
        json!({ "title": "The tide", "slug": "the-tide", "body": plain("High."), "rating": 5 }),
    );
    tide["fields"]["title"]["de"] = json!("Die Flut");
    tide["fields"]["body"]["de"] = plain("Hoch.");
    tide["sys"]["fieldStatus"] = json!({ "*": { "en-US": "published", "de": "draft" } });
    let mut talk =
        entry("blogPost", "talk", "03-01", json!({ "title": "A talk", "slug": "a-talk", "body": plain("Listen.") }));
    for (field, value) in [("title", json!("Ein Vortrag")), ("slug", json!("ein-vortrag")), ("body", plain("Hört."))] {
        talk["fields"][field]["de"] = value;
    }
    let mut export = space(&[tide, talk]);
    export["locales"] = json!([{ "code": "de" }, { "code": "en-US", "default": true }]);
    let export = Export::of(&export);
    assert_eq!(export.report(), ("4 created, 0 changed, 0 unchanged, 0 skipped, 0 failed".to_owned(), Vec::new()));
    let query = "{ posts { nodes { slug title language translations { slug } body { text } metadata } } }";
    let expected = json!({ "posts": { "nodes": [
        { "slug": "ein-vortrag", "title": "Ein Vortrag", "language": "de", "translations": [{ "slug": "a-talk" }], "body": { "text": "Hört." }, "metadata": {} },
        { "slug": "a-talk", "title": "A talk", "language": "en-US", "translations": [{ "slug": "ein-vortrag" }], "body": { "text": "Listen." }, "metadata": {} },
        { "slug": "the-tide", "title": "The tide", "language": "en-US", "translations": [], "body": { "text": "High." }, "metadata": { "rating": 5 } },
    ] } });
    let mut read = export.blog.query(query).await;
    // Posts of one instant are in the order of their ids.
    let nodes = read["posts"]["nodes"].as_array_mut().expect("posts");
    nodes.sort_by_key(|node| ["ein-vortrag", "a-talk", "the-tide"].iter().position(|slug| node["slug"] == *slug));
    assert_eq!(read, expected);
    let exported = export.blog.export();
    assert!(
        exported.contains("\"slug\":\"the-tide-de\"") && exported.contains("Die Flut"),
        "the draft is stored: {exported}"
    );
    assert_eq!(export.report().0, "0 created, 0 changed, 4 unchanged, 0 skipped, 0 failed");
}

#[tokio::test]
async fn damaged_entries_and_unusual_states_are_reported() {
    let post = |id: &str, more: Value| {
        let mut fields =
            json!({ "title": format!("T {id}"), "slug": id, "body": document(&[paragraph(&[text("a", &[])])]) });
        fields.as_object_mut().expect("fields").extend(more.as_object().expect("fields").clone());
        entry("blogPost", id, "01-01", fields)
    };
    let (mut changed, mut archived) = (post("changed", json!({})), draft(post("archived", json!({}))));
    changed["sys"]["version"] = json!(9);
    archived["sys"]["archivedVersion"] = json!(5);
    let long = "x".repeat(20_000);
    let export = Export::of(&space(&[
        post("good", json!({})),
        post("good", json!({})),
        post("dated", json!({ "publishDate": "soon" })),
        post("long", json!({ "place": { "a": long } })),
        changed,
        archived,
        json!({ "sys": {} }),
        json!(7),
        entry("gone", "x", "01-01", json!({})),
    ]));
    let (counts, mut lines) = export.report();
    assert_eq!(counts, "3 created, 0 changed, 0 unchanged, 2 skipped, 4 failed");
    lines.sort_unstable();
    let expected = [
        "failed   blogPost dated: published, but its date \"soon\" cannot be read",
        "failed   blogPost good: occurs twice, as contentful:s1/good; only the first one is read",
        "failed   entries, item 7: has no id",
        "failed   entries, item 8: not an item of a list of Contentful",
        "note     blogPost changed: has changes that Contentful has not published, and that are imported",
        "note     blogPost long: these fields are not imported: place",
        "skipped  blogPost archived: is in the archive of Contentful",
        "skipped  content type gone: is neither of posts nor of pages, and no imported post has these entries as categories, tags or authors (found: 1)",
    ];
    assert_eq!(lines, expected);
}

#[tokio::test]
async fn a_file_without_what_the_import_needs_imports_nothing() {
    let whole = space(&everything());
    let export = Export::of(&whole);
    let text = serde_json::to_string(&whole).expect("JSON");
    let cut = text.find("\"locales\"").expect("a list");
    std::fs::write(export.file(), &text[..cut]).expect("a file");
    let ran = export.import();
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("nothing was imported, so export it again"), "{ran:?}");
    let mut without = whole.clone();
    without.as_object_mut().expect("an object").remove("contentTypes");
    export.write(&without);
    let reason = "has no contentTypes, which say what the entries are; export the space without --skip-content-model and --content-only";
    assert!(export.import().err.contains(reason));
    let mut without = whole.clone();
    without.as_object_mut().expect("an object").remove("entries");
    export.write(&without);
    assert!(export.import().err.contains("has no entries, so there are neither posts nor pages"));
    let mut other = whole;
    other["contentTypes"] = json!([content_type("menu", "name", &[("name", "Symbol")])]);
    export.write(&other);
    assert!(export.import().err.contains("no content type has a title and a body of type Text or RichText"));
    assert_eq!(export.blog.query("{ posts { totalCount } }").await, json!({ "posts": { "totalCount": 0 } }));
}

#[tokio::test(flavor = "multi_thread")]
async fn downloaded_files_become_assets_and_covers() {
    let (folder, library) = (tempfile::tempdir().expect("a folder"), library());
    let picture = |id: &str| node("embedded-asset-block", json!({ "target": link(id) }), &[]);
    let body = document(&[picture("plan"), picture("paper"), picture("gone")]);
    let fields = json!({ "title": "The tide", "slug": "the-tide", "body": body, "heroImage": link("hero") });
    let about = "![](//images.ctfassets.net/s1/plan/h/plan.png) ![](//images.ctfassets.net/s1/lost/h/lost.png)\n";
    let page = entry("page", "about", "01-01", json!({ "title": "About", "slug": "about", "content": about }));
    let file = folder.path().join("export.json");
    write(folder.path(), "export.json", &space(&[entry("blogPost", "tide", "01-02", fields), page]).to_string());
    let site = site_over(MemoryStore::empty(), &library).await;
    let lost = "blogPost the-tide: not in the body, because HTML has no form for it: embedded-asset-block";
    let left = "pictures: no folder beside the file of the export has the name of their server, so the pictures stay at their addresses (found: 5); \
                export again with --download-assets to import them";
    let without = import(&site.content, &file).await.expect("an import");
    assert_eq!((counts(&without), notes(&without)), ((1, 0, 0, 0), vec![lost.to_owned(), left.to_owned()]));
    write_bytes(&folder, "images.ctfassets.net/s1/hero/h/hero.png", &png(1));
    write_bytes(&folder, "images.ctfassets.net/s1/plan/h/plan.png", &png(2));
    let report = import(&site.content, &file).await.expect("an import");
    assert_eq!((counts(&report), report.pages.changed), ((0, 1, 0, 0), 1), "{report:?}");
    let missing = "page about, picture //images.ctfassets.net/s1/lost/h/lost.png: is not imported: there is no such file in or beside the export";
    let paper = "blogPost the-tide, file https://images.ctfassets.net/s1/paper/h/paper.pdf: is not imported: there is no such file in or beside the export";
    assert_eq!(notes(&report), [lost, paper, missing]);
    let read = site.query(r#"{ post(slug: "the-tide") { cover { url alt } body { markdown } metadata } page(path: "about") { body { markdown } } }"#).await;
    let cover = read["post"]["cover"]["url"].as_str().expect("a cover");
    let names: Vec<String> = addresses_of(&library).await;
    let plan = names.iter().find(|name| *name != cover).expect("the other picture");
    let expected = json!({
        "post": {
            "cover": { "url": cover, "alt": "A boat" },
            "body": { "markdown": format!("<figure><img src=\"{plan}\" alt=\"A boat\"></figure>\n<p><a href=\"https://images.ctfassets.net/s1/paper/h/paper.pdf\">paper.pdf</a></p>\n") },
            "metadata": { "heroImage": "https://images.ctfassets.net/s1/hero/h/hero.png" },
        },
        "page": { "body": { "markdown": format!("![]({plan}) ![](//images.ctfassets.net/s1/lost/h/lost.png)\n") } },
    });
    assert_eq!(read, expected);
    let again = import(&site.content, &file).await.expect("an import");
    assert_eq!((counts(&again), again.pages.unchanged), ((0, 0, 1, 0), 1));
    site.assert_sound().await;
}
