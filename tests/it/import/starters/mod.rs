//! The starters of the site generators, as small sites of the same form. The rule: every key of front matter, every picture and every internal link of the source
//! is compared with what the API returns after `tidings import`, or with its report.

mod astro;
mod compare;
mod docusaurus;
mod eleventy;
mod front;
mod hugo;
mod jekyll;
mod source;
mod zola;

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;

use super::pictures::{png, write_bytes};
use crate::support::azurite::{Azurite, connection_string, random_prefix};
use crate::support::command::{Ran, finish, tidings};
use crate::support::folder::folder;
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::Site;
use compare::{Compared, Imported};

/// The folder of a site with its files, and with a picture of a colour of its own for each name.
fn starter(files: &[(&str, &str)], pictures: &[&str]) -> TempDir {
    let root = folder(files);
    for (red, name) in (1..).zip(pictures) {
        write_bytes(&root, name, &png(red));
    }
    root
}

/// A site that the command has imported.
struct Starter {
    site: Site,
    imported: Imported,
    /// The pictures are in it.
    _beside: TempDir,
    _azurite: Option<Azurite>,
}

impl Starter {
    /// Imports a folder into a store file.
    async fn import(root: &Path) -> Self {
        let beside = tempfile::tempdir().expect("a folder");
        let store = format!("file:{}", beside.path().join("store").display());
        let report = import(root, beside.path(), &["--store", &store], &[]);
        let again = import(root, beside.path(), &["--store", &store], &[]);
        assert_eq!((&again["created"], &again["changed"]), (&json!(0), &json!(0)), "{again}");
        assert_eq!((&again["pages"]["created"], &again["pages"]["changed"]), (&json!(0), &json!(0)), "{again}");
        let opened = EmbeddedStore::open(&beside.path().join("store")).expect("the store opens");
        let site = Site::over(Arc::new(opened)).await;
        let imported = Imported::read(&site, report).await;
        Self { site, imported, _beside: beside, _azurite: None }
    }

    /// Imports a folder into tables.
    async fn import_into_tables(root: &Path) -> Self {
        let (azurite, prefix) = (Azurite::any(), random_prefix());
        let beside = tempfile::tempdir().expect("a folder");
        let assets = beside.path().join("assets").display().to_string();
        let flags = ["--store", "azure", "--table-prefix", &prefix, "--assets", &assets];
        let connection = [("AZURE_STORAGE_CONNECTION_STRING", connection_string(&azurite.endpoint))];
        let report = import(root, beside.path(), &flags, &connection);
        let store = AzureStore::connect(&azurite.settings(&prefix)).expect("a client");
        let site = Site::over(Arc::new(store)).await;
        let imported = Imported::read(&site, report).await;
        Self { site, imported, _beside: beside, _azurite: Some(azurite) }
    }

    async fn compare(&self, root: &Path) -> Compared {
        self.imported.compare(&self.site, root).await
    }

    fn node(&self, origin: &str) -> &Value {
        self.imported.nodes.get(origin).unwrap_or_else(|| panic!("{origin}: {:?}", self.imported.nodes.keys()))
    }

    fn notes(&self) -> Vec<String> {
        let notes = self.imported.report["notes"].as_array().expect("a list").iter();
        notes
            .map(|note| {
                format!("{}: {}", note["origin"].as_str().expect("a text"), note["text"].as_str().expect("a text"))
            })
            .collect()
    }

    async fn ask(&self, query: &str) -> Value {
        self.site.ask_as(Some(EDITOR_TOKEN), query).await["data"].clone()
    }
}

/// Runs the command, and returns its report.
fn import(root: &Path, beside: &Path, flags: &[&str], variables: &[(&str, String)]) -> Value {
    let (root, report) = (root.display().to_string(), beside.join("report.json"));
    let file = report.display().to_string();
    let mut command = tidings(&[&["import", &root, "--report", &file], flags].concat());
    command.envs(variables.iter().cloned());
    let ran: Ran = finish(command);
    let report: Value = serde_json::from_slice(&std::fs::read(report).expect("a report")).expect("JSON");
    assert_eq!(report["failed"], json!([]), "{ran:?}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    report
}

/// The last numbers: how many keys, pictures and links are compared at least.
#[track_caller]
fn assert_nothing_is_dropped(compared: &Compared, (keys, pictures, links): (usize, usize, usize)) {
    assert_eq!(compared.differences, Vec::<String>::new());
    assert!(compared.keys >= keys && compared.pictures >= pictures && compared.links >= links, "{compared:?}");
}

#[tokio::test]
async fn nothing_of_a_site_of_hugo_is_dropped() {
    let root = starter(hugo::FILES, hugo::PICTURES);
    let starter = Starter::import(root.path()).await;
    assert_nothing_is_dropped(&starter.compare(root.path()).await, (53, 8, 15));
    for (origin, field, value, language) in [
        ("content/posts/second.fr.md", "slug", "second-fr", "fr"),
        ("content/about.de.md", "path", "de/about", "de"),
        ("content/_index.de.md", "path", "de", "de"),
    ] {
        let node = starter.node(origin);
        assert_eq!((&node[field], &node["language"]), (&json!(value), &json!(language)), "{origin}");
    }
    let first = starter.node("content/posts/first/index.md")["body"]["markdown"].as_str().expect("a body");
    for part in [
        "[second post](/posts/second)",
        "[the bundle](/posts/second)",
        "[in the club](/posts/club)",
        "<https://www.youtube.com/watch?v=abc> {{< quiz \"abc\" >}}",
    ] {
        assert!(first.contains(part), "{part}: {first}");
    }
    let figure = "\" alt=\"Made of hemp\"><figcaption><h4>A rope</h4><p>Made of hemp</p></figcaption></figure>";
    assert!(
        first.contains(figure) && first.contains("[code]({{< ref \"nowhere.md\" >}}) ![code](nowhere.png)"),
        "{first}"
    );
    let notes = starter.notes();
    let note = "content/posts/first/index.md: shortcodes are not rendered, they stay as text: quiz";
    assert!(notes.iter().any(|found| found == note), "{notes:#?}");
}

#[tokio::test]
async fn nothing_of_a_site_of_jekyll_is_dropped() {
    let root = starter(jekyll::FILES, jekyll::PICTURES);
    let starter = Starter::import(root.path()).await;
    assert_nothing_is_dropped(&starter.compare(root.path()).await, (28, 3, 12));
    let welcome = starter.node("_posts/2024-05-19-welcome.markdown")["body"]["markdown"].as_str().expect("a body");
    assert!(welcome.contains("[the styles](/posts/styles), or [about us](/about/)"), "{welcome}");
}

#[tokio::test]
async fn nothing_of_a_site_of_zola_is_dropped() {
    let root = starter(zola::FILES, zola::PICTURES);
    let starter = Starter::import(root.path()).await;
    assert_nothing_is_dropped(&starter.compare(root.path()).await, (30, 2, 12));
    let docs = starter.node("content/docs/_index.md")["body"]["markdown"].as_str().expect("a body");
    assert_eq!(docs, "The [start](/docs/start) and [the pictures](/docs/pictures#a-gallery).\n");
}

#[tokio::test]
async fn nothing_of_a_site_of_astro_is_dropped() {
    let root = starter(astro::FILES, astro::PICTURES);
    let starter = Starter::import(root.path()).await;
    assert_nothing_is_dropped(&starter.compare(root.path()).await, (28, 6, 13));
    let first = starter.node("src/content/blog/first-boat.md");
    assert_eq!(first["publishedAt"], "2022-07-08T00:00:00.000Z");
    let body = &starter.node("src/content/docs/index.mdx")["body"];
    let html = body["html"].as_str().expect("HTML");
    assert!(
        html.contains(">the knots</a>.</p>")
            && html.contains("<li><img ")
            && html.contains(">a bowline</a>")
            && html.ends_with("<p>Then <code>&lt;Card&gt;</code>.</p>\n"),
        "{html}"
    );
    assert_eq!(html.matches("<code>").count(), 1, "{html}");
    let markdown = body["markdown"].as_str().expect("a body");
    for part in [
        "<mdx-Card title=\"Knots\" icon=\"star\">",
        "</mdx-Card>",
        "<mdx-Icon-Star />",
        "<mdx-Code code=",
        "</mdx-Aside>",
    ] {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
    let note = "src/content/docs/index.mdx: components are not rendered, only what is inside them: Aside, Card, Code, Grid, Icon.Star";
    assert!(starter.notes().iter().any(|found| found == note), "{:#?}", starter.notes());
}

#[tokio::test]
async fn nothing_of_a_site_of_eleventy_is_dropped() {
    let root = starter(eleventy::FILES, eleventy::PICTURES);
    let starter = Starter::import(root.path()).await;
    assert_nothing_is_dropped(&starter.compare(root.path()).await, (20, 1, 8));
    let names = |list: &Value| -> Vec<String> {
        list.as_array().expect("a list").iter().map(|term| term["name"].as_str().expect("a name").to_owned()).collect()
    };
    let first = starter.node("content/blog/firstpost.md");
    assert_eq!(names(&first["tags"]), ["posts", "boats", "another tag"]);
    assert_eq!(first["metadata"], json!({ "layout": "layouts/post.njk", "mood": "calm" }));
    let tide = starter.node("content/notes/tide.md");
    assert_eq!((&tide["slug"], names(&tide["authors"])), (&json!("tide"), vec!["Ada Byron".to_owned()]));
    assert_eq!(tide["metadata"], json!({ "layout": "note.njk", "permalink": "/notes/{{ page.fileSlug }}/" }));
    assert_eq!(starter.node("content/about.md")["metadata"]["layout"], "layouts/home.njk");
    let unread = "content/blog/computed.11tydata.js: is not read: ";
    assert!(starter.notes().iter().any(|note| note.starts_with(unread)), "{:#?}", starter.notes());
}

#[tokio::test]
async fn nothing_of_a_site_of_docusaurus_is_dropped() {
    let root = starter(docusaurus::FILES, docusaurus::PICTURES);
    let starter = Starter::import(root.path()).await;
    assert_nothing_is_dropped(&starter.compare(root.path()).await, (28, 5, 11));
    let found = starter
        .ask(
            "{ author(slug: \"ada\") { name jobTitle website: url avatar { url } links { title url } } tag(slug: \"all-boats\") { name description } \
             basics: page(path: \"docs/basics\") { title order excerpt metadata } extras: page(path: \"docs/extras\") { title order metadata } }",
        )
        .await;
    let avatar = found["author"]["avatar"]["url"].clone();
    let ada = starter.imported.assets.iter().find(|asset| asset["originalName"] == "ada.png").expect("the picture");
    assert_eq!(avatar, ada["url"]);
    let expected = json!({
        "author": {
            "name": "Ada Byron", "jobTitle": "Keeper of the quay", "website": "https://ada.example", "avatar": { "url": avatar },
            "links": [{ "title": "X", "url": "https://x.com/adabyron" }, { "title": "GitHub", "url": "https://github.com/ada" }],
        },
        "tag": { "name": "Boats", "description": "Posts about boats" },
        "basics": {
            "title": "Tutorial - basics", "order": 2, "excerpt": "Five minutes to learn rowing.",
            "metadata": { "link": { "type": "generated-index", "description": "Five minutes to learn rowing." } },
        },
        "extras": {
            "title": "The extras", "order": 3,
            "metadata": { "_category_": { "label": "Extras", "position": 3, "collapsed": false, "className": "extras" } },
        },
    });
    assert_eq!(found, expected);
    for note in [
        "blog/authors.yml: the author ada has no field for: page",
        "blog/authors.yml: the picture of the author nelson stays at https://example.com/nelson.png: it is not a file of the imported folder",
    ] {
        assert!(starter.notes().iter().any(|found| found == note), "{:#?}", starter.notes());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_a_site_of_hugo_is_dropped_on_tables() {
    let root = starter(hugo::FILES, hugo::PICTURES);
    let starter = Starter::import_into_tables(root.path()).await;
    assert_nothing_is_dropped(&starter.compare(root.path()).await, (53, 8, 15));
    starter.site.assert_sound().await;
}

/// A change of what the API returns, and the start of the difference.
type Dropped = (fn(&mut Imported), &'static str);

#[tokio::test]
async fn a_key_a_picture_and_a_link_that_are_dropped_are_differences() {
    fn post(imported: &mut Imported) -> &mut Value {
        imported.nodes.get_mut("content/posts/first/index.md").expect("the post")
    }
    let root = starter(hugo::FILES, hugo::PICTURES);
    let mut starter = Starter::import(root.path()).await;
    let dropped: &[Dropped] = &[
        (|imported| drop(post(imported)["metadata"].as_object_mut().expect("metadata").remove("math")), "the key math"),
        (|imported| drop(post(imported)["tags"].as_array_mut().expect("tags").pop()), "the key tags"),
        (|imported| post(imported)["cover"] = Value::Null, "the picture cover.png"),
        (|imported| drop(imported.assets.pop()), "the picture "),
        (
            |imported| post(imported)["body"]["html"] = json!("<p>See <a href=\"/gone\">second post</a></p>"),
            "the link secondpost to ../second.md, now /gone",
        ),
        (|imported| drop(imported.nodes.remove("content/posts/first/index.md")), "is neither imported nor skipped"),
    ];
    for (drop, expected) in dropped {
        drop(&mut starter.imported);
        let differences = starter.compare(root.path()).await.differences;
        assert!(differences.iter().any(|found| found.contains(expected)), "{expected}: {differences:#?}");
    }
}

/// The author's own file names a picture by its path, without an id that an export would have given it.
#[tokio::test]
async fn the_picture_that_a_hand_written_author_names_is_the_avatar() {
    let author = "---\ntitle: Ada\nslug: ada\navatar: ../../pictures/ada.png\ntidings:\n  type: author\n---\n";
    let root = starter(
        &[("authors/ada/_index.md", author), ("2024-01-01-a.md", "---\nauthor: Ada\n---\nA.\n")],
        &["pictures/ada.png"],
    );
    let starter = Starter::import(root.path()).await;
    let found = starter.ask("{ author(slug: \"ada\") { avatar { originalName } } }").await;
    assert_eq!(found, json!({ "author": { "avatar": { "originalName": "ada.png" } } }));
}

/// The variable that names a folder of a site.
const STARTER: &str = "TIDINGS_STARTER";

#[tokio::test]
#[ignore = "compares the folder that TIDINGS_STARTER names"]
#[expect(clippy::disallowed_methods, reason = "a test's own setting")]
async fn a_starter_that_is_named_is_imported_with_nothing_dropped() {
    let root = std::env::var_os(STARTER).expect("TIDINGS_STARTER names a folder");
    let starter = Starter::import(Path::new(&root)).await;
    let compared = starter.compare(Path::new(&root)).await;
    let Compared { keys, pictures, links, differences } = &compared;
    println!("{keys} keys, {pictures} pictures, {links} internal links");
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}
