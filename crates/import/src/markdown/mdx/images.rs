//! Pictures that a program of MDX names: `import boat from './boat.png'` with `<Image src={boat} />`, and `require('./boat.png')`. The rule: an image
//! whose file is written out becomes `<img>`; any other stays a component.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::html::attribute;
use crate::markdown::{addresses, walk};
use tidings_model::html_text;

use super::tag::{Form, Tag, Value};

/// The element, and the components of Astro, Next.js and Gatsby that show one picture.
const IMAGES: &[&str] = &["img", "Image", "NextImage", "Picture", "StaticImage"];
/// The attributes of `<img>` that are kept, if their values are written out.
const KEPT: &[&str] = &["alt", "title", "width", "height"];

pub(super) fn as_elements(body: &str) -> Cow<'_, str> {
    let imported: HashMap<&str, &str> = body.lines().filter_map(import).collect();
    let mut images = Vec::new();
    walk::outside_code(body, &['<', '\\'], |block, at, _| {
        let Some(tag) = Tag::of(&body[at..block.end]).filter(|tag| IMAGES.contains(&tag.name)) else { return 1 };
        let rest = &body[at + tag.length..block.end];
        let end = match tag.form {
            Form::Opening if tag.name != "img" => format!("</{}>", tag.name),
            _ => String::new(),
        };
        match element(&tag, &imported).filter(|_| rest.starts_with(&end)) {
            Some(html) => images.push((at..at + tag.length + end.len(), html)),
            None => return 1,
        }
        tag.length + end.len()
    });
    walk::replaced(body, images)
}

/// The name and the address of `import boat from './boat.png'`.
fn import(line: &str) -> Option<(&str, &str)> {
    let (name, address) = line.strip_prefix("import ")?.split_once(" from ")?;
    let address = quoted(address.trim().trim_end_matches(';').trim_end())?;
    addresses::has_ending(address).then_some((name.trim(), address))
}

/// `None` if it is HTML already, or has no address that is written out.
fn element(Tag { name, attributes, .. }: &Tag<'_>, imported: &HashMap<&str, &str>) -> Option<String> {
    let (_, source) = attributes.iter().find(|(name, _)| *name == "src")?;
    let address = match source {
        Value::Text(_) if *name == "img" => return None,
        Value::Text(text) => html_text::from_any(text),
        Value::Program(text) => address_in(text, imported)?.to_owned(),
    };
    let mut html = format!("<img src=\"{}\"", attribute(&address));
    for (name, value) in attributes.iter().filter(|(name, _)| KEPT.contains(name)) {
        if let Some(text) = value.written_out() {
            html.push_str(&format!(" {name}=\"{}\"", attribute(&text)));
        }
    }
    Some(html + " />")
}

impl Value<'_> {
    /// The text of a value that needs no program.
    fn written_out(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(html_text::from_any(text)),
            Self::Program(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => Some((*text).to_owned()),
            Self::Program(text) => quoted(text).filter(|text| !text.contains("${")).map(str::to_owned),
        }
    }
}

/// The address that a program names: an imported picture, or the only picture in quotes.
fn address_in<'t>(program: &'t str, imported: &HashMap<&str, &'t str>) -> Option<&'t str> {
    if let Some(address) = imported.get(program.strip_suffix(".src").unwrap_or(program)) {
        return Some(address);
    }
    let mut texts = program.split(['"', '\'', '`']).skip(1).step_by(2).filter(|text| addresses::has_ending(text));
    texts.next().filter(|text| texts.next().is_none() && !text.contains('$'))
}

fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
    let inside = text.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inside.contains([quote, '\\'])).then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_whose_file_is_written_out_is_an_element() {
        let imports = "import boat from '../boat.png';\nimport Sea from \"@/assets/sea.JPG\"\n\n";
        for (text, expected) in [
            ("<Image src={boat} alt=\"A boat\" />", "<img src=\"../boat.png\" alt=\"A boat\" />"),
            (
                "<img\n  src={ boat.src }\n  alt={'At \"sea\"'}\n  width={300}\n  style={{ a: '}' }}\n/>",
                "<img src=\"../boat.png\" alt=\"At &quot;sea&quot;\" width=\"300\" />",
            ),
            ("<Image {...props} src={Sea} priority alt={caption} />", "<img src=\"@/assets/sea.JPG\" />"),
            ("<img src={require('./boat.gif').default} />", "<img src=\"./boat.gif\" />"),
            ("<img src={useBaseUrl(\"/img/boat.png\")}/>", "<img src=\"/img/boat.png\" />"),
            (
                "<StaticImage src=\"../a.png\" alt=\"R &amp; S\" placeholder=\"blurred\" />",
                "<img src=\"../a.png\" alt=\"R &amp; S\" />",
            ),
            ("a <Picture src={boat} formats={['avif', 'webp']}></Picture> b", "a <img src=\"../boat.png\" /> b"),
        ] {
            assert_eq!(as_elements(&format!("{imports}{text}")), format!("{imports}{expected}"), "{text}");
        }
    }

    #[test]
    fn any_other_stays_as_it_is() {
        for text in [
            "import boat from './boat.png'\n\n`<Image src={boat} />` \\<Image src={boat} />\n\n```\n<Image src={boat} />\n```\n",
            "import boat from './boat.js'\n\n<Image src={boat} /> <Image alt=\"a\" /> <Gallery src={boat} /> <Image src=\"a.png\">b</Image>",
            "<img src=\"a.png\" alt=\"b\"> <img src={dark ? 'a.png' : 'b.png'} /> <img src={`a${n}.png`} />",
            "<Image src={boat",
        ] {
            assert_eq!(as_elements(text), text);
        }
    }
}
