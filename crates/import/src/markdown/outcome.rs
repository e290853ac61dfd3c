//! The result of reading a Markdown file. The rule: each file has exactly one of these results.

use crate::{Failed, ImportedPage, ImportedPost, ImportedTerm, Redirect, Skipped};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadOutcome {
    /// A post, and its notes for the report.
    Post(Box<ImportedPost>, Vec<String>),
    /// A page of the site, and its notes for the report.
    Page(Box<ImportedPage>, Vec<String>),
    /// A category, tag, author or series of an export, and the address of the author's picture.
    Term(Box<ImportedTerm>, Option<String>),
    Redirect(Redirect),
    Skipped(Skipped),
    Failed(Failed),
}

impl ReadOutcome {
    /// The post, or the page as a post.
    pub(super) fn content(&self) -> Option<&ImportedPost> {
        match self {
            Self::Post(post, _) => Some(post),
            Self::Page(page, _) => Some(&page.post),
            _ => None,
        }
    }
}
