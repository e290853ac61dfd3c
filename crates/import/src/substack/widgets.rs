//! The widgets that Substack's editor puts into a body. The rule: content for readers is kept as text, a picture or a link; a request to subscribe, share or
//! comment on Substack is removed.

use serde_json::Value;

use crate::html::{Element, HtmlParts, attribute, figure, link, link_to};
use tidings_model::{html_text, rules};

use super::pictures;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Widget {
    /// HTML that replaces the widget.
    Kept(String),
    /// A form or button of Substack.
    Button,
    /// An element without content, such as a hint of the editor.
    Empty,
    /// The export has no content for it.
    Lost(String),
}

/// The classes of forms, and of buttons for functions that the server does not have.
const FORMS: &str = "\
    subscription-widget-wrap subscription-widget-wrap-editor subscription-widget subscribe-widget \
    install-substack-app-embed community-chat directMessage post-ufi";

/// The classes of elements around pictures and code.
const SURROUNDINGS: &str = "hide-text image-link-expand paywall-jump third-party-cookie-check-iframe";

/// The classes of widgets that show a page of another site. Their attributes contain its address and title.
const PAGES: &str = "\
    apple-podcast bandcamp-wrap datawrapper-wrap digest-post-embed embedded-post-wrap embedded-publication-wrap \
    prediction-market-wrap soundcloud-wrap spotify-wrap tiktok-wrap";

/// The classes of widgets whose content exists only on Substack.
const ELSEWHERE: &str = "native-audio-embed native-video-embed poll-embed";

/// `None` if the element is not a widget.
pub(super) fn of(element: &Element, html: &HtmlParts) -> Option<Widget> {
    let has = |class: &str| element.has_class(class);
    let is_one_of = |classes: &str| classes.split(' ').any(has);
    if is_one_of(FORMS) {
        return Some(Widget::Button);
    }
    if is_one_of(SURROUNDINGS) {
        return Some(Widget::Empty);
    }
    if has("button-wrapper") || has("captioned-button-wrap") {
        let address = html.inside(element).find_map(|inner| inner.attribute("href"));
        return address.is_none_or(is_of_substack).then_some(Widget::Button);
    }
    if has("captioned-image-container") {
        return picture(element, html).map(Widget::Kept);
    }
    if has("file-embed-wrapper") {
        return file(element, html).map(Widget::Kept);
    }
    let data: Value = serde_json::from_str(element.attribute("data-attrs")?).unwrap_or(Value::Null);
    let shown = match () {
        () if has("tweet") => quote(&data, "full_text", text(&data, "url").map(str::to_owned)),
        () if has("bluesky-wrap") => quote(&data, "text", bluesky_address(&data)),
        () if has("image-gallery-embed") => gallery(&data),
        () if has("image3") => text(&data, "src").map(|source| figure(&of_file(source), text(&data, "title"), None)),
        () if has("comment") => data.get("comment").and_then(|comment| quote(comment, "body", None)),
        () if has("youtube-wrap") => address_of(&data, "https://www.youtube.com/watch?v=", "videoId"),
        () if has("vimeo-wrap") => address_of(&data, "https://vimeo.com/", "videoId"),
        () if has("instagram") => address_of(&data, "https://www.instagram.com/p/", "instagram_id"),
        () if has("mention-wrap") => text(&data, "name").map(html_text::escape),
        () if has("latex-rendered") => text(&data, "persistentExpression").map(formula),
        () if is_one_of(PAGES) => page(&data),
        () if is_one_of(ELSEWHERE) => None,
        // The content of an unknown widget is kept, or else the page that it names.
        () if has_content(element, html) => return None,
        () => page(&data),
    };
    let kind =
        || element.attribute("class").unwrap_or(&element.name).split_ascii_whitespace().next().unwrap_or("widget");
    Some(shown.map_or_else(|| Widget::Lost(kind().chars().take(64).collect()), Widget::Kept))
}

fn text<'v>(data: &'v Value, name: &str) -> Option<&'v str> {
    data.get(name)?.as_str().filter(|text| !text.trim().is_empty())
}

fn has_content(element: &Element, html: &HtmlParts) -> bool {
    let shows = |inner: &Element| matches!(inner.name.as_str(), "img" | "iframe" | "audio" | "video" | "script");
    shows(element) || !html.text(element).is_empty() || html.inside(element).any(shows)
}

/// Whether a button opens a function of Substack.
fn is_of_substack(address: &str) -> bool {
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let is_function = ["/subscribe", "/comments", "/leaderboard", "/chat"]
        .iter()
        .any(|end| path.trim_end_matches('/').ends_with(end));
    is_function || address.contains("%%") || query.contains("action=share") || query.contains("gift=true")
}

/// A picture with its caption, and with its link unless that points to the picture itself.
fn picture(element: &Element, html: &HtmlParts) -> Option<String> {
    let mut images = html.inside(element).filter(|inner| inner.name == "img");
    let image = images.next().filter(|image| image.attribute("src").is_some())?;
    if images.next().is_some() {
        return None;
    }
    let mut tag = String::from("<img");
    for name in ["src", "alt", "title", "width", "height"] {
        if let Some(value) = image.attribute(name).filter(|value| name == "alt" || !value.is_empty()) {
            tag.extend([" ", name, "=\"", &attribute(value), "\""]);
        }
    }
    tag.push('>');
    let linked =
        html.inside(element).find(|inner| inner.has_class("image-link")).and_then(|inner| inner.attribute("href"));
    let linked = linked.filter(|address| pictures::name_of(address).is_none() && rules::is_web_address(address));
    let shown = linked.map_or_else(|| tag.clone(), |address| link(address, &tag));
    let caption = html.inside(element).find(|inner| inner.name == "figcaption").map(|caption| html.inner_html(caption));
    let caption = caption.filter(|caption| !caption.trim().is_empty());
    let caption = caption.map(|caption| format!("<figcaption>{}</figcaption>", caption.trim())).unwrap_or_default();
    Some(format!("<figure>{shown}{caption}</figure>\n"))
}

/// The name of an attached file, as a link to it.
fn file(element: &Element, html: &HtmlParts) -> Option<String> {
    let address = html.inside(element).find_map(|inner| inner.attribute("href"))?;
    let title = html.inside(element).find(|inner| inner.has_class("file-embed-details-h1"));
    link_to(address, title.map(|title| html.text(title)).as_deref())
}

/// A post of a social network, with its author and its address.
fn quote(data: &Value, words: &str, address: Option<String>) -> Option<String> {
    let words = text(data, words)?;
    let name = text(data, "name").or(text(data, "authorName")).unwrap_or_default();
    let handle = text(data, "username").or(text(data, "authorHandle"));
    let handle = handle.map(|handle| format!(" (@{})", handle.trim_start_matches('@'))).unwrap_or_default();
    let author = html_text::escape(format!("— {name}{handle}").trim());
    let author = match address.filter(|address| rules::is_web_address(address)) {
        Some(address) => link(&address, &author),
        None => author,
    };
    let words = html_text::escape(words.trim()).replace('\n', "<br>");
    Some(format!("<blockquote><p>{words}</p><p>{author}</p></blockquote>\n"))
}

fn bluesky_address(data: &Value) -> Option<String> {
    let (author, post) = (text(data, "authorHandle").or(text(data, "authorDid"))?, text(data, "postId")?);
    Some(format!("https://bsky.app/profile/{author}/post/{post}"))
}

fn of_file(address: &str) -> String {
    pictures::unwrapped(address).unwrap_or_else(|| address.to_owned())
}

fn gallery(data: &Value) -> Option<String> {
    let gallery = data.get("gallery")?;
    let (alt, caption) = (text(gallery, "alt"), text(gallery, "caption").map(html_text::escape));
    let sources: Vec<&str> = gallery.get("images")?.as_array()?.iter().filter_map(|image| text(image, "src")).collect();
    let last = sources.len().checked_sub(1)?;
    let figures = sources
        .iter()
        .enumerate()
        .map(|(at, source)| figure(&of_file(source), alt, caption.as_deref().filter(|_| at == last)) + "\n");
    Some(figures.collect())
}

fn address_of(data: &Value, before: &str, name: &str) -> Option<String> {
    link_to(&format!("{before}{}", text(data, name)?.trim()), text(data, "title"))
}

fn page(data: &Value) -> Option<String> {
    let address =
        ["targetUrl", "canonical_url", "url", "base_url", "embed_url"].iter().find_map(|name| text(data, name))?;
    link_to(address, text(data, "title").or(text(data, "name")))
}

fn formula(text: &str) -> String {
    let text = html_text::escape(text.trim());
    format!("<pre><code class=\"language-math\" data-math-style=\"display\">{text}</code></pre>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(html: &str) -> Option<Widget> {
        let html = HtmlParts::read(html).expect("HTML");
        let element = html.elements().next().expect("an element");
        of(element, &html)
    }

    fn with_data(class: &str, data: &str) -> Option<Widget> {
        first(&format!("<div class=\"{class}\" data-attrs=\"{}\"></div>", attribute(data)))
    }

    fn kept(html: &str) -> Option<Widget> {
        Some(Widget::Kept(html.to_owned()))
    }

    #[test]
    fn only_buttons_of_substack_are_removed() {
        let button = |address: &str| first(&format!("<p class=\"button-wrapper\"><a href=\"{address}\">x</a></p>"));
        for address in [
            "https://a.substack.com/subscribe?",
            "%%checkout_url%%",
            "https://a.example/p/b?x&action=share",
            "/p/b/comments",
        ] {
            assert_eq!(button(address), Some(Widget::Button), "{address}");
        }
        assert_eq!(button("https://a.example/donate?campaign=comments"), None);
        assert_eq!(first("<div class=\"subscription-widget-wrap x\"><form></form></div>"), Some(Widget::Button));
    }

    #[test]
    fn widgets_become_what_readers_need() {
        let link = |address: &str, title: &str| kept(&format!("<p><a href=\"{address}\">{title}</a></p>\n"));
        assert_eq!(
            with_data("youtube-wrap", r#"{"videoId":"a_b"}"#),
            link("https://www.youtube.com/watch?v=a_b", "https://www.youtube.com/watch?v=a_b")
        );
        assert_eq!(
            with_data("digest-post-embed", r#"{"title":"A & B","canonical_url":"https://a.example/p/b"}"#),
            link("https://a.example/p/b", "A &amp; B")
        );
        assert_eq!(
            with_data("new-widget", r#"{"url":"https://a.example/x"}"#),
            link("https://a.example/x", "https://a.example/x")
        );
        let tweet = r#"{"url":"https://x.example/1","full_text":"a\nb <c>","name":"Ada","username":"ada"}"#;
        let quoted =
            "<blockquote><p>a<br>b &lt;c&gt;</p><p><a href=\"https://x.example/1\">— Ada (@ada)</a></p></blockquote>\n";
        assert_eq!(with_data("tweet", tweet), kept(quoted));
        let gallery = r#"{"gallery":{"images":[{"src":"https://a.example/1.png"},{"src":"https://a.example/2.png"}],"caption":"C"}}"#;
        let figures = "<figure><img src=\"https://a.example/1.png\" alt=\"\"></figure>\n<figure><img src=\"https://a.example/2.png\" alt=\"\"><figcaption>C</figcaption></figure>\n";
        assert_eq!(with_data("image-gallery-embed", gallery), kept(figures));
        assert_eq!(with_data("mention-wrap", r#"{"name":"Jane"}"#), kept("Jane"));
    }

    #[test]
    fn what_the_export_does_not_have_is_lost() {
        let lost = |name: &str| Some(Widget::Lost(name.to_owned()));
        assert_eq!(with_data("native-video-embed", r#"{"mediaUploadId":"x"}"#), lost("native-video-embed"));
        assert_eq!(with_data("poll-embed", "{"), lost("poll-embed"));
        assert_eq!(with_data("new-widget x", r#"{"url":"javascript:x()"}"#), lost("new-widget"));
        assert_eq!(first("<div class=\"new-widget\" data-attrs=\"{}\"><p>a</p></div>"), None);
        assert_eq!(first("<div class=\"new-widget\"></div>"), None);
    }
}
