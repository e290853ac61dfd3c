//! The fuzz targets: every decoder that gets bytes from clients, authors or files. The rule: for any bytes, a decoder returns, soon and
//! without a panic, and its result satisfies the invariants of its module.
//!
//! Each function is a separate target of libFuzzer (`scripts/fuzz`); `tests/it/fuzzed.rs` includes this file and runs each for seconds.

use std::collections::HashSet;
use std::fmt::{Debug, Display};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use async_graphql::Request;
use tidings::graphql::guard::{Limits, admit};
use tidings::graphql::site_fields::parse as parse_site_fields;
use tidings::import::{Format, ReadOutcome, open, read_markdown_file};
use tidings::keys::cursor::{self, ListTag};
use tidings::model::{ChangeId, Slug, TermKind, TokenId, html, html_text, render};
use tidings::store::embedded::decode_row;
use tidings::testing::rows;

/// A target: its name, its function, and its seed inputs.
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
    pub seeds: &'static [&'static [u8]],
}

/// Seeds are files, so that libFuzzer can use them too.
macro_rules! target {
    ($run:ident, $($seed:literal),+) => {
        Target {
            name: stringify!($run),
            run: $run,
            seeds: &[$(include_bytes!(concat!("../seeds/", stringify!($run), "/", $seed))),+],
        }
    };
}

pub static TARGETS: [Target; 12] = [
    target!(document, "1", "2", "3"),
    target!(cursor, "1", "2"),
    target!(front_matter, "1", "2", "3"),
    target!(mdx, "1", "2", "3"),
    target!(wxr, "1", "2", "3", "4"),
    target!(substack, "1", "2"),
    target!(medium, "1", "2"),
    target!(notion, "1", "2"),
    target!(contentful, "1", "2", "3"),
    target!(rows, "1", "2", "3"),
    target!(markdown, "1", "2", "3", "4", "5"),
    target!(site_fields, "1", "2"),
];

/// The guard's scan of a GraphQL document, the parser after it, and the counts that are checked before it runs.
pub fn document(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = admit(Request::new(text), &Limits::default());
    }
}

/// A file of declared fields. What is read has a field.
pub fn site_fields(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(fields) = parse_site_fields(text, &HashSet::from(["Post".to_owned()])) {
        assert!(!fields.is_empty());
    }
}

/// Cursors of every kind of list. Encoding a decoded cursor and decoding it again gives the same result.
pub fn cursor(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let list = ListTag::of("fuzzed");
    // A fuzzer cannot guess the hash of the list, so the input is also used as the position alone.
    for text in [text.to_owned(), cursor::encode(list, text)] {
        if let Ok(key) = cursor::decode_post(list, &text) {
            assert_eq!(cursor::decode_post(list, &cursor::encode_post(list, &key)), Ok(key));
        }
        again::<Slug>(list, &text);
        again::<TokenId>(list, &text);
        again::<i32>(list, &text);
        again::<ChangeId>(list, &text);
    }
}

fn again<T: FromStr + Display + PartialEq + Debug>(list: ListTag, text: &str) {
    if let Ok(found) = cursor::decode::<T>(list, text) {
        assert_eq!(cursor::decode(list, &cursor::encode(list, &found.to_string())), Ok(found));
    }
}

/// A Markdown file with front matter in YAML or TOML. The body is the end of the file, byte for byte.
pub fn front_matter(data: &[u8]) {
    if let ReadOutcome::Post(post, _) = read_markdown_file("2025/01/02/fuzzed.md", data.to_vec()) {
        assert!(data.ends_with(post.markdown.as_bytes()));
    }
}

/// A file of MDX, which is converted to Markdown.
pub fn mdx(data: &[u8]) {
    let _ = read_markdown_file("2025/01/02/fuzzed.mdx", data.to_vec());
}

/// A WordPress export: it is scanned, then each post is read again.
pub fn wxr(data: &[u8]) {
    in_a_file(data, |path| read_all(path, Format::Wxr));
}

fn read_all(path: &Path, format: Format) {
    let Ok(source) = open(path, Some(format)) else { return };
    for index in 0..source.found.entries.len() {
        let read = source.read(index).expect("the file has not changed");
        assert_eq!(read.origin, source.found.entries[index].origin.as_str());
    }
}

/// An export of Substack. The input is the table up to a NUL byte, and after it the body of the post 1.
pub fn substack(data: &[u8]) {
    let at = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
    let (table, body) = (&data[..at], data.get(at + 1..).unwrap_or_default());
    in_a_folder(&[("posts.csv", table), ("posts/1.html", body)], Format::Substack);
}

/// A story of Medium.
pub fn medium(data: &[u8]) {
    in_a_folder(&[("posts/2020-01-01_a-0123456789ab.html", data)], Format::Medium);
}

/// An export of Notion. The input is the table of a database up to a NUL byte, and after it the file of a page.
pub fn notion(data: &[u8]) {
    let at = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
    let (table, page) = (&data[..at], data.get(at + 1..).unwrap_or_default());
    let (table_file, page_file) =
        ("posts 00112233445566778899aabbccddeeff.csv", "posts/A 0123456789abcdef0123456789abcdef.md");
    in_a_folder(&[(table_file, table), (page_file, page)], Format::Notion);
}

/// An export of a space of Contentful.
pub fn contentful(data: &[u8]) {
    in_a_file(data, |path| read_all(path, Format::Contentful));
}

/// A row of the store's file, and its decoding by `content`. The input is the key up to a newline, and the row without its checksum.
pub fn rows(data: &[u8]) {
    let Some(at) = data.iter().position(|byte| *byte == b'\n') else { return };
    let (key, row) = (&data[..at], &data[at + 1..]);
    assert!(decode_row(key, row).is_err() || crc32fast::hash(&[key, &row[4..]].concat()).to_le_bytes() == row[..4]);
    let checksum = crc32fast::hash(&[key, row].concat());
    let Ok(entity) = decode_row(key, &[&checksum.to_le_bytes(), row].concat()) else { return };
    let _ = rows::post::read_whole(&entity);
    let _ = rows::field_index::read(&entity);
    let _ = rows::category_tree::read(&entity);
    let _ = rows::lookup::read(&entity);
    let _ = rows::idempotency::read(&entity);
    let _ = rows::token::read(&entity);
    let _ = rows::token::read_key_version(&entity);
    for kind in TermKind::ALL {
        let _ = rows::term::read(kind, &entity);
    }
}

/// Rendering Markdown. The sanitiser finds nothing more to remove in the HTML, and the HTML is not longer than its bound.
pub fn markdown(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let rendered = render(text);
    assert_eq!(html::clean(&rendered.html), rendered.html);
    assert_eq!(html_text::from_clean(&rendered.html), rendered.text);
    // In clean HTML `<`, `>` and `="` occur only in tags and attributes.
    for tag in rendered.html.split('<').skip(1).filter_map(|rest| rest.split('>').next()) {
        let runs =
            ["script", "style", "iframe", "object", "form", "svg", "math"].iter().any(|name| tag.starts_with(name));
        assert!(!runs && !tag.match_indices("=\"").any(|(at, _)| is_harmful(&tag[..at], &tag[at + 2..])), "<{tag}>");
    }
    assert!(rendered.html.len() <= 64 * text.len() + (1 << 20), "{} bytes of {}", rendered.html.len(), text.len());
}

/// `before` ends with the attribute's name, `after` starts with its value.
fn is_harmful(before: &str, after: &str) -> bool {
    let name = before.rsplit(' ').next().unwrap_or_default();
    let is_url = ["href", "src", "cite", "poster"].contains(&name);
    let loads = ["javascript:", "data:", "vbscript:"].iter().any(|scheme| after.starts_with(scheme));
    name.starts_with("on") || name == "style" || is_url && loads
}

/// Reads an export that is a folder with these files.
fn in_a_folder(files: &[(&str, &[u8])], format: Format) {
    let folder = temporary();
    std::fs::create_dir_all(folder.join("posts")).expect("a folder in the folder for temporary files");
    for (name, data) in files {
        std::fs::write(folder.join(name), data).expect("a file in the folder for temporary files");
    }
    read_all(&folder, format);
    let _ = std::fs::remove_dir_all(&folder);
}

fn temporary() -> PathBuf {
    std::env::temp_dir().join(format!("tidings-fuzz-{}-{:?}", std::process::id(), std::thread::current().id()))
}

fn in_a_file(data: &[u8], read: impl FnOnce(&Path)) {
    let path = temporary();
    std::fs::write(&path, data).expect("a file in the folder for temporary files");
    read(&path);
    let _ = std::fs::remove_file(&path);
}
