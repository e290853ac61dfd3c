//! The shortcodes of Hugo. The rule: `figure` becomes an HTML figure, and a shortcode that shows a page of a known site becomes a link to it; any
//! other stays text and is named.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::html::attribute;

use super::addresses::{blocks, code_length};

/// The maximum number of shortcodes that are named.
const NAMES_MAX: usize = 10;
const BYTES_MAX: usize = 4_000;

/// Shortcodes that show a page of another site (gohugo.io, "Embedded shortcodes"), and the start of its address.
const PAGES: &[(&str, &str)] = &[
    ("gist", "https://gist.github.com/"),
    ("instagram", "https://www.instagram.com/p/"),
    ("vimeo", "https://vimeo.com/"),
    ("youtube", "https://www.youtube.com/watch?v="),
];

/// The body without `figure`, and the names of its other shortcodes.
pub(super) struct WithFigures<'b> {
    pub markdown: Cow<'b, str>,
    pub others: BTreeSet<String>,
}

pub(super) fn with_figures(markdown: &str) -> WithFigures<'_> {
    let (mut out, mut copied, mut others) = (String::new(), 0, BTreeSet::new());
    for block in blocks(markdown) {
        let (text, mut at) = (&markdown[block.clone()], 0);
        while let Some(step) = text[at..].find(['`', '{']) {
            at += step;
            let rest = &text[at..];
            if rest.starts_with('`') {
                at += code_length(rest);
                continue;
            }
            let Some((name, arguments, length)) = shortcode(rest) else {
                at += 1;
                continue;
            };
            let shown = if name == "figure" { figure(&parameters(arguments)) } else { link(name, arguments) };
            match shown {
                Some(shown) => {
                    let start = block.start + at;
                    out.push_str(&markdown[copied..start]);
                    out.push_str(&shown);
                    copied = start + length;
                }
                None if others.len() < NAMES_MAX && !matches!(name, "ref" | "relref") => {
                    others.insert(name.to_owned());
                }
                None => {}
            }
            at += length;
        }
    }
    if copied == 0 {
        return WithFigures { markdown: Cow::Borrowed(markdown), others };
    }
    out.push_str(&markdown[copied..]);
    WithFigures { markdown: Cow::Owned(out), others }
}

/// The name, arguments and length of the shortcode at the start of the text; `None` for a closing one.
fn shortcode(text: &str) -> Option<(&str, &str, usize)> {
    let close = match text.get(..3)? {
        "{{<" => ">}}",
        "{{%" => "%}}",
        _ => return None,
    };
    let end = text[..text.floor_char_boundary(BYTES_MAX)].find(close)?;
    let inside = text[3..end].trim().trim_end_matches('/').trim_end();
    let (name, arguments) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic());
    is_name.then_some((name, arguments, end + close.len()))
}

/// Parses `src="a.png" alt='B'`.
fn parameters(text: &str) -> Vec<(&str, &str)> {
    let (mut found, mut rest) = (Vec::new(), text.trim_start());
    while let Some((name, value)) = rest.split_once('=') {
        let value = value.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
        let end = match quote {
            Some(quote) => value[1..].find(quote).map(|end| end + 1),
            None => Some(value.find(char::is_whitespace).unwrap_or(value.len())),
        };
        let Some(end) = end else { break };
        let start = usize::from(quote.is_some());
        found.push((name.trim(), &value[start..end]));
        rest = value[end + start..].trim_start();
    }
    found
}

/// The figure with the parameters that Hugo's own template uses; `None` without a picture.
fn figure(parameters: &[(&str, &str)]) -> Option<String> {
    let get = |key: &str| parameters.iter().find(|(name, _)| *name == key).map(|(_, value)| attribute(value));
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
    let named = parameters(arguments);
    let id = match named.iter().find(|(key, _)| *key == "id") {
        Some((_, id)) => (*id).to_owned(),
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
            assert_eq!(with_figures(text).markdown, expected);
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
            assert_eq!(with_figures(text).markdown, expected);
        }
    }

    #[test]
    fn other_shortcodes_stay_and_are_named() {
        let text = "`{{< figure src=\"a.png\" >}}` {{< quiz a >}} {{< /quote >}} {{< figure alt=a >}} {{< ref \"a\" >}} {{ a }} {{< b\n```\n{{< c >}}\n```\n";
        let WithFigures { markdown, others } = with_figures(text);
        assert_eq!(markdown, text);
        assert_eq!(others.into_iter().collect::<Vec<_>>(), ["figure", "quiz"]);
    }
}
