//! The body of a Substack post. The rule: the text, pictures and footnotes are kept as HTML; widgets become text, pictures or links, and missing content is
//! reported.

use std::collections::BTreeSet;

use crate::html::{self, Element, HtmlParts, attribute};
use crate::words::note_of_names;
use tidings_model::rules;

use super::pictures;
use super::widgets::{self, Widget};

pub(super) struct Body {
    pub text: String,
    pub notes: Vec<String>,
    /// How many forms and buttons of Substack were removed.
    pub buttons: usize,
    /// Whether Substack showed a part of it only to some readers.
    pub has_hidden_parts: bool,
}

/// The classes and components that divide a post, or show a part of it only to some readers.
const HIDDEN_PARTS: &[&str] =
    &["paywall-jump", "class=\"paywall", "PaywallToDOM", "dynamic-content-block", "DynamicContentBlockToDOM"];

/// `audio`: the address of a sound that belongs to the post.
pub(super) fn read(html: &str, audio: &str) -> Body {
    // Searches the text, so that no damage of the HTML makes such a part public.
    let has_hidden_parts = HIDDEN_PARTS.iter().any(|part| html.contains(part));
    let (converted, notes, buttons) = match HtmlParts::read(html) {
        Some(parts) => converted(parts),
        None => {
            let note =
                "the HTML of the body is nested too deeply to be converted, so it is imported as it is".to_owned();
            (html.to_owned(), vec![note], 0)
        }
    };
    let audio = match rules::is_web_address(audio) {
        true => format!("<p><audio controls=\"\" src=\"{}\"></audio></p>\n", attribute(audio)),
        false => String::new(),
    };
    Body { text: html::as_block(&(audio + &converted)), notes, buttons, has_hidden_parts }
}

/// The HTML with everything that readers need, the notes, and the number of removed buttons.
fn converted(mut html: HtmlParts) -> (String, Vec<String>, usize) {
    html.change_addresses(pictures::unwrapped);
    let (mut lost, mut buttons) = (BTreeSet::new(), 0);
    let (mut edits, mut end) = (Vec::new(), 0);
    for element in html.elements() {
        // Elements inside a widget are part of it.
        if element.parts.start < end {
            continue;
        }
        let Some(widget) = widgets::of(element, &html) else { continue };
        end = element.parts.end;
        let shown = match widget {
            Widget::Kept(shown) => shown,
            Widget::Empty => String::new(),
            Widget::Button => {
                buttons += 1;
                String::new()
            }
            Widget::Lost(kind) => {
                lost.insert(kind);
                String::new()
            }
        };
        edits.push((element.parts.clone(), shown));
    }
    edits.into_iter().for_each(|(parts, shown)| html.replace(parts, shown));
    html::replace_embeds(&mut html, &mut lost);
    replace_footnotes(&mut html);
    let text = html.html();
    let lost = note_of_names("not in the body, because the export does not have it", lost);
    let notes = lost.into_iter().chain(html::note_of_hidden(&text)).collect();
    (text, notes, buttons)
}

/// Marks footnotes as Markdown does, so that front ends show them in the same way.
fn replace_footnotes(html: &mut HtmlParts) {
    let with_class = |html: &HtmlParts, class: &str| {
        html.elements().filter(|element| element.has_class(class)).cloned().collect::<Vec<_>>()
    };
    for mark in with_class(html, "footnote-anchor") {
        let (Some(id), Some(href)) = (mark.attribute("id"), mark.attribute("href")) else { continue };
        let (id, href, number) = (attribute(id), attribute(href), attribute(&html.text(&mark)));
        let shown = format!(
            "<sup class=\"footnote-ref\"><a href=\"{href}\" id=\"{id}\" data-footnote-ref=\"\">{number}</a></sup>"
        );
        html.replace(mark.parts.clone(), shown);
    }
    let notes = with_class(html, "footnote");
    for (at, note) in notes.iter().enumerate() {
        let Some(item) = footnote(html, note) else { continue };
        let is_first = at == 0 || notes[at - 1].parts.end + 1 < note.parts.start;
        let is_last = notes.get(at + 1).is_none_or(|next| note.parts.end + 1 < next.parts.start);
        let start = if is_first { "<section class=\"footnotes\" data-footnotes=\"\">\n<ol>\n" } else { "" };
        let end = if is_last { "</ol>\n</section>\n" } else { "" };
        html.replace(note.parts.clone(), format!("{start}{item}{end}"));
    }
}

/// A footnote as a list item, with its number and a link back.
fn footnote(html: &HtmlParts, note: &Element) -> Option<String> {
    let number = html.inside(note).find(|inner| inner.has_class("footnote-number"))?;
    let content = html.inside(note).find(|inner| inner.has_class("footnote-content"))?;
    let id = note.attribute("id").or(number.attribute("id"))?;
    let back = number.attribute("href")?;
    let value = html.text(number);
    let value = value.parse::<u32>().map(|value| format!(" value=\"{value}\"")).unwrap_or_default();
    let content = html.inner_html(content);
    let (id, back) = (attribute(id), attribute(back));
    let link = format!("<a href=\"{back}\" class=\"footnote-backref\" data-footnote-backref=\"\">↩</a>");
    let content = content.trim();
    let content = match content.strip_suffix("</p>") {
        Some(content) => format!("{content} {link}</p>"),
        None => format!("{content} {link}"),
    };
    Some(format!("<li id=\"{id}\"{value}>{content}</li>\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidings_model::markdown::html_of;

    #[test]
    fn a_picture_is_that_of_the_file_with_its_caption_and_without_the_buttons_around_it() {
        let file = "https%3A%2F%2Fsubstack-post-media.s3.amazonaws.com%2Fpublic%2Fimages%2Fa_1x2.png";
        let sized = format!("https://substackcdn.com/image/fetch/w_1,c_limit/{file}");
        let html = format!(
            "<p>a</p><div class=\"captioned-image-container\"><figure><a class=\"image-link image2\" href=\"{sized}\"><div class=\"image2-inset\"><picture><source srcset=\"{sized} 424w\">\
             <img src=\"{sized}\" srcset=\"{sized} 424w\" width=\"1\" height=\"2\" data-attrs=\"{{&quot;src&quot;:&quot;x&quot;}}\" alt=\"A boat\" class=\"x\"></picture>\
             <div class=\"image-link-expand\"><button><svg></svg></button></div></div></a><figcaption class=\"image-caption\">A <em>caption</em></figcaption></figure></div>"
        );
        let body = read(&html, "");
        let image = "<img src=\"https://substack-post-media.s3.amazonaws.com/public/images/a_1x2.png\" alt=\"A boat\" width=\"1\" height=\"2\">";
        assert_eq!(
            body.text,
            format!("<p>a</p>\n<figure>{image}<figcaption>A <em>caption</em></figcaption></figure>\n")
        );
        assert!(body.notes.is_empty() && !body.has_hidden_parts);
        let linked = html.replace(&format!("href=\"{sized}\""), "href=\"https://a.example/\"");
        assert!(read(&linked, "").text.contains("<figure><a href=\"https://a.example/\"><img "));
    }

    #[test]
    fn footnotes_are_marked_as_those_of_markdown() {
        let html = "<p>a<a class=\"footnote-anchor\" data-component-name=\"x\" id=\"footnote-anchor-1\" href=\"#footnote-1\" target=\"_self\">1</a></p>\
             <div class=\"footnote\" data-component-name=\"x\"><a id=\"footnote-1\" href=\"#footnote-anchor-1\" class=\"footnote-number\" contenteditable=\"false\">1</a>\
             <div class=\"footnote-content\"><p>b</p><p>c</p></div></div>";
        let twice = html.to_owned() + &html[html.find("<div").expect("a note")..].replace('1', "2");
        let text = read(&twice, "").text;
        let item = |n: &str| {
            format!(
                "<li id=\"footnote-{n}\" value=\"{n}\"><p>b</p>\n<p>c <a href=\"#footnote-anchor-{n}\" class=\"footnote-backref\" data-footnote-backref=\"\">↩</a></p></li>\n"
            )
        };
        let mark = "<p>a<sup class=\"footnote-ref\"><a href=\"#footnote-1\" id=\"footnote-anchor-1\" data-footnote-ref=\"\">1</a></sup></p>\n";
        let section = format!(
            "<section class=\"footnotes\" data-footnotes=\"\">\n<ol>\n{}{}</ol>\n</section>\n",
            item("1"),
            item("2")
        );
        assert_eq!(text, format!("{mark}{section}"));
        assert_eq!(html_of(&text), text, "the server shows all of it");
    }

    #[test]
    fn forms_are_gone_and_counted_and_what_is_lost_is_named() {
        let html = "<p>a</p><div class=\"subscription-widget-wrap-editor\"><p>Subscribe!</p><form><input></form></div>\
             <p class=\"button-wrapper\" data-attrs=\"{}\"><a class=\"button\" href=\"%%share_url%%\"><span>Share</span></a></p>\
             <div class=\"poll-embed\" data-attrs=\"{}\"></div><iframe src=\"https://a.example/x\"></iframe>";
        let body = read(html, "https://a.example/a.mp3?x&y");
        let audio = "<p><audio controls=\"\" src=\"https://a.example/a.mp3?x&amp;y\"></audio></p>\n";
        let link = "<p><a href=\"https://a.example/x\">https://a.example/x</a></p>\n";
        assert_eq!((body.text, body.buttons), (format!("{audio}<p>a</p>\n{link}"), 2));
        assert_eq!(body.notes, ["not in the body, because the export does not have it: poll-embed"]);
        assert!(read("<p>a</p><div class=\"paywall-jump\"></div>", "").has_hidden_parts);
    }

    #[test]
    fn html_that_is_nested_too_deeply_stays_as_it_is() {
        let body = read(&"<x-y>".repeat(2_000), "");
        assert_eq!((body.notes.len(), body.text.contains("<x-y>")), (1, true));
    }
}
