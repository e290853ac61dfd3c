//! The source of an import, in any format. The rule: bodies are not kept, so a post needs only a few hundred bytes of memory.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use tidings_model::Slug;
use tidings_model::site::SitePaths;

use super::category_tree::CategoryTree;
use super::contentful::Contentful;
use super::found::FoundContent;
use super::ghost::Ghost;
use super::jsonl::{AssetRecord, JsonLines};
use super::markdown::{self, SiteFiles};
use super::media::Media;
use super::medium::Medium;
use super::notion::Notion;
use super::substack::Substack;
use super::wxr::Wxr;
use super::{
    Entry, Failed, Ignored, ImportedPage, ImportedPost, ImportedTerm, MetadataKey, Note, PictureFile, Redirect,
    Skipped, TermKind,
};

/// The result of the first reading, and a reader for the bodies of the posts.
pub struct ImportSource {
    found: FoundContent,
    posts: Posts,
    paths: SitePaths,
}

pub(super) enum Posts {
    Folder(PathBuf, SiteFiles),
    Wxr(Wxr),
    Ghost(Ghost),
    Substack(Substack),
    Medium(Medium),
    Notion(Notion),
    Contentful(Contentful),
    JsonLines(JsonLines),
}

impl ImportSource {
    pub(super) fn new(mut found: FoundContent, posts: Posts) -> Self {
        found.entries.shrink_to_fit();
        Self { found, posts, paths: SitePaths::default() }
    }

    /// Sets the paths of the site, which links between its posts and pages get.
    #[must_use]
    pub fn for_site(self, paths: SitePaths) -> Self {
        Self { paths, ..self }
    }

    /// Sorted by path for a folder of files, or in the order of the file or table of an export.
    pub fn entries(&self) -> &[Entry] {
        &self.found.entries
    }

    /// In the order of the source.
    pub fn pages(&self) -> &[ImportedPage] {
        &self.found.pages
    }

    /// Reads a post with its body.
    pub fn read(&self, index: usize) -> Result<ImportedPost, Failed> {
        let entry = &self.found.entries[index];
        let post = match &self.posts {
            Posts::Folder(root, site) => markdown::read(root, site, entry.origin())?,
            Posts::Wxr(wxr) => wxr.read(index, entry.origin())?,
            Posts::Ghost(ghost) => ghost.read(index, entry.origin())?,
            Posts::Substack(substack) => substack.read(index, entry.origin())?,
            Posts::Medium(medium) => medium.read(index, entry.origin())?,
            Posts::Notion(notion) => notion.read(index, entry.origin())?,
            Posts::Contentful(contentful) => contentful.read(index, entry.origin())?,
            Posts::JsonLines(lines) => lines.read(index, entry.origin())?,
        };
        if post.origin == entry.origin() {
            return Ok(post);
        }
        Err(Failed::changed(entry.origin()))
    }

    /// The terms that the source describes or that its posts name, without duplicates, in the order of the source.
    pub fn terms(&self, kind: TermKind) -> &[ImportedTerm] {
        self.found.terms.of(kind)
    }

    pub fn category_tree(&self) -> &CategoryTree {
        &self.found.category_tree
    }

    /// Whether nothing was found, neither valid nor invalid items.
    pub fn is_empty(&self) -> bool {
        let FoundContent { entries, pages, terms, redirects, skipped, failed, .. } = &self.found;
        let has_terms = TermKind::ALL.iter().any(|kind| !terms.of(*kind).is_empty());
        entries.is_empty()
            && pages.is_empty()
            && !has_terms
            && redirects.is_empty()
            && skipped.is_empty()
            && failed.is_empty()
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

    pub fn pictures(&self) -> &[PictureFile] {
        &self.found.pictures
    }

    /// The pictures of an export of Tidings, and the folder that contains their files.
    pub fn assets(&self) -> Option<(&Path, &[AssetRecord])> {
        let Posts::JsonLines(lines) = &self.posts else { return None };
        Some((lines.folder(), &self.found.assets))
    }

    /// The files of author pictures, by author slug.
    pub fn avatars(&self) -> &[(Slug, String)] {
        &self.found.avatars
    }

    /// Whether the bodies contain [`link_marks`](super::link_marks).
    pub(super) fn marks_links(&self) -> bool {
        matches!(self.posts, Posts::Notion(_) | Posts::Contentful(_))
    }

    /// The origins of the posts and pages that bodies link to; for a folder of Markdown, the names of their files.
    pub(super) fn link_targets(&self) -> &HashSet<String> {
        &self.found.link_targets
    }

    pub(super) fn paths(&self) -> &SitePaths {
        &self.paths
    }

    /// Whether all metadata values are texts, even numbers: the custom fields of WordPress, the properties of Notion.
    pub fn has_only_texts(&self) -> bool {
        matches!(self.posts, Posts::Wxr(_) | Posts::Notion(_))
    }

    /// The imported folder, if the source is a folder of Markdown.
    pub fn folder(&self) -> Option<&Path> {
        match &self.posts {
            Posts::Folder(root, _) => Some(root),
            Posts::Wxr(_) | Posts::Ghost(_) | Posts::Substack(_) | Posts::Medium(_) => None,
            Posts::Notion(_) | Posts::Contentful(_) | Posts::JsonLines(_) => None,
        }
    }

    /// The picture files of an export of another system.
    pub fn media(&self) -> Option<&Media> {
        match &self.posts {
            Posts::Wxr(wxr) => Some(wxr.media()),
            Posts::Ghost(ghost) => Some(ghost.media()),
            Posts::Substack(substack) => Some(substack.media()),
            Posts::Medium(medium) => Some(medium.media()),
            Posts::Notion(notion) => Some(notion.media()),
            Posts::Contentful(contentful) => Some(contentful.media()),
            Posts::Folder(..) | Posts::JsonLines(_) => None,
        }
    }

    /// In alphabetical order.
    pub fn metadata(&self) -> Vec<MetadataKey> {
        self.found.metadata.values().cloned().collect()
    }

    /// The files of a folder that are neither read nor named as a picture, by extension, without hidden files.
    pub fn ignored(&self) -> Vec<Ignored> {
        self.found.ignored()
    }
}
