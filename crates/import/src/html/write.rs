//! Writes HTML elements. The rule: every text is escaped, so nothing in it becomes a tag.

use tidings_model::html_text;

/// `caption` is HTML.
pub(crate) fn figure(source: &str, alt: Option<&str>, caption: Option<&str>) -> String {
    let caption = caption.map(|caption| format!("<figcaption>{caption}</figcaption>")).unwrap_or_default();
    format!(
        "<figure><img src=\"{}\" alt=\"{}\">{caption}</figure>",
        attribute(source),
        attribute(alt.unwrap_or_default())
    )
}

/// `inner` is HTML.
pub(crate) fn link(address: &str, inner: &str) -> String {
    format!("<a href=\"{}\">{inner}</a>", attribute(address))
}

pub(crate) fn attribute(text: &str) -> String {
    html_text::escape(text).replace('"', "&quot;")
}
