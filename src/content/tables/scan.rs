//! Reads of many rows: of a range, and of a table. The rule: a table is never scanned for a query.

use crate::keys::Table;
use crate::store::{Continuation, Entity, PAGE_ROWS_MAX, RowRange, Store, StoreError};

/// All rows of a range.
pub(in crate::content) async fn read_all(
    store: &Store,
    table: Table,
    rows: &RowRange,
) -> Result<Vec<Entity>, StoreError> {
    let mut found = Vec::new();
    let mut continuation = None;
    loop {
        let page = store.range(table.name(), rows, PAGE_ROWS_MAX, continuation.as_ref()).await?;
        found.extend(page.rows);
        continuation = page.continuation;
        if continuation.is_none() {
            return Ok(found);
        }
    }
}

/// All rows of a small table.
pub(in crate::content) async fn scan_all(store: &Store, table: Table) -> Result<Vec<Entity>, StoreError> {
    let (mut found, mut pages) = (Vec::new(), Scan::of(store, table));
    while let Some(rows) = pages.next().await? {
        found.extend(rows);
    }
    Ok(found)
}

/// Reads a table page by page.
pub(in crate::content) struct Scan<'a> {
    store: &'a Store,
    table: Table,
    continuation: Option<Continuation>,
    is_done: bool,
}

impl<'a> Scan<'a> {
    pub(in crate::content) fn of(store: &'a Store, table: Table) -> Self {
        Self { store, table, continuation: None, is_done: false }
    }

    /// The rows of the next page; `None` after the last.
    pub(in crate::content) async fn next(&mut self) -> Result<Option<Vec<Entity>>, StoreError> {
        if self.is_done {
            return Ok(None);
        }
        let page = self.store.scan(self.table.name(), self.continuation.as_ref()).await?;
        self.is_done = page.continuation.is_none();
        self.continuation = page.continuation;
        Ok(Some(page.rows))
    }
}
