//! HTML cleaned. The rule: what is not on these lists is not let through, and nothing on them can run, load a page into the page,
//! restyle the site, or take the name of something that the site's own scripts look up.

use std::borrow::Cow;
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};

use super::html_cost;

/// How often HTML is cleaned at the most.
const PASSES_MAX: usize = 3;

/// The HTML with all that is not allowed taken away, and with every tag closed. What a browser reads of it is what was checked: a parser moves
/// what is misplaced in a table out of it, and may read the result otherwise, so HTML with a table is cleaned until nothing changes.
pub fn clean(html: &str) -> String {
    let mut cleaned = clean_once(html);
    for _ in 1..PASSES_MAX {
        if !cleaned.contains("<table") || !html_cost::is_bounded(&cleaned) {
            break;
        }
        let again = clean_once(&cleaned);
        if again == cleaned {
            break;
        }
        cleaned = again;
    }
    cleaned
}

fn clean_once(html: &str) -> String {
    let cleaned = CLEANER.clean(html).to_string();
    // The parser takes a byte order mark at the start for one; what now stands first may only have come there.
    match cleaned.strip_prefix(BYTE_ORDER_MARK) {
        Some(_) => cleaned.trim_start_matches(BYTE_ORDER_MARK).to_owned(),
        None => cleaned,
    }
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// What Markdown and GitHub's extensions make, and what people write by hand in a post: text, lists, tables, pictures, sound
/// and film. No forms, frames, objects, SVG or MathML: each is a way to run or to load something.
const TAGS: &str = "\
    a abbr article aside audio b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn \
    div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img input ins kbd li mark ol p \
    picture pre q rp rt ruby s samp section small source span strike strong sub summary sup table tbody td tfoot \
    th thead time tr tt u ul var video wbr";

/// These go with all that is in them: it is code, or means nothing outside of them.
const DROPPED_WITH_CONTENT: &str =
    "script style iframe noembed noframes object template title textarea select svg math";

/// No `style`, `on…`, `target`, `srcset` (its URLs are not checked) or `name`; `class` and `id` only as [`allowed`] says.
const ATTRIBUTES: &[(&str, &str)] = &[
    ("a", "href hreflang rel data-footnote-ref data-footnote-backref data-footnote-backref-idx aria-label"),
    ("audio", "src controls loop muted preload"),
    ("bdo", "dir"),
    ("blockquote", "cite"),
    ("code", "class"),
    ("col", "span align"),
    ("colgroup", "span align"),
    ("del", "cite datetime"),
    ("details", "open"),
    ("img", "src alt width height align loading"),
    ("input", "type checked disabled"),
    ("ins", "cite datetime"),
    ("li", "value"),
    ("ol", "start type reversed"),
    ("q", "cite"),
    ("section", "data-footnotes"),
    ("source", "src type"),
    ("td", "align colspan rowspan headers"),
    ("th", "align colspan rowspan headers scope"),
    ("time", "datetime"),
    ("tr", "align"),
    ("video", "src controls height loop muted poster preload width"),
];

/// What footnotes are known by in a style sheet.
const CLASSES: &[(&str, &str)] = &[("a", "footnote-backref"), ("section", "footnotes"), ("sup", "footnote-ref")];

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut cleaner = Builder::empty();
    cleaner
        .tags(TAGS.split_whitespace().collect())
        .clean_content_tags(DROPPED_WITH_CONTENT.split_whitespace().collect())
        .generic_attributes(["dir", "id", "lang", "title"].into())
        .tag_attributes(ATTRIBUTES.iter().map(|(tag, names)| (*tag, names.split_whitespace().collect())).collect())
        .allowed_classes(CLASSES.iter().map(|(tag, class)| (*tag, [*class].into())).collect())
        // An `<input>` is a task's box, whatever it was written as.
        .set_tag_attribute_value("input", "type", "checkbox")
        .set_tag_attribute_value("input", "disabled", "")
        .url_schemes(["http", "https", "mailto", "tel"].into())
        .url_relative(UrlRelative::PassThrough)
        // Posts are written by the site's own authors, so their links are meant (no `nofollow`), and as `target` is not let
        // through there is no opener to hide (no `noopener`).
        .link_rel(None)
        .attribute_filter(allowed);
    cleaner
});

/// The URL of a quotation's source is shown by no browser, and is checked by no URL rule of the cleaner, but a script may follow it.
const CITED: [&str; 4] = ["blockquote", "del", "ins", "q"];

/// An id must hold a hyphen: footnotes' ids do, most headings' too, but no property of `window` or `document` that a script
/// might look up. A class on code must name a language.
fn allowed<'v>(element: &str, attribute: &str, value: &'v str) -> Option<Cow<'v, str>> {
    let keep = match (element, attribute) {
        (_, "id") => value.contains('-') && !value.contains(char::is_whitespace),
        (element, "cite") if CITED.contains(&element) => is_web_address(value),
        ("code", "class") => value.starts_with("language-") && !value.contains(char::is_whitespace),
        _ => true,
    };
    keep.then_some(Cow::Borrowed(value))
}

/// Whether the URL is relative, or an absolute one of `http` or `https`. Browsers drop control characters and white space before they read the
/// scheme, so a URL with any of these before its first `/`, `?` or `#` is refused.
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
    fn what_runs_is_gone() {
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
    fn what_is_moved_out_of_a_table_is_read_again_as_it_was_checked() {
        let cleaned = clean("<h1><table><tr>&lt;a</h1><h1>b</h1>");
        assert!(cleaned.contains("<h1>b</h1>"), "{cleaned}");
        assert_eq!(clean(&cleaned), cleaned);
    }

    #[test]
    fn an_input_can_only_be_a_tasks_box() {
        assert_eq!(clean("<input type=\"password\" name=\"p\">"), "<input type=\"checkbox\" disabled=\"\">");
    }

    #[test]
    fn an_id_or_class_that_a_script_or_style_could_know_is_gone() {
        assert_eq!(
            clean("<p id=\"cookie\" class=\"admin\">a</p><p id=\"the-end\">b</p>"),
            "<p>a</p><p id=\"the-end\">b</p>"
        );
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
    fn relative_links_and_pictures_stay() {
        let html = "<a href=\"../x#y\"><img src=\"/a.png\" alt=\"b\"></a>";
        assert_eq!(clean(html), html);
    }
}
