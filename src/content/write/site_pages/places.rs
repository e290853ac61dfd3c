//! Moves pages in the tree. The rule: a page has an existing parent, unless it is at the top level, and a path that is no other page's current path; if it is a
//! former path of another page, that page loses it.

use crate::content::error::Result;
use crate::content::tables::rows::site_page as rows;
use crate::keys::site_page::Children;
use crate::model::page_path::BadPath;
use crate::model::site_page::FORMER_PATHS_MAX;
use crate::model::{PagePath, PostId, WholeSitePage};
use crate::store::{PAGE_ROWS_MAX, StoreError};

use super::{PageTree, TABLE};

/// The maximum number of pages that move together, the first included, so that a change stays small.
pub(crate) const MOVED_MAX: usize = 45;

/// Why a page cannot have a place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadPlace {
    #[error("no page has the path {0}, which would be the page above; create that page first")]
    NoParent(PagePath),
    #[error("the path {0} belongs to another page")]
    Taken(PagePath),
    #[error("a page cannot be below itself")]
    BelowItself,
    #[error(
        "the page has more than {} pages below it, which move with it, and one change moves no more; move them in smaller parts",
        MOVED_MAX - 1
    )]
    TooMany,
    #[error("a page below it would have a path that is too long: {0}")]
    Path(BadPath),
    #[error("the page, or one below it, has had {FORMER_PATHS_MAX} paths before, which is the most")]
    FormerPaths,
}

impl PageTree<'_> {
    /// Frees a path for a page, and returns the ancestors at that path. At most four point reads.
    ///
    /// # Errors
    /// The inner error if the page cannot have the path.
    pub(crate) async fn free_path(
        &mut self,
        path: &PagePath,
        of: &PostId,
    ) -> Result<std::result::Result<Vec<PostId>, BadPlace>> {
        let ancestors = match path.parent() {
            None => Vec::new(),
            Some(above) => match self.at(&above).await?.filter(|parent| parent.page.path == above) {
                None => return Ok(Err(BadPlace::NoParent(above))),
                Some(parent) => [parent.page.ancestors.clone(), vec![parent.id().clone()]].concat(),
            },
        };
        if ancestors.contains(of) {
            return Ok(Err(BadPlace::BelowItself));
        }
        match self.at(path).await? {
            Some(other) if other.id() == of => {}
            Some(other) if other.page.path == *path => return Ok(Err(BadPlace::Taken(path.clone()))),
            Some(mut other) => {
                other.former_paths.retain(|former| former != path);
                self.put(other);
            }
            None => {}
        }
        Ok(Ok(ancestors))
    }

    /// Moves a page and its descendants to another path. `page`: has all other changes of the caller. Two range reads and at most three point reads for each
    /// page that moves.
    ///
    /// # Errors
    /// The inner error if the page cannot have the path; the tree may contain a part of the move then.
    pub(crate) async fn move_page(
        &mut self,
        page: WholeSitePage,
        path: PagePath,
    ) -> Result<std::result::Result<WholeSitePage, BadPlace>> {
        let top = page.id().clone();
        self.put(page);
        let Some(below) = self.below(&top).await? else { return Ok(Err(BadPlace::TooMany)) };
        // Each page comes after its parent, whose new path is known.
        for id in std::iter::once(&top).chain(&below) {
            let new_path = if *id == top { Some(Ok(path.clone())) } else { self.path_below_parent(id).await? };
            let new_path = match new_path {
                Some(Ok(path)) => path,
                Some(Err(bad)) => return Ok(Err(BadPlace::Path(bad))),
                // Another change has removed the page meanwhile, so this change will fail.
                None => continue,
            };
            let ancestors = match self.free_path(&new_path, id).await? {
                Ok(ancestors) => ancestors,
                Err(bad) => return Ok(Err(bad)),
            };
            // The page is read after its path was freed, because that may have changed this page.
            let Some(mut moved) = self.by_id(id).await? else { continue };
            moved.move_to(new_path, ancestors);
            if moved.former_paths.len() > FORMER_PATHS_MAX {
                return Ok(Err(BadPlace::FormerPaths));
            }
            self.put(moved);
        }
        let moved = self.by_id(&top).await?.map(Ok);
        moved.ok_or_else(|| StoreError::Internal("a page that was put is not in the tree".to_owned()).into())
    }

    /// The path of a page below its current parent, which may have moved; `None` if one of the two does not exist.
    async fn path_below_parent(&mut self, id: &PostId) -> Result<Option<std::result::Result<PagePath, BadPath>>> {
        let Some(page) = self.by_id(id).await? else { return Ok(None) };
        let Some(parent) = page.page.parent() else { return Ok(Some(Ok(page.page.path))) };
        let parent = self.by_id(parent).await?;
        Ok(parent.map(|parent| parent.page.path.child(page.page.path.slug().clone())))
    }

    /// The ids of all descendants of a page, each after its parent; `None` if there are too many to move.
    async fn below(&mut self, top: &PostId) -> Result<Option<Vec<PostId>>> {
        let (mut found, mut open) = (Vec::new(), vec![top.clone()]);
        while let Some(parent) = open.pop() {
            let children = self.children(&parent, MOVED_MAX).await?;
            found.extend(children.iter().cloned());
            open.extend(children);
            if found.len() >= MOVED_MAX {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// The ids of the children of a page after the change, at most `most`. Two range reads.
    pub async fn children(&self, parent: &PostId, most: usize) -> Result<Vec<PostId>> {
        let is_child =
            |page: &Option<WholeSitePage>| page.as_ref().is_some_and(|page| page.page.parent() == Some(parent));
        let read = |id: &PostId| self.pages.get(id);
        let mut ids: Vec<PostId> =
            self.pages.iter().filter(|(_, (_, after))| is_child(after)).map(|(id, _)| id.clone()).collect();
        for are_drafts in [false, true] {
            let range = Children { parent: Some(parent), are_drafts }.between(None, None);
            let mut continuation = None;
            while ids.len() < most {
                let page = self.store.range(TABLE, &range, most.min(PAGE_ROWS_MAX), continuation.as_ref()).await?;
                for row in &page.rows {
                    // The stored rows show the state before the change. Pages that were read were already counted in their new state.
                    ids.extend(Some(rows::read_path(row)?).filter(|id| read(id).is_none()));
                }
                continuation = page.continuation;
                if continuation.is_none() {
                    break;
                }
            }
        }
        ids.truncate(most);
        Ok(ids)
    }
}
