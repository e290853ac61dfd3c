//! Converts documents of Ghost's former editor (Mobiledoc 0.3) to HTML, for posts without HTML in the export. The rule: text is never lost; a
//! card that cannot be converted is recorded.

use serde_json::Value;

use crate::html;
use tidings_model::html_text;

use super::card::GhostText;

pub(super) fn to_html(document: &str) -> Result<GhostText, String> {
    let document: Value =
        serde_json::from_str(document).map_err(|error| format!("its mobiledoc document is not JSON: {error}"))?;
    if !document.is_object() {
        return Err("its mobiledoc document is not an object".to_owned());
    }
    let mut made = GhostText::default();
    list(&document, "sections").iter().for_each(|section| write(section, &document, &mut made));
    Ok(made)
}

fn list<'d>(document: &'d Value, name: &str) -> &'d [Value] {
    document.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A section: `[1, tag, markers]`, `[2, address]`, `[3, tag, [markers, …]]` or `[10, card]`.
fn write(section: &Value, document: &Value, made: &mut GhostText) {
    let text = |at: usize| section.get(at).and_then(Value::as_str).unwrap_or_default();
    match section.get(0).and_then(Value::as_u64) {
        Some(1) => {
            let name = block(text(1));
            made.html.push_str(&format!("<{name}>{}</{name}>\n", markers(section.get(2), document)));
        }
        Some(2) => made.html.push_str(&(html::figure(text(1), None, None) + "\n")),
        Some(3) => {
            let name = if text(1) == "ol" { "ol" } else { "ul" };
            let items = section.get(2).and_then(Value::as_array).into_iter().flatten();
            let items: String = items.map(|item| format!("<li>{}</li>\n", markers(Some(item), document))).collect();
            made.html.push_str(&format!("<{name}>{items}</{name}>\n"));
        }
        Some(10) => {
            let card = at(list(document, "cards"), section.get(1)).unwrap_or(&Value::Null);
            let kind = card.get(0).and_then(Value::as_str).unwrap_or("card");
            made.card(kind, card.get(1).unwrap_or(&Value::Null));
        }
        _ => made.card("section", &Value::Null),
    }
}

fn block(tag: &str) -> &'static str {
    match tag {
        "aside" | "pull-quote" => "blockquote",
        _ => ["h1", "h2", "h3", "h4", "h5", "h6", "blockquote"].into_iter().find(|name| *name == tag).unwrap_or("p"),
    }
}

/// Writes markers: `[0 for text or 1 for an atom, markups that open, how many close, the text or the atom]`.
fn markers(markers: Option<&Value>, document: &Value) -> String {
    let (mut html, mut open) = (String::new(), Vec::new());
    for marker in markers.and_then(Value::as_array).into_iter().flatten() {
        for index in marker.get(1).and_then(Value::as_array).into_iter().flatten() {
            let (start, end) = markup(at(list(document, "markups"), Some(index)));
            html.push_str(&start);
            open.push(end);
        }
        match marker.get(0).and_then(Value::as_u64) {
            Some(1) => html.push_str(&atom(at(list(document, "atoms"), marker.get(3)))),
            _ => html.push_str(&html_text::escape(marker.get(3).and_then(Value::as_str).unwrap_or_default())),
        }
        let closing = marker.get(2).and_then(Value::as_u64).unwrap_or(0);
        let closing = usize::try_from(closing).unwrap_or(usize::MAX).min(open.len());
        open.drain(open.len() - closing..).rev().for_each(|end| html.push_str(end));
    }
    open.into_iter().rev().for_each(|end| html.push_str(end));
    html
}

/// The tags of a markup: `[name]`, or `["a", ["href", address, …]]`.
fn markup(markup: Option<&Value>) -> (String, &'static str) {
    match markup.and_then(|markup| markup.get(0)).and_then(Value::as_str).unwrap_or_default() {
        "a" => {
            let attributes = markup.and_then(|markup| markup.get(1)).and_then(Value::as_array);
            let pairs = attributes.map_or(&[][..], Vec::as_slice).chunks(2);
            let href = pairs.filter(|pair| pair[0] == "href").find_map(|pair| pair.get(1)?.as_str());
            let link = html::link(href.unwrap_or_default(), "");
            (link.strip_suffix("</a>").unwrap_or(&link).to_owned(), "</a>")
        }
        "strong" | "b" => ("<strong>".to_owned(), "</strong>"),
        "em" | "i" => ("<em>".to_owned(), "</em>"),
        "code" => ("<code>".to_owned(), "</code>"),
        "s" => ("<s>".to_owned(), "</s>"),
        "u" => ("<u>".to_owned(), "</u>"),
        "sub" => ("<sub>".to_owned(), "</sub>"),
        "sup" => ("<sup>".to_owned(), "</sup>"),
        _ => (String::new(), ""),
    }
}

/// An atom, `[name, text, …]`, is a line break or shows its text.
fn atom(atom: Option<&Value>) -> String {
    let text = |at: usize| atom.and_then(|atom| atom.get(at)).and_then(Value::as_str).unwrap_or_default();
    if text(0) == "soft-return" { "<br>".to_owned() } else { html_text::escape(text(1)) }
}

fn at<'d>(list: &'d [Value], index: Option<&Value>) -> Option<&'d Value> {
    list.get(usize::try_from(index?.as_u64()?).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sections_markups_and_cards_become_html() {
        let document = json!({
            "version": "0.3.1",
            "atoms": [["soft-return", "", {}]],
            "markups": [["strong"], ["a", ["rel", "x", "href", "/y?a&b"]], ["blink"]],
            "cards": [["card-markdown", { "markdown": "*m*" }], ["hr", {}], ["poll", {}]],
            "sections": [
                [1, "h2", [[0, [], 0, "A & B"]]],
                [1, "p", [[0, [0], 0, "bold "], [0, [1], 2, "link"], [1, [], 0, 0], [0, [2], 9, "end"]]],
                [3, "ul", [[[0, [], 0, "one"]], [[0, [0], 0, "never closed"]]]],
                [10, 0], [10, 1], [10, 2], [10, 99], [7],
            ],
        });
        let made = to_html(&document.to_string()).expect("a document");
        let expected = "<h2>A &amp; B</h2>\n\
            <p><strong>bold <a href=\"/y?a&amp;b\">link</a></strong><br>end</p>\n\
            <ul><li>one</li>\n<li><strong>never closed</strong></li>\n</ul>\n\
            <p><em>m</em></p>\n\n<hr>\n";
        assert_eq!(made.html, expected);
        assert_eq!(made.lost.into_iter().collect::<Vec<_>>(), ["card", "poll", "section"]);
    }

    #[test]
    fn a_text_that_is_not_a_document_is_an_error() {
        for document in ["", "{", "[]", "1"] {
            assert!(to_html(document).is_err(), "{document}");
        }
        assert_eq!(
            to_html("{\"sections\":[0,[1],[3,\"ul\",7]]}").map(|made| made.html).as_deref(),
            Ok("<p></p>\n<ul></ul>\n")
        );
    }
}
