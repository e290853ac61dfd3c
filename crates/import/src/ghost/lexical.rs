//! Converts documents of Ghost's current editor (Lexical) to HTML, for posts without HTML in the export. The rule: text is never lost; a card
//! that cannot be converted is recorded.

use serde_json::Value;

use crate::html;
use tidings_model::html_text;

use super::card::GhostText;
use super::gates::is_for_visitors;

/// The bits of a text format with their elements (Lexical, "TextFormatType").
const MARKS: [(u64, &str); 8] =
    [(16, "code"), (1, "strong"), (2, "em"), (4, "s"), (8, "u"), (32, "sub"), (64, "sup"), (128, "mark")];

pub(super) fn to_html(document: &str) -> Result<GhostText, String> {
    let document: Value =
        serde_json::from_str(document).map_err(|error| format!("its lexical document is not JSON: {error}"))?;
    let root = document.get("root").ok_or("its lexical document has no root")?;
    let mut made = GhostText::default();
    children(root, &mut made);
    Ok(made)
}

/// The recursion is bounded, because the JSON parser bounds the depth of the document.
fn children(node: &Value, made: &mut GhostText) {
    node.get("children").and_then(Value::as_array).into_iter().flatten().for_each(|child| write(child, made));
}

fn write(node: &Value, made: &mut GhostText) {
    if !is_for_visitors(node) {
        made.left_out += 1;
        return;
    }
    let text = |name: &str| node.get(name).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "paragraph" => element("p", node, made),
        "heading" | "extended-heading" => element(heading(text("tag")), node, made),
        "quote" | "extended-quote" | "aside" => element("blockquote", node, made),
        "list" => element(if text("tag") == "ol" { "ol" } else { "ul" }, node, made),
        "listitem" => element("li", node, made),
        "text" | "extended-text" => made.html.push_str(&marked(text("text"), node)),
        "linebreak" => made.html.push_str("<br>"),
        "tab" => made.html.push('\t'),
        "link" | "autolink" => {
            let mut inner = GhostText::default();
            children(node, &mut inner);
            made.html.push_str(&html::link(text("url"), &inner.html));
            made.lost.append(&mut inner.lost);
            made.left_out += inner.left_out;
        }
        kind => made.card(kind, node),
    }
}

fn element(name: &str, node: &Value, made: &mut GhostText) {
    made.html.extend(["<", name, ">"]);
    children(node, made);
    made.html.extend(["</", name, ">\n"]);
}

fn heading(tag: &str) -> &'static str {
    ["h1", "h2", "h3", "h4", "h5", "h6"].into_iter().find(|name| *name == tag).unwrap_or("h2")
}

fn marked(text: &str, node: &Value) -> String {
    let format = node.get("format").and_then(Value::as_u64).unwrap_or(0);
    let marks = MARKS.iter().filter(|(bit, _)| format & bit != 0);
    marks.fold(html_text::escape(text), |html, (_, name)| format!("<{name}>{html}</{name}>"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn text_lists_links_and_cards_become_html() {
        let text = |text: &str, format: u64| json!({ "type": "extended-text", "text": text, "format": format });
        let document = json!({ "root": { "type": "root", "children": [
            { "type": "extended-heading", "tag": "h3", "children": [text("A & B", 0)] },
            { "type": "paragraph", "children": [
                text("bold", 1), text(" both ", 3), { "type": "linebreak" }, text("x<y", 16),
                { "type": "link", "url": "https://x.example/?a&b", "children": [text("z", 2)] },
            ] },
            { "type": "list", "tag": "ol", "children": [{ "type": "listitem", "children": [text("one", 0)] }] },
            { "type": "codeblock", "code": "a < b", "language": "rust" },
            { "type": "image", "src": "/i.png", "alt": "", "caption": "c" },
            { "type": "video", "src": "/v.mp4" },
            { "type": "paywall" },
        ] } });
        let made = to_html(&document.to_string()).expect("a document");
        let expected = "<h3>A &amp; B</h3>\n\
            <p><strong>bold</strong><em><strong> both </strong></em><br><code>x&lt;y</code>\
            <a href=\"https://x.example/?a&amp;b\"><em>z</em></a></p>\n\
            <ol><li>one</li>\n</ol>\n\
            <pre><code class=\"language-rust\">a &lt; b</code></pre>\n\
            <figure><img src=\"/i.png\" alt=\"\"><figcaption>c</figcaption></figure>\n";
        assert_eq!(made.html, expected);
        assert_eq!(made.lost.into_iter().collect::<Vec<_>>(), ["paywall", "video"]);
    }

    #[test]
    fn a_text_that_is_not_a_document_is_an_error() {
        for document in ["", "{", "[]", "{\"root", &"[".repeat(10_000)] {
            assert!(to_html(document).is_err());
        }
        assert_eq!(to_html("{\"root\":{\"children\":7}}"), Ok(GhostText::default()));
    }
}
