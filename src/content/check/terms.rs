//! `Categories`, `Tags` and `Authors`. The rule: each term stands twice, each partition is counted and listed, and no post bears a term that is
//! not there.

use std::collections::{HashMap, HashSet};

use crate::content::error::Result;
use crate::content::rows::count::{self, Count};
use crate::content::rows::directory::read_first_character;
use crate::content::rows::term::{self as rows, TermRow};
use crate::content::write::directory::Partition;
use crate::keys::term::{self, DIRECTORY_PARTITION};
use crate::keys::time::Direction;
use crate::keys::{COUNT_ROW, Shelf, Table};
use crate::model::{Slug, Term, TermKind};
use crate::store::{Entity, Key, Store, StoreError};

use super::posts::check_count;
use super::{Mend, Partitions, Posts, Report};

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
        let public = posts.by_id.values().filter(|known| known.place.shelf == Shelf::Posts);
        let borne = public.flat_map(|known| known.terms.iter().filter(|(k, _)| *k == kind));
        for (_, slug) in borne.filter(|(_, slug)| !first_slugs.contains(slug)).collect::<HashSet<_>>() {
            let mend = Mend::NewTerm { kind, slug: slug.clone() };
            report.add(Table::Terms(kind), &term::term(slug), "is missing; posts bear it", mend);
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
            let mend = Mend::Count { table, partition: row.key.partition().to_owned() };
            counted = count::read(row).map_err(|e| report.add_unreadable(table, row, &e, mend)).ok();
            continue;
        }
        let Some((slug, direction)) = term::parse_row(row.key.row()) else {
            report.add(table, &row.key, "is no row of this table", Mend::STRANGER);
            continue;
        };
        let read = rows::read(kind, row);
        if let (Ok(TermRow::ForwardTo { slug: to, .. }), Direction::Forward) = (&read, direction) {
            // A slug that leads to another term has no mirror, and is not counted.
            found.forwards.insert(slug, to.clone());
            continue;
        }
        check_twin(kind, row, &read, &slug, direction, &by_row, report);
        if direction == Direction::Forward {
            listed += 1;
            if let Ok(TermRow::Term(term)) = read {
                found.terms.insert(slug, term);
            }
        }
    }
    check_count(table, &rows[0], listed, None, counted.as_ref(), report);
    found.counts.extend(counted.map(|count| (rows[0].key.partition().to_owned(), count)));
}

fn check_twin(
    kind: TermKind,
    row: &Entity,
    read: &Result<TermRow, StoreError>,
    slug: &Slug,
    direction: Direction,
    by_row: &HashMap<&str, &Entity>,
    report: &mut Report,
) {
    let table = Table::Terms(kind);
    if term::partition(slug) != row.key.partition() {
        let mend = Mend::MisplacedTerm { kind, at: row.key.clone() };
        return report.add(table, &row.key, "stands in the partition of another character", mend);
    }
    if let (Ok(TermRow::PendingFrom { old, .. }), Direction::Forward) = (read, direction) {
        let mend = Mend::Rename { kind, from: old.clone(), to: slug.clone() };
        report.add(table, &row.key, "a rename was left unfinished", mend);
    }
    let mend = Mend::Term { kind, slug: slug.clone() };
    let twin = match direction {
        Direction::Forward => term::row(slug, Direction::Backward),
        Direction::Backward => term::row(slug, Direction::Forward),
    };
    match (read, by_row.get(twin.as_str())) {
        (Err(e), _) => report.add_unreadable(table, row, e, mend),
        (Ok(_), None) => report.add(table, &row.key, format!("has no twin {twin}"), mend),
        (Ok(_), Some(other)) if other.properties != row.properties => {
            report.add(table, &row.key, format!("differs from its twin {twin}"), mend);
        }
        (Ok(_), Some(_)) => {}
    }
}

/// Each slug that a term had leads to it, and nothing leads anywhere else.
fn check_forwards(kind: TermKind, found: &Found, report: &mut Report) {
    let table = Table::Terms(kind);
    let mut owners: HashMap<&Slug, &Slug> = HashMap::new();
    for (slug, term) in &found.terms {
        owners.extend(term.former_slugs.iter().map(|former| (former, slug)));
    }
    let forward = |from: &Slug| Mend::Forward { kind, from: from.clone(), to: owners.get(from).copied().cloned() };
    for (from, to) in &found.forwards {
        let what = match found.terms.get(to) {
            Some(term) if term.former_slugs.contains(from) => continue,
            Some(_) => format!("leads to {to}, which never had this slug"),
            None => format!("leads to {to}, which is not there"),
        };
        report.add(table, &term::term(from), what, forward(from));
    }
    for (slug, term) in &found.terms {
        for former in term.former_slugs.iter().filter(|former| found.forwards.get(*former) != Some(slug)) {
            let mend = if found.terms.contains_key(former) { Mend::TAKEN_TERM } else { forward(former) };
            report.add(table, &term::term(former), format!("is missing; it leads to {slug}"), mend);
        }
    }
}

fn check_directory(kind: TermKind, found: &Found, report: &mut Report) {
    let table = Table::Terms(kind);
    let mut missing: HashMap<&str, &Count> =
        found.counts.iter().filter(|(_, count)| count.rows > 0).map(|(name, count)| (name.as_str(), count)).collect();
    for row in &found.directory {
        let of_row = row.key.row();
        let mend = Mend::Listing(Partition::Terms(kind, of_row.to_owned()));
        let listed = match read_first_character(row) {
            Ok(listed) => listed,
            Err(e) => {
                missing.remove(of_row);
                report.add_unreadable(table, row, &e, mend);
                continue;
            }
        };
        if listed.partition != of_row {
            let stray = Mend::StrayListing { table, key: row.key.clone() };
            report.add(table, &row.key, format!("lists {}, whose row is another", listed.partition), stray);
            continue;
        }
        missing.remove(of_row);
        let own = found.counts.get(of_row).cloned().unwrap_or_default();
        if own != listed.count {
            let what = format!("lists {} terms; the partition counts {}", listed.count.rows, own.rows);
            report.add(table, &row.key, what, mend);
        }
    }
    for (partition, count) in missing {
        let key: Key = term::directory_row(partition);
        let mend = Mend::Listing(Partition::Terms(kind, partition.to_owned()));
        report.add(table, &key, format!("is missing; the partition has {} terms", count.rows), mend);
    }
}
