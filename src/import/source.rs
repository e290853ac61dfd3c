//! The source of an import, in any format. The rule: bodies are not kept, so that a post needs only a few hundred bytes of memory.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::ghost::Ghost;
use super::json_lines_source::JsonLines;
use super::markdown_file::ReadOutcome;
use super::term_list::TermList;
use super::wxr::Wxr;
use super::{Entry, Failed, Ignored, ImportedPost, ImportedTerm, Note, Redirect, Skipped, TermKind, markdown_folder};
use crate::model::{Slug, rules};

/// Everything that was found, and a reader for the bodies of the posts.
pub struct ImportSource {
    found: FoundContent,
    posts: Posts,
}

/// The reader with which the posts are read again.
pub(super) enum Posts {
    Folder(PathBuf),
    Wxr(Wxr),
    Ghost(Ghost),
    JsonLines(JsonLines),
}

/// The result of reading everything once.
#[derive(Default)]
pub(super) struct FoundContent {
    pub entries: Vec<Entry>,
    pub terms: TermList,
    pub redirects: Vec<Redirect>,
    pub skipped: Vec<Skipped>,
    pub failed: Vec<Failed>,
    pub notes: Vec<Note>,
    /// By the ending of their names.
    ignored: BTreeMap<String, Ignored>,
    /// By field name: the number of files that have it, and the first of them.
    unused_fields: BTreeMap<String, (usize, String)>,
}

/// The most names of unused fields that are recorded. Front matter that a person wrote has fewer.
const UNUSED_FIELDS_MAX: usize = 1_000;

impl ImportSource {
    pub(super) fn new(found: FoundContent, posts: Posts) -> Self {
        Self { found, posts }
    }

    /// The posts: sorted by path for a folder, in the order of the file for an export.
    pub fn entries(&self) -> &[Entry] {
        &self.found.entries
    }

    /// Reads the post of the entry with this index, with its body.
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

    /// The categories, tags or authors that the source describes or that its posts name, each once, in the order of the source.
    pub fn terms(&self, kind: TermKind) -> &[ImportedTerm] {
        self.found.terms.of(kind)
    }

    /// Whether nothing was found, neither valid nor invalid items.
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

    /// The notes of single posts, then one for each field of front matter that is not imported.
    pub fn notes(&self) -> Vec<Note> {
        let unused = self.found.unused_fields.iter().map(|(name, (files, first))| Note {
            origin: format!("the front matter field {name:?}"),
            text: format!("is not imported; {}", in_files(*files, first)),
        });
        self.found.notes.iter().cloned().chain(unused).collect()
    }

    /// The files of a folder that are not read, by the ending of their names, without hidden files.
    pub fn ignored(&self) -> Vec<Ignored> {
        self.found.ignored.values().cloned().collect()
    }
}

fn in_files(files: usize, first: &str) -> String {
    match files {
        1 => format!("{first} has it"),
        files => format!("{files} files have it, the first is {first}"),
    }
}

impl FoundContent {
    pub(super) fn take(&mut self, outcome: ReadOutcome) {
        match outcome {
            ReadOutcome::Post(post) => drop(self.take_post(&post)),
            ReadOutcome::Redirect(redirect) => self.redirects.push(redirect),
            ReadOutcome::Skipped(skipped) => self.skipped.push(skipped),
            ReadOutcome::Failed(failed) => self.failed.push(failed),
        }
    }

    /// Adds a post. Returns false if a term of the post is invalid; then the post has failed.
    pub(super) fn take_post(&mut self, post: &ImportedPost) -> bool {
        if let Err(failed) = post.check_terms() {
            self.failed.push(failed);
            return false;
        }
        for (kind, term) in post.terms() {
            self.terms.add_named(kind, term);
        }
        for name in &post.unused_fields {
            if let Some((files, _)) = self.unused_fields.get_mut(name) {
                *files += 1;
            } else if self.unused_fields.len() < UNUSED_FIELDS_MAX {
                self.unused_fields.insert(name.clone(), (1, post.origin.clone()));
            }
        }
        self.entries.push(post.to_entry());
        true
    }

    /// Adds a term that the source describes, without its URL if that is not a web address.
    pub(super) fn describe(&mut self, mut term: ImportedTerm) {
        if let Some(url) = term.url.take_if(|url| !url.is_empty() && !rules::is_web_address(url)) {
            let named = format!("{} {}", term.kind.noun(), term.name);
            let shown: String = url.chars().take(100).collect();
            self.note(
                named,
                format!("the URL {shown:?} does not begin with http:// or https://, so it is not imported"),
            );
        }
        let ImportedTerm { kind, name, description, url, .. } = &term;
        match rules::check_term(*kind, name, description.as_deref(), url.as_deref()) {
            Ok(()) => self.terms.add_described(term),
            Err(broken) => {
                let named = format!("{} {}", kind.noun(), term.slug.as_ref().map_or("", Slug::as_str));
                self.fail(named, rules::in_one_text(&broken));
            }
        }
    }

    pub(super) fn skip(&mut self, origin: impl Into<String>, reason: impl Into<String>) {
        self.skipped.push(Skipped { origin: origin.into(), reason: reason.into() });
    }

    /// Counts a file whose type is not imported.
    pub(super) fn ignore(&mut self, path: &str) {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ending = name.rfind('.').filter(|at| *at > 0).map_or_else(String::new, |at| name[at..].to_lowercase());
        let ignored = self.ignored.entry(ending).or_insert_with_key(|ending| Ignored {
            ending: ending.clone(),
            files: 0,
            first: path.to_owned(),
        });
        ignored.files += 1;
        if *path < *ignored.first {
            path.clone_into(&mut ignored.first);
        }
    }

    pub(super) fn fail(&mut self, origin: impl Into<String>, reason: impl Into<String>) {
        self.failed.push(Failed { origin: origin.into(), reason: reason.into() });
    }

    pub(super) fn note(&mut self, origin: impl Into<String>, text: impl Into<String>) {
        self.notes.push(Note { origin: origin.into(), text: text.into() });
    }
}
