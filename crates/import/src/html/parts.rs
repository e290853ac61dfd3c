//! HTML as its tags and texts, in order. The rule: parts that nobody removes or replaces keep their meaning, with only those attributes that readers
//! can get; HTML that would take long to read is not read.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};

use tidings_model::{html_cost, html_text};

use super::write::attribute;

const DEPTH_MAX: usize = 256;

/// Elements without content and end tag (HTML, "Void elements").
const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];

/// Elements whose content is text and not HTML (HTML, "Parsing HTML fragments").
const RAW: &[(&str, RawKind)] = &[
    ("iframe", RawKind::Rawtext),
    ("noembed", RawKind::Rawtext),
    ("noframes", RawKind::Rawtext),
    ("script", RawKind::ScriptData),
    ("style", RawKind::Rawtext),
    ("textarea", RawKind::Rcdata),
    ("title", RawKind::Rcdata),
    ("xmp", RawKind::Rawtext),
];

/// The attributes that are kept. The server shows no others, and those of a widget can be longer than the post.
const KEPT: &[&str] = &[
    "align", "alt", "cite", "colspan", "controls", "datetime", "dir", "headers", "height", "href", "hreflang", "lang",
    "open", "poster", "preload", "reversed", "rowspan", "scope", "src", "start", "title", "type", "value", "width",
];

/// Elements that are followed by a newline, so that people can read the source.
const LINES: &[&str] =
    &["blockquote", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "section", "ul"];

#[derive(Debug)]
pub(crate) struct HtmlParts {
    parts: Vec<Part>,
    /// The replacements of ranges of parts: by the start of the range, its end and the HTML.
    edits: BTreeMap<usize, (usize, String)>,
}

#[derive(Debug)]
enum Part {
    Start(Element),
    End(String),
    Text(String),
}

#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub name: String,
    attributes: Vec<(String, String)>,
    /// From the start tag to the end tag, both included.
    pub parts: Range<usize>,
    /// True if it has an end tag, or needs none.
    pub is_closed: bool,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn has_class(&self, class: &str) -> bool {
        self.attribute("class").is_some_and(|classes| classes.split_ascii_whitespace().any(|name| name == class))
    }

    fn inner(&self) -> Range<usize> {
        let end = self.parts.end - usize::from(self.is_closed && self.parts.len() > 1);
        self.parts.start + 1..end.max(self.parts.start + 1)
    }

    fn is_void(&self) -> bool {
        VOID.contains(&self.name.as_str())
    }
}

impl HtmlParts {
    /// `None` if the HTML would take long to read or is nested too deeply.
    pub(crate) fn read(html: &str) -> Option<Self> {
        if !html_cost::is_bounded(html) {
            return None;
        }
        let tokenizer = Tokenizer::new(Reading::default(), TokenizerOpts::default());
        let input = BufferQueue::default();
        input.push_back(StrTendril::from_slice(html));
        let _ = tokenizer.feed(&input);
        tokenizer.end();
        tokenizer.sink.0.into_inner().finish()
    }

    /// All elements, in the order of their start tags.
    pub(crate) fn elements(&self) -> impl Iterator<Item = &Element> {
        self.within(0..self.parts.len())
    }

    /// The elements inside an element.
    pub(crate) fn inside(&self, element: &Element) -> impl Iterator<Item = &Element> {
        self.within(element.inner())
    }

    fn within(&self, parts: Range<usize>) -> impl Iterator<Item = &Element> {
        self.parts[parts].iter().filter_map(|part| match part {
            Part::Start(element) => Some(element),
            Part::End(_) | Part::Text(_) => None,
        })
    }

    /// The text of an element, with single spaces.
    pub(crate) fn text(&self, element: &Element) -> String {
        let mut text = String::new();
        for part in &self.parts[element.inner()] {
            match part {
                Part::Text(part) => text.push_str(part),
                Part::Start(element) if element.name == "br" => text.push(' '),
                Part::Start(_) | Part::End(_) => {}
            }
        }
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Changes the addresses of links and pictures for which `change` returns a new one.
    pub(crate) fn change_addresses(&mut self, change: impl Fn(&str) -> Option<String>) {
        for part in &mut self.parts {
            let Part::Start(element) = part else { continue };
            for (_, value) in element.attributes.iter_mut().filter(|(key, _)| key == "href" || key == "src") {
                if let Some(other) = change(value) {
                    *value = other;
                }
            }
        }
    }

    /// Replaces these parts by HTML. An edit inside another one has no effect.
    pub(crate) fn replace(&mut self, parts: Range<usize>, html: impl Into<String>) {
        if self.edits.get(&parts.start).is_none_or(|(end, _)| *end < parts.end) {
            self.edits.insert(parts.start, (parts.end, html.into()));
        }
    }

    pub(crate) fn remove(&mut self, element: &Element) {
        self.replace(element.parts.clone(), "");
    }

    /// Replaces the tags of an element and keeps its content.
    pub(crate) fn replace_tags(&mut self, element: &Element, start: &str, end: &str) {
        let inner = element.inner();
        self.replace(element.parts.start..inner.start, start);
        if inner.end < element.parts.end {
            self.replace(inner.end..element.parts.end, end);
        }
    }

    pub(crate) fn inner_html(&self, element: &Element) -> String {
        self.write(element.inner())
    }

    pub(crate) fn html(&self) -> String {
        self.write(0..self.parts.len())
    }

    fn write(&self, parts: Range<usize>) -> String {
        let (mut out, mut at) = (String::new(), parts.start);
        while at < parts.end {
            if let Some((end, html)) = self.edits.get(&at) {
                out.push_str(html);
                at = *end;
                continue;
            }
            match &self.parts[at] {
                Part::Text(text) => out.push_str(&html_text::escape(text)),
                Part::Start(element) => {
                    write_start(element, &mut out);
                    end_line(&element.name, element.is_void(), &mut out);
                }
                Part::End(name) => {
                    out.extend(["</", name, ">"]);
                    end_line(name, true, &mut out);
                }
            }
            at += 1;
        }
        out
    }
}

fn end_line(name: &str, is_end: bool, out: &mut String) {
    if is_end && LINES.contains(&name) {
        out.push('\n');
    }
}

fn write_start(element: &Element, out: &mut String) {
    out.extend(["<", &element.name]);
    for (name, value) in element.attributes.iter().filter(|(name, value)| is_kept(&element.name, name, value)) {
        out.extend([" ", name, "=\"", &attribute(value), "\""]);
    }
    out.push('>');
}

/// Ids are kept if a link in the text for readers can point to them.
fn is_kept(element: &str, name: &str, value: &str) -> bool {
    let is_heading = matches!(element, "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
    match name {
        "id" => is_heading || value.contains('-'),
        "class" => element == "code" && value.starts_with("language-"),
        _ => KEPT.contains(&name),
    }
}

#[derive(Default)]
struct Reading(RefCell<Parts>);

#[derive(Default)]
struct Parts {
    parts: Vec<Part>,
    /// The positions of the start tags of the open elements.
    open: Vec<usize>,
    is_too_deep: bool,
}

impl TokenSink for Reading {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut parts = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::EndTag => parts.close(tag.name.to_string()),
            Token::TagToken(tag) => {
                let raw = RAW.iter().find(|(raw, _)| **raw == *tag.name).map(|(_, kind)| *kind);
                parts.open(tag);
                return raw.map_or(TokenSinkResult::Continue, TokenSinkResult::RawData);
            }
            Token::CharacterTokens(text) => parts.text(&text),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Parts {
    fn text(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Text(before)) => before.push_str(text),
            _ => self.parts.push(Part::Text(text.to_owned())),
        }
    }

    fn open(&mut self, tag: Tag) {
        let (at, name) = (self.parts.len(), tag.name.to_string());
        let attributes =
            tag.attrs.into_iter().map(|attribute| (attribute.name.local.to_string(), attribute.value.to_string()));
        let element = Element { name, attributes: attributes.collect(), parts: at..at + 1, is_closed: true };
        let is_open = !element.is_void();
        self.parts.push(Part::Start(element));
        match is_open {
            true if self.open.len() >= DEPTH_MAX => self.is_too_deep = true,
            true => self.open.push(at),
            false => {}
        }
    }

    /// An end tag also ends unclosed elements inside its element; one without an element is dropped, as in a browser.
    fn close(&mut self, name: String) {
        let is_named = |at: &usize| matches!(&self.parts[*at], Part::Start(element) if element.name == name);
        let Some(place) = self.open.iter().rposition(is_named) else { return };
        for at in self.open.split_off(place + 1) {
            self.end(at, false);
        }
        self.parts.push(Part::End(name));
        if let Some(at) = self.open.pop() {
            self.end(at, true);
        }
    }

    fn end(&mut self, at: usize, is_closed: bool) {
        let end = self.parts.len();
        if let Part::Start(element) = &mut self.parts[at] {
            (element.parts, element.is_closed) = (at..end, is_closed);
        }
    }

    fn finish(mut self) -> Option<HtmlParts> {
        for at in std::mem::take(&mut self.open) {
            self.end(at, false);
        }
        (!self.is_too_deep).then_some(HtmlParts { parts: self.parts, edits: BTreeMap::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> HtmlParts {
        HtmlParts::read(html).expect("HTML that is read soon")
    }

    fn named(parts: &HtmlParts, name: &str) -> Element {
        parts.elements().find(|element| element.name == name).expect("such an element").clone()
    }

    #[test]
    fn html_says_what_it_said_with_the_attributes_that_readers_get() {
        let html = "<p class=\"a\" id=\"x\">1 &lt; 2 &amp; <A HREF='/?a=1&amp;b=\"2\"' data-x=\"3\">b</a><br/></p>";
        assert_eq!(read(html).html(), "<p>1 &lt; 2 &amp; <a href=\"/?a=1&amp;b=&quot;2&quot;\">b</a><br></p>\n");
        assert_eq!(read("<h2 id=\"x\">a</h2><i id=\"a-b\">b</i>").html(), "<h2 id=\"x\">a</h2>\n<i id=\"a-b\">b</i>");
        assert_eq!(read("<!DOCTYPE html><!-- x -->a</b>").html(), "a");
    }

    #[test]
    fn an_end_tag_ends_the_elements_inside_of_it_that_have_none() {
        let parts = read("<div><p>a<i>b</div><p>c");
        let (div, italic) = (named(&parts, "div"), named(&parts, "i"));
        assert_eq!((parts.text(&div), parts.text(&italic)), ("ab".to_owned(), "b".to_owned()));
        assert!(div.is_closed && !italic.is_closed);
        let last = parts.elements().last().expect("an element");
        assert_eq!((parts.text(last), last.is_closed), ("c".to_owned(), false));
    }

    #[test]
    fn an_edit_has_effect_once_and_the_outer_one_counts() {
        let mut parts = read("<div><p>a</p><b>c</b></div>d");
        let (div, p, b) = (named(&parts, "div"), named(&parts, "p"), named(&parts, "b"));
        parts.replace_tags(&b, "<i>", "</i>");
        parts.remove(&p);
        assert_eq!((parts.inner_html(&div), parts.html()), ("<i>c</i>".into(), "<div><i>c</i></div>d".into()));
        parts.replace(div.parts.clone(), "x");
        assert_eq!(parts.html(), "xd");
    }

    #[test]
    fn a_script_is_no_html_and_what_takes_long_is_not_read() {
        let parts = read("<script>\"<b>\"</script><b>a</b>");
        assert_eq!(parts.elements().map(|element| element.name.as_str()).collect::<Vec<_>>(), ["script", "b"]);
        assert!(HtmlParts::read(&"<b>".repeat(100_000)).is_none());
        assert!(HtmlParts::read(&"<x-y>".repeat(300)).is_none());
    }
}
