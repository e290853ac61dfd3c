//! Converts the blocks of MDX to those of CommonMark. The rule: the text between the tags of a component is Markdown, with or without an empty line or
//! indentation; so a line of tags gets an empty line before and after it, and its content is moved to the left. Code keeps its form.
//!
//! MDX reads a line of tags as a separate block, which also ends a paragraph, and has no indented code (mdxjs.com, "What is MDX?", "Markdown" and
//! "Interleaving"). CommonMark reads everything up to the next empty line as HTML (CommonMark 0.31, section 4.6), and text in column four as code.

use std::collections::BTreeSet;

use crate::markdown::components::closed_names;
use crate::markdown::walk::{closes, fence};

use super::line::{Divided, Head, closing_tag, indentation, item_mark, lines_length, moved_left, raw_name};
use super::tag::Form;

/// The column, relative to the surrounding block, at which CommonMark reads text as code.
const CODE_COLUMN: usize = 4;

/// The maximum number of open components, which bounds the time for each line.
const OPEN_MAX: usize = 100;

/// The maximum number of list markers at the start of a line that begin items.
const MARKERS_MAX: usize = 20;

/// Puts the tags into separate blocks.
pub(super) fn separated(markdown: &str) -> String {
    let mut blocks = Blocks {
        out: String::with_capacity(markdown.len()),
        closed: closed_names(markdown),
        endless: BTreeSet::new(),
        inner: Component::default(),
        outer: Vec::new(),
        is_start: true,
        is_after_tags: false,
    };
    let mut rest = markdown;
    while !rest.is_empty() {
        rest = &rest[blocks.take(rest)..];
    }
    blocks.out
}

struct Blocks<'m> {
    out: String,
    /// The names in closing tags. A tag without one, such as `<br>`, has no content.
    closed: BTreeSet<&'m str>,
    /// The elements such as `<pre>` that do not end in the rest of the text.
    endless: BTreeSet<&'m str>,
    /// The component around the next line; one without a name outside all components.
    inner: Component<'m>,
    /// The components around `inner`.
    outer: Vec<Component<'m>>,
    /// Whether the next line begins a block: it is the first, or follows an empty line, code or tags.
    is_start: bool,
    /// Whether the previous line contains only tags, so that an empty line must follow.
    is_after_tags: bool,
}

#[derive(Default)]
struct Component<'m> {
    name: &'m str,
    /// The column of its tag, at which its content begins.
    column: usize,
    /// By how many columns its content is moved to the left; its first line determines that.
    shift: Option<usize>,
    /// The columns of the content of the list items that the next line can be in, ascending.
    items: Vec<usize>,
}

/// The position of a line.
struct Place {
    /// By how many columns the line is moved to the left.
    shift: usize,
    /// The column of the content of the surrounding list item or component.
    column: usize,
    /// The start of the text in the line, after white space and list markers.
    start: usize,
    is_item: bool,
}

impl<'m> Blocks<'m> {
    /// Writes at least one line from the start of the text. Returns the length that was written.
    fn take(&mut self, rest: &'m str) -> usize {
        let line = rest.split_inclusive('\n').next().unwrap_or_default();
        if line.trim().is_empty() {
            self.out.push_str(line);
            (self.is_start, self.is_after_tags) = (true, false);
            return line.len();
        }
        let place = self.place(line);
        let (text, line_text) = (&rest[place.start..], &line[place.start..]);
        if let Some((mark, length)) = fence(line_text) {
            return self.take_code(rest, &place, mark, length);
        }
        if let Some(length) = self.raw_length(text) {
            let end = place.start + length;
            let length = end + lines_length(&rest[end..]);
            self.put_lines(&rest[..length], &place);
            return length;
        }
        match Head::of(text) {
            Some(head) if head.line_length.is_some() => place.start + self.take_tags(line, &place, text, &head),
            Some(head) if head.is_html_block() && head.length < line_text.len() => {
                self.take_html(line, &place, &head);
                line.len()
            }
            _ => {
                let length = place.start + lines_length(text);
                self.put_lines(&rest[..length], &place);
                self.close_last(&rest[..length]);
                length
            }
        }
    }

    /// The length up to the end of the first element, if its content is not read as Markdown.
    fn raw_length(&mut self, text: &'m str) -> Option<usize> {
        let name = raw_name(text).filter(|name| !self.endless.contains(name))?;
        let length = closing_tag(text, name);
        if length.is_none() {
            self.endless.insert(name);
        }
        length
    }

    /// Finds the position of a line, and leaves the list items and components that end before it.
    fn place(&mut self, line: &str) -> Place {
        let (source, mut start) = indentation(line);
        let text = &line[start..];
        let begins = text.starts_with(['<', '#', '>', '`', '~']) || item_mark(text, source).is_some();
        let mut shift = self.shift(source);
        // The lines of a paragraph can begin in any column.
        if !(self.is_start || begins) {
            return Place { shift, column: 0, start, is_item: false };
        }
        // A list item ends its components, even unclosed ones.
        while !text.starts_with("</") && source - shift < self.inner.column {
            let Some(outer) = self.outer.pop() else { break };
            self.inner = outer;
            shift = self.shift(source);
        }
        let mut column = source - shift;
        self.inner.items.retain(|item| *item <= column);
        let around = self.inner.items.last().copied().unwrap_or(self.inner.column).min(column);
        if !self.outer.is_empty() && column >= around + CODE_COLUMN {
            (column, shift) = (around, source - around);
        }
        // Outside components, such a line is code or continues a paragraph.
        if column >= around + CODE_COLUMN {
            return Place { shift, column: around, start, is_item: false };
        }
        let (mut is_item, mut content) = (false, around);
        for _ in 0..MARKERS_MAX {
            let Some((bytes, columns)) = item_mark(&line[start..], column) else { break };
            (start, column, is_item) = (start + bytes, column + columns, true);
            self.inner.items.push(column);
            content = column;
        }
        Place { shift, column: content, start, is_item }
    }

    /// By how many columns a line that begins in column `source` is moved to the left.
    fn shift(&mut self, source: usize) -> usize {
        let first = source.saturating_sub(self.inner.column);
        // Text outside components is not moved.
        let first = if self.outer.is_empty() { 0 } else { first };
        (*self.inner.shift.get_or_insert(first)).min(source)
    }

    fn take_code(&mut self, rest: &str, place: &Place, mark: char, length: usize) -> usize {
        let mut end = 0;
        for line in rest.split_inclusive('\n') {
            let is_last = end > 0 && closes(line, mark, length);
            end += line.len();
            if is_last {
                break;
            }
        }
        self.put_lines(&rest[..end], place);
        self.is_start = true;
        end
    }

    /// Writes a line of tags in one line, because CommonMark does not begin an HTML block with a tag of several lines. Returns the length of the tags
    /// and the line end.
    fn take_tags(&mut self, line: &str, place: &Place, text: &str, head: &Head<'m>) -> usize {
        self.begin_tags(place);
        let mut column = None;
        for tag in &head.tags {
            match tag.form {
                Form::Opening => self.open(tag.name, place.column, None),
                Form::Closing => {
                    let closed = self.close(tag.name);
                    column = column.or(closed);
                }
                Form::Empty => {}
            }
        }
        // A closing tag is in the column of its opening tag.
        let begins_closed = head.tags.first().is_some_and(|tag| tag.form == Form::Closing);
        let column = column.filter(|_| begins_closed).unwrap_or(place.column);
        self.put_start(line, place, column);
        let parts: Vec<&str> = text[..head.length].lines().map(str::trim).filter(|part| !part.is_empty()).collect();
        self.out.push_str(&parts.join(" "));
        let length = head.line_length.unwrap_or(head.length);
        self.out.push_str(text[head.length..length].trim_start_matches([' ', '\t']));
        length
    }

    /// Enters a component if it has content.
    fn open(&mut self, name: &'m str, column: usize, shift: Option<usize>) {
        if self.closed.contains(name) {
            // The first entry is the space outside all components, which stays.
            if self.outer.len() > OPEN_MAX {
                self.outer.remove(1);
            }
            let component = Component { name, column, shift, items: Vec::new() };
            self.outer.push(std::mem::replace(&mut self.inner, component));
        }
    }

    /// Leaves a component and the unclosed components inside it. Returns the column of its tag.
    fn close(&mut self, name: &str) -> Option<usize> {
        if self.outer.is_empty() {
            return None;
        }
        if self.inner.name != name {
            let at = self.outer.iter().skip(1).rposition(|component| component.name == name)? + 1;
            self.inner = self.outer.drain(at..).next()?;
        }
        let column = self.inner.column;
        self.inner = self.outer.pop()?;
        Some(column)
    }

    /// Leaves the component whose closing tag ends the text, unless the text opens it.
    fn close_last(&mut self, text: &str) {
        let Some(text) = text.trim_end().strip_suffix('>') else { return };
        let Some((before, name)) = text.rsplit_once("</") else { return };
        if !before.contains(&format!("<{name}")) {
            self.close(name);
        }
    }

    /// Writes a line that CommonMark reads as HTML although it has text after its tags.
    fn take_html(&mut self, line: &str, place: &Place, head: &Head<'m>) {
        let divided = Divided::of(&line[place.start..], head);
        self.begin_tags(place);
        for tag in head.tags.iter().filter(|tag| tag.form == Form::Closing) {
            self.close(tag.name);
        }
        let opened = head.tags.iter().find(|tag| tag.form == Form::Opening).filter(|_| !divided.is_closed);
        if !divided.has_markdown() && (divided.is_closed || divided.has_closing_tag()) {
            self.out.push_str(&moved_left(line, place.shift));
            if let Some(tag) = opened {
                self.open(tag.name, place.column, Some(place.shift));
            }
            return;
        }
        self.put_start(line, place, place.column);
        self.out.push_str(divided.opening);
        self.out.push_str("\n\n");
        for part in [divided.text, divided.closing] {
            if !part.is_empty() {
                self.separate();
                self.out.push_str(&" ".repeat(place.column));
                self.out.push_str(part);
                self.out.push('\n');
            }
        }
        (self.is_start, self.is_after_tags) = (divided.is_closed, divided.is_closed);
        if let Some(tag) = opened {
            self.open(tag.name, place.column, Some(place.shift));
        }
    }

    fn begin_tags(&mut self, place: &Place) {
        if self.is_after_tags || !place.is_item {
            self.separate();
        }
        (self.is_start, self.is_after_tags) = (true, true);
    }

    /// Writes the start of a line: the list markers, or white space up to a column.
    fn put_start(&mut self, line: &str, place: &Place, column: usize) {
        if place.is_item {
            self.out.push_str(&moved_left(&line[..place.start], place.shift));
        } else {
            self.out.push_str(&" ".repeat(column));
        }
    }

    /// Writes lines without tags.
    fn put_lines(&mut self, lines: &str, place: &Place) {
        if self.is_after_tags {
            self.separate();
        }
        for line in lines.split_inclusive('\n') {
            self.out.push_str(&moved_left(line, place.shift));
        }
        (self.is_start, self.is_after_tags) = (false, false);
    }

    /// Writes an empty line, unless there is one.
    fn separate(&mut self) {
        let is_there = self.out.lines().next_back().is_none_or(|line| line.trim().is_empty());
        if !is_there {
            self.out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests;
