//! The files of a WordPress export: one, or those of a folder, because WordPress.com sends a large site in parts. The rule: a file is read in the
//! encoding that it declares; a UTF-8 file is not kept in memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// How many bytes are searched for the kind and encoding of a file: an export begins with a long comment.
const OPENING_BYTES: u64 = 16 << 10;
/// The longest file in another encoding than UTF-8. Such exports are old.
const DECODED_BYTES_MAX: u64 = 256 << 20;

pub(super) struct WxrFile {
    pub path: PathBuf,
    /// The content converted to UTF-8, for a file in another encoding.
    decoded: Option<Vec<u8>>,
}

/// The files of a folder that are parts of an export, sorted.
pub(crate) fn parts_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut parts = Vec::new();
    for child in std::fs::read_dir(folder)? {
        let path = child?.path();
        let is_xml = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xml"));
        if is_xml && path.is_file() && is_export(&opening(&path)?) {
            parts.push(path);
        }
    }
    parts.sort();
    Ok(parts)
}

/// Whether the start of a file shows that it is an export of WordPress and not a feed.
fn is_export(opening: &[u8]) -> bool {
    let text = encoding_of(opening).ok().flatten().map_or_else(
        || String::from_utf8_lossy(opening).into_owned(),
        |encoding| encoding.decode(opening).0.into_owned(),
    );
    text.contains("<rss") && (text.contains("wordpress.org/export/") || text.contains("<wp:"))
}

/// Whether the start of a file shows that it may be an XML file with a feed or an export.
pub(crate) fn is_rss(opening: &[u8]) -> bool {
    let encoding = encoding_of(opening).ok().flatten().unwrap_or(UTF_8);
    let text = encoding.decode(opening).0;
    let begin = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    begin.starts_with('<') && text.contains("<rss")
}

fn opening(path: &Path) -> io::Result<Vec<u8>> {
    let mut opening = Vec::new();
    File::open(path)?.take(OPENING_BYTES).read_to_end(&mut opening)?;
    Ok(opening)
}

/// The encoding that a file declares, by its first bytes or in `<?xml encoding="…"?>`; `None` for UTF-8.
///
/// # Errors
/// Contains the name of an unknown encoding.
fn encoding_of(opening: &[u8]) -> Result<Option<&'static Encoding>, String> {
    match opening {
        [0xff, 0xfe, ..] => return Ok(Some(UTF_16LE)),
        [0xfe, 0xff, ..] => return Ok(Some(UTF_16BE)),
        _ => {}
    }
    let Some(label) = declaration(opening).and_then(declared) else { return Ok(None) };
    let encoding = Encoding::for_label(&label).ok_or_else(|| String::from_utf8_lossy(&label).into_owned())?;
    // A declaration that is readable byte by byte is not in UTF-16.
    Ok(Some(encoding).filter(|encoding| *encoding != UTF_8 && *encoding != UTF_16LE && *encoding != UTF_16BE))
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

impl WxrFile {
    /// Also returns why the file may not be read correctly.
    pub(super) fn open(path: &Path) -> io::Result<(Self, Option<String>)> {
        let file = |decoded| Self { path: path.to_owned(), decoded };
        let convert = "convert it to UTF-8, for example by iconv -f ISO-8859-1 -t UTF-8";
        let encoding = match encoding_of(&opening(path)?) {
            Ok(None) => return Ok((file(None), None)),
            Ok(Some(encoding)) => encoding,
            Err(label) => {
                let label: String = label.chars().take(40).collect();
                return Ok((file(None), Some(format!("has the encoding {label:?}, which is not known; {convert}"))));
            }
        };
        let mut bytes = Vec::new();
        File::open(path)?.take(DECODED_BYTES_MAX + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > DECODED_BYTES_MAX {
            let reason = format!("is in {} and longer than {DECODED_BYTES_MAX} bytes; {convert}", encoding.name());
            return Ok((file(Some(Vec::new())), Some(reason)));
        }
        // A program may have converted the file but not its declaration.
        let is_converted = std::str::from_utf8(&bytes).is_ok();
        let (text, has_errors) = match is_converted {
            true => (String::from_utf8(bytes).unwrap_or_default(), false),
            false => {
                let (text, _, has_errors) = encoding.decode(&bytes);
                (text.into_owned(), has_errors)
            }
        };
        // Without the declaration, because the parser would decode the text again.
        let length = declaration(text.trim_start_matches('\u{feff}').as_bytes()).map_or(0, <[u8]>::len);
        let text = text.trim_start_matches('\u{feff}').trim_start().as_bytes()[length..].to_vec();
        let damaged =
            format!("has bytes that are not in its encoding {}; they are imported as \u{fffd}", encoding.name());
        Ok((file(Some(text)), has_errors.then_some(damaged)))
    }

    /// The content from this byte on.
    pub(super) fn from(&self, at: u64) -> io::Result<Box<dyn BufRead + '_>> {
        if let Some(text) = &self.decoded {
            let at = usize::try_from(at).unwrap_or(usize::MAX).min(text.len());
            return Ok(Box::new(&text[at..]));
        }
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(at))?;
        Ok(Box::new(BufReader::new(file)))
    }
}
