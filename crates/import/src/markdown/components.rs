//! The components in an MDX file. The rule: the text between the tags of a component is shown, whatever its name; its tags are renamed only if the
//! text would not be shown otherwise.
//!
//! A browser, and so the HTML cleaner, reads the tag of a component as an element with the same name, in any case. It removes the content of some
//! elements (`<Card>` and `<List>` are MathML, `<Text>` is SVG, a `<Title>` is not text), and treats `<Card />` as the start of an element that never
//! ends.

use std::collections::{BTreeMap, BTreeSet};

use tidings_model::markdown;

use super::walk;

/// The maximum number of components in a note.
const NAMED_MAX: usize = 10;

/// Prepended to the name of a component whose text would not be shown. No element of HTML, SVG or MathML begins with it.
const PREFIX: &str = "mdx-";

/// The components of one file.
pub(super) struct Components<'b> {
    closed: BTreeSet<&'b str>,
    /// Whether the tags of a component are kept, by name, such as `Chart` and `Tabs.Item`.
    kept: BTreeMap<String, bool>,
}

/// The names in closing tags of a text. A component without one has no content.
pub(super) fn closed_names(body: &str) -> BTreeSet<&str> {
    body.split("</").skip(1).map(|rest| split_name(rest).0).filter(|name| !name.is_empty()).collect()
}

impl<'b> Components<'b> {
    pub(super) fn of(body: &'b str) -> Self {
        Self { closed: closed_names(body), kept: BTreeMap::new() }
    }

    /// For the note.
    pub(super) fn into_names(self) -> BTreeSet<String> {
        self.kept.into_keys().take(NAMED_MAX).collect()
    }

    /// Renames components whose text would not be shown, except between backticks.
    pub(super) fn renamed(&mut self, line: &str) -> String {
        let mut names = Vec::new();
        walk::outside_code(line, &['<', '\\'], |_, at, _| {
            let start = at + 1 + usize::from(line[at + 1..].starts_with('/'));
            let (name, rest) = split_name(&line[start..]);
            if is_component(name, rest) && !self.is_kept(name) {
                names.push((start..start + name.len(), format!("{PREFIX}{}", name.replace(['.', '_'], "-"))));
            }
            1
        });
        walk::replaced(line, names).into_owned()
    }

    fn is_kept(&mut self, name: &str) -> bool {
        let is_shown = || is_text_shown(name, self.closed.contains(name));
        *self.kept.entry(name.to_owned()).or_insert_with(is_shown)
    }
}

/// Whether the text inside a component is shown; without a closing tag, whether it does not swallow what follows. Tags must not be shown as text.
/// Asks the renderer.
fn is_text_shown(name: &str, is_closed: bool) -> bool {
    // These elements contain code.
    if is_closed && ["Script", "Style"].contains(&name) {
        return true;
    }
    let end = if is_closed { format!(">text</{name}>") } else { " />text".to_owned() };
    let html = markdown::html_of(&format!("A <{name}{end}"));
    let after = html.split_once("text").map(|(_, after)| after.replace("</p>", ""));
    after.is_some_and(|after| is_closed || !after.contains("</")) && !html.contains("&lt;")
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
    use super::*;

    fn renamed(body: &str) -> String {
        Components::of(body).renamed(body)
    }

    #[test]
    fn tags_stay_if_the_text_in_them_is_shown() {
        for text in [
            "<Tabs>a</Tabs> <Chart data={x}/> <LinkCard title=\"a\" />",
            "<Image src=\"a.png\" /> <Table>a</Table> <Details>a</Details> <Code>a</Code>",
            "<Script>code()</Script><Style>p {}</Style>",
            "<Hr /> <Br/> <P/>",
            "\\<Card> `<Card>` and `</List>` in code, <card>, <b>, 1 < N, <Card@example.com>, <a.b@example.com>, <http://a.b>.",
            "",
        ] {
            assert_eq!(renamed(text), text);
        }
    }

    #[test]
    fn components_whose_text_would_not_be_shown_get_another_name() {
        for (text, expected) in [
            ("<Card title=\"a\">b</Card>", "<mdx-Card title=\"a\">b</mdx-Card>"),
            ("\\\\<Card>a</Card>", "\\\\<mdx-Card>a</mdx-Card>"),
            ("<Title>a</Title>", "<mdx-Title>a</mdx-Title>"),
            ("<Tabs.Item label=\"a\">b</Tabs.Item>", "<mdx-Tabs-Item label=\"a\">b</mdx-Tabs-Item>"),
            ("<motion.div>a</motion.div>", "<mdx-motion-div>a</mdx-motion-div>"),
            ("<My_Card>a</My_Card>", "<mdx-My-Card>a</mdx-My-Card>"),
            ("<Script src=\"a.js\" /> a", "<mdx-Script src=\"a.js\" /> a"),
            ("<Code code={x} /> a", "<mdx-Code code={x} /> a"),
            ("<Tabs>`<Card>` <Card>a</Card></Tabs>", "<Tabs>`<Card>` <mdx-Card>a</mdx-Card></Tabs>"),
        ] {
            assert_eq!(renamed(text), expected);
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
            let html = markdown::html_of(&renamed(&body));
            for part in ["<p>Text <em>inside</em>.</p>", "Before ", "middle", " after."] {
                assert!(html.contains(part), "{name}: {html}");
            }
            let empty = markdown::html_of(&renamed(&format!("<{name} icon=\"x\" />\n\nText *after*.\n")));
            assert!(empty.contains("<p>Text <em>after</em>.</p>"), "{name}: {empty}");
        }
    }
}
