//! The tree of categories for readers. The rule: an entry of the tree is shown only if its category, which is read as well, has the same parent, so outdated
//! entries are not shown.

use std::sync::Arc;

use crate::content::cache::{CacheKey, Until};
use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::category_tree as rows;
use crate::keys::category_tree as keys;
use crate::keys::cursor::{self, ListTag};
use crate::model::{CategoryEntry, CategoryTree, Slug, Term};

use super::Reader;
use super::pages::{PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, Take};

/// The direct children of a category, sorted by slug.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildCategories {
    /// The first slug of the parent.
    parent: Slug,
}

/// A page of child categories that a client requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildCategoriesPage {
    pub count: usize,
    pub after: Option<Slug>,
}

impl ChildCategories {
    pub fn of(parent: &Term) -> Self {
        Self { parent: parent.id.first_slug.clone() }
    }

    /// The entries of the tree for this list, in its order.
    pub fn entries<'t>(&self, tree: &'t CategoryTree) -> Vec<&'t CategoryEntry> {
        tree.below(&self.parent)
    }

    /// # Errors
    /// [`ContentError::BadArgument`] for a size out of range, [`ContentError::BadCursor`] for a cursor of another list.
    pub fn page(&self, first: Option<i32>, after: Option<&str>) -> Result<ChildCategoriesPage> {
        let count = Take::of(first, None, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX)?.count();
        let after = after.map(|text| cursor::decode::<Slug>(self.tag(), text)).transpose();
        Ok(ChildCategoriesPage { count, after: after.map_err(|_| ContentError::BadCursor { argument: "after" })? })
    }

    /// The cursor of a category of this list.
    pub fn cursor(&self, category: &Term) -> String {
        cursor::encode(self.tag(), category.slug.as_str())
    }

    fn tag(&self) -> ListTag {
        ListTag::of(&format!("{} below {}", rows::TABLE.name(), self.parent))
    }
}

impl Reader {
    /// The tree of categories. One point read, or none if it is cached.
    ///
    /// # Errors
    /// If the store fails, or the row is damaged.
    pub async fn category_tree(&self) -> Result<Arc<CategoryTree>> {
        let read = |reader: Self| async move {
            let row = reader.store().get(rows::TABLE.name(), &keys::tree()).await?;
            Ok(Arc::new(rows::read_optional(row.as_ref())?))
        };
        self.cached(CacheKey::CategoryTree, Until::Written, |_| true, read).await
    }
}
