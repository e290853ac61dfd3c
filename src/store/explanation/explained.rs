//! What an explanation returns. The rule: these are values, which do not change any more.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::store::StorageUse;

/// Where a field is in the document: its line and column.
pub type FieldPlace = (usize, usize);

/// How a request reads or writes.
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
    /// Set for a point read, and for a transaction with one row.
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
    /// Rows that were returned, or written.
    pub rows: u64,
    /// Bytes of the rows that were returned.
    pub bytes: u64,
    /// Since the execution began; 0 for the sign-in.
    pub start: Duration,
    /// `None` if it was not answered.
    pub duration: Option<Duration>,
    /// Requests with this number depend on no request with the same number or a higher one.
    pub round_trip: u32,
    /// The batch of a loader that it belongs to.
    pub batch: Option<u32>,
    /// The fields that it was made for, in alphabetical order; empty if none has asked for it.
    pub paths: Vec<Arc<str>>,
    /// How many fields there are beside these.
    pub paths_not_listed: u64,
}

/// Cached values of one table, for which nothing was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedHits {
    pub table: &'static str,
    pub count: u64,
    pub paths: Vec<Arc<str>>,
    pub paths_not_listed: u64,
}

/// Everything that an explanation has noted.
#[derive(Debug, Default)]
pub struct Explained {
    /// In the order in which they began.
    pub requests: Vec<ExplainedRequest>,
    /// How many requests there were beside these.
    pub not_listed: u64,
    pub hits: Vec<ExplainedHits>,
    /// How many hits there were beside these.
    pub hits_not_listed: u64,
    /// The requests of each field, those that are not listed included.
    pub requests_of: HashMap<Arc<str>, u64>,
    /// Since the execution began.
    pub elapsed: Duration,
    /// The requests that were counted and are left out here, because they concern posts that the client must not know
    /// of.
    pub concealed: StorageUse,
}

impl AccessedRows {
    pub(super) fn of(kind: AccessKind, table: &'static str, partition: &str) -> Self {
        Self { kind, table, partition: partition.to_owned(), row: None, from: None, to: None }
    }
}
