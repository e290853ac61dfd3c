//! The components in an MDX file. The rule: the text between the tags of a component is shown, whatever its name.
//!
//! A browser, and so the HTML cleaner, reads the tag of a component as an element with the same name, in any case. It removes the content of some
//! elements (`<Card>` and `<List>` are MathML, `<Text>` is SVG, a `<Title>` is not text). So each tag gets a name that no element has.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::walk;

/// The maximum number of components in a note.
const NAMED_MAX: usize = 10;

/// Prepended to the name of a component. No element of HTML, SVG or MathML begins with it.
const PREFIX: &str = "mdx-";

/// The names in closing tags of a text. A component without one has no content.
pub(super) fn closed_names(body: &str) -> BTreeSet<&str> {
    body.split("</").skip(1).map(|rest| split_name(rest).0).filter(|name| !name.is_empty()).collect()
}

/// Renames the tags of components outside code, and returns the names for the note.
pub(super) fn renamed(body: &str) -> (Cow<'_, str>, BTreeSet<String>) {
    let (mut tags, mut names) = (Vec::new(), BTreeSet::new());
    walk::outside_code(body, &['<', '\\'], |_, at, _| {
        let start = at + 1 + usize::from(body[at + 1..].starts_with('/'));
        let (name, rest) = split_name(&body[start..]);
        if is_component(name, rest) {
            names.insert(name.to_owned());
            // These elements contain code.
            let is_code = ["Script", "Style"].contains(&name) && body.contains(&format!("</{name}>"));
            if !is_code {
                tags.push((start..start + name.len(), format!("{PREFIX}{}", name.replace(['.', '_'], "-"))));
            }
        }
        1
    });
    (walk::replaced(body, tags), names.into_iter().take(NAMED_MAX).collect())
}

/// Splits the name from the start of a tag.
pub(super) fn split_name(tag: &str) -> (&str, &str) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    tag.split_at(tag.find(|c| !is_part(c)).unwrap_or(tag.len()))
}

/// MDX reads a name with a capital first letter or a dot as a component, and any other as an element.
fn is_component(name: &str, rest: &str) -> bool {
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
        || (name.starts_with(|c: char| c.is_ascii_lowercase()) && name.contains('.'));
    is_name && rest.chars().next().is_none_or(|c| c.is_whitespace() || matches!(c, '/' | '>'))
}

#[cfg(test)]
mod tests {
    use tidings_model::markdown;

    use super::*;

    #[test]
    fn what_is_no_component_or_has_code_stays() {
        for text in [
            "<Script>code()</Script><Style>p {}</Style>",
            "\\<Card> `<Card>` and `</List>` in code, <card>, <b>, 1 < N, <Card@example.com>, <a.b@example.com>, <http://a.b>.",
            "",
        ] {
            assert_eq!(renamed(text).0, text);
        }
    }

    #[test]
    fn components_get_another_name() {
        for (text, expected) in [
            ("<Card title=\"a\">b</Card>", "<mdx-Card title=\"a\">b</mdx-Card>"),
            ("\\\\<Card>a</Card>", "\\\\<mdx-Card>a</mdx-Card>"),
            ("<Tabs.Item label=\"a\">b</Tabs.Item>", "<mdx-Tabs-Item label=\"a\">b</mdx-Tabs-Item>"),
            ("<motion.div>a</motion.div>", "<mdx-motion-div>a</mdx-motion-div>"),
            ("<My_Card>a</My_Card>", "<mdx-My-Card>a</mdx-My-Card>"),
            ("<Script src=\"a.js\" /> a", "<mdx-Script src=\"a.js\" /> a"),
            ("<Code code={x} /> a", "<mdx-Code code={x} /> a"),
            ("<Tabs>`<Card>` <Card>a</Card></Tabs>", "<mdx-Tabs>`<Card>` <mdx-Card>a</mdx-Card></mdx-Tabs>"),
        ] {
            assert_eq!(renamed(text).0, expected);
            let html = markdown::html_of(expected);
            assert!(!html.contains("&lt;/") && !html.contains("mdx-"), "{html}");
        }
    }

    #[test]
    fn the_text_of_every_element_of_mathml_and_svg_is_shown() {
        for name in "Abs Card Factorial Image Interval List Mask Matrix Max Min Path Pattern Set Switch Symbol Text Use Vector View"
            .split(' ')
            .chain("Svg Math Template Select Object Iframe Textarea Title".split(' '))
        {
            let body = format!("# A\n\n<{name} icon=\"x\">\n\nText *inside*.\n\n</{name}>\n\nBefore <{name}>middle</{name}> after.\n");
            let html = markdown::html_of(&renamed(&body).0);
            for part in ["<p>Text <em>inside</em>.</p>", "Before ", "middle", " after."] {
                assert!(html.contains(part), "{name}: {html}");
            }
            let empty = markdown::html_of(&renamed(&format!("<{name} icon=\"x\" />\n\nText *after*.\n")).0);
            assert!(empty.contains("<p>Text <em>after</em>.</p>"), "{name}: {empty}");
        }
    }
}
