//! Converts cards of Ghost's editors to HTML. The rule: the content of a card, or at least its link, is kept; unknown kinds of cards are recorded.

use serde_json::Value;

use crate::html::{attribute, figure, link};
use tidings_model::{html_text, markdown};

use super::gates::is_for_visitors;

/// The converted document of an editor.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct GhostText {
    pub html: String,
    /// The kinds of cards that could not be converted.
    pub lost: std::collections::BTreeSet<String>,
    /// How many cards are omitted because visitors did not see them.
    pub left_out: usize,
}

impl GhostText {
    /// Writes a card, or records that it is lost.
    pub(super) fn card(&mut self, kind: &str, card: &Value) {
        if !is_for_visitors(card) {
            self.left_out += 1;
            return;
        }
        match to_html(kind, card) {
            Some(html) => self.html.extend([html.as_str(), "\n"]),
            None => drop(self.lost.insert(kind.chars().take(64).collect())),
        }
    }
}

/// `kind`: the name of the card in either editor.
fn to_html(kind: &str, card: &Value) -> Option<String> {
    let text = |name: &str| card.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    match kind {
        "markdown" | "card-markdown" => Some(markdown::html_of(text("markdown")?)),
        "html" => Some(text("html")?.to_owned()),
        "image" => Some(figure(text("src")?, text("alt"), text("caption"))),
        "hr" | "horizontalrule" => Some("<hr>".to_owned()),
        "code" | "codeblock" => Some(code(text("code")?, text("language"))),
        "gallery" => {
            let images = card.get("images")?.as_array()?;
            let field = |image: &Value, name| image.get(name).and_then(Value::as_str).map(str::to_owned);
            let figures = images
                .iter()
                .filter_map(|image| Some(figure(&field(image, "src")?, field(image, "alt").as_deref(), None)));
            Some(figures.collect())
        }
        "bookmark" => {
            let title = card.get("metadata").and_then(|data| data.get("title")).and_then(Value::as_str);
            Some(format!("<p>{}</p>", link(text("url")?, &html_text::escape(title.unwrap_or(text("url")?)))))
        }
        "embed" => Some(format!("<p>{}</p>", link(text("url")?, &html_text::escape(text("url")?)))),
        _ => None,
    }
}

fn code(code: &str, language: Option<&str>) -> String {
    let class = language.map(|language| format!(" class=\"language-{}\"", attribute(language))).unwrap_or_default();
    format!("<pre><code{class}>{}</code></pre>", html_text::escape(code))
}
