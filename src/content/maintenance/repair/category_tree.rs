//! Repairs the tree of categories. The rule: its row is written from the categories; a parent is removed only if it does not exist, or is below
//! its category.

use std::collections::BTreeSet;

use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::category_tree::{self as rows, TABLE};
use crate::content::tables::rows::term::{self as term_rows, TermRow};
use crate::content::tables::scan_all;
use crate::content::write::retry_on_conflict;
use crate::keys::{category_tree as keys, term};
use crate::model::{CategoryEntry, CategoryPlace, CategoryTree, Slug, Term, TermKind};
use crate::store::Entity;

use super::Done;
use super::context::{FoundRow, Repair};

/// The row of a category.
enum FoundCategory {
    Found(Box<Term>),
    Absent,
    Unreadable,
}

impl Repair<'_> {
    pub(super) async fn fix_category_tree(&self) -> Result<Done> {
        retry_on_conflict("the tree of categories", || async {
            // The row is read first: a category that changes after that changes the row too.
            let found = self.get(TABLE, &keys::tree()).await?;
            let tree = self.tree_of_categories().await?;
            let expected = rows::row(&tree).map_err(|e| ContentError::TooLarge {
                what: "the tree of categories".to_owned(),
                reason: e.to_string(),
            })?;
            let row = FoundRow { row: keys::tree().row().to_owned(), found, expected };
            let is_made = self.make(TABLE, keys::TREE_PARTITION, vec![row]).await?;
            Ok(if is_made { Done::fixed("written as the categories say") } else { Done::Nothing })
        })
        .await
    }

    async fn tree_of_categories(&self) -> Result<CategoryTree> {
        let categories = scan_all(self.store, TABLE).await?;
        let place = |row: &Entity| {
            // Skips mirrors and rows that cannot be read.
            let slug = row.key.row().parse::<Slug>().ok().filter(|slug| term::term(slug) == row.key)?;
            let Ok(TermRow::Identity(found)) = term_rows::read(TermKind::Category, row) else { return None };
            Some(CategoryEntry { category: slug, place: CategoryPlace::of(&found)? })
        };
        Ok(CategoryTree::of(categories.iter().filter_map(place)))
    }

    pub(super) async fn fix_parent(&self, category: &Slug) -> Result<Done> {
        let FoundCategory::Found(found) = self.category(category).await? else { return Ok(Done::Nothing) };
        let (mut met, mut next) = (BTreeSet::from([category.clone()]), found.parent.clone());
        while let Some(parent) = next {
            // The fixes of the other categories end a cycle that this one is not in.
            if !met.insert(parent.clone()) {
                break;
            }
            next = match self.category(&parent).await? {
                FoundCategory::Found(above) => above.parent.clone(),
                // The missing parent of another category has its own fix.
                FoundCategory::Absent if found.parent.as_ref() == Some(&parent) => {
                    return self.remove_parent(category).await;
                }
                FoundCategory::Absent => return Ok(Done::Nothing),
                FoundCategory::Unreadable => return Ok(Done::left("its parent cannot be read: fix that row first")),
            };
            if next.as_ref() == Some(category) {
                return self.remove_parent(category).await;
            }
        }
        if found.parent.as_ref() == Some(category) { self.remove_parent(category).await } else { Ok(Done::Nothing) }
    }

    async fn remove_parent(&self, category: &Slug) -> Result<Done> {
        let without = |found: Option<&Term>| found.map(|found| Term { parent: None, ..found.clone() }).ok_or(());
        let removed = self.writer.edit_term(TermKind::Category, category, without).await?;
        Ok(removed.map_or(Done::Nothing, |_| Done::fixed("its parent was removed")))
    }

    async fn category(&self, first_slug: &Slug) -> Result<FoundCategory> {
        let row = self.get(TABLE, &term::term(first_slug)).await?;
        Ok(match row.as_ref().map(|row| term_rows::read(TermKind::Category, row)) {
            Some(Ok(TermRow::Identity(found))) => FoundCategory::Found(found),
            Some(Err(_)) => FoundCategory::Unreadable,
            Some(Ok(TermRow::Slug(_))) | None => FoundCategory::Absent,
        })
    }
}
