//! Checks the tree of categories. The rule: the categories are the truth; the row of the tree has the place of each of them and nothing else; and
//! each parent exists and is not below its own category.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::content::tables::rows::category_tree::{self as rows, TABLE};
use crate::keys::{category_tree as keys, term};
use crate::model::{CategoryPlace, CategoryTree, Slug, Term};
use crate::store::{Entity, Etag};

use super::report::{CheckReport, Fix};

/// `found`: the rows of the partition of the tree. `categories`: by their first slugs. Returns the ETag of the row of the tree.
pub(super) fn check(found: &[Entity], categories: &HashMap<Slug, Term>, report: &mut CheckReport) -> Option<Etag> {
    let parents: BTreeMap<&Slug, &Slug> =
        categories.values().filter_map(|term| Some((&term.id.first_slug, term.parent.as_ref()?))).collect();
    for (category, parent) in &parents {
        let what = match categories.contains_key(*parent) {
            false => format!("has the parent {parent}, which does not exist"),
            // One of a cycle is enough to end it.
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
        Ok(tree) => differences(&tree, categories)
            .into_iter()
            .for_each(|what| report.add(TABLE, &keys::tree(), what, Fix::CategoryTree)),
        Err(error) => report.add(TABLE, &keys::tree(), error.to_string(), Fix::CategoryTree),
    }
    row.map(|row| row.etag.clone())
}

fn differences(tree: &CategoryTree, categories: &HashMap<Slug, Term>) -> Vec<String> {
    let stored: BTreeSet<(&Slug, &CategoryPlace)> =
        tree.entries().map(|entry| (&entry.category, &entry.place)).collect();
    let places = categories.values().filter_map(|term| Some((&term.id.first_slug, CategoryPlace::of(term)?)));
    let missing = places.filter(|(category, place)| !stored.contains(&(*category, place)));
    let missing = missing.map(|(category, place)| format!("does not have {category} below {}", place.parent));
    let wrong = tree.entries().filter(|entry| {
        let category = categories.get(&entry.category);
        !category.is_some_and(|category| entry.is_place_of(category))
    });
    let wrong = wrong.map(|entry| {
        format!("has {} below {}, and the category says another place", entry.category, entry.place.parent)
    });
    missing.chain(wrong).collect()
}

/// The categories of the cycle that this one is in; empty if it is in none.
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
