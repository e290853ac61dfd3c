//! Generates the excerpt of a post whose author wrote none. The rule: it is plain text on one line: all text before `<!--more-->`, or else the
//! beginning of the text, at most [`EXCERPT_CHARS_MAX`] characters.

use std::borrow::Cow;

use unicode_normalization::char::is_combining_mark;

use super::html_tags::{name_of, tags};
use super::{html_text, markdown, rules};

/// The longest excerpt in characters, its `…` included, of a text without `<!--more-->`.
pub const EXCERPT_CHARS_MAX: usize = 280;

/// How many bytes are rendered first: nearly every post has a paragraph in them, and rendering is most of the cost of an import.
const OPENING_BYTES: usize = 1 << 10;

/// The maximum number of bytes that are rendered for an excerpt: later text is not the beginning.
const EXCERPT_BYTES_MAX: usize = 64 << 10;

/// The maximum size of the link definitions that are rendered with an opening.
const DEFINITIONS_BYTES_MAX: usize = 16 << 10;

/// The excerpt of a text. It renders the opening of the text with the link definitions after it, and more only if that has no paragraph.
pub fn excerpt_of(markdown: &str) -> String {
    if let Some(text) = text_before_more(beginning(markdown)) {
        return text;
    }
    let found = opening(markdown).and_then(|text| first_paragraph(&markdown::html_of(&text)));
    found.unwrap_or_else(|| excerpt_of_html(&markdown::html_of(beginning(markdown))))
}

/// The text before `<!--more-->`, cut to the longest excerpt; `None` without that comment, or without text before it.
fn text_before_more(markdown: &str) -> Option<String> {
    let html = markdown::html_before_more(markdown)?;
    let text = on_one_line(&html_text::from_clean(&html));
    (!text.is_empty()).then(|| cut(&text, rules::EXCERPT_CHARS_MAX))
}

/// The part of a text that is searched: whole lines, if it has any.
fn beginning(markdown: &str) -> &str {
    if markdown.len() <= EXCERPT_BYTES_MAX {
        return markdown;
    }
    let most = &markdown[..markdown.floor_char_boundary(EXCERPT_BYTES_MAX)];
    most.rfind('\n').map_or(most, |end| &most[..end])
}

/// The first paragraph that has text, or else the first line of the text, cut at a word.
fn excerpt_of_html(html: &str) -> String {
    first_paragraph(html).unwrap_or_else(|| first_line(&html_text::from_clean(&without_alerts(html))))
}

fn first_paragraph(html: &str) -> Option<String> {
    let html = without_alerts(html);
    paragraphs(&html).find(|text| !text.is_empty()).map(|text| cut(&on_one_line(&text), EXCERPT_CHARS_MAX))
}

/// Cleaned HTML without its alerts: an alert is not the beginning of the text.
fn without_alerts(html: &str) -> Cow<'_, str> {
    const ALERT: &str = "<div class=\"markdown-alert";
    if !html.contains(ALERT) {
        return html.into();
    }
    let (mut out, mut copied, mut depth) = (String::with_capacity(html.len()), 0, 0u32);
    for tag in tags(html) {
        let text = &html[tag.clone()];
        match name_of(text) {
            ("div", false) if depth > 0 => depth += 1,
            ("div", false) if text.starts_with(ALERT) => {
                out.push_str(&html[copied..tag.start]);
                depth = 1;
            }
            ("div", true) if depth > 0 => depth -= 1,
            _ => continue,
        }
        copied = tag.end;
    }
    if depth == 0 {
        out.push_str(&html[copied..]);
    }
    out.into()
}

fn first_line(text: &str) -> String {
    cut(&on_one_line(text.lines().next().unwrap_or_default()), EXCERPT_CHARS_MAX)
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text up to the first blank line after [`OPENING_BYTES`], with the link definitions that follow it; `None` without such a line in the first
/// [`EXCERPT_BYTES_MAX`] bytes.
fn opening(markdown: &str) -> Option<String> {
    let start = markdown.floor_char_boundary(OPENING_BYTES);
    let blank_lines = ["\n\n", "\n\r\n"].map(|blank| markdown[start..].find(blank));
    let end = start + blank_lines.into_iter().flatten().min()?;
    if end > EXCERPT_BYTES_MAX {
        return None;
    }
    let mut definitions_bytes = 0;
    let definitions = markdown[end..].lines().filter(|line| line.starts_with('[') && line.contains("]: "));
    let definitions = definitions.take_while(|line| {
        definitions_bytes += line.len();
        definitions_bytes <= DEFINITIONS_BYTES_MAX
    });
    Some(definitions.fold(format!("{}\n\n", &markdown[..end]), |text, line| text + line + "\n"))
}

/// The texts of the paragraphs of cleaned HTML, in order.
fn paragraphs(html: &str) -> impl Iterator<Item = String> {
    html.split("<p").skip(1).filter(|rest| rest.starts_with(['>', ' '])).map(|rest| {
        let inner = rest.split("</p>").next().unwrap_or_default();
        html_text::from_clean(&format!("<p{inner}"))
    })
}

fn cut(text: &str, chars_max: usize) -> String {
    if text.chars().nth(chars_max).is_none() {
        return text.to_owned();
    }
    let head: String = text.chars().take(chars_max).collect();
    // The last word may be incomplete, so it is omitted; a text without spaces is cut between two characters that a reader sees.
    let end = head.rfind(' ').unwrap_or_else(|| last_boundary(&head));
    format!("{}…", head[..end].trim_end_matches([',', ';', ':', '-', '–', '—', ' ']))
}

/// The position at which the last grapheme cluster begins, or else the last `char`.
fn last_boundary(text: &str) -> usize {
    let mut starts = text.char_indices().rev();
    let last = starts.clone().next().map_or(0, |(at, _)| at);
    let begins = |(at, c): &(usize, char)| *at > 0 && !continues(&text[..*at], *c);
    starts.find(begins).map_or(last, |(at, _)| at)
}

/// Whether a character belongs to the grapheme cluster of the one before it: a combining mark, a joined character, a skin tone, the second letter of
/// a flag, a part of a Korean syllable (UAX #29, "Grapheme Cluster Boundary Rules").
fn continues(before: &str, c: char) -> bool {
    const JOINER: char = '\u{200d}';
    let is_of_flag = |c: &char| matches!(c, '\u{1f1e6}'..='\u{1f1ff}');
    before.ends_with(JOINER)
        || is_combining_mark(c)
        || matches!(c, JOINER | '\u{1160}'..='\u{11ff}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}')
        || (is_of_flag(&c) && before.chars().rev().take_while(is_of_flag).count() % 2 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render;

    fn excerpt_of(markdown: &str) -> String {
        excerpt_of_html(&render(markdown).html)
    }

    #[test]
    fn the_excerpt_is_the_first_paragraph_that_has_text() {
        assert_eq!(excerpt_of("# Title\n\n![a](b.png)\n\nOne *two*\nthree.\n\nFour."), "One two three.");
        assert_eq!(excerpt_of("<pre>code</pre><p class=\"x\">A</p>"), "A");
    }

    #[test]
    fn an_alert_is_not_the_excerpt() {
        let alert = "> [!NOTE]\n> Read <div>this</div> first.\n> > [!TIP]\n> > And this.\n\n";
        assert_eq!(excerpt_of(&format!("{alert}The text.")), "The text.");
        assert_eq!(super::excerpt_of(&format!("{alert}The text.")), "The text.");
        assert_eq!(excerpt_of(&format!("{alert}- item")), "item");
        assert_eq!(excerpt_of(alert), "");
    }

    #[test]
    fn the_text_before_more_is_the_excerpt() {
        let long = "word ".repeat(200);
        for more in ["<!--more-->", "<!-- more -->", "<!--more--> <!-- b -->", "<!--truncate-->", "<!-- truncate -->"] {
            assert_eq!(super::excerpt_of(&format!("One *two*.\n\nThree.\n\n{more}\n\nFour.")), "One two. Three.");
            assert_eq!(super::excerpt_of(&format!("{long}\n{more}\nFour.")), long.trim());
            assert!(!render(&format!("a\n\n{more}\n\nb")).html.contains("--"));
        }
        assert_eq!(super::excerpt_of("One.\n\nTwo.\n\n<!--more Keep reading-->\n\nThree."), "One. Two.");
        for other in ["<!-- more of this later -->", "<!--moreover-->", "<!--more\nlines-->", "<!--more without an end"]
        {
            assert_eq!(super::excerpt_of(&format!("One.\n\nTwo.\n\n{other}\n\nThree.")), "One.", "{other}");
        }
        assert_eq!(super::excerpt_of("- One <!--more--> two\n- three\n\nFour."), "One");
        assert_eq!(super::excerpt_of("One.\n\n```\n<!--more-->\n```\n\n`<!--more-->` two."), "One.");
        assert_eq!(super::excerpt_of("<!--more-->\n\nOne.\n\nTwo."), "One.");
        let cut = super::excerpt_of(&format!("{}\n<!--more-->", "word ".repeat(2_000)));
        assert!(cut.ends_with("word…") && cut.chars().count() <= rules::EXCERPT_CHARS_MAX);
    }

    #[test]
    fn a_long_text_without_paragraphs_is_not_rendered_completely() {
        let items = "- item\n".repeat(200_000);
        assert_eq!(super::excerpt_of(&items), "item");
        let far = format!("{}\n\nA paragraph.", "![](a.png)\n".repeat(20_000));
        assert_eq!(super::excerpt_of(&far), "");
        let definitions = format!("An [opening].\n\n{}", "[opening]: /x\n".repeat(20_000));
        assert_eq!(super::excerpt_of(&definitions), "An opening.");
    }

    #[test]
    fn without_a_paragraph_the_excerpt_is_the_first_line() {
        assert_eq!(excerpt_of("- one\n- two"), "one");
        assert_eq!(excerpt_of(""), "");
    }

    #[test]
    fn a_long_excerpt_is_cut_at_a_word() {
        let cut = excerpt_of(&"word, ".repeat(100));
        assert!(cut.ends_with("word…") && cut.chars().count() <= EXCERPT_CHARS_MAX, "{cut}");
        assert_eq!(excerpt_of(&"字".repeat(1000)).chars().count(), EXCERPT_CHARS_MAX);
        assert_eq!(excerpt_of(&"字".repeat(280)).chars().count(), 280);
    }

    #[test]
    fn a_long_text_without_spaces_is_cut_between_characters_that_a_reader_sees() {
        for character in ["👨‍👩‍👧‍👦", "👍🏽", "🇩🇪", "e\u{301}", "ที่", "❤️", "\u{1112}\u{1161}\u{11ab}"]
        {
            let cut = excerpt_of(&character.repeat(300));
            let kept = cut.strip_suffix('…').expect("it is cut");
            assert!(kept.chars().count() > EXCERPT_CHARS_MAX - 12, "{character}: {kept}");
            assert_eq!(kept.replace(character, ""), "", "{character}");
        }
        assert!(excerpt_of(&"\u{301}".repeat(300)).ends_with('…'));
    }
}
