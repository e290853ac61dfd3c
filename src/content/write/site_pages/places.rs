//! The places of pages in their tree. The rule: a page has a parent that exists, unless it is at the top, and a path that is no other page's present path; a
//! path that another page had before is given to the page that needs it now.

use crate::content::error::Result;
use crate::model::page_path::BadPath;
use crate::model::site_page::FORMER_PATHS_MAX;
use crate::model::{PagePath, PostId, WholeSitePage};

use super::PageTree;

/// The pages that move together at most, the first included: each is two rows of a transaction of at most 100.
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
        "the page has more than {} pages below it, which move with it, and one transaction holds no more; move them in smaller parts",
        MOVED_MAX - 1
    )]
    TooMany,
    #[error("a page below it would have a path that is too long: {0}")]
    Path(BadPath),
    #[error("the page, or one below it, has had {FORMER_PATHS_MAX} paths before, which is the most")]
    FormerPaths,
}

impl PageTree<'_> {
    /// Makes a path free for a page, and returns the pages above it. At most four point reads.
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

    /// Gives a page another path, and the pages below it with it. Two range reads and at most three point reads for each page that moves.
    ///
    /// # Errors
    /// The inner error if the page cannot have the path.
    pub(crate) async fn move_page(
        &mut self,
        page: WholeSitePage,
        path: PagePath,
    ) -> Result<std::result::Result<WholeSitePage, BadPlace>> {
        let Some(below) = self.below(page.id()).await? else { return Ok(Err(BadPlace::TooMany)) };
        let mut first = None;
        // Each page comes after its parent, so the parent has its new place.
        for mut moved in [vec![page], below].concat() {
            let new_path = match &first {
                None => path.clone(),
                Some(_) => {
                    let parent = match moved.page.parent().cloned() {
                        Some(parent) => self.by_id(&parent).await?,
                        None => None,
                    };
                    let above = parent.map_or_else(|| path.clone(), |parent| parent.page.path);
                    match above.child(moved.page.path.slug().clone()) {
                        Ok(path) => path,
                        Err(bad) => return Ok(Err(BadPlace::Path(bad))),
                    }
                }
            };
            let ancestors = match self.free_path(&new_path, moved.id()).await? {
                Ok(ancestors) => ancestors,
                Err(bad) => return Ok(Err(bad)),
            };
            moved.move_to(new_path, ancestors);
            if moved.former_paths.len() > FORMER_PATHS_MAX {
                return Ok(Err(BadPlace::FormerPaths));
            }
            self.put(moved.clone());
            first.get_or_insert(moved);
        }
        Ok(first.ok_or(BadPlace::TooMany))
    }

    /// All pages below one, each after its parent; `None` if there are too many to move.
    async fn below(&mut self, top: &PostId) -> Result<Option<Vec<WholeSitePage>>> {
        let (mut found, mut open) = (Vec::new(), vec![top.clone()]);
        while let Some(parent) = open.pop() {
            for id in self.children(&parent, MOVED_MAX).await? {
                if let Some(page) = self.by_id(&id).await? {
                    found.push(page);
                    open.push(id);
                }
                if found.len() >= MOVED_MAX {
                    return Ok(None);
                }
            }
        }
        Ok(Some(found))
    }
}
