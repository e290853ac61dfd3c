//! The path of a site page: `guide/install/linux`. The rule: every path can be used in a key, and its parts are slugs.

use std::fmt;
use std::str::FromStr;

use super::slug::Slug;

/// The levels of the tree of pages.
pub const PATH_DEPTH_MAX: usize = 10;
/// The path of the page that is shown at the root of the site: an import gives it to the first page of a site.
pub const HOME_PATH: &str = "index";
/// The longest path in bytes. A key adds a prefix of two.
pub const PATH_BYTES_MAX: usize = 400;

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PagePath(Vec<Slug>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPath {
    #[error("{0:?} is not a path: 1 to {PATH_DEPTH_MAX} slugs with a slash between them, such as docs/install")]
    Depth(String),
    #[error("a path has at most {PATH_BYTES_MAX} characters")]
    Long,
    #[error(
        "{0:?} is not a part of a path: 1 to 200 characters of a-z, 0-9, '.', '_' and '-', the first and the last a letter or digit"
    )]
    Part(String),
}

impl PagePath {
    /// # Errors
    /// If there are no parts, too many, or they are too long together.
    pub fn of(parts: Vec<Slug>) -> Result<Self, BadPath> {
        let path = Self(parts);
        match path.0.len() {
            1..=PATH_DEPTH_MAX if path.to_string().len() <= PATH_BYTES_MAX => Ok(path),
            1..=PATH_DEPTH_MAX => Err(BadPath::Long),
            _ => Err(BadPath::Depth(path.to_string().chars().take(64).collect())),
        }
    }

    pub fn parts(&self) -> &[Slug] {
        &self.0
    }

    pub fn is_home(&self) -> bool {
        matches!(self.0.as_slice(), [slug] if slug.as_str() == HOME_PATH)
    }

    /// The path that an address of a site names; the root is that of the home page. Each part is read by [`Slug::from_address`].
    pub fn from_address(text: &str) -> Option<Self> {
        let text = if is_root(text) { HOME_PATH } else { text };
        if let Ok(path) = text.parse() {
            return Some(path);
        }
        Self::of(text.split('/').filter_map(Slug::from_address).collect()).ok()
    }

    /// The last part: the slug of the page among the children of its parent.
    pub fn slug(&self) -> &Slug {
        self.0.last().expect("a path has a part")
    }

    /// The path of the page above; `None` at the top.
    pub fn parent(&self) -> Option<Self> {
        let above = &self.0[..self.0.len() - 1];
        (!above.is_empty()).then(|| Self(above.to_vec()))
    }

    /// The path of a child.
    ///
    /// # Errors
    /// If it would be too long or too deep.
    pub fn child(&self, slug: Slug) -> Result<Self, BadPath> {
        Self::of(self.0.iter().cloned().chain([slug]).collect())
    }
}

/// Whether an address is that of the root of a site.
pub fn is_root(address: &str) -> bool {
    matches!(address, "" | "/")
}

impl FromStr for PagePath {
    type Err = BadPath;

    /// A slash at the start and at the end is allowed.
    fn from_str(text: &str) -> Result<Self, BadPath> {
        if text.len() > PATH_BYTES_MAX + 2 {
            return Err(BadPath::Long);
        }
        let inner = text.strip_prefix('/').unwrap_or(text);
        let inner = inner.strip_suffix('/').unwrap_or(inner);
        if inner.is_empty() {
            return Err(BadPath::Depth(text.to_owned()));
        }
        let part = |part: &str| part.parse::<Slug>().map_err(|_| BadPath::Part(part.chars().take(64).collect()));
        Self::of(inner.split('/').map(part).collect::<Result<_, _>>()?)
    }
}

impl fmt::Display for PagePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, part) in self.0.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { "/" })?;
            f.write_str(part.as_str())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_prints_as_it_was_parsed_without_the_slashes_around_it() {
        for (text, printed) in [("a", "a"), ("/docs/install/linux/", "docs/install/linux"), ("v1.2/a_b", "v1.2/a_b")] {
            assert_eq!(text.parse::<PagePath>().map(|path| path.to_string()), Ok(printed.to_owned()));
        }
        let path: PagePath = "a/b".parse().expect("a path");
        assert_eq!((path.slug().as_str(), path.parent().map(|path| path.to_string())), ("b", Some("a".to_owned())));
        assert_eq!(path.parent().and_then(|path| path.parent()), None);
    }

    #[test]
    fn what_is_too_deep_too_long_or_not_made_of_slugs_is_refused() {
        let deep = |parts: usize| vec!["a"; parts].join("/").parse::<PagePath>();
        assert!(deep(PATH_DEPTH_MAX).is_ok() && deep(PATH_DEPTH_MAX + 1).is_err());
        let long = |bytes: usize| format!("{}/{}", "a".repeat(199), "b".repeat(bytes - 200)).parse::<PagePath>();
        assert!(long(PATH_BYTES_MAX).is_ok() && long(PATH_BYTES_MAX + 1).is_err());
        for text in ["", "/", "//", "a//b", "A", "a b", "../a", "a/.", "a/-b", "ä"] {
            assert!(text.parse::<PagePath>().is_err(), "{text}");
        }
    }
}
