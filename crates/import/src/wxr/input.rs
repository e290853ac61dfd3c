//! The files of a WordPress export: one, or those of a folder, because WordPress.com sends a large site in parts. The rule: a file is read in the
//! encoding that it declares.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

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
        if is_xml && path.is_file() && is_export(&bytes(&path, OPENING_BYTES as u64)?) {
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

fn bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The encoding that a file declares, by its first bytes or in `<?xml encoding="…"?>`; else UTF-8.
fn encoding_of(opening: &[u8]) -> &'static Encoding {
    match opening {
        [0xff, 0xfe, ..] => UTF_16LE,
        [0xfe, 0xff, ..] => UTF_16BE,
        _ => {
            let declared = declaration(opening).and_then(declared).and_then(|label| Encoding::for_label(&label));
            // A declaration that is readable byte by byte is not in UTF-16.
            declared.filter(|encoding| *encoding != UTF_16LE && *encoding != UTF_16BE).unwrap_or(UTF_8)
        }
    }
}

/// The XML declaration at the start.
fn declaration(text: &[u8]) -> Option<&[u8]> {
    let text = text.trim_ascii_start();
    let end = text.starts_with(b"<?xml").then(|| text.windows(2).position(|end| end == b"?>"))?;
    Some(&text[..end? + 2])
}

fn declared(declaration: &[u8]) -> Option<Vec<u8>> {
    let key = b"encoding";
    let at = declaration.windows(key.len()).position(|name| name == key)? + key.len();
    let value = declaration[at..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let quote = *value.first().filter(|quote| matches!(quote, b'"' | b'\''))?;
    value[1..].split(|byte| *byte == quote).next().map(<[u8]>::to_vec)
}

/// The text of a file, and why it is not correct.
pub(super) fn read(path: &Path) -> io::Result<(String, Option<String>)> {
    let bytes = bytes(path, FILE_BYTES_MAX + 1)?;
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
