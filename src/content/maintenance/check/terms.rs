//! Checks `Categories`, `Tags`, `Authors` and `Series`. The rule: each term has an identity row, and each of its other slugs a row that names it; each
//! partition is counted and listed; and no post has a term that does not exist.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::content::error::Result;
use crate::content::tables::rows::term::{self as rows, SlugRow, TermRow};
use crate::content::write::Partition;
use crate::keys::category_tree::TREE_PARTITION;
use crate::keys::term::{self, CATALOG_PARTITION};
use crate::keys::time::Direction;
use crate::keys::{COUNT_ROW, Collection, Table};
use crate::model::{Slug, Term, TermKind};
use crate::store::{Entity, Etag, Store};

use super::category_tree;
use super::counts::{Counts, check_count, check_listings};
use super::known::Posts;
use super::partition::Partitions;
use super::report::{CheckReport, Fix};

/// The terms that exist.
#[derive(Default)]
pub(in crate::content::maintenance) struct Terms {
    /// By their first slugs.
    by_kind: [HashMap<Slug, Term>; TermKind::ALL.len()],
    /// The first slug of the term that has or had each slug.
    owners: [HashMap<Slug, Slug>; TermKind::ALL.len()],
    /// The ETag of the row of the tree of categories, which was read before the categories.
    pub tree: Option<Etag>,
}

impl Terms {
    fn set(&mut self, kind: TermKind, terms: HashMap<Slug, Term>) {
        let former = terms.values().flat_map(|term| term.former_slugs.iter().map(|slug| (slug, &term.id.first_slug)));
        // A current slug takes precedence over a former slug of another term.
        let owners = former.chain(terms.values().map(|term| (&term.slug, &term.id.first_slug)));
        self.owners[kind as usize] = owners.map(|(slug, first)| (slug.clone(), first.clone())).collect();
        self.by_kind[kind as usize] = terms;
    }

    pub(in crate::content::maintenance) fn of(&self, kind: TermKind) -> &HashMap<Slug, Term> {
        &self.by_kind[kind as usize]
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Term> {
        self.by_kind.iter().flat_map(HashMap::values)
    }

    /// The term that has or had a slug.
    pub(in crate::content::maintenance) fn owner(&self, kind: TermKind, slug: &Slug) -> Option<&Term> {
        self.of(kind).get(self.owners[kind as usize].get(slug)?)
    }
}

pub(super) async fn check(store: &Store, posts: &Posts, report: &mut CheckReport) -> Result<Terms> {
    let mut terms = Terms::default();
    for kind in TermKind::ALL {
        let mut found = FoundTerms { kind, terms: HashMap::new(), slug_rows: HashMap::new(), counts: Counts::new() };
        let (mut listings, mut tree) = (Vec::new(), Vec::new());
        let mut partitions = Partitions::of(store, Table::Terms(kind));
        while let Some(rows) = partitions.next().await? {
            report.rows += rows.len() as u64;
            match rows[0].key.partition() {
                CATALOG_PARTITION => listings = rows,
                TREE_PARTITION if kind == TermKind::Category => tree = rows,
                _ => found.check_partition(&rows, report),
            }
        }
        if kind == TermKind::Category {
            terms.tree = category_tree::check(&tree, &found.terms, report);
        }
        check_listings(Table::Terms(kind), &listings, found.counts, report);
        // Posts name a term by its first slug. A draft may name a term that was deleted: that term must be removed before the draft is published.
        let public = posts.by_id.values().filter(|known| known.place.collection == Collection::Posts);
        let used = public.flat_map(|known| known.indexes.iter().filter(|(index, _)| index.term() == Some(kind)));
        for (_, slug) in used.filter(|(_, slug)| !found.terms.contains_key(slug)).collect::<HashSet<_>>() {
            let fix = Fix::NewTerm { kind, slug: slug.clone() };
            report.add(Table::Terms(kind), &term::term(slug), "is missing; posts have it", fix);
        }
        report.terms += found.terms.len() as u64;
        terms.set(kind, found.terms);
        check_slug_rows(kind, &found.slug_rows, &terms, report);
    }
    Ok(terms)
}

struct FoundTerms {
    kind: TermKind,
    /// By their first slugs.
    terms: HashMap<Slug, Term>,
    slug_rows: HashMap<Slug, SlugRow>,
    counts: Counts,
}

impl FoundTerms {
    fn check_partition(&mut self, rows: &[Entity], report: &mut CheckReport) {
        let (kind, table, any) = (self.kind, Table::Terms(self.kind), &rows[0].key);
        let (mut pairs, mut count) = (BTreeMap::<Slug, [Option<&Entity>; 2]>::new(), None);
        for row in rows {
            match term::parse_row(row.key.row()) {
                _ if row.key.row() == COUNT_ROW => count = Some(row),
                None => report.add_orphan(table, &row.key),
                Some((slug, _)) if term::partition(&slug) != any.partition() => {
                    let fix = Fix::MisplacedTerm { kind, at: row.key.clone() };
                    report.add(table, &row.key, "is in the partition of another character", fix);
                }
                Some((slug, direction)) => pairs.entry(slug).or_default()[direction as usize] = Some(row),
            }
        }
        let mut listed = 0;
        for (slug, pair) in pairs {
            self.check_pair(&slug, pair, report);
            let Some(own) = pair[0] else { continue };
            let read = rows::read(kind, own);
            listed += i64::from(read.as_ref().map_or(true, |row| row.is_listed_at(&slug)));
            match read {
                Ok(TermRow::Identity(term)) => drop(self.terms.insert(slug, *term)),
                Ok(TermRow::Slug(row)) => drop(self.slug_rows.insert(slug, row)),
                Err(_) => {}
            }
        }
        let count = check_count(table, any, (listed, None), count, report);
        self.counts.extend(count.map(|count| (Partition::Terms(kind, any.partition().to_owned()), count)));
    }

    /// Compares the row of a slug with its mirror: a listed one has an equal mirror, another one has none.
    fn check_pair(&self, slug: &Slug, [own, mirror]: [Option<&Entity>; 2], report: &mut CheckReport) {
        let kind = self.kind;
        let fix = Fix::Term { kind, slug: slug.clone() };
        let mut add = |row: &Entity, what: String| report.add(Table::Terms(kind), &row.key, what, fix.clone());
        let mut read = |row: Option<&Entity>| {
            row.map(|row| rows::read(kind, row).map_err(|error| add(row, error.to_string()))).transpose().ok().flatten()
        };
        let (own_row, mirror_row) = (read(own), read(mirror));
        let [name, twin] = [Direction::Forward, Direction::Backward].map(|direction| term::row(slug, direction));
        let is_listed = own_row.as_ref().is_some_and(|row| row.is_listed_at(slug));
        match (own, mirror) {
            (None, Some(mirror)) => add(mirror, format!("has no twin {name}")),
            (Some(own), None) if is_listed => add(own, format!("has no twin {twin}")),
            (Some(own), Some(_)) if own_row.is_some() && !is_listed => {
                add(own, format!("has a twin {twin}, and is not listed"));
            }
            (Some(own), Some(mirror)) if own.properties != mirror.properties && mirror_row.is_some() => {
                add(own, format!("differs from its twin {twin}"));
            }
            _ => {}
        }
    }
}

/// Checks that each slug of a term except its first has a row that names the term, and that no other slug has such a row.
fn check_slug_rows(kind: TermKind, found: &HashMap<Slug, SlugRow>, terms: &Terms, report: &mut CheckReport) {
    let table = Table::Terms(kind);
    let fix = |slug: &Slug| Fix::Term { kind, slug: slug.clone() };
    for (slug, SlugRow { first_slug, is_listed }) in found {
        let what = match terms.owner(kind, slug) {
            Some(owner) if owner.id.first_slug != *first_slug => {
                format!("names {first_slug}; the slug is that of {}", owner.id.first_slug)
            }
            Some(owner) if (owner.slug == *slug) == *is_listed => continue,
            Some(_) if *is_listed => format!("is listed; it is a former slug of {first_slug}"),
            Some(_) => format!("is not listed; it is the slug of {first_slug}"),
            None => format!("names {first_slug}, which does not have this slug"),
        };
        report.add(table, &term::term(slug), what, fix(slug));
    }
    let missing = |(slug, first): &(&Slug, &Slug)| slug != first && !found.contains_key(*slug);
    for (slug, first) in terms.owners[kind as usize].iter().filter(missing) {
        // The row of the former slug is now the identity row of another term.
        let is_taken = terms.of(kind).contains_key(slug);
        let fix = if is_taken { Fix::TAKEN_TERM } else { fix(slug) };
        report.add(table, &term::term(slug), format!("is missing; it points to {first}"), fix);
    }
}
