//! Reads the site's pages. The rule: a page by its path takes at most two point reads, and the children of a page one range read for each thousand; drafts and
//! scheduled pages are returned only to an actor with access to all posts, or to a client with a preview link, and do not exist for any other.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::content::error::{ContentError, Result};
use crate::content::tables::read_all;
use crate::content::tables::rows::{post as post_rows, site_page as rows};
use crate::keys::Table;
use crate::keys::site_page::{self as keys, ChildKey, Children, PageRow};
use crate::model::{
    Actor, Instant, Language, PagePath, Post, PostDetails, PostId, SitePage, Slug, TranslationGroup, WholeSitePage,
};
use crate::store::{Entity, Key, PAGE_ROWS_MAX, Result as StoreResult, RowRange, StoreError};

use super::pages::{PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, Page, PageArguments, RequestedFields, Take};
use super::reader::{Previewed, Reader};

const TABLE: &str = Table::Pages.name();

/// The children of a page, or the top-level pages.
#[derive(Debug, Clone)]
pub struct ChildrenList {
    /// `None` for the top level.
    pub parent: Option<Arc<SitePage>>,
    pub are_drafts: bool,
}

impl ChildrenList {
    fn keys(&self) -> Children<'_> {
        Children { parent: self.parent.as_ref().map(|page| page.id()), are_drafts: self.are_drafts }
    }

    pub fn cursor(&self, page: &SitePage) -> String {
        ChildKey::new(page.order, page.path.slug()).cursor(self.keys())
    }

    /// # Errors
    /// [`ContentError::BadCursor`], which names the argument, if the cursor belongs to another list.
    pub fn decode_cursor(&self, argument: &'static str, text: &str) -> Result<PagePosition> {
        ChildKey::of_cursor(self.keys(), text).map_err(|_| ContentError::BadCursor { argument })
    }
}

/// A position in a list of pages.
pub(crate) type PagePosition = ChildKey;

/// A cursor of the list of scheduled pages.
pub(crate) fn scheduled_cursor(page: &SitePage) -> String {
    keys::scheduled_cursor(page.post.published_at.unwrap_or(Instant::MIN), page.id())
}

fn scheduled_row(page: &SitePage) -> Option<Key> {
    Some(keys::scheduled(page.post.published_at?, page.id()))
}

/// The row of a cursor of the list of scheduled pages.
///
/// # Errors
/// [`ContentError::BadCursor`], which names the argument, if the cursor belongs to another list.
pub(crate) fn decode_scheduled_cursor(argument: &'static str, text: &str) -> Result<String> {
    keys::row_of_scheduled_cursor(text).map_err(|_| ContentError::BadCursor { argument })
}

/// The number of range reads for all published pages, of which there are `at_most`.
pub(crate) const fn all_pages_reads(at_most: u64) -> u64 {
    (at_most + 1).div_ceil(PAGE_ROWS_MAX as u64)
}

/// A page in the list of all pages, with only a few fields, because all pages are in memory together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPage {
    pub path: PagePath,
    pub title: String,
    pub updated_at: Instant,
    pub language: Option<Language>,
    pub translation_group: Option<TranslationGroup>,
}

/// A published page, as read from its row in a list.
struct Child {
    id: PostId,
    slug: Slug,
    title: String,
    updated_at: Instant,
    language: Option<Language>,
    translation_group: Option<TranslationGroup>,
}

impl Reader {
    /// Every published page whose ancestors are all published, in the order of the site: the descendants of a page come directly after it. `None` if more than
    /// `at_most` pages are published. A range read for each thousand, one that finds the end, and one more if some are scheduled.
    pub async fn all_pages(&self, at_most: usize) -> Result<Option<Vec<ListedPage>>> {
        let mut below: HashMap<Option<PostId>, Vec<Child>> = HashMap::new();
        let (range, mut need, mut continuation) = (keys::published(), at_most + 1, None);
        let mut limit = need;
        loop {
            let page = self.store().range(TABLE, &range, limit.min(PAGE_ROWS_MAX), continuation.as_ref()).await?;
            for row in &page.rows {
                let Some(PageRow::Child { parent, .. }) = keys::parse(&row.key) else {
                    return Err(StoreError::corrupt(format!("{} is not the row of a page", row.key)).into());
                };
                let post = post_rows::read_summary(row)?;
                if rows::is_scheduled_after(row, post.published_at, self.now())? {
                    limit = usize::MAX;
                    continue;
                }
                need -= 1;
                if need == 0 {
                    return Ok(None);
                }
                let Post { id, slug, title, updated_at, language, translation_group, .. } = post;
                let child = Child { id, slug, title, updated_at, language, translation_group };
                below.entry(parent).or_default().push(child);
            }
            // Scheduled pages among the rows cost at most one more read, because this read takes the maximum number of rows.
            if limit != usize::MAX {
                limit = need;
            }
            continuation = page.continuation;
            if continuation.is_none() {
                return Ok(Some(in_order(below)));
            }
        }
    }

    /// Whether this reader shows drafts of pages. The role author is not enough, because pages have no authors.
    pub fn sees_draft_pages(&self) -> bool {
        self.actor().is_some_and(Actor::sees_all)
    }

    /// A page by its current path or a former one. Two point reads; one if no page has the path.
    pub async fn page_by_path(&self, path: &PagePath) -> Result<Option<Arc<SitePage>>> {
        let found = self.find_at(path, rows::read_page).await?;
        Ok(self.conceal(found.filter(|page| self.shows(page)).map(Arc::new)))
    }

    /// Like [`page_by_path`](Self::page_by_path), with the body and the metadata.
    pub async fn whole_page_by_path(&self, path: &PagePath) -> Result<Option<WholeSitePage>> {
        Ok(self.conceal(self.find_at(path, rows::read_whole).await?.filter(|whole| self.shows(&whole.page))))
    }

    /// A page by its id, with the body and the metadata. One point read.
    pub async fn whole_page_by_id(&self, id: &PostId) -> Result<Option<WholeSitePage>> {
        Ok(self.conceal(self.find_page(id, rows::read_whole).await?.filter(|whole| self.shows(&whole.page))))
    }

    /// A page by its id. One point read.
    pub(in crate::content) async fn page_by_id(&self, id: &PostId) -> Result<Option<Arc<SitePage>>> {
        Ok(self.conceal(self.find_page(id, rows::read_page).await?.filter(|page| self.shows(page)).map(Arc::new)))
    }

    async fn find_at<T>(&self, path: &PagePath, read: fn(&Entity) -> StoreResult<T>) -> Result<Option<T>> {
        let row = self.store().get(TABLE, &keys::path(path)).await?;
        match row.as_ref().map(rows::read_path).transpose()? {
            Some(id) => self.find_page(&id, read).await,
            None => Ok(None),
        }
    }

    async fn find_page<T>(&self, id: &PostId, read: fn(&Entity) -> StoreResult<T>) -> Result<Option<T>> {
        let row = self.store().get(TABLE, &keys::whole(id)).await?;
        Ok(row.as_ref().map(read).transpose()?)
    }

    /// Pages by their ids, in that order; `None` for each that is missing or not visible. One point read each, sent together.
    pub async fn pages_by_id(&self, ids: &[PostId]) -> Vec<Result<Option<Arc<SitePage>>>> {
        let keys: Vec<_> = ids.iter().map(keys::whole).collect();
        let read = |row: StoreResult<Option<Entity>>| {
            let page = row?.as_ref().map(rows::read_page).transpose()?;
            Ok(self.conceal(page.filter(|page| self.shows(page)).map(Arc::new)))
        };
        self.store().get_many(TABLE, &keys).await.into_iter().map(read).collect()
    }

    /// The bodies and the metadata of pages by their ids. One point read each, sent together.
    pub async fn page_details(&self, ids: &[PostId]) -> Vec<Result<Option<PostDetails>>> {
        let keys: Vec<_> = ids.iter().map(keys::whole).collect();
        let read = |row: StoreResult<Option<Entity>>| -> Result<Option<PostDetails>> {
            let whole = row?.as_ref().map(rows::read_whole).transpose()?;
            Ok(whole.filter(|whole| self.shows(&whole.page)).map(|whole| whole.details()))
        };
        self.store().get_many(TABLE, &keys).await.into_iter().map(read).collect()
    }

    /// A page of a list of pages, in the order of the site: one range read, and another one for each requested check of items beyond a cursor. A page from the
    /// end first reads the keys of the list, one range read for each thousand.
    ///
    /// # Errors
    /// [`ContentError::BadArgument`] for a size out of range.
    pub async fn children(
        &self,
        list: &ChildrenList,
        arguments: &PageArguments<PagePosition>,
        requested: RequestedFields,
    ) -> Result<Page<Arc<SitePage>>> {
        let take = Take::of(arguments.first, arguments.last, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX)?;
        if !requested.items {
            return Ok(Page { items: Vec::new(), has_next: false, has_previous: false });
        }
        let keys = list.keys();
        let (after, before) = (arguments.after.as_ref(), arguments.before.as_ref());
        let parent = list.parent.as_deref();
        // One additional item shows whether the list continues.
        let items = match take {
            Take::First { count, .. } => {
                let need = count + usize::from(requested.has_next);
                self.children_in(&keys.between(after, before), need, parent).await?
            }
            Take::Last { count } => {
                let need = count + usize::from(requested.has_previous);
                let mut items = self.last_children(list, keys.between(after, before), need).await?;
                items.reverse();
                items
            }
        };
        let page = take.page(items);
        let has_next = page.has_next
            || requested.has_next && self.any_child(before.map(|before| keys.from(before)), parent).await?;
        let has_previous = page.has_previous
            || requested.has_previous && self.any_child(after.map(|after| keys.up_to(after)), parent).await?;
        Ok(Page { has_next, has_previous, ..page })
    }

    /// The number of pages of a list. One range read of keys for each thousand, and one of the scheduled pages.
    pub async fn count_children(&self, list: &ChildrenList) -> Result<usize> {
        Ok(self.keys_of_children(list, list.keys().between(None, None)).await?.len())
    }

    /// The last `need` pages of a range, in their order.
    async fn last_children(&self, list: &ChildrenList, range: RowRange, need: usize) -> Result<Vec<Arc<SitePage>>> {
        if need == 0 {
            return Ok(Vec::new());
        }
        let found = self.keys_of_children(list, range.clone()).await?;
        let Some(first) = found.get(found.len().saturating_sub(need)) else { return Ok(Vec::new()) };
        // Pages that were added since make the range longer, so all of it is read.
        let range = range.starting_at(first.key.row().to_owned())?;
        let mut items = self.children_in(&range, usize::MAX, list.parent.as_deref()).await?;
        Ok(items.split_off(items.len().saturating_sub(need)))
    }

    /// The keys of a range of a list, without the scheduled pages.
    async fn keys_of_children(&self, list: &ChildrenList, range: RowRange) -> Result<Vec<Entity>> {
        let mut found = read_all(self.store(), Table::Pages, &range.of_keys()).await?;
        if !list.are_drafts {
            let scheduled = read_all(self.store(), Table::Pages, &keys::scheduled_after(self.now())).await?;
            let hidden: HashSet<String> = scheduled.iter().map(rows::read_scheduled).collect::<StoreResult<_>>()?;
            found.retain(|row| !hidden.contains(row.key.row()));
        }
        Ok(found)
    }

    /// The first `need` pages of a range, without the scheduled ones. One range read, and one more if it contains scheduled pages.
    async fn children_in(
        &self,
        range: &RowRange,
        need: usize,
        parent: Option<&SitePage>,
    ) -> Result<Vec<Arc<SitePage>>> {
        let (mut found, mut limit, mut continuation) = (Vec::new(), need.min(PAGE_ROWS_MAX), None);
        while found.len() < need {
            let page = self.store().range(TABLE, range, limit, continuation.as_ref()).await?;
            for row in &page.rows {
                let child = rows::read_child(row, parent)?;
                if child.is_draft() || child.is_public(self.now()) {
                    found.push(Arc::new(child));
                }
            }
            continuation = page.continuation;
            if continuation.is_none() {
                break;
            }
            // This many rows contain the needed pages, even if some are scheduled.
            limit = PAGE_ROWS_MAX;
        }
        found.truncate(need);
        Ok(found)
    }

    /// Whether a range contains a page; false without a range.
    async fn any_child(&self, range: Option<RowRange>, parent: Option<&SitePage>) -> Result<bool> {
        let Some(range) = range else { return Ok(false) };
        Ok(!self.children_in(&range, 1, parent).await?.is_empty())
    }

    /// A page of the scheduled pages, sorted by instant, and their total number. `arguments`: the cursors are rows. One range read of all keys, and a point
    /// read for each item, sent together.
    ///
    /// # Errors
    /// [`ContentError::BadArgument`] for a size out of range.
    pub async fn scheduled_pages(
        &self,
        arguments: &PageArguments<String>,
        requested: RequestedFields,
    ) -> Result<(Page<Arc<SitePage>>, usize)> {
        let range = keys::scheduled_after(self.now()).of_keys();
        let all = read_all(self.store(), Table::Pages, &range).await?;
        let order = |row: &Entity, cursor: &String| row.key.row().cmp(cursor);
        let rows = arguments.page_of_all(&all, (PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX), order)?;
        let id = |row: &Entity| match keys::parse(&row.key) {
            Some(PageRow::Scheduled(_, id)) if requested.items => Some(id),
            _ => None,
        };
        let ids: Vec<PostId> = rows.items.iter().filter_map(id).collect();
        let pages = self.pages_by_id(&ids).await.into_iter().collect::<Result<Vec<_>>>()?;
        // A page that was rescheduled meanwhile has another position, or is not in the list.
        let at_row = |(row, page): (&Entity, Option<Arc<SitePage>>)| {
            page.filter(|page| scheduled_row(page).as_ref() == Some(&row.key))
        };
        let items = rows.items.iter().zip(pages).filter_map(at_row).collect();
        Ok((Page { items, has_next: rows.has_next, has_previous: rows.has_previous }, all.len()))
    }

    pub(super) fn shows(&self, page: &SitePage) -> bool {
        page.is_public(self.now())
            || self.sees_draft_pages()
            || matches!(&self.preview, Some(Previewed::Page(id)) if id == page.id())
    }
}

/// Sorts pages from the top down; pages below an unpublished page are omitted.
fn in_order(mut below: HashMap<Option<PostId>, Vec<Child>>) -> Vec<ListedPage> {
    let mut listed = Vec::new();
    let mut levels = vec![(Vec::new(), below.remove(&None).unwrap_or_default().into_iter())];
    while let Some((above, children)) = levels.last_mut() {
        let Some(Child { id, slug, title, updated_at, language, translation_group }) = children.next() else {
            levels.pop();
            continue;
        };
        let parts: Vec<Slug> = above.iter().cloned().chain([slug]).collect();
        // All stored paths are valid; `check` reports others.
        let Ok(path) = PagePath::of(parts.clone()) else { continue };
        listed.push(ListedPage { path, title, updated_at, language, translation_group });
        // The children are removed, so that damaged rows cannot form an endless cycle.
        if let Some(children) = below.remove(&Some(id)) {
            levels.push((parts, children.into_iter()));
        }
    }
    listed
}
