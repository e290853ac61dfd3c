//! Converts the blocks of MDX to those of CommonMark. The rule: a line of tags gets an empty line before and after it, and what is indented below tags is moved to
//! the left, so that it is read as Markdown; code keeps its form.
//!
//! MDX reads a line of tags as a separate block, which also ends a paragraph, and has no indented code (mdxjs.com, "What is MDX?", "Markdown" and
//! "Interleaving"). CommonMark reads everything up to the next empty line as HTML (CommonMark 0.31, section 4.6), and text in column four as code.

use crate::html::BLOCKS;
use crate::markdown::value::is_word;
use crate::markdown::walk::{closes, fence};

use super::line::{indentation, moved_left};
use super::tag::{Form, Tag};

/// The maximum number of open tags, which bounds the time for each closing one.
const OPEN_MAX: usize = 100;
/// The elements whose content CommonMark does not read as Markdown (kind 1).
const RAW: &str = "pre script style textarea";

/// An open tag.
struct Open<'m> {
    name: &'m str,
    /// The column of its line after it was moved.
    column: usize,
    /// How many columns its content is moved to the left, which its first line decides.
    shift: Option<usize>,
}

#[derive(Default)]
struct Blocks<'m> {
    out: String,
    open: Vec<Open<'m>>,
    /// The elements of [`RAW`] that do not end in the rest of the text.
    endless: Vec<&'m str>,
    /// Whether the previous line has tags, so that an empty line must follow.
    is_after_tags: bool,
}

/// Puts the tags into separate blocks.
pub(super) fn separated(markdown: &str) -> String {
    let mut blocks = Blocks { out: String::with_capacity(markdown.len()), ..Blocks::default() };
    let mut rest = markdown;
    while !rest.is_empty() {
        rest = &rest[blocks.take(rest)..];
    }
    blocks.out
}

impl<'m> Blocks<'m> {
    /// Writes at least one line from the start of the text. Returns the length that was written.
    fn take(&mut self, rest: &'m str) -> usize {
        let line = rest.split_inclusive('\n').next().unwrap_or_default();
        let (source, start) = indentation(line);
        let text = &rest[start..];
        if line.trim().is_empty() {
            self.out.push_str(line);
            self.is_after_tags = false;
            return line.len();
        }
        // A fence may be in a list item or a quote.
        let fence = fence(line.trim_start_matches([' ', '\t', '>', '-', '*', '+']));
        let tags = if fence.is_some() { Vec::new() } else { leading_tags(text) };
        // A closing tag is in the column of its opening tag.
        let closed =
            tags.first().filter(|(tag, _)| tag.form == Form::Closing).and_then(|(tag, _)| self.close(tag.name));
        let shift = match (closed, self.open.last_mut()) {
            (Some(column), _) => source.saturating_sub(column),
            (None, Some(open)) => (*open.shift.get_or_insert(source.saturating_sub(open.column))).min(source),
            (None, None) => 0,
        };
        let is_tags = |length: usize| text[length..].lines().next().is_none_or(|rest| rest.trim().is_empty());
        let after_tags = |end: usize| start + end + text[end..].find('\n').map_or(text.len() - end, |at| at + 1);
        let (length, is_block) = match tags.last() {
            None => (fence.map_or(line.len(), |fence| lines_of_code(rest, fence)), false),
            Some((tag, end)) if tag.form == Form::Opening && is_word(tag.name, RAW) => {
                (self.end_of_raw(rest, start + end, tag.name), true)
            }
            Some((_, end)) if is_tags(*end) => (after_tags(*end), true),
            // CommonMark reads the rest of the line as HTML.
            Some((_, end)) => {
                let length = after_tags(*end);
                (length, is_word(tags[0].0.name, BLOCKS) && rest[..length].trim_end().ends_with('>'))
            }
        };
        if is_block || self.is_after_tags {
            self.separate();
        }
        let lines = &rest[..length];
        match tags.last() {
            // CommonMark does not begin an HTML block with a tag of several lines.
            Some((_, end)) if is_tags(*end) && start + end > line.len() => {
                let (tags, after) = lines.split_at(start + end);
                self.out.push_str(&" ".repeat(source - shift));
                self.out.push_str(&tags.split_whitespace().collect::<Vec<_>>().join(" "));
                self.out.push('\n');
                let after = after.split_once('\n').map_or("", |(_, lines)| lines);
                after.split_inclusive('\n').for_each(|line| self.out.push_str(&moved_left(line, shift)));
            }
            _ => lines.split_inclusive('\n').for_each(|line| self.out.push_str(&moved_left(line, shift))),
        }
        self.is_after_tags = is_block;
        if let Some((_, end)) = tags.first() {
            self.follow(&lines[if closed.is_some() { start + end } else { 0 }..], source - shift);
        }
        length
    }

    /// Enters and leaves the elements whose tags are in these lines.
    fn follow(&mut self, lines: &'m str, column: usize) {
        let mut at = 0;
        while let Some(step) = lines[at..].find('<') {
            at += step;
            let Some(tag) = Tag::of(&lines[at..]) else {
                at += 1;
                continue;
            };
            at += tag.length;
            match tag.form {
                Form::Opening if self.open.len() < OPEN_MAX => {
                    self.open.push(Open { name: tag.name, column, shift: None });
                }
                Form::Closing => drop(self.close(tag.name)),
                Form::Opening | Form::Empty => {}
            }
        }
    }

    /// Leaves an element and those inside it that are not closed. Returns its column.
    fn close(&mut self, name: &str) -> Option<usize> {
        let place = self.open.iter().rposition(|open| open.name == name)?;
        self.open.drain(place..).next().map(|open| open.column)
    }

    /// The length of the lines up to the end of a raw element whose tag ends at `start`, or up to that of its tag if it does not end.
    fn end_of_raw(&mut self, text: &str, start: usize, name: &'m str) -> usize {
        let is_endless = self.endless.contains(&name);
        let end = if is_endless { None } else { text[start..].find(&format!("</{name}>")) };
        if end.is_none() && !is_endless {
            self.endless.push(name);
        }
        let end = start + end.unwrap_or_default();
        text[end..].find('\n').map_or(text.len(), |at| end + at + 1)
    }

    /// Writes an empty line, unless there is one.
    fn separate(&mut self) {
        if self.out.lines().next_back().is_some_and(|line| !line.trim().is_empty()) {
            self.out.push('\n');
        }
    }
}

/// The tags at the start of a text, and where each ends.
fn leading_tags(text: &str) -> Vec<(Tag<'_>, usize)> {
    let (mut tags, mut at) = (Vec::new(), 0);
    while let Some(tag) = Tag::of(&text[at..]) {
        let end = at + tag.length;
        tags.push((tag, end));
        at = text.len() - text[end..].trim_start_matches([' ', '\t']).len();
    }
    tags
}

/// The length of the fenced block at the start of a text.
fn lines_of_code(text: &str, (mark, marks): (char, usize)) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        let is_last = length > 0 && closes(line, mark, marks);
        length += line.len();
        if is_last {
            break;
        }
    }
    length
}

#[cfg(test)]
mod tests;
