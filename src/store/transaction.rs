//! One transaction over all tables and partitions, for the stores that have it (the file store; Azure does not).
//!
//! The caller passes a plan: a synchronous function that reads rows inside the transaction and returns what to write. The one rule:
//! nothing that a plan has read can change before its writes are committed, so a plan needs no preconditions and no retry.

use std::any::Any;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::sync::oneshot;

use super::entity::{Entity, Properties};
use super::error::StoreError;
use super::key::{Key, RowRange};
use super::limits::{self, TRANSACTION_BYTES_MAX, TRANSACTION_ROWS_MAX};
use super::{Result, Store};

/// Reads rows, then returns what to write. If it returns an error, nothing is written.
///
/// It runs on the thread that writes, and all later transactions wait for it, so it only computes and never waits. It may be dropped without being
/// run, if the store cannot be written.
pub type GroupPlan = Box<dyn FnOnce(&dyn Rows) -> Result<Vec<RowWrite>> + Send>;

/// The rows as they are inside a transaction, before its own writes.
pub trait Rows {
    /// Point read: one row, or `None` if it does not exist.
    fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>>;

    /// Range read: the first rows of a range, at most `limit`, ascending by RowKey in byte order.
    fn range(&self, table: &'static str, range: &RowRange, limit: usize) -> Result<Vec<Entity>>;
}

/// One row to write, whatever is stored under its key.
#[derive(Debug, Clone)]
pub struct RowWrite {
    pub table: &'static str,
    pub key: Key,
    /// The whole row, or `None` to delete it. To delete a row that does not exist is not an error.
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

/// Runs a plan that also computes a value, and returns the value after the commit. A plan that decides against the change returns its
/// reason as the value, with nothing to write.
///
/// # Errors
/// That of the plan, with nothing written, and those of [`TableStore::transact`](super::TableStore::transact).
pub async fn transact<T: Send + 'static>(
    store: &Store,
    plan: impl FnOnce(&dyn Rows) -> Result<(T, Vec<RowWrite>)> + Send + 'static,
) -> Result<T> {
    let (sender, mut receiver) = oneshot::channel();
    let plan = move |rows: &dyn Rows| {
        let (value, writes) = plan(rows)?;
        // The caller may no longer wait; the plan is carried out nevertheless.
        let _ = sender.send(value);
        Ok(writes)
    };
    store.transact(Box::new(plan)).await?;
    receiver.try_recv().map_err(|_| StoreError::Internal("the store committed a plan that it did not run".to_owned()))
}

/// For a store that implements transactions: runs the plan, and checks what it wants to write against the limits.
///
/// # Errors
/// That of the plan, [`StoreError::Limit`], and [`StoreError::Internal`] if the plan panicked.
pub fn run_plan(plan: GroupPlan, rows: &dyn Rows) -> Result<Vec<RowWrite>> {
    // A plan only reads, so there is nothing half done that could be seen after a panic.
    let writes = catch_unwind(AssertUnwindSafe(|| plan(rows))).unwrap_or_else(|panic| Err(panicked(panic.as_ref())))?;
    check_writes(&writes)?;
    Ok(writes)
}

fn panicked(panic: &(dyn Any + Send)) -> StoreError {
    let message = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!(panicked = message.unwrap_or("without a message"), "store.plan_panicked");
    StoreError::Internal("the plan of a transaction panicked; nothing of it was written".to_owned())
}

fn check_writes(writes: &[RowWrite]) -> Result<()> {
    if writes.len() > TRANSACTION_ROWS_MAX {
        let rows = writes.len();
        return Err(StoreError::limit(format!(
            "a transaction writes {rows} rows; the limit is {TRANSACTION_ROWS_MAX}"
        )));
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
    if bytes > TRANSACTION_BYTES_MAX {
        return Err(StoreError::limit(format!(
            "a transaction writes {bytes} bytes; the limit is {TRANSACTION_BYTES_MAX}"
        )));
    }
    Ok(())
}

/// A write of a row that an earlier one writes too.
fn repeated(writes: &[RowWrite]) -> Option<&RowWrite> {
    let mut tables = HashSet::new();
    // Writes that ascend within each table, as those of a large change do, are compared with their neighbors only.
    let ascend = writes
        .chunk_by(|one, next| one.table == next.table && one.key < next.key)
        .all(|run| tables.insert(run[0].table));
    if ascend {
        return None;
    }
    let mut rows = HashSet::with_capacity(writes.len());
    writes.iter().find(|write| !rows.insert((write.table, &write.key)))
}
