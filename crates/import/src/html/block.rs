//! HTML as the body of a post. The rule: the HTML is one block that Markdown does not parse, and elements that the server never shows are reported.

use tidings_model::embeds;
use tidings_model::html::DROPPED_WITH_CONTENT;

/// The elements that begin an HTML block up to the next blank line, whatever follows in the line (CommonMark 0.31, section 4.6, kind 6).
pub(crate) const BLOCKS: &str = "\
    address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt \
    fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main \
    menu menuitem nav noframes ol optgroup option p param search section source summary table tbody td tfoot th thead \
    title tr track ul";

/// Elements that the server never shows, in addition to those that it removes with their content.
const HIDDEN: &str = "embed form";

/// Names the elements of a body that are not shown.
pub(crate) fn note_of_hidden(html: &str) -> Option<String> {
    // Readers get a link in place of an element that loads a page.
    let linked = embeds::with_links(html);
    let html = linked.as_deref().unwrap_or(html);
    let names = DROPPED_WITH_CONTENT.split_ascii_whitespace().chain(HIDDEN.split_ascii_whitespace());
    let hidden: Vec<&str> = names.filter(|name| holds(html, name)).collect();
    let are_some = !hidden.is_empty();
    are_some.then(|| format!("the body contains <{}>, which is not shown to readers", hidden.join(">, <")))
}

fn holds(html: &str, element: &str) -> bool {
    html.match_indices('<').map(|(at, _)| &html.as_bytes()[at + 1..]).any(|rest| {
        let is_named = rest.len() > element.len() && rest[..element.len()].eq_ignore_ascii_case(element.as_bytes());
        is_named && !rest[element.len()].is_ascii_alphanumeric() && rest[element.len()] != b'-'
    })
}

/// Writes HTML as one Markdown block: without blank lines, which would end the block, and beginning with a tag of [`BLOCKS`].
pub(crate) fn as_block(html: &str) -> String {
    let html = html.trim();
    if html.is_empty() {
        return String::new();
    }
    let mut block = String::with_capacity(html.len() + 16);
    let first = html.strip_prefix('<').and_then(|rest| rest.split(['>', ' ', '\n']).next());
    let opens_block = BLOCKS.split_whitespace().any(|name| first == Some(name));
    block.push_str(if opens_block { "" } else { "<div>\n" });
    let mut in_code = false;
    for line in html.lines() {
        match line.trim().is_empty() {
            // A browser reads this reference as a newline.
            true if in_code => block.extend([line, "&#10;"]),
            true => {}
            false => block.extend([line, "\n"]),
        }
        in_code = is_in_code(line, in_code);
    }
    block.push_str(if opens_block { "" } else { "</div>\n" });
    block
}

/// Whether a `<pre>` element is open after this line.
fn is_in_code(line: &str, was: bool) -> bool {
    match (line.rfind("<pre"), line.rfind("</pre")) {
        (None, None) => was,
        (open, close) => open > close,
    }
}
