//! Renders Markdown (CommonMark with GitHub's extensions and description lists) to cleaned HTML. The rule: for any Markdown, rendering takes time and
//! memory in proportion to its length, never panics, and returns HTML from which no browser runs code (tests/it/rendering.rs). The result depends on
//! the Markdown alone: every bound is a count, not a time, so a rendered form can be cached.

use std::cell::Cell;
use std::fmt;

use comrak::nodes::{Node, NodeValue};
use comrak::{Arena, Options};

use super::{code_language, embeds, formulas, headings, html, html_cost, html_text, words};

/// The rendered forms of a body, all from one parse.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rendered {
    pub html: String,
    /// The text of the HTML: no tags, a newline between blocks, code unchanged.
    pub text: String,
    /// See [`words::count`] for the definition of a word.
    pub word_count: u32,
    /// At 200 words a minute, rounded up; 0 only if there is no text.
    pub reading_minutes: u32,
}

pub fn render(markdown: &str) -> Rendered {
    let html = html_of(markdown);
    let text = html_text::from_clean(&html);
    let word_count = words::count(&text);
    let reading_minutes = words::reading_minutes(&text, word_count);
    Rendered { html, text, word_count, reading_minutes }
}

/// Only the cleaned HTML, without the text and the counts. Falls back to raw HTML shown as text, then to the Markdown shown as text.
pub fn html_of(markdown: &str) -> String {
    headings::with_ids(html_without_ids(markdown))
}

fn html_without_ids(markdown: &str) -> String {
    let has_raw_html = has_raw_html(markdown);
    let kept = bounded_html(markdown, RawHtml::Kept);
    let kept = kept.and_then(|html| if has_raw_html { html::cleaned(&html) } else { html::generated(&html) });
    let escaped = || bounded_html(markdown, RawHtml::Escaped).filter(|_| has_raw_html);
    let shown = kept.or_else(|| escaped().and_then(|html| html::generated(&html)));
    shown.unwrap_or_else(|| html_text::preformatted(markdown))
}

/// The text of the first heading, if there is one: the title of a body that has no other.
pub fn first_heading(markdown: &str) -> Option<String> {
    let html = html_of(markdown);
    let start = (1..=6).filter_map(|level| html.find(&format!("<h{level}"))).min()?;
    let length = html[start..].find("</h")?;
    let text = html_text::from_clean(&html[start..start + length]);
    (!text.is_empty()).then_some(text)
}

/// The cleaned HTML of the Markdown before the comment `<!--more-->`; `None` without one.
pub fn html_before_more(markdown: &str) -> Option<String> {
    if !markdown.match_indices("<!--").any(|(at, _)| is_more(&markdown[at..])) {
        return None;
    }
    let html = parse_and_format(markdown, RawHtml::Kept, cut_at_more).filter(|html| html_cost::is_bounded(html))?;
    html::cleaned(&html).map(headings::with_ids)
}

/// The maximum length of the link text in such a comment.
const MORE_BYTES_MAX: usize = 200;

/// Whether the text begins with `<!--more-->`, `<!-- more -->` (Zola), `<!-- truncate -->` (Docusaurus), or `<!--more Keep reading-->`, in which WordPress
/// gives the text of the link.
fn is_more(text: &str) -> bool {
    let Some(inside) = text.strip_prefix("<!--") else { return false };
    let word = inside.trim_start();
    let Some(rest) = word.strip_prefix("more").or_else(|| word.strip_prefix("truncate")) else { return false };
    let line = rest[..rest.floor_char_boundary(MORE_BYTES_MAX)].lines().next().unwrap_or_default();
    let names_text = inside.starts_with("more ") && line.contains("-->");
    names_text || rest.trim_start().starts_with("-->")
}

/// Removes the first such comment from the tree and everything after it; returns false if there is none. A comment in code is text.
fn cut_at_more(root: Node<'_>) -> bool {
    let is_comment = |node: &Node<'_>| match &node.data().value {
        NodeValue::HtmlBlock(block) => is_more(block.literal.trim_start()),
        NodeValue::HtmlInline(html) => is_more(html),
        _ => false,
    };
    let Some(comment) = root.descendants().find(is_comment) else { return false };
    let mut last = Some(comment);
    while let Some(node) = last {
        while let Some(next) = node.next_sibling() {
            next.detach();
        }
        last = node.parent();
    }
    comment.detach();
    true
}

/// HTML that can be cleaned in time and memory in proportion to the length of the Markdown; `None` if that is not possible.
fn bounded_html(markdown: &str, raw_html: RawHtml) -> Option<String> {
    parse_and_format(markdown, raw_html, |_| true).filter(|html| html_cost::is_bounded(html))
}

/// False if the Markdown certainly has no raw HTML.
fn has_raw_html(markdown: &str) -> bool {
    markdown.contains('<')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RawHtml {
    Kept,
    Escaped,
}

/// `None` if the Markdown causes more work, more nodes or more HTML than its length allows, or if `prepare` refuses the tree.
fn parse_and_format(markdown: &str, raw_html: RawHtml, prepare: fn(Node<'_>) -> bool) -> Option<String> {
    let mut options = options(raw_html);
    options.extension.autolink = searches_for_autolinks_are_bounded(markdown);
    options.extension.math_code = searches_for_math_are_bounded(markdown, "$`");
    options.extension.math_dollars = searches_for_math_are_bounded(markdown, "$");
    options.extension.alerts = searches_for_alerts_are_bounded(markdown);
    let arena = Arena::new();
    let mut root = parse(&arena, markdown, &options)?;
    if options.extension.math_dollars
        && let Some(marked) = formulas::without_prices(root, markdown)
    {
        root = parse(&arena, &marked, &options)?;
    }
    formulas::write(root);
    keep_names_in_words(root);
    for node in root.descendants() {
        match &mut node.data_mut().value {
            NodeValue::CodeBlock(block) => code_language::shorten(&mut block.info),
            NodeValue::HtmlBlock(block) if raw_html == RawHtml::Kept => embeds::replace(&mut block.literal),
            NodeValue::HtmlInline(html) if raw_html == RawHtml::Kept => embeds::replace(html),
            _ => {}
        }
    }
    if !prepare(root) {
        return None;
    }
    let mut html = BoundedText { text: String::new(), bytes_max: html_bytes_max(markdown.len()) };
    comrak::format_html(root, &options, &mut html).ok()?;
    Some(html.text)
}

/// `None` if the Markdown takes more work or more nodes than its length allows.
fn parse<'a>(arena: &'a Arena<'a>, markdown: &str, options: &Options<'_>) -> Option<Node<'a>> {
    let nodes_max = arena.len() + nodes_max(markdown.len());
    let calls_max = steps_max(markdown.len()) / STEPS_PER_CALL;
    let calls = Cell::new(0);
    let is_over = || {
        calls.set(calls.get() + 1);
        calls.get() > calls_max || arena.len() > nodes_max
    };
    comrak::try_parse_document(arena, markdown, options, &is_over).ok()
}

/// The name of an emoji inside a word is text: `a:b:c` is not an emoji.
fn keep_names_in_words(root: Node<'_>) {
    let ends_in_word = |text: &str| text.ends_with(char::is_alphanumeric);
    let begins_word = |text: &str| text.starts_with(char::is_alphanumeric);
    for node in root.descendants() {
        let text = match &node.data().value {
            NodeValue::ShortCode(name) => format!(":{}:", name.code),
            _ => continue,
        };
        let is_text = |beside: Option<Node<'_>>, holds: &dyn Fn(&str) -> bool| {
            beside.is_some_and(|beside| matches!(&beside.data().value, NodeValue::Text(text) if holds(text)))
        };
        if is_text(node.previous_sibling(), &ends_in_word) || is_text(node.next_sibling(), &begins_word) {
            node.data_mut().value = NodeValue::Text(text.into());
        }
    }
}

/// At most one node for each byte, except that the missing cells of a short table row take no byte.
fn nodes_max(bytes: usize) -> usize {
    NODES_MAX.min(bytes + NODES_ALWAYS_ALLOWED)
}

const NODES_MAX: usize = 500_000;
const NODES_ALWAYS_ALLOWED: usize = 2_000;

/// Steps of the parser: a line, an inline, a node. Lists of short items take 7 for each byte.
fn steps_max(bytes: usize) -> usize {
    32 * bytes + (1 << 20)
}

/// The number of parser steps between two checks of the limits.
const STEPS_PER_CALL: usize = 256;

/// A table of short cells or a text of quotes creates 6 bytes of HTML for each byte, references to one footnote 70.
fn html_bytes_max(bytes: usize) -> usize {
    HTML_BYTES_MAX.min(8 * bytes + (64 << 10))
}

const HTML_BYTES_MAX: usize = 16 << 20;

/// Whether the searches for the ends of autolinks pass over each byte at most a few times: each search ends at the next white space at the latest.
fn searches_for_autolinks_are_bounded(markdown: &str) -> bool {
    let searched = markdown.split_ascii_whitespace().map(|run| {
        let starts = run.matches("://").count() + run.matches("www.").count();
        starts * run.len()
    });
    searched.sum::<usize>() <= 64 * markdown.len() + (1 << 20)
}

/// Whether the searches for the ends of math, "$`x`$" or "$x$", pass over each byte at most a few times: each search may reach the end of its block,
/// which has no blank line.
fn searches_for_math_are_bounded(markdown: &str, start: &str) -> bool {
    if !markdown.contains('$') {
        return false;
    }
    let searched = markdown.split("\n\n").map(|block| block.matches(start).count() * block.len());
    searched.sum::<usize>() <= 64 * markdown.len() + (1 << 20)
}

/// Whether the searches for alerts, "> [!NOTE]", pass over each byte at most a few times: each `>` that opens a quote starts a search up to the end
/// of its run of `>`.
fn searches_for_alerts_are_bounded(markdown: &str) -> bool {
    let searched = markdown.split(|c| c != '>').map(|run| run.len() * run.len() / 2);
    searched.sum::<usize>() <= 64 * markdown.len() + (1 << 20)
}

/// Text that refuses to grow beyond a bound.
struct BoundedText {
    text: String,
    bytes_max: usize,
}

impl fmt::Write for BoundedText {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.text.len() + more.len() > self.bytes_max {
            return Err(fmt::Error);
        }
        self.text.push_str(more);
        Ok(())
    }
}

fn options(raw_html: RawHtml) -> Options<'static> {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    options.extension.alerts = true;
    options.extension.description_lists = true;
    options.extension.shortcodes = true;
    // Raw HTML must be kept here, and is cleaned later, because comrak would replace it with a comment.
    options.render.r#unsafe = raw_html == RawHtml::Kept;
    options.render.escape = raw_html == RawHtml::Escaped;
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alerts_are_recognised_unless_their_search_would_take_long() {
        let alert = "> [!NOTE]\n> a\n\n";
        assert!(render(&format!("{alert}{}", ">".repeat(100))).html.contains("markdown-alert"));
        let html = render(&format!("{alert}{}x", ">".repeat(5_000))).html;
        assert!(html.contains("[!NOTE]") && !html.contains("markdown-alert"), "{html:.200}");
    }

    #[test]
    fn cleaning_keeps_githubs_extensions() {
        let html = |markdown| render(markdown).html;
        assert_eq!(html("~~no~~"), "<p><del>no</del></p>\n");
        assert_eq!(html("www.example.com"), "<p><a href=\"http://www.example.com\">www.example.com</a></p>\n");
        assert!(html("|a|\n|:-:|\n|b|").contains("<td align=\"center\">b</td>"));
        assert!(html("- [x] done").contains("<input type=\"checkbox\" checked=\"\" disabled=\"\"> done"));
        assert!(html("```rust\nfn f() {}\n```").contains("<pre><code class=\"language-rust\">"));
        let note = html("a[^1]\n\n[^1]: b");
        assert!(note.contains("id=\"fnref-1\"") && note.contains("<li id=\"fn-1\">"), "{note}");
    }

    #[test]
    fn cleaning_keeps_alerts_and_description_lists() {
        let html = |markdown| render(markdown).html;
        let alert = "<div class=\"markdown-alert markdown-alert-note\">\n<p class=\"markdown-alert-title\">Note</p>\n<p>a</p>\n</div>\n";
        assert_eq!(html("> [!NOTE]\n> a"), alert);
        assert_eq!(html("<div class=\"markdown-alert admin\"><p class=\"admin\">a</p></div>"), "<div><p>a</p></div>\n");
        let list = html("Term\n: One\n: Two");
        assert!(list.contains("<dl>\n<dt>Term</dt>\n<dd>\n<p>One</p>") || list.contains("<dd>One</dd>"), "{list}");
    }

    #[test]
    fn emoji_are_written_for_their_names_except_in_code() {
        let html = render(":rocket: `:rocket:` a:b:c 10:30:45 :no_such_name: http://a.b/:rocket:").html;
        assert!(html.starts_with("<p>🚀 <code>:rocket:</code> a:b:c 10:30:45 :no_such_name: "), "{html}");
    }

    #[test]
    fn math_is_marked() {
        let html = |markdown| render(markdown).html;
        assert_eq!(html("$`a<b`$ $5 and US$"), "<p><code data-math-style=\"inline\">a&lt;b</code> $5 and US$</p>\n");
        let block = "<pre><code class=\"language-math\" data-math-style=\"display\">a\n</code></pre>\n";
        assert_eq!(html("```math\na\n```"), block);
        assert_eq!(html("<code data-math-style=\"x\">a</code>"), "<p><code>a</code></p>\n");
    }

    #[test]
    fn the_text_is_what_a_reader_sees() {
        let body = "# Title\n\nOne *two*\nthree &amp; four<br>five <script>alert(1)</script>six\n\n```\na  <b\n```\n- x\n- y\n";
        assert_eq!(render(body).text, "Title\nOne two three & four\nfive six\na  <b\nx\ny");
    }

    #[test]
    fn an_empty_body_has_a_reading_time_of_zero() {
        assert_eq!(render(" \n"), Rendered { html: render(" \n").html, ..Rendered::default() });
    }

    #[test]
    fn the_first_heading_is_found_at_any_level() {
        assert_eq!(first_heading("text\n\n## A *b*\n\n# C").as_deref(), Some("A b"));
        assert_eq!(first_heading("text").as_deref(), None);
    }
}
