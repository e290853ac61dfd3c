//! Fixes categories, tags, authors and series. The rule: the row under the first slug is the truth; if it is lost or unreadable, its mirror is used, which is a
//! full copy. The row of the tree of categories is written from the categories; a parent is removed only if it does not exist, or is below its category.

use std::collections::BTreeSet;

use crate::content::error::Result;
use crate::content::maintenance::check::tree_of;
use crate::content::tables::rows::category_tree::{self as tree_rows, TABLE};
use crate::content::tables::rows::term::{self as rows, TermRow};
use crate::content::write::{Overlay, term_rows};
use crate::keys::category_tree as tree_keys;
use crate::keys::time::Direction;
use crate::keys::{Table, term};
use crate::model::{Slug, Term, TermKind};
use crate::store::{Key, StoreError};

use super::{Done, Planned, Repair, Truth, make};

impl Truth {
    /// Writes the row of a slug, and its mirror if the slug is listed.
    pub(super) fn write_term(&self, rows: &mut Overlay<'_>, kind: TermKind, slug: &Slug) -> Planned {
        let (table, [key, mirror]) = (Table::Terms(kind), term::pair(slug));
        let own = rows.get(table, &key)?.map(|row| rows::read(kind, &row));
        let named = match &own {
            Some(Ok(TermRow::Slug(row))) => Some(&row.first_slug),
            _ => None,
        };
        let known = self.terms.owner(kind, slug).map(|owner| &owner.id.first_slug);
        let mut owners = [slug].into_iter().chain(known).chain(named);
        let row = owners.find_map(|first| term_rows(&identity(rows, kind, first)?).remove(slug));
        let done = match (&row, &own) {
            (None, _) if known.is_some() => return Ok(Done::Nothing),
            (None, Some(Err(_))) => {
                let why = "neither the row nor its mirror can be read: save the term again with its mutation";
                return Ok(Done::left(why));
            }
            (None, _) => "removed: no term has this slug",
            (Some(row), _) if row.is_listed => "written as the slug of its term",
            (Some(_), _) => "written as a former slug of its term",
        };
        let (expected, is_listed) = row.map_or((None, false), |row| (Some(row.properties), row.is_listed));
        make(rows, table, key, expected.clone())?;
        make(rows, table, mirror, expected.filter(|_| is_listed))?;
        Ok(Done::fixed(done))
    }

    /// A category that moves changes the row of the tree, so the categories of the check are current while that row is unchanged.
    pub(super) fn write_tree(&self, rows: &mut Overlay<'_>) -> Planned {
        let found = rows.get(TABLE, &tree_keys::tree())?;
        if found.as_ref().map(|row| row.etag.clone()) != self.terms.tree {
            return Ok(Done::Nothing);
        }
        let known = self.terms.of(TermKind::Category);
        let stored = tree_rows::read_optional(found.as_ref()).unwrap_or_default();
        // The check has no category for a row that an earlier fix has restored.
        let unknown = stored.entries().map(|entry| &entry.category).filter(|category| !known.contains_key(*category));
        let restored: Vec<Term> = unknown.filter_map(|category| identity(rows, TermKind::Category, category)).collect();
        let expected =
            tree_rows::row(&tree_of(known.values().chain(&restored))).map_err(|e| StoreError::limit(e.to_string()))?;
        make(rows, TABLE, tree_keys::tree(), expected)?;
        Ok(Done::fixed("written as the categories say"))
    }
}

/// The term with this first slug, from its row, or from its mirror if the row is lost or unreadable.
fn identity(rows: &Overlay<'_>, kind: TermKind, first_slug: &Slug) -> Option<Term> {
    let [own, mirror] = term::pair(first_slug).map(|key| rows.get(Table::Terms(kind), &key).ok().flatten());
    match (own.map(|row| rows::read(kind, &row)), mirror.map(|row| rows::read(kind, &row))) {
        (Some(Ok(TermRow::Identity(term))), _) => Some(*term),
        (None | Some(Err(_)), Some(Ok(TermRow::Identity(term)))) if term.slug == *first_slug => Some(*term),
        _ => None,
    }
}

/// Moves a row of a term to the partition of its character.
pub(super) fn move_row(rows: &mut Overlay<'_>, kind: TermKind, at: &Key) -> Planned {
    let table = Table::Terms(kind);
    let (Some((slug, direction)), Some(found)) = (term::parse_row(at.row()), rows.get(table, at)?) else {
        return Ok(Done::Nothing);
    };
    let own = Key::new(term::partition(&slug), at.row())?;
    let existing = rows.get(table, &own)?;
    if direction == Direction::Forward && existing.as_ref().is_some_and(|own| own.properties != found.properties) {
        let why = "another row exists where it belongs: remove one of the two with a tool for Azure tables";
        return Ok(Done::left(why));
    }
    if existing.is_none() {
        rows.put(table, own.clone(), found.properties);
    }
    rows.delete(table, at.clone());
    Ok(Done::fixed(format!("moved to {own}")))
}

impl Repair<'_> {
    pub(super) async fn make_term(&self, kind: TermKind, slug: &Slug) -> Result<Done> {
        if let Some(row) = self.store.get(Table::Terms(kind).name(), &term::term(slug)).await? {
            return Ok(match rows::read(kind, &row) {
                Ok(TermRow::Identity(_)) => Done::Nothing,
                _ => Done::left(
                    "another row has its slug now: set the terms of the posts again with the mutation updatePost",
                ),
            });
        }
        self.writer.save_terms(kind, vec![Term::new(kind, slug.clone(), slug.as_str())]).await?;
        Ok(Done::fixed("created, with its slug as its name"))
    }

    /// Removes the parent of a category if it still does not exist, or is still below the category.
    pub(super) async fn fix_parent(&self, category: &Slug) -> Result<Done> {
        let (mut met, mut next) = (BTreeSet::new(), category.clone());
        loop {
            let row = self.store.get(TABLE.name(), &term::term(&next)).await?;
            let parent = match row.map(|row| rows::read(TermKind::Category, &row)) {
                Some(Ok(TermRow::Identity(found))) => found.parent,
                Some(Err(_)) => return Ok(Done::left("its parent cannot be read: fix that row first")),
                // The missing parent of another category has its own fix.
                _ if met.len() == 1 => break,
                _ => None,
            };
            // This category is not in the cycle; the fixes of the others end it.
            let Some(parent) = parent.filter(|_| met.insert(next)) else { return Ok(Done::Nothing) };
            if parent == *category {
                break;
            }
            next = parent;
        }
        let without = |found: Option<&Term>| found.map(|found| Term { parent: None, ..found.clone() }).ok_or(());
        let removed = self.writer.edit_term(TermKind::Category, category, without).await?;
        Ok(removed.map_or(Done::Nothing, |_| Done::fixed("its parent was removed")))
    }
}
