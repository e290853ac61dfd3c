//! What HTML costs to parse. The rule: nothing reaches the HTML parser that it would take quadratic time or memory for.
//!
//! A browser's parser walks the open elements at most tags, and opens the formatting elements that were left open again in
//! every block: 100 KB of tags that are never closed become minutes of work, or gigabytes. So the tags are counted first, in
//! one pass and without a tree. The count may be too high, never too low.

use std::cell::RefCell;
use std::collections::HashMap;

use html5ever::LocalName;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};

/// Elements inside each other. Posts have some 20; browsers stop at 512.
const DEPTH_MAX: u32 = 256;
/// Formatting elements that the parser may have to open again, for each tag on the average. Posts have fewer than one.
const REOPENED_PER_TAG_MAX: u64 = 8;

/// So few tags in so short a text can do no harm, whatever they are.
const HARMLESS_TAGS: u64 = 256;
const HARMLESS_BYTES: usize = 64 << 10;
/// White space inside of one tag, so attributes: the parser holds each against all before it.
const SPACES_IN_TAG_MAX: usize = 20_000;
/// How much the tokenizer is given at a time.
const PIECE_BYTES: usize = 4 << 10;

/// Whether a parser reads this HTML in a time in proportion to its length.
pub fn is_bounded(html: &str) -> bool {
    let tags = html.bytes().filter(|byte| *byte == b'<').count() as u64;
    if tags < HARMLESS_TAGS && html.len() < HARMLESS_BYTES {
        return true;
    }
    let tokenizer = Tokenizer::new(Meter::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    let (mut tokens, mut spaces) = (0, 0);
    for piece in pieces(html) {
        input.push_back(StrTendril::from_slice(piece));
        let _ = tokenizer.feed(&input);
        let count = tokenizer.sink.0.borrow();
        // Only inside of a tag or a comment a whole piece gives no token.
        let is_inside = count.tokens == tokens;
        spaces = if is_inside { spaces + piece.bytes().filter(|b| b" \n\t\x0c/".contains(b)).count() } else { 0 };
        tokens = count.tokens;
        if !count.is_bounded || spaces > SPACES_IN_TAG_MAX {
            return false;
        }
    }
    true
}

/// The text in pieces that end between characters.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = (PIECE_BYTES..rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

struct Meter(RefCell<Count>);

impl Default for Meter {
    fn default() -> Self {
        Self(RefCell::new(Count { is_bounded: true, ..Count::default() }))
    }
}

#[derive(Default)]
struct Count {
    tokens: u64,
    open: HashMap<LocalName, u32>,
    depth: u32,
    formatting: u32,
    reopened: u64,
    tags: u64,
    /// In SVG and MathML the rules on what closes what are others, so from there on nothing is taken as closed.
    foreign: bool,
    is_bounded: bool,
}

impl TokenSink for Meter {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut count = self.0.borrow_mut();
        count.tokens += 1;
        let Token::TagToken(tag) = token else { return TokenSinkResult::Continue };
        match tag.kind {
            TagKind::StartTag => count.start(&tag.name),
            TagKind::EndTag => count.end(&tag.name),
        }
        count.tags += 1;
        count.reopened += u64::from(count.formatting);
        count.is_bounded &=
            count.depth <= DEPTH_MAX && count.reopened <= REOPENED_PER_TAG_MAX * count.tags.max(HARMLESS_TAGS);
        text_state(&tag, count.foreign)
    }
}

impl Count {
    fn start(&mut self, name: &LocalName) {
        self.foreign |= matches!(&**name, "svg" | "math");
        if !self.foreign && (is_void(name) || closes_its_own_kind(name)) {
            return;
        }
        let open = self.open.entry(name.clone()).or_default();
        // A link inside a link closes the outer one.
        if &**name == "a" && *open > 0 && !self.foreign {
            return;
        }
        *open += 1;
        if is_formatting(name) { self.formatting += 1 } else { self.depth += 1 }
    }

    fn end(&mut self, name: &LocalName) {
        let Some(open) = self.open.get_mut(name).filter(|open| **open > 0 && !self.foreign) else { return };
        *open -= 1;
        if is_formatting(name) { self.formatting -= 1 } else { self.depth -= 1 }
    }
}

/// What follows these tags is text up to their end tag, and so are tags in it.
fn text_state(tag: &Tag, foreign: bool) -> TokenSinkResult<()> {
    if tag.kind == TagKind::EndTag || foreign {
        return TokenSinkResult::Continue;
    }
    match &*tag.name {
        "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(RawKind::Rawtext),
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        "plaintext" => TokenSinkResult::Plaintext,
        _ => TokenSinkResult::Continue,
    }
}

fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Left open by many writers; the next of its kind, or the end of what it stands in, closes it.
fn closes_its_own_kind(name: &str) -> bool {
    matches!(name, "p" | "li" | "dd" | "dt" | "td" | "th" | "tr" | "tbody" | "thead" | "tfoot" | "caption" | "colgroup")
}

/// The elements that the HTML standard calls formatting.
fn is_formatting(name: &str) -> bool {
    matches!(
        name,
        "a" | "b" | "big" | "code" | "em" | "font" | "i" | "nobr" | "s" | "small" | "strike" | "strong" | "tt" | "u"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_is_bounded() {
        assert!(is_bounded(&"<p>a<br><b>b</b> <a href=\"x\">c<a name=\"d\">".repeat(5_000)));
        assert!(is_bounded(&"<ul><li>a<li>b<div><p>c<p>d</div></ul>".repeat(5_000)));
        assert!(is_bounded(&format!("<p>{}</p><!-- {} -->", "word ".repeat(100_000), "word ".repeat(10_000))));
    }

    #[test]
    fn depth_and_formatting_left_open_are_not() {
        let formatting: String = (0..2_000).map(|n| format!("<p><b class=\"{n}\">x</p>")).collect();
        let hidden = "<div><textarea></div></textarea><!-- </div> --><i title=\"</div>\"></i>".repeat(300);
        let attributes: String = (0..40_000).map(|n| format!(" a{n}")).collect();
        let attributes = format!("<a x=\">\" y='\">'{attributes}>");
        for html in [attributes, "<div>".repeat(300), formatting, hidden, "<svg><td></td>".repeat(300)] {
            assert!(!is_bounded(&html), "{}", &html[..60]);
        }
    }
}
