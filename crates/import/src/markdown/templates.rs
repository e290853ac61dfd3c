//! The templates that site generators replace by the address of a page or a path. The rule: only literals are read; nothing is computed.

const BYTES_MAX: usize = 1_000;

/// The meaning of a template in a link.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Template {
    /// `{{< ref "a.md" >}}` of Hugo.
    Ref(String),
    /// `{% post_url 2024-01-02-a %}` of Jekyll.
    PostUrl(String),
    /// `{% link _posts/2024-01-02-a.md %}` of Jekyll.
    Link(String),
    /// `{{ "/a/" | relative_url }}` of Jekyll, `{{ "/a/" | url }}` of Eleventy.
    Path(String),
    /// `{{ site.baseurl }}`: the start of a path of the site.
    Base,
    Other,
}

/// The filters that make an address from a path.
const FILTERS: &[&str] = &["relative_url", "absolute_url", "url", "htmlBaseUrl", "prepend: site.baseurl"];
const BASES: &[&str] = &["site.baseurl", "site.url", "site.baseUrl"];

/// The template that begins at `at`, and its length.
pub(super) fn template(text: &str, at: usize) -> Option<(Template, usize)> {
    let rest = &text[at..];
    let (open, close) = [("{{<", ">}}"), ("{{%", "%}}"), ("{{", "}}"), ("{%", "%}")]
        .into_iter()
        .find(|(open, _)| rest.starts_with(open))?;
    let mut end = rest.len().min(BYTES_MAX);
    while !rest.is_char_boundary(end) {
        end -= 1;
    }
    let inside = &rest[open.len()..end];
    let length = inside.find(close)?;
    let inside = inside[..length].trim_matches(|c: char| c.is_whitespace() || c == '-');
    Some((read(open, inside), open.len() + length + close.len()))
}

fn read(open: &str, inside: &str) -> Template {
    let (word, argument) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
    match (open, word) {
        ("{{<" | "{{%", "ref" | "relref") => target(argument).map_or(Template::Other, Template::Ref),
        ("{%", "post_url") => target(argument).map_or(Template::Other, Template::PostUrl),
        ("{%", "link") => target(argument).map_or(Template::Other, Template::Link),
        ("{{", _) if BASES.contains(&inside) => Template::Base,
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
