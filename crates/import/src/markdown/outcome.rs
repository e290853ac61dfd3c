//! What a file of Markdown is. The rule: a file that is nothing that can be imported is skipped or failed with a reason, never dropped.

use crate::{Failed, ImportedPage, ImportedPost, ImportedTerm, Redirect, Skipped};

/// The result of reading a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadOutcome {
    /// A post, and what the report says about it.
    Post(Box<ImportedPost>, Vec<String>),
    /// A page of the site, and what the report says about it.
    Page(Box<ImportedPage>, Vec<String>),
    /// A category, tag, author or series of an export, and the address of the author's picture.
    Term(Box<ImportedTerm>, Option<String>),
    Redirect(Redirect),
    Skipped(Skipped),
    Failed(Failed),
}

impl ReadOutcome {
    /// The path of the file, unless it is a term.
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
