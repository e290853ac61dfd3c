//! Properties of every result, checked without the lists of the cleaner.

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event;

const FORBIDDEN: [&str; 12] = [
    "script",
    "foreignobject",
    "iframe",
    "object",
    "embed",
    "handler",
    "listener",
    "font-face",
    "metadata",
    "html",
    "body",
    "feimage",
];

/// Fails if a browser would run or load something, or if an HTML parser would see other elements than an XML parser.
pub(super) fn assert_harmless(file: &str) {
    for markup in ["<!", "<?", "]]>", "\0"] {
        assert!(!file.contains(markup), "{markup} in {file}");
    }
    let mut reader = Reader::from_str(file);
    let mut sheet = None::<String>;
    loop {
        match reader.read_event().expect("well-formed XML") {
            Event::Start(start) | Event::Empty(start) => {
                let name = start.name().into_inner();
                sheet = (name == "style").then(String::new);
                assert!(name.chars().all(|letter| letter.is_ascii_alphabetic()), "{name}");
                assert!(!FORBIDDEN.contains(&name.to_ascii_lowercase().as_str()), "{name}");
                for attribute in start.attributes() {
                    let attribute = attribute.expect("an attribute");
                    let value = quick_xml::escape::unescape(&attribute.value).expect("references").into_owned();
                    assert_attribute(name, attribute.key.into_inner(), &value);
                }
            }
            Event::Text(text) => sheet.iter_mut().for_each(|sheet| sheet.push_str(&text)),
            Event::GeneralRef(name) => {
                let text = resolve_predefined_entity(&name).expect("one that XML defines");
                sheet.iter_mut().for_each(|sheet| sheet.push_str(text));
            }
            Event::End(_) => assert_style(&sheet.take().unwrap_or_default()),
            Event::Eof => return,
            other => panic!("{other:?}"),
        }
    }
}

fn assert_attribute(element: &str, name: &str, value: &str) {
    assert!(!name.to_ascii_lowercase().starts_with("on"), "{name}");
    assert!(!name.contains(':') || name == "xml:space" || name == "xml:lang", "{name}");
    assert!(name != "attributeName" || !["href", "style", "class", "id"].contains(&value), "{value}");
    let is_text = name.starts_with("aria-") || ["id", "class", "role", "lang", "xml:lang", "xml:space"].contains(&name);
    match (element, name) {
        ("svg", "xmlns") => assert_eq!(value, "http://www.w3.org/2000/svg"),
        ("image", "href") => assert!(value.starts_with("data:image/"), "{value}"),
        ("a", "href") => {
            let lower = value.to_ascii_lowercase();
            assert!(["#", "http://", "https://", "mailto:"].iter().any(|start| lower.starts_with(start)), "{value}");
        }
        (_, "href") => assert!(value.starts_with('#'), "{value}"),
        _ if is_text => {}
        _ => assert_style(value),
    }
}

/// Every function `url` names a part of the same drawing, and no text of a style sheet has an escape or a rule that loads.
fn assert_style(text: &str) {
    for (at, _) in text.to_ascii_lowercase().match_indices("url(") {
        let address = text[at + 4..].trim_start_matches([' ', '\n', '\'', '"']);
        assert!(address.starts_with('#'), "{text}");
    }
    for load in ["@import", "@font-face", "image-set(", "expression("] {
        assert!(!text.to_ascii_lowercase().contains(load), "{text}");
    }
}
