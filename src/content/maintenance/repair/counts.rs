//! Fixes counts, and the rows that list partitions with copies of them. The rule: a count is written only if the count row did not change since before the rows
//! were counted; every change of the rows changes it, so no outdated count is written.

use crate::content::error::Result;
use crate::content::maintenance::check::{counted, is_listing};
use crate::content::tables::read_all;
use crate::content::tables::rows::count::{self, Count};
use crate::content::tables::rows::partition_catalog;
use crate::content::write::{Overlay, Partition, retry_on_conflict};
use crate::keys::time::{Direction, Span};
use crate::keys::{Collection, Table, place, term};
use crate::model::{IndexKind, PostKey};
use crate::store::{Entity, StoreError};

use super::{Done, Planned, Repair};

impl Repair<'_> {
    pub(super) async fn recount(&self, table: Table, partition: &str) -> Result<Done> {
        retry_on_conflict("a count", || async {
            let key = place::count(partition);
            let found = self.store.get(table.name(), &key).await?;
            let rows = match table {
                Table::Terms(_) => term::rows(partition, None, None, Direction::Forward),
                _ => Span::default().rows(partition, Direction::Forward),
            };
            let counted = counted(table, &read_all(self.store, table, &rows).await?);
            let partition = partition.to_owned();
            let write = move |rows: &mut Overlay<'_>| {
                let now = rows.get(table, &key)?;
                if now.map(|row| row.etag) != found.as_ref().map(|row| row.etag.clone()) {
                    return Err(StoreError::Precondition(format!("the count {}{key} has changed", table.name())));
                }
                write_count(rows, (table, &partition), found.as_ref(), &counted)
            };
            self.commit(write).await
        })
        .await
    }
}

/// Writes the count of a partition, and the row that lists it, unless they are right.
fn write_count(
    rows: &mut Overlay<'_>,
    (table, partition): (Table, &str),
    found: Option<&Entity>,
    (counted, newest): &(i64, Option<PostKey>),
) -> Planned {
    let listing = partition_of(table, partition).map(|partition| partition.listing());
    let listed = match &listing {
        Some((table, key)) => rows.get(*table, key)?,
        None => None,
    };
    let is_newest = |old: &Count| newest.as_ref().is_none_or(|n| old.newest.as_ref().is_some_and(|o| o <= n));
    let own = match found.map(count::read).transpose() {
        Ok(None) if *counted == 0 => Count::default(),
        Ok(Some(old)) if old.rows == *counted && is_newest(&old) => old,
        old => {
            // The copy with the higher sequence is newer, so a new count row continues the sequence of the listing.
            let copy = || listed.as_ref().and_then(|row| count::read(row).ok());
            let sequence = old.ok().flatten().or_else(copy).map_or(0, |count| count.sequence);
            let count = Count { rows: *counted, sequence: sequence + 1, newest: newest.clone() };
            rows.put(table, place::count(partition), count::row(&count));
            count
        }
    };
    if let Some((table, key)) = listing {
        let is_right = match &listed {
            None => own.rows == 0,
            Some(row) => is_listing(row, partition, &own),
        };
        if !is_right {
            rows.put(table, key, partition_catalog::row(partition, &own));
        }
    }
    Ok(Done::fixed(format!("counted again: {counted}")))
}

/// The partition with this key; `None` if no row lists the partitions of this table.
fn partition_of(table: Table, partition: &str) -> Option<Partition> {
    match table {
        Table::Posts => partition.parse().ok().map(|month| Partition::Month(Collection::Posts, month)),
        Table::Drafts => partition.parse().ok().map(|month| Partition::Month(Collection::Drafts, month)),
        Table::Terms(kind) => Some(Partition::Terms(kind, partition.to_owned())),
        Table::PostsBy(IndexKind::Language) => partition.parse().ok().map(Partition::Language),
        _ => None,
    }
}
