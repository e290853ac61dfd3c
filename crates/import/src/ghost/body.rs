//! Converts the body of a Ghost post to Markdown. The rule: Ghost's HTML is kept unchanged, as one HTML block that Markdown does not parse.

use std::borrow::Cow;

use serde_json::Value;

use crate::html::{self, as_block};

use super::gates::{Ungated, without_gated};
use super::row::GhostRow;
use super::site::Details;

/// Ghost's placeholder for the address of the site.
const SITE: &str = "__GHOST_URL__";

pub(super) struct Body {
    pub text: String,
    /// The text without the image above the post, if there is one.
    pub below_image: Option<String>,
    pub notes: Vec<String>,
    /// Whether it may contain parts that visitors did not see.
    pub is_unclear: bool,
    /// Whether the text is only in the document of an editor.
    pub has_no_html: bool,
}

/// Reads the body: the Markdown of Ghost before 1.0, or the HTML that Ghost generated.
pub(super) fn read(row: &GhostRow, details: &Details) -> Body {
    let is_markdown = row.text("markdown").is_some();
    let written = row.text("markdown").or(row.text("html"));
    let documents = ["lexical", "mobiledoc"].into_iter().filter_map(|name| row.text(name));
    let has_no_html = written.is_none() && documents.map(serde_json::from_str).any(|read| read.map_or(true, has_text));
    // Markdown can contain HTML between its lines.
    let Ungated { html, left_out, is_unclear } = without_gated(written.unwrap_or_default());
    let gates = (left_out > 0).then(|| {
        format!("has parts that only members or readers of e-mails saw, so they are left out (found: {left_out})")
    });
    let notes = gates.into_iter().chain(html::note_of_hidden(&html).filter(|_| !is_markdown)).collect();
    let whole = |html: &str| match is_markdown {
        true => with_addresses(html).into_owned(),
        false => as_block(&with_addresses(html)),
    };
    let below = whole(&html);
    let separator = if is_markdown { "\n\n" } else { "\n" };
    let with_image = image(row, details).map(|image| whole(&format!("{image}{separator}{html}")));
    let (text, below_image) = match with_image {
        Some(text) => (text, Some(below)),
        None => (below, None),
    };
    Body { text, below_image, notes, is_unclear, has_no_html }
}

/// Whether a part of an editor's document has a text or a card. A post without a text has a document of empty paragraphs.
fn has_text(part: Value) -> bool {
    match part {
        Value::Array(parts) => parts.into_iter().any(has_text),
        Value::Object(fields) => {
            fields.into_iter().any(|(name, value)| !matches!(&*name, "version" | "ghostVersion") && has_text(value))
        }
        Value::String(text) => !matches!(&*text, "" | "root" | "paragraph" | "p" | "ltr" | "rtl"),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The address of the image that Ghost shows above a post.
pub(super) fn image_address(row: &GhostRow) -> Option<&str> {
    row.text("feature_image").or(row.text("image"))
}

fn image(row: &GhostRow, details: &Details) -> Option<String> {
    let source = image_address(row)?;
    Some(html::figure(source, details.image_alt.as_deref(), details.image_caption.as_deref()))
}

/// Makes links within the site relative to its root.
pub(super) fn with_addresses(text: &str) -> Cow<'_, str> {
    if !text.contains(SITE) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(&format!("{SITE}/"), "/").replace(SITE, "/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tidings_model::markdown::html_of;

    fn body(row: Value) -> Body {
        read(&GhostRow::new(row).expect("a row"), &Details::default())
    }

    #[test]
    fn html_passes_through_markdown_unchanged() {
        for html in [
            "<p>*a*</p>\n\n    <p>b</p>",
            "<p>a</p><pre><code>x\n\n\n  # y</code></pre>\n\n<p>_c_</p>",
            "plain *text*\n\n# still",
            "<img src=\"/x.png\">\n<p>a</p>",
            "<pre>a\n\n*b*</pre><p>*c*</p>",
        ] {
            let shown = html_of(&body(json!({ "html": html })).text);
            let (shown, expected) = (words(&shown), words(&tidings_model::html::clean(html)));
            assert_eq!(shown, expected, "{html}");
        }
    }

    /// Removes the surrounding block and the white space that browsers do not show.
    fn words(html: &str) -> String {
        let html = html.replace("<div>\n", "").replace("</div>", "");
        let (head, code) = html.split_once("<pre>").unwrap_or((&html, ""));
        let (code, tail) = code.split_once("</pre>").unwrap_or(("", code));
        let flow = |text: &str| text.split_whitespace().collect::<String>();
        format!("{}|{code}|{}", flow(head), flow(tail))
    }

    #[test]
    fn html_cards_between_comments_stay_html() {
        let html = "<!--kg-card-begin: html-->\n<b>*x*</b>\n<!--kg-card-end: html-->";
        assert!(html_of(&body(json!({ "html": html })).text).contains("<b>*x*</b>"));
    }

    #[test]
    fn links_within_the_site_are_relative_to_its_root() {
        let html = "<p><a href=\"__GHOST_URL__/a/\">a</a><a href=\"__GHOST_URL__\">b</a><a href=\"https://x.example\">c</a></p>";
        let text = body(json!({ "html": html })).text;
        assert_eq!(text, "<p><a href=\"/a/\">a</a><a href=\"/\">b</a><a href=\"https://x.example\">c</a></p>\n");
    }

    #[test]
    fn the_image_above_a_post_is_first_in_its_body() {
        let details =
            Details { image_alt: Some("a \"b\"".into()), image_caption: Some("<i>c</i>".into()), ..Details::default() };
        let row = GhostRow::new(json!({ "html": "<p>x</p>", "feature_image": "__GHOST_URL__/content/y.png" }))
            .expect("a row");
        let text = read(&row, &details).text;
        let figure =
            "<figure><img src=\"/content/y.png\" alt=\"a &quot;b&quot;\"><figcaption><i>c</i></figcaption></figure>";
        assert_eq!(text, format!("{figure}\n<p>x</p>\n"));
    }

    #[test]
    fn elements_that_are_not_shown_are_noted() {
        let converted = body(json!({ "html": "<p>a</p><IFRAME src=x></iframe><script>y</script>" }));
        assert_eq!(converted.notes, ["the body contains <script>, which is not shown to readers"]);
        assert!(body(json!({ "html": "<p>a &lt;iframe> b</p>" })).notes.is_empty());
    }

    #[test]
    fn markdown_of_old_exports_stays_markdown() {
        let converted = body(json!({ "markdown": "# A\n\n[b](__GHOST_URL__/c)", "html": "<h1>A</h1>" }));
        assert_eq!(converted.text, "# A\n\n[b](/c)");
    }

    #[test]
    fn a_text_that_is_only_in_the_document_of_an_editor_is_missed() {
        let lexical = |children: &str| json!({ "lexical": format!("{{\"root\":{{\"children\":[{{\"children\":[{children}],\"direction\":null,\"format\":\"\",\"type\":\"paragraph\",\"version\":1}}],\"direction\":\"ltr\",\"type\":\"root\"}}}}") });
        let mobiledoc = |cards: &str, text: &str| json!({ "mobiledoc": format!("{{\"version\":\"0.3.1\",\"cards\":[{cards}],\"sections\":[[1,\"p\",[[0,[],0,\"{text}\"]]]]}}") });
        for (row, is_missed) in [
            (json!({}), false),
            (lexical(""), false),
            (lexical("{\"type\":\"extended-text\",\"text\":\"a\"}"), true),
            (lexical("{\"type\":\"horizontalrule\"}"), true),
            (mobiledoc("", ""), false),
            (mobiledoc("", "a"), true),
            (mobiledoc("[\"hr\",{}]", ""), true),
            (json!({ "mobiledoc": "{" }), true),
            (json!({ "html": "<p>a</p>", "mobiledoc": "{" }), false),
        ] {
            assert_eq!(body(row.clone()).has_no_html, is_missed, "{row}");
        }
    }
}
