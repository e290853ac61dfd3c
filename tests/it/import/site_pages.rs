//! Pages of the site from folders of Markdown and from exports. The rule: what was imported is read through the API, on a file and on tables; a second import
//! changes nothing, and an export holds all of it.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;

use crate::support::folder::{exported, folder, import, write};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::Site;

async fn sites() -> [Site; 2] {
    let file: Store = Arc::new(EmbeddedStore::in_memory().expect("a store in memory"));
    [Site::over(file).await, Site::over(MemoryStore::empty()).await]
}

/// All pages, drafts included: the path, the title, the order and the status of each, by three levels of lists.
async fn tree(site: &Site) -> Vec<String> {
    let (mut lines, mut open) = (Vec::new(), vec![Value::Null]);
    while let Some(parent) = open.pop() {
        let fields = "nodes { path title order status }";
        let query = format!(
            "query($p: String) {{ pages(parentPath: $p, first: 100) {{ {fields} }} draftPages(parentPath: $p) {{ {fields} }} }}"
        );
        let answer = site.mutate(&query, json!({ "p": parent }), Some(EDITOR_TOKEN)).await.body;
        assert_eq!(answer.get("errors"), None);
        for list in ["pages", "draftPages"] {
            for page in answer["data"][list]["nodes"].as_array().expect("nodes") {
                let text = |name: &str| page[name].as_str().unwrap_or_default().to_owned();
                lines.push(format!("{} | {} | {} | {}", text("path"), text("title"), page["order"], text("status")));
                open.push(page["path"].clone());
            }
        }
    }
    lines.sort();
    lines
}

/// Files as a generator has them, and the pages that they are.
struct Generator {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    pages: &'static [&'static str],
}

const GENERATORS: &[Generator] = &[
    Generator {
        name: "Hugo",
        files: &[
            ("content/_index.md", "---\ntitle: Home\n---\n"),
            ("content/docs/_index.md", "+++\ntitle = 'Docs'\nweight = 1\n+++\nStart."),
            ("content/docs/install/linux.md", "---\ntitle: Linux\nweight: 20\naliases: [/old]\n---\nText."),
            ("content/docs/install/mac.md", "---\ntitle: Mac\nweight: 10\ndraft: true\n---\n"),
            ("content/posts/2025-01-01-hello.md", "---\ntitle: Hello\n---\n"),
        ],
        pages: &[
            "docs | Docs | 1 | PUBLISHED",
            "docs/install | Install | null | PUBLISHED",
            "docs/install/linux | Linux | 20 | PUBLISHED",
            "docs/install/mac | Mac | 10 | DRAFT",
            "index | Home | null | PUBLISHED",
        ],
    },
    Generator {
        name: "Jekyll",
        files: &[
            ("about.md", "---\ntitle: About\npermalink: /about/us/\n---\n"),
            ("docs/ui.md", "---\ntitle: UI\nnav_order: 2\n---\n"),
            ("_posts/2025-01-01-hello.md", "---\ntitle: Hello\n---\n"),
        ],
        pages: &[
            "about | About | null | PUBLISHED",
            "about/us | About | null | PUBLISHED",
            "docs | Docs | null | PUBLISHED",
            "docs/ui | UI | 2 | PUBLISHED",
        ],
    },
    Generator {
        name: "Zola",
        files: &[
            ("content/guide/_index.md", "+++\ntitle = 'Guide'\nsort_by = 'weight'\n+++\n"),
            ("content/guide/first.md", "+++\ntitle = 'First'\nweight = 1\nslug = 'start'\n+++\n"),
        ],
        pages: &["guide | Guide | null | PUBLISHED", "guide/start | First | 1 | PUBLISHED"],
    },
    Generator {
        name: "Astro",
        files: &[
            ("src/content/docs/index.mdx", "---\ntitle: Welcome\n---\nimport X from 'x'\n\n# Hi\n"),
            ("src/content/docs/guides/one.md", "---\ntitle: One\nsidebar:\n  order: 3\n---\n"),
        ],
        pages: &[
            "docs | Welcome | null | PUBLISHED",
            "docs/guides | Guides | null | PUBLISHED",
            "docs/guides/one | One | 3 | PUBLISHED",
        ],
    },
    Generator {
        name: "Eleventy",
        files: &[("about.md", "---\ntitle: About\neleventyNavigation:\n  key: About\n  order: 4\n---\n")],
        pages: &["about | About | 4 | PUBLISHED"],
    },
    Generator {
        name: "Docusaurus",
        files: &[
            ("docs/intro.md", "---\nsidebar_position: 1\n---\n# Introduction\n\nText."),
            ("docs/basics/no-front-matter.md", "# Basics of it\n\nText."),
            ("docs/basics/README.md", "---\nsidebar_position: 2\nslug: /basics\n---\n# The basics\n"),
        ],
        pages: &[
            "docs | Docs | null | PUBLISHED",
            "docs/basics | The basics | 2 | PUBLISHED",
            "docs/basics/no-front-matter | Basics of it | null | PUBLISHED",
            "docs/intro | Introduction | 1 | PUBLISHED",
        ],
    },
];

#[tokio::test]
async fn the_pages_of_every_generator_are_imported_with_their_places_and_a_second_import_changes_nothing() {
    for Generator { name: generator, files, pages: expected } in GENERATORS {
        let source = folder(files);
        for site in sites().await {
            let report = import(&site.content, source.path()).await.expect("an import");
            assert_eq!((report.failed.len(), report.skipped.len()), (0, 0), "{generator}: {report:?}");
            assert_eq!(report.pages.made, expected.len(), "{generator}");
            assert_eq!(tree(&site).await, *expected, "{generator}");
            if *generator == "Hugo" {
                let old = site.query("{ page(path: \"old\") { path } }").await;
                assert_eq!(old["page"]["path"], "docs/install/linux", "its alias");
            }
            let again = import(&site.content, source.path()).await.expect("the import, again");
            assert_eq!((again.pages.made, again.pages.changed), (0, 0), "{generator}: {again:?}");
            site.assert_sound().await;
        }
    }
}

#[tokio::test]
async fn a_page_that_was_edited_in_its_file_is_changed_and_one_that_a_mutation_changed_is_kept() {
    let files = [("docs/_index.md", "---\ntitle: Docs\n---\n"), ("docs/a.md", "---\ntitle: A\ntags: [x]\n---\nText.")];
    for site in sites().await {
        let source = folder(&files);
        import(&site.content, source.path()).await.expect("an import");
        let page =
            site.query("{ page(path: \"docs\") { id metadata } a: page(path: \"docs/a\") { metadata version } }").await;
        assert_eq!(page["a"], json!({ "metadata": { "tags": ["x"] }, "version": 1 }));
        let mutation = "mutation($id: ID!) { updatePage(input: { id: $id, expectedVersion: 1, title: \"Mine\" }) { userErrors { code } } }";
        site.mutate(mutation, json!({ "id": page["page"]["id"] }), Some(EDITOR_TOKEN)).await;
        write(source.path(), "docs/_index.md", "---\ntitle: Theirs\n---\n");
        write(source.path(), "docs/a.md", "---\ntitle: B\nweight: 2\n---\nText.");
        let report = import(&site.content, source.path()).await.expect("an import");
        assert_eq!((report.pages.changed, report.kept, report.notes.len()), (1, 1, 1), "{report:?}");
        let read =
            site.query("{ page(path: \"docs\") { title } a: page(path: \"docs/a\") { title version order } }").await;
        assert_eq!(read, json!({ "page": { "title": "Mine" }, "a": { "title": "B", "version": 2, "order": 2 } }));
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn an_export_holds_all_pages_and_an_import_of_it_restores_them() {
    let files = [
        ("docs/_index.md", "---\ntitle: Docs\nweight: 3\nlayout: wide\n---\nBody\n"),
        ("docs/a.md", "---\ntitle: A\ndescription: Its own.\n---\nText."),
        ("docs/b.md", "---\ntitle: B\norder: -1\ndraft: true\n---\n"),
        ("2025-01-01-post.md", "---\ntitle: Post\n---\n"),
    ];
    let source = folder(&files);
    let [first, second] = sites().await;
    import(&first.content, source.path()).await.expect("an import");
    let page = first.query("{ page(path: \"docs/a\") { id } }").await["page"]["id"].clone();
    let mutation = "mutation($id: ID!) { updatePage(input: { id: $id, expectedVersion: 1, path: \"moved\" }) { userErrors { code } } }";
    first.mutate(mutation, json!({ "id": page }), Some(EDITOR_TOKEN)).await;
    let text = exported(&first).await;
    assert_eq!(text.matches("\"type\":\"page\"").count(), 3, "{text}");
    let copy = folder(&[("export.jsonl", &text)]);
    let report = import(&second.content, &copy.path().join("export.jsonl")).await.expect("an import");
    assert_eq!((report.failed.len(), report.pages.made), (0, 3), "{report:?}");
    assert_eq!(exported(&second).await, text);
    assert_eq!(
        second.query("{ page(path: \"docs/a\") { id path } }").await["page"],
        json!({ "id": page, "path": "moved" })
    );
    let again = import(&first.content, &copy.path().join("export.jsonl")).await.expect("an import");
    assert_eq!((again.pages.unchanged, again.failed.len()), (3, 0), "{again:?}");
    first.assert_sound().await;
    second.assert_sound().await;
}

#[tokio::test]
async fn a_hundred_pages_are_written_in_few_transactions_and_two_of_one_path_are_reported() {
    let names: Vec<String> = (0..100).map(|n| format!("docs/part-{}/p{n}.md", n % 7)).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "---\ntitle: P\n---\nText.")).collect();
    files.push(("content/docs/part-0/p0.md", "---\ntitle: Twice\n---\n"));
    let source = folder(&files);
    for site in sites().await {
        let report = import(&site.content, source.path()).await.expect("an import");
        assert_eq!((report.pages.made, report.failed.len()), (100 + 7 + 1, 1), "{:?}", report.failed);
        assert!(report.failed[0].reason.contains("has the path docs/part-0/p0"), "{:?}", report.failed);
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn of_two_pages_with_one_path_the_public_one_is_imported() {
    let draft = ("docs/README.md", "---\ntitle: Draft\nunlisted: true\n---\n");
    for (second, failed) in [("docs/_index.md", "docs/README.md"), ("docs/A.md", "docs/README.md")] {
        let public = "---\ntitle: Public\nurl: /docs/\n---\n";
        let source = folder(&[draft, (second, public)]);
        let [site, _] = sites().await;
        let report = import(&site.content, source.path()).await.expect("an import");
        assert_eq!((report.pages.made, report.failed.len()), (1, 1), "{report:?}");
        assert_eq!(report.failed[0].to_string(), format!("{failed}: has the path docs, as {second} has"));
        assert_eq!(site.query("{ page(path: \"docs\") { title } }").await["page"], json!({ "title": "Public" }));
    }
}

#[tokio::test]
async fn a_page_of_a_later_date_is_scheduled_and_the_same_import_after_that_date_changes_nothing() {
    let source = folder(&[("docs/a.md", "---\ntitle: A\n---\nText.")]);
    for site in sites().await {
        let [first, _] = sites().await;
        import(&first.content, source.path()).await.expect("an import");
        let mut lines: Vec<Value> =
            exported(&first).await.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let page = lines.iter_mut().find(|line| line["path"] == "docs/a").expect("the page");
        assert!(page["publishedAt"].is_string(), "{page}");
        page["publishedAt"] = json!("2027-01-01T00:00:00.000Z");
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let copy = folder(&[("export.jsonl", &text)]);
        let path = copy.path().join("export.jsonl");
        import(&site.content, &path).await.expect("an import");
        let query = "{ scheduledPages { nodes { path scheduledFor } } }";
        let scheduled = json!([{ "path": "docs/a", "scheduledFor": "2027-01-01T00:00:00.000Z" }]);
        assert_eq!(site.ask_as(Some(EDITOR_TOKEN), query).await["data"]["scheduledPages"]["nodes"], scheduled);
        let again = import(&site.content, &path).await.expect("an import");
        assert_eq!((again.pages.changed, again.failed.len()), (0, 0), "{again:?}");
        site.clock.set("2027-02-01T00:00:00Z".parse().expect("an instant"));
        let later = import(&site.content, &path).await.expect("an import");
        assert_eq!((later.pages.changed, later.failed.len()), (0, 0), "{later:?}");
        assert!(tree(&site).await.contains(&"docs/a | A | null | PUBLISHED".to_owned()));
        site.assert_sound().await;
    }
}
