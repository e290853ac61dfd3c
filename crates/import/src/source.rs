//! The source of an import, in any format. The rule: bodies are not kept, so a post needs only a few hundred bytes of memory.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use tidings_model::Slug;
use tidings_model::site::SitePaths;

use super::found::{FoundContent, NotImported, ReadItem};
use super::jsonl::{AssetRecord, JsonLines};
use super::markdown::{self, SiteFiles};
use super::media::Media;
use super::terms::CategoryTree;
use super::{
    Entry, Failed, Format, Ignored, ImportedPage, ImportedPost, ImportedTerm, MetadataKey, Note, PictureFile, Redirect,
    Skipped, TermKind,
};

/// The result of the first reading, and a reader for the bodies of the posts.
pub struct ImportSource {
    found: FoundContent,
    posts: Posts,
    paths: SitePaths,
}

pub(super) enum Posts {
    Folder(PathBuf, Box<SiteFiles>),
    Export(Format, Box<dyn Export + Send + Sync>),
    JsonLines(JsonLines),
}

/// An export of another system that was read once.
pub(super) trait Export {
    /// Reads the post of an entry again, with its body.
    fn read(&self, index: usize) -> ReadItem;

    /// The picture files of the export.
    fn media(&self) -> &Media;
}

impl ImportSource {
    pub(super) fn new(mut found: FoundContent, posts: Posts) -> Self {
        found.entries.shrink_to_fit();
        found.origins = HashSet::new();
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
        let origin = self.found.entries[index].origin();
        let post = match &self.posts {
            Posts::Folder(root, site) => markdown::read(root, site, origin)?,
            Posts::JsonLines(lines) => lines.read(index, origin)?,
            Posts::Export(_, export) => match export.read(index) {
                Ok(item) if item.page.is_none() => item.post,
                Ok(_) | Err(NotImported::Skipped(_)) => return Err(Failed::changed(origin)),
                Err(NotImported::Failed(reason)) => {
                    return Err(Failed { reason: format!("{}: {reason}", Failed::CHANGED), ..Failed::changed(origin) });
                }
            },
        };
        if post.origin == origin { Ok(post) } else { Err(Failed::changed(origin)) }
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
        matches!(self.posts, Posts::Export(Format::Notion | Format::Contentful, _))
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
        matches!(self.posts, Posts::Export(Format::Wxr | Format::Notion, _))
    }

    /// The imported folder, if the source is a folder of Markdown.
    pub fn folder(&self) -> Option<&Path> {
        if let Posts::Folder(root, _) = &self.posts { Some(root) } else { None }
    }

    /// The picture files of an export of another system.
    pub fn media(&self) -> Option<&Media> {
        if let Posts::Export(_, export) = &self.posts { Some(export.media()) } else { None }
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
