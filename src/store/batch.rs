//! An entity group transaction as a value. The rule: every `Batch` keeps the limits of the tables.

use std::collections::HashSet;
use std::sync::Arc;

use compact_str::CompactString;

use super::entity::{Etag, Properties};
use super::error::StoreError;
use super::key::Key;
use super::limits::{self, BATCH_BYTES_MAX, BATCH_OPERATIONS_MAX};

/// What must hold of the row at the moment of the write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Precondition {
    /// No condition. A put inserts or replaces the row; a delete still requires that the row exists.
    None,
    /// The row must not exist.
    Absent,
    /// The row must exist as it was read.
    Match(Etag),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Writes the whole row.
    Put { row: String, properties: Properties, precondition: Precondition },
    /// Deletes the row, which must exist ([`Precondition::Absent`] is refused).
    Delete { row: String, precondition: Precondition },
}

impl Operation {
    pub fn row(&self) -> &str {
        match self {
            Self::Put { row, .. } | Self::Delete { row, .. } => row,
        }
    }
}

/// Operations on the rows of one partition, each row at most once; 1 to 100 of them, 4 MiB of payload in all.
#[derive(Debug, Clone)]
pub struct Batch {
    partition: CompactString,
    operations: Arc<[Operation]>,
}

impl Batch {
    /// # Errors
    /// [`StoreError::Limit`] if the batch is empty, too large, names a row twice, or a row or key is over a limit.
    pub fn new(partition: impl Into<CompactString>, operations: Vec<Operation>) -> Result<Self, StoreError> {
        let partition = partition.into();
        if operations.is_empty() || operations.len() > BATCH_OPERATIONS_MAX {
            return Err(StoreError::limit(format!(
                "a transaction has {} operations; 1 to {BATCH_OPERATIONS_MAX} are allowed",
                operations.len()
            )));
        }
        let mut rows = HashSet::with_capacity(operations.len());
        let mut bytes = 0;
        for operation in &operations {
            let key = Key::new(partition.clone(), operation.row())?;
            if !rows.insert(operation.row()) {
                return Err(StoreError::limit(format!("a transaction names the row {key} twice")));
            }
            bytes += check_operation(&key, operation)?;
        }
        if bytes > BATCH_BYTES_MAX {
            return Err(StoreError::limit(format!("a transaction has {bytes} bytes; the limit is {BATCH_BYTES_MAX}")));
        }
        Ok(Self { partition, operations: operations.into() })
    }

    pub fn partition(&self) -> &str {
        &self.partition
    }

    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }
}

/// Returns the bytes that an operation adds to the transaction's payload.
fn check_operation(key: &Key, operation: &Operation) -> Result<usize, StoreError> {
    match operation {
        Operation::Put { properties, .. } => limits::check_entity(key, properties),
        Operation::Delete { precondition: Precondition::Absent, .. } => {
            Err(StoreError::limit(format!("a delete of {key} cannot require that the row is absent")))
        }
        Operation::Delete { .. } => Ok(limits::key_payload_bytes(key)),
    }
}
