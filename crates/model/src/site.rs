//! The web site that shows the content: its name, and the addresses of its pages. The rule: an address is absolute, because a feed reader and a
//! search engine have no page that it could be relative to.

use std::ops::Deref;
use std::str::FromStr;

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use url::Url;

use super::asset::AssetHash;
use super::navigation::Navigation;
use super::page_path::PagePath;
use super::term::TermKind;
use super::time_zone::TimeZone;
use super::url_pattern::{Pattern, Placeholder};

/// The operator's description of the site.
#[derive(Debug, Clone)]
pub struct Site {
    /// `None`: the site has no addresses.
    pub url: Option<SiteUrl>,
    pub name: String,
    pub description: Option<String>,
    /// A BCP 47 tag, such as `en` or `pt-BR`.
    pub language: Option<String>,
    /// The picture for links to pages without a cover.
    pub image: Option<AssetHash>,
    pub paths: SitePaths,
    pub navigation: Navigation,
}

/// A site whose address is known.
#[derive(Debug, Clone, Copy)]
pub struct LocatedSite<'a> {
    pub url: &'a SiteUrl,
    site: &'a Site,
}

/// The name of a site without a name or an address.
pub const SITE_NAME: &str = "Tidings";

/// The default paths of pages.
pub const POST_PATH: &str = "/posts/{slug}";
pub const PAGE_PATH: &str = "/{path}";
pub const TAG_PATH: &str = "/tags/{slug}";
pub const CATEGORY_PATH: &str = "/categories/{slug}";
pub const AUTHOR_PATH: &str = "/authors/{slug}";
pub const SERIES_PATH: &str = "/series/{slug}";

/// The paths of pages below the address of the site.
#[derive(Debug, Clone)]
pub struct SitePaths {
    /// The zone of the dates in the paths of posts.
    pub time_zone: TimeZone,
    pub post: PostPath,
    pub page: PathOfPages,
    pub tag: TermPath,
    pub category: TermPath,
    pub author: TermPath,
    pub series: TermPath,
}

/// The addresses that the operator has configured.
#[derive(Debug, Clone)]
pub struct SiteAddresses {
    pub url: Option<SiteUrl>,
    pub paths: SitePaths,
}

/// The address of a site: http or https, with a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteUrl(Url);

/// The path of a post: `{slug}`, and `{year}`, `{month}` and `{day}` of its publication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostPath(Pattern);

/// The path of a page of the tree: `{path}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathOfPages(Pattern);

/// The path of a tag, a category, an author or a series: `{slug}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermPath(Pattern);

impl SiteUrl {
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub fn join(&self, path: &str) -> String {
        format!("{}{}", self.0, path.trim_start_matches('/'))
    }

    /// The path below the address of the server; only the path if the address is unknown.
    pub fn address(server: Option<&Self>, path: &str) -> String {
        server.map_or_else(|| path.to_owned(), |server| server.join(path))
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
    pub fn located(&self) -> Option<LocatedSite<'_>> {
        self.url.as_ref().map(|url| LocatedSite { url, site: self })
    }
}

impl Default for Site {
    fn default() -> Self {
        Self {
            url: None,
            name: SITE_NAME.to_owned(),
            description: None,
            language: None,
            image: None,
            paths: SitePaths::default(),
            navigation: Navigation::default(),
        }
    }
}

impl Deref for LocatedSite<'_> {
    type Target = Site;

    fn deref(&self) -> &Site {
        self.site
    }
}

impl LocatedSite<'_> {
    /// The address of the page of a post that is or will be published at this instant.
    pub fn post(&self, slug: &str, published_at: DateTime<Utc>) -> String {
        self.url.join(&self.paths.path_of_post(slug, published_at))
    }

    pub fn page(&self, path: &PagePath) -> String {
        self.url.join(&self.paths.path_of_page(path))
    }

    pub fn term(&self, kind: TermKind, slug: &str) -> String {
        self.url.join(&self.paths.of_kind(kind).of(slug))
    }
}

impl Default for SitePaths {
    fn default() -> Self {
        let term = |path: &str| path.parse().expect("a path with the placeholder of a term");
        Self {
            time_zone: TimeZone::default(),
            post: POST_PATH.parse().expect("a path with the placeholder of a post"),
            page: PAGE_PATH.parse().expect("a path with the placeholder of a page"),
            tag: term(TAG_PATH),
            category: term(CATEGORY_PATH),
            author: term(AUTHOR_PATH),
            series: term(SERIES_PATH),
        }
    }
}

impl SitePaths {
    fn of_kind(&self, kind: TermKind) -> &TermPath {
        match kind {
            TermKind::Category => &self.category,
            TermKind::Tag => &self.tag,
            TermKind::Author => &self.author,
            TermKind::Series => &self.series,
        }
    }

    pub fn path_of_post(&self, slug: &str, published_at: DateTime<Utc>) -> String {
        self.post.of(slug, self.time_zone.local(published_at).date())
    }

    /// The home page is at the root, whatever the path of the other pages is.
    pub fn path_of_page(&self, path: &PagePath) -> String {
        if path.is_home() { "/".to_owned() } else { self.page.of(path) }
    }

    /// Whether a post with this slug has this path. The query counts only if the addresses of posts have one.
    pub fn is_path_of_post(&self, path: &str, slug: &str, published_at: DateTime<Utc>) -> bool {
        self.path_of_post(slug, published_at).trim_end_matches('/') == self.post.0.counted(path)
    }

    /// The first result of `of` for a slug that could have this path.
    pub fn find_post<T>(&self, path: &str, of: impl FnMut(&str) -> Option<T>) -> Option<T> {
        self.post.0.find(path, of)
    }

    /// Like [`find_post`](Self::find_post), for the path of a page.
    pub fn find_page<T>(&self, path: &str, of: impl FnMut(&str) -> Option<T>) -> Option<T> {
        self.page.0.find(path, of)
    }

    /// Like [`find_post`](Self::find_post), for the slug of a term.
    pub fn find_term<T>(&self, kind: TermKind, path: &str, of: impl FnMut(&str) -> Option<T>) -> Option<T> {
        self.of_kind(kind).0.find(path, of)
    }
}

impl PostPath {
    fn of(&self, slug: &str, day: NaiveDate) -> String {
        self.0.fill(|name| match name {
            Placeholder::Slug | Placeholder::Path => slug.to_owned(),
            Placeholder::Year => format!("{:04}", day.year()),
            Placeholder::Month => format!("{:02}", day.month()),
            Placeholder::Day => format!("{:02}", day.day()),
        })
    }
}

impl PathOfPages {
    fn of(&self, path: &PagePath) -> String {
        self.0.fill(|_| path.to_string())
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

impl FromStr for PathOfPages {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Pattern::parse(text, &[Placeholder::Path]).map(Self)
    }
}

impl FromStr for TermPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Pattern::parse(text, &[Placeholder::Slug]).map(Self)
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
    fn the_usual_paths_are_paths() {
        let (paths, at) = (SitePaths::default(), "2026-01-02T00:00:00Z".parse().expect("an instant"));
        assert_eq!(paths.path_of_post("a", at), "/posts/a");
        assert_eq!(paths.path_of_page(&"a/b".parse().expect("a path")), "/a/b");
        assert_eq!(paths.path_of_page(&"index".parse().expect("a path")), "/");
        let of_terms = TermKind::ALL.map(|kind| paths.of_kind(kind).of("a"));
        assert_eq!(of_terms, ["/categories/a", "/tags/a", "/authors/a", "/series/a"]);
    }

    #[test]
    fn the_day_in_a_path_is_that_of_the_time_zone() {
        let path = |zone: &str, at: &str| {
            let (post, time_zone) = ("/{year}/{month}/{day}/{slug}", zone.parse().expect("a zone"));
            let paths = SitePaths { post: post.parse().expect("a path"), time_zone, ..SitePaths::default() };
            let at = at.parse().expect("an instant");
            let path = paths.path_of_post("a", at);
            assert!(paths.is_path_of_post(&path, "a", at));
            path
        };
        assert_eq!(path("UTC", "2026-01-31T23:30:00Z"), "/2026/01/31/a");
        assert_eq!(path("Europe/Berlin", "2026-01-31T23:30:00Z"), "/2026/02/01/a");
        assert_eq!(path("America/New_York", "2026-01-01T04:59:59Z"), "/2025/12/31/a");
    }

    #[test]
    fn the_placeholders_of_a_path_are_filled() {
        let at = "2026-01-02".parse().expect("a day");
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
        let page = |path: &str| path.parse::<PathOfPages>().map(|found| found.of(&"a/b-c".parse().expect("a path")));
        assert_eq!(page("/{path}").as_deref(), Ok("/a/b-c"));
        assert_eq!(page("/docs/{path}/").as_deref(), Ok("/docs/a/b-c/"));
        for wrong in ["/{slug}", "/docs", "{path}", "/{path}/{year}"] {
            assert!(wrong.parse::<PathOfPages>().is_err(), "{wrong}");
        }
    }
}
