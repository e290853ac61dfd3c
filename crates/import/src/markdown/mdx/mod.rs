//! Converts MDX to Markdown. The rule: what only a program could run (imports, exports, comments in braces) is removed, and everything else stays as
//! written, except for the names of components whose text would not be shown, and the line ends and indentation around tags, so that their content is
//! read as Markdown ([`blocks`]); code is unchanged.

mod blocks;
mod images;
mod line;
mod tag;

use std::collections::BTreeSet;

use super::components::Components;
use super::walk::{closes, fence};

pub(super) use line::{indentation, item_mark, moved_left};

pub(super) const ENDING: &str = ".mdx";

struct Conversion<'b> {
    markdown: String,
    components: Components<'b>,
}

/// The context of a line.
enum Place {
    Text,
    /// Code that ends with at least this many of these characters.
    Fenced(char, usize),
    /// Imports and exports with this many open brackets, up to an empty line.
    Program(i64),
    /// A comment in braces.
    Comment,
}

/// Returns the names, such as `Chart` and `Tabs.Item`, of components whose content is shown without their tags, too; at most ten.
pub(super) fn to_markdown(body: &str) -> (String, BTreeSet<String>) {
    let body = &*images::as_elements(body);
    let mut converted = Conversion { markdown: String::with_capacity(body.len()), components: Components::of(body) };
    let (mut place, mut is_first_of_block) = (Place::Text, true);
    for line in body.split_inclusive('\n') {
        let is_empty = line.trim().is_empty();
        place = match place {
            Place::Fenced(mark, length) => {
                converted.markdown.push_str(line);
                if closes(line, mark, length) { Place::Text } else { Place::Fenced(mark, length) }
            }
            Place::Program(open) if is_empty && open <= 0 => {
                converted.markdown.push_str(line);
                Place::Text
            }
            Place::Program(open) => Place::Program(open + brackets(line)),
            Place::Text if is_first_of_block && is_program(line) => Place::Program(brackets(line)),
            Place::Text => match fence(line) {
                Some((mark, length)) => {
                    converted.markdown.push_str(line);
                    Place::Fenced(mark, length)
                }
                None => converted.take_text(line, false),
            },
            Place::Comment => converted.take_text(line, true),
        };
        is_first_of_block = is_empty;
    }
    (blocks::separated(&converted.markdown), converted.components.into_names())
}

impl Conversion<'_> {
    /// Adds a line of text without its comments. Returns the context of the next line.
    fn take_text(&mut self, line: &str, mut is_comment: bool) -> Place {
        let mut rest = line;
        let mut kept = String::with_capacity(line.len());
        loop {
            if is_comment {
                let Some((_, after)) = rest.split_once("*/}") else { break };
                (rest, is_comment) = (after, false);
            }
            let Some(at) = outside_code(rest, "{/*") else {
                kept.push_str(rest);
                break;
            };
            kept.push_str(&rest[..at]);
            (rest, is_comment) = (&rest[at + "{/*".len()..], true);
            // The end of an excerpt in Docusaurus.
            if rest.split_once("*/}").is_some_and(|(comment, _)| comment.trim() == "truncate") {
                kept.push_str("<!--more-->");
            }
        }
        // A line that contained only a comment is dropped, because an empty line would end a paragraph.
        if kept.len() == line.len() || !kept.trim().is_empty() {
            self.markdown.push_str(&self.components.renamed(&kept));
            if is_comment && line.ends_with('\n') && !kept.ends_with('\n') {
                self.markdown.push('\n');
            }
        }
        if is_comment { Place::Comment } else { Place::Text }
    }
}

/// The position of a text outside `code`.
fn outside_code(line: &str, text: &str) -> Option<usize> {
    let (mut is_code, mut counted) = (false, 0);
    line.match_indices(text).map(|(at, _)| at).find(|at| {
        is_code ^= line[counted..*at].matches('`').count() % 2 == 1;
        counted = *at;
        !is_code
    })
}

/// Whether the first line is an import statement, with which no Markdown text begins.
pub(super) fn begins_with_import(body: &str) -> bool {
    let line = body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim_end();
    let is_statement = || {
        let line = line.trim_end_matches(';').trim_end();
        let module =
            line.rsplit_once(" from ").map_or_else(|| line.strip_prefix("import "), |(_, module)| Some(module));
        module
            .is_some_and(|module| module.len() > 2 && module.starts_with(['\'', '"']) && module.ends_with(['\'', '"']))
    };
    line.starts_with("import ") && (line.ends_with('{') || is_statement())
}

fn is_program(line: &str) -> bool {
    ["import ", "import{", "import\"", "import'", "export ", "export{"].iter().any(|word| line.starts_with(word))
}

/// How many more brackets a line of a program opens than it closes, except in strings.
fn brackets(line: &str) -> i64 {
    let (mut open, mut quote, mut is_escaped) = (0, None, false);
    for c in line.chars() {
        match (quote, c) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(of), _) if of == c => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '(' | '[' | '{') => open += 1,
            (None, ')' | ']' | '}') => open -= 1,
            _ => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(body: &str) -> String {
        to_markdown(body).0
    }

    #[test]
    fn imports_and_exports_are_removed() {
        assert_eq!(markdown("import A from './a'\nimport {B} from \"b\"\n\n# T\n"), "\n# T\n");
        assert_eq!(markdown("T\n\nexport const meta = {\n  a: '}',\n\n  b: [1],\n}\n\nU"), "T\n\n\nU");
        assert_eq!(markdown("export default ({children}) => <Layout>{children}</Layout>"), "");
    }

    #[test]
    fn what_is_not_a_program_stays_as_it_is() {
        for text in [
            "We\nimport goods.\n",
            "important words\n",
            " import a\n",
            "```js\nimport a from 'a'\n{/* b */}\n```\n",
            "~~~~\n~~~\n\nexport const a = 1\n~~~~\n",
            "The form `{/* a */}` is a comment, {name} is not.\n",
            "A `<Chart/>` in code.",
            "",
        ] {
            assert_eq!(to_markdown(text), (text.to_owned(), BTreeSet::new()));
        }
    }

    #[test]
    fn code_that_is_not_closed_goes_to_the_end() {
        assert_eq!(
            markdown("```\nimport a from 'a'\n\nimport b from 'b'"),
            "```\nimport a from 'a'\n\nimport b from 'b'"
        );
    }

    #[test]
    fn comments_in_braces_are_removed() {
        assert_eq!(markdown("a {/* b */} c {/* d */}\n"), "a  c \n");
        assert_eq!(markdown("a\n{/* b */}\nc\n"), "a\nc\n");
        assert_eq!(markdown("a {/* b\n\nimport c\n d */} e\n"), "a \n e\n");
        assert_eq!(markdown("a {/* b"), "a ");
        assert_eq!(markdown("a\n\n{/* truncate */}\n\nb\n"), "a\n\n<!--more-->\n\nb\n");
    }

    #[test]
    fn components_are_named_and_their_tags_stay_if_their_text_is_shown() {
        let text = "<Tabs label=\"a\">\n<Chart/> <div> 1 < N </Chart></Tabs>\n\n```\n<Card>\n```\n";
        let converted = to_markdown(text);
        assert_eq!(converted.0, text.replacen('\n', "\n\n", 1));
        assert_eq!(converted.1, ["Chart", "Tabs"].map(str::to_owned).into());
        let many: String = (0..50).map(|n| format!("<C{n}/>")).collect();
        assert_eq!(to_markdown(&many).1.len(), 10);
    }

    #[test]
    fn components_whose_text_would_not_be_shown_are_renamed_outside_of_code_and_comments() {
        let converted = to_markdown("<Tabs.Item>\n  <Card>a</Card> {/* <List> */}\n</Tabs.Item>\n\n~~~\n<Card>\n~~~\n");
        let expected = "<mdx-Tabs-Item>\n\n<mdx-Card>a</mdx-Card> \n\n</mdx-Tabs-Item>\n\n~~~\n<Card>\n~~~\n";
        assert_eq!(converted.0, expected);
        assert_eq!(converted.1, ["Card", "Tabs.Item"].map(str::to_owned).into());
    }
}
