//! The history: the earlier versions of a post. The rule: the newest are first, and a page reads at most one row more than it returns.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::content::Reader;
use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::post as post_rows;
use crate::keys::cursor::{self, ListTag};
use crate::keys::{Table, history};
use crate::model::{Post, PostId, WholePost};
use crate::store::RowRange;

use super::pages::{Page, Take};

/// The maximum number of versions on one page; each is read with its body.
pub(crate) const REVISIONS_PAGE_MAX: usize = 50;
const PAGE_DEFAULT: usize = 20;

/// One version of a post.
#[derive(Debug, Clone)]
pub struct Revision {
    pub whole: WholePost,
    /// The names of the fields that the version has changed; `created` for the first version; empty if the version before it is no longer kept.
    pub changed: Vec<&'static str>,
}

fn revisions_tag(id: &PostId) -> ListTag {
    ListTag::of(&format!("revisions {id}"))
}

impl Revision {
    /// The cursor of this version in the list.
    pub fn cursor(&self) -> String {
        cursor::encode_version(revisions_tag(&self.whole.post.id), self.whole.post.version)
    }
}

impl Reader {
    /// The versions of a post, the current one first.
    ///
    /// # Errors
    /// [`ContentError::BadArgument`] for a size out of range, [`ContentError::BadCursor`] for a cursor of another list.
    pub async fn revisions(&self, post: &Post, first: Option<i32>, after: Option<&str>) -> Result<Page<Arc<Revision>>> {
        let count = size(first, REVISIONS_PAGE_MAX)?;
        let after = after.map(|text| cursor::decode_version(revisions_tag(&post.id), text)).transpose();
        let after = after.map_err(|_| ContentError::BadCursor { argument: "after" })?;
        let Some(current) = self.whole_by_id(&post.id).await? else {
            return Ok(Page { items: Vec::new(), has_next: false, has_previous: false });
        };
        let version = current.post.version;
        let below = after.unwrap_or(i32::MAX).min(version);
        let mut versions: Vec<WholePost> =
            if below == version && after != Some(version) { vec![current] } else { Vec::new() };
        // One more version is read, because it shows what the last one of the page has changed, and whether there is a next page.
        let rows = history::revisions_below(&post.id, below);
        let kept = self.rows(Table::Revisions, &rows, (count + 1).saturating_sub(versions.len())).await?;
        versions.extend(kept.iter().map(post_rows::read_whole).collect::<Result<Vec<_>, _>>()?);
        let has_next = versions.len() > count;
        let revision = |(i, whole): (usize, &WholePost)| {
            Arc::new(Revision { whole: whole.clone(), changed: changed(versions.get(i + 1), whole) })
        };
        let items = versions.iter().take(count).enumerate().map(revision).collect();
        Ok(Page { items, has_next, has_previous: after.is_some() })
    }

    /// A version of a post, the current one included; `None` if it is not kept, or if the actor has no access to the versions of the post. Two point
    /// reads in addition to those of the post; none without an actor.
    pub async fn accessible_revision(&self, id: &PostId, version: i32) -> Result<Option<Arc<Revision>>> {
        let Some(actor) = self.actor() else { return Ok(None) };
        let Some(current) = self.whole_by_id(id).await?.filter(|current| actor.sees(&current.post)) else {
            return Ok(None);
        };
        let kept_versions: &[i32] = match version.cmp(&current.post.version) {
            Ordering::Greater => return Ok(None),
            Ordering::Equal => &[version - 1],
            Ordering::Less => &[version - 1, version],
        };
        let keys: Vec<_> = kept_versions.iter().map(|version| history::revision(id, *version)).collect();
        let mut kept = Vec::with_capacity(keys.len());
        for row in self.store().get_many(Table::Revisions.name(), &keys).await {
            kept.push(row?.as_ref().map(post_rows::read_whole).transpose()?);
        }
        let mut kept = kept.into_iter();
        let before = kept.next().flatten();
        let Some(whole) = kept.next().unwrap_or(Some(current)) else { return Ok(None) };
        let changed = changed(before.as_ref(), &whole);
        Ok(Some(Arc::new(Revision { whole, changed })))
    }

    /// One version of a post; `None` if it is not kept. One point read.
    pub async fn revision(&self, id: &PostId, version: i32) -> Result<Option<WholePost>> {
        let row = self.store().get(Table::Revisions.name(), &history::revision(id, version)).await?;
        Ok(row.as_ref().map(post_rows::read_whole).transpose()?)
    }

    /// The first rows of a range, read in as many pages as the store returns.
    async fn rows(&self, table: Table, range: &RowRange, need: usize) -> Result<Vec<crate::store::Entity>> {
        let mut found = Vec::new();
        let mut continuation = None;
        while found.len() < need {
            let page = self.store().range(table.name(), range, need - found.len(), continuation.as_ref()).await?;
            found.extend(page.rows);
            continuation = page.continuation;
            if continuation.is_none() {
                break;
            }
        }
        Ok(found)
    }
}

fn size(first: Option<i32>, max: usize) -> Result<usize> {
    match Take::of(first, None, PAGE_DEFAULT, max)? {
        Take::First { count, .. } | Take::Last { count } => Ok(count),
    }
}

/// The fields in which a version differs from the one before it.
fn changed(before: Option<&WholePost>, after: &WholePost) -> Vec<&'static str> {
    let Some(before) = before else {
        return if after.post.version == 1 { vec!["created"] } else { Vec::new() };
    };
    let (old, new) = (&before.post, &after.post);
    let fields = [
        ("title", old.title != new.title),
        ("slug", old.slug != new.slug),
        ("excerpt", old.excerpt != new.excerpt),
        ("body", before.markdown != after.markdown),
        ("authors", old.authors != new.authors),
        ("categories", old.categories != new.categories),
        ("tags", old.tags != new.tags),
        ("publishedAt", old.published_at != new.published_at),
    ];
    fields.into_iter().filter_map(|(name, differs)| differs.then_some(name)).collect()
}
