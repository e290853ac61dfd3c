//! The versions of a post, the newest first. The rule: the kept versions have no gap up to the current one, so a page is one range read of known numbers, and
//! the oldest version is found by binary search.

use std::sync::Arc;

use futures_util::future::try_join;
use tokio::sync::OnceCell;

use crate::content::Reader;
use crate::content::error::{ContentError, Result};
use crate::content::tables::read_first;
use crate::content::tables::rows::post as post_rows;
use crate::keys::cursor::{self, ListTag};
use crate::keys::{PostPlace, Table, history};
use crate::model::post::REVISIONS_MAX;
use crate::model::{ContentField, Post, PostId, SitePage, WholePost};
use crate::store::{Result as StoreResult, RowRange};

use super::pages::{Page, PageArguments, RequestedFields, Take};

/// The maximum number of versions on one page; each is read with its body.
pub(crate) const REVISIONS_PAGE_MAX: usize = 50;
/// The default number of versions on a page.
const PAGE_DEFAULT: usize = 20;

/// The point reads that find the oldest version: one for the oldest possible version, and those of the binary search.
pub(crate) const SEARCH_READS_MAX: u64 = 1 + REVISIONS_MAX.unsigned_abs().next_power_of_two().ilog2() as u64;

/// The point reads of one version of a known post: as the current version, then as a kept one, and the version before it.
pub(crate) const REVISION_READS_MAX: u64 = 3;

/// One version of a post.
#[derive(Debug, Clone)]
pub struct Revision {
    pub whole: WholePost,
    /// The fields in which the version differs from the one before it; empty for the first version, or if the version before it was deleted.
    pub changed_fields: Vec<ContentField>,
}

impl Revision {
    fn new(before: Option<&WholePost>, whole: WholePost) -> Self {
        let changed_fields = before.map_or_else(Vec::new, |before| whole.changed_since(before));
        Self { whole, changed_fields }
    }

    pub fn cursor(&self) -> String {
        cursor::encode(list_tag(&self.whole.post.id), &self.whole.post.version.to_string())
    }
}

/// The versions of one post.
pub struct RevisionList {
    id: PostId,
    /// Whether it is a page of the site.
    is_of_page: bool,
    /// The current version; 0 if the post was deleted.
    newest: i32,
    /// The oldest kept version, searched at most once.
    oldest: OnceCell<i32>,
}

fn list_tag(id: &PostId) -> ListTag {
    ListTag::of(&format!("revisions {id}"))
}

impl RevisionList {
    /// The versions of this post. Reads nothing.
    pub(crate) fn of(post: &Post) -> Self {
        Self { id: post.id.clone(), is_of_page: false, newest: post.version, oldest: OnceCell::new() }
    }

    /// The versions of this page of the site. Reads nothing.
    pub(crate) fn of_page(page: &SitePage) -> Self {
        Self { is_of_page: true, ..Self::of(&page.post) }
    }

    /// # Errors
    /// [`ContentError::BadCursor`], which names the argument, if the cursor belongs to another list.
    pub(crate) fn decode_cursor(&self, argument: &'static str, text: &str) -> Result<i32> {
        cursor::decode(list_tag(&self.id), text).map_err(|_| ContentError::BadCursor { argument })
    }

    /// The number of kept versions, including the current one. One point read if all versions, or the maximum number, are kept; otherwise at most
    /// [`SEARCH_READS_MAX`].
    pub(crate) async fn count(&self, reader: &Reader) -> Result<i32> {
        Ok(self.newest - self.oldest(reader).await? + 1)
    }

    /// The maximum number of versions that [`page`](Self::page) reads with their bodies: those of the page, and one more.
    ///
    /// # Errors
    /// Those of [`page`](Self::page).
    pub(crate) fn bodies_read(&self, arguments: &PageArguments<i32>, requested: RequestedFields) -> Result<usize> {
        let count = Take::of(arguments.first, arguments.last, PAGE_DEFAULT, REVISIONS_PAGE_MAX)?.count();
        let kept = usize::try_from(self.newest).unwrap_or(0);
        Ok(if requested.items { kept.min(count + 1) } else { 0 })
    }

    /// A page of versions. Reads nothing if its items are not requested; otherwise one range read, the current version, and for a page from the end the search
    /// for the oldest version.
    ///
    /// # Errors
    /// [`ContentError::BadArgument`] for a size out of range.
    pub(crate) async fn page(
        &mut self,
        reader: &Reader,
        arguments: &PageArguments<i32>,
        requested: RequestedFields,
    ) -> Result<Page<Arc<Revision>>> {
        let take = Take::of(arguments.first, arguments.last, PAGE_DEFAULT, REVISIONS_PAGE_MAX)?;
        if !requested.items {
            return Ok(Page { items: Vec::new(), has_next: false, has_previous: false });
        }
        let current = match self.is_of_page {
            true => reader.whole_page_by_id(&self.id).await?.map(|page| page.to_post()),
            false => reader.whole_by_id(&self.id).await?,
        };
        let newest = current.as_ref().map_or(0, |current| current.post.version);
        (self.newest, self.oldest) = (newest, OnceCell::new());
        let after = arguments.after.map_or(newest, |after| after.saturating_sub(1).clamp(0, newest));
        let before = arguments.before.map_or(1, |before| before.saturating_add(1).max(1));
        let (top, count, then_last) = match take {
            Take::First { count, then_last } => (after, count.min(count_between(before, after)), then_last),
            Take::Last { count } => {
                let bottom = before.max(self.oldest(reader).await?);
                let count = count.min(count_between(bottom, after));
                // A page has at most `REVISIONS_PAGE_MAX` versions, so the conversion does not truncate.
                let top = if bottom > after { after } else { bottom - 1 + count as i32 };
                (top, count, None)
            }
        };
        // One additional version is read. It shows the changes in the last one of the page, and whether there is a next page.
        let versions = self.versions(reader, top, current, count + 1).await?;
        let dropped = then_last.map_or(0, |last| versions.len().min(count).saturating_sub(last));
        let has_next = versions.len() > count;
        let revision = |(i, whole): (usize, &WholePost)| Arc::new(Revision::new(versions.get(i + 1), whole.clone()));
        let items = versions.iter().enumerate().take(count).skip(dropped).map(revision).collect();
        Ok(Page { items, has_next, has_previous: dropped > 0 || top < newest })
    }

    /// Up to `count` versions, from `top` down.
    async fn versions(
        &self,
        reader: &Reader,
        top: i32,
        current: Option<WholePost>,
        count: usize,
    ) -> Result<Vec<WholePost>> {
        let mut versions: Vec<WholePost> = current.filter(|current| current.post.version == top).into_iter().collect();
        // The row of the current version may already exist, because a version is stored before it is replaced.
        let below = if versions.is_empty() { top.saturating_add(1) } else { top };
        let rows = history::revisions_below(&self.id, below);
        versions.extend(reader.versions_in(&rows, count.saturating_sub(versions.len())).await?);
        share_bodies(&mut versions);
        Ok(versions)
    }

    /// The oldest kept version. At most [`REVISIONS_MAX`] versions are older than the current one.
    async fn oldest(&self, reader: &Reader) -> Result<i32> {
        let search = || async {
            let mut missing = self.newest.saturating_sub(REVISIONS_MAX).max(1);
            if missing >= self.newest || reader.keeps(&self.id, missing).await? {
                return Ok(missing);
            }
            let mut kept = self.newest;
            while kept - missing > 1 {
                let middle = missing + (kept - missing) / 2;
                if reader.keeps(&self.id, middle).await? { kept = middle } else { missing = middle }
            }
            Ok::<_, ContentError>(kept)
        };
        self.oldest.get_or_try_init(search).await.copied()
    }
}

impl Reader {
    /// A kept or the current version of a post; `None` if it does not exist, or if the actor has no access to the versions of the post. At most
    /// [`REVISION_READS_MAX`] point reads in addition to those of the post without its body; none without an actor.
    pub async fn accessible_revision(&self, id: &PostId, version: i32) -> Result<Option<Arc<Revision>>> {
        let Some(actor) = self.actor() else { return Ok(None) };
        let Some(post) = self.post_by_id(id).await?.filter(|post| actor.sees(post)) else {
            return self.accessible_revision_of_page(id, version).await;
        };
        if !(1..=post.version).contains(&version) {
            return Ok(None);
        }
        let whole = async {
            let current = if version == post.version { self.current_version(&post).await? } else { None };
            match current {
                Some(current) => Ok(Some(current)),
                // This is an older version, or one that was replaced after the post was read.
                None => self.revision(id, version).await,
            }
        };
        let (whole, before) = try_join(whole, self.revision(id, version - 1)).await?;
        Ok(whole.map(|whole| Arc::new(Revision::new(before.as_ref(), whole))))
    }

    /// Like [`accessible_revision`](Self::accessible_revision), for a page of the site. At most three point reads.
    async fn accessible_revision_of_page(&self, id: &PostId, version: i32) -> Result<Option<Arc<Revision>>> {
        let Some(page) = self.whole_page_by_id(id).await?.filter(|_| self.sees_draft_pages()) else { return Ok(None) };
        let newest = page.page.post.version;
        if !(1..=newest).contains(&version) {
            return Ok(None);
        }
        let whole = if version == newest { Some(page.to_post()) } else { self.revision(id, version).await? };
        let before = self.revision(id, version - 1).await?;
        Ok(whole.map(|whole| Arc::new(Revision::new(before.as_ref(), whole))))
    }

    /// The post with its body; `None` if it has changed since it was read. One point read.
    async fn current_version(&self, post: &Post) -> Result<Option<WholePost>> {
        let place = PostPlace::of(post);
        let row = self.store().get(place.collection.name(), &place.whole(&post.slug)).await?;
        let whole = row.as_ref().map(post_rows::read_whole).transpose()?;
        Ok(whole.filter(|whole| (&whole.post.id, whole.post.version) == (&post.id, post.version)))
    }

    /// A kept version of a post; `None` if it does not exist. One point read.
    pub async fn revision(&self, id: &PostId, version: i32) -> Result<Option<WholePost>> {
        let row = self.store().get(Table::Revisions.name(), &history::revision(id, version)).await?;
        Ok(row.as_ref().map(post_rows::read_whole).transpose()?)
    }

    /// The first versions of a range.
    async fn versions_in(&self, range: &RowRange, need: usize) -> Result<Vec<WholePost>> {
        let rows = read_first(self.store(), Table::Revisions, range, need).await?;
        Ok(rows.iter().map(post_rows::read_whole).collect::<StoreResult<_>>()?)
    }

    /// Whether the row of a version exists. One point read of its key.
    async fn keeps(&self, id: &PostId, version: i32) -> Result<bool> {
        Ok(self.store().get_key(Table::Revisions.name(), &history::revision(id, version)).await?.is_some())
    }
}

/// Shares the memory of equal bodies of consecutive versions.
fn share_bodies(versions: &mut [WholePost]) {
    for i in 1..versions.len() {
        if versions[i].markdown == versions[i - 1].markdown {
            versions[i].markdown = Arc::clone(&versions[i - 1].markdown);
        }
    }
}

/// The number of versions from `bottom` to `top`, both included.
fn count_between(bottom: i32, top: i32) -> usize {
    usize::try_from(i64::from(top) - i64::from(bottom) + 1).unwrap_or(0)
}
