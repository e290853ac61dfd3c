//! Converts the texts, links and pictures of a paragraph of rich text to Markdown. The rule: a mark is written in Markdown if the characters around
//! it allow that, and as an HTML element otherwise.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::link_marks;

use super::escaped;
use super::node::{children, kind, name_of_lost, target};
use super::targets::{ContentfulAsset, LinkTargets, LinkedEntry};

/// The marks that are written as HTML elements, innermost first. `strikethrough` is one unless it is the only mark.
const ELEMENTS: &[(&str, &str)] =
    &[("strikethrough", "s"), ("superscript", "sup"), ("subscript", "sub"), ("underline", "u")];

/// Writes the nodes of a paragraph. Adds nodes that Markdown cannot express to `lost`.
pub(super) fn write(nodes: &[Value], targets: &LinkTargets, lost: &mut BTreeSet<String>) -> String {
    let mut out = String::new();
    let mut rest = nodes;
    while let Some((node, after)) = rest.split_first() {
        rest = after;
        match kind(node) {
            "text" => {
                let (marks, mut text) = (marks(node), value(node).to_owned());
                while let Some((next, after)) = rest.split_first().filter(|(next, _)| kind(next) == "text") {
                    if self::marks(next) != marks {
                        break;
                    }
                    text.push_str(value(next));
                    rest = after;
                }
                write_text(&text, &marks, &mut out);
            }
            "hyperlink" => {
                let address = node.get("data").and_then(|data| data.get("uri")).and_then(Value::as_str);
                let inner = write(children(node), targets, lost);
                push_link(&mut out, &link(&inner, &escaped::destination(address.unwrap_or_default())));
            }
            "entry-hyperlink" => {
                let inner = write(children(node), targets, lost);
                match target(node).and_then(|id| targets.entries.get(id)) {
                    Some(LinkedEntry::Content(_)) if inner.trim().is_empty() => {}
                    Some(LinkedEntry::Content(origin)) => {
                        push_link(&mut out, &link(&inner, &link_marks::marked(origin, "")));
                    }
                    Some(LinkedEntry::Other { .. }) | None => {
                        lost.insert(name_of_lost(node, targets));
                        out.push_str(&inner);
                    }
                }
            }
            "asset-hyperlink" => {
                let inner = write(children(node), targets, lost);
                match target(node).and_then(|id| targets.assets.get(id)) {
                    Some(asset) => push_link(&mut out, &link(&inner, &escaped::destination(&asset.address))),
                    None => {
                        lost.insert(name_of_lost(node, targets));
                        out.push_str(&inner);
                    }
                }
            }
            "embedded-asset-block" => match target(node).and_then(|id| targets.assets.get(id)) {
                Some(asset) => push_link(&mut out, &shown(asset)),
                None => {
                    lost.insert(name_of_lost(node, targets));
                }
            },
            _ if !children(node).is_empty() => out.push_str(&write(children(node), targets, lost)),
            _ => {
                lost.insert(name_of_lost(node, targets));
            }
        }
    }
    out
}

fn value(node: &Value) -> &str {
    node.get("value").and_then(Value::as_str).unwrap_or_default()
}

fn marks(node: &Value) -> BTreeSet<&str> {
    let marks = node.get("marks").and_then(Value::as_array).into_iter().flatten();
    marks.filter_map(|mark| mark.get("type").and_then(Value::as_str)).collect()
}

/// A link without a text shows its address.
fn link(inner: &str, address: &str) -> String {
    match (inner.trim().is_empty(), address.is_empty()) {
        (_, true) => inner.to_owned(),
        (true, false) => format!("[{}]({address})", escaped::text(address.trim_matches(['<', '>']))),
        (false, false) => format!("[{inner}]({address})"),
    }
}

/// Escapes an exclamation mark before the link, which would make it a picture.
fn push_link(out: &mut String, link: &str) {
    if link.starts_with('[') && out.ends_with('!') {
        out.pop();
        out.push_str("\\!");
    }
    out.push_str(link);
}

/// A picture, or a link to any other file.
fn shown(asset: &ContentfulAsset) -> String {
    let address = escaped::destination(&asset.address);
    let words = |text: &Option<String>| text.as_deref().map(|text| escaped::one_line(&escaped::text(text)));
    match asset.is_picture {
        true => format!("![{}]({address})", words(&asset.description).or(words(&asset.title)).unwrap_or_default()),
        false => link(&words(&asset.title).unwrap_or_default(), &address),
    }
}

fn write_text(text: &str, marks: &BTreeSet<&str>, out: &mut String) {
    let inner = text.trim_matches([' ', '\n', '\t']);
    if marks.is_empty() || inner.is_empty() {
        out.push_str(&escaped::text(text));
        return;
    }
    let start = text.len() - text.trim_start_matches([' ', '\n', '\t']).len();
    let (before, after) = (&text[..start], &text[start + inner.len()..]);
    out.push_str(&escaped::text(before));
    out.push_str(&marked(inner, marks, out));
    out.push_str(&escaped::text(after));
}

/// The text with its marks. `before`: the text written before it.
fn marked(text: &str, marks: &BTreeSet<&str>, before: &str) -> String {
    let is_code = marks.contains("code");
    let written = if is_code { escaped::code(text) } else { escaped::text(text) };
    // Beside a letter, a mark counts as one on both sides; beside another mark, it may be read as a part of that mark.
    let is_word = text.starts_with(char::is_alphanumeric) && text.ends_with(char::is_alphanumeric);
    let is_plain = is_word && !is_code && !before.ends_with(['*', '~']);
    let mut written = match (marks.contains("bold"), marks.contains("italic"), is_plain) {
        (true, true, true) => format!("***{written}***"),
        (true, false, true) => format!("**{written}**"),
        (false, true, true) => format!("*{written}*"),
        (true, true, false) => format!("<strong><em>{written}</em></strong>"),
        (true, false, false) => format!("<strong>{written}</strong>"),
        (false, true, false) => format!("<em>{written}</em>"),
        (false, false, _) => written,
    };
    if is_plain && marks.len() == 1 && marks.contains("strikethrough") {
        return format!("~~{written}~~");
    }
    for (_, element) in ELEMENTS.iter().filter(|(mark, _)| marks.contains(mark)) {
        written = format!("<{element}>{written}</{element}>");
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tidings_model::markdown::html_of;

    fn text(value: &str, marks: &[&str]) -> Value {
        let marks: Vec<_> = marks.iter().map(|mark| json!({ "type": mark })).collect();
        json!({ "nodeType": "text", "value": value, "marks": marks, "data": {} })
    }

    fn written(nodes: &[Value]) -> (String, Vec<String>) {
        let mut lost = BTreeSet::new();
        let text = write(nodes, &LinkTargets::default(), &mut lost);
        (text, lost.into_iter().collect())
    }

    #[test]
    fn marks_are_read_as_marks() {
        for (nodes, markdown, html) in [
            (
                vec![text("a ", &[]), text("b ", &["bold"]), text("c", &["italic", "bold"])],
                "a **b** ***c***",
                "a <strong>b</strong> <em><strong>c</strong></em>",
            ),
            (
                vec![text("a", &["bold"]), text("b", &["italic"]), text("c", &[])],
                "**a**<em>b</em>c",
                "<strong>a</strong><em>b</em>c",
            ),
            (vec![text("a", &["bold"]), text("b", &["bold"])], "**ab**", "<strong>ab</strong>"),
            (
                vec![text("a", &[]), text("\"b\"", &["bold"]), text("c", &[])],
                "a<strong>\"b\"</strong>c",
                "a<strong>\"b\"</strong>c",
            ),
            (vec![text("a*b", &["code"]), text("c", &["strikethrough"])], "`a*b`~~c~~", "<code>a*b</code><del>c</del>"),
            (vec![text("a", &["code", "bold"])], "<strong>`a`</strong>", "<strong><code>a</code></strong>"),
            (
                vec![text("a", &["underline", "bold", "strikethrough"])],
                "<u><s>**a**</s></u>",
                "<u><s><strong>a</strong></s></u>",
            ),
            (
                vec![text("x", &[]), text("2", &["superscript"]), text(" ", &["bold"])],
                "x<sup>2</sup> ",
                "x<sup>2</sup>",
            ),
            (vec![text("a", &["unknown"])], "a", "a"),
        ] {
            assert_eq!(written(&nodes), (markdown.to_owned(), Vec::new()));
            assert_eq!(html_of(markdown), format!("<p>{html}</p>\n"), "{markdown}");
        }
    }

    #[test]
    fn links_have_their_text_or_their_address() {
        let link =
            |uri: &str, inner: &[Value]| json!({ "nodeType": "hyperlink", "data": { "uri": uri }, "content": inner });
        assert_eq!(
            written(&[link("https://a.example/b_c", &[text("d", &["bold"])])]).0,
            "[**d**](https://a.example/b_c)"
        );
        assert_eq!(written(&[link("https://a.example/", &[])]).0, "[https://a.example/](https://a.example/)");
        assert_eq!(written(&[link("https://a.example/(b)", &[text("c]", &[])])]).0, "[c\\]](<https://a.example/(b)>)");
        assert_eq!(written(&[link("", &[text("c", &[])])]).0, "c");
        let after_mark = written(&[text("Look!", &[]), link("https://a.example/", &[text("b", &[])])]).0;
        assert_eq!(after_mark, "Look\\![b](https://a.example/)");
        assert_eq!(html_of(&after_mark), html_of("Look&#33;[b](https://a.example/)"));
        let entry = json!({ "nodeType": "entry-hyperlink", "data": { "target": { "sys": { "id": "x" } } }, "content": [text("a", &[])] });
        let asset = json!({ "nodeType": "asset-hyperlink", "data": {}, "content": [text("b", &[])] });
        let inline = json!({ "nodeType": "embedded-entry-inline", "data": {}, "content": [] });
        let lost = ["asset-hyperlink", "embedded-entry-inline", "entry-hyperlink"];
        assert_eq!(written(&[entry, asset, inline]), ("ab".to_owned(), lost.map(str::to_owned).to_vec()));
    }

    #[test]
    fn a_file_is_a_picture_or_a_link() {
        let asset = |title: &str, description: Option<&str>, is_picture| ContentfulAsset {
            address: "https://images.ctfassets.net/a b.png".to_owned(),
            title: Some(title.to_owned()),
            description: description.map(str::to_owned),
            is_picture,
        };
        assert_eq!(
            shown(&asset("T", Some("A [boat]"), true)),
            "![A \\[boat\\]](<https://images.ctfassets.net/a b.png>)"
        );
        assert_eq!(shown(&asset("T", None, true)), "![T](<https://images.ctfassets.net/a b.png>)");
        assert_eq!(shown(&asset("T", Some("x"), false)), "[T](<https://images.ctfassets.net/a b.png>)");
    }
}
