//! Reads a table one partition after another. The rule: no more than one partition and one page of rows are in memory at once.

use crate::keys::Table;
use crate::store::{Continuation, Entity, Store};

use crate::content::error::Result;

/// Reads a table partition by partition, in the order of their keys.
pub(super) struct Partitions<'a> {
    store: &'a Store,
    table: Table,
    continuation: Option<Continuation>,
    is_done: bool,
    read: Vec<Entity>,
}

impl<'a> Partitions<'a> {
    pub(super) fn of(store: &'a Store, table: Table) -> Self {
        Self { store, table, continuation: None, is_done: false, read: Vec::new() }
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
            if self.is_done {
                return Ok(if self.read.is_empty() { None } else { Some(std::mem::take(&mut self.read)) });
            }
            let page = self.store.scan(self.table.name(), self.continuation.as_ref()).await?;
            self.read.extend(page.rows);
            self.is_done = page.continuation.is_none();
            self.continuation = page.continuation;
        }
    }
}
