//! A site page: content without a date, at a place in a tree, such as a section of documentation. The rule: its text, version and dates are those of
//! a [`Post`] without terms, so the rules of a post hold for both; the slug of that post is the last part of the path.

use std::sync::Arc;

use super::actor_snapshot::ActorSnapshot;
use super::instant::Instant;
use super::metadata::Metadata;
use super::page_path::PagePath;
use super::post::{Post, PostDetails, PostId, PostStatus, WholePost};

/// The maximum number of pages: each change is a transaction of the one partition that stores all of them.
pub const PAGES_MAX: usize = 10_000;
/// The default limit of a list of all pages: those of one range read.
pub const PAGE_LINKS_DEFAULT: u64 = 1_000;
/// The maximum number of former paths that still find a page.
pub const FORMER_PATHS_MAX: usize = 50;

/// The maximum number of pages that are scheduled at one time, so that a list with all of them is still read in few requests.
pub const SCHEDULED_PAGES_MAX: usize = 500;

/// A page without its body and its metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePage {
    pub post: Post,
    pub path: PagePath,
    /// The pages above it, from the top.
    pub ancestors: Vec<PostId>,
    /// The position among the siblings, ascending; pages without one come last, sorted by slug.
    pub order: Option<i32>,
    /// Whether it was published for a later instant. Then the clock decides whether it is public. Any other published page is public, even on a server whose
    /// clock is behind.
    pub is_scheduled: bool,
}

/// A page with its body, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeSitePage {
    pub page: SitePage,
    /// The Markdown source, exactly as it was written.
    pub markdown: Arc<str>,
    pub metadata: Metadata,
    /// The creator of this version.
    pub changed_by: Option<ActorSnapshot>,
    /// Former paths that still find it, oldest first.
    pub former_paths: Vec<PagePath>,
}

impl SitePage {
    pub fn is_draft(&self) -> bool {
        self.post.published_at.is_none()
    }

    pub fn status(&self, now: Instant) -> PostStatus {
        match self.post.published_at {
            None => PostStatus::Draft,
            Some(at) if self.is_scheduled && at > now => PostStatus::Scheduled,
            Some(_) => PostStatus::Published,
        }
    }

    pub fn is_public(&self, now: Instant) -> bool {
        self.status(now) == PostStatus::Published
    }

    /// The instant for which it was scheduled.
    pub fn scheduled_for(&self) -> Option<Instant> {
        self.post.published_at.filter(|_| self.is_scheduled)
    }

    pub fn id(&self) -> &PostId {
        &self.post.id
    }

    pub fn parent(&self) -> Option<&PostId> {
        self.ancestors.last()
    }
}

impl WholeSitePage {
    pub fn to_post(&self) -> WholePost {
        WholePost {
            post: self.page.post.clone(),
            markdown: Arc::clone(&self.markdown),
            metadata: self.metadata.clone(),
            changed_by: self.changed_by.clone(),
        }
    }

    /// Makes a page of a post: the page gets this place.
    pub fn of_post(whole: WholePost, path: PagePath, ancestors: Vec<PostId>, order: Option<i32>) -> Self {
        let WholePost { mut post, markdown, metadata, changed_by } = whole;
        post.slug = path.slug().clone();
        let page = SitePage { post, path, ancestors, order, is_scheduled: false };
        Self { page, markdown, metadata, changed_by, former_paths: Vec::new() }
    }

    #[must_use]
    pub fn with_text(&self, whole: WholePost) -> Self {
        let WholePost { post, markdown, metadata, .. } = whole;
        Self { page: SitePage { post, ..self.page.clone() }, markdown, metadata, ..self.clone() }
    }

    pub fn id(&self) -> &PostId {
        self.page.id()
    }

    pub fn details(&self) -> PostDetails {
        PostDetails { markdown: Arc::clone(&self.markdown), metadata: self.metadata.clone() }
    }

    /// Moves the page. Its former path still finds it.
    pub fn move_to(&mut self, path: PagePath, ancestors: Vec<PostId>) {
        if self.page.path != path {
            self.former_paths.retain(|former| *former != path);
            self.page.post.slug = path.slug().clone();
            self.former_paths.push(std::mem::replace(&mut self.page.path, path));
        }
        self.page.ancestors = ancestors;
    }
}
