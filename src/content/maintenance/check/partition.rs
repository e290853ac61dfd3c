//! Reads a table one partition after another. The rule: only one partition and one page of rows are in memory at once.

use std::collections::BTreeMap;

use crate::content::error::Result;
use crate::content::tables::Scan;
use crate::keys::{COUNT_ROW, Table, time};
use crate::model::PostKey;
use crate::store::{Entity, Store};

/// Reads a table partition by partition, in the order of their keys.
pub(super) struct Partitions<'a> {
    pages: Scan<'a>,
    read: Vec<Entity>,
}

impl<'a> Partitions<'a> {
    pub(super) fn of(store: &'a Store, table: Table) -> Self {
        Self { pages: Scan::of(store, table), read: Vec::new() }
    }

    /// The rows of the next partition, in order; `None` after the last.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<Entity>>> {
        loop {
            let first = self.read.first().map(|row| row.key.partition().to_owned());
            let end = first.and_then(|first| self.read.iter().position(|row| row.key.partition() != first));
            if let Some(end) = end {
                let rest = self.read.split_off(end);
                return Ok(Some(std::mem::replace(&mut self.read, rest)));
            }
            match self.pages.next().await? {
                Some(rows) => self.read.extend(rows),
                None => return Ok(Some(std::mem::take(&mut self.read)).filter(|rows| !rows.is_empty())),
            }
        }
    }
}

/// The rows of a partition of posts or pointers.
pub(super) struct TimeRows<'a> {
    /// For each key, the row and its mirror.
    pub pairs: BTreeMap<PostKey, [Option<&'a Entity>; 2]>,
    pub others: Vec<&'a Entity>,
}

impl<'a> TimeRows<'a> {
    pub(super) fn of(rows: &'a [Entity]) -> Self {
        let mut found = Self { pairs: BTreeMap::new(), others: Vec::new() };
        for row in rows {
            let name = row.key.row();
            if let Some(key) = time::parse_time_row(name) {
                found.pairs.entry(key).or_default()[0] = Some(row);
            } else if let Some(key) = time::parse_mirror_row(name) {
                found.pairs.entry(key).or_default()[1] = Some(row);
            } else if name != COUNT_ROW {
                found.others.push(row);
            }
        }
        found
    }
}
