//! Finds the addresses of inline links and pictures in Markdown: `[a](b.md)`, `![a](b.png)`. The rule: nothing in a fenced block or between backticks
//! is an address, and everything else stays byte for byte.

use std::ops::Range;

use super::addresses::{address_at, blocks, code_length};

pub(super) fn all(markdown: &str) -> Vec<&str> {
    spans(markdown).into_iter().map(|span| &markdown[span]).collect()
}

/// Replaces every address for which `replace` returns a new one.
pub(crate) fn replaced(markdown: &str, mut replace: impl FnMut(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut copied = 0;
    for span in spans(markdown) {
        if let Some(other) = replace(&markdown[span.clone()]) {
            out.push_str(&markdown[copied..span.start]);
            out.push_str(&other);
            copied = span.end;
        }
    }
    out.push_str(&markdown[copied..]);
    out
}

/// The ranges of the addresses, ascending and disjoint.
fn spans(markdown: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for block in blocks(markdown) {
        let text = &markdown[block.clone()];
        let mut at = 0;
        while let Some(step) = text[at..].find(['`', ']', '\\']) {
            at += step;
            let rest = &text[at..];
            at += match rest.as_bytes()[0] {
                b'`' => code_length(rest),
                b'\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
                _ => match destination(text, at) {
                    Some(span) => {
                        found.push(block.start + span.start..block.start + span.end);
                        span.end - at
                    }
                    None => 1,
                },
            };
        }
    }
    found
}

/// The address after the bracket that closes the text of a link.
fn destination(text: &str, bracket: usize) -> Option<Range<usize>> {
    let inside = text[bracket + 1..].strip_prefix('(')?;
    address_at(text, text.len() - inside.trim_start().len(), ')')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::random_texts;

    #[test]
    fn the_addresses_of_links_and_pictures_are_found_outside_of_code() {
        for (markdown, expected) in [
            ("[a](b.md) ![c]( <d e.png> \"T\") [x](y_(1).md#z)", vec!["b.md", "d e.png", "y_(1).md#z"]),
            ("[![a](b.png)](c.md)", vec!["b.png", "c.md"]),
            ("`[a](b.md)` [c\\](d.md) [e] (f.md) [g](", vec![]),
            ("```\n[a](b.md)\n```\n[ä](ü.md)", vec!["ü.md"]),
            ("- [ ] [a](b.md)\n\n    [c](d.md)", vec!["b.md", "d.md"]),
        ] {
            assert_eq!(all(markdown), expected, "{markdown}");
        }
        assert_eq!(replaced("é [a](b) [c](d)", |address| (address == "d").then(|| "x".to_owned())), "é [a](b) [c](x)");
    }

    #[test]
    fn no_text_panics() {
        let parts = ["[", "](", ")", "]", "`", "\n", "ä", "\\", "<", ">", "~~~", " ", "("];
        for text in random_texts::of(&parts, 9) {
            assert_eq!(replaced(&text, |_| None), text);
            replaced(&text, |_| Some("x".to_owned()));
        }
    }
}
