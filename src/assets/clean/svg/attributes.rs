//! The attributes of an element. The rule: an attribute with a value that could load or run something is omitted; a link points into the same drawing, except
//! that an `a` may link to a page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use quick_xml::events::BytesStart;
use quick_xml::name::NamespaceResolver;

use super::names::{self, Value};
use super::{Space, css, damaged, malformed, unsupported, value_of};
use crate::assets::PIXELS_MAX;
use crate::assets::clean::clean_pixels;
use crate::assets::decode::check_size;
use crate::assets::error::BadPicture;

/// The maximum number of attributes of an element, because duplicates are found by comparing all pairs. Drawing programs write some 40.
const ATTRIBUTES_MAX: usize = 256;
/// The schemes of a link.
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];
/// The elements that repeat or change another one of the same drawing.
const WITH_FRAGMENT: &str = "\
    animate animateMotion animateTransform filter linearGradient mpath pattern radialGradient set textPath use";

/// The embedded bitmap pictures of a drawing. Together, they may have at most the pixels of one picture.
#[derive(Default)]
pub(super) struct Embedded {
    pixels: u64,
}

/// The allowed attributes with their cleaned values, in order, each name once.
pub(super) fn cleaned(
    start: &BytesStart<'_>,
    element: &'static str,
    spaces: &NamespaceResolver,
    embedded: &mut Embedded,
) -> Result<Vec<(&'static str, String)>, BadPicture> {
    if start.attributes().with_checks(false).nth(ATTRIBUTES_MAX).is_some() {
        return Err(unsupported("more than 256 attributes on one element"));
    }
    let (mut kept, mut old_link) = (Vec::new(), None);
    for attribute in start.attributes() {
        let attribute = attribute.map_err(malformed)?;
        if attribute.key.as_namespace_binding().is_some() {
            continue;
        }
        let (space, name) = spaces.resolve_attribute(attribute.key);
        let (space, name) = (Space::of(&space)?, name.into_inner());
        let is_link = name == "href" && matches!(space, Space::None | Space::XLink);
        let Some((name, value)) = (match (name, space) {
            _ if is_link => Some(("href", Value::Text)),
            ("space" | "lang", Space::Xml) => {
                Some((if name == "lang" { "xml:lang" } else { "xml:space" }, Value::Text))
            }
            (_, Space::None) => names::attribute(name),
            _ => None,
        }) else {
            continue;
        };
        let text = value_of(&attribute)?.replace(['\t', '\n', '\r'], " ");
        let text = if is_link { link(element, &text, embedded)? } else { of(value, text) };
        match text {
            // `href` has precedence over `xlink:href`.
            Some(text) if is_link && space == Space::XLink => old_link = Some((name, text)),
            Some(text) => kept.push((name, text)),
            None => {}
        }
    }
    let has_link = kept.iter().any(|(name, _)| *name == "href");
    kept.extend(old_link.filter(|_| !has_link));
    Ok(kept)
}

fn of(value: Value, text: String) -> Option<String> {
    match value {
        Value::Text => Some(text),
        Value::Drawn => css::is_safe(&text).then_some(text),
        Value::Animated => names::can_be_animated(&text).then_some(text),
        Value::Declarations => Some(css::declarations(&text)).filter(|text| !text.is_empty()),
    }
}

/// The target of a link, if the element may have it.
fn link(element: &str, text: &str, embedded: &mut Embedded) -> Result<Option<String>, BadPicture> {
    let text = text.trim();
    // A browser decodes `%`, so two different fragments could be the same name.
    let is_fragment = text.starts_with('#') && !text.contains('%');
    match element {
        "image" => embedded.address(text),
        "a" => {
            let of_scheme =
                |scheme: &&str| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
            Ok((is_fragment || SCHEMES.iter().any(of_scheme)).then(|| text.to_owned()))
        }
        _ => Ok((is_fragment && WITH_FRAGMENT.split(' ').any(|known| known == element)).then(|| text.to_owned())),
    }
}

impl Embedded {
    /// The address of a picture in base64, which is cleaned like an uploaded picture. Its content determines its type.
    fn address(&mut self, address: &str) -> Result<Option<String>, BadPicture> {
        let is_data = address.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:"));
        let Some((head, data)) = address.split_once(',').filter(|_| is_data) else { return Ok(None) };
        if !head.to_ascii_lowercase().ends_with(";base64") {
            return Ok(None);
        }
        let data: String = data.split(' ').collect();
        let Ok(bytes) = STANDARD.decode(data) else { return Ok(None) };
        let cleaned = match clean_pixels(&bytes).and_then(|cleaned| check_size(&cleaned).map(|()| cleaned)) {
            Ok(cleaned) => cleaned,
            Err(BadPicture::Unknown) => return Ok(None),
            Err(error) => return Err(damaged(format!("it has a picture that is refused: {error}"))),
        };
        self.pixels += u64::from(cleaned.width) * u64::from(cleaned.height);
        if self.pixels > PIXELS_MAX {
            return Err(unsupported("pictures of more than 25 million pixels"));
        }
        let (kind, data) = (cleaned.format.content_type(), STANDARD.encode(cleaned.bytes));
        Ok(Some(format!("data:{kind};base64,{data}")))
    }
}
