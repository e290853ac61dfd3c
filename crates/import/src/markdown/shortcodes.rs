//! The shortcodes of Hugo. The rule: `figure` becomes an HTML figure, and a shortcode that shows a page of a known site becomes a link to it; any
//! other stays text and is named.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::html::attribute;

use super::addresses::attributes;
use super::templates::{Tag, split_word};
use super::walk;

/// The maximum number of shortcodes that are named.
const NAMES_MAX: usize = 10;

/// Shortcodes that show a page of another site (gohugo.io, "Embedded shortcodes"), and the start of its address.
const PAGES: &[(&str, &str)] = &[
    ("gist", "https://gist.github.com/"),
    ("instagram", "https://www.instagram.com/p/"),
    ("vimeo", "https://vimeo.com/"),
    ("youtube", "https://www.youtube.com/watch?v="),
];

/// The body with figures and links, and the names of its other shortcodes.
pub(super) fn replaced(markdown: &str) -> (Cow<'_, str>, BTreeSet<String>) {
    let (mut shown, mut others) = (Vec::new(), BTreeSet::new());
    walk::outside_code(markdown, &['{'], |block, at, _| {
        let Some((name, arguments, length)) = shortcode(&markdown[at..block.end]) else { return 1 };
        let html = if name == "figure" { figure(arguments) } else { link(name, arguments) };
        match html {
            Some(html) => shown.push((at..at + length, html)),
            None if others.len() < NAMES_MAX && !matches!(name, "ref" | "relref") => {
                others.insert(name.to_owned());
            }
            None => {}
        }
        length
    });
    (walk::replaced(markdown, shown), others)
}

/// The name, arguments and length of the shortcode at the start of the text; `None` for a closing one.
fn shortcode(text: &str) -> Option<(&str, &str, usize)> {
    let tag = Tag::of(text).filter(|tag| matches!(tag.open, "{{<" | "{{%"))?;
    let (name, arguments) = split_word(tag.inside.trim_end_matches('/').trim_end());
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then_some((name, arguments, tag.length))
}

/// The value of `src="a.png" alt='B'` for a key.
fn parameter(arguments: &str, key: &str) -> Option<String> {
    let tag = format!("{arguments}>");
    let (_, value) = attributes(&tag, 0).find(|(name, _)| *name == key)?;
    Some(tag[value?].to_owned())
}

/// The figure with the parameters that Hugo's own template uses; `None` without a picture.
fn figure(arguments: &str) -> Option<String> {
    let get = |key: &str| parameter(arguments, key).map(|value| attribute(&value));
    let src = get("src").filter(|src| !src.is_empty())?;
    let sizes = ["width", "height"].into_iter().filter_map(|key| Some(format!(" {key}=\"{}\"", get(key)?)));
    let alt = get("alt").or_else(|| get("caption")).unwrap_or_default();
    let mut out = format!("<img src=\"{src}\" alt=\"{alt}\"{}>", sizes.collect::<String>());
    if let Some(link) = get("link") {
        out = format!("<a href=\"{link}\">{out}</a>");
    }
    let title = get("title").map(|title| format!("<h4>{title}</h4>"));
    let source = get("attr").map(|text| match get("attrlink") {
        Some(link) => format!("<a href=\"{link}\">{text}</a>"),
        None => text,
    });
    let caption: Vec<String> = get("caption").into_iter().chain(source).collect();
    let caption = (!caption.is_empty()).then(|| format!("<p>{}</p>", caption.join(" ")));
    let below: String = title.into_iter().chain(caption).collect();
    let below = if below.is_empty() { below } else { format!("<figcaption>{below}</figcaption>") };
    Some(format!("<figure>{out}{below}</figure>"))
}

/// A link to the page that a shortcode shows: `{{< youtube abc >}}`, `{{< youtube id="abc" >}}`, `{{< gist ada 1f >}}`.
fn link(name: &str, arguments: &str) -> Option<String> {
    let (_, address) = PAGES.iter().find(|(shortcode, _)| *shortcode == name)?;
    let id = match parameter(arguments, "id") {
        Some(id) => id,
        None => {
            let parts = if name == "gist" { 2 } else { 1 };
            let words: Vec<&str> =
                arguments.split_whitespace().map(|word| word.trim_matches(['"', '\'', '`'])).collect();
            words.get(..parts)?.join("/")
        }
    };
    let is_id = !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/'));
    is_id.then(|| format!("<{address}{id}>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_a_picture_with_what_the_shortcode_says() {
        for (text, expected) in [
            ("a {{< figure src=\"/a.png\" >}} b", "a <figure><img src=\"/a.png\" alt=\"\"></figure> b"),
            (
                "{{< figure src=a.png alt='A \"b\"' title=\"T\" caption=\"C & d\" width=20 />}}",
                "<figure><img src=\"a.png\" alt=\"A &quot;b&quot;\" width=\"20\"><figcaption><h4>T</h4><p>C &amp; d</p></figcaption></figure>",
            ),
            (
                "{{% figure src=\"a.png\" link=\"/b\" attr=\"By C\" attrlink=\"/c\" %}}",
                "<figure><a href=\"/b\"><img src=\"a.png\" alt=\"\"></a><figcaption><p><a href=\"/c\">By C</a></p></figcaption></figure>",
            ),
        ] {
            assert_eq!(replaced(text).0, expected);
        }
    }

    #[test]
    fn a_shortcode_that_shows_a_page_is_a_link_to_it() {
        for (text, expected) in [
            ("a {{< youtube \"a_b-c\" >}} b", "a <https://www.youtube.com/watch?v=a_b-c> b"),
            ("{{< youtube id=abc autoplay=true >}}", "<https://www.youtube.com/watch?v=abc>"),
            ("{{% vimeo 12 %}}", "<https://vimeo.com/12>"),
            ("{{< gist ada 1f \"a.rs\" >}}", "<https://gist.github.com/ada/1f>"),
            ("{{< gist ada >}} {{< youtube >}}", "{{< gist ada >}} {{< youtube >}}"),
            ("{{< youtube \"a>b\" >}}", "{{< youtube \"a>b\" >}}"),
        ] {
            assert_eq!(replaced(text).0, expected);
        }
    }

    #[test]
    fn other_shortcodes_stay_and_are_named() {
        let text = "`{{< figure src=\"a.png\" >}}` {{< quiz a >}} {{< /quote >}} {{< figure alt=a >}} {{< ref \"a\" >}} {{ a }} {{< b\n```\n{{< c >}}\n```\n";
        let (markdown, others) = replaced(text);
        assert_eq!(markdown, text);
        assert_eq!(others.into_iter().collect::<Vec<_>>(), ["figure", "quiz"]);
    }
}
