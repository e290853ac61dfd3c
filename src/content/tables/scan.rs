//! Reads many rows: of a range, of several tables, or of a whole table. The rule: queries never scan a table.

use futures_util::future::join_all;

use crate::keys::Table;
use crate::store::{Continuation, Entity, Key, PAGE_ROWS_MAX, RowRange, Store, StoreError};

/// All rows of a range.
pub(in crate::content) async fn read_all(
    store: &Store,
    table: Table,
    rows: &RowRange,
) -> Result<Vec<Entity>, StoreError> {
    read_first(store, table, rows, usize::MAX).await
}

/// The first `need` rows of a range, read page by page.
pub(in crate::content) async fn read_first(
    store: &Store,
    table: Table,
    rows: &RowRange,
    need: usize,
) -> Result<Vec<Entity>, StoreError> {
    let (mut found, mut continuation) = (Vec::new(), None);
    while found.len() < need {
        let limit = (need - found.len()).min(PAGE_ROWS_MAX);
        let page = store.range(table.name(), rows, limit, continuation.as_ref()).await?;
        found.extend(page.rows);
        continuation = page.continuation;
        if continuation.is_none() {
            break;
        }
    }
    Ok(found)
}

/// Point reads in several tables, sent together; the results are in the same order. `are_near`: whether rows of one partition may be read by one range read.
pub(in crate::content) async fn get_each(
    store: &Store,
    rows: &[(Table, Key)],
    are_near: bool,
) -> Vec<Result<Option<Entity>, StoreError>> {
    let tables = Table::ALL.into_iter().filter(|table| rows.iter().any(|(of, _)| of == table));
    let reads = tables.map(|table| async move {
        let positions: Vec<usize> = (0..rows.len()).filter(|at| rows[*at].0 == table).collect();
        let keys: Vec<Key> = positions.iter().map(|at| rows[*at].1.clone()).collect();
        let answers = match are_near {
            true => store.get_near(table.name(), &keys).await,
            false => store.get_many(table.name(), &keys).await,
        };
        positions.into_iter().zip(answers)
    });
    let mut found: Vec<_> =
        rows.iter().map(|_| Err(StoreError::corrupt("the store has not answered a read"))).collect();
    for (at, answer) in join_all(reads).await.into_iter().flatten() {
        found[at] = answer;
    }
    found
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
