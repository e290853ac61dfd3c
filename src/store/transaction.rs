//! One transaction over all tables and partitions, for the stores that have it: the file store, and tables under a log.
//!
//! The caller passes a plan: a synchronous function that reads rows inside the transaction and returns the writes. The rule: rows that a plan has read cannot
//! change before its writes are committed, so a plan needs no preconditions.

use std::any::Any;
use std::collections::{BTreeMap, HashSet};
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use super::entity::{Entity, Etag, Properties};
use super::error::StoreError;
use super::key::{Key, RowRange};
use super::limits::{self, TransactionLimits};
use super::{Result, Store};

/// Reads rows, then returns the writes. If it returns an error, nothing is written.
///
/// It runs on the thread that writes, and all later transactions wait for it, so it must not wait. If the store cannot be written, it is dropped without being
/// run. On tables, it is run several times, until every row that it reads was fetched: only the last run counts.
pub type GroupPlan = Box<dyn FnMut(&dyn Rows) -> Result<Vec<RowWrite>> + Send>;

/// The rows inside a transaction, before its own writes.
pub trait Rows {
    /// Point read: one row, or `None` if it does not exist.
    fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>>;

    /// Range read: the first rows of a range, at most `limit`, ascending by RowKey in byte order.
    fn range(&self, table: &'static str, range: &RowRange, limit: usize) -> Result<Vec<Entity>>;

    /// Announces the rows that the plan will read: if a read takes a round trip, they are read together.
    fn expect(&self, _rows: &[(&'static str, Key)]) {}
}

/// One row to write, without a condition.
#[derive(Debug, Clone)]
pub struct RowWrite {
    pub table: &'static str,
    pub key: Key,
    /// The whole row, or `None` to delete it. Deleting a missing row is not an error.
    pub properties: Option<Properties>,
}

impl RowWrite {
    pub fn put(table: &'static str, key: Key, properties: Properties) -> Self {
        Self { table, key, properties: Some(properties) }
    }

    pub fn delete(table: &'static str, key: Key) -> Self {
        Self { table, key, properties: None }
    }
}

/// The rows that a transaction has written so far. A written row is read with an ETag that no stored row has; it gets its real one at the commit.
#[derive(Default)]
pub struct WrittenRows(BTreeMap<(&'static str, Key), Option<Properties>>);

impl WrittenRows {
    /// `properties`: `None` deletes the row.
    pub fn write(&mut self, table: &'static str, key: Key, properties: Option<Properties>) {
        self.0.insert((table, key), properties);
    }

    /// `None` if the row was not written, `Some(None)` if it was deleted.
    pub fn get(&self, table: &'static str, key: &Key) -> Option<Option<Entity>> {
        let written = self.0.get(&(table, key.clone()))?;
        Some(written.clone().map(|properties| unsaved(key, properties)))
    }

    /// Sorted by table and key.
    pub fn iter(&self) -> impl Iterator<Item = (&(&'static str, Key), &Option<Properties>)> {
        self.0.iter()
    }

    /// The rows that were written in a range.
    pub fn in_range<'r>(
        &'r self,
        table: &'static str,
        range: &'r RowRange,
    ) -> Result<impl Iterator<Item = (&'r Key, &'r Option<Properties>)>> {
        let first = (table, Key::new(range.partition(), range.from().unwrap_or_default())?);
        let is_in = move |of: &str, key: &Key| {
            of == table && key.partition() == range.partition() && range.to().is_none_or(|to| key.row() < to)
        };
        let rows = self.0.range((Bound::Included(first), Bound::Unbounded));
        Ok(rows.take_while(move |((of, key), _)| is_in(of, key)).map(|((_, key), properties)| (key, properties)))
    }

    /// The rows of a range, ascending. `stored`: the stored ones.
    pub fn over(&self, table: &'static str, range: &RowRange, stored: Vec<Entity>) -> Result<Vec<Entity>> {
        let mut rows: BTreeMap<Key, Entity> = stored.into_iter().map(|row| (row.key.clone(), row)).collect();
        for (key, properties) in self.in_range(table, range)? {
            match properties {
                Some(properties) => drop(rows.insert(key.clone(), unsaved(key, properties.clone()))),
                None => drop(rows.remove(key)),
            }
        }
        Ok(rows.into_values().collect())
    }

    pub fn into_writes(self) -> Vec<RowWrite> {
        self.0.into_iter().map(|((table, key), properties)| RowWrite { table, key, properties }).collect()
    }
}

fn unsaved(key: &Key, properties: Properties) -> Entity {
    Entity { key: key.clone(), etag: Etag(Default::default()), properties }
}

/// Runs a plan that also computes a value, and returns the value after the commit. A plan that decides against the change returns its reason as the value, with
/// nothing to write.
///
/// # Errors
/// The error of the plan, with nothing written, or the errors of [`TableStore::transact`](super::TableStore::transact).
pub async fn transact<T: Send + 'static>(
    store: &Store,
    mut plan: impl FnMut(&dyn Rows) -> Result<(T, Vec<RowWrite>)> + Send + 'static,
) -> Result<T> {
    let last = Arc::new(Mutex::new(None));
    let value = Arc::clone(&last);
    let plan = move |rows: &dyn Rows| {
        let (value, writes) = plan(rows)?;
        *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        Ok(writes)
    };
    store.transact(Box::new(plan)).await?;
    let value = value.lock().unwrap_or_else(PoisonError::into_inner).take();
    value.ok_or_else(|| StoreError::Internal("the store committed a plan that it did not run".to_owned()))
}

/// Runs the plan, and checks its writes against the limits. For stores that implement transactions.
///
/// # Errors
/// The error of the plan, [`StoreError::Limit`], and [`StoreError::Internal`] if the plan panicked.
pub fn run_plan(plan: &mut GroupPlan, rows: &dyn Rows, limits: TransactionLimits) -> Result<Vec<RowWrite>> {
    // A plan only reads, so a panic leaves no partial state.
    let writes = catch_unwind(AssertUnwindSafe(|| plan(rows))).unwrap_or_else(|panic| Err(panicked(panic.as_ref())))?;
    check_writes(&writes, limits)?;
    Ok(writes)
}

fn panicked(panic: &(dyn Any + Send)) -> StoreError {
    let message = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!(panicked = message.unwrap_or("without a message"), "store.plan_panicked");
    StoreError::Internal("the plan of a transaction panicked; nothing of it was written".to_owned())
}

pub(super) fn check_writes(
    writes: &[RowWrite],
    TransactionLimits { rows_max, bytes_max }: TransactionLimits,
) -> Result<()> {
    if writes.len() > rows_max {
        let rows = writes.len();
        return Err(StoreError::limit(format!("a transaction writes {rows} rows; the limit is {rows_max}")));
    }
    if let Some(RowWrite { table, key, .. }) = repeated(writes) {
        return Err(StoreError::limit(format!("a transaction writes the row {table}{key} twice")));
    }
    let mut bytes = 0;
    for RowWrite { key, properties, .. } in writes {
        bytes += match properties {
            Some(properties) => limits::check_entity(key, properties)?,
            None => limits::key_payload_bytes(key),
        };
    }
    if bytes > bytes_max {
        return Err(StoreError::limit(format!("a transaction writes {bytes} bytes; the limit is {bytes_max}")));
    }
    Ok(())
}

/// A row that is written twice.
fn repeated(writes: &[RowWrite]) -> Option<&RowWrite> {
    let mut tables = HashSet::new();
    // Writes that ascend within each table, as in a large change, are compared only with their neighbors.
    let ascend = writes
        .chunk_by(|one, next| one.table == next.table && one.key < next.key)
        .all(|run| tables.insert(run[0].table));
    if ascend {
        return None;
    }
    let mut rows = HashSet::with_capacity(writes.len());
    writes.iter().find(|write| !rows.insert((write.table, &write.key)))
}
