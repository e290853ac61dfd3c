//! The namespaces of a file ("Namespaces in XML 1.0"). The rule: a prefix means what the file has declared, so an element is one of
//! SVG under any prefix, and none of SVG under the prefix `svg` of another namespace.

use quick_xml::events::BytesStart;
use quick_xml::events::attributes::Attribute;
use quick_xml::name::QName;

use super::{malformed, unsupported, value_of};
use crate::assets::error::BadPicture;

const SVG: &str = "http://www.w3.org/2000/svg";
const XLINK: &str = "http://www.w3.org/1999/xlink";
/// Each name is looked up in all declarations of the open elements. Drawing programs declare some ten.
const DECLARED_MAX: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    None,
    Svg,
    XLink,
    Xml,
    Other,
}

/// The declarations of the open elements, each with its prefix; the default one has none.
#[derive(Default)]
pub(super) struct Spaces(Vec<(String, Space)>);

impl Spaces {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// Adds the declarations of an element.
    pub(super) fn declare(&mut self, start: &BytesStart<'_>) -> Result<(), BadPicture> {
        for attribute in start.attributes().with_checks(false) {
            let attribute = attribute.map_err(malformed)?;
            let Some(prefix) = declared(&attribute) else { continue };
            let space = match value_of(&attribute)?.as_ref() {
                "" => Space::None,
                SVG => Space::Svg,
                XLINK => Space::XLink,
                _ => Space::Other,
            };
            if self.0.len() == DECLARED_MAX {
                return Err(unsupported("more than 64 namespaces"));
            }
            self.0.push((prefix.to_owned(), space));
        }
        Ok(())
    }

    /// The name of an element without its prefix.
    pub(super) fn of_element<'a>(&self, start: &'a BytesStart<'_>) -> Result<(&'a str, Space), BadPicture> {
        let (prefix, name) = parts(start.name());
        Ok((name, self.find(prefix)?))
    }

    /// The name of an attribute without its prefix. One without a prefix has no namespace.
    pub(super) fn of_attribute<'a>(&self, attribute: &Attribute<'a>) -> Result<(&'a str, Space), BadPicture> {
        match parts(attribute.key) {
            ("", name) => Ok((name, Space::None)),
            (prefix, name) => Ok((name, self.find(prefix)?)),
        }
    }

    fn find(&self, prefix: &str) -> Result<Space, BadPicture> {
        let found = self.0.iter().rev().find(|(declared, _)| declared == prefix).map(|(_, space)| *space);
        match (prefix, found) {
            ("xml", _) => Ok(Space::Xml),
            (_, Some(space)) => Ok(space),
            ("", None) => Ok(Space::None),
            (_, None) => Err(malformed(format_args!("the prefix {prefix:?} is not declared"))),
        }
    }
}

/// The prefix that an attribute declares.
pub(super) fn declared<'a>(attribute: &Attribute<'a>) -> Option<&'a str> {
    match parts(attribute.key) {
        ("", "xmlns") => Some(""),
        ("xmlns", prefix) => Some(prefix),
        _ => None,
    }
}

fn parts(name: QName<'_>) -> (&str, &str) {
    name.into_inner().split_once(':').unwrap_or(("", name.into_inner()))
}
