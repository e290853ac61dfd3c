//! What a Markdown file is read as. The rule: each file is exactly one of these.

use crate::{Failed, ImportedPage, ImportedPost, ImportedTerm, Redirect, Skipped};

/// The result of reading a Markdown file.
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
