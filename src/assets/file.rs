//! Checks files that are not pictures. The rule: such a file is read in pieces and never decoded; only its first bytes are compared with its format, and text
//! is checked for valid characters.

use std::fs::File;
use std::io::{Read, Seek};

use super::error::{AssetError, BadFile};
use super::hash::FileHash;
use crate::model::file_format::{FileFormat, SIGNED_BYTES};
use crate::model::{AssetFacts, AssetKind, AssetName};

const PIECE_BYTES: usize = 64 * 1024;

/// The first bytes of a file.
pub(super) fn beginning(file: &mut File) -> Result<Vec<u8>, AssetError> {
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.take(SIGNED_BYTES as u64).read_to_end(&mut bytes)).map_err(failed)?;
    Ok(bytes)
}

/// The facts of a file of this format. Reads the whole file.
///
/// # Errors
/// [`AssetError::BadFile`] if the content does not fit the format.
pub(super) fn check(file: &mut File, format: &'static FileFormat) -> Result<AssetFacts, AssetError> {
    let (mut piece, mut hash, mut text) = (vec![0; PIECE_BYTES], FileHash::of(format), Utf8::default());
    let mut byte_size = 0;
    match beginning(file)? {
        bytes if bytes.is_empty() => return Err(BadFile::Empty.into()),
        bytes if !format.fits(&bytes) => return Err(BadFile::NotItsFormat(format).into()),
        _ => file.rewind().map_err(failed)?,
    }
    loop {
        let count = file.read(&mut piece).map_err(failed)?;
        if count == 0 {
            break;
        }
        byte_size += count as u64;
        hash.update(&piece[..count]);
        if format.is_text() && !text.continues(&piece[..count]) {
            return Err(BadFile::NotText(format).into());
        }
    }
    if !text.is_whole() {
        return Err(BadFile::NotText(format).into());
    }
    let name = AssetName { hash: hash.finish(), kind: AssetKind::File(format), size: None };
    Ok(AssetFacts { name, byte_size, image: None })
}

fn failed(error: std::io::Error) -> AssetError {
    AssetError::Internal(error.to_string())
}

/// UTF-8 text that arrives in pieces, which can split a character.
#[derive(Default)]
struct Utf8 {
    /// The first bytes of an incomplete character.
    open: Vec<u8>,
}

impl Utf8 {
    /// Whether the text so far is valid UTF-8, possibly with an incomplete character at the end, and has no control characters except those for white space.
    fn continues(&mut self, piece: &[u8]) -> bool {
        let mut bytes = std::mem::take(&mut self.open);
        bytes.extend_from_slice(piece);
        let whole = match std::str::from_utf8(&bytes) {
            Ok(_) => bytes.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => return false,
        };
        self.open = bytes.split_off(whole);
        !bytes.iter().any(|byte| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\r' | b'\t' | b'\x0c'))
    }

    fn is_whole(&self) -> bool {
        self.open.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn checked(name: &str, bytes: &[u8]) -> Result<AssetFacts, AssetError> {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("written");
        check(&mut file, FileFormat::of_name(name).expect("a format"))
    }

    #[test]
    fn a_text_is_checked_across_pieces() {
        let long = "é".repeat(PIECE_BYTES);
        for text in ["a", "a,b\r\n1,2\n", "\u{feff}a\t", &long, &format!("x{long}")] {
            assert_eq!(checked("a.txt", text.as_bytes()).expect("a text").byte_size, text.len() as u64);
        }
        let halved = &long.as_bytes()[..long.len() - 1];
        for bytes in [halved, b"a\0", b"\x1b[31m", b"\xff\xfea\0", b"\xc3(", b"caf\xe9"] {
            assert!(matches!(checked("a.txt", bytes), Err(AssetError::BadFile(BadFile::NotText(_)))));
        }
        assert!(matches!(checked("a.txt", b""), Err(AssetError::BadFile(BadFile::Empty))));
    }

    #[test]
    fn the_same_bytes_in_two_formats_have_two_names() {
        let [text, table] = ["a.txt", "a.csv"].map(|name| checked(name, b"a,b").expect("a text").name);
        assert!(text.hash != table.hash && text.kind != table.kind);
        assert_eq!(checked("b.TXT", b"a,b").expect("a text").name, text);
    }
}
