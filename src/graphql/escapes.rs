//! Escapes in the strings of a document that the parser does not know: `\u{1F600}`, and pairs of surrogates as JSON encoders write them ("String Value" of the
//! GraphQL specification, edition of September 2025). The rule: they are replaced by their characters before the text is parsed, and all tokens keep their line
//! and column.

use std::borrow::Cow;
use std::ops::Range;

use async_graphql::Pos;

use super::lexemes::{Lexeme, lexemes, position};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadEscape {
    pub message: String,
    pub at: Pos,
}

/// The maximum number of characters of an escape that the message shows.
const QUOTED_CHARS: usize = 12;

/// Replaces the escapes that the parser does not know by their characters. A block string has none, and a string without an end is left to the parser.
///
/// # Errors
/// The first invalid escape in any string.
pub(super) fn decoded(text: &str) -> Result<Cow<'_, str>, BadEscape> {
    if !text.contains('\\') {
        return Ok(Cow::Borrowed(text));
    }
    let (mut written, mut from) = (String::new(), 0);
    let is_plain = |lexeme: &Lexeme| *lexeme == Lexeme::Text { is_block: false };
    for (string, _) in lexemes(text).filter(|(_, lexeme)| is_plain(lexeme)) {
        let Some(replaced) = decode(text, string.clone())? else { continue };
        written.push_str(&text[from..string.start]);
        written.push_str(&replaced);
        from = string.end;
    }
    if from == 0 {
        return Ok(Cow::Borrowed(text));
    }
    written.push_str(&text[from..]);
    Ok(Cow::Owned(written))
}

/// Replaces the escapes of a string by their characters, and appends spaces so that the length stays the same. `None` if it contains no
/// such escape.
fn decode(text: &str, string: Range<usize>) -> Result<Option<String>, BadEscape> {
    let content = &text[string.clone()];
    let (mut written, mut from, mut left) = (String::new(), 0, 0);
    let mut next = 0;
    while let Some(found) = content[next..].find('\\') {
        let at = next + found;
        let (decoded, length) = escape(&content[at..]).ok_or_else(|| bad_escape(text, string.start + at))?;
        next = at + length;
        if let Some(character) = decoded {
            written.push_str(&content[from..at]);
            let before = written.len();
            match character {
                '"' | '\\' => written.extend(['\\', character]),
                '\n' => written.push_str("\\n"),
                '\r' => written.push_str("\\r"),
                _ => written.push(character),
            }
            left += length - written[before..].chars().count();
            from = next;
        }
    }
    if from == 0 {
        return Ok(None);
    }
    written.push_str(&content[from..]);
    written.extend(std::iter::repeat_n(' ', left));
    Ok(Some(written))
}

/// The length of the escape at the start of the text, and its character if the parser does not know the escape.
fn escape(text: &str) -> Option<(Option<char>, usize)> {
    match text.as_bytes().get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some((None, 2)),
        b'u' => match text.strip_prefix("\\u{") {
            Some(rest) => {
                let (digits, _) = rest.split_once('}')?;
                Some((Some(char::from_u32(hex(digits)?)?), digits.len() + 4))
            }
            None => {
                let high = unit(text)?;
                if char::from_u32(high).is_some() {
                    return Some((None, 6));
                }
                let low = unit(text.get(6..)?)?;
                let pair = [u16::try_from(high).ok()?, u16::try_from(low).ok()?];
                let character = char::decode_utf16(pair).next()?.ok()?;
                Some((Some(character), 12))
            }
        },
        _ => None,
    }
}

/// The value of `\uXXXX`.
fn unit(text: &str) -> Option<u32> {
    hex(text.strip_prefix("\\u")?.get(..4)?)
}

fn hex(digits: &str) -> Option<u32> {
    let are_digits = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| are_digits)
}

fn bad_escape(text: &str, at: usize) -> BadEscape {
    let length = if text[at..].starts_with("\\u{") {
        QUOTED_CHARS
    } else if text[at..].starts_with("\\u") {
        6
    } else {
        2
    };
    let quoted: String = text[at..].chars().take(length).take_while(|character| *character != '"').collect();
    BadEscape {
        message: format!("Syntax error: {quoted} is no escape of a character."),
        at: position(text.as_bytes(), at),
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_become_characters_and_what_follows_keeps_its_place() {
        for (text, expected) in [
            (r#"{ a(b: "\uD83D\uDE00") c }"#, "{ a(b: \"😀\"           ) c }"),
            (r#"{ a(b: "\u{1F600}x", c: 1) }"#, "{ a(b: \"😀x\"        , c: 1) }"),
            (r#"{ a(b: "\u{22}\u{5c}\u{a}") }"#, "{ a(b: \"\\\"\\\\\\n\"           ) }"),
            (r#"{ a(b: "\u00e9\n\"") }"#, r#"{ a(b: "\u00e9\n\"") }"#),
            (r#"{ a(b: "\\u{1F600}") }"#, r#"{ a(b: "\\u{1F600}") }"#),
            (
                r##"{ a # "\u{1}
            }"##,
                r##"{ a # "\u{1}
            }"##,
            ),
            (r#"{ a(b: """\u{1F600} \""" "\x" """) }"#, r#"{ a(b: """\u{1F600} \""" "\x" """) }"#),
            (r#"{ a(b: "\u{0000e9}") }"#, "{ a(b: \"é\"         ) }"),
        ] {
            let found = decoded(text).expect(text);
            assert_eq!(found, expected);
            assert_eq!(found.chars().count(), text.chars().count(), "{text}");
            parse_query(&*found).expect(text);
        }
    }

    #[test]
    fn an_escape_that_is_none_is_named_with_its_place() {
        for (escape, quoted) in [
            ("\\uD83D", "\\uD83D"),
            ("\\uDE00\\uD83D", "\\uDE00"),
            ("\\uD83Dx", "\\uD83D"),
            ("\\u{110000}", "\\u{110000}"),
            ("\\u{D800}", "\\u{D800}"),
            ("\\u{}", "\\u{}"),
            ("\\u12", "\\u12"),
            ("\\u+123", "\\u+123"),
            ("\\x", "\\x"),
            ("\\é", "\\é"),
        ] {
            let bad = decoded(&format!("{{\n é(b: \"{escape}\") }}")).expect_err(escape);
            assert_eq!(bad.message, format!("Syntax error: {quoted} is no escape of a character."));
            assert_eq!((bad.at.line, bad.at.column), (2, 8), "{escape}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_and_columns_stay(text in r#"["\\#\nu{}D8EF0-9a é]{0,40}"#) {
            if let Ok(found) = decoded(&text) {
                prop_assert_eq!(found.chars().count(), text.chars().count());
            }
        }
    }
}
