//! The body of a Medium story. The rule: the body does not repeat the title, the boxes of Medium's page are removed, and everything else is kept as
//! HTML.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;

use crate::ImportedCover;
use crate::html::{self, Element, HtmlParts, attribute};
use crate::words::note_of_names;
use tidings_model::asset::ALT_CHARS_MAX;

pub(super) struct Body {
    pub title: Option<String>,
    pub text: String,
    /// The featured picture, if the export contains its file.
    pub cover: Option<ImportedCover>,
    pub notes: Vec<String>,
}

const HEADINGS: &[&str] = &["h1", "h2", "h3", "h4"];
/// Medium ends a shortened title with this.
const SHORTENED: char = '…';

/// Medium redirects links to other sites through this address.
const REDIRECT: &str = "https://medium.com/r/?url=";

/// The servers of pictures.
const SERVERS: &[&str] =
    &["https://cdn-images-1.medium.com/", "https://cdn-images-2.medium.com/", "https://miro.medium.com/"];

/// The file name of a picture, from its address.
pub(super) fn name_of(address: &str) -> Option<String> {
    let path = SERVERS.iter().find_map(|server| address.strip_prefix(server))?;
    let last = path.split(['?', '#']).next()?.rsplit('/').next()?;
    let name = percent_decode_str(last).decode_utf8().ok()?;
    (!name.is_empty() && !name.contains('/')).then(|| name.into_owned())
}

/// Whether the body is a response: it has no heading, and begins with the title that the export gives.
pub(super) fn is_response(html: &HtmlParts, body: &Element, title: &str) -> bool {
    let has_heading = html.inside(body).any(|element| HEADINGS.contains(&element.name.as_str()) || is_title(element));
    let begin = title.trim_end_matches([SHORTENED, '.']).trim_end();
    !has_heading && html.text(body).starts_with(begin)
}

/// `given`: the title outside the body. `has_file`: whether the export contains the file of a picture.
pub(super) fn read(mut html: HtmlParts, body: &Element, given: &str, has_file: impl Fn(&str) -> bool) -> Body {
    html.change_addresses(without_redirect);
    let heading =
        html.inside(body).find(|element| HEADINGS.contains(&element.name.as_str()) || is_title(element)).cloned();
    let heading = heading.filter(|heading| repeats(given, &html.text(heading)));
    let title = heading.as_ref().map(|heading| html.text(heading)).filter(|title| !title.is_empty());
    let title = title.or_else(|| (!given.is_empty()).then(|| given.to_owned()));
    if let Some(heading) = &heading {
        html.remove(heading);
    }
    let first = first_figure(&html, body, heading.as_ref());
    let mut lost = BTreeSet::new();
    replace_boxes(&mut html, body);
    html::replace_embeds(&mut html, &mut lost);
    let text = html.inner_html(body);
    let lost = note_of_names("not in the body, because the export does not have it", lost);
    let notes = lost.into_iter().chain(html::note_of_hidden(&text)).collect();
    let featured = html.inside(body).find(|element| element.attribute("data-is-featured").is_some()).cloned();
    let cover = featured.and_then(|image| {
        let address = image.attribute("src").filter(|address| has_file(address))?.to_owned();
        let alt = image.attribute("alt").filter(|alt| !alt.is_empty() && alt.chars().count() <= ALT_CHARS_MAX);
        let alt = alt.map(str::to_owned);
        let body_below = first.filter(|figure| figure.parts.contains(&image.parts.start)).map(|figure| {
            html.remove(&figure);
            html::as_block(&html.inner_html(body))
        });
        Some(ImportedCover::File { address, alt, body_below })
    });
    Body { title, text: html::as_block(&text), cover, notes }
}

fn is_title(element: &Element) -> bool {
    element.has_class("graf--title")
}

/// Whether the heading repeats the title, which may be shortened.
fn repeats(title: &str, heading: &str) -> bool {
    let shortened = title.strip_suffix(SHORTENED).map(str::trim_end).filter(|title| !title.is_empty());
    title == heading || shortened.is_some_and(|title| heading.starts_with(title))
}

/// The figure without a caption at the start of the body, after the title.
fn first_figure(html: &HtmlParts, body: &Element, title: Option<&Element>) -> Option<Element> {
    let is_of_title = |element: &Element| title.is_some_and(|title| title.parts.contains(&element.parts.start));
    let first = html.inside(body).find(|element| !is_box(&element.name) && !is_of_title(element))?;
    (first.name == "figure" && html.text(first).is_empty()).then(|| first.clone())
}

fn is_box(name: &str) -> bool {
    matches!(name, "div" | "section" | "hr")
}

fn without_redirect(address: &str) -> Option<String> {
    let encoded = address.strip_prefix(REDIRECT)?.split('&').next()?;
    let target = percent_decode_str(encoded).decode_utf8().ok()?;
    (target.starts_with("https://") || target.starts_with("http://")).then(|| target.into_owned())
}

/// Removes the parts of Medium's page: boxes, the lines above sections, and the markup that colours code.
fn replace_boxes(html: &mut HtmlParts, body: &Element) {
    let elements: Vec<Element> = html.inside(body).cloned().collect();
    let (mut has_begun, mut code_end) = (false, 0);
    for element in &elements {
        let has = |class: &str| element.has_class(class);
        has_begun |= !is_box(&element.name);
        match element.name.as_str() {
            "div" if has("section-divider") => {
                html.replace(element.parts.clone(), if has_begun { "<hr>\n" } else { "" });
            }
            "div" if has("graf--mixtapeEmbed") => html.replace_tags(element, "<p>", "</p>\n"),
            "div" if has("aspectRatioPlaceholder-fill") => html.remove(element),
            "a" if has("js-mixtapeImage") => html.remove(element),
            "div" | "section" => html.replace_tags(element, "", ""),
            "pre" => {
                code_end = element.parts.end;
                if html.inside(element).all(|inner| inner.name != "code") {
                    let language = element.attribute("data-code-block-lang").filter(|name| is_language(name));
                    let class = language.map(|name| format!(" class=\"language-{}\"", attribute(name)));
                    html.replace_tags(element, &format!("<pre><code{}>", class.unwrap_or_default()), "</code></pre>\n");
                }
            }
            "span" if element.parts.start < code_end => html.replace_tags(element, "", ""),
            _ => {}
        }
    }
}

fn is_language(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#' | '.' | '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_with(inner: &str, title: &str, files: &[&str]) -> Body {
        let html = HtmlParts::read(&format!("<section class=\"e-content\">{inner}</section>")).expect("HTML");
        let body = html.elements().next().expect("the body").clone();
        read(html, &body, title, |address| name_of(address).is_some_and(|name| files.contains(&name.as_str())))
    }

    const DIVIDER: &str = "<div class=\"section-divider\"><hr class=\"section-divider\"></div>";

    #[test]
    fn the_title_and_the_boxes_are_not_in_the_body() {
        let section = |inner: &str| {
            format!(
                "<section name=\"a\" class=\"section\">{DIVIDER}<div class=\"section-content\"><div class=\"section-inner\">{inner}</div></div></section>"
            )
        };
        let first = section(
            "<h3 name=\"b\" id=\"b\" class=\"graf graf--h3 graf--title\">On Time</h3><p id=\"c\" class=\"graf\">a<br>b</p>",
        );
        let html = first + &section("<h3 id=\"d\" class=\"graf\">Later</h3><p>c</p>");
        let body = read_with(&html, "On Time", &[]);
        assert_eq!(
            (body.title.as_deref(), body.text.as_str()),
            (Some("On Time"), "<p>a<br>b</p>\n<hr>\n<h3 id=\"d\">Later</h3>\n<p>c</p>\n")
        );
        let other = read_with(&html, "A Title for Search Engines", &[]);
        assert_eq!(other.title.as_deref(), Some("A Title for Search Engines"));
        assert!(other.text.starts_with("<h3 id=\"b\">On Time</h3>\n"), "{}", other.text);
        let shortened = read_with("<h3>On Time and Tide</h3><p>a</p>", "On Time and…", &[]);
        assert_eq!((shortened.title.as_deref(), shortened.text.as_str()), (Some("On Time and Tide"), "<p>a</p>\n"));
    }

    #[test]
    fn cards_code_and_frames_become_what_the_server_shows() {
        let card = "<div class=\"graf graf--mixtapeEmbed\"><a href=\"https://medium.com/r/?url=https%3A%2F%2Fa.example%2Fx%3Fy&amp;z\" class=\"markup--anchor\"><strong>A</strong><br><em>B</em></a>\
                    <a href=\"https://a.example/\" class=\"js-mixtapeImage\" style=\"background-image: url(x)\"></a></div>";
        let code = "<pre data-code-block-lang=\"rust\" class=\"graf--preV2\"><span class=\"pre--content\"><span class=\"hljs-keyword\">let</span> a;<br>b</span></pre>";
        let frame = "<figure class=\"graf--iframe\"><iframe src=\"https://www.youtube.com/embed/x?feature=oembed\"></iframe></figure>";
        let body = read_with(&format!("{card}{code}{frame}"), "T", &[]);
        let expected = "<p><a href=\"https://a.example/x?y\"><strong>A</strong><br><em>B</em></a></p>\n\
                        <pre><code class=\"language-rust\">let a;<br>b</code></pre>\n\
                        <figure><p><a href=\"https://www.youtube.com/watch?v=x\">https://www.youtube.com/watch?v=x</a></p>\n</figure>\n";
        assert_eq!((body.text.as_str(), body.notes.len()), (expected, 0));
    }

    #[test]
    fn the_featured_picture_is_the_cover_if_the_export_has_its_file() {
        let figure = |more: &str| {
            format!(
                "<h3>T</h3><figure><img data-is-featured=\"true\" alt=\"A boat\" src=\"https://cdn-images-1.medium.com/max/800/1*a.png\">{more}</figure><p>a</p>"
            )
        };
        assert_eq!(read_with(&figure(""), "T", &[]).cover, None);
        let cover = |html: &str| match read_with(html, "T", &["1*a.png"]).cover {
            Some(ImportedCover::File { address, alt, body_below }) => (address, alt, body_below),
            other => panic!("{other:?}"),
        };
        let address = "https://cdn-images-1.medium.com/max/800/1*a.png".to_owned();
        assert_eq!(cover(&figure("")), (address.clone(), Some("A boat".into()), Some("<p>a</p>\n".into())));
        assert_eq!(cover(&figure("<figcaption>c</figcaption>")), (address.clone(), Some("A boat".into()), None));
        assert_eq!(cover(&format!("<p>b</p>{}", figure(""))), (address, Some("A boat".into()), None));
    }

    #[test]
    fn a_body_without_a_heading_that_begins_with_its_title_is_a_response() {
        let is = |inner: &str, title: &str| {
            let html = HtmlParts::read(&format!("<section>{inner}</section>")).expect("HTML");
            is_response(&html, html.elements().next().expect("the body"), title)
        };
        assert!(is("<p>Thank you, Ada. I agree.</p>", "Thank you, Ada."));
        assert!(is("<p>Thank you, Ada. I agree.</p>", "Thank you…"));
        assert!(!is("<p>a</p>", "On Time") && !is("<h3>On Time</h3><p>On Time</p>", "On Time"));
    }
}
