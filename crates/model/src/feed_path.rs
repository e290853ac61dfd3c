//! The paths of the feeds, of the sitemap and of the Markdown for agents. The rule: a path is the same below the address of the site and on this server, so a proxy forwards it
//! unchanged.

use std::fmt;

use super::language::Language;
use super::term::TermKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Atom,
    Rss,
    Json,
}

impl Format {
    pub const ALL: [Self; 3] = [Self::Atom, Self::Rss, Self::Json];

    pub fn file(self) -> &'static str {
        match self {
            Self::Atom => "feed.xml",
            Self::Rss => "rss.xml",
            Self::Json => "feed.json",
        }
    }

    pub fn media_type(self) -> &'static str {
        match self {
            Self::Atom => "application/atom+xml; charset=utf-8",
            Self::Rss => "application/rss+xml; charset=utf-8",
            Self::Json => "application/feed+json; charset=utf-8",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeedOf {
    /// The kind and slug of a term.
    Term(TermKind, String),
    Language(Language),
}

const LANGUAGES: &str = "languages";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedPath {
    /// `None` for the feed of the site.
    pub of: Option<FeedOf>,
    pub format: Format,
}

impl FeedPath {
    /// `None` if no feed has the path. A slug has no character that is encoded in a path, so any other text is not a slug.
    pub fn parse(path: &str) -> Option<Self> {
        let path = path.strip_prefix('/')?;
        let (folder, file) = path.rsplit_once('/').map_or((None, path), |(folder, file)| (Some(folder), file));
        let format = Format::ALL.into_iter().find(|format| format.file() == file)?;
        let of = match folder {
            None => None,
            Some(folder) => {
                let (kind, slug) = folder.split_once('/')?;
                if kind == LANGUAGES {
                    let language: Language = slug.parse().ok()?;
                    let of = (language.index_slug().as_str() == slug).then_some(FeedOf::Language(language))?;
                    return Some(Self { of: Some(of), format });
                }
                let kind = TermKind::ALL.into_iter().find(|known| known.plural() == kind)?;
                let is_plain = slug.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
                Some(FeedOf::Term(kind, (is_plain && !slug.is_empty()).then(|| slug.to_owned())?))
            }
        };
        Some(Self { of, format })
    }
}

impl fmt::Display for FeedPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.of {
            Some(FeedOf::Term(kind, slug)) => write!(formatter, "/{}/{slug}", kind.plural())?,
            Some(FeedOf::Language(language)) => write!(formatter, "/{LANGUAGES}/{}", language.index_slug())?,
            None => {}
        }
        write!(formatter, "/{}", self.format.file())
    }
}

/// The Markdown of a post or page, or the list of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkdownPath<'a> {
    /// `/llms.txt` (llmstxt.org).
    List,
    /// The slug of a post.
    Post(&'a str),
    /// The path of a page.
    Page(&'a str),
}

impl<'a> MarkdownPath<'a> {
    pub fn parse(path: &'a str) -> Option<Self> {
        if path == "/llms.txt" {
            return Some(Self::List);
        }
        let path = path.strip_suffix(".md")?;
        let of_post = path.strip_prefix("/posts/").filter(|slug| !slug.contains('/')).map(Self::Post);
        of_post.or_else(|| path.strip_prefix("/pages/").map(Self::Page))
    }
}

impl fmt::Display for MarkdownPath<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List => formatter.write_str("/llms.txt"),
            Self::Post(slug) => write!(formatter, "/posts/{slug}.md"),
            Self::Page(path) => write!(formatter, "/pages/{path}.md"),
        }
    }
}

/// Whether the path is that of the sitemap or one of its parts.
pub fn is_sitemap(path: &str) -> bool {
    path == "/sitemap.xml" || path.starts_with("/sitemaps/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_parsed_is_written_again() {
        for path in [
            "/feed.xml",
            "/rss.xml",
            "/feed.json",
            "/tags/a.b-c/feed.xml",
            "/categories/a/rss.xml",
            "/authors/a/feed.json",
            "/series/a/feed.xml",
            "/languages/pt-br/feed.json",
        ] {
            assert_eq!(FeedPath::parse(path).map(|parsed| parsed.to_string()).as_deref(), Some(path));
        }
        for path in [
            "/",
            "/feed",
            "/feed.xml/",
            "//feed.xml",
            "/tags/feed.xml",
            "/tags//feed.xml",
            "/tags/a/b/feed.xml",
            "/posts/a/feed.xml",
            "/series/feed.xml",
            "/languages/pt-BR/feed.xml",
            "/languages/english/feed.xml",
        ] {
            assert_eq!(FeedPath::parse(path), None, "{path}");
        }
    }

    #[test]
    fn a_path_of_markdown_is_written_again() {
        for (path, parsed) in [
            ("/llms.txt", MarkdownPath::List),
            ("/posts/a.b.md", MarkdownPath::Post("a.b")),
            ("/pages/guide/install.md", MarkdownPath::Page("guide/install")),
        ] {
            assert_eq!(MarkdownPath::parse(path), Some(parsed));
            assert_eq!(parsed.to_string(), path);
        }
        for path in ["/llms.txt/", "/posts/a", "/posts/a/b.md", "/a.md", "/tags/a.md"] {
            assert_eq!(MarkdownPath::parse(path), None, "{path}");
        }
    }
}
