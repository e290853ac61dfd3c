//! Converts the blocks of a rich text document to Markdown. The rule: text is never lost; a node that Markdown cannot express, such as an embedded
//! entry, is recorded.

use std::collections::BTreeSet;

use serde_json::Value;

use super::escaped;
use super::inline;
use super::node::{children, kind, name_of_lost};
use super::targets::LinkTargets;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ConvertedText {
    pub text: String,
    /// The nodes that it does not contain.
    pub lost: BTreeSet<String>,
}

pub(super) fn to_markdown(document: &Value, targets: &LinkTargets) -> ConvertedText {
    let mut writer = BlockWriter { targets, lost: BTreeSet::new() };
    let mut text = writer.blocks(document);
    if !text.is_empty() {
        text.push('\n');
    }
    ConvertedText { text, lost: writer.lost }
}

struct BlockWriter<'s> {
    targets: &'s LinkTargets,
    lost: BTreeSet<String>,
}

impl BlockWriter<'_> {
    /// The blocks inside a node, separated by blank lines.
    fn blocks(&mut self, node: &Value) -> String {
        let mut out = String::new();
        let mut before = "";
        for child in children(node) {
            let block = self.block(child);
            if block.is_empty() {
                continue;
            }
            if !out.is_empty() {
                // Without a comment between them, two lists would be one.
                let are_lists = kind(child) == before && before.ends_with("-list");
                out.push_str(if are_lists { "\n\n<!-- -->\n\n" } else { "\n\n" });
            }
            out.push_str(&block);
            before = kind(child);
        }
        out
    }

    /// A block without a newline at its end; empty if it has no text.
    fn block(&mut self, node: &Value) -> String {
        match kind(node) {
            "paragraph" => escaped::paragraph(&self.inline(node)),
            "heading-1" => self.heading(1, node),
            "heading-2" => self.heading(2, node),
            "heading-3" => self.heading(3, node),
            "heading-4" => self.heading(4, node),
            "heading-5" => self.heading(5, node),
            "heading-6" => self.heading(6, node),
            "unordered-list" => self.list(node, false),
            "ordered-list" => self.list(node, true),
            "blockquote" => quoted(&self.blocks(node)),
            "hr" => "---".to_owned(),
            "table" => self.table(node),
            "embedded-asset-block" => self.inline(&serde_json::json!({ "content": [node] })),
            "text" | "hyperlink" | "entry-hyperlink" | "asset-hyperlink" => {
                escaped::paragraph(&self.inline(&serde_json::json!({ "content": [node] })))
            }
            _ if !children(node).is_empty() => self.blocks(node),
            _ => {
                self.lost.insert(name_of_lost(node, self.targets));
                String::new()
            }
        }
    }

    fn inline(&mut self, node: &Value) -> String {
        inline::write(children(node), self.targets, &mut self.lost)
    }

    fn heading(&mut self, level: usize, node: &Value) -> String {
        let text = escaped::one_line(&self.inline(node));
        if text.is_empty() { text } else { format!("{} {text}", "#".repeat(level)) }
    }

    /// A list is tight if no item has anything except a paragraph and lists below it.
    fn list(&mut self, node: &Value, is_ordered: bool) -> String {
        let is_list = |child: &Value| kind(child).ends_with("-list");
        let is_tight = |item: &Value| children(item).iter().skip(1).all(is_list);
        let is_tight = children(node).iter().all(is_tight);
        let items = children(node).iter().enumerate().map(|(index, item)| {
            let marker = if is_ordered { format!("{}. ", index + 1) } else { "- ".to_owned() };
            let blocks = self.blocks(item);
            // Only between a paragraph and the list below it, because a tight item has nothing else.
            let blocks = if is_tight { blocks.replacen("\n\n", "\n", 1) } else { blocks };
            format!("{marker}{}", indented(&blocks, marker.len())).trim_end().to_owned()
        });
        let items: Vec<String> = items.collect();
        items.join(if is_tight { "\n" } else { "\n\n" })
    }

    /// A table in GitHub's syntax, in which the first row is the header.
    fn table(&mut self, node: &Value) -> String {
        let rows: Vec<Vec<String>> = children(node).iter().map(|row| self.cells(row)).collect();
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        if width == 0 {
            return String::new();
        }
        let first = children(node).first().map_or(&[][..], children);
        let has_header = first.iter().any(|cell| kind(cell) == "table-header-cell");
        let (header, rest) = match rows.split_first() {
            Some((header, rest)) if has_header => (header.as_slice(), rest),
            _ => (&[][..], rows.as_slice()),
        };
        let line = |cells: &[String]| {
            let cells = (0..width).map(|at| cells.get(at).map_or("", String::as_str));
            format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
        };
        let ruler = format!("|{}", " --- |".repeat(width));
        let lines = [line(header), ruler].into_iter().chain(rest.iter().map(|row| line(row)));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn cells(&mut self, row: &Value) -> Vec<String> {
        children(row).iter().map(|cell| escaped::cell(&self.blocks(cell).replace("\n\n", "\n"))).collect()
    }
}

fn quoted(text: &str) -> String {
    let line = |line: &str| if line.is_empty() { ">".to_owned() } else { format!("> {line}") };
    if text.is_empty() { String::new() } else { text.split('\n').map(line).collect::<Vec<_>>().join("\n") }
}

/// Indents all lines except the first and the empty ones.
fn indented(text: &str, spaces: usize) -> String {
    let indent = " ".repeat(spaces);
    let line = |(number, line): (usize, &str)| match number == 0 || line.is_empty() {
        true => line.to_owned(),
        false => format!("{indent}{line}"),
    };
    text.split('\n').enumerate().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tidings_model::markdown::html_of;

    fn text(value: &str) -> Value {
        json!({ "nodeType": "text", "value": value, "marks": [], "data": {} })
    }

    fn node(kind: &str, content: &[Value]) -> Value {
        json!({ "nodeType": kind, "data": {}, "content": content })
    }

    fn paragraph(value: &str) -> Value {
        node("paragraph", &[text(value)])
    }

    fn converted(content: &[Value]) -> ConvertedText {
        to_markdown(&node("document", content), &LinkTargets::default())
    }

    #[test]
    fn blocks_become_markdown() {
        let item = |content: &[Value]| node("list-item", content);
        let found = converted(&[
            node("heading-2", &[text("A # #")]),
            paragraph("One\ntwo."),
            paragraph(""),
            node(
                "unordered-list",
                &[
                    item(&[paragraph("a"), node("ordered-list", &[item(&[paragraph("b")]), item(&[paragraph("c")])])]),
                    item(&[paragraph("d")]),
                    item(&[]),
                ],
            ),
            node("unordered-list", &[item(&[paragraph("e"), paragraph("f")]), item(&[paragraph("g")])]),
            node("blockquote", &[paragraph("q"), paragraph("r")]),
            node("hr", &[]),
        ]);
        let expected = "## A # \\#\n\nOne\\\ntwo.\n\n- a\n  1. b\n  2. c\n- d\n-\n\n<!-- -->\n\n- e\n\n  f\n\n- g\n\n> q\n>\n> r\n\n---\n";
        assert_eq!((found.text.as_str(), found.lost.len()), (expected, 0));
        let html = html_of(expected);
        assert!(html.contains("<ol>\n<li>b</li>\n<li>c</li>\n</ol>") && html.contains("<p>e</p>\n<p>f</p>"), "{html}");
    }

    #[test]
    fn tables_have_a_header_and_cells_of_one_line() {
        let row = |kind: &str, cells: &[&str]| {
            let cells: Vec<_> = cells.iter().map(|cell| node(kind, &[paragraph(cell)])).collect();
            node("table-row", &cells)
        };
        let table = node("table", &[row("table-header-cell", &["A", "B|C"]), row("table-cell", &["one\ntwo"])]);
        assert_eq!(converted(&[table]).text, "| A | B\\|C |\n| --- | --- |\n| one<br>two |  |\n");
        let plain = node("table", &[row("table-cell", &["a"])]);
        assert_eq!(converted(&[plain]).text, "|  |\n| --- |\n| a |\n");
        assert_eq!(converted(&[node("table", &[])]).text, "");
    }

    #[test]
    fn what_has_no_form_in_markdown_is_recorded() {
        let entry = json!({ "nodeType": "embedded-entry-block", "data": { "target": { "sys": { "id": "x" } } }, "content": [] });
        let found =
            converted(&[entry, node("new-block", &[paragraph("a")]), node("new-rule", &[]), text("b"), json!(7)]);
        assert_eq!(found.text, "a\n\nb\n");
        assert_eq!(
            found.lost.into_iter().collect::<Vec<_>>(),
            ["a part without a type", "embedded-entry-block", "new-rule"]
        );
        assert_eq!(to_markdown(&json!("x"), &LinkTargets::default()), ConvertedText::default());
    }
}
