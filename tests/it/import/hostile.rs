//! Imports of hostile files. The rule: whatever the bytes are, an import ends with a report, never with a panic.

use std::path::Path;

use proptest::prelude::*;
use tidings::import::{Format, OpenError, open, resolve_post_slugs, resolve_terms};

/// Texts that the parsers look for, so that the input gets further than random bytes would.
const PIECES: &[&str] = &[
    "---\n",
    "+++\n",
    "---\r\n",
    "\u{feff}",
    "title: ",
    "title = ",
    "date: ",
    "date = ",
    "2020-01-01",
    "2020-01-01 10:00:00 -0800",
    "tags: ",
    "[a, b]",
    "&x ",
    "*x",
    "- ",
    "? ",
    ": ",
    "| ",
    "> ",
    "!!str ",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "#",
    "\n",
    "\r\n",
    "  ",
    "[taxonomies]\n",
    "redirect: ",
    "a",
    "é",
    "\0",
    "<rss>",
    "</rss>",
    "<channel>",
    "<item>",
    "</item>",
    "<wp:post_type>post</wp:post_type>",
    "<wp:post_id>1</wp:post_id>",
    "<wp:status>publish</wp:status>",
    "<wp:status>draft</wp:status>",
    "<pubDate>Tue, 27 Jan 2015 14:56:57 +0000</pubDate>",
    "<title>",
    "</title>",
    "<content:encoded>",
    "</content:encoded>",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "&amp;",
    "&#x0;",
    "&#99999999;",
    "&b;",
    "<!DOCTYPE a [",
    "]>",
    "<?xml",
    "?>",
    "<category domain=\"post_tag\" nicename=\"%ff\">",
    "</category>",
    "<wp:author>",
    "</wp:author>",
    "{\"tidings\":1}\n",
    "{\"type\":\"tag\",",
    "\"slug\":\"a\",",
    "\"name\":\"b\"}",
    "{\"type\":\"post\",",
    "null",
    "\\u0000",
    "1e999",
    ",",
];

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        10 => prop::sample::select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Fields of Ghost's tables, and below, values for them.
const GHOST_FIELDS: &[&str] = &[
    "id",
    "uuid",
    "slug",
    "title",
    "name",
    "status",
    "type",
    "visibility",
    "published_at",
    "created_at",
    "updated_at",
    "html",
    "lexical",
    "mobiledoc",
    "markdown",
    "feature_image",
    "post_id",
    "tag_id",
    "author_id",
    "sort_order",
    "custom_excerpt",
    "description",
    "website",
];
const GHOST_VALUES: &[&str] = &[
    "1",
    "\"1\"",
    "\"post\"",
    "\"published\"",
    "\"draft\"",
    "\"sent\"",
    "\"public\"",
    "\"#x\"",
    "null",
    "true",
    "1e400",
    "-0",
    "[]",
    "{}",
    "[[{\"a\":[]}]]",
    "\"2020-01-01T00:00:00.000Z\"",
    "1388805572000",
    "9e18",
    "\"\"",
    "\" \"",
    "\"é\\u0000\"",
    "\"\\ud800\"",
    "\"<pre>\\n\\n\"",
    "\"<p>a</p>\"",
    "\"__GHOST_URL__\"",
    "\"{\\\"root\\\":{\\\"children\\\":[{\\\"type\\\":\\\"list\\\"},{},7]}}\"",
    "\"{\\\"sections\\\":[[10,0],[3,0,[[[1,[0],9,0]]]]]}\"",
    "\"[\"",
    "x",
];

/// Tables with rows that combine these fields and values at random.
fn ghost_tables() -> impl Strategy<Value = String> {
    let field = (prop::sample::select(GHOST_FIELDS), prop::sample::select(GHOST_VALUES));
    let row = prop::collection::vec(field, 0..14).prop_map(|fields| {
        let fields: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{\"id\":1,\"status\":\"draft\",{}}}", fields.join(",")).replace(",}", "}")
    });
    let names =
        prop::sample::select(&["posts", "posts", "tags", "users", "posts_tags", "posts_authors", "posts_meta"][..]);
    let table =
        (names, prop::collection::vec(row, 0..5)).prop_map(|(name, rows)| format!("\"{name}\":[{}]", rows.join(",")));
    prop::collection::vec(table, 0..6).prop_map(|tables| tables.join(","))
}

/// Parts of a table and of a body of Substack, and of a story of Medium.
const HTML_PIECES: &[&str] = &[
    "<p>",
    "</p>",
    "a",
    "<div class=\"subscription-widget-wrap\">",
    "<div class=\"captioned-image-container\">",
    "<div class=\"youtube-wrap\" data-attrs=\"{&quot;videoId&quot;:&quot;x&quot;}\">",
    "<div class=\"tweet\" data-attrs=\"{\">",
    "<p class=\"button-wrapper\">",
    "<a class=\"footnote-anchor\" id=\"footnote-anchor-1\" href=\"#footnote-1\">1</a>",
    "<div class=\"footnote\" id=\"footnote-1\"><a class=\"footnote-number\" href=\"#x\">1</a>",
    "<div class=\"footnote-content\">",
    "</div>",
    "<img src=\"https://substackcdn.com/image/fetch/x/https%3A%2F%2Fa\" data-is-featured>",
    "<iframe src=\"//x\">",
    "<script>",
    "<article class=\"h-entry\">",
    "</article>",
    "<h1 class=\"p-name\">",
    "<section class=\"e-content\">",
    "<section class=\"p-summary\">",
    "</section>",
    "<h3 class=\"graf--title\">",
    "<div class=\"section-divider\"><hr></div>",
    "<pre data-code-block-lang=\"rust\"><span>",
    "<time class=\"dt-published\" datetime=\"2020-01-01\">",
    "<a class=\"p-canonical\" href=\"https://medium.com/@a/b-0123456789ab\">",
    "<a class=\"p-author\" href=\"/@\">",
    "&#0;",
    "\"",
    "<",
    "é",
    "\n\n",
];
const CELLS: &[&str] = &[
    "post_id",
    "1.a",
    "2.",
    "x",
    "title",
    "post_date",
    "2020-01-01",
    "is_published",
    "true",
    "type",
    "page",
    "audience",
    "everyone",
    "podcast_url",
    "https://a.example/b",
    ",",
    ",",
    ",",
    "\n",
    "\n",
    "\"",
    "\"\"",
    "\r\n",
    " ",
];

/// Parts of a page of Notion.
const NOTION_PIECES: &[&str] = &[
    "# ",
    "A",
    "é",
    "\n",
    "\n\n",
    "Date: ",
    "January 2, 2024",
    "2024-01-02",
    " → ",
    "5:06 PM",
    " (GMT+1)",
    "Status: ",
    "Published",
    "Draft",
    "Tags: ",
    ", ",
    "Author: ",
    "Cover: a.png",
    "Created time: ",
    "Other: ",
    ": ",
    "(",
    ")",
    "[a](",
    "![](",
    "<",
    ">",
    "../",
    "B%200123456789abcdef0123456789abcdef.md",
    "https://www.notion.so/A-0123456789abcdef0123456789abcdef",
    "a.csv",
    "a.png",
    "`",
    "\\",
    "\u{fdd0}",
    "<aside>",
];

/// The start of an export of Contentful, and below, values for the fields of its entries.
const CONTENTFUL_TYPES: &str = r#""contentTypes":[{"sys":{"id":"post"},"displayField":"title","fields":[{"id":"title","type":"Symbol"},{"id":"slug","type":"Symbol"},
    {"id":"body","type":"RichText"},{"id":"date","type":"Date"},{"id":"image","type":"Link","linkType":"Asset"},{"id":"featured","type":"Boolean"},
    {"id":"tags","type":"Array","items":{"type":"Link","linkType":"Entry"}},{"id":"excerpt","type":"Text"},{"id":"more","type":"Object"}]},
    {"sys":{"id":"page"},"fields":[{"id":"title","type":"Symbol"},{"id":"slug","type":"Symbol"},{"id":"body","type":"Text"}]},
    {"sys":{"id":"tag"},"fields":[{"id":"name","type":"Symbol"},{"id":"slug","type":"Symbol"}]}],
    "locales":[{"code":"en","default":true},{"code":"de"}],"tags":[{"name":"T","sys":{"id":"t"}},7],
    "assets":[{"sys":{"id":"i"},"fields":{"file":{"en":{"url":"//images.ctfassets.net/a.png","contentType":"image/png"}}}},{}]"#;
const CONTENTFUL_VALUES: &[&str] = &[
    "null",
    "7",
    "true",
    "\"\"",
    "\"a\"",
    "\"/é/b\"",
    "\"2020-01-01T00:00+02:00\"",
    "[]",
    "{}",
    "{\"sys\":{\"id\":\"1\"}}",
    "{\"sys\":{\"id\":\"i\"}}",
    "[{\"sys\":{\"id\":\"1\"}},{\"sys\":{\"id\":\"x\"}},1]",
    "{\"content\":[{\"nodeType\":\"paragraph\",\"content\":[{\"nodeType\":\"text\",\"value\":\"a*\\n# b|\",\"marks\":[{\"type\":\"bold\"}]}]},{\"nodeType\":\"hr\"},7]}",
    "{\"content\":[{\"nodeType\":\"entry-hyperlink\",\"data\":{\"target\":{\"sys\":{\"id\":\"1\"}}},\"content\":[{\"nodeType\":\"text\",\"value\":\"a\"}]}]}",
    "{\"content\":[{\"nodeType\":\"table\",\"content\":[{\"content\":[{\"content\":[{\"nodeType\":\"embedded-asset-block\",\"data\":{\"target\":{\"sys\":{\"id\":\"i\"}}}}]}]},{}]}]}",
    "{\"content\":[{\"nodeType\":\"unordered-list\",\"content\":[{\"content\":[{\"nodeType\":\"ordered-list\",\"content\":[{}]}]}]},{\"nodeType\":\"blockquote\"}]}",
    "x",
];

/// Entries of some types and states whose fields have these values.
fn contentful_entries() -> impl Strategy<Value = String> {
    let names = &["title", "slug", "body", "date", "image", "featured", "tags", "excerpt", "more", "name"][..];
    let value = || prop::sample::select(CONTENTFUL_VALUES);
    let field = (prop::sample::select(names), value(), value())
        .prop_map(|(name, en, de)| format!("\"{name}\":{{\"en\":{en},\"de\":{de}}}"));
    let fields = prop::collection::vec(field, 0..8).prop_map(|fields| fields.join(","));
    let id = prop::sample::select(&["1", "2", "3"][..]);
    let kind = prop::sample::select(&["post", "post", "page", "tag", "gone"][..]);
    let states = &[
        "\"version\":1",
        "\"publishedVersion\":3,\"version\":9,\"createdAt\":\"2020-01-01\"",
        "\"publishedAt\":\"2020-01-01\",\"fieldStatus\":{\"*\":{\"de\":\"draft\"}}",
        "\"archivedVersion\":2",
        "\"revision\":1",
    ][..];
    let entry = (id, kind, prop::sample::select(states), fields).prop_map(|(id, kind, state, fields)| {
        let system = format!("\"id\":\"{id}\",\"contentType\":{{\"sys\":{{\"id\":\"{kind}\"}}}},{state}");
        format!(
            "{{\"sys\":{{{system}}},\"metadata\":{{\"tags\":[{{\"sys\":{{\"id\":\"t\"}}}}]}},\"fields\":{{{fields}}}}}"
        )
    });
    prop::collection::vec(entry, 0..5).prop_map(|entries| entries.join(","))
}

fn pieces_of(pieces: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(pieces), 0..most).prop_map(|pieces| pieces.concat())
}

/// The steps of an import before it writes to the store.
fn import(path: &Path, format: Format) {
    let source = match open(path, Some(format)) {
        Ok(source) => source,
        // The file is not of this format.
        Err(OpenError::Other { .. }) => return,
        Err(error) => panic!("{error}"),
    };
    for index in 0..source.found.entries.len() {
        let post = source.read(index).expect("the second read of a valid post succeeds");
        assert_eq!(post.published_at.is_none(), post.is_draft);
        assert!(!post.title.is_empty());
    }
    let none = |_: &_| Ok::<_, std::convert::Infallible>(None);
    let Ok(resolved) = resolve_post_slugs(&source.found.entries, &source.found.redirects, none);
    assert_eq!(resolved.posts.len(), source.found.entries.len());
    for kind in [tidings::model::TermKind::Author, tidings::model::TermKind::Tag] {
        resolve_terms(source.terms(kind), &[]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_as_markdown_end_with_a_report(content in bytes(), fence in prop::sample::select(&["", "---\n", "+++\n"][..])) {
        let folder = tempfile::tempdir().expect("a folder");
        let content = [fence.as_bytes(), &content, b"\n", fence.as_bytes()].concat();
        std::fs::write(folder.path().join("2020-01-01-a.md"), content).expect("a file");
        import(folder.path(), Format::Markdown);
    }

    #[test]
    fn any_rows_as_a_ghost_export_end_with_a_report(tables in ghost_tables(), cut in 0..40_usize) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("export");
        let whole = format!("{{\"db\":[{{\"meta\":{{}},\"data\":{{{tables}}}}}]}}");
        // A quarter of the files is truncated.
        let length = if cut < 30 { whole.len() } else { whole.floor_char_boundary(whole.len() * cut / 40) };
        std::fs::write(&path, &whole[..length]).expect("a file");
        import(&path, Format::Ghost);
    }

    #[test]
    fn any_table_and_body_as_a_substack_export_end_with_a_report(cells in pieces_of(CELLS, 40), body in pieces_of(HTML_PIECES, 30)) {
        let folder = tempfile::tempdir().expect("a folder");
        let table = format!("post_id,post_date,is_published,type,audience\n1.a,2020-01-01,true,newsletter,everyone\n{cells}");
        std::fs::create_dir(folder.path().join("posts")).expect("a folder");
        std::fs::write(folder.path().join("posts.csv"), table).expect("a file");
        std::fs::write(folder.path().join("posts/1.a.html"), body).expect("a file");
        import(folder.path(), Format::Substack);
    }

    #[test]
    fn any_html_as_a_medium_export_ends_with_a_report(body in pieces_of(HTML_PIECES, 60), draft in any::<bool>()) {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("posts")).expect("a folder");
        let name = if draft { "posts/draft_a-0123456789ab.html" } else { "posts/2020-01-01_a-0123456789ab.html" };
        std::fs::write(folder.path().join(name), body).expect("a file");
        import(folder.path(), Format::Medium);
    }

    #[test]
    fn any_page_and_table_of_a_notion_export_end_with_a_report(cells in pieces_of(CELLS, 20), page in pieces_of(NOTION_PIECES, 40)) {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("Blog")).expect("a folder");
        let table = format!("Name,Date,Status,Tags,Author,Cover\n{cells}");
        std::fs::write(folder.path().join("Blog 00112233445566778899aabbccddeeff.csv"), table).expect("a file");
        for folder in [folder.path().to_owned(), folder.path().join("Blog")] {
            std::fs::write(folder.join("A 0123456789abcdef0123456789abcdef.md"), &page).expect("a file");
            std::fs::write(folder.join("A 0123456789abcdef0123456789abcde0.md"), format!("# A\n\n{page}")).expect("a file");
        }
        import(folder.path(), Format::Notion);
    }

    #[test]
    fn any_entries_of_a_contentful_export_end_with_a_report(entries in contentful_entries(), cut in 0..40_usize) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("export");
        let whole = format!("{{{CONTENTFUL_TYPES},\"entries\":[{entries}]}}");
        // A quarter of the files is truncated.
        let length = if cut < 30 { whole.len() } else { whole.floor_char_boundary(whole.len() * cut / 40) };
        std::fs::write(&path, &whole[..length]).expect("a file");
        import(&path, Format::Contentful);
    }

    #[test]
    fn any_bytes_as_an_export_end_with_a_report(content in bytes(), format in prop::sample::select(&[Format::Wxr, Format::JsonLines, Format::Ghost, Format::Contentful][..])) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("export");
        std::fs::write(&path, content).expect("a file");
        import(&path, format);
    }
}
