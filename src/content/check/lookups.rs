//! `PostKeys`. The rule: each post is found by its id, by its slug and by every slug that it had; and nothing else is found.

use std::collections::HashSet;

use crate::content::error::Result;
use crate::content::rows::lookup::{self as rows, LookupRow};
use crate::keys::Table;
use crate::keys::lookup::{self, Lookup};
use crate::store::{Entity, Key, Store};

use super::{Known, Partitions, Posts, Report, unreadable};

pub(super) async fn check(store: &Store, posts: &Posts, report: &mut Report) -> Result<()> {
    let mut found: HashSet<Key> = HashSet::new();
    let mut partitions = Partitions::of(store, Table::PostKeys);
    while let Some(rows) = partitions.next().await? {
        report.rows += rows.len() as u64;
        for row in rows {
            check_row(&row, posts, report);
            found.insert(row.key);
        }
    }
    for (id, known) in posts {
        let slugs = known.former_slugs.iter().chain([&known.slug]);
        for key in slugs.map(lookup::by_slug).chain([lookup::by_id(id)]).filter(|key| !found.contains(key)) {
            report.add(Table::PostKeys, &key, format!("is missing; it leads to the post {id}"));
        }
    }
    Ok(())
}

fn names(row: &LookupRow, known: &Known) -> bool {
    let LookupRow::Place { place, slug, origin, .. } = row else { return false };
    *place == known.place && *slug == known.slug && *origin == known.origin
}

fn check_row(row: &Entity, posts: &Posts, report: &mut Report) {
    let table = Table::PostKeys;
    let Some(found_by) = lookup::parse(&row.key) else {
        return report.add(table, &row.key, "is no row of this table");
    };
    let read = match rows::read(row) {
        Ok(read) => read,
        Err(e) => return unreadable(report, table, row, &e),
    };
    let id = read.id();
    let Some(known) = posts.get(id) else {
        return report.add(table, &row.key, format!("leads to the post {id}, which is not there"));
    };
    let fits = match (&found_by, &read) {
        (Lookup::Id(by), place @ LookupRow::Place { .. }) => by == id && names(place, known),
        (Lookup::Slug(by), place @ LookupRow::Place { .. }) => *by == known.slug && names(place, known),
        (Lookup::Slug(by), LookupRow::Former { .. }) => known.former_slugs.contains(by),
        (Lookup::Id(_), LookupRow::Former { .. }) => false,
    };
    if !fits {
        report.add(table, &row.key, format!("does not fit the post {id} as it stands"));
    }
}
