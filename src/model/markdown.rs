//! Markdown rendered: CommonMark with GitHub's extensions, cleaned. The rule: whatever the Markdown holds, rendering ends soon,
//! never panics, and gives HTML that no browser runs anything of (tests/rendering.rs).

use comrak::Options;

use super::{html, html_cost, html_text, words};

/// What readers are given of a body; all of it comes from one parse.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rendered {
    /// Cleaned HTML: see [`html::clean`] for what is left in it.
    pub html: String,
    /// The text of the HTML: no tags, a newline between blocks, code kept as it is.
    pub text: String,
    /// See [`words::count`] for what a word is.
    pub word_count: u32,
    /// At 200 words a minute, rounded up: 0 only where there is no text.
    pub reading_minutes: u32,
}

/// Renders a body.
pub fn render(markdown: &str) -> Rendered {
    let html = html_of(markdown);
    let text = html_text::from_clean(&html);
    let word_count = words::count(&text);
    let reading_minutes = words::reading_minutes(&text, word_count);
    Rendered { html, text, word_count, reading_minutes }
}

/// The cleaned HTML alone, where nothing is asked of the text.
pub fn html_of(markdown: &str) -> String {
    html::clean(&bounded_html(markdown))
}

/// The text of the first heading, where there is one: the title of a body that came without.
pub fn first_heading(markdown: &str) -> Option<String> {
    let html = html_of(markdown);
    let start = (1..=6).filter_map(|level| html.find(&format!("<h{level}"))).min()?;
    let length = html[start..].find("</h")?;
    let text = html_text::from_clean(&html[start..start + length]);
    (!text.is_empty()).then_some(text)
}

/// HTML that an HTML parser can read in a time in proportion to its length: as Markdown says; or else with raw HTML shown as
/// text; or else, where the Markdown itself nests without end, all of it as text.
fn bounded_html(markdown: &str) -> String {
    let html = parse_and_format(markdown, RawHtml::Kept);
    if html_cost::is_bounded(&html) {
        return html;
    }
    if markdown.contains('<') {
        let html = parse_and_format(markdown, RawHtml::Escaped);
        if html_cost::is_bounded(&html) {
            return html;
        }
    }
    format!("<pre>{}</pre>", html_text::escape(markdown))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RawHtml {
    Kept,
    Escaped,
}

fn parse_and_format(markdown: &str, raw_html: RawHtml) -> String {
    comrak::markdown_to_html(markdown, &options(raw_html))
}

fn options(raw_html: RawHtml) -> Options<'static> {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    // Cleaning takes away what is not allowed; here raw HTML must come through whole, or comrak would leave a hole.
    options.render.r#unsafe = raw_html == RawHtml::Kept;
    options.render.escape = raw_html == RawHtml::Escaped;
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn githubs_extensions_come_through_cleaning() {
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
    fn text_is_what_a_reader_sees() {
        let body = "# Title\n\nOne *two*\nthree &amp; four<br>five <script>alert(1)</script>six\n\n```\na  <b\n```\n- x\n- y\n";
        assert_eq!(render(body).text, "Title\nOne two three & four\nfive six\na  <b\nx\ny");
    }

    #[test]
    fn an_empty_body_takes_no_time_to_read() {
        assert_eq!(render(" \n"), Rendered { html: render(" \n").html, ..Rendered::default() });
    }

    #[test]
    fn the_first_heading_is_found_at_any_level() {
        assert_eq!(first_heading("text\n\n## A *b*\n\n# C").as_deref(), Some("A b"));
        assert_eq!(first_heading("text").as_deref(), None);
    }
}
