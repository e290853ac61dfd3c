//! Reads one element of an XML file into memory, with its children. The rule: the depth of an element is limited, and only XML's five
//! predefined entities and numeric character references are expanded.

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// The deepest nesting of elements. A WordPress export has four levels.
const DEPTH_MAX: usize = 64;

/// An element: its children in order, and the text directly inside it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Element {
    /// The name as written, with its prefix: `wp:status`.
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub text: String,
    pub children: Vec<Element>,
}

impl Element {
    /// Reads up to the end of the element whose start tag was just read.
    pub(super) fn read(reader: &mut Reader<&[u8]>, start: &BytesStart<'_>) -> Result<Self, String> {
        let mut open = vec![Self::start(start)];
        loop {
            match reader.read_event().map_err(|error| error.to_string())? {
                Event::Start(start) if start.name().as_ref() == open[0].name => {
                    return Err(format!("another <{}> begins before it ends", open[0].name));
                }
                Event::Start(_) if open.len() >= DEPTH_MAX => {
                    return Err(format!("more than {DEPTH_MAX} nested elements"));
                }
                Event::Start(start) => open.push(Self::start(&start)),
                Event::Empty(start) => add(&mut open, Self::start(&start)),
                Event::Text(text) => push(&mut open, &text.xml10_content()),
                Event::CData(text) => push(&mut open, &text.xml10_content()),
                Event::GeneralRef(reference) => push(&mut open, &resolve(&reference)),
                Event::End(end) => {
                    // An end tag that matches no open element is ignored, as browsers and WordPress do; so is a missing end tag.
                    let name = end.name().as_ref().to_owned();
                    if let Some(element) = close(&mut open, &name) {
                        return Ok(element);
                    }
                }
                Event::Eof => return Err(format!("the file ends inside <{}>", open[0].name)),
                _ => {}
            }
        }
    }

    fn start(start: &BytesStart<'_>) -> Self {
        let attributes = start.attributes().flatten().map(|attribute| {
            let name = attribute.key.as_ref().to_owned();
            (name, attribute.normalized_value(XmlVersion::Explicit1_0).unwrap_or_default().into_owned())
        });
        let name = start.name().as_ref().to_owned();
        Self { name, attributes: attributes.collect(), ..Self::default() }
    }

    /// The trimmed text of the first child with this name, or `""`.
    pub(super) fn child_text(&self, name: &str) -> &str {
        self.child(name).map_or("", |child| child.text.trim())
    }

    pub(super) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    pub(super) fn children(&self, name: &str) -> impl Iterator<Item = &Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.trim())
    }
}

/// Closes the innermost open element of this name and all open elements in it. Returns the outermost element if this closed it.
fn close(open: &mut Vec<Element>, name: &str) -> Option<Element> {
    let place = open.iter().rposition(|element| element.name == name)?;
    while open.len() > place.max(1) {
        let element = open.pop()?;
        add(open, element);
    }
    if place == 0 { open.pop() } else { None }
}

fn add(open: &mut [Element], element: Element) {
    if let Some(parent) = open.last_mut() {
        parent.children.push(element);
    }
}

fn push(open: &mut [Element], text: &str) {
    if let Some(element) = open.last_mut() {
        element.text.push_str(text);
    }
}

/// An entity that a document type must declare is kept as written.
fn resolve(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return character.into();
    }
    match quick_xml::escape::resolve_predefined_entity(reference) {
        Some(text) => text.to_owned(),
        None => format!("&{};", &**reference),
    }
}

/// A reader that tolerates small errors in the XML, because exports have them, and one error must not prevent the import of all later posts.
pub(super) fn reader(text: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    reader
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(xml: &str) -> Result<Element, String> {
        let mut reader = reader(xml);
        match reader.read_event() {
            Ok(Event::Start(start)) => Element::read(&mut reader, &start),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn text_and_cdata_and_references_are_one_text() {
        let element =
            first("<a b=\"c &amp; d\">x &lt; <![CDATA[<y> &amp; ]]]]><![CDATA[>]]>&#8217;<!-- no -->&nope;</a>");
        let element = element.expect("an element");
        assert_eq!(element.text, "x < <y> &amp; ]]>\u{2019}&nope;");
        assert_eq!(element.attribute("b"), Some("c & d"));
    }

    #[test]
    fn entities_that_a_file_declares_are_not_expanded() {
        let mut reader = reader("<!DOCTYPE a [<!ENTITY b \"bbbb\">]><a>&b;</a>");
        loop {
            if let Event::Start(start) = reader.read_event().expect("an event") {
                assert_eq!(Element::read(&mut reader, &start).expect("an element").text, "&b;");
                return;
            }
        }
    }

    #[test]
    fn an_error_in_the_nesting_is_tolerated() {
        let element = first("<a><b>1<c>2</b></d><b>3</b></a>").expect("an element");
        let texts: Vec<_> = element.children("b").map(|b| b.text.as_str()).collect();
        assert_eq!(texts, ["1", "3"]);
        assert!(first("<a><b>").expect_err("cut off").contains("ends inside <a>"));
        assert!(first("<a>1<a>2</a></a>").expect_err("nested").contains("another <a> begins"));
        assert!(first(&(0..1_000).map(|n| format!("<a{n}>")).collect::<String>()).is_err());
    }
}
