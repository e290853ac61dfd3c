//! An entity group transaction as a value. The rule: every `Batch` is within the limits of the tables.

use std::collections::HashSet;
use std::sync::Arc;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use super::entity::{Etag, Properties};
use super::error::StoreError;
use super::key::Key;
use super::limits::{self, BATCH_BYTES_MAX, BATCH_OPERATIONS_MAX};
use super::transaction::{RowWrite, Rows};

/// The condition on the row at the moment of the write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Precondition {
    /// No condition. A put inserts or replaces the row; a delete still requires that the row exists.
    None,
    /// The row must not exist.
    Absent,
    /// The row must exist with this ETag.
    Match(Etag),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

    /// Checks the precondition. `found`: the ETag of the row, if it exists.
    ///
    /// # Errors
    /// [`StoreError::Precondition`]
    pub(super) fn check(&self, found: Option<&Etag>) -> Result<(), StoreError> {
        let (precondition, must_exist) = match self {
            Self::Put { precondition, .. } => (precondition, false),
            Self::Delete { precondition, .. } => (precondition, true),
        };
        let refuse = |why| Err(StoreError::precondition(format!("the row {} {why}", self.row())));
        match (precondition, found) {
            (Precondition::Absent, Some(_)) => refuse("exists"),
            (Precondition::Match(_), None) => refuse("is gone"),
            (Precondition::Match(expected), Some(etag)) if expected != etag => refuse("has changed"),
            (Precondition::None, None) if must_exist => refuse("is gone"),
            _ => Ok(()),
        }
    }
}

/// Operations on the rows of one partition, each row at most once; 1 to 100 operations with a total payload of 4 MiB.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "(CompactString, Vec<Operation>)", into = "(CompactString, Arc<[Operation]>)")]
pub struct Batch {
    partition: CompactString,
    operations: Arc<[Operation]>,
}

impl Batch {
    /// # Errors
    /// [`StoreError::Limit`] if the batch is empty, too large, names a row twice, or a row or key exceeds a limit.
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

    /// Returns the writes of this batch for the plan of a transaction, if the preconditions hold.
    ///
    /// # Errors
    /// [`StoreError::Precondition`], or the errors of the reads.
    pub fn planned(&self, table: &'static str, rows: &dyn Rows) -> Result<Vec<RowWrite>, StoreError> {
        let key = |operation: &Operation| Key::new(self.partition(), operation.row());
        let places =
            self.operations().iter().map(|put| Ok((table, key(put)?))).collect::<Result<Vec<_>, StoreError>>()?;
        let needs =
            |operation: &Operation| !matches!(operation, Operation::Put { precondition: Precondition::None, .. });
        let read = self.operations().iter().zip(&places).filter(|(operation, _)| needs(operation));
        rows.expect(&read.map(|(_, place)| place.clone()).collect::<Vec<_>>());
        let mut writes = Vec::with_capacity(places.len());
        for (operation, (_, key)) in self.operations().iter().zip(places) {
            if needs(operation) {
                operation.check(rows.get(table, &key)?.as_ref().map(|row| &row.etag))?;
            }
            writes.push(match operation {
                Operation::Put { properties, .. } => RowWrite::put(table, key, properties.clone()),
                Operation::Delete { .. } => RowWrite::delete(table, key),
            });
        }
        Ok(writes)
    }
}

impl TryFrom<(CompactString, Vec<Operation>)> for Batch {
    type Error = StoreError;

    fn try_from((partition, operations): (CompactString, Vec<Operation>)) -> Result<Self, StoreError> {
        Self::new(partition, operations)
    }
}

impl From<Batch> for (CompactString, Arc<[Operation]>) {
    fn from(Batch { partition, operations }: Batch) -> Self {
        (partition, operations)
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
