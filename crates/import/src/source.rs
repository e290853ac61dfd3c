//! The source of an import, in any format. The rule: a post of a folder of Markdown or of JSON Lines needs only a few hundred bytes of memory, because
//! its body is read again; an export of another system is in memory.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use tidings_model::site::SitePaths;

use super::found::FoundContent;
use super::jsonl::{AssetRecord, JsonLines};
use super::markdown::{self, SiteFiles};
use super::media::Media;
use super::{Failed, Format, Ignored, ImportedPost, ImportedTerm, MetadataKey, TermKind};

/// The result of the first reading, and a reader for the bodies of the posts.
pub struct ImportSource {
    pub found: FoundContent,
    posts: Posts,
    paths: SitePaths,
}

pub(super) enum Posts {
    Folder(PathBuf, Box<SiteFiles>),
    /// An export of another system, with its picture files.
    Export(Format, Media),
    JsonLines(JsonLines),
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

    /// Reads a post with its body.
    pub fn read(&self, index: usize) -> Result<ImportedPost, Failed> {
        let origin = self.found.entries[index].origin.as_str();
        let post = match &self.posts {
            Posts::Folder(root, site) => markdown::read(root, site, origin)?,
            Posts::JsonLines(lines) => lines.read(index, origin)?,
            Posts::Export(..) => self.found.posts[index].clone(),
        };
        // A file that is being written must not be published in part.
        let is_whole = self.folder().is_none() || post.markdown.len() == self.found.entries[index].body_bytes;
        if post.origin == origin && is_whole { Ok(post) } else { Err(Failed::changed(origin)) }
    }

    /// The terms that the source describes or that its posts name, without duplicates, in the order of the source.
    pub fn terms(&self, kind: TermKind) -> &[ImportedTerm] {
        self.found.terms.of(kind)
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

    /// The pictures of an export of Tidings, and the folder that contains their files.
    pub fn assets(&self) -> Option<(&Path, &[AssetRecord])> {
        let Posts::JsonLines(lines) = &self.posts else { return None };
        Some((lines.folder(), &self.found.assets))
    }

    /// Whether the bodies contain [`link_marks`](super::link_marks).
    pub(super) fn marks_links(&self) -> bool {
        matches!(self.posts, Posts::Export(Format::Notion | Format::Contentful, _))
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
        if let Posts::Export(_, media) = &self.posts { Some(media) } else { None }
    }

    /// The metadata keys of the posts, in alphabetical order.
    pub fn metadata(&self) -> Vec<MetadataKey> {
        self.found.metadata.values().cloned().collect()
    }

    /// The files of a folder that are neither read nor named as a picture, by extension, without hidden files.
    pub fn ignored(&self) -> Vec<Ignored> {
        self.found.ignored()
    }
}
