//! Imports of files that are nothing of the kind. The rule held here: whatever the bytes, an import ends with a report, never a panic.

use std::path::Path;

use proptest::prelude::*;
use tidings::import::{Format, OpenError, open, resolve_post_slugs, resolve_terms};

/// Pieces that the parsers look for, to get further in than noise would.
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

/// All that an import does before it stores anything.
fn import(path: &Path, format: Format) {
    let source = match open(path, Some(format)) {
        Ok(source) => source,
        // Nothing in it reads as that.
        Err(OpenError::Other { .. }) => return,
        Err(error) => panic!("{error}"),
    };
    for index in 0..source.entries().len() {
        let post = source.read(index).expect("what was read once is read again");
        assert_eq!(post.published_at.is_none(), post.is_draft);
        assert!(!post.title.is_empty());
    }
    let none = |_: &_| Ok::<_, std::convert::Infallible>(None);
    let Ok(resolved) = resolve_post_slugs(source.entries(), source.redirects(), none);
    assert_eq!(resolved.posts.len(), source.entries().len());
    for kind in [tidings::model::TermKind::Author, tidings::model::TermKind::Tag] {
        resolve_terms(source.terms(kind), &[]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_as_markdown(content in bytes(), fence in prop::sample::select(&["", "---\n", "+++\n"][..])) {
        let folder = tempfile::tempdir().expect("a folder");
        let content = [fence.as_bytes(), &content, b"\n", fence.as_bytes()].concat();
        std::fs::write(folder.path().join("2020-01-01-a.md"), content).expect("a file");
        import(folder.path(), Format::Markdown);
    }

    #[test]
    fn any_bytes_as_an_export(content in bytes(), is_rss in any::<bool>()) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("export");
        std::fs::write(&path, content).expect("a file");
        import(&path, if is_rss { Format::Wxr } else { Format::JsonLines });
    }
}
