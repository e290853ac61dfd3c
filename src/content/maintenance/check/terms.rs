//! Checks `Categories`, `Tags`, `Authors` and `Series`. The rule: each term has an identity row, and each of its other slugs a row that names it; each
//! partition is counted and listed; and no post has a term that does not exist.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::content::error::Result;
use crate::content::tables::rows::term::{self as rows, TermRow};
use crate::content::write::{Partition, term_rows};
use crate::keys::category_tree::TREE_PARTITION;
use crate::keys::term::{self, CATALOG_PARTITION};
use crate::keys::time::Direction;
use crate::keys::{COUNT_ROW, Table};
use crate::model::{Slug, Term, TermKind};
use crate::store::{Entity, Etag, Properties, Store};

use super::category_tree;
use super::counts::{Counts, check_count, check_listings};
use super::known::Posts;
use super::partition::Partitions;
use super::report::{CheckReport, Fix};

/// The terms that exist.
#[derive(Default)]
pub(in crate::content::maintenance) struct Terms {
    /// The terms by their first slugs.
    by_kind: [HashMap<Slug, Term>; TermKind::ALL.len()],
    /// For each current or former slug, the first slug of its term.
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

    /// The term with a current or former slug.
    pub(in crate::content::maintenance) fn owner(&self, kind: TermKind, slug: &Slug) -> Option<&Term> {
        self.of(kind).get(self.owners[kind as usize].get(slug)?)
    }
}

pub(super) async fn check(store: &Store, posts: &Posts, report: &mut CheckReport) -> Result<Terms> {
    let mut terms = Terms::default();
    for kind in TermKind::ALL {
        let mut found = FoundTerms { kind, terms: HashMap::new(), rows: BTreeMap::new(), counts: Counts::new() };
        let (mut listings, mut tree) = (Vec::new(), Vec::new());
        let mut partitions = Partitions::of(store, Table::Terms(kind));
        while let Some(rows) = partitions.next().await? {
            report.rows += rows.len() as u64;
            match rows[0].key.partition() {
                CATALOG_PARTITION => listings = rows,
                TREE_PARTITION if kind == TermKind::Category => tree = rows,
                _ => found.check_partition(rows, report),
            }
        }
        let FoundTerms { terms: found, rows, counts, .. } = found;
        if kind == TermKind::Category {
            terms.tree = category_tree::check(&tree, &found, report);
        }
        check_listings(Table::Terms(kind), &listings, counts, report);
        // Posts name a term by its first slug. A draft may name a term that was deleted: that term must be removed before the draft is published.
        let public = posts.by_id.values().filter(|post| post.published_at.is_some());
        let used = public.flat_map(|post| post.terms(kind));
        for slug in used.filter(|slug| !found.contains_key(*slug)).collect::<HashSet<_>>() {
            let fix = Fix::NewTerm { kind, slug: slug.clone() };
            report.add(Table::Terms(kind), &term::term(slug), "is missing; posts have it", fix);
        }
        report.terms += found.len() as u64;
        terms.set(kind, found);
        check_rows(kind, &rows, &terms, report);
    }
    Ok(terms)
}

/// The rows of terms, by their slugs and directions.
type TermRows = BTreeMap<(Slug, usize), Entity>;

struct FoundTerms {
    kind: TermKind,
    /// The terms by their first slugs.
    terms: HashMap<Slug, Term>,
    rows: TermRows,
    counts: Counts,
}

impl FoundTerms {
    fn check_partition(&mut self, rows: Vec<Entity>, report: &mut CheckReport) {
        let (kind, table, any) = (self.kind, Table::Terms(self.kind), rows[0].key.clone());
        let count = check_count(table, &rows, report);
        self.counts.extend(count.map(|count| (Partition::Terms(kind, any.partition().to_owned()), count)));
        for row in rows.into_iter().filter(|row| row.key.row() != COUNT_ROW) {
            match term::parse_row(row.key.row()) {
                None => report.add_orphan(table, &row.key),
                Some((slug, _)) if term::partition(&slug) != any.partition() => {
                    let fix = Fix::MisplacedTerm { kind, at: row.key.clone() };
                    report.add(table, &row.key, "is in the partition of another character", fix);
                }
                Some((slug, direction)) => {
                    let read = rows::read(kind, &row);
                    // The mirror of a term is a full copy, which is used if the row is lost.
                    let is_lost = || self.rows.get(&(slug.clone(), 0)).is_none_or(|row| rows::read(kind, row).is_err());
                    if let Ok(TermRow::Identity(term)) = read
                        && (direction == Direction::Forward || term.slug == slug && is_lost())
                    {
                        self.terms.insert(slug.clone(), *term);
                    }
                    self.rows.insert((slug, direction as usize), row);
                }
            }
        }
    }
}

/// Compares the rows with those that a change of each term writes: one for each of its slugs, and a mirror for the current slug.
fn check_rows(kind: TermKind, found: &TermRows, terms: &Terms, report: &mut CheckReport) {
    let table = Table::Terms(kind);
    let mut expected: BTreeMap<(Slug, usize), Properties> = BTreeMap::new();
    for term in terms.of(kind).values() {
        let first = &term.id.first_slug;
        for (slug, row) in term_rows(term) {
            if slug != *first && terms.of(kind).contains_key(&slug) {
                // The row of the former slug is now the identity row of another term.
                report.add(table, &term::term(&slug), format!("is missing; it points to {first}"), Fix::TAKEN_TERM);
            } else if terms.owner(kind, &slug).is_none_or(|owner| owner.id == term.id) {
                expected.extend(row.is_listed.then(|| ((slug.clone(), 1), row.properties.clone())));
                expected.insert((slug, 0), row.properties);
            }
        }
    }
    let both: BTreeSet<&(Slug, usize)> = found.keys().chain(expected.keys()).collect();
    for at in both {
        let (slug, direction) = at;
        let what = match (found.get(at), expected.get(at)) {
            (Some(row), Some(expected)) if row.properties == *expected => continue,
            (Some(row), expected) => match (rows::read(kind, row), expected) {
                (Err(error), _) => error.to_string(),
                (Ok(_), Some(_)) => format!("does not match the {} that has this slug", kind.noun()),
                (Ok(_), None) => format!("no {} has this row", kind.noun()),
            },
            (None, _) => format!("is missing; a {} has this slug", kind.noun()),
        };
        let key = term::pair(slug)[*direction].clone();
        report.add(table, &key, what, Fix::Term { kind, slug: slug.clone() });
    }
}
