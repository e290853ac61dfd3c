//! Deletes rows that are too old. The rule: several servers may delete the same rows concurrently.

use crate::content::error::Result;
use crate::keys::Table;
use crate::store::limits::BATCH_OPERATIONS_MAX;
use crate::store::{Batch, Entity, Operation, Precondition, Store, StoreError};

/// Deletes rows of one partition in order.
pub(super) async fn delete_rows(
    store: &Store,
    table: Table,
    rows: &[Entity],
    precondition: impl Fn(&Entity) -> Precondition,
) -> Result<()> {
    for part in rows.chunks(BATCH_OPERATIONS_MAX) {
        let delete =
            |row: &Entity| Operation::Delete { row: row.key.row().to_owned(), precondition: precondition(row) };
        let batch = Batch::new(part[0].key.partition(), part.iter().map(delete).collect())?;
        match store.commit(table.name(), &batch).await {
            // Another server has deleted or changed them first; the next deletion handles the rest.
            Ok(_) | Err(StoreError::Precondition(_)) => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(())
}
