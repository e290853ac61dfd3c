//! The body of a file as Markdown. The rule: text for readers is kept, and everything that is not rendered is named in a note.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::templates::Tag;
use super::{admonitions, file_links, mdx, shortcodes, walk};

/// Converts the syntax of generators: code tags, MDX, admonitions, templates that are paths, and shortcodes that become HTML. Returns the notes about
/// the rest. `is_mdx`: whether the file is MDX although its name does not say so.
pub(super) fn of(origin: &str, is_mdx: bool, body: &str) -> (String, Vec<String>) {
    let body = shortcodes::as_fences(body);
    let is_mdx = is_mdx || origin.ends_with(mdx::ENDING) || mdx::begins_with_import(&body);
    let (body, components) = if is_mdx { mdx::to_markdown(&body) } else { (body.into_owned(), BTreeSet::new()) };
    let body = admonitions::as_alerts(&body);
    let body = file_links::with_paths(&body);
    let (markdown, shortcodes) = shortcodes::replaced(&body);
    let notes = [
        ("components are not rendered, only what is inside them", components),
        ("shortcodes are not rendered, they stay as text", shortcodes),
    ];
    let notes = notes.into_iter().filter(|(_, names)| !names.is_empty());
    let notes = notes.map(|(what, names)| format!("{what}: {}", names.into_iter().collect::<Vec<_>>().join(", ")));
    (markdown.into_owned(), notes.collect())
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
