//! The result of reading a Markdown file. The rule: a file that cannot be imported is skipped or failed with a reason, never dropped.

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
    /// The path of the file; `None` for a term.
    pub(super) fn origin(&self) -> Option<&str> {
        match self {
            Self::Post(post, _) => Some(&post.origin),
            Self::Page(page, _) => page.origin.as_deref(),
            Self::Term(..) => None,
            Self::Redirect(redirect) => Some(&redirect.origin),
            Self::Skipped(skipped) => Some(&skipped.origin),
            Self::Failed(failed) => Some(&failed.origin),
        }
    }
}
