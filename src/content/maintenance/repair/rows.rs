//! Writes rows of one partition as they should be. The rule: one transaction, each row under the ETag with which it was read.

use crate::content::error::Result;
use crate::keys::Table;
use crate::store::{Batch, Entity, Operation, Precondition, Properties, Store};

/// A row as it was found, and as it should be; `None`: no such row.
pub(super) struct FoundRow {
    pub row: String,
    pub found: Option<Entity>,
    pub expected: Option<Properties>,
}

/// Returns whether anything had to be written.
pub(super) async fn make(store: &Store, table: Table, partition: &str, rows: Vec<FoundRow>) -> Result<bool> {
    let operations: Vec<Operation> = rows.into_iter().filter_map(operation).collect();
    if operations.is_empty() {
        return Ok(false);
    }
    store.commit(table.name(), &Batch::new(partition, operations)?).await?;
    Ok(true)
}

fn operation(row: FoundRow) -> Option<Operation> {
    let FoundRow { row, found, expected } = row;
    match (found, expected) {
        (Some(found), Some(properties)) if found.properties == properties => None,
        (Some(found), Some(properties)) => {
            Some(Operation::Put { row, properties, precondition: Precondition::Match(found.etag) })
        }
        (None, Some(properties)) => Some(Operation::Put { row, properties, precondition: Precondition::Absent }),
        (Some(found), None) => Some(Operation::Delete { row, precondition: Precondition::Match(found.etag) }),
        (None, None) => None,
    }
}
