//! Converts rich text to HTML. The rule: text is never lost; a node that has no form in HTML, such as an embedded entry, is recorded.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::html::{figure, link};
use crate::link_marks;
use tidings_model::html_text::escape;

use super::item::link_of;
use super::targets::{ContentfulAsset, LinkTargets, LinkedEntry};

/// The elements of the nodes that contain others.
const ELEMENTS: &[(&str, &str)] = &[
    ("paragraph", "p"),
    ("heading-1", "h1"),
    ("heading-2", "h2"),
    ("heading-3", "h3"),
    ("heading-4", "h4"),
    ("heading-5", "h5"),
    ("heading-6", "h6"),
    ("unordered-list", "ul"),
    ("ordered-list", "ol"),
    ("list-item", "li"),
    ("blockquote", "blockquote"),
    ("table", "table"),
    ("table-row", "tr"),
    ("table-header-cell", "th"),
    ("table-cell", "td"),
];
/// Elements that are left out if they show nothing: Contentful ends each document with an empty paragraph.
const TEXTS: [&str; 7] = ["p", "h1", "h2", "h3", "h4", "h5", "h6"];

/// The elements of the marks of a text, innermost first.
const MARKS: &[(&str, &str)] = &[
    ("code", "code"),
    ("italic", "em"),
    ("bold", "strong"),
    ("strikethrough", "s"),
    ("superscript", "sup"),
    ("subscript", "sub"),
    ("underline", "u"),
];

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ConvertedText {
    pub html: String,
    /// The nodes that it does not contain.
    pub lost: BTreeSet<String>,
}

pub(super) fn to_html(document: &Value, targets: &LinkTargets) -> ConvertedText {
    let mut writer = RichTextWriter { targets, lost: BTreeSet::new() };
    let html = writer.inside(document);
    ConvertedText { html, lost: writer.lost }
}

struct RichTextWriter<'s> {
    targets: &'s LinkTargets,
    lost: BTreeSet<String>,
}

impl RichTextWriter<'_> {
    /// The nodes inside a node. The recursion is bounded, because the parser bounds the nesting.
    fn inside(&mut self, node: &Value) -> String {
        children(node).iter().map(|child| self.node(child)).collect()
    }

    fn node(&mut self, node: &Value) -> String {
        let (inner, targets) = (self.inside(node), self.targets);
        let asset = target(node).and_then(|id| targets.assets.get(id));
        match (kind(node), asset) {
            ("text", _) => marked(node),
            ("hr", _) => "<hr>\n".to_owned(),
            ("hyperlink", _) => {
                let address = node.get("data").and_then(|data| data.get("uri")).and_then(Value::as_str);
                linked(address.unwrap_or_default(), inner)
            }
            ("entry-hyperlink", _) => match target(node).and_then(|id| targets.entries.get(id)) {
                Some(LinkedEntry::Content(origin)) => link(&link_marks::marked(origin, ""), &inner),
                Some(LinkedEntry::Other { .. }) | None => self.lose(node, inner),
            },
            ("asset-hyperlink", Some(asset)) => linked(&asset.address, inner),
            ("embedded-asset-block", Some(asset)) => shown(asset),
            (kind, _) => match ELEMENTS.iter().find(|(known, _)| *known == kind) {
                Some((_, name)) if inner.trim().is_empty() && TEXTS.contains(name) => inner,
                Some((_, name)) => format!("<{name}>{inner}</{name}>\n"),
                None if children(node).is_empty() || kind == "asset-hyperlink" => self.lose(node, inner),
                None => inner,
            },
        }
    }

    /// Records a node as lost, and returns its content.
    fn lose(&mut self, node: &Value, inner: String) -> String {
        let name = match target(node).and_then(|id| self.targets.entries.get(id)) {
            _ if kind(node).is_empty() => "a part without a type".to_owned(),
            Some(LinkedEntry::Other { type_id, .. }) => format!("{} ({type_id})", kind(node)),
            Some(LinkedEntry::Content(_)) | None => kind(node).to_owned(),
        };
        self.lost.insert(name.chars().take(100).collect());
        inner
    }
}

fn children(node: &Value) -> &[Value] {
    node.get("content").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn kind(node: &Value) -> &str {
    node.get("nodeType").and_then(Value::as_str).unwrap_or_default()
}

/// The id of the entry or asset that a node links to or embeds.
fn target(node: &Value) -> Option<&str> {
    link_of(node.get("data")?.get("target")?)
}

fn marked(text: &Value) -> String {
    let value = text.get("value").and_then(Value::as_str).unwrap_or_default().to_owned();
    let marks = text.get("marks").and_then(Value::as_array).into_iter().flatten();
    let marks: Vec<&str> = marks.filter_map(|mark| mark.get("type").and_then(Value::as_str)).collect();
    let html = escape(&link_marks::unmarked(value)).replace('\r', "").replace('\n', "<br>");
    let elements = MARKS.iter().filter(|(mark, _)| marks.contains(mark));
    elements.fold(html, |html, (_, name)| format!("<{name}>{html}</{name}>"))
}

/// A link without a text shows its address.
fn linked(address: &str, inner: String) -> String {
    let address = link_marks::unmarked(address.trim().to_owned());
    match (inner.trim().is_empty(), address.is_empty()) {
        (_, true) => inner,
        (true, false) => link(&address, &escape(&address)),
        (false, false) => link(&address, &inner),
    }
}

/// A picture, or a link to any other file.
fn shown(ContentfulAsset { address, title, description, is_picture }: &ContentfulAsset) -> String {
    match is_picture {
        true => figure(address, description.as_deref().or(title.as_deref()), None) + "\n",
        false => format!("<p>{}</p>\n", link(address, &escape(title.as_deref().unwrap_or(address)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(value: &str) -> Value {
        json!({ "nodeType": "text", "value": value, "marks": [], "data": {} })
    }

    fn node(kind: &str, content: &[Value]) -> Value {
        json!({ "nodeType": kind, "data": {}, "content": content })
    }

    fn converted(content: &[Value]) -> ConvertedText {
        to_html(&node("document", content), &LinkTargets::default())
    }

    #[test]
    fn texts_and_blocks_become_html() {
        let marked = json!({ "nodeType": "text", "value": "b", "marks": [{ "type": "bold" }, { "type": "code" }] });
        let link = json!({ "nodeType": "hyperlink", "data": { "uri": "/a?b&c" }, "content": [] });
        let found = converted(&[
            node("heading-2", &[text("A <b> & c")]),
            node("paragraph", &[text("One\ntwo "), marked, link]),
            node("paragraph", &[text("")]),
            node("unordered-list", &[node("list-item", &[node("paragraph", &[text("a")])])]),
            node("hr", &[]),
        ]);
        let expected = "<h2>A &lt;b&gt; &amp; c</h2>\n<p>One<br>two <strong><code>b</code></strong><a href=\"/a?b&amp;c\">/a?b&amp;c</a></p>\n\
                        <ul><li><p>a</p>\n</li>\n</ul>\n<hr>\n";
        assert_eq!((found.html.as_str(), found.lost.len()), (expected, 0));
    }

    #[test]
    fn what_has_no_form_in_html_is_recorded() {
        let entry = json!({ "nodeType": "embedded-entry-block", "data": { "target": { "sys": { "id": "x" } } }, "content": [] });
        let paragraph = node("paragraph", &[text("a")]);
        let found = converted(&[entry, node("new-block", &[paragraph]), node("new-rule", &[]), text("b"), json!(7)]);
        assert_eq!(found.html, "<p>a</p>\nb");
        let lost: Vec<_> = found.lost.into_iter().collect();
        assert_eq!(lost, ["a part without a type", "embedded-entry-block", "new-rule"]);
        assert_eq!(to_html(&json!("x"), &LinkTargets::default()), ConvertedText::default());
    }
}
