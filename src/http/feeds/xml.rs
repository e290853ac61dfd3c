//! Writes XML. The rule: every text and attribute is escaped, and a character that XML cannot contain is replaced, so that a post cannot break a feed.

use std::borrow::Cow;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

pub(super) type Attribute<'a> = (&'a str, &'a str);

pub(super) struct Xml(Writer<Vec<u8>>);

impl Xml {
    pub(super) fn new() -> Self {
        let mut xml = Self(Writer::new(Vec::new()));
        xml.write(Event::Decl(BytesDecl::new("1.0", Some("utf-8"), None)));
        xml
    }

    /// Writes an element whose content is written by `inside`.
    pub(super) fn element(&mut self, name: &str, attributes: &[Attribute<'_>], inside: impl FnOnce(&mut Self)) {
        self.write(Event::Start(start(name, attributes)));
        inside(self);
        self.write(Event::End(BytesEnd::new(name)));
    }

    pub(super) fn text(&mut self, name: &str, text: &str) {
        self.text_with(name, &[], text);
    }

    pub(super) fn text_with(&mut self, name: &str, attributes: &[Attribute<'_>], text: &str) {
        self.element(name, attributes, |xml| xml.write(Event::Text(BytesText::new(&clean(text)))));
    }

    pub(super) fn empty(&mut self, name: &str, attributes: &[Attribute<'_>]) {
        self.write(Event::Empty(start(name, attributes)));
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0.into_inner()
    }

    fn write(&mut self, event: Event<'_>) {
        self.0.write_event(event).expect("a vector takes what is written");
    }
}

fn start<'a>(name: &'a str, attributes: &[Attribute<'_>]) -> BytesStart<'a> {
    let mut start = BytesStart::new(name);
    for (name, value) in attributes {
        start.push_attribute((*name, &*clean(value)));
    }
    start
}

/// Replaces each character outside the production `Char` of XML 1.0 by U+FFFD.
fn clean(text: &str) -> Cow<'_, str> {
    let is_allowed =
        |c: char| !matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    match text.chars().all(is_allowed) {
        true => Cow::Borrowed(text),
        false => text.chars().map(|c| if is_allowed(c) { c } else { '\u{fffd}' }).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_attributes_are_escaped_and_what_xml_cannot_contain_is_replaced() {
        let mut xml = Xml::new();
        xml.element("a", &[("b", "\"<&\u{1}>'")], |xml| {
            xml.text("c", "]]> & <d>\u{0}\u{b}\n\u{1f600}");
            xml.empty("e", &[]);
        });
        let text = String::from_utf8(xml.finish()).expect("UTF-8");
        let expected = "<?xml version=\"1.0\" encoding=\"utf-8\"?><a b=\"&quot;&lt;&amp;\u{fffd}&gt;&apos;\">\
                        <c>]]&gt; &amp; &lt;d&gt;\u{fffd}\u{fffd}\n\u{1f600}</c><e/></a>";
        assert_eq!(text, expected);
    }
}
