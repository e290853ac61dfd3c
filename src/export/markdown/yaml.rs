//! Writes YAML that every parser reads in the same way: texts are in double quotes with the escapes of JSON, lists and tables in flow style. The rule: each
//! value is one line.

use std::fmt::Write;

use crate::model::JsonValue;

/// A text in double quotes (YAML 1.2.2, section 7.3.1), with escapes for everything that is not printable, or that a parser could read as a line end or a byte
/// order mark.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if needs_escape(c) => {
                let code = u32::from(c);
                let escaped = if code <= 0xFFFF { write!(out, "\\u{code:04X}") } else { write!(out, "\\U{code:08X}") };
                escaped.expect("a text can always be written");
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn needs_escape(character: char) -> bool {
    let code = u32::from(character);
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{FEFF}')
        || code & 0xFFFE == 0xFFFE
        || (0xFDD0..=0xFDEF).contains(&code)
}

/// Words that are a boolean or null in some version of YAML.
const WORDS: &[&str] = &["null", "true", "false", "yes", "no", "on", "off", "y", "n"];

/// The key of a table: without quotes if it is a word.
pub(super) fn key(name: &str) -> String {
    let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        && !WORDS.contains(&name.to_ascii_lowercase().as_str());
    if is_word { name.to_owned() } else { quoted(name) }
}

pub(super) fn list<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let quoted: Vec<String> = texts.into_iter().map(quoted).collect();
    format!("[{}]", quoted.join(", "))
}

/// A table of texts.
pub(super) fn table<'t>(pairs: impl IntoIterator<Item = (&'t str, &'t str)>) -> String {
    let written: Vec<String> =
        pairs.into_iter().map(|(name, text)| format!("{}: {}", key(name), quoted(text))).collect();
    format!("{{{}}}", written.join(", "))
}

pub(super) fn value(value: &JsonValue) -> String {
    match value {
        JsonValue::Text(text) => quoted(text),
        JsonValue::List(items) => {
            let items: Vec<String> = items.iter().map(self::value).collect();
            format!("[{}]", items.join(", "))
        }
        JsonValue::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, value)| format!("{}: {}", key(name), self::value(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) => value.to_json(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_line_without_what_a_parser_could_misread() {
        for (text, expected) in [
            ("a: \"b\" \\ 'c' # ü 🚀", "\"a: \\\"b\\\" \\\\ 'c' # ü 🚀\""),
            ("\0\n\r\t\u{7F}\u{85}\u{A0}", "\"\\u0000\\n\\r\\t\\u007F\\u0085\u{A0}\""),
            ("\u{2028}\u{FEFF}\u{FFFE}\u{1FFFF}", "\"\\u2028\\uFEFF\\uFFFE\\U0001FFFF\""),
            ("", "\"\""),
        ] {
            assert_eq!(quoted(text), expected);
        }
    }

    #[test]
    fn a_key_is_without_quotes_only_if_it_is_a_word() {
        for (name, expected) in [
            ("nav_order", "nav_order"),
            ("nav-order2", "nav-order2"),
            ("No", "\"No\""),
            ("null", "\"null\""),
            ("1", "\"1\""),
            ("a b", "\"a b\""),
            ("", "\"\""),
            ("ä", "\"ä\""),
        ] {
            assert_eq!(key(name), expected);
        }
    }
}
