//! Checks the tree of categories. The rule: the categories are the truth; the row of the tree has the place of each of them and nothing else; and
//! each parent exists and is not below its own category.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::content::tables::rows::category_tree::{self as rows, TABLE};
use crate::keys::{category_tree as keys, term};
use crate::model::{CategoryEntry, CategoryPlace, CategoryTree, Slug, Term};
use crate::store::{Entity, Etag};

use super::report::{CheckReport, Fix};

/// `found`: the rows of the partition of the tree. `categories`: by their first slugs. Returns the ETag of the row of the tree.
pub(super) fn check(found: &[Entity], categories: &HashMap<Slug, Term>, report: &mut CheckReport) -> Option<Etag> {
    let parents: BTreeMap<&Slug, &Slug> =
        categories.values().filter_map(|term| Some((&term.id.first_slug, term.parent.as_ref()?))).collect();
    for (category, parent) in &parents {
        let what = match categories.contains_key(*parent) {
            false => format!("has the parent {parent}, which does not exist"),
            // To end a cycle, one of its categories is enough.
            true if cycle_of(category, &parents).iter().min() == Some(category) => {
                format!("has the parent {parent}, which is below it")
            }
            true => continue,
        };
        report.add(TABLE, &term::term(category), what, Fix::Parent { category: (*category).clone() });
    }
    let strange = found.iter().filter(|row| row.key != keys::tree());
    strange.for_each(|row| report.add_orphan(TABLE, &row.key));
    let row = found.iter().find(|row| row.key == keys::tree());
    match rows::read_optional(row) {
        Ok(tree) if tree == tree_of(categories.values()) => {}
        Ok(_) => report.add(TABLE, &keys::tree(), "differs from the categories", Fix::CategoryTree),
        Err(error) => report.add(TABLE, &keys::tree(), error.to_string(), Fix::CategoryTree),
    }
    row.map(|row| row.etag.clone())
}

/// The tree that follows from the categories.
pub(in crate::content::maintenance) fn tree_of<'t>(categories: impl IntoIterator<Item = &'t Term>) -> CategoryTree {
    let entry = |category: &Term| {
        Some(CategoryEntry { category: category.id.first_slug.clone(), place: CategoryPlace::of(category)? })
    };
    CategoryTree::of(categories.into_iter().filter_map(entry))
}

/// The categories of the cycle that contains this one; empty if there is none.
fn cycle_of<'t>(category: &'t Slug, parents: &BTreeMap<&'t Slug, &'t Slug>) -> BTreeSet<&'t Slug> {
    let (mut met, mut next) = (BTreeSet::new(), category);
    while met.insert(next) {
        match parents.get(next) {
            Some(parent) if *parent == category => return met,
            Some(parent) => next = parent,
            None => break,
        }
    }
    BTreeSet::new()
}
