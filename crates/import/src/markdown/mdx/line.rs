//! The form of a line of Markdown: its indentation, its list marker, and the tags at its start. The rule: columns are those of CommonMark, in which a
//! tab goes to the next multiple of four.

use crate::html::BLOCKS;
use crate::markdown::value::is_word;
use crate::markdown::walk::code_length;

use super::tag::{Form, Tag};

/// The elements whose content CommonMark does not read as Markdown (kind 1).
const RAW: &str = "pre script style textarea";

/// The tags at the start of a text.
pub(super) struct Head<'t> {
    pub tags: Vec<Tag<'t>>,
    /// In bytes, with the spaces between the tags.
    pub length: usize,
    /// The length with the line end, if nothing else follows in the line.
    pub line_length: Option<usize>,
}

impl<'t> Head<'t> {
    /// `None` if the text does not begin with a tag.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        let mut head = Self { tags: Vec::new(), length: 0, line_length: None };
        let mut at = 0;
        while let Some(tag) = Tag::of(&text[at..]) {
            head.length = at + tag.length;
            head.tags.push(tag);
            let rest = text[head.length..].trim_start_matches([' ', '\t', '\r']);
            at = text.len() - rest.len();
            if rest.is_empty() || rest.starts_with('\n') {
                head.line_length = Some(at + usize::from(!rest.is_empty()));
                break;
            }
        }
        (!head.tags.is_empty()).then_some(head)
    }

    /// Whether CommonMark reads the rest of the line as HTML.
    pub(super) fn is_html_block(&self) -> bool {
        self.tags.first().is_some_and(|tag| is_word(tag.name, BLOCKS))
    }
}

/// A line such as `<td>[a](/b)</td>`: the tags at its start, its text, and their closing tags at its end.
pub(super) struct Divided<'t> {
    pub opening: &'t str,
    pub text: &'t str,
    pub closing: &'t str,
    /// Whether the first tag is closed in the line.
    pub is_closed: bool,
}

impl<'t> Divided<'t> {
    pub(super) fn of(line: &'t str, head: &Head<'_>) -> Self {
        let is_open = |tag: &&Tag<'_>| tag.form == Form::Opening;
        let ends: Vec<String> = head.tags.iter().filter(is_open).map(|tag| format!("</{}>", tag.name)).collect();
        let line = line.trim_end();
        let (opening, rest) = line.split_at(head.length);
        let mut text = rest;
        for end in &ends {
            let Some(before) = text.strip_suffix(end.as_str()) else { break };
            text = before.trim_end();
        }
        let closing = rest[text.len()..].trim_start();
        let is_closed = ends.first().is_none_or(|end| rest.contains(end.as_str()));
        Self { opening, text: text.trim(), closing, is_closed }
    }

    /// Whether its text can contain anything except plain text and tags.
    pub(super) fn has_markdown(&self) -> bool {
        self.text.contains(['*', '_', '`', '[', '~', '\\'])
    }

    /// Whether an element ends in it.
    pub(super) fn has_closing_tag(&self) -> bool {
        self.text.contains("</") || !self.closing.is_empty()
    }
}

/// The name of the element at the start of the text, if its content is not read as Markdown.
pub(super) fn raw_name(text: &str) -> Option<&str> {
    let tag = Tag::of(text).filter(|tag| tag.form == Form::Opening)?;
    is_word(tag.name, RAW).then_some(tag.name)
}

/// The position of the closing tag of this element. `</preview>` does not close `<pre>`.
pub(super) fn closing_tag(text: &str, name: &str) -> Option<usize> {
    let tag = format!("</{name}");
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
    text.match_indices(&tag).map(|(at, _)| at).find(|at| ends(&text[at + tag.len()..]))
}

/// The length of the first line, and of the following lines in which one of its tags ends.
pub(super) fn lines_length(text: &str) -> usize {
    let (mut at, mut line_end) = (0, 0);
    while let Some(step) = text[at..].find(['<', '`', '\n']) {
        at += step;
        let rest = &text[at..];
        if line_end <= at {
            line_end = at + rest.find('\n').unwrap_or(rest.len());
        }
        at += match rest.as_bytes()[0] {
            b'\n' => return at + 1,
            b'`' => code_length(&text[at..line_end]),
            _ => Tag::of(rest).map_or(1, |tag| tag.length),
        };
    }
    text.len()
}

/// The column after a space or a tab.
fn after(column: usize, byte: u8) -> usize {
    if byte == b'\t' { column + 4 - column % 4 } else { column + 1 }
}

/// The column and the byte position of the first character that is not white space.
pub(in crate::markdown) fn indentation(line: &str) -> (usize, usize) {
    let (mut column, mut at) = (0, 0);
    for byte in line.bytes() {
        if !matches!(byte, b' ' | b'\t') {
            break;
        }
        (column, at) = (after(column, byte), at + 1);
    }
    (column, at)
}

/// The line without its first `columns` columns of white space.
pub(in crate::markdown) fn moved_left(line: &str, columns: usize) -> String {
    let mut column = 0;
    for (at, byte) in line.bytes().enumerate() {
        if column >= columns || !matches!(byte, b' ' | b'\t') {
            // A tab can span more columns than are removed.
            return " ".repeat(column.saturating_sub(columns)) + &line[at..];
        }
        column = after(column, byte);
    }
    String::new()
}

/// The width of a list marker and the white space after it, in bytes and columns. `column`: the column of the text.
pub(in crate::markdown) fn item_mark(text: &str, column: usize) -> Option<(usize, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let width = match text.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    let rest = text[width..].split('\n').next().unwrap_or_default();
    if rest.trim().is_empty() {
        return Some((width, width + 1));
    }
    let others: Vec<u8> = rest.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    // Three or more are a thematic break.
    let is_break = digits == 0 && others.len() >= 2 && others.iter().all(|byte| *byte == text.as_bytes()[0]);
    let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    if spaces == 0 || is_break {
        return None;
    }
    let end = rest[..spaces].bytes().fold(column + width, after);
    // After more spaces, CommonMark reads code that begins one column after the marker.
    match end - column - width {
        0..=4 => Some((width + spaces, end - column)),
        _ => Some((width + 1, width + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_moved_by_columns() {
        for (line, columns, expected) in [
            ("  a\n", 2, "a\n"),
            ("  a", 4, "a"),
            ("\t\ta", 4, "\ta"),
            ("\ta", 3, " a"),
            ("  \ta", 2, "\ta"),
            ("\n", 3, "\n"),
            ("    ", 2, "  "),
            ("a", 0, "a"),
        ] {
            assert_eq!(moved_left(line, columns), expected, "{line:?}");
        }
        assert_eq!(indentation(" \ta"), (4, 2));
    }

    #[test]
    fn the_marks_of_list_items_are_found() {
        for (text, expected) in [
            ("- a", Some((2, 2))),
            ("10)  a", Some((5, 5))),
            ("-\ta", Some((2, 4))),
            ("-", Some((1, 2))),
            ("1.\n", Some((2, 3))),
            ("- - -", None),
            ("* * *\n", None),
            ("**a**", None),
            ("-a", None),
            ("1 a", None),
            ("1234567890. a", None),
            ("", None),
        ] {
            assert_eq!(item_mark(text, 0), expected, "{text:?}");
        }
    }

    #[test]
    fn a_line_ends_after_the_tags_that_begin_in_it() {
        for (text, expected) in [
            ("a <B c={\n<D/>\n}> e\nf", "a <B c={\n<D/>\n}> e\n"),
            ("a `<B c={` d\n}>", "a `<B c={` d\n"),
            ("a < b\n>", "a < b\n"),
            ("a", "a"),
        ] {
            assert_eq!(&text[..lines_length(text)], expected);
        }
    }
}
