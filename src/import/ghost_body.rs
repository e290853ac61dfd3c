//! The body of a Ghost post as Markdown that keeps it. The rule: Ghost's own HTML stays as it is, as one block that Markdown does not look into.

use std::borrow::Cow;

use super::ghost_card::{self, GhostText};
use super::ghost_row::GhostRow;
use super::ghost_site::Details;
use super::{ghost_lexical, ghost_mobiledoc};

/// What Ghost writes where the site's address stood.
const SITE: &str = "__GHOST_URL__";

/// With these a line opens a block of HTML that goes on to the next blank line (CommonMark 0.31, "HTML blocks", kind 6).
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "details",
    "div",
    "dl",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "ol",
    "p",
    "section",
    "table",
    "ul",
];

/// What the server never shows, as it runs or loads something.
const HIDDEN: &[&str] = &["iframe", "script", "form", "object", "embed"];

pub struct Body {
    pub text: String,
    pub notes: Vec<String>,
}

/// The body in the first form that is there: the Markdown of Ghost before 1.0, the HTML that Ghost made, or the editors' documents.
pub fn read(row: &GhostRow, details: &Details) -> Result<Body, String> {
    let image = image(row, details);
    if let Some(markdown) = row.text("markdown") {
        let image = image.map(|image| image + "\n\n").unwrap_or_default();
        return Ok(Body { text: with_addresses(&(image + markdown)).into_owned(), notes: Vec::new() });
    }
    let GhostText { html, lost } = html(row)?;
    let mut notes = Vec::new();
    if !lost.is_empty() {
        let lost: Vec<_> = lost.into_iter().collect();
        notes.push(format!("left out of the body, as there is no HTML of it: {}", lost.join(", ")));
    }
    let hidden: Vec<&str> = HIDDEN.iter().copied().filter(|name| holds(&html, name)).collect();
    if !hidden.is_empty() {
        notes.push(format!("the body holds <{}>, which readers are not shown", hidden.join(">, <")));
    }
    let html = image.map(|image| image + "\n").unwrap_or_default() + &html;
    Ok(Body { text: as_block(&with_addresses(&html)), notes })
}

/// The HTML that Ghost made, else what can be made of the editor's document; empty where there is neither.
fn html(row: &GhostRow) -> Result<GhostText, String> {
    match (row.text("html"), row.text("lexical"), row.text("mobiledoc")) {
        (Some(html), _, _) => Ok(GhostText { html: html.to_owned(), ..GhostText::default() }),
        (None, Some(lexical), _) => ghost_lexical::to_html(lexical),
        (None, None, Some(mobiledoc)) => ghost_mobiledoc::to_html(mobiledoc),
        (None, None, None) => Ok(GhostText::default()),
    }
}

/// The picture that Ghost shows above a post.
fn image(row: &GhostRow, details: &Details) -> Option<String> {
    let source = row.text("feature_image").or(row.text("image"))?;
    Some(ghost_card::figure(source, details.image_alt.as_deref(), details.image_caption.as_deref()))
}

/// Links within the site go on from its root.
fn with_addresses(text: &str) -> Cow<'_, str> {
    if !text.contains(SITE) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(&format!("{SITE}/"), "/").replace(SITE, "/"))
}

fn holds(html: &str, element: &str) -> bool {
    let starts = html.match_indices('<').map(|(at, _)| &html.as_bytes()[at + 1..]);
    starts
        .into_iter()
        .any(|rest| rest.len() > element.len() && rest[..element.len()].eq_ignore_ascii_case(element.as_bytes()))
}

/// HTML as one block of Markdown: without blank lines, which would end it, and with a block's tag first.
fn as_block(html: &str) -> String {
    let html = html.trim();
    if html.is_empty() {
        return String::new();
    }
    let mut block = String::with_capacity(html.len() + 16);
    let opens_block = BLOCKS.iter().any(|name| {
        let rest = html.strip_prefix('<').and_then(|rest| rest.strip_prefix(name));
        rest.is_some_and(|rest| rest.starts_with(['>', ' ', '\n']))
    });
    block.push_str(if opens_block { "" } else { "<div>\n" });
    let mut in_code = false;
    for line in html.lines() {
        match line.trim().is_empty() {
            // The browser reads it as the line end that it stands for.
            true if in_code => block.extend([line, "&#10;"]),
            true => {}
            false => block.extend([line, "\n"]),
        }
        in_code = is_in_code(line, in_code);
    }
    block.push_str(if opens_block { "" } else { "</div>\n" });
    block
}

/// Whether text laid out by its line ends is open behind a line.
fn is_in_code(line: &str, was: bool) -> bool {
    match (line.rfind("<pre"), line.rfind("</pre")) {
        (None, None) => was,
        (open, close) => open > close,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::markdown::html_of;
    use serde_json::{Value, json};

    fn body(row: Value) -> Body {
        read(&GhostRow::new(row).expect("a row"), &Details::default()).expect("a body")
    }

    #[test]
    fn html_comes_through_markdown_as_it_was() {
        for html in [
            "<p>*a*</p>\n\n    <p>b</p>",
            "<p>a</p><pre><code>x\n\n\n  # y</code></pre>\n\n<p>_c_</p>",
            "plain *text*\n\n# still",
            "<img src=\"/x.png\">\n<p>a</p>",
            "<pre>a\n\n*b*</pre><p>*c*</p>",
        ] {
            let shown = html_of(&body(json!({ "html": html })).text);
            let (shown, expected) = (words(&shown), words(&crate::model::html::clean(html)));
            assert_eq!(shown, expected, "{html}");
        }
    }

    /// Without the block around it, and the white space that no browser shows.
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
    fn links_within_the_site_go_on_from_its_root() {
        let html = "<p><a href=\"__GHOST_URL__/a/\">a</a><a href=\"__GHOST_URL__\">b</a><a href=\"https://x.example\">c</a></p>";
        let text = body(json!({ "html": html })).text;
        assert_eq!(text, "<p><a href=\"/a/\">a</a><a href=\"/\">b</a><a href=\"https://x.example\">c</a></p>\n");
    }

    #[test]
    fn the_picture_above_a_post_stands_first_in_its_body() {
        let details =
            Details { image_alt: Some("a \"b\"".into()), image_caption: Some("<i>c</i>".into()), ..Details::default() };
        let row = GhostRow::new(json!({ "html": "<p>x</p>", "feature_image": "__GHOST_URL__/content/y.png" }))
            .expect("a row");
        let text = read(&row, &details).expect("a body").text;
        let figure =
            "<figure><img src=\"/content/y.png\" alt=\"a &quot;b&quot;\"><figcaption><i>c</i></figcaption></figure>";
        assert_eq!(text, format!("{figure}\n<p>x</p>\n"));
    }

    #[test]
    fn what_readers_are_not_shown_is_noted() {
        let made = body(json!({ "html": "<p>a</p><IFRAME src=x></iframe><script>y</script>" }));
        assert_eq!(made.notes, ["the body holds <iframe>, <script>, which readers are not shown"]);
        assert!(body(json!({ "html": "<p>a &lt;iframe> b</p>" })).notes.is_empty());
    }

    #[test]
    fn markdown_of_old_stays_markdown() {
        let made = body(json!({ "markdown": "# A\n\n[b](__GHOST_URL__/c)", "html": "<h1>A</h1>" }));
        assert_eq!(made.text, "# A\n\n[b](/c)");
        assert_eq!(body(json!({})).text, "");
    }
}
