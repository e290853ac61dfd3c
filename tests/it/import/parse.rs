//! Parses the real blogs and compares every body with another reading of its file. These tests use the import readers without a store.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tidings::import::{ImportSource, open, resolve_post_slugs, resolve_terms};
use tidings::model::TermKind;

use super::reading;
use crate::support::corpora::corpora;

fn source(name: &str) -> (PathBuf, ImportSource) {
    let path = corpora().join(name);
    let source = open(&path, None).expect("a corpus");
    (path, source)
}

/// The numbers of posts, pages, redirects, skipped files and failed files.
fn counts(source: &ImportSource) -> [usize; 5] {
    let (posts, pages) = (source.found.entries.len(), source.found.pages.len());
    [posts, pages, source.found.redirects.len(), source.found.skipped.len(), source.found.failed.len()]
}

/// The text after the second fence, found without the code of the importer.
fn body_of(path: &Path, fence: &str) -> Vec<u8> {
    let bytes = std::fs::read(path).expect("a file");
    let mut at = 0;
    let mut fences = 0;
    while fences < 2 {
        let length = bytes[at..].iter().position(|byte| *byte == b'\n').expect("a line") + 1;
        fences += usize::from(bytes[at..at + length].trim_ascii() == fence.as_bytes());
        at += length;
    }
    bytes[at..].to_vec()
}

fn assert_bodies_complete(root: &Path, source: &ImportSource, fence: &str) {
    for (index, entry) in source.found.entries.iter().enumerate() {
        let post = source.read(index).expect("a post");
        assert_body(&post.markdown, &body_of(&root.join(entry.origin.as_str()), fence), entry.origin.as_str());
        assert!(!post.title.is_empty(), "{}", entry.origin.as_str());
    }
    for page in &source.found.pages {
        let origin = page.origin.as_str();
        assert_body(&page.markdown, &body_of(&root.join(origin), fence), origin);
    }
}

/// Byte for byte, but for lines with templates, some of which become paths or fences.
fn assert_body(imported: &str, written: &[u8], origin: &str) {
    let written = std::str::from_utf8(written).expect("UTF-8");
    assert_eq!(imported.split('\n').count(), written.split('\n').count(), "{origin}");
    for (imported, written) in imported.split('\n').zip(written.split('\n')) {
        assert!(
            imported == written || ["{{", "{%", ":::"].iter().any(|mark| written.contains(mark)),
            "{origin}: {imported}"
        );
    }
}

fn names(source: &ImportSource, kind: TermKind) -> Vec<String> {
    source.terms(kind).iter().map(|term| term.name.clone()).collect()
}

fn paths(source: &ImportSource) -> Vec<String> {
    let mut paths: Vec<_> = source.found.pages.iter().map(|page| page.place.path.to_string()).collect();
    paths.sort();
    paths
}

fn skipped(source: &ImportSource) -> BTreeMap<&str, &str> {
    source.found.skipped.iter().map(|skipped| (skipped.origin.as_str(), skipped.reason.as_str())).collect()
}

#[test]
#[ignore = "reads the corpora beside the checkout; scripts/test runs it where they are"]
fn the_go_blog_is_parsed_completely() {
    let (root, source) = source("go-blog");
    assert_eq!(counts(&source), [274, 2, 60, 1, 0], "{:?}", &source.found.failed);
    assert_bodies_complete(&root, &source, "---");
    assert_eq!(skipped(&source)["_content/blog/README.md"], "no front matter");
    assert_eq!(paths(&source), ["content/blog", "content/blog/all"]);
    assert!(names(&source, TermKind::Author).contains(&"Russ Cox, for the Go team".to_owned()));
    let strings =
        source.found.entries.iter().position(|entry| entry.origin.as_str().ends_with("/strings.md")).expect("a post");
    assert!(source.read(strings).expect("a post").markdown.contains('\u{fffd}'), "U+FFFD of the file was lost");
}

#[test]
#[ignore = "reads the corpora beside the checkout; scripts/test runs it where they are"]
fn the_rust_blog_is_parsed_completely() {
    let (root, source) = source("rust-blog");
    assert_eq!(counts(&source), [750, 4, 0, 0, 0], "{:?}", &source.found.failed);
    assert_bodies_complete(&root, &source, "+++");
    let first = source.found.entries.iter().find(|entry| entry.slug.as_str() == "1.0-timeline").expect("a post");
    assert_eq!(first.published_at.map(|at| at.to_string()).as_deref(), Some("2014-12-12T00:00:00Z"));
}

#[test]
#[ignore = "reads the corpora beside the checkout; scripts/test runs it where they are"]
fn the_jekyll_blog_is_parsed_completely() {
    let (root, source) = source("jekyll-blog");
    assert_eq!(counts(&source), [102, 0, 0, 0, 0], "{:?}", &source.found.failed);
    assert_bodies_complete(&root, &source, "---");
    let published = |name: &str| {
        let entry = source.found.entries.iter().find(|entry| entry.origin.as_str().contains(name)).expect("a post");
        entry.published_at.expect("published").to_string()
    };
    assert_eq!(published("2014-01-13-"), "2014-01-14T01:43:32Z");
    assert_eq!(published("jekyll-3-9-3-released"), "2023-01-29T00:00:00Z");
    assert_eq!(published("jekyll-turns-2-0-0"), "2014-05-06T00:00:00Z");
    let authors = resolve_terms(source.terms(TermKind::Author), &[]).terms;
    assert_eq!(authors.iter().filter(|author| author.imported.name.eq_ignore_ascii_case("dirtyf")).count(), 1);
    assert!(authors.iter().any(|author| author.imported.name == "mattr-" && author.slug.as_str() == "mattr"));
}

#[test]
#[ignore = "reads the corpora beside the checkout; scripts/test runs it where they are"]
fn the_wordpress_export_is_parsed_completely() {
    let (path, source) = source("wordpress/themeunittestdata.wordpress.xml");
    assert_eq!(counts(&source), [51, 21, 0, 108, 0], "{:?}", &source.found.failed);
    let text = std::fs::read_to_string(path).expect("a file");
    let mut of_other_words = Vec::new();
    for (index, entry) in source.found.entries.iter().enumerate() {
        let post = source.read(index).expect("a post");
        assert!(!post.title.is_empty() && !post.title.contains('<'), "{}", post.title);
        let html = tidings::model::markdown::html_of(&post.markdown);
        let (shown, stored) = (reading::words(&html), reading::words(&wordpress_body(&text, entry.origin.as_str())));
        if shown != stored {
            of_other_words.push(entry.origin.as_str());
        }
    }
    assert_eq!(of_other_words, reading::OTHER_WORDS);
    let drafts: Vec<_> = source.found.entries.iter().filter(|entry| entry.published_at.is_none()).collect();
    let slugs: Vec<_> = drafts.iter().map(|entry| entry.slug.as_str()).collect();
    assert_eq!(slugs, ["draft", "template-password-protected"]);
    assert_eq!(source.found.notes.len(), 3, "{:?}", &source.found.notes);
    assert_eq!(names(&source, TermKind::Author), ["Theme Buster", "Theme Reviewer"]);
    // The export defines 110 tags, and posts name two more.
    assert_eq!((names(&source, TermKind::Category).len(), names(&source, TermKind::Tag).len()), (67, 112));
}

/// The content of the item with this number: always one CDATA section, in one post with white space before it.
fn wordpress_body(text: &str, origin: &str) -> String {
    let number = origin.rsplit('=').next().expect("a number");
    let mark = format!("<wp:post_id>{number}</wp:post_id>");
    let item = text.split("<item>").find(|item| item.contains(&mark)).expect("an item");
    let content = item.split_once("<content:encoded>").expect("content").1;
    let content = content.split_once("</content:encoded>").expect("an end").0;
    content.replacen("<![CDATA[", "", 1).replacen("]]>", "", 1)
}

#[test]
#[ignore = "reads the corpora beside the checkout; scripts/test runs it where they are"]
fn every_post_of_every_corpus_has_a_unique_slug() {
    for name in ["go-blog", "rust-blog", "jekyll-blog", "wordpress/themeunittestdata.wordpress.xml"] {
        let (_, source) = source(name);
        let none = |_: &_| Ok::<_, std::convert::Infallible>(None);
        let Ok(resolved) = resolve_post_slugs(&source.found.entries, &source.found.redirects, none);
        let entries = &source.found.entries;
        let posts: Vec<_> = (0..entries.len()).map(|index| resolved.posts.get(entries, index)).collect();
        let mut slugs: Vec<_> = posts.iter().map(|post| post.slug.as_str()).collect();
        slugs.extend(posts.iter().flat_map(|post| post.aliases.iter().map(|alias| alias.as_str())));
        let all = slugs.len();
        slugs.sort_unstable();
        slugs.dedup();
        assert_eq!(slugs.len(), all, "{name}");
    }
}
