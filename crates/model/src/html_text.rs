//! Extracts the text of HTML. The rule: it reads only the output of [`super::html::clean`], like [`super::html_tags`].

use std::borrow::Cow;

use super::html_cost;
use super::html_tags::{name_of, tags};

/// The text of cleaned HTML: white space as a browser shows it, a newline between blocks, code unchanged. The marks that link to a footnote and back
/// are omitted.
pub fn from_clean(html: &str) -> String {
    let mut writer = TextWriter::default();
    let mut read = 0;
    for tag in tags(html) {
        writer.text(&html[read..tag.start]);
        read = tag.end;
        writer.tag(&html[tag]);
    }
    writer.text(&html[read..]);
    writer.finish()
}

/// The text of any HTML, which is cleaned first. HTML that costs too much to clean is treated as plain text.
pub fn from_any(html: &str) -> String {
    // Most names and titles contain no markup, and cleaning costs a parser run.
    let has_markup = html.contains(['<', '&']) && html_cost::is_bounded(html);
    if has_markup { from_clean(&super::html::clean(html)) } else { html.trim().to_owned() }
}

/// Any text as cleaned HTML that shows it unchanged. Needs no parser.
pub fn preformatted(text: &str) -> String {
    let text = text.replace('\0', "").replace("\r\n", "\n").replace('\r', "\n");
    // A parser drops a newline directly after the tag.
    let text = escape(text.trim_start_matches('\n')).replace('\u{a0}', "&nbsp;");
    format!("<pre>{text}</pre>")
}

pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[derive(Default)]
struct TextWriter {
    out: String,
    /// A block has ended, or white space was read. It is written only if more text follows.
    break_due: bool,
    space_due: bool,
    in_pre: u32,
    /// Inside a footnote mark: the name of the element, and how many elements with that name are open.
    skipping: Option<(&'static str, u32)>,
}

impl TextWriter {
    fn text(&mut self, escaped: &str) {
        if self.skipping.is_some() || escaped.is_empty() {
            return;
        }
        let text = unescape(escaped);
        if self.in_pre > 0 { self.verbatim(&text) } else { self.flowing(&text) }
    }

    fn verbatim(&mut self, text: &str) {
        self.write_due_space();
        self.out.push_str(text);
    }

    /// Collapses white space to one space, and drops it at the start of a line.
    fn flowing(&mut self, text: &str) {
        for part in text.split_inclusive(is_html_space) {
            let word = part.trim_end_matches(is_html_space);
            if !word.is_empty() {
                self.write_due_space();
                self.out.push_str(word);
            }
            self.space_due |= word.len() < part.len();
        }
    }

    fn tag(&mut self, tag: &str) {
        let (name, is_end) = name_of(tag);
        if self.skip(tag, name, is_end) {
            return;
        }
        match name {
            "pre" => self.in_pre = if is_end { self.in_pre.saturating_sub(1) } else { self.in_pre + 1 },
            "td" | "th" => self.space_due = true,
            _ => {}
        }
        self.break_due |= is_block(name);
    }

    /// Whether this tag opens, closes or is inside a footnote mark.
    fn skip(&mut self, tag: &str, name: &str, is_end: bool) -> bool {
        match &mut self.skipping {
            Some((skipped, depth)) if *skipped == name => {
                *depth = if is_end { *depth - 1 } else { *depth + 1 };
                if *depth == 0 {
                    self.skipping = None;
                }
            }
            Some(_) => {}
            None => self.skipping = footnote_mark(tag).map(|name| (name, 1)),
        }
        self.skipping.is_some() || footnote_mark(tag).is_some()
    }

    fn write_due_space(&mut self) {
        if self.break_due {
            self.out.truncate(self.out.trim_end_matches(is_html_space).len());
        }
        if !self.out.is_empty() && (self.break_due || self.space_due) {
            self.out.push(if self.break_due { '\n' } else { ' ' });
        }
        (self.break_due, self.space_due) = (false, false);
    }

    fn finish(mut self) -> String {
        self.out.truncate(self.out.trim_end_matches(is_html_space).len());
        self.out
    }
}

fn footnote_mark(tag: &str) -> Option<&'static str> {
    let has = |class: &str| tag.contains(class);
    if tag.starts_with("<sup ") && has("class=\"footnote-ref\"") {
        Some("sup")
    } else if tag.starts_with("<a ") && has("class=\"footnote-backref\"") {
        Some("a")
    } else {
        None
    }
}

/// White space that HTML collapses, which a no-break space is not.
fn is_html_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

fn is_block(name: &str) -> bool {
    let inline = [
        "a", "abbr", "audio", "b", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "i", "img", "input", "ins", "kbd",
        "mark", "picture", "q", "rp", "rt", "ruby", "s", "samp", "small", "source", "span", "strike", "strong", "sub",
        "sup", "td", "th", "time", "tt", "u", "var", "video", "wbr",
    ];
    !inline.contains(&name)
}

/// Decodes the five references that the cleaner writes.
pub(super) fn unescape(escaped: &str) -> Cow<'_, str> {
    if !escaped.contains('&') {
        return escaped.into();
    }
    let text = escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\u{a0}").replace("&quot;", "\"");
    text.replace("&amp;", "&").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_collapsed_only_outside_of_code() {
        assert_eq!(from_clean("<p>a\n  b <em>c</em></p>\n<pre>  d\n\n  e</pre>"), "a b c\n  d\n\n  e");
    }

    #[test]
    fn footnote_marks_are_omitted() {
        let html = "<p>a<sup class=\"footnote-ref\"><a href=\"#fn-1\">1</a></sup> b</p><p>c \
                    <a class=\"footnote-backref\" href=\"#x\">↩<sup class=\"footnote-ref\">2</sup></a></p>";
        assert_eq!(from_clean(html), "a b\nc");
    }

    #[test]
    fn a_table_is_a_line_for_each_row() {
        assert_eq!(from_clean("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>"), "a b\nc");
    }

    #[test]
    fn preformatted_text_is_clean() {
        for text in ["", "a\r\nb\rc\0\u{a0}d", "\n\n \n<b>&amp;\"", "\u{feff}x</pre><script>"] {
            let html = preformatted(text);
            assert_eq!(crate::html::clean(&html), html, "{text:?}");
        }
        assert_eq!(from_clean(&preformatted("a <b>\r\n &lt; c")), "a <b>\n &lt; c");
    }

    #[test]
    fn markup_is_removed_from_names() {
        assert_eq!(from_any("Tips &amp; <b>Tr</b>icks &#8217;"), "Tips & Tricks \u{2019}");
        assert_eq!(from_any("&amp;lt;"), "&lt;");
    }
}
