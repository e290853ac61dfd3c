//! The body of a file as Markdown. The rule: text for readers is kept, and everything that is not rendered is named in a note.

use std::collections::BTreeSet;

use tidings_model::{embeds, html};

use super::addresses::{blocks, code_length};
use super::admonitions;
use super::code_tags;
use super::file_links;
use super::mdx::{self, Converted};
use super::shortcodes::{self, WithFigures};

/// Converts the syntax of generators: code tags, MDX, admonitions, templates that are paths, and shortcodes that become HTML. Returns the notes about
/// the rest, too. `is_mdx`: whether the file is MDX although its name does not say so.
pub(super) fn of(origin: &str, is_mdx: bool, body: &str, mut notes: Vec<String>) -> (String, Vec<String>) {
    let body = code_tags::as_fences(body);
    let is_mdx = is_mdx || origin.ends_with(mdx::ENDING) || mdx::begins_with_import(&body);
    let converted = is_mdx.then(|| mdx::to_markdown(&body));
    notes.extend(converted.as_ref().and_then(note_of_components));
    let body = admonitions::as_alerts(converted.as_ref().map_or(&body, |converted| &converted.markdown));
    let body = file_links::with_paths(&body);
    let WithFigures { markdown, others } = shortcodes::with_figures(&body);
    if !others.is_empty() {
        let names = others.into_iter().collect::<Vec<_>>().join(", ");
        notes.push(format!("shortcodes are not rendered, they stay as text: {names}"));
    }
    notes.extend(note_of_removed(&markdown));
    (markdown.into_owned(), notes)
}

const TAG_BYTES_MAX: usize = 2_000;

/// Names the elements that are removed with their content, and for which no link is shown.
fn note_of_removed(markdown: &str) -> Option<String> {
    let mut removed = BTreeSet::new();
    for block in blocks(markdown) {
        let (text, mut at) = (&markdown[block], 0);
        while let Some(step) = text[at..].find(['`', '\\', '<']) {
            at += step;
            let rest = &text[at..];
            at += match rest.as_bytes()[0] {
                b'`' => code_length(rest),
                b'\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
                _ => {
                    removed.extend(removed_name(rest));
                    1
                }
            };
        }
    }
    let names = removed.into_iter().collect::<Vec<_>>().join(">, <");
    (!names.is_empty()).then(|| format!("the body contains <{names}>, which is not shown to readers"))
}

/// The name of the element at the start of the text, if it is removed with its content.
fn removed_name(text: &str) -> Option<&'static str> {
    let name = html::DROPPED_WITH_CONTENT.split_whitespace().find(|name| {
        let after = text.get(1 + name.len()..).filter(|_| text[1..=name.len()].eq_ignore_ascii_case(name));
        after.is_some_and(|after| after.starts_with(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/')))
    })?;
    let tag = &text[..text.floor_char_boundary(TAG_BYTES_MAX)];
    let tag = &tag[..tag.find('>').map_or(tag.len(), |end| end + 1)];
    // The code of an inline script is not text that readers miss.
    let is_own_script = name == "script" && !tag.contains("src");
    (!is_own_script && embeds::with_links(tag).is_none()).then_some(name)
}

fn note_of_components(converted: &Converted) -> Option<String> {
    let names: Vec<&str> = converted.components.iter().map(String::as_str).collect();
    let names = names.join(", ");
    (!names.is_empty()).then(|| format!("components are not rendered, only what is inside them: {names}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_that_is_removed_with_its_text_is_named() {
        let note = |body: &str| of("a.md", false, body, Vec::new()).1;
        let named = |names: &str| vec![format!("the body contains <{names}>, which is not shown to readers")];
        assert_eq!(note("<style>p {}</style>\n\na <SVG width=1><text>b</text></SVG>"), named("style>, <svg"));
        assert_eq!(note("<iframe srcdoc=\"<p>a\"></iframe> <select><option>a</select>"), named("iframe>, <select"));
        assert_eq!(note("<script src=\"https://x.example/a.js\"></script>"), named("script"));
        for shown in [
            "<iframe src=\"https://x.example\"></iframe> <script src=\"https://gist.github.com/a/b.js\"></script>",
            "`<svg>` \\<svg> <svgs> < svg> <https://svg>\n\n```\n<style>\n```\n",
        ] {
            assert_eq!(note(shown), Vec::<String>::new(), "{shown}");
        }
    }

    #[test]
    fn only_a_body_of_mdx_is_converted() {
        let body = "import A from './a'\n\n<Card>a</Card>\n<Card>\n    b\n</Card>\n";
        let note = "components are not rendered, only what is inside them: Card".to_owned();
        let converted = "\n<mdx-Card>a</mdx-Card>\n\n<mdx-Card>\n\nb\n\n</mdx-Card>\n";
        let expected = (converted.to_owned(), vec![note]);
        assert_eq!(of("docs/a.mdx", false, body, Vec::new()), expected);
        assert_eq!(of("docs/a.md", true, body, Vec::new()), expected);
        assert_eq!(of("docs/a.md", false, body, Vec::new()), expected, "it begins with an import");
        let other = "Import what you can:\n\nimport goods from abroad\n\n<Card>a</Card>\n";
        assert_eq!(of("docs/a.md", false, other, Vec::new()), (other.to_owned(), Vec::new()));
    }
}
