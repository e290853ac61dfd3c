//! Converts MDX to Markdown. The rule: code (imports, exports, comments in braces) is removed, and everything else stays as written, except for the names of
//! components whose text would not be shown, and the line ends and indentation around tags, so that their content is read as Markdown ([`blocks`]); code is
//! unchanged.

mod blocks;
mod images;
mod line;
mod tag;

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::components;
use super::walk::{self, closes, fence};

pub(super) use line::{indentation, item_mark, moved_left};

pub(super) const ENDING: &str = ".mdx";

/// Returns the names, such as `Chart` and `Tabs.Item`, of components whose content is shown without their tags, too; at most ten.
pub(super) fn to_markdown(body: &str) -> (String, BTreeSet<String>) {
    let body = images::as_elements(body);
    let body = without_programs(&without_comments(&body));
    let (markdown, names) = components::renamed(&body);
    (blocks::separated(&markdown), names)
}

/// Removes comments in braces, with the line of one that is alone in it, because an empty line would end a paragraph.
fn without_comments(body: &str) -> Cow<'_, str> {
    let mut comments = Vec::new();
    let mut last = 0;
    walk::outside_code(body, &['{', '\\'], |_, at, _| {
        let Some(inside) = body[at..].strip_prefix("{/*").filter(|_| at >= last) else { return 1 };
        let (comment, after) = inside.split_once("*/}").unwrap_or((inside, ""));
        let (mut start, mut end) = (at, body.len() - after.len());
        let line = body[..at].rsplit('\n').next().unwrap_or_default();
        let rest = after.split_inclusive('\n').next().unwrap_or_default();
        // The end of an excerpt in Docusaurus.
        let is_end_of_excerpt = comment.trim() == "truncate";
        if line.trim().is_empty() && rest.trim().is_empty() && !is_end_of_excerpt {
            (start, end) = (at - line.len(), end + rest.len());
        }
        comments.push((start.max(last)..end, if is_end_of_excerpt { "<!--more-->" } else { "" }.to_owned()));
        last = end;
        end - at
    });
    walk::replaced(body, comments)
}

/// Removes blocks of imports and exports, each up to an empty line outside of its brackets.
fn without_programs(body: &str) -> String {
    let mut markdown = String::with_capacity(body.len());
    let (mut code, mut program, mut is_first_of_block) = (None, None, true);
    for line in body.split_inclusive('\n') {
        let is_empty = line.trim().is_empty();
        match (code, program) {
            (Some((mark, length)), _) if closes(line, mark, length) => code = None,
            (Some(_), _) => {}
            (None, Some(open)) if is_empty && open <= 0 => program = None,
            (None, Some(open)) => program = Some(open + brackets(line)),
            (None, None) if is_first_of_block && is_program(line) => program = Some(brackets(line)),
            (None, None) => code = fence(line),
        }
        is_first_of_block = is_empty;
        if program.is_none() {
            markdown.push_str(line);
        }
    }
    markdown
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

/// The number of opened brackets in a line of a program, minus the closed ones, except in strings.
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
        assert_eq!(markdown("a {/* b\n\nimport c\n d */} e\n"), "a  e\n");
        assert_eq!(markdown("a {/* b"), "a ");
        assert_eq!(markdown("a\n\n{/* truncate */}\n\nb\n"), "a\n\n<!--more-->\n\nb\n");
    }

    #[test]
    fn components_are_named_and_renamed_outside_of_code_and_comments() {
        let converted =
            to_markdown("<Tabs.Item>\n  <Card>a</Card> {/* <List> */} 1 < N\n</Tabs.Item>\n\n~~~\n<Card>\n~~~\n");
        let expected = "<mdx-Tabs-Item>\n\n<mdx-Card>a</mdx-Card>  1 < N\n\n</mdx-Tabs-Item>\n\n~~~\n<Card>\n~~~\n";
        assert_eq!(converted.0, expected);
        assert_eq!(converted.1, ["Card", "Tabs.Item"].map(str::to_owned).into());
        let many: String = (0..50).map(|n| format!("<C{n}/>")).collect();
        assert_eq!(to_markdown(&many).1.len(), 10);
    }
}
