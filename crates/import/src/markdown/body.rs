//! The body of a file as Markdown. The rule: text for readers is kept, and everything that is not rendered is named in a note.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use tidings_model::{embeds, html};

use super::templates::Tag;
use super::{admonitions, code_tags, file_links, mdx, shortcodes, walk};

/// Converts the syntax of generators: code tags, MDX, admonitions, templates that are paths, and shortcodes that become HTML. Returns the notes about
/// the rest. `is_mdx`: whether the file is MDX although its name does not say so.
pub(super) fn of(origin: &str, is_mdx: bool, body: &str) -> (String, Vec<String>) {
    let mut notes = Vec::new();
    let body = code_tags::as_fences(body);
    let is_mdx = is_mdx || origin.ends_with(mdx::ENDING) || mdx::begins_with_import(&body);
    let (body, components) = if is_mdx { mdx::to_markdown(&body) } else { (body.into_owned(), BTreeSet::new()) };
    if !components.is_empty() {
        let names = components.into_iter().collect::<Vec<_>>().join(", ");
        notes.push(format!("components are not rendered, only what is inside them: {names}"));
    }
    let body = admonitions::as_alerts(&body);
    let body = file_links::with_paths(&body);
    let (markdown, others) = shortcodes::replaced(&body);
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
    walk::outside_code(markdown, &['\\', '<'], |block, at, _| {
        removed.extend(removed_name(&markdown[at..block.end]));
        1
    });
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

/// Removes `{% raw %}` and `{% endraw %}` of Liquid and Nunjucks, between which nothing is a template, even in code, as the template engines do. A mark
/// without the other one stays.
pub(super) fn without_raw_marks(markdown: &str) -> Cow<'_, str> {
    let (mut marks, mut at) = (Vec::new(), 0);
    while let Some(start) = raw_mark(markdown, at, "raw") {
        let Some(end) = raw_mark(markdown, start.end, "endraw") else { break };
        at = end.end;
        marks.extend([start, end].map(|mark| (mark, String::new())));
    }
    walk::replaced(markdown, marks)
}

/// The first tag with this name at or after a position.
fn raw_mark(text: &str, from: usize, name: &str) -> Option<Range<usize>> {
    text[from..].match_indices("{%").find_map(|(at, open)| {
        let tag = Tag::of(&text[from + at..]).filter(|tag| tag.open == open && tag.inside == name)?;
        Some(from + at..from + at + tag.length)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_that_is_removed_with_its_text_is_named() {
        let note = |body: &str| of("a.md", false, body).1;
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
        assert_eq!(of("docs/a.mdx", false, body), expected);
        assert_eq!(of("docs/a.md", true, body), expected);
        assert_eq!(of("docs/a.md", false, body), expected, "it begins with an import");
        let other = "Import what you can:\n\nimport goods from abroad\n\n<Card>a</Card>\n";
        assert_eq!(of("docs/a.md", false, other), (other.to_owned(), Vec::new()));
    }

    #[test]
    fn the_marks_are_removed_and_what_is_between_them_stays() {
        for (text, expected) in [
            ("a {% raw %}{{ b }}{% endraw %} c", "a {{ b }} c"),
            ("```\n{%- raw -%}\n{% if a %}\n{%endraw%}\n```\n", "```\n\n{% if a %}\n\n```\n"),
            ("{% raw %}{% raw %}{% endraw %} {% raw %}a", "{% raw %} {% raw %}a"),
            ("{% rawer %} {% endraw %}", "{% rawer %} {% endraw %}"),
        ] {
            assert_eq!(without_raw_marks(text), expected, "{text}");
        }
    }
}
