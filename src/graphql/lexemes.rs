//! Finds where the strings, comments, names and numbers of a document end. The rule: they end exactly where the parser ends them; otherwise, brackets could be
//! hidden in text that only one of the two reads as a string.

use std::ops::Range;

use async_graphql::Pos;

/// A token of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lexeme {
    Name,
    Number,
    Text {
        is_block: bool,
    },
    /// An unterminated string.
    Unended,
    /// A punctuator, by its first byte, or an invalid byte.
    Mark(u8),
}

/// The tokens of a text with their ranges. White space, commas and comments are skipped.
pub(super) fn lexemes(text: &str) -> impl Iterator<Item = (Range<usize>, Lexeme)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let begin = at;
            let lexeme = match *bytes.get(at)? {
                b' ' | b'\t' | b'\r' | b'\n' | b',' => {
                    at += 1;
                    continue;
                }
                b'#' => {
                    at = comment_end(bytes, at);
                    continue;
                }
                // The byte order mark is white space in a document.
                0xEF if bytes[at..].starts_with(b"\xEF\xBB\xBF") => {
                    at += 3;
                    continue;
                }
                b'"' => {
                    let end = string_end(bytes, at);
                    at = end.unwrap_or(bytes.len());
                    let is_block = bytes[begin..].starts_with(b"\"\"\"");
                    if end.is_some() { Lexeme::Text { is_block } } else { Lexeme::Unended }
                }
                first @ (b'-' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_') => {
                    at = word_end(bytes, at);
                    if first == b'-' || first.is_ascii_digit() { Lexeme::Number } else { Lexeme::Name }
                }
                mark => {
                    at += if bytes[at..].starts_with(b"...") { 3 } else { 1 };
                    Lexeme::Mark(mark)
                }
            };
            return Some((begin..at, lexeme));
        }
    })
}

/// The position after the closing quote of a string whose content begins at `from`.
fn plain_string_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\r' | b'\n' => return None,
            b'\\' if matches!(bytes.get(at + 1)?, b'\r' | b'\n') => return None,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The position after the closing quotes of a block string whose content begins at `from`. The only escape there is `\"""`.
fn block_string_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = bytes.get(at..)?;
        if rest.starts_with(b"\"\"\"") {
            return Some(at + 3);
        }
        if rest.is_empty() {
            return None;
        }
        at += if rest.starts_with(b"\\\"\"\"") { 4 } else { 1 };
    }
}

/// The position after the string that begins here.
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes[at..].starts_with(b"\"\"\"") { block_string_end(bytes, at + 3) } else { plain_string_end(bytes, at + 1) }
}

/// The position after the comment that begins here.
fn comment_end(bytes: &[u8], at: usize) -> usize {
    let ends = |byte: &u8| matches!(byte, b'\r' | b'\n');
    bytes[at..].iter().position(ends).map_or(bytes.len(), |length| at + length)
}

/// The position after the name that begins here, or the number with its sign, fraction and exponent.
fn word_end(bytes: &[u8], at: usize) -> usize {
    let number = bytes[at] == b'-' || bytes[at].is_ascii_digit();
    let inside =
        |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || (number && matches!(byte, b'.' | b'+' | b'-'));
    bytes[at + 1..].iter().position(|byte| !inside(byte)).map_or(bytes.len(), |length| at + 1 + length)
}

/// Line and column, both counted from 1; the column is in characters, as in the parser.
pub(super) fn position(bytes: &[u8], at: usize) -> Pos {
    let before = &bytes[..at];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let is_character_start = |byte: &&u8| (**byte & 0xC0) != 0x80;
    let column = before[line_start..].iter().filter(is_character_start).count() + 1;
    Pos { line, column }
}
