//! What generators mean by a body, by the names of files and folders, and by an address in any script. The rule: readers get what the generator showed, under the
//! address that it had.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::ingest::ImportReport;
use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;

use crate::support::folder::{folder, import, write};
use crate::support::site::Site;

async fn imported(files: &[(&str, &str)]) -> (Site, ImportReport) {
    let file: Store = Arc::new(EmbeddedStore::in_memory().expect("a store in memory"));
    let site = Site::over(file).await;
    let source = folder(files);
    let report = import(&site.content, source.path()).await.expect("an import");
    assert!(report.failed.is_empty(), "{:?}", report.failed);
    let again = import(&site.content, source.path()).await.expect("the import, again");
    assert_eq!((again.made, again.changed, again.pages.made, again.pages.changed), (0, 0, 0, 0), "{again:?}");
    (site, report)
}

fn notes(report: &ImportReport) -> Vec<String> {
    report.notes.iter().map(|note| format!("{}: {}", note.origin, note.text)).collect()
}

#[tokio::test]
async fn an_argument_finds_what_its_text_became_on_writing() {
    let post = "---\ntitle: Привет\ndate: 2020-01-02\nslug: привет-мир\naliases: [/старый/путь/, /2019/Old-Post.html]\ntags: [Речной порт, Cafe\u{301}, Caf\u{e9}]\ncategories: [Ça va]\nauthor: Łukasz\nseries: Über uns\n---\nA.\n";
    let (site, _) = imported(&[
        ("a.md", post),
        ("東京.md", "---\ntitle: B\ndate: 2020-01-03\n---\nB.\n"),
        ("docs/Руководство/Начало.md", "---\ntitle: C\n---\nC.\n"),
    ])
    .await;
    for (field, is_found) in [
        ("post(slug: \"привет-мир\")", true),
        ("post(slug: \"%D0%BF%D1%80%D0%B8%D0%B2%D0%B5%D1%82-%D0%BC%D0%B8%D1%80\")", true),
        ("post(slug: \"путь\")", true),
        ("post(slug: \"Old-Post\")", true),
        ("post(slug: \"東京\")", true),
        ("page(path: \"/docs/Руководство/Начало/\")", true),
        ("page(path: \"docs/%D0%A0%D1%83%D0%BA%D0%BE%D0%B2%D0%BE%D0%B4%D1%81%D1%82%D0%B2%D0%BE\")", true),
        ("tag(slug: \"Речной порт\")", true),
        ("tag(slug: \"cafe\u{301}\")", true),
        ("category(slug: \"Ça va\")", true),
        ("author(slug: \"Łukasz\")", true),
        ("series(slug: \"Über-uns\")", true),
        ("post(slug: \"другой\")", false),
        ("post(slug: \"!?\")", false),
        ("page(path: \"/\")", false),
    ] {
        let found = site.query(&format!("{{ found: {field} {{ id }} }}")).await;
        assert_eq!(found["found"].is_object(), is_found, "{field}: {found}");
    }
    let filtered = site
        .query(
            "{ tags { nodes { name } } any: posts(filter: { tags: { any: [\"Речной порт\"] } }) { totalCount } \
             pages(parentPath: \"docs/Руководство\") { nodes { title } } }",
        )
        .await;
    assert_eq!(filtered["tags"]["nodes"].as_array().map(Vec::len), Some(2), "{filtered}");
    assert_eq!((&filtered["any"]["totalCount"], &filtered["pages"]["nodes"][0]["title"]), (&json!(1), &json!("C")));
}

#[tokio::test]
async fn a_documentation_of_docusaurus_is_read_by_its_rules() {
    let tabs = "import Tabs from '@theme/Tabs';\nimport TabItem from '@theme/TabItem';\n\nText *before*.\n\n:::note[Be careful]\n\nInside *note*.\n\n:::\n\n\
                <Tabs>\n<TabItem value=\"a\">\n\n```js\na\n```\n\n</TabItem>\n</Tabs>\n";
    let files = [
        ("docs/index.md".to_owned(), "---\n---\n# Home\nSee [i](/docs/basics/intro)\n".to_owned()),
        (
            "docs/01-basics/01-intro.md".to_owned(),
            format!("---\ntitle: Intro\n---\n{tabs}\nSee [b](./02-install.md).\n"),
        ),
        ("docs/01-basics/02-install.md".to_owned(), "---\ntitle: Install\nid: setup\n---\nA.\n".to_owned()),
        ("docs/02-more/03-more.md".to_owned(), "---\ntitle: More\nslug: /all\n---\nA.\n".to_owned()),
        (
            "docs/02-more/10-last.md".to_owned(),
            "---\ntitle: Last\nsidebar_position: 1\nformat: md\n---\n{/* a */}\n".to_owned(),
        ),
    ];
    for has_config in [false, true] {
        let mut files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        if has_config {
            files.push(("docusaurus.config.ts", "export default {};\n"));
        }
        let (site, report) = imported(&files).await;
        let found = site
            .query(
                "{ pages(parentPath: \"docs\") { nodes { path title order } } basics: pages(parentPath: \"docs/basics\") { nodes { path order } } \
                 intro: page(path: \"docs/basics/intro\") { excerpt body { html } } last: page(path: \"docs/more/last\") { order body { markdown } } }",
            )
            .await;
        let expected = json!([
            { "path": "docs/basics", "title": "Basics", "order": 1 }, { "path": "docs/more", "title": "More", "order": 2 },
            { "path": "docs/all", "title": "More", "order": 2 },
        ]);
        let all: Vec<Value> = found["pages"]["nodes"].as_array().expect("nodes").clone();
        for page in expected.as_array().expect("pages").iter().filter(|page| page["path"] != "docs/more") {
            assert!(all.contains(page), "{page}: {all:?}");
        }
        let basics = json!([{ "path": "docs/basics/intro", "order": 1 }, { "path": "docs/basics/setup", "order": 2 }]);
        assert_eq!(found["basics"]["nodes"], basics);
        assert_eq!(found["last"], json!({ "order": 1, "body": { "markdown": "{/* a */}\n" } }));
        assert_eq!(found["intro"]["excerpt"], "Text before.");
        let html = found["intro"]["body"]["html"].as_str().expect("HTML");
        for part in [
            "<div class=\"markdown-alert markdown-alert-note\">",
            ">Be careful</p>",
            "<p>Inside <em>note</em>.</p>",
            "<a href=\"/docs/basics/setup\">b</a>",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(!html.contains("import") && !html.contains(":::"), "{html}");
        let note = "is a file of Docusaurus, so the folder is read as a site of it: .md as MDX, numbers before names as positions";
        assert_eq!(notes(&report).iter().any(|found| found.ends_with(note)), !has_config, "{:?}", notes(&report));
        assert_eq!(report.broken_links.len(), 0, "{:?}", report.broken_links);
    }
}

#[tokio::test]
async fn numbers_and_colons_of_other_generators_stay() {
    let (site, _) = imported(&[
        ("mkdocs.yml", "site_name: A\n"),
        ("docs/01-intro.md", "---\ntitle: A\nid: x\n---\n:::python\nA.\n:::\n"),
        ("docs/02-note.md", "---\ntitle: B\n---\n:::tip\nB.\n:::\n"),
    ])
    .await;
    let found = site
        .query(
            "{ a: page(path: \"docs/01-intro\") { body { text } } b: page(path: \"docs/02-note\") { body { html } } }",
        )
        .await;
    assert_eq!(found["a"]["body"]["text"], ":::python A. :::");
    assert!(found["b"]["body"]["html"].as_str().is_some_and(|html| html.contains("markdown-alert-tip")), "{found}");
}

#[tokio::test]
async fn translations_of_docusaurus_have_the_language_of_their_folder() {
    let (site, _) = imported(&[
        ("docusaurus.config.js", ""),
        ("docs/01-a.md", "---\ntitle: A\n---\nA.\n"),
        ("versioned_docs/version-1.0/01-a.md", "---\ntitle: A of 1.0\n---\nA.\n"),
        ("i18n/fr/docusaurus-plugin-content-docs/current/01-a.md", "---\ntitle: A en français\n---\nA.\n"),
        ("blog/2020-01-02-b.md", "---\ntitle: B\n---\nB.\n"),
        ("i18n/fr/docusaurus-plugin-content-blog/2020-01-02-b.md", "---\ntitle: B en français\n---\nB.\n"),
    ])
    .await;
    let found = site
        .query(
            "{ a: page(path: \"docs/a\") { title language } old: page(path: \"docs/1.0/a\") { title } fr: page(path: \"fr/docs/a\") { title language } \
             b: post(slug: \"b\") { language } c: post(slug: \"b-fr\") { language } }",
        )
        .await;
    let expected = json!({
        "a": { "title": "A", "language": null }, "old": { "title": "A of 1.0" }, "fr": { "title": "A en français", "language": "fr" },
        "b": { "language": null }, "c": { "language": "fr" },
    });
    assert_eq!(found, expected);
}

#[tokio::test]
async fn the_language_of_a_folder_or_of_a_file_is_in_the_slug_and_no_number() {
    let post = |language: &str| format!("---\ntitle: {language}\ndate: 2020-01-01\n---\n{language}\n");
    let (de, en) = (post("D"), post("E"));
    let of_file = |language: &str| format!("---\ntitle: A\nlang: {language}\n---\nA.\n");
    let (ja, ko, english) = (of_file("ja"), of_file("ko"), of_file("en"));
    let files = [
        ("content/de/post/hello.md", de.as_str()),
        ("content/en/post/hello.md", en.as_str()),
        ("content/en/post/only.md", en.as_str()),
        ("content/de/about.md", "---\ntitle: Über uns\n---\n"),
        ("ja/news/_posts/2020-01-02-release.md", ja.as_str()),
        ("ko/news/_posts/2020-01-02-release.md", ko.as_str()),
        ("en/news/_posts/2020-01-02-release.md", english.as_str()),
        ("en/news/_posts/2021-01-02-release.md", english.as_str()),
    ];
    let (site, report) = imported(&files).await;
    let found =
        site.query("{ posts(first: 9) { nodes { slug language } } page(path: \"de/about\") { language } }").await;
    let mut posts: Vec<String> = found["posts"]["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .map(|post| format!("{} {}", post["slug"].as_str().expect("a slug"), post["language"].as_str().unwrap_or("-")))
        .collect();
    posts.sort();
    let expected =
        ["hello en", "hello-de de", "only en", "release en", "release-en en", "release-ja ja", "release-ko ko"];
    assert_eq!(posts, expected);
    assert_eq!(found["page"]["language"], "de");
    assert_eq!(notes(&report).iter().filter(|note| note.contains("its slug is")).count(), 0, "{:?}", notes(&report));

    // A translation that is written later is linked with the post that exists, and does not change its address.
    let source = folder(&files);
    write(source.path(), "content/fr/post/only.md", "---\ntitle: F\ndate: 2019-01-01\n---\nF\n");
    let later = import(&site.content, source.path()).await.expect("an import");
    assert_eq!((later.made, later.changed), (1, 1), "{later:?}");
    let found = site.query("{ a: post(slug: \"only\") { language } b: post(slug: \"only-fr\") { language } }").await;
    assert_eq!(found, json!({ "a": { "language": "en" }, "b": { "language": "fr" } }));
}

#[tokio::test]
async fn what_other_programs_show_in_a_body_is_shown() {
    let body = "The sum $\\sum_{j} w_{ij} x_j$ costs $5 *or* US$.\n\n$$\na &= b * c \\\\\n$$\n\n{% highlight ruby linenos %}\n*a* {{ b }}\n{% endhighlight %}\n\n\
                ```rust,linenos\na\n```\n\n<iframe src=\"https://www.youtube.com/embed/abc\"></iframe>\n\n{{< vimeo 12 >}}\n";
    let (site, report) = imported(&[("a.md", &format!("---\ntitle: A\ndate: 2020-01-01\n---\n{body}"))]).await;
    let found = site.query("{ post(slug: \"a\") { excerpt body { html text } } }").await["post"].clone();
    assert_eq!(found["excerpt"], "The sum $\\sum_{j} w_{ij} x_j$ costs $5 or US$.");
    let html = found["body"]["html"].as_str().expect("HTML");
    for part in [
        "$\\sum_{j} w_{ij} x_j$ costs $5 <em>or</em> US$.",
        "<p>$$\na &amp;= b * c \\\\\n$$</p>",
        "<pre><code class=\"language-ruby\">*a* {{ b }}\n</code></pre>",
        "<pre><code class=\"language-rust\">a\n</code></pre>",
        "<a href=\"https://www.youtube.com/watch?v=abc\">youtube.com/watch?v=abc</a>",
        "<a href=\"https://vimeo.com/12\">https://vimeo.com/12</a>",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert_eq!(notes(&report), Vec::<String>::new());
}
