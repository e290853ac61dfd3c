//! Cleans HTML. The rule: only listed elements, attributes and classes are kept, and none of them can run code, load a page into the page, restyle the site, or
//! shadow a name that the site's own scripts look up.

use std::borrow::Cow;
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};

use super::{dom_names, html_cost};

const PASSES_MAX: usize = 3;

/// The HTML with only allowed content and with every tag closed; shown as text if cleaning takes too many passes.
pub fn clean(html: &str) -> String {
    cleaned(html).unwrap_or_else(|| clean_once(&ammonia::clean_text(html)))
}

/// Like [`clean`]; `None` if it takes too many passes. A browser must read the result as it was checked, but a parser moves misplaced content, such
/// as that of a table, and an element may be valid only because of a removed element around it. So the result is cleaned until nothing changes, at
/// most [`PASSES_MAX`] times and only while the cost of one more pass is bounded. A link left open before dozens of nested quotes needs more passes,
/// because a parser moves it out of eight of them at a time.
pub(super) fn cleaned(html: &str) -> Option<String> {
    let mut cleaned = clean_once(html);
    for _ in 1..PASSES_MAX {
        if !html_cost::is_bounded(&cleaned) {
            return None;
        }
        let again = clean_once(&cleaned);
        if again == cleaned {
            return Some(cleaned);
        }
        cleaned = again;
    }
    None
}

/// Like [`cleaned`], for HTML that was generated from Markdown without raw HTML: content can be misplaced only in tables.
pub(super) fn generated(html: &str) -> Option<String> {
    if html.contains("<table") { cleaned(html) } else { Some(clean_once(html)) }
}

fn clean_once(html: &str) -> String {
    let cleaned = CLEANER.clean(html).to_string();
    // The parser drops a byte order mark at the start, and cleaning may have moved another one to the start.
    match cleaned.strip_prefix(BYTE_ORDER_MARK) {
        Some(_) => cleaned.trim_start_matches(BYTE_ORDER_MARK).to_owned(),
        None => cleaned,
    }
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The elements of Markdown with GitHub's extensions, and those that people write by hand in a post: text, lists, tables, images,
/// audio and video. No forms, frames, objects, SVG or MathML, because each can run code or load a resource.
const TAGS: &str = "\
    a abbr article aside audio b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn \
    div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img input ins kbd li mark ol p \
    picture pre q rp rt ruby s samp section small source span strike strong sub summary sup table tbody td tfoot \
    th thead time tr tt u ul var video wbr";

/// Elements that are removed with their content, because it is code, or is meaningless outside of them.
pub const DROPPED_WITH_CONTENT: &str =
    "script style iframe noembed noframes object template title textarea select svg math";

/// The attributes that are kept. Not among them: `style`, `on…`, `target`, `srcset` (its URLs are not checked) or `name`. `class` and `id` must also pass
/// [`allowed`].
const ATTRIBUTES: &[(&str, &str)] = &[
    ("a", "href hreflang rel data-footnote-ref data-footnote-backref data-footnote-backref-idx aria-label"),
    ("audio", "src controls loop muted preload"),
    ("bdo", "dir"),
    ("blockquote", "cite"),
    ("code", "class data-math-style"),
    ("col", "span align"),
    ("colgroup", "span align"),
    ("del", "cite datetime"),
    ("details", "open"),
    ("div", "class"),
    ("img", "src alt width height align loading"),
    ("input", "type checked disabled"),
    ("ins", "cite datetime"),
    ("li", "value"),
    ("ol", "start type reversed"),
    ("p", "class"),
    ("q", "cite"),
    ("section", "data-footnotes"),
    ("source", "src type"),
    ("td", "align colspan rowspan headers"),
    ("th", "align colspan rowspan headers scope"),
    ("time", "datetime"),
    ("tr", "align"),
    ("video", "src controls height loop muted poster preload width"),
];

/// The classes by which style sheets select footnotes.
const CLASSES: &[(&str, &str)] = &[("a", "footnote-backref"), ("section", "footnotes"), ("sup", "footnote-ref")];

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut cleaner = Builder::empty();
    cleaner
        .tags(TAGS.split_whitespace().collect())
        .clean_content_tags(DROPPED_WITH_CONTENT.split_whitespace().collect())
        .generic_attributes(["dir", "id", "lang", "title"].into())
        .tag_attributes(ATTRIBUTES.iter().map(|(tag, names)| (*tag, names.split_whitespace().collect())).collect())
        .allowed_classes(CLASSES.iter().map(|(tag, class)| (*tag, [*class].into())).collect())
        // Every `<input>` becomes the check box of a task list.
        .set_tag_attribute_value("input", "type", "checkbox")
        .set_tag_attribute_value("input", "disabled", "")
        .url_schemes(["http", "https", "mailto", "tel"].into())
        .url_relative(UrlRelative::PassThrough)
        // The site's own authors write the posts, so their links are intended (no `nofollow`). `target` is removed, so there is
        // no opener to hide (no `noopener`).
        .link_rel(None)
        .attribute_filter(allowed);
    cleaner
});

/// Elements with a `cite` attribute. No browser shows this URL and no URL rule of the cleaner checks it, but a script may follow it.
const CITED: [&str; 4] = ["blockquote", "del", "ins", "q"];

/// The classes of alerts on GitHub.
const ALERTS: [&str; 5] = ["note", "tip", "important", "warning", "caution"];

/// An id must be harmless, and must contain a hyphen unless it is that of a heading: the ids of footnotes contain one, but no property of `window` or
/// `document` that a script might look up does. A class on code must name a language; other classes are those of alerts.
fn allowed<'v>(element: &str, attribute: &str, value: &'v str) -> Option<Cow<'v, str>> {
    let keep = match (element, attribute) {
        ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", "id") => dom_names::is_harmless(value),
        (_, "id") => value.contains('-') && !value.contains(char::is_whitespace),
        ("div", "class") => {
            value.strip_prefix("markdown-alert markdown-alert-").is_some_and(|kind| ALERTS.contains(&kind))
        }
        ("p", "class") => value == "markdown-alert-title",
        (_, "data-math-style") => value == "inline" || value == "display",
        (element, "cite") if CITED.contains(&element) => is_web_address(value),
        ("code", "class") => value.starts_with("language-") && !value.contains(char::is_whitespace),
        _ => true,
    };
    keep.then_some(Cow::Borrowed(value))
}

/// Whether the URL is relative, or absolute with `http` or `https`. Browsers drop control characters and white space before they read the scheme,
/// so a URL with any of these before its first `/`, `?` or `#` is refused.
fn is_web_address(url: &str) -> bool {
    let beginning = url.trim_matches(' ').split(['/', '?', '#']).next().unwrap_or_default();
    if beginning.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return false;
    }
    beginning
        .split_once(':')
        .is_none_or(|(scheme, _)| ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_removed() {
        let cases = [
            ("<script>x</script>a", "a"),
            ("<p onclick=\"x()\" style=\"color:red\">a</p>", "<p>a</p>"),
            ("<a href=\"javascript:x()\">a</a>", "<a>a</a>"),
            ("<a href=\" JaVa\nScript:x()\" target=\"_blank\">a</a>", "<a>a</a>"),
            ("<img src=\"data:text/html,x\" onerror=x>", "<img>"),
            ("<iframe src=\"https://example.com\">a</iframe>", ""),
            ("<svg><script>x</script></svg><math>x</math>", ""),
            ("<form action=\"/x\"><button>a</button></form>", "a"),
        ];
        for (dirty, cleaned) in cases {
            assert_eq!(clean(dirty), cleaned, "{dirty}");
        }
    }

    #[test]
    fn content_moved_out_of_a_table_is_cleaned_again() {
        let cleaned = clean("<h1><table><tr>&lt;a</h1><h1>b</h1>");
        assert!(cleaned.contains("<h1>b</h1>"), "{cleaned}");
        assert_eq!(clean(&cleaned), cleaned);
    }

    /// In each, the removed element is the reason why the parser accepts the inner element where it is.
    #[test]
    fn an_element_inside_a_removed_one_is_cleaned_again() {
        for html in [
            "<h1>a<x-y><h2>b</h2></x-y></h1>",
            "<p>a<button><p>b</p></button></p>",
            "<ul><li>a<form><li>b</li></form></li></ul>",
            "<a href=\"/a\">a<MARQUEE\n><a href=\"/b\">b</a></marquee></a>",
            "<ruby><rt>a<x-y><rt>b</x-y></ruby>",
        ] {
            let cleaned = clean(html);
            assert!(cleaned.contains('a') && cleaned.contains('b'), "{html}: {cleaned}");
            assert_ne!(clean_once(html), cleaned, "{html}");
            assert_eq!(clean_once(&cleaned), cleaned, "{html}");
        }
    }

    #[test]
    fn a_link_that_ends_in_another_heading_is_cleaned_again() {
        let html = "<h1><a>a<h3>b</a>c</h3></h1>";
        let cleaned = clean(html);
        assert_ne!(clean_once(html), cleaned, "{cleaned}");
        assert_eq!(clean_once(&cleaned), cleaned);
    }

    #[test]
    fn an_input_becomes_a_disabled_check_box() {
        assert_eq!(clean("<input type=\"password\" name=\"p\">"), "<input type=\"checkbox\" disabled=\"\">");
    }

    #[test]
    fn ids_and_classes_that_scripts_or_styles_may_use_are_removed() {
        assert_eq!(
            clean("<p id=\"cookie\" class=\"admin\">a</p><p id=\"the-end\">b</p>"),
            "<p>a</p><p id=\"the-end\">b</p>"
        );
        assert_eq!(clean("<h1 id=\"cookie\">a</h1><h2 id=\"usage\">b</h2>"), "<h1>a</h1><h2 id=\"usage\">b</h2>");
        assert_eq!(clean("<code class=\"language-c x\">a</code>"), "<code>a</code>");
    }

    #[test]
    fn a_cited_source_is_a_web_address() {
        for element in CITED {
            for url in [
                "javascript:x()",
                " JaVaScript:x()",
                "java\nscript:x()",
                "\u{1}javascript:x()",
                "data:text/html,x",
                "vbscript:x",
            ] {
                assert_eq!(
                    clean(&format!("<{element} cite=\"{url}\">a</{element}>")),
                    format!("<{element}>a</{element}>"),
                    "{url:?}"
                );
            }
            for url in ["https://example.com/a:b", "HTTP://example.com", "/a:b", "a?b:c", "#c:d", ""] {
                let html = format!("<{element} cite=\"{url}\">a</{element}>");
                assert_eq!(clean(&html), html);
            }
        }
    }

    #[test]
    fn relative_links_and_images_are_kept() {
        let html = "<a href=\"../x#y\"><img src=\"/a.png\" alt=\"b\"></a>";
        assert_eq!(clean(html), html);
    }
}
