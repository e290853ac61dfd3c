//! Paragraphs and line breaks of WordPress's classic editor, which stores only blank lines and line ends. The rule: readers get what WordPress
//! showed: a paragraph for each block of lines, a `<br>` for each line end, and no other markup. (WordPress, "wpautop".)

use std::collections::HashMap;

use crate::html::{Piece, Scan};
use crate::words::has_word;

/// Elements that end a paragraph.
const BLOCKS: &str = "\
    address area article aside blockquote caption center col colgroup dd details div dl dt fieldset figcaption figure \
    footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li map menu nav ol p section summary table tbody td tfoot th \
    thead tr ul";
/// Blocks without an end tag.
const VOID: &str = "area col hr";
/// Blocks in which text gets no paragraph.
const WITHOUT: &str = "\
    caption col colgroup dl dt figcaption h1 h2 h3 h4 h5 h6 hgroup legend map menu ol summary table tbody tfoot thead \
    tr ul";
/// Invisible elements.
const UNSEEN: &str = "noembed noframes script style template title";
const LINE: &str = "<br>";

pub(super) fn with_paragraphs(html: &str) -> String {
    let mut writer = ParagraphWriter { is_apart: true, ..ParagraphWriter::default() };
    for piece in Scan::of(html) {
        match piece {
            Piece::Text(text) => writer.text(text),
            Piece::Comment(comment) => writer.inline(comment, false),
            Piece::Tag { html, name, is_end } => {
                match BLOCKS.split(' ').find(|block| block.eq_ignore_ascii_case(name)) {
                    Some(name) => writer.block(html, name, is_end),
                    None if name.eq_ignore_ascii_case("br") => writer.line_break(),
                    // An image is visible; of another element, only its text is.
                    None => writer.inline(html, name.eq_ignore_ascii_case("img")),
                }
            }
            Piece::Whole { html, name } if name.eq_ignore_ascii_case("pre") => {
                writer.end_run();
                writer.out.extend([html, "\n"]);
                writer.is_apart = true;
            }
            Piece::Whole { html, name } => {
                writer.inline(html, !has_word(UNSEEN, &name.to_ascii_lowercase()));
            }
        }
    }
    writer.end_run();
    writer.out
}

#[derive(Default)]
struct ParagraphWriter {
    out: String,
    /// The open blocks, and how many of each there are.
    open: Vec<&'static str>,
    counts: HashMap<&'static str, usize>,
    /// The paragraphs since the last block tag, and the current one.
    paragraphs: Vec<String>,
    paragraph: String,
    /// Whether the current paragraph has visible content.
    is_shown: bool,
    /// The line ends since the last text.
    line_ends: usize,
    /// Whether the paragraphs follow a blank line or an end tag.
    is_apart: bool,
}

impl ParagraphWriter {
    fn text(&mut self, text: &str) {
        for (at, line) in text.split('\n').enumerate() {
            self.line_ends += usize::from(at > 0);
            match line.trim_matches([' ', '\t', '\r']).is_empty() {
                true if self.line_ends == 0 => self.paragraph.push_str(line.trim_matches('\r')),
                true => {}
                false => self.inline(line.trim_end_matches('\r'), true),
            }
        }
    }

    fn inline(&mut self, html: &str, is_shown: bool) {
        let is_new_line = self.line_ends > 0;
        self.end_lines();
        let html = if is_new_line || self.paragraph.is_empty() { html.trim_start_matches([' ', '\t']) } else { html };
        self.paragraph.push_str(html);
        self.is_shown |= is_shown;
    }

    /// Writes the break or paragraph that the pending line ends mean.
    fn end_lines(&mut self) {
        match std::mem::take(&mut self.line_ends) {
            0 => {}
            line_ends if self.paragraphs.is_empty() && self.paragraph.trim().is_empty() => {
                self.paragraph.clear();
                self.is_apart |= line_ends > 1;
            }
            1 => {
                self.paragraph.truncate(self.paragraph.trim_end().len());
                let is_broken = self.paragraph.is_empty() || self.paragraph.ends_with(LINE);
                self.paragraph.push_str(if is_broken { "\n" } else { "<br>\n" });
            }
            _ => self.end_paragraph(),
        }
    }

    /// Two consecutive line breaks are a blank line.
    fn line_break(&mut self) {
        self.paragraph.truncate(self.paragraph.trim_end().len());
        if let Some(before) = self.paragraph.strip_suffix(LINE) {
            self.paragraph.truncate(before.len());
            self.line_ends = 2;
        } else if self.line_ends < 2 {
            self.line_ends = 0;
            self.paragraph.push_str(LINE);
        }
    }

    fn end_paragraph(&mut self) {
        let paragraph = std::mem::take(&mut self.paragraph);
        let mut text = paragraph.trim();
        while let Some(before) = text.strip_suffix(LINE) {
            text = before.trim_end();
        }
        match std::mem::take(&mut self.is_shown) {
            true => self.paragraphs.push(text.to_owned()),
            false if text.is_empty() => {}
            // Comments, and tags without text, are not a paragraph.
            false => match self.paragraphs.last_mut() {
                Some(last) => last.push_str(text),
                None => self.out.push_str(text),
            },
        }
    }

    fn block(&mut self, html: &str, name: &'static str, is_end: bool) {
        self.end_run();
        self.out.push_str(html);
        let is_void = has_word(VOID, name);
        if is_end {
            if self.counts.get(name).is_some_and(|count| *count > 0) {
                while self.close().is_some_and(|closed| closed != name) {}
            }
        } else if !is_void {
            // Another block ends a paragraph.
            if self.open.last() == Some(&"p") {
                self.close();
            }
            self.open.push(name);
            *self.counts.entry(name).or_default() += 1;
        }
        self.is_apart = is_end || is_void;
        if self.is_apart {
            self.out.push('\n');
        }
    }

    fn close(&mut self) -> Option<&'static str> {
        let name = self.open.pop()?;
        self.counts.entry(name).and_modify(|count| *count -= 1);
        Some(name)
    }

    /// Writes the paragraphs before a block tag.
    fn end_run(&mut self) {
        self.line_ends = 0;
        self.end_paragraph();
        let paragraphs = std::mem::take(&mut self.paragraphs);
        if paragraphs.is_empty() {
            return;
        }
        let (start, between, end) = match self.open.last().copied().unwrap_or_default() {
            "p" => ("", "</p>\n<p>", ""),
            name if has_word(WITHOUT, name) => ("", "<br>\n", ""),
            name if name.is_empty() || name == "blockquote" || self.is_apart || paragraphs.len() > 1 => {
                ("<p>", "</p>\n<p>", "</p>\n")
            }
            _ => ("", "", ""),
        };
        self.out.extend([start, &paragraphs.join(between), end]);
    }
}
