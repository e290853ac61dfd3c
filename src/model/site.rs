//! The web site that shows the content: its name, and the addresses of its pages. The rule: an address is absolute, because neither a feed reader nor a
//! search engine has a page that it could be relative to.

use std::str::FromStr;

use chrono::{DateTime, Datelike, Utc};
use url::Url;

use super::term::TermKind;

/// What the operator says of the site.
#[derive(Debug, Clone)]
pub struct Site {
    pub url: SiteUrl,
    pub name: String,
    pub description: Option<String>,
    /// By BCP 47, such as `en` or `pt-BR`.
    pub language: Option<String>,
    pub paths: SitePaths,
}

/// Where the pages are, below the address of the site.
#[derive(Debug, Clone)]
pub struct SitePaths {
    pub post: PostPath,
    pub tag: TermPath,
    pub category: TermPath,
    pub author: TermPath,
}

/// The address of a site: http or https, with a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteUrl(Url);

/// The path of a post: `{slug}`, and of the day of its publication (UTC) `{year}`, `{month}` and `{day}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostPath(Pattern);

/// The path of a tag, a category or an author: `{slug}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermPath(Pattern);

impl SiteUrl {
    /// The host, for a site without a name.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The address of a path of the site.
    pub fn join(&self, path: &str) -> String {
        format!("{}{}", self.0, path.trim_start_matches('/'))
    }
}

impl FromStr for SiteUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut url = Url::parse(text).map_err(|error| format!("{text:?} is not an absolute URL: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(format!("{text:?} is not an http or https URL"));
        }
        if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() || url.password().is_some() {
            return Err(format!("{text:?} has a user, a query or a fragment, which the address of a site cannot have"));
        }
        if !url.path().ends_with('/') {
            url.set_path(&format!("{}/", url.path()));
        }
        Ok(Self(url))
    }
}

impl Site {
    /// The address of the page of a post that is published, or will be, at this instant.
    pub fn post(&self, slug: &str, published_at: DateTime<Utc>) -> String {
        self.url.join(&self.paths.post.of(slug, published_at))
    }

    /// The address of the page of a term.
    pub fn term(&self, kind: TermKind, slug: &str) -> String {
        let path = match kind {
            TermKind::Category => &self.paths.category,
            TermKind::Tag => &self.paths.tag,
            TermKind::Author => &self.paths.author,
        };
        self.url.join(&path.of(slug))
    }
}

impl PostPath {
    fn of(&self, slug: &str, published_at: DateTime<Utc>) -> String {
        self.0.fill(|name| match name {
            Placeholder::Slug => slug.to_owned(),
            Placeholder::Year => format!("{:04}", published_at.year()),
            Placeholder::Month => format!("{:02}", published_at.month()),
            Placeholder::Day => format!("{:02}", published_at.day()),
        })
    }
}

impl TermPath {
    fn of(&self, slug: &str) -> String {
        self.0.fill(|_| slug.to_owned())
    }
}

impl FromStr for PostPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        use Placeholder::{Day, Month, Slug, Year};
        Pattern::parse(text, &[Slug, Year, Month, Day]).map(Self)
    }
}

impl FromStr for TermPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Pattern::parse(text, &[Placeholder::Slug]).map(Self)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placeholder {
    Slug,
    Year,
    Month,
    Day,
}

impl Placeholder {
    fn text(self) -> &'static str {
        match self {
            Self::Slug => "{slug}",
            Self::Year => "{year}",
            Self::Month => "{month}",
            Self::Day => "{day}",
        }
    }
}

/// A path with placeholders: texts, each with the placeholder after it, and the text at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    parts: Vec<(String, Placeholder)>,
    rest: String,
}

impl Pattern {
    fn parse(text: &str, known: &[Placeholder]) -> Result<Self, String> {
        let names = || known.iter().map(|name| name.text()).collect::<Vec<_>>().join(", ");
        if !text.starts_with('/') {
            return Err(format!("{text:?} does not begin with a slash"));
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "/-._~!$&'()*+,;=:@%?{}".contains(c);
        if let Some(c) = text.chars().find(|c| !is_plain(*c)) {
            return Err(format!("{text:?} contains {c:?}, which a URL has only in percent-encoding"));
        }
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some(start) = rest.find(['{', '}']) {
            let found = known.iter().find(|name| rest[start..].starts_with(name.text()));
            let name = *found.ok_or_else(|| format!("{text:?} has a brace that is not part of {}", names()))?;
            parts.push((rest[..start].to_owned(), name));
            rest = &rest[start + name.text().len()..];
        }
        match parts.iter().any(|(_, name)| *name == Placeholder::Slug) {
            true => Ok(Self { parts, rest: rest.to_owned() }),
            false => Err(format!("{text:?} does not contain {{slug}}, so all pages would have one address")),
        }
    }

    fn fill(&self, value: impl Fn(Placeholder) -> String) -> String {
        let mut filled = String::new();
        for (text, name) in &self.parts {
            filled.push_str(text);
            filled.push_str(&value(*name));
        }
        filled + &self.rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_below_the_address_of_the_site() {
        let joined = |url: &str, path: &str| url.parse::<SiteUrl>().map(|url| url.join(path));
        assert_eq!(joined("https://example.org", "/posts/a").as_deref(), Ok("https://example.org/posts/a"));
        assert_eq!(joined("https://example.org/blog", "/posts/a").as_deref(), Ok("https://example.org/blog/posts/a"));
        for wrong in
            ["example.org", "ftp://example.org", "https://example.org/?a", "https://a:b@example.org/", "data:x"]
        {
            assert!(wrong.parse::<SiteUrl>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_placeholders_of_a_path_are_filled() {
        let at = "2026-01-02T23:59:59Z".parse().expect("an instant");
        let post = |path: &str| path.parse::<PostPath>().map(|path| path.of("a-b", at));
        assert_eq!(post("/posts/{slug}").as_deref(), Ok("/posts/a-b"));
        assert_eq!(post("/{year}/{month}/{day}/{slug}.html").as_deref(), Ok("/2026/01/02/a-b.html"));
        assert_eq!(post("/?p={slug}").as_deref(), Ok("/?p=a-b"));
        for wrong in
            ["posts/{slug}", "/posts", "/{year}", "/{slug}/{name}", "/{slug", "/}{slug}", "/a b/{slug}", "/ä/{slug}"]
        {
            assert!(wrong.parse::<PostPath>().is_err(), "{wrong}");
        }
        assert!("/tags/{slug}/{year}".parse::<TermPath>().is_err(), "a tag has no day");
    }
}
