//! Escapes plain text for Markdown. The rule: a reader sees every character of the text, whatever it means in Markdown.

use crate::link_marks;

/// The longest name of an entity or emoji, and the maximum digits in the number of a list item.
const NAME_BYTES_MAX: usize = 32;
const DIGITS_MAX: usize = 9;

/// Escapes a part of a paragraph. A newline becomes a line break.
pub(super) fn text(text: &str) -> String {
    let text = link_marks::unmarked(text.to_owned());
    let mut out = String::with_capacity(text.len() + 8);
    let mut before: Option<char> = None;
    for (at, character) in text.char_indices() {
        let rest = &text[at + character.len_utf8()..];
        let next = rest.chars().next();
        let is_word = |beside: Option<char>| beside.is_some_and(char::is_alphanumeric);
        match character {
            '\r' => continue,
            '\n' => out.push('\\'),
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' => out.push('\\'),
            '_' if !(is_word(before) && is_word(next)) => out.push('\\'),
            '<' if next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')) => {
                out.push('\\');
            }
            '&' if ends_name(rest, ';', |c| c.is_ascii_alphanumeric() || c == '#') => out.push('\\'),
            ':' if ends_name(rest, ':', |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-')) => {
                out.push('\\');
            }
            _ => {}
        }
        out.push(character);
        before = Some(character);
    }
    out
}

/// Whether the text begins with a name that is followed by `end`.
fn ends_name(text: &str, end: char, is_of_name: impl Fn(char) -> bool) -> bool {
    let length = text.char_indices().take(NAME_BYTES_MAX).find(|(_, c)| !is_of_name(*c)).map(|(at, _)| at);
    length.is_some_and(|length| length > 0 && text[length..].starts_with(end))
}

/// Makes a paragraph in which no line begins another block.
pub(super) fn paragraph(inline: &str) -> String {
    let inline = without_breaks_around(inline);
    inline.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn line(text: &str) -> String {
    let text = text.trim_start_matches([' ', '\t']);
    if text.starts_with(['#', '>', '+', '-', '=', ':']) {
        return format!("\\{text}");
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text[digits..];
    match (1..=DIGITS_MAX).contains(&digits) && rest.starts_with(['.', ')']) {
        true => format!("{}\\{rest}", &text[..digits]),
        false => text.to_owned(),
    }
}

/// Puts a text on one line, as a heading requires.
pub(super) fn one_line(inline: &str) -> String {
    let line = without_breaks_around(inline).replace("\\\n", " ").replace('\n', " ");
    // Number signs at the end would close the heading.
    match line.strip_suffix('#') {
        Some(start) => format!("{start}\\#"),
        None => line,
    }
}

pub(super) fn cell(blocks: &str) -> String {
    let mut out = String::with_capacity(blocks.len());
    let mut is_escaped = false;
    for character in without_breaks_around(blocks).replace("\\\n", "<br>").replace('\n', "<br>").chars() {
        if character == '|' && !is_escaped {
            out.push('\\');
        }
        is_escaped = character == '\\' && !is_escaped;
        out.push(character);
    }
    out
}

/// Removes line breaks at both ends, which would be shown as backslashes.
fn without_breaks_around(inline: &str) -> &str {
    const BREAK: &str = "\\\n";
    let mut inner = inline.trim_matches([' ', '\t']);
    while let Some(rest) = inner.strip_suffix(BREAK) {
        inner = rest.trim_end_matches([' ', '\t']);
    }
    while let Some(rest) = inner.strip_prefix(BREAK) {
        inner = rest.trim_start_matches([' ', '\t']);
    }
    inner
}

pub(super) fn destination(address: &str) -> String {
    let address = link_marks::unmarked(address.trim().replace(['\n', '\r'], ""));
    let is_plain = |c: char| !(c.is_whitespace() || c.is_control() || matches!(c, '(' | ')' | '<' | '>' | '\\'));
    if address.chars().all(is_plain) {
        return address;
    }
    format!("<{}>", address.replace('<', "%3C").replace('>', "%3E").replace('\\', "%5C"))
}

/// Encloses code in more backticks than it contains in a row.
pub(super) fn code(text: &str) -> String {
    let text = link_marks::unmarked(text.replace(['\n', '\r'], " "));
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let marks = "`".repeat(longest + 1);
    let needs_space = text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
    let space = if needs_space { " " } else { "" };
    format!("{marks}{space}{text}{space}{marks}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidings_model::html_text;
    use tidings_model::markdown::html_of;

    #[test]
    fn a_reader_sees_the_text_as_it_is() {
        for written in [
            "*a* _b_ `c` [d](e) ![f](g) <b>h</b> &amp; &#65; ~~i~~ | j",
            "# a",
            "- a",
            "1. a",
            "12) a",
            "> a",
            "+ a",
            "a\\b \\* c",
            ":smile: at 10:30:45",
            "snake_case and _this_",
            "1 < 2 & 3 > 2",
            "C# is 100%",
            "[^1]: a",
            "<!-- a -->",
            "--- a",
            "a@b.example",
        ] {
            let html = html_of(&paragraph(&text(written)));
            assert_eq!(html_text::from_clean(&html), written, "{html}");
            assert!(html.starts_with("<p>"), "{html}");
        }
    }

    #[test]
    fn lines_stay_lines_of_one_paragraph() {
        let html = html_of(&paragraph(&text("a\n- b\n===\n    c\n: d\n")));
        assert_eq!(html, "<p>a<br>\n- b<br>\n===<br>\nc<br>\n: d</p>\n");
        assert_eq!(one_line(&text("\na\nb #\n")), "a b \\#");
        assert_eq!(cell(&format!("{}\n{}", text("a|b\nc"), code("d|e"))), "a\\|b<br>c<br>`d\\|e`");
    }

    #[test]
    fn code_and_addresses_are_enclosed_by_what_they_do_not_have() {
        assert_eq!([code("a"), code("a`b"), code("``a")], ["`a`", "``a`b``", "``` ``a ```"]);
        for (address, expected) in [
            ("https://a.example/b?c", "https://a.example/b?c"),
            ("https://a.example/b (c)", "<https://a.example/b (c)>"),
            (" a<b>\\\nc ", "<a%3Cb%3E%5Cc>"),
        ] {
            assert_eq!(destination(address), expected);
        }
    }
}
