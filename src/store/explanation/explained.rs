//! The result of an explanation. The rule: these values do not change any more.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::store::{Batch, Key, RowRange};

/// The kind of access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessKind {
    /// One row by its PartitionKey and RowKey.
    Point,
    /// Rows of one partition.
    Range,
    Transaction,
}

/// The rows of a storage request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessedRows {
    pub kind: AccessKind,
    pub table: &'static str,
    pub partition: String,
    /// The row of a point read, or of a transaction with one row.
    pub row: Option<String>,
    /// The inclusive bound of a range read, if it has one.
    pub from: Option<String>,
    /// The exclusive bound of a range read, if it has one.
    pub to: Option<String>,
}

/// A storage request of an explanation.
#[derive(Debug, Clone)]
pub struct ExplainedRequest {
    pub accessed: AccessedRows,
    /// The number of returned or written rows.
    pub rows: u64,
    /// The size of the returned rows in bytes.
    pub bytes: u64,
    /// Request units of Cosmos DB; 0 on other stores.
    pub units: f64,
    /// The time since the start of the execution; 0 for the sign-in.
    pub start: Duration,
    /// `None` if it was not answered.
    pub duration: Option<Duration>,
    /// Requests with this number depend on no request with the same number or a higher one.
    pub round_trip: u32,
    /// The loader for which the request was made, and the number of its batch.
    pub batch: Option<(&'static str, u32)>,
}

/// All records of an explanation.
#[derive(Debug, Default)]
pub struct Explained {
    /// Sorted by start.
    pub requests: Vec<ExplainedRequest>,
    /// The number of further requests.
    pub not_listed: u64,
    /// The number of used cached values by table.
    pub hits: BTreeMap<&'static str, u64>,
    /// The time since the start of the execution.
    pub elapsed: Duration,
}

/// Replaces the partition or table of a request over several.
const ALL: &str = "*";

impl AccessedRows {
    fn of(kind: AccessKind, table: &'static str, partition: &str) -> Self {
        Self { kind, table, partition: partition.to_owned(), row: None, from: None, to: None }
    }

    pub(in crate::store) fn point(table: &'static str, key: &Key) -> Self {
        Self { row: Some(key.row().to_owned()), ..Self::of(AccessKind::Point, table, key.partition()) }
    }

    pub(in crate::store) fn range(table: &'static str, range: &RowRange) -> Self {
        let (from, to) = (range.from().map(str::to_owned), range.to().map(str::to_owned));
        Self { from, to, ..Self::of(AccessKind::Range, table, range.partition()) }
    }

    pub(in crate::store) fn scan(table: &'static str) -> Self {
        Self::of(AccessKind::Range, table, ALL)
    }

    pub(in crate::store) fn batch(table: &'static str, batch: &Batch) -> Self {
        let row = match batch.operations() {
            [operation] => Some(operation.row().to_owned()),
            _ => None,
        };
        Self { row, ..Self::of(AccessKind::Transaction, table, batch.partition()) }
    }

    /// A transaction over several tables.
    pub(in crate::store) fn transaction() -> Self {
        Self::of(AccessKind::Transaction, ALL, ALL)
    }
}
