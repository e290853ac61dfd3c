//! Fixes counts. The rule: a partition's rows are counted after its count row is read, and the count is written if that row is unchanged; every change
//! of the rows also changes the count row, so a count that is out of date is not written.

use crate::content::error::Result;
use crate::content::maintenance::check::Fix;
use crate::content::tables::rows::count::{self, Count};
use crate::content::tables::rows::term as term_rows;
use crate::content::write::{Partition, retry_on_conflict};
use crate::keys::time::{self, Direction, Span};
use crate::keys::{COUNT_ROW, Collection, Table, place, term};
use crate::model::{PostKey, TermKind};
use crate::store::{Entity, PAGE_ROWS_MAX};

use super::Done;
use super::context::{FoundRow, Repair};

impl Repair<'_> {
    /// Counts the partitions that earlier fixes have changed, and lists them with their counts.
    pub(super) async fn recount_touched(&mut self, on_fix: &mut impl FnMut(String)) -> Result<usize> {
        let mut fixed = 0;
        for (table, partition) in std::mem::take(&mut self.touched) {
            let listing = listing_of(table, &partition).map(|listing| (listing.listing(), Fix::Listing(listing)));
            let count = Fix::Count { table, partition: partition.clone() };
            let counted = [((table, place::count(partition)), count)];
            for ((table, key), fix) in counted.into_iter().chain(listing) {
                if let Done::Fixed(done) = self.fix(&fix).await? {
                    fixed += 1;
                    on_fix(format!("{}{key}: follows from the rows that were fixed; {done}", table.name()));
                }
            }
        }
        Ok(fixed)
    }

    pub(super) async fn recount(&self, table: Table, partition: &str) -> Result<Done> {
        retry_on_conflict("a count", || self.recount_once(table, partition)).await
    }

    async fn recount_once(&self, table: Table, partition: &str) -> Result<Done> {
        let found = self.get(table, &place::count(partition)).await?;
        let (rows, newest) = self.count_rows(table, partition).await?;
        let old = found.as_ref().and_then(|row| count::read(row).ok());
        let is_right = match (&found, &old) {
            (None, _) => rows == 0,
            (Some(_), Some(old)) => {
                let is_newest = newest.as_ref().is_none_or(|n| old.newest.as_ref().is_some_and(|o| o <= n));
                old.rows == rows && is_newest
            }
            (Some(_), None) => false,
        };
        if is_right {
            return Ok(Done::Nothing);
        }
        let sequence = match old {
            Some(old) => old.sequence,
            None => self.listed_sequence(table, partition).await?,
        };
        let counted = Count { rows, sequence: sequence + 1, newest };
        let row = FoundRow { row: COUNT_ROW.to_owned(), found, expected: Some(count::row(&counted)) };
        self.make(table, partition, vec![row]).await?;
        Ok(Done::fixed(format!("counted again: {rows}")))
    }

    /// The sequence of the count's copy in the partition catalog. Of two copies the one with the higher sequence is newer, so a new count row
    /// continues it.
    async fn listed_sequence(&self, table: Table, partition: &str) -> Result<i64> {
        let Some(listing) = listing_of(table, partition) else { return Ok(0) };
        let (table, key) = listing.listing();
        let row = self.get(table, &key).await?;
        Ok(row.and_then(|row| count::read(&row).ok()).map_or(0, |count| count.sequence))
    }

    async fn count_rows(&self, table: Table, partition: &str) -> Result<(i64, Option<PostKey>)> {
        let rows = match table {
            Table::Terms(_) => term::rows(partition, None, None, Direction::Forward),
            _ => Span::default().rows(partition, Direction::Forward),
        };
        let (mut listed, mut newest, mut continuation) = (0, None, None);
        loop {
            let page = self.store.range(table.name(), &rows, PAGE_ROWS_MAX, continuation.as_ref()).await?;
            for row in &page.rows {
                listed += i64::from(is_counted(table, row));
                newest = newest.or_else(|| time::parse_time_row(row.key.row()));
            }
            continuation = page.continuation;
            if continuation.is_none() {
                return Ok((listed, newest));
            }
        }
    }
}

/// Whether `check` counts the row.
fn is_counted(table: Table, row: &Entity) -> bool {
    match table {
        Table::Terms(kind) => is_counted_term(kind, row),
        _ => time::parse_time_row(row.key.row()).is_some(),
    }
}

fn is_counted_term(kind: TermKind, row: &Entity) -> bool {
    let Some((slug, Direction::Forward)) = term::parse_row(row.key.row()) else { return false };
    term_rows::read(kind, row).map_or(true, |row| row.is_listed_at(&slug))
}

/// The row of the partition catalog that lists the partition, if there is one.
fn listing_of(table: Table, partition: &str) -> Option<Partition> {
    match table {
        Table::Posts => partition.parse().ok().map(|month| Partition::Month(Collection::Posts, month)),
        Table::Drafts => partition.parse().ok().map(|month| Partition::Month(Collection::Drafts, month)),
        Table::Terms(kind) => Some(Partition::Terms(kind, partition.to_owned())),
        _ => None,
    }
}
