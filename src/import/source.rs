//! What an import reads from, whatever its form. The rule: nothing of a body is kept here, so that what is in memory is a few
//! hundred bytes a post.

use std::path::PathBuf;

use super::ghost::Ghost;
use super::json_lines_source::JsonLines;
use super::markdown_file::ReadOutcome;
use super::term_list::TermList;
use super::wxr::Wxr;
use super::{Entry, Failed, ImportedPost, ImportedTerm, Note, Redirect, Skipped, TermKind, markdown_folder};
use crate::model::{Slug, rules};

/// Everything that was found, and the way to each post's body.
pub struct ImportSource {
    found: FoundContent,
    posts: Posts,
}

/// Where the posts are read from again.
pub(super) enum Posts {
    Folder(PathBuf),
    Wxr(Wxr),
    Ghost(Ghost),
    JsonLines(JsonLines),
}

/// What one reading of everything gives.
#[derive(Default)]
pub(super) struct FoundContent {
    pub entries: Vec<Entry>,
    pub terms: TermList,
    pub redirects: Vec<Redirect>,
    pub skipped: Vec<Skipped>,
    pub failed: Vec<Failed>,
    pub notes: Vec<Note>,
}

impl ImportSource {
    pub(super) fn new(found: FoundContent, posts: Posts) -> Self {
        Self { found, posts }
    }

    /// The posts: a folder's by path, a file's in the order of the file.
    pub fn entries(&self) -> &[Entry] {
        &self.found.entries
    }

    /// Reads the post of the entry with this index, body and all.
    pub fn read(&self, index: usize) -> Result<ImportedPost, Failed> {
        let entry = &self.found.entries[index];
        let post = match &self.posts {
            Posts::Folder(root) => markdown_folder::read(root, &entry.origin)?,
            Posts::Wxr(wxr) => wxr.read(index, &entry.origin)?,
            Posts::Ghost(ghost) => ghost.read(index, &entry.origin)?,
            Posts::JsonLines(lines) => lines.read(index, &entry.origin)?,
        };
        if post.origin == entry.origin {
            return Ok(post);
        }
        Err(Failed { origin: entry.origin.clone(), reason: "the file has changed since the import began".into() })
    }

    /// The categories, tags or authors that the source describes and that its posts name, each once, in the order found.
    pub fn terms(&self, kind: TermKind) -> &[ImportedTerm] {
        self.found.terms.of(kind)
    }

    /// Whether nothing at all was found, good or bad.
    pub fn is_empty(&self) -> bool {
        let FoundContent { entries, terms, redirects, skipped, failed, .. } = &self.found;
        let has_terms = TermKind::ALL.iter().any(|kind| !terms.of(*kind).is_empty());
        entries.is_empty() && !has_terms && redirects.is_empty() && skipped.is_empty() && failed.is_empty()
    }

    pub fn redirects(&self) -> &[Redirect] {
        &self.found.redirects
    }

    pub fn skipped(&self) -> &[Skipped] {
        &self.found.skipped
    }

    pub fn failed(&self) -> &[Failed] {
        &self.found.failed
    }

    pub fn notes(&self) -> &[Note] {
        &self.found.notes
    }
}

impl FoundContent {
    pub fn take(&mut self, outcome: ReadOutcome) {
        match outcome {
            ReadOutcome::Post(post) => drop(self.take_post(&post)),
            ReadOutcome::Redirect(redirect) => self.redirects.push(redirect),
            ReadOutcome::Skipped(skipped) => self.skipped.push(skipped),
            ReadOutcome::Failed(failed) => self.failed.push(failed),
        }
    }

    /// Whether it was taken: what names a term that no row can hold has failed.
    pub fn take_post(&mut self, post: &ImportedPost) -> bool {
        if let Err(failed) = post.check_terms() {
            self.failed.push(failed);
            return false;
        }
        for (kind, term) in post.terms() {
            self.terms.add_named(kind, term);
        }
        self.entries.push(post.to_entry());
        true
    }

    /// Takes a term that the source describes; without its URL if that is not a web address.
    pub fn describe(&mut self, mut term: ImportedTerm) {
        if let Some(url) = term.url.take_if(|url| !url.is_empty() && !rules::is_web_address(url)) {
            let named = format!("{} {}", term.kind.noun(), term.name);
            let shown: String = url.chars().take(100).collect();
            self.note(named, format!("the URL {shown:?} does not begin with http:// or https://, so it was left out"));
        }
        let ImportedTerm { kind, name, description, url, .. } = &term;
        match rules::check_term(*kind, name, description.as_deref(), url.as_deref()) {
            Ok(()) => self.terms.add_described(term),
            Err(broken) => {
                let named = format!("{} {}", kind.noun(), term.slug.as_ref().map_or("", Slug::as_str));
                self.fail(named, broken.to_string());
            }
        }
    }

    pub fn skip(&mut self, origin: impl Into<String>, reason: impl Into<String>) {
        self.skipped.push(Skipped { origin: origin.into(), reason: reason.into() });
    }

    pub fn fail(&mut self, origin: impl Into<String>, reason: impl Into<String>) {
        self.failed.push(Failed { origin: origin.into(), reason: reason.into() });
    }

    pub fn note(&mut self, origin: impl Into<String>, text: impl Into<String>) {
        self.notes.push(Note { origin: origin.into(), text: text.into() });
    }
}
