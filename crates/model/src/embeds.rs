//! Pages that a body embeds: videos, posts of social networks, code. The rule: a reader gets a link to the public page instead, because cleaned HTML
//! has no frames, objects or scripts, and nothing that an author embedded may disappear silently.

use super::html_text::{escape, unescape};
use super::rules::is_web_address;

/// Players, and the start of the address of the public page.
const PLAYERS: &[(&str, &str)] = &[
    ("https://www.youtube.com/embed/", "https://www.youtube.com/watch?v="),
    // The player in Flash.
    ("https://www.youtube.com/v/", "https://www.youtube.com/watch?v="),
    ("https://youtube.com/embed/", "https://www.youtube.com/watch?v="),
    ("https://www.youtube-nocookie.com/embed/", "https://www.youtube.com/watch?v="),
    ("https://player.vimeo.com/video/", "https://vimeo.com/"),
    ("https://open.spotify.com/embed/", "https://open.spotify.com/"),
];

/// Sites that show code, and the part of the embed address that differs on the public page.
const PENS: &[(&str, &str, &str)] = &[
    ("https://codepen.io/", "/embed/preview/", "/pen/"),
    ("https://codepen.io/", "/embed/", "/pen/"),
    ("https://codesandbox.io/", "/embed/", "/s/"),
];

/// The start of the address of a script that writes a gist into a page.
pub const GISTS: &str = "https://gist.github.com/";

/// The elements that load a page, and the attributes that name it.
const LOADING: &[(&str, &[&str])] =
    &[("iframe", &["src", "data-src"]), ("embed", &["src"]), ("object", &["data"]), ("script", &["src"])];

/// The elements inside an object that name its page if the object itself does not, and their attributes.
const INSIDE_OBJECT: [(&str, &str); 2] = [("param", "value"), ("embed", "src")];

/// The longest tag that is read, which bounds the time for each `<`.
const TAG_BYTES_MAX: usize = 8_000;

/// The address of the public page for what a frame shows.
pub fn shown_address(source: &str) -> String {
    let source = source.trim();
    let source = source.strip_prefix("//").map_or_else(|| source.to_owned(), |rest| format!("https://{rest}"));
    let without_query = |text: &str| text.split(['?', '&', '#']).next().unwrap_or(text).to_owned();
    let secure = source.strip_prefix("http://").map_or_else(|| source.clone(), |rest| format!("https://{rest}"));
    let player = PLAYERS.iter().find_map(|(player, page)| Some((secure.strip_prefix(player)?, page)));
    if let Some((rest, page)) = player {
        return format!("{page}{}", without_query(rest));
    }
    let pen = PENS.iter().find(|(site, part, _)| source.starts_with(site) && source.contains(part));
    match pen {
        Some((_, part, shown)) => without_query(&source).replacen(part, shown, 1),
        None => source,
    }
}

/// Replaces elements that load a page by links, in raw HTML.
pub(super) fn replace(html: &mut String) {
    if let Some(replaced) = with_links(html) {
        *html = replaced;
    }
}

/// The HTML with a link in place of each element that loads a page; `None` if there is none.
pub fn with_links(html: &str) -> Option<String> {
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    let mut endless: Vec<&str> = Vec::new();
    while let Some(step) = html[at..].find('<') {
        at += step;
        let rest = &html[at..];
        let Some((name, keys)) = LOADING.iter().find(|(name, _)| begins_with_tag(rest, name)) else {
            at += 1;
            continue;
        };
        let Some(tag) = Tag::read(rest, name) else {
            at += 1;
            continue;
        };
        // An end tag that was not found once is not searched for again, which bounds the time.
        let end = match endless.contains(name) || *name == "embed" {
            true => None,
            false => end_of(&rest[tag.length..], name),
        };
        if end.is_none() {
            endless.push(*name);
        }
        let length = tag.length + end.unwrap_or_default();
        let of_object = || (*name == "object").then(|| link_inside(&rest[tag.length..length]))?;
        if let Some(link) = link(name, &tag, keys).or_else(of_object) {
            out.push_str(&html[copied..at]);
            out.push_str(&link);
            copied = at + length;
        }
        at += length;
    }
    if copied == 0 {
        return None;
    }
    out.push_str(&html[copied..]);
    Some(out)
}

fn begins_with_tag(text: &str, name: &str) -> bool {
    let found = text.get(1..=name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name));
    found && text[1 + name.len()..].starts_with(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>'))
}

/// The length up to the end of the element's end tag.
fn end_of(text: &str, name: &str) -> Option<usize> {
    let is_end = |at: &usize| text.get(at + 2..at + 2 + name.len()).is_some_and(|end| end.eq_ignore_ascii_case(name));
    let at = text.match_indices("</").map(|(at, _)| at).find(is_end)?;
    Some(at + text[at..].find('>')? + 1)
}

/// The link for an object: to the first web address in it.
fn link_inside(content: &str) -> Option<String> {
    let tags = content.match_indices('<').filter_map(|(at, _)| {
        let rest = &content[at..];
        let (name, key) = INSIDE_OBJECT.iter().find(|(name, _)| begins_with_tag(rest, name))?;
        Some((*name, *key, Tag::read(rest, name)?))
    });
    let mut links = tags.filter_map(|(name, key, tag)| {
        let is_of_web = is_web_address(shown_address(&tag.attribute(key)?).as_str());
        link(name, &tag, &[key]).filter(|_| is_of_web)
    });
    links.next()
}

fn link(name: &str, tag: &Tag<'_>, keys: &[&str]) -> Option<String> {
    let address = shown_address(&keys.iter().find_map(|key| tag.attribute(key))?);
    let address = match name {
        "script" => {
            address.strip_prefix(GISTS).map(|rest| format!("{GISTS}{}", rest.split(".js").next().unwrap_or(rest)))?
        }
        _ => address,
    };
    let is_page = !address.split(['/', '?', '#']).next().is_some_and(|start| start.contains(':'))
        || ["https://", "http://"].iter().any(|scheme| address.starts_with(scheme));
    if address.is_empty() || !is_page {
        return None;
    }
    let title = tag.attribute("title").filter(|title| !title.trim().is_empty());
    let short = address.trim_start_matches("https://").trim_start_matches("http://").trim_start_matches("www.");
    let text = escape(title.as_deref().unwrap_or(short));
    Some(format!("<a href=\"{}\">{text}</a>", escape(&address).replace('"', "&quot;")))
}

struct Tag<'t> {
    attributes: Vec<(&'t str, &'t str)>,
    length: usize,
}

impl<'t> Tag<'t> {
    /// `None` if the tag is not closed.
    fn read(text: &'t str, name: &str) -> Option<Self> {
        let (mut attributes, mut at) = (Vec::new(), 1 + name.len());
        let text = &text[..text.floor_char_boundary(TAG_BYTES_MAX)];
        loop {
            at += text[at..].find(|c: char| !c.is_ascii_whitespace() && c != '/')?;
            if text[at..].starts_with('>') {
                return Some(Self { attributes, length: at + 1 });
            }
            let start = at;
            // A name has at least one character, which can be `=`.
            let first = text[at..].chars().next()?.len_utf8();
            at += first + text[at + first..].find(|c: char| c.is_ascii_whitespace() || matches!(c, '=' | '>' | '/'))?;
            let name = &text[start..at];
            let Some(value) = text[at..].trim_ascii_start().strip_prefix('=').map(str::trim_ascii_start) else {
                attributes.push((name, ""));
                continue;
            };
            let value_at = text.len() - value.len();
            let (value, end) = match value.chars().next()? {
                quote @ ('"' | '\'') => {
                    let length = value[1..].find(quote)?;
                    (&value[1..1 + length], value_at + length + 2)
                }
                _ => {
                    let length = value.find(|c: char| c.is_ascii_whitespace() || c == '>')?;
                    (&value[..length], value_at + length)
                }
            };
            attributes.push((name, value));
            at = end;
        }
    }

    fn attribute(&self, name: &str) -> Option<String> {
        let (_, value) = self.attributes.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))?;
        Some(unescape(value).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use crate::render;

    #[test]
    fn an_embedded_page_is_a_link_to_it() {
        let link = |address: &str, text: &str| format!("<a href=\"{address}\">{text}</a>");
        let video = link("https://www.youtube.com/watch?v=a_b", "youtube.com/watch?v=a_b");
        for (html, expected) in [
            ("<iframe src=\"https://www.youtube.com/embed/a_b?rel=0\"></iframe>".to_owned(), video.clone()),
            ("<IFRAME\n width=1 SRC='//www.youtube-nocookie.com/embed/a_b'>Old</IFRAME>".to_owned(), video.clone()),
            (
                "<iframe src=https://player.vimeo.com/video/12 title=\"A <film>\"></iframe>".to_owned(),
                link("https://vimeo.com/12", "A &lt;film&gt;"),
            ),
            (
                "<iframe data-src=\"https://open.spotify.com/embed/track/1\"></iframe>".to_owned(),
                link("https://open.spotify.com/track/1", "open.spotify.com/track/1"),
            ),
            (
                "<iframe src=\"https://codepen.io/ada/embed/xyz?a=b&amp;c=d\"></iframe>".to_owned(),
                link("https://codepen.io/ada/pen/xyz", "codepen.io/ada/pen/xyz"),
            ),
            (
                "<iframe src=\"https://x.example/y?a=1&amp;b=2\"></iframe>".to_owned(),
                link("https://x.example/y?a=1&amp;b=2", "x.example/y?a=1&amp;b=2"),
            ),
            (
                "<script src=\"https://gist.github.com/ada/1f.js\"></script>".to_owned(),
                link("https://gist.github.com/ada/1f", "gist.github.com/ada/1f"),
            ),
            (
                "<object data=\"https://x.example/a.swf\"></object>".to_owned(),
                link("https://x.example/a.swf", "x.example/a.swf"),
            ),
        ] {
            let block = render(&format!("Before.\n\n{html}\n\nAfter."));
            assert!(block.html.contains(&expected), "{html}: {}", block.html);
            assert_eq!(block.html.matches("<a ").count(), 1, "{}", block.html);
            assert!(block.text.starts_with("Before.\n") && block.text.ends_with("\nAfter."), "{}", block.text);
            let inline = render(&format!("Before {} after.", html.replace('\n', " "))).html;
            assert!(inline.contains(&expected) && inline.contains(" after.</p>"), "{inline}");
        }
        let object = "<object width=1><param name=\"wmode\" value=\"1\"><param name=\"movie\" value=\"http://www.youtube.com/v/a_b&hl=en\"></object>";
        assert_eq!(render(&format!("<p>{object}</p>")).html.trim_end(), format!("<p>{video}</p>"));
        for none in [
            "<iframe src=\"javascript:x()\"></iframe>",
            "<iframe srcdoc=\"<p>x\"></iframe>",
            "<script src=\"https://x.example/a.js\"></script>",
        ] {
            assert_eq!(render(&format!("a {none} b")).html, "<p>a  b</p>\n", "{none}");
        }
        assert_eq!(
            render("`<iframe src=\"https://a.b\">`").html,
            "<p><code>&lt;iframe src=\"https://a.b\"&gt;</code></p>\n"
        );
    }
}
