//! Finds where the strings, comments, names and numbers of a document end. The rule: exactly where the parser ends them; otherwise brackets
//! could be hidden in what only one of the two takes for a string.

use async_graphql::Pos;

/// A name with its position, or a punctuator by its first character. Numbers and strings are skipped.
pub(super) enum Word<'a> {
    Name(usize, &'a str),
    Mark(u8),
}

/// The names and punctuators of a text that the scan accepts.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let begin = at;
            match *bytes.get(at)? {
                b'#' => at = comment_end(bytes, at),
                b'"' => at = string_end(bytes, at).unwrap_or(bytes.len()),
                first if first.is_ascii_alphanumeric() || matches!(first, b'_' | b'-') => {
                    at = word_end(bytes, at);
                    if first.is_ascii_alphabetic() || first == b'_' {
                        return Some(Word::Name(begin, &text[begin..at]));
                    }
                }
                mark => {
                    at += 1;
                    if mark.is_ascii_punctuation() && mark != b',' {
                        return Some(Word::Mark(mark));
                    }
                }
            }
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
pub(super) fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes[at..].starts_with(b"\"\"\"") { block_string_end(bytes, at + 3) } else { plain_string_end(bytes, at + 1) }
}

/// The position after the comment that begins here.
pub(super) fn comment_end(bytes: &[u8], at: usize) -> usize {
    let ends = |byte: &u8| matches!(byte, b'\r' | b'\n');
    bytes[at..].iter().position(ends).map_or(bytes.len(), |length| at + length)
}

/// The position after the name that begins here, or the number with its sign, fraction and exponent.
pub(super) fn word_end(bytes: &[u8], at: usize) -> usize {
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
