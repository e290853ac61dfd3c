//! SVG ("Scalable Vector Graphics (SVG) 2", W3C). The rule: the result is written from the elements and attributes of the lists in `names`, never copied, so it
//! has no scripts, loads nothing, and is the same drawing for every parser, also as a part of an HTML page.
//!
//! The file is read once, element by element; besides the file and the result, only the open elements are in memory. Cleaning a cleaned drawing does not change
//! it.

mod attributes;
mod css;
mod names;
mod repeats;
mod size;
#[cfg(test)]
mod tests;
mod write;

use std::borrow::Cow;

use quick_xml::escape::{EscapeError, resolve_predefined_entity};
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesDecl, BytesRef, BytesStart, Event};
use quick_xml::name::{Namespace, NamespaceError, NamespaceResolver, ResolveResult};
use quick_xml::{Error, NsReader, XmlVersion};

use super::Cleaned;
use crate::assets::error::BadPicture;
use crate::model::AssetFormat;

use attributes::Embedded;
use names::Content;
use repeats::Repeats;
use write::Written;

/// The longest file, before and after it is cleaned. Drawings with embedded pictures have some 2 MB.
const BYTES_MAX: usize = 4 * 1024 * 1024;
/// The deepest nesting of elements. Drawing programs nest some 30 groups; browsers stop at several thousand.
const DEPTH_MAX: usize = 256;
/// The maximum number of elements that a browser has to lay out. A world map has some 20,000.
const ELEMENTS_MAX: usize = 100_000;
/// The maximum number of declared namespaces: each name is looked up in all declarations of the open elements. Drawing programs declare some ten.
const NAMESPACES_MAX: usize = 64;
/// How many bytes of a file in another encoding are searched for the element `svg`.
const BEGINNING_BYTES: usize = 1024;

/// Whether a file is XML or HTML by its first character.
pub(super) fn is_markup(bytes: &[u8]) -> bool {
    without_mark(bytes).trim_ascii_start().starts_with(b"<")
}

/// Why a file is refused that is not [markup](is_markup) in UTF-8: it may be an SVG in UTF-16, or one after other text.
pub(super) fn not_markup(bytes: &[u8]) -> BadPicture {
    if seems_svg(bytes) { unsupported(ENCODING) } else { BadPicture::Unknown }
}

fn seems_svg(bytes: &[u8]) -> bool {
    let beginning = String::from_utf8_lossy(&bytes[..bytes.len().min(BEGINNING_BYTES)]);
    beginning.replace('\0', "").to_ascii_lowercase().contains("<svg")
}

/// # Errors
/// If the file is not a well-formed SVG, or larger than a browser should have to lay out.
pub(super) fn clean(bytes: &[u8]) -> Result<Cleaned, BadPicture> {
    if bytes.len() > BYTES_MAX {
        return Err(if seems_svg(bytes) { unsupported(LENGTH) } else { BadPicture::Unknown });
    }
    let text = std::str::from_utf8(without_mark(bytes)).ok().filter(|text| !text.contains('\0'));
    let Some(text) = text else { return Err(not_markup(bytes)) };
    check_characters(text)?;
    let mut reader = NsReader::from_str(text.trim_ascii_start());
    reader.config_mut().expand_empty_elements = true;
    reader.resolver_mut().set_max_namespace_bindings(NAMESPACES_MAX);
    let mut drawing = Drawing::default();
    loop {
        // Without a root element, nothing shows that the file is an SVG.
        let event = reader.read_event().map_err(|error| match (error, drawing.size) {
            (Error::Namespace(NamespaceError::TooManyBindings(_)), _) => unsupported("more than 64 namespaces"),
            (error, Some(_)) => malformed(error),
            (_, None) => BadPicture::Unknown,
        })?;
        match event {
            Event::Decl(declaration) => check_encoding(&declaration, text)?,
            Event::Start(start) => drawing.open(&start, reader.resolver())?,
            Event::End(_) => drawing.close()?,
            Event::Text(text) => drawing.text(&text.xml10_content())?,
            Event::CData(text) => drawing.text(&text.xml10_content())?,
            Event::GeneralRef(reference) => drawing.text(resolved(&reference)?.encode_utf8(&mut [0; 4]))?,
            Event::Comment(_) | Event::PI(_) | Event::DocType(_) | Event::Empty(_) => {}
            Event::Eof => return drawing.end(),
        }
    }
}

const ENCODING: &str = "another encoding than UTF-8, or text before its first tag";

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Encodings that agree with ASCII are accepted for ASCII text, because it is also UTF-8.
fn check_encoding(declaration: &BytesDecl<'_>, text: &str) -> Result<(), BadPicture> {
    let Some(encoding) = declaration.encoding() else { return Ok(()) };
    let encoding = encoding.map_err(malformed)?.to_ascii_lowercase();
    let is_latin = encoding.starts_with("iso-8859-") || encoding.starts_with("windows-125");
    let is_read = encoding == "utf-8" || ((is_latin || encoding == "us-ascii") && text.is_ascii());
    if is_read { Ok(()) } else { Err(unsupported(ENCODING)) }
}

fn check_characters(text: &str) -> Result<(), BadPicture> {
    // "Extensible Markup Language (XML) 1.0", section 2.2.
    let is_forbidden = |character: char| match character {
        '\t' | '\n' | '\r' => false,
        character => character < ' ' || matches!(character, '\u{fffe}' | '\u{ffff}'),
    };
    match text.contains(is_forbidden) {
        true => Err(damaged("it has a character that XML does not allow")),
        false => Ok(()),
    }
}

/// The character of a reference. A file's own entities are never read, so none can grow.
fn resolved(reference: &BytesRef<'_>) -> Result<char, BadPicture> {
    let character = match resolve_predefined_entity(reference) {
        Some(text) => text.chars().next(),
        None => reference.resolve_char_ref().map_err(malformed)?,
    };
    let character = character.ok_or_else(|| unsupported(ENTITIES))?;
    check_characters(character.encode_utf8(&mut [0; 4]))?;
    Ok(character)
}

/// The value of an attribute without references.
fn value_of<'a>(attribute: &Attribute<'a>) -> Result<Cow<'a, str>, BadPicture> {
    let value = attribute.normalized_value(XmlVersion::Explicit1_0).map_err(|error| match error {
        Error::Escape(EscapeError::UnrecognizedEntity(..)) => unsupported(ENTITIES),
        error => malformed(error),
    })?;
    check_characters(&value)?;
    Ok(value)
}

const ENTITIES: &str = "entities of its own";
const LENGTH: &str = "more than 4 MiB";

const FORMATTED_TEXT: &str = "formatted text (`foreignObject`)";
const FONTS: &str = "embedded fonts";
const PICTURES: &str = "pictures that are not in it";

fn damaged(what: impl Into<String>) -> BadPicture {
    BadPicture::Damaged { format: AssetFormat::Svg, what: what.into() }
}

fn malformed(error: impl std::fmt::Display) -> BadPicture {
    damaged(format!("it is not well-formed XML: {error}"))
}

fn unsupported(what: &'static str) -> BadPicture {
    BadPicture::Unsupported { format: AssetFormat::Svg, what }
}

/// An element that is kept, until its end.
struct Open {
    name: &'static str,
    content: Content,
}

const SVG: &str = "http://www.w3.org/2000/svg";
const XLINK: &str = "http://www.w3.org/1999/xlink";
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// A namespace. The declaration of a prefix decides, not its name: an SVG element can have any prefix, and the prefix `svg` can be declared for another
/// namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Space {
    None,
    Svg,
    XLink,
    Xml,
    Other,
}

impl Space {
    fn of(resolved: &ResolveResult<'_>) -> Result<Self, BadPicture> {
        match resolved {
            ResolveResult::Unbound => Ok(Self::None),
            ResolveResult::Bound(Namespace(SVG)) => Ok(Self::Svg),
            ResolveResult::Bound(Namespace(XLINK)) => Ok(Self::XLink),
            ResolveResult::Bound(Namespace(XML)) => Ok(Self::Xml),
            ResolveResult::Bound(_) => Ok(Self::Other),
            ResolveResult::Unknown(prefix) => Err(malformed(format_args!("the prefix {prefix:?} is not declared"))),
        }
    }
}

/// The state of the cleaner while it reads a file.
#[derive(Default)]
struct Drawing {
    embedded: Embedded,
    written: Written,
    open: Vec<Open>,
    /// The depth within an omitted element.
    skipped: usize,
    elements: usize,
    repeats: Repeats,
    /// The text of the open element `style`.
    sheet: String,
    /// `None` until the root was read.
    size: Option<(u32, u32)>,
    left_out: Vec<&'static str>,
}

impl Drawing {
    fn open(&mut self, start: &BytesStart<'_>, spaces: &NamespaceResolver) -> Result<(), BadPicture> {
        if self.open.len() + self.skipped >= DEPTH_MAX {
            return Err(unsupported("more than 256 nested elements"));
        }
        if self.skipped > 0 {
            self.skipped += 1;
            return Ok(());
        }
        if self.size.is_some() && self.open.is_empty() {
            return Err(malformed("there is an element after its end"));
        }
        let (declared, name) = spaces.resolve_element(start.name());
        let (space, name) = (Space::of(&declared)?, name.into_inner());
        let known = names::element(name).filter(|_| space == Space::Svg);
        if self.size.is_none() && known.is_none_or(|(name, _)| name != "svg") {
            return Err(not_svg(name, &declared));
        }
        let parent = self.open.last().map_or(Content::Elements, |open| open.content);
        let Some((name, content)) = known.filter(|_| parent.has_elements()) else {
            match name {
                "foreignObject" => self.leave_out(FORMATTED_TEXT),
                "font" | "font-face" if space == Space::Svg => self.leave_out(FONTS),
                _ => {}
            }
            self.skipped = 1;
            return Ok(());
        };
        self.elements += 1;
        if self.elements > ELEMENTS_MAX {
            return Err(unsupported("more than 100,000 elements"));
        }
        let attributes = attributes::cleaned(start, name, spaces, &mut self.embedded)?;
        if name == "image" && !attributes.iter().any(|(name, _)| *name == "href") {
            self.leave_out(PICTURES);
        }
        if self.size.is_none() {
            let of = |name: &str| attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str());
            self.size = Some(size::of(of("width"), of("height"), of("viewBox")));
        }
        self.repeats.open(name, &attributes);
        self.written.start(name, self.open.is_empty(), &attributes);
        self.open.push(Open { name, content: content.within(parent) });
        self.check_length()
    }

    fn close(&mut self) -> Result<(), BadPicture> {
        if self.skipped > 0 {
            self.skipped -= 1;
            return Ok(());
        }
        // The parser refuses an end tag without a start tag.
        let Some(Open { name, content }) = self.open.pop() else { return Ok(()) };
        if content == Content::Sheet {
            let sheet = std::mem::take(&mut self.sheet);
            if sheet.to_ascii_lowercase().contains("@font-face") {
                self.leave_out(FONTS);
            }
            self.written.text(&css::sheet(&sheet));
        }
        self.written.end(name);
        self.repeats.close();
        self.check_length()
    }

    fn text(&mut self, text: &str) -> Result<(), BadPicture> {
        match self.open.last().map(|open| open.content) {
            None if text.trim_ascii().is_empty() => {}
            None if self.size.is_none() => return Err(BadPicture::Unknown),
            None => return Err(malformed("there is text after its end")),
            Some(_) if self.skipped > 0 => {}
            Some(Content::Elements) => {}
            // `&#13;` is written as a newline, which would end a string.
            Some(Content::Sheet) => self.sheet.push_str(&text.replace('\r', "\n")),
            Some(Content::Text | Content::TextAndElements | Content::AsParent) => self.written.text(text),
        }
        self.check_length()
    }

    fn leave_out(&mut self, what: &'static str) {
        if !self.left_out.contains(&what) {
            self.left_out.push(what);
        }
    }

    /// The limit is the same as for the file, so that the result can be cleaned again.
    fn check_length(&self) -> Result<(), BadPicture> {
        if self.written.len() > BYTES_MAX { Err(unsupported(LENGTH)) } else { Ok(()) }
    }

    fn end(self) -> Result<Cleaned, BadPicture> {
        let (width, height) = self.size.ok_or(BadPicture::Unknown)?;
        if !self.open.is_empty() {
            return Err(BadPicture::Truncated(AssetFormat::Svg));
        }
        self.repeats.check()?;
        Ok(Cleaned {
            format: AssetFormat::Svg,
            bytes: self.written.into_bytes(),
            width,
            height,
            is_animated: false,
            is_turned: false,
            left_out: self.left_out,
        })
    }
}

fn not_svg(name: &str, space: &ResolveResult<'_>) -> BadPicture {
    match (name, space) {
        ("svg", ResolveResult::Unbound) => {
            damaged("its root has no namespace; add xmlns=\"http://www.w3.org/2000/svg\"")
        }
        // Adobe Illustrator names the namespaces by entities.
        ("svg", ResolveResult::Bound(Namespace(name))) if name.starts_with('&') => unsupported(ENTITIES),
        _ => BadPicture::Unknown,
    }
}
