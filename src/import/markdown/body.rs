//! The body of a file as Markdown. The rule: everything that the report says about it is a note; the text itself stays.

use super::file_links;
use super::mdx::{self, Converted};
use super::shortcodes::{self, WithFigures};

/// The body without what only a program could run, the templates that are paths, and the shortcodes that become HTML, and the notes with those about it.
pub(super) fn of(origin: &str, body: &str, mut notes: Vec<String>) -> (String, Vec<String>) {
    let converted = origin.ends_with(mdx::ENDING).then(|| mdx::to_markdown(body));
    notes.extend(converted.as_ref().and_then(note_of_components));
    let body = file_links::with_paths(converted.as_ref().map_or(body, |converted| &converted.markdown));
    let WithFigures { markdown, others } = shortcodes::with_figures(&body);
    if !others.is_empty() {
        let names = others.into_iter().collect::<Vec<_>>().join(", ");
        notes.push(format!("shortcodes are not rendered, they stay as text: {names}"));
    }
    (markdown.into_owned(), notes)
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
    fn only_the_body_of_an_mdx_file_is_converted() {
        let body = "import A from './a'\n\n<Card>a</Card>\n<Card>\n    b\n</Card>\n";
        let note = "components are not rendered, only what is inside them: Card".to_owned();
        let converted = "\n<mdx-Card>a</mdx-Card>\n\n<mdx-Card>\n\nb\n\n</mdx-Card>\n";
        assert_eq!(of("docs/a.mdx", body, Vec::new()), (converted.to_owned(), vec![note]));
        assert_eq!(of("docs/a.md", body, Vec::new()), (body.to_owned(), Vec::new()));
    }
}
