//! `Categories`, `Tags` and `Authors`. The rule: each term stands twice, each partition is counted and listed, and no post bears a term that is
//! not there.

use std::collections::{HashMap, HashSet};

use crate::content::error::Result;
use crate::content::rows::count::{self, Count};
use crate::content::rows::directory::read_first_character;
use crate::content::rows::term::{self as rows, TermRow};
use crate::keys::term::{self, DIRECTORY_PARTITION};
use crate::keys::time::Direction;
use crate::keys::{COUNT_ROW, Shelf, Table};
use crate::model::{Slug, Term, TermKind};
use crate::store::{Entity, Key, Store};

use super::posts::check_count;
use super::{Partitions, Posts, Report, unreadable};

pub(super) async fn check(store: &Store, posts: &Posts, report: &mut Report) -> Result<()> {
    for kind in TermKind::ALL {
        let mut found = Found::default();
        let mut partitions = Partitions::of(store, Table::Terms(kind));
        while let Some(rows) = partitions.next().await? {
            report.rows += rows.len() as u64;
            if rows[0].key.partition() == DIRECTORY_PARTITION {
                found.directory = rows;
            } else {
                check_partition(kind, &rows, &mut found, report);
            }
        }
        check_directory(kind, &found, report);
        check_forwards(kind, &found, report);
        // A post bears the first slug of a term. A draft may bear a term that is gone: to be published it has to let it go.
        let first_slugs: HashSet<&Slug> = found.terms.values().map(|term| &term.id.first_slug).collect();
        let public = posts.values().filter(|known| known.place.shelf == Shelf::Posts);
        let borne = public.flat_map(|known| known.terms.iter().filter(|(k, _)| *k == kind));
        for (_, slug) in borne.filter(|(_, slug)| !first_slugs.contains(slug)).collect::<HashSet<_>>() {
            report.add(Table::Terms(kind), &term::term(slug), "is missing; posts bear it");
        }
        report.terms += found.terms.len() as u64;
    }
    Ok(())
}

#[derive(Default)]
struct Found {
    terms: HashMap<Slug, Term>,
    /// From slugs that terms had to slugs that they have.
    forwards: HashMap<Slug, Slug>,
    counts: HashMap<String, Count>,
    directory: Vec<Entity>,
}

fn check_partition(kind: TermKind, rows: &[Entity], found: &mut Found, report: &mut Report) {
    let table = Table::Terms(kind);
    let by_row: HashMap<&str, &Entity> = rows.iter().map(|row| (row.key.row(), row)).collect();
    let (mut listed, mut counted) = (0, None);
    for row in rows {
        if row.key.row() == COUNT_ROW {
            counted = count::read(row).map_err(|e| unreadable(report, table, row, &e)).ok();
            continue;
        }
        let Some((slug, direction)) = term::parse_row(row.key.row()) else {
            report.add(table, &row.key, "is no row of this table");
            continue;
        };
        let twin = match direction {
            Direction::Forward => term::row(&slug, Direction::Backward),
            Direction::Backward => term::row(&slug, Direction::Forward),
        };
        match (rows::read(kind, row), by_row.get(twin.as_str())) {
            (Err(e), _) => unreadable(report, table, row, &e),
            // A slug that leads to another term has no mirror, and is not counted.
            (Ok(TermRow::ForwardTo { slug: to, .. }), _) => {
                found.forwards.insert(slug, to);
                continue;
            }
            (Ok(TermRow::PendingFrom { .. }), _) => report.add(table, &row.key, "a rename was left unfinished"),
            (Ok(TermRow::Term(_)), None) => report.add(table, &row.key, format!("has no twin {twin}")),
            (Ok(TermRow::Term(_)), Some(other)) if other.properties != row.properties => {
                report.add(table, &row.key, format!("differs from its twin {twin}"));
            }
            (Ok(TermRow::Term(_)), Some(_)) => {}
        }
        if direction == Direction::Forward {
            listed += 1;
            if term::partition(&slug) != row.key.partition() {
                report.add(table, &row.key, "stands in the partition of another character");
            }
            if let Ok(TermRow::Term(term)) = rows::read(kind, row) {
                found.terms.insert(slug, term);
            }
        }
    }
    check_count(table, &rows[0], listed, None, counted.as_ref(), report);
    found.counts.extend(counted.map(|count| (rows[0].key.partition().to_owned(), count)));
}

/// Each slug that a term had leads to it, and nothing leads anywhere else.
fn check_forwards(kind: TermKind, found: &Found, report: &mut Report) {
    let table = Table::Terms(kind);
    for (from, to) in &found.forwards {
        match found.terms.get(to) {
            Some(term) if term.former_slugs.contains(from) => {}
            Some(_) => report.add(table, &term::term(from), format!("leads to {to}, which never had this slug")),
            None => report.add(table, &term::term(from), format!("leads to {to}, which is not there")),
        }
    }
    for (slug, term) in &found.terms {
        for former in term.former_slugs.iter().filter(|former| found.forwards.get(*former) != Some(slug)) {
            report.add(table, &term::term(former), format!("is missing; it leads to {slug}"));
        }
    }
}

fn check_directory(kind: TermKind, found: &Found, report: &mut Report) {
    let table = Table::Terms(kind);
    let mut missing: HashMap<&String, &Count> = found.counts.iter().filter(|(_, count)| count.rows > 0).collect();
    for row in &found.directory {
        let listed = match read_first_character(row) {
            Ok(listed) => listed,
            Err(e) => {
                unreadable(report, table, row, &e);
                continue;
            }
        };
        missing.remove(&listed.partition);
        let own = found.counts.get(&listed.partition).cloned().unwrap_or_default();
        if own != listed.count {
            report.add(
                table,
                &row.key,
                format!("lists {} terms; the partition counts {}", listed.count.rows, own.rows),
            );
        }
    }
    for (partition, count) in missing {
        let key: Key = term::directory_row(partition);
        report.add(table, &key, format!("is missing; the partition has {} terms", count.rows));
    }
}
