//! Checks `Categories`, `Tags`, `Authors` and `Series`. The rule: each term has an identity row, and each of its other slugs a row that names it; each
//! partition is counted and listed; and no post has a term that does not exist.

use std::collections::{HashMap, HashSet};

use crate::content::error::Result;
use crate::content::tables::rows::count::{self, Count};
use crate::content::tables::rows::partition_catalog::read_first_character;
use crate::content::tables::rows::term::{self as rows, SlugRow, TermRow};
use crate::content::write::Partition;
use crate::keys::category_tree::TREE_PARTITION;
use crate::keys::term::{self, CATALOG_PARTITION};
use crate::keys::time::Direction;
use crate::keys::{COUNT_ROW, Collection, Table};
use crate::model::{Slug, Term, TermKind};
use crate::store::{Entity, Key, Store, StoreError};

use super::category_tree;
use super::counts::check_count;
use super::fix::Fix;
use super::known::Posts;
use super::partition::Partitions;
use super::report::CheckReport;

/// Returns the terms that exist.
pub(super) async fn check(store: &Store, posts: &Posts, report: &mut CheckReport) -> Result<Vec<Term>> {
    let mut terms = Vec::new();
    for kind in TermKind::ALL {
        let mut found = FoundTerm { kind, ..FoundTerm::default() };
        let mut partitions = Partitions::of(store, Table::Terms(kind));
        while let Some(rows) = partitions.next().await? {
            report.rows += rows.len() as u64;
            match rows[0].key.partition() {
                CATALOG_PARTITION => found.partition_catalog = rows,
                TREE_PARTITION if kind == TermKind::Category => found.tree = rows,
                _ => found.check_partition(&rows, report),
            }
        }
        if kind == TermKind::Category {
            category_tree::check(&found.tree, &found.terms, report);
        }
        check_partition_catalog(kind, &found, report);
        found.check_slug_rows(report);
        // Posts name a term by its first slug. A draft may name a term that was deleted: that term must be removed before the draft is published.
        let public = posts.by_id.values().filter(|known| known.place.collection == Collection::Posts);
        let used = public.flat_map(|known| known.indexes.iter().filter(|(index, _)| index.term() == Some(kind)));
        for (_, slug) in used.filter(|(_, slug)| !found.terms.contains_key(slug)).collect::<HashSet<_>>() {
            let fix = Fix::NewTerm { kind, slug: slug.clone() };
            report.add(Table::Terms(kind), &term::term(slug), "is missing; posts have it", fix);
        }
        report.terms += found.terms.len() as u64;
        terms.extend(found.terms.into_values());
    }
    Ok(terms)
}

struct FoundTerm {
    kind: TermKind,
    /// By their first slugs.
    terms: HashMap<Slug, Term>,
    slug_rows: HashMap<Slug, SlugRow>,
    counts: HashMap<String, Count>,
    partition_catalog: Vec<Entity>,
    /// For categories: the rows of the partition of their tree.
    tree: Vec<Entity>,
}

impl Default for FoundTerm {
    fn default() -> Self {
        let (terms, slug_rows, counts) = (HashMap::new(), HashMap::new(), HashMap::new());
        let (partition_catalog, tree) = (Vec::new(), Vec::new());
        Self { kind: TermKind::Tag, terms, slug_rows, counts, partition_catalog, tree }
    }
}

impl FoundTerm {
    fn check_partition(&mut self, rows: &[Entity], report: &mut CheckReport) {
        let (kind, table) = (self.kind, Table::Terms(self.kind));
        let by_row: HashMap<&str, &Entity> = rows.iter().map(|row| (row.key.row(), row)).collect();
        let (mut listed, mut counted) = (0, None);
        for row in rows {
            if row.key.row() == COUNT_ROW {
                let fix = Fix::Count { table, partition: row.key.partition().to_owned() };
                counted = count::read(row).map_err(|e| report.add_unreadable(table, row, &e, fix)).ok();
                continue;
            }
            let Some((slug, direction)) = term::parse_row(row.key.row()) else {
                report.add(table, &row.key, "is not a row of this table", Fix::ORPHAN);
                continue;
            };
            if term::partition(&slug) != row.key.partition() {
                let fix = Fix::MisplacedTerm { kind, at: row.key.clone() };
                report.add(table, &row.key, "is in the partition of another character", fix);
                continue;
            }
            let read = rows::read(kind, row);
            check_twin(kind, row, &read, &slug, direction, &by_row, report);
            if direction == Direction::Backward {
                continue;
            }
            listed += i64::from(read.as_ref().map_or(true, |row| row.is_listed_at(&slug)));
            match read {
                Ok(TermRow::Identity(term)) => drop(self.terms.insert(slug, *term)),
                Ok(TermRow::Slug(row)) => drop(self.slug_rows.insert(slug, row)),
                Err(_) => {}
            }
        }
        check_count(table, &rows[0], listed, None, counted.as_ref(), report);
        self.counts.extend(counted.map(|count| (rows[0].key.partition().to_owned(), count)));
    }

    /// Checks that each slug of a term except its first has a row that names the term, and that no other slug has such a row.
    fn check_slug_rows(&self, report: &mut CheckReport) {
        let (kind, table) = (self.kind, Table::Terms(self.kind));
        let mut owners: HashMap<&Slug, (&Slug, bool)> = HashMap::new();
        for (first, term) in &self.terms {
            owners.extend(term.former_slugs.iter().map(|former| (former, (first, false))));
        }
        // A current slug takes precedence over a former slug of another term.
        owners.extend(self.terms.iter().map(|(first, term)| (&term.slug, (first, true))));
        let fix = |slug: &Slug| Fix::SlugRow {
            kind,
            slug: slug.clone(),
            first_slug: owners.get(slug).map(|(first, _)| (*first).clone()),
        };
        for (slug, row) in &self.slug_rows {
            let what = match owners.get(slug) {
                Some((first, is_present)) if **first == row.first_slug && *is_present == row.is_listed => continue,
                Some((first, _)) if **first != row.first_slug => {
                    format!("names {}; the slug is that of {first}", row.first_slug)
                }
                Some((_, true)) => format!("is not listed; it is the slug of {}", row.first_slug),
                Some((_, false)) => format!("is listed; it is a former slug of {}", row.first_slug),
                None => format!("names {}, which does not have this slug", row.first_slug),
            };
            report.add(table, &term::term(slug), what, fix(slug));
        }
        for (slug, (first, _)) in &owners {
            if *slug == *first || self.slug_rows.contains_key(*slug) {
                continue;
            }
            // The row of the former slug is now the identity row of another term.
            let is_taken = self.terms.contains_key(*slug);
            let fix = if is_taken { Fix::TAKEN_TERM } else { fix(slug) };
            report.add(table, &term::term(slug), format!("is missing; it points to {first}"), fix);
        }
    }
}

fn check_twin(
    kind: TermKind,
    row: &Entity,
    read: &Result<TermRow, StoreError>,
    slug: &Slug,
    direction: Direction,
    by_row: &HashMap<&str, &Entity>,
    report: &mut CheckReport,
) {
    let table = Table::Terms(kind);
    let fix = Fix::Term { kind, slug: slug.clone() };
    let twin = match direction {
        Direction::Forward => term::row(slug, Direction::Backward),
        Direction::Backward => term::row(slug, Direction::Forward),
    };
    match (read, by_row.get(twin.as_str())) {
        (Err(e), _) => report.add_unreadable(table, row, e, fix),
        (Ok(read), None) if read.is_listed_at(slug) || direction == Direction::Backward => {
            report.add(table, &row.key, format!("has no twin {twin}"), fix);
        }
        (Ok(read), Some(_)) if !read.is_listed_at(slug) => {
            report.add(table, &row.key, format!("has a twin {twin}, and is not listed"), fix);
        }
        (Ok(_), Some(other)) if other.properties != row.properties && rows::read(kind, other).is_ok() => {
            report.add(table, &row.key, format!("differs from its twin {twin}"), fix);
        }
        (Ok(_), None | Some(_)) => {}
    }
}

fn check_partition_catalog(kind: TermKind, found: &FoundTerm, report: &mut CheckReport) {
    let table = Table::Terms(kind);
    let mut missing: HashMap<&str, &Count> =
        found.counts.iter().filter(|(_, count)| count.rows > 0).map(|(name, count)| (name.as_str(), count)).collect();
    for row in &found.partition_catalog {
        let of_row = row.key.row();
        let fix = Fix::Listing(Partition::Terms(kind, of_row.to_owned()));
        let listed = match read_first_character(row) {
            Ok(listed) => listed,
            Err(e) => {
                missing.remove(of_row);
                report.add_unreadable(table, row, &e, fix);
                continue;
            }
        };
        if listed.partition != of_row {
            let stray = Fix::StrayListing { table, key: row.key.clone() };
            report.add(table, &row.key, format!("lists {}, which belongs under another key", listed.partition), stray);
            continue;
        }
        missing.remove(of_row);
        let own = found.counts.get(of_row).cloned().unwrap_or_default();
        if own != listed.count {
            let what = format!("lists {} terms; the partition counts {}", listed.count.rows, own.rows);
            report.add(table, &row.key, what, fix);
        }
    }
    for (partition, count) in missing {
        let key: Key = term::catalog_row(partition);
        let fix = Fix::Listing(Partition::Terms(kind, partition.to_owned()));
        report.add(table, &key, format!("is missing; the partition has {} terms", count.rows), fix);
    }
}
