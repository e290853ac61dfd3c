//! The templates that site generators replace by the address of a page or a path. The rule: only literals are read; nothing is computed.

const BYTES_MAX: usize = 4_000;

/// `{{< a b >}}`, `{{% a b %}}`, `{{ a b }}` or `{% a b %}`.
pub(super) struct Tag<'t> {
    pub open: &'static str,
    pub inside: &'t str,
    /// In bytes, with its marks.
    pub length: usize,
}

impl<'t> Tag<'t> {
    /// The tag at the start of the text.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        let marks = [("{{<", ">}}"), ("{{%", "%}}"), ("{{", "}}"), ("{%", "%}")];
        let (open, close) = marks.into_iter().find(|(open, _)| text.starts_with(open))?;
        let inside = &text[open.len()..text.floor_char_boundary(BYTES_MAX)];
        let end = inside.find(close)?;
        // Dashes next to these marks remove white space around the tag; the last argument of a shortcode can end with a dash.
        let has_dashes = open.len() == 2;
        let inside = inside[..end].trim_matches(|c: char| c.is_whitespace() || (has_dashes && c == '-'));
        Some(Self { open, inside, length: open.len() + end + close.len() })
    }
}

/// The first word, and the text after it.
pub(super) fn split_word(inside: &str) -> (&str, &str) {
    inside.split_once(char::is_whitespace).unwrap_or((inside, ""))
}

/// The meaning of a template in a link.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Template {
    /// `{{< ref "a.md" >}}` of Hugo.
    Ref(String),
    /// `{% post_url 2024-01-02-a %}` of Jekyll.
    PostUrl(String),
    /// `{% link _posts/2024-01-02-a.md %}` of Jekyll.
    Link(String),
    /// `{{ "/a/" | relative_url }}` of Jekyll, `{{ "/a/" | url }}` of Eleventy; empty for `{{ site.baseurl }}`, the start of a path of the site.
    Path(String),
    Other,
}

/// The filters that make an address from a path.
const FILTERS: &[&str] = &["relative_url", "absolute_url", "url", "htmlBaseUrl", "prepend: site.baseurl"];
const BASES: &[&str] = &["site.baseurl", "site.url", "site.baseUrl"];

pub(super) fn template(Tag { open, inside, .. }: &Tag<'_>) -> Template {
    let (word, argument) = split_word(inside);
    match (*open, word) {
        ("{{<" | "{{%", "ref" | "relref") => target(argument).map_or(Template::Other, Template::Ref),
        ("{%", "post_url") => target(argument).map_or(Template::Other, Template::PostUrl),
        ("{%", "link") => target(argument).map_or(Template::Other, Template::Link),
        ("{{", _) if BASES.contains(inside) => Template::Path(String::new()),
        ("{{", _) => path(inside).map_or(Template::Other, Template::Path),
        _ => Template::Other,
    }
}

/// The argument of a template: a text with or without quotes, or `path="a"`.
fn target(argument: &str) -> Option<String> {
    let argument = argument.trim();
    let argument = argument.strip_prefix("path=").unwrap_or(argument);
    let text = match argument.chars().next()? {
        quote @ ('"' | '\'' | '`') => argument[1..].split(quote).next()?,
        _ => argument.split_whitespace().next()?,
    };
    (!text.is_empty() && !text.contains(['{', '='])).then(|| text.to_owned())
}

/// The quoted path of `"/a/" | relative_url`.
fn path(inside: &str) -> Option<String> {
    let quote = inside.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (path, filters) = inside[1..].split_once(quote)?;
    let mut filters = filters.trim().strip_prefix('|')?.split('|').map(str::trim);
    (path.starts_with('/') && filters.all(|filter| FILTERS.contains(&filter))).then(|| path.to_owned())
}
