//! The parent and child categories of a category. The rule: the category tree proposes candidates, which are loaded in the same batches as
//! other categories; a candidate whose own parent differs from the tree is omitted.

use std::sync::Arc;

use crate::content::read::pages::{Page, RequestedFields};
use crate::content::read::{ChildCategories, ChildCategoriesPage};
use crate::model::category_tree::CATEGORY_DEPTH_MAX;
use crate::model::{CategoryEntry, CategoryTree, Slug, Term, TermKind};

use super::{Loaded, Loaders};

impl Loaders {
    /// The ancestors of a category, from the root.
    pub async fn categories_above(&self, category: &Term) -> Loaded<Vec<Arc<Term>>> {
        let Some(parent) = &category.parent else { return Ok(Vec::new()) };
        let mut candidates = self.category_tree().await?.above(parent);
        candidates.truncate(CATEGORY_DEPTH_MAX - 1);
        let candidates = self.terms_of_post(TermKind::Category, &candidates).await?;
        let (mut above, mut next): (Vec<Arc<Term>>, _) = (Vec::new(), Some(parent.clone()));
        while let Some(slug) = next.filter(|_| above.len() < CATEGORY_DEPTH_MAX - 1) {
            let found = match candidates.iter().find(|term| term.id.first_slug == slug) {
                Some(found) => Some(Arc::clone(found)),
                // The category was moved after the tree was read.
                None => self.terms_of_post(TermKind::Category, &[slug]).await?.pop(),
            };
            let Some(found) = found else { break };
            next = found.parent.clone();
            above.push(found);
        }
        above.reverse();
        Ok(above)
    }

    /// A page of the direct children of a category.
    pub async fn categories_below(
        &self,
        list: &ChildCategories,
        page: &ChildCategoriesPage,
        requested: RequestedFields,
    ) -> Loaded<Page<Arc<Term>>> {
        let tree = self.category_tree().await?;
        let is_before = |entry: &&CategoryEntry| page.after.as_ref().is_some_and(|after| entry.place.slug <= *after);
        let (mut before, after): (Vec<_>, Vec<_>) = list.entries(&tree).into_iter().partition(is_before);
        before.reverse();
        let need = if requested.items { page.count + usize::from(requested.has_next) } else { 0 };
        let mut items = self.at_their_places(after, need).await?;
        let has_next = items.len() > page.count;
        items.truncate(page.count);
        let has_previous = requested.has_previous && !self.at_their_places(before, 1).await?.is_empty();
        Ok(Page { items, has_next, has_previous })
    }

    /// The number of direct children of a category.
    pub async fn count_categories_below(&self, list: &ChildCategories) -> Loaded<usize> {
        let tree = self.category_tree().await?;
        Ok(list.entries(&tree).len())
    }

    async fn category_tree(&self) -> Loaded<Arc<CategoryTree>> {
        self.category_tree.load(()).await
    }

    /// Up to `need` categories that are still where these entries say, each once.
    async fn at_their_places(&self, entries: Vec<&CategoryEntry>, need: usize) -> Loaded<Vec<Arc<Term>>> {
        let (mut found, mut rest): (Vec<Arc<Term>>, _) = (Vec::new(), entries.into_iter());
        while found.len() < need {
            let part: Vec<&CategoryEntry> = rest.by_ref().take(need - found.len()).collect();
            if part.is_empty() {
                break;
            }
            let first_slugs: Vec<Slug> = part.iter().map(|entry| entry.category.clone()).collect();
            let categories = self.terms_of_post(TermKind::Category, &first_slugs).await?;
            for entry in part {
                let category = categories.iter().find(|category| entry.is_place_of(category));
                let is_new = |category: &&Arc<Term>| found.iter().all(|known| known.id != category.id);
                if let Some(category) = category.filter(is_new) {
                    found.push(Arc::clone(category));
                }
            }
        }
        Ok(found)
    }
}
