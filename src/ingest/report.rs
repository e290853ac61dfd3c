//! The options and the result of an import. The rule: every item that was not imported is named, with the reason.

use serde::Serialize;

use crate::content::write::Outcome;
use crate::model::BrokenLink;

use super::gone::Gone;
use super::translations::not_linked;
use crate::import::{Failed, Ignored, MetadataKey, Note, Skipped};

/// The maximum number of links that a report names; if the addresses of the site are configured wrongly, every link is broken.
pub const BROKEN_LINKS_MAX: usize = 10_000;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Write nothing.
    pub dry_run: bool,
    /// Overwrite posts that a mutation has changed since the last import.
    pub overwrite: bool,
    /// List the posts and pages that imports from this folder made, and that have no file any more.
    pub prune: bool,
}

/// The result of an import, or the expected result with `dry_run`. The order of the fields is that of the JSON report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    #[serde(rename = "created")]
    pub made: usize,
    pub changed: usize,
    pub unchanged: usize,
    /// Posts that differ from the source, and that a mutation has changed since the last import; each has a note.
    pub kept: usize,
    #[serde(rename = "termsCreated")]
    pub terms_made: usize,
    pub redirects: usize,
    pub pages: PageCounts,
    #[serde(rename = "assets")]
    pub pictures: PictureCounts,
    pub failed: Vec<Failed>,
    pub skipped: Vec<Skipped>,
    /// Only with `prune`, and only if nothing failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<Gone>,
    /// Whether something failed only because another client wrote meanwhile.
    #[serde(skip)]
    pub is_again: bool,
    pub notes: Vec<Note>,
    /// The dangling links of the site after the import, at most [`BROKEN_LINKS_MAX`], and their number. Only the command searches for them, after an import of
    /// Markdown.
    pub broken_links: Vec<BrokenLink>,
    pub broken_links_total: u64,
    /// The keys in the metadata of the imported posts.
    pub metadata: Vec<MetadataKey>,
    /// Files that were not read as posts, by extension.
    pub ignored: Vec<Ignored>,
}

/// The numbers of picture files that an import has added, and that the site already had.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct PictureCounts {
    #[serde(rename = "created")]
    pub made: usize,
    pub unchanged: usize,
}

/// The numbers of pages that an import has created, changed, or found unchanged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct PageCounts {
    #[serde(rename = "created")]
    pub made: usize,
    pub changed: usize,
    pub unchanged: usize,
}

/// Why a post was not imported.
pub(super) fn explain(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Taken(slug) => {
            format!("the slug {slug} belongs to another post that was written during the import; import again")
        }
        Outcome::Exists => "a post with this id exists already".to_owned(),
        Outcome::Untranslatable(why) => not_linked(*why),
        Outcome::TermsGone(terms) => {
            let terms: Vec<_> = terms.iter().map(|term| format!("{} \"{}\"", term.kind.noun(), term.slug)).collect();
            format!("deleted or renamed during the import: {}; import again", terms.join(", "))
        }
        Outcome::Conflict => "another client changed the post during the import; import again".to_owned(),
        Outcome::TooLarge(reason) => reason.clone(),
        // An import uses no idempotency keys.
        Outcome::Repeated(_) | Outcome::KeyUsed => "the post was created with this idempotency key before".to_owned(),
        Outcome::Done => "done".to_owned(),
    }
}
