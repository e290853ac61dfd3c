//! A broken link, as a report names it. The rule: it names the post or page as its editor finds it.

use std::fmt;

use serde::Serialize;

/// A link of a published post or page that points nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BrokenLink {
    #[serde(flatten)]
    pub from: LinkSource,
    /// The address as the rendered body has it.
    pub link: String,
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "nodeType", content = "name")]
pub enum LinkSource {
    /// The slug of a post.
    Post(String),
    /// The path of a page.
    Page(String),
}

impl fmt::Display for LinkSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Post(slug) => write!(f, "post {slug}"),
            Self::Page(path) => write!(f, "page {path}"),
        }
    }
}
