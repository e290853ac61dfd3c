//! The cost of cleaning HTML, measured before it is cleaned. The rule: HTML that passes is parsed, cleaned and written in time and memory in
//! proportion to its length.
//!
//! An HTML parser searches the open elements at most tags, reopens formatting elements that were left open, and moves nodes out of tables: 100 KB of
//! tags can take minutes or gigabytes. So the parser runs first on a tree that stores no content and counts its work ([`meter`]), and stops when a
//! bound is exceeded.

mod meter;

use html5ever::interface::TreeSink;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{QualName, local_name, ns};

use meter::{Meter, MeterLimits, MeteredNode};

/// Steps of the parser for each byte: a paragraph inside 200 open elements takes about 50. A step takes a few nanoseconds.
const WORK_PER_BYTE_MAX: u64 = 64;
const WORK_ALWAYS_ALLOWED: u64 = 1 << 20;
/// Bytes of tags and text in the tree for each byte of HTML: above 1 only if elements are reopened.
const TREE_BYTES_PER_BYTE_MAX: u64 = 4;
const TREE_BYTES_ALWAYS_ALLOWED: u64 = 64 << 10;
/// Elements and texts of one tree. Each takes about 300 bytes while the HTML is cleaned.
const NODES_MAX: u64 = 300_000;
/// Levels of nested elements. Posts have about 20; browsers stop at 512.
const DEPTH_MAX: u32 = 256;

/// HTML with fewer bytes and tags than this needs no check.
const HARMLESS_TAGS: usize = 64;
const HARMLESS_BYTES: usize = 16 << 10;
/// White space inside one tag separates attributes: the parser compares each with all before it, and reports the tag only at its end.
const SPACES_IN_TAG_MAX: usize = 10_000;
/// The tokenizer gets this many bytes at a time, and the bounds are checked after each piece.
const PIECE_BYTES: usize = 4 << 10;

pub fn is_bounded(html: &str) -> bool {
    if html.len() < HARMLESS_BYTES && html.bytes().filter(|byte| *byte == b'<').count() < HARMLESS_TAGS {
        return true;
    }
    let tokenizer = tokenizer(limits(html.len() as u64));
    let input = BufferQueue::default();
    let (mut steps, mut spaces) = (0, 0);
    for piece in pieces(html) {
        input.push_back(StrTendril::from_slice(piece));
        let _ = tokenizer.feed(&input);
        let meter = tokenizer.sink.meter();
        // A whole piece without a counted step is inside a tag or a comment.
        let is_inside = meter.steps() == steps;
        spaces = if is_inside { spaces + piece.bytes().filter(|b| b" \n\t\x0c/".contains(b)).count() } else { 0 };
        steps = meter.steps();
        if meter.is_over() || spaces > SPACES_IN_TAG_MAX {
            return false;
        }
    }
    tokenizer.end();
    !tokenizer.sink.meter().is_over()
}

fn limits(bytes: u64) -> MeterLimits {
    MeterLimits {
        work: WORK_PER_BYTE_MAX * bytes + WORK_ALWAYS_ALLOWED,
        tree_bytes: TREE_BYTES_PER_BYTE_MAX * bytes + TREE_BYTES_ALWAYS_ALLOWED,
        nodes: NODES_MAX,
        depth: DEPTH_MAX,
    }
}

/// Parses a fragment of a `<div>`, like the cleaner.
fn tokenizer(limits: MeterLimits) -> Tokenizer<CountedTokens> {
    let meter = Meter::new(limits);
    let context = meter.create_element(
        QualName::new(None, ns!(html), local_name!("div")),
        Vec::new(),
        html5ever::interface::ElementFlags::default(),
    );
    let builder = TreeBuilder::new_for_fragment(meter, context, None, TreeBuilderOpts::default());
    let initial_state = Some(builder.tokenizer_state_for_context_elem(false));
    Tokenizer::new(CountedTokens(builder), TokenizerOpts { initial_state, ..TokenizerOpts::default() })
}

/// The text in pieces that end at character boundaries.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(PIECE_BYTES));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// A token sink that charges for the tokenizer's work on a tag before the parser gets it: the tokenizer compares each attribute with those before it.
struct CountedTokens(TreeBuilder<MeteredNode, Meter>);

impl CountedTokens {
    fn meter(&self) -> &Meter {
        &self.0.sink
    }
}

impl TokenSink for CountedTokens {
    type Handle = MeteredNode;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<MeteredNode> {
        let attributes = if let Token::TagToken(tag) = &token { tag.attrs.len() as u64 } else { 0 };
        self.meter().work(1 + attributes * attributes / 2);
        self.0.process_token(token, line)
    }

    fn end(&self) {
        self.0.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.0.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> String {
        (0..count).map(|n| format!(" a{n}")).collect()
    }

    #[test]
    fn ordinary_html_is_bounded() {
        assert!(is_bounded(&"<p>a<br><b>b</b> <a href=\"x\">c<a name=\"d\">".repeat(5_000)));
        assert!(is_bounded(&"<ul><li>a<li>b<div><p>c<p>d</div></ul>".repeat(5_000)));
        assert!(is_bounded(&format!("<p>{}</p><!-- {} -->", "word ".repeat(100_000), "word ".repeat(10_000))));
        assert!(is_bounded(&format!("<table>{}</table>", "<tr><td>a</td><td>b &amp; c</td></tr>".repeat(5_000))));
        assert!(is_bounded(&"<p>«&nbsp;Ça va&nbsp;» &amp; £5</p>".repeat(5_000)));
    }

    #[test]
    fn deep_nesting_and_open_formatting_are_not_bounded() {
        let formatting: String = (0..2_000).map(|n| format!("<p><b class=\"{n}\">x</p>")).collect();
        let hidden = "<div><textarea></div></textarea><!-- </div> --><i title=\"</div>\"></i>".repeat(300);
        let attributes = format!("<a x=\">\" y='\">'{}>", names(40_000));
        for html in [attributes, "<div>".repeat(300), formatting, hidden, "<svg><td></td>".repeat(300)] {
            assert!(!is_bounded(&html), "{}", &html[..60]);
        }
    }

    #[test]
    fn work_that_grows_faster_than_the_html_is_not_bounded() {
        let long = "x".repeat(200_000);
        let cases = [
            ("content of a table outside of a cell", format!("<table>{}", "<p>x</p>".repeat(100_000))),
            ("formatting in a table", format!("<table>{}", "<b>x<i></b></i>".repeat(60_000))),
            ("text in a table", format!("<table>{}", "x<tr>".repeat(100_000))),
            ("characters that are escaped", format!("<p>{}</p>", "&amp;".repeat(200_000))),
            ("the same in an attribute", format!("<p title=\"{}\">{}</p>", "&amp;".repeat(200_000), "<br>".repeat(64))),
            ("a long attribute of formatting", format!("<p><b title={long}>x</p>{}", "<p>y".repeat(1_000))),
            ("attributes of the root", (0..100_000).map(|n| format!("<html a{n}>")).collect()),
            ("attributes of end tags", format!("</p{}>", names(5_000)).repeat(9)),
        ];
        for (what, html) in cases {
            assert!(!is_bounded(&html), "{what}");
        }
    }

    #[test]
    fn a_tree_of_too_many_nodes_is_not_bounded() {
        assert!(is_bounded(&"<br>".repeat(NODES_MAX as usize / 2)));
        assert!(!is_bounded(&"<br>".repeat(NODES_MAX as usize + 1)));
    }
}
