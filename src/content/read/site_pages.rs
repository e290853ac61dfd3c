//! Reads of the site's pages. The rule: a page by its path is two point reads at most, the children of a page are one range read for each thousand; a draft is
//! found only by an actor that sees all posts, and to any other it is as if it did not exist.

use std::sync::Arc;

use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::site_page as rows;
use crate::keys::Table;
use crate::keys::site_page::{self as keys, ChildKey, Children};
use crate::model::{Actor, PagePath, PostDetails, PostId, SitePage, WholeSitePage};
use crate::store::RowRange;

use super::pages::{PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, Page, RequestedFields, Take};
use super::reader::Reader;

const TABLE: &str = Table::Pages.name();

/// The children of a page, or the pages at the top.
#[derive(Debug, Clone)]
pub struct ChildrenList {
    /// `None`: the top.
    pub parent: Option<Arc<SitePage>>,
    pub are_drafts: bool,
}

impl ChildrenList {
    fn keys(&self) -> Children<'_> {
        Children { parent: self.parent.as_ref().map(|page| page.id()), are_drafts: self.are_drafts }
    }

    /// The cursor of a page of this list.
    pub fn cursor(&self, page: &SitePage) -> String {
        ChildKey::new(page.order, page.path.slug()).cursor(self.keys())
    }
}

impl Reader {
    /// Whether this reader shows drafts of pages: they have no author whose own they could be.
    pub fn sees_draft_pages(&self) -> bool {
        self.actor().is_some_and(Actor::sees_all)
    }

    /// A page by its present path or a former one. Two point reads; one if no page has the path.
    pub async fn page_by_path(&self, path: &PagePath) -> Result<Option<Arc<SitePage>>> {
        let step = self.look_up_step();
        let found = step.of(self.find_page(path)).await;
        let found = found.map(|found| found.filter(|page| self.shows(page)));
        self.end_step(step, matches!(&found, Ok(Some(_))));
        Ok(found?.map(Arc::new))
    }

    /// As [`page_by_path`](Self::page_by_path), with the body and the metadata.
    pub async fn whole_page_by_path(&self, path: &PagePath) -> Result<Option<WholeSitePage>> {
        let step = self.look_up_step();
        let found = step.of(self.find_whole_page(path)).await;
        let found = found.map(|found| found.filter(|whole| self.shows(&whole.page)));
        self.end_step(step, matches!(&found, Ok(Some(_))));
        found
    }

    /// A page by its id, with the body and the metadata. One point read.
    pub async fn whole_page_by_id(&self, id: &PostId) -> Result<Option<WholeSitePage>> {
        let step = self.look_up_step();
        let row = step.of(self.store().get(TABLE, &keys::whole(id))).await?;
        let whole = row.as_ref().map(rows::read_whole).transpose()?.filter(|whole| self.shows(&whole.page));
        self.end_step(step, whole.is_some());
        Ok(whole)
    }

    async fn find_page(&self, path: &PagePath) -> Result<Option<SitePage>> {
        let Some(id) = self.id_at(path).await? else { return Ok(None) };
        let row = self.store().get(TABLE, &keys::whole(&id)).await?;
        Ok(row.as_ref().map(rows::read_page).transpose()?)
    }

    async fn find_whole_page(&self, path: &PagePath) -> Result<Option<WholeSitePage>> {
        let Some(id) = self.id_at(path).await? else { return Ok(None) };
        let row = self.store().get(TABLE, &keys::whole(&id)).await?;
        Ok(row.as_ref().map(rows::read_whole).transpose()?)
    }

    async fn id_at(&self, path: &PagePath) -> Result<Option<PostId>> {
        let row = self.store().get(TABLE, &keys::path(path)).await?;
        Ok(row.as_ref().map(rows::read_path).transpose()?)
    }

    /// Pages by their ids, in that order; `None` for each that does not exist or is not shown. A point read each, sent together.
    pub async fn pages_by_id(&self, ids: &[PostId]) -> Vec<Result<Option<Arc<SitePage>>>> {
        let keys: Vec<_> = ids.iter().map(keys::whole).collect();
        let step = self.look_up_step();
        let found = step.of(self.store().get_many(TABLE, &keys)).await;
        let pages: Vec<Result<Option<Arc<SitePage>>>> = found
            .into_iter()
            .map(|row| {
                let page = row?.as_ref().map(rows::read_page).transpose()?;
                Ok(page.filter(|page| self.shows(page)).map(Arc::new))
            })
            .collect();
        self.end_step(step, pages.iter().all(|page| matches!(page, Ok(Some(_)))));
        pages
    }

    /// The bodies and the metadata of pages by their ids. A point read each, sent together.
    pub async fn page_details(&self, ids: &[PostId]) -> Vec<Result<Option<PostDetails>>> {
        let keys: Vec<_> = ids.iter().map(keys::whole).collect();
        let read = |row: crate::store::Result<Option<crate::store::Entity>>| -> Result<Option<PostDetails>> {
            let whole = row?.as_ref().map(rows::read_whole).transpose()?;
            Ok(whole.filter(|whole| self.shows(&whole.page)).map(|whole| whole.details()))
        };
        self.store().get_many(TABLE, &keys).await.into_iter().map(read).collect()
    }

    /// A page of a list of pages, in the order of the site: a range read, and another one if it is requested whether there are items before the cursor.
    ///
    /// # Errors
    /// [`ContentError::BadArgument`] for a size out of range, [`ContentError::BadCursor`] for a cursor of another list.
    pub async fn children(
        &self,
        list: &ChildrenList,
        first: Option<i32>,
        after: Option<&str>,
        requested: RequestedFields,
    ) -> Result<Page<Arc<SitePage>>> {
        let (Take::First { count, .. } | Take::Last { count }) =
            Take::of(first, None, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX)?;
        let keys = list.keys();
        let after = after.map(|text| ChildKey::of_cursor(keys, text)).transpose();
        let after = after.map_err(|_| ContentError::BadCursor { argument: "after" })?;
        let need = if requested.items { count + usize::from(requested.has_next) } else { 0 };
        let parent = list.parent.as_deref();
        let mut items = self.children_in(&keys.after(after.as_ref()), need, parent).await?;
        let has_next = items.len() > count;
        items.truncate(count);
        let has_previous = match &after {
            Some(after) if requested.has_previous => !self.children_in(&keys.up_to(after), 1, parent).await?.is_empty(),
            _ => false,
        };
        Ok(Page { items, has_next, has_previous })
    }

    async fn children_in(
        &self,
        range: &RowRange,
        need: usize,
        parent: Option<&SitePage>,
    ) -> Result<Vec<Arc<SitePage>>> {
        let (mut found, mut continuation) = (Vec::new(), None);
        while found.len() < need {
            let page = self.store().range(TABLE, range, need - found.len(), continuation.as_ref()).await?;
            for row in &page.rows {
                found.push(Arc::new(rows::read_child(row, parent)?));
            }
            continuation = page.continuation;
            if continuation.is_none() {
                break;
            }
        }
        Ok(found)
    }

    fn shows(&self, page: &SitePage) -> bool {
        page.post.published_at.is_some_and(|at| at <= self.now()) || self.sees_draft_pages()
    }
}
