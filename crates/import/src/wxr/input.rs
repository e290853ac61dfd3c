//! The files of a WordPress export: one, or those of a folder, because WordPress.com sends a large site in parts. The rule: a file is read in the
//! encoding that it declares.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use regex::bytes::Regex;

use crate::export_files::beginning;

/// How many bytes are searched for the kind and encoding of a file: an export begins with a long comment.
const OPENING_BYTES: usize = 16 << 10;
/// The longest file, which is in memory.
const FILE_BYTES_MAX: u64 = 2 << 30;

/// The files of a folder that are parts of an export, sorted.
pub(crate) fn parts_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut parts = Vec::new();
    for child in std::fs::read_dir(folder)? {
        let path = child?.path();
        let is_xml = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xml"));
        if is_xml && path.is_file() && is_export(&beginning(&path, OPENING_BYTES as u64)?) {
            parts.push(path);
        }
    }
    parts.sort();
    Ok(parts)
}

/// Whether the start of a file shows that it is an export of WordPress and not a feed.
fn is_export(opening: &[u8]) -> bool {
    let (text, _, _) = encoding_of(opening).decode(opening);
    text.contains("<rss") && (text.contains("wordpress.org/export/") || text.contains("<wp:"))
}

/// Whether the start of a file shows that it may be an XML file with a feed or an export.
pub(crate) fn is_rss(opening: &[u8]) -> bool {
    let (text, _, _) = encoding_of(opening).decode(opening);
    let begin = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    begin.starts_with('<') && text.contains("<rss")
}

/// `<?xml version="1.0" encoding="…"?>`.
static DECLARATION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"\A\s*<\?xml[^>]*?encoding\s*=\s*["']([^"'>]*)"#).expect("a valid expression"));

/// The encoding that a file declares, by its first bytes or in its declaration; else UTF-8.
fn encoding_of(opening: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(opening) {
        return encoding;
    }
    let declared = DECLARATION.captures(opening).and_then(|found| Encoding::for_label(&found[1]));
    // A declaration that is readable byte by byte is not in UTF-16.
    declared.filter(|encoding| *encoding != UTF_16LE && *encoding != UTF_16BE).unwrap_or(UTF_8)
}

/// The text of a file, and why it is not correct.
pub(super) fn read(path: &Path) -> io::Result<(String, Option<String>)> {
    let bytes = beginning(path, FILE_BYTES_MAX + 1)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("longer than {FILE_BYTES_MAX} bytes")));
    }
    let encoding = encoding_of(&bytes[..bytes.len().min(OPENING_BYTES)]);
    // A program may have converted the file but not its declaration.
    let (text, damaged) = match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(other) => {
            let (text, encoding, has_errors) = encoding.decode(other.as_bytes());
            let damaged = format!(
                "has bytes that are not in its encoding {}, which are imported as \u{fffd}; convert it to UTF-8, for example by \
                 iconv -f ISO-8859-1 -t UTF-8, and import again",
                encoding.name()
            );
            (text.into_owned(), has_errors.then_some(damaged))
        }
    };
    Ok((text.trim_start_matches('\u{feff}').to_owned(), damaged))
}
