//! A site page: content without a date, at a place in a tree, such as a section of documentation. The rule: its text, its version and its dates are those of
//! a [`Post`] without terms, so that the rules of a post hold for both; the slug of that post is the last part of the path.

use std::sync::Arc;

use super::actor_snapshot::ActorSnapshot;
use super::metadata::Metadata;
use super::page_path::PagePath;
use super::post::{Post, PostDetails, PostId, WholePost};

/// The pages of one site at most: each change is a transaction of the one partition that holds all of them.
pub const PAGES_MAX: usize = 10_000;
/// The pages of a list of all of them at most, unless the client asks for more: those of one range read.
pub const PAGE_LINKS_DEFAULT: u64 = 1_000;
/// Paths that a page had before and that still find it, at most.
pub const FORMER_PATHS_MAX: usize = 50;

/// A page without its body and its metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePage {
    pub post: Post,
    pub path: PagePath,
    /// The pages above it, from the top.
    pub ancestors: Vec<PostId>,
    /// The position among the children of its parent, ascending; pages without one come last, by their slugs.
    pub order: Option<i32>,
}

/// A page with its body, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeSitePage {
    pub page: SitePage,
    /// The Markdown source, exactly as it was written.
    pub markdown: Arc<str>,
    pub metadata: Metadata,
    /// Who created this version.
    pub changed_by: Option<ActorSnapshot>,
    /// Paths that it had before, oldest first.
    pub former_paths: Vec<PagePath>,
}

impl SitePage {
    /// A draft is not published; a page is never scheduled.
    pub fn is_draft(&self) -> bool {
        self.post.published_at.is_none()
    }

    pub fn id(&self) -> &PostId {
        &self.post.id
    }

    /// The page above it.
    pub fn parent(&self) -> Option<&PostId> {
        self.ancestors.last()
    }
}

impl WholeSitePage {
    /// Its text and its dates.
    pub fn to_post(&self) -> WholePost {
        WholePost {
            post: self.page.post.clone(),
            markdown: Arc::clone(&self.markdown),
            metadata: self.metadata.clone(),
            changed_by: self.changed_by.clone(),
        }
    }

    /// The page at a place, with this text.
    pub fn of_post(whole: WholePost, path: PagePath, ancestors: Vec<PostId>, order: Option<i32>) -> Self {
        let WholePost { mut post, markdown, metadata, changed_by } = whole;
        post.slug = path.slug().clone();
        let page = SitePage { post, path, ancestors, order };
        Self { page, markdown, metadata, changed_by, former_paths: Vec::new() }
    }

    pub fn id(&self) -> &PostId {
        self.page.id()
    }

    pub fn details(&self) -> PostDetails {
        PostDetails { markdown: Arc::clone(&self.markdown), metadata: self.metadata.clone() }
    }

    /// Gives the page another place. The path that it leaves still finds it.
    pub fn move_to(&mut self, path: PagePath, ancestors: Vec<PostId>) {
        if self.page.path != path {
            self.former_paths.retain(|former| *former != path);
            self.page.post.slug = path.slug().clone();
            self.former_paths.push(std::mem::replace(&mut self.page.path, path));
        }
        self.page.ancestors = ancestors;
    }
}
