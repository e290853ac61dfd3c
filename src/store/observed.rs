//! Reports each storage request to the metrics and traces. The rule: the wrapper changes nothing, and is below the log of tables, so that it sees every request
//! to Azure. On a file, it is above the recording of entries, whose own reads it does not see.

use std::sync::Arc;
use std::time::Instant;

use tracing::Instrument;

use crate::telemetry::metrics::StorageRequests;
use crate::telemetry::spans;

use super::request_units::charged;
use super::{
    Batch, Continuation, Entity, Etag, GroupPlan, Key, Page, Result, RowRange, Snapshot, Store, StoreError, TableStore,
    all_at_once,
};

/// The kind of store, for metrics and traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestKind {
    File,
    Azure,
}

impl RequestKind {
    /// The name in metrics.
    fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Azure => "azure",
        }
    }

    /// The name in traces, `db.system.name`.
    fn system(self) -> &'static str {
        match self {
            Self::File => "redb",
            Self::Azure => "azure.tables",
        }
    }
}

pub struct ObservedStore {
    inner: Store,
    kind: RequestKind,
}

impl ObservedStore {
    pub fn new(inner: Store, kind: RequestKind) -> Self {
        Self { inner, kind }
    }

    fn begin(&self, table: &'static str, operation: &'static str) -> StorageRequests {
        StorageRequests { store: self.kind.name(), table, operation, begun: Instant::now() }
    }

    fn span(&self, table: &'static str, operation: &'static str) -> tracing::Span {
        spans::storage(self.kind.system(), table, operation)
    }

    /// `rows`: returns the number of rows in an answer.
    async fn observe<T>(
        &self,
        (table, operation): (&'static str, &'static str),
        request: impl Future<Output = Result<T>>,
        rows: impl FnOnce(&T) -> Option<u64>,
    ) -> Result<T> {
        self.observe_in(self.span(table, operation), (table, operation), request, rows).await
    }

    async fn observe_in<T>(
        &self,
        span: tracing::Span,
        (table, operation): (&'static str, &'static str),
        request: impl Future<Output = Result<T>>,
        rows: impl FnOnce(&T) -> Option<u64>,
    ) -> Result<T> {
        let begun = self.begin(table, operation);
        let (answer, units) = charged(request.instrument(span.clone())).await;
        begun.charged(units);
        let rows = answer.as_ref().ok().and_then(rows);
        begun.ended(outcome(&answer), 1);
        begun.done(rows.unwrap_or_default());
        spans::storage_done(&span, rows, failure(&answer));
        answer
    }
}

#[async_trait::async_trait]
impl TableStore for ObservedStore {
    fn inner(&self) -> Option<&Store> {
        Some(&self.inner)
    }

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.observe((table, GET), self.inner.get(table, key), |row| Some(u64::from(row.is_some()))).await
    }

    async fn get_key(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.observe((table, GET), self.inner.get_key(table, key), |row| Some(u64::from(row.is_some()))).await
    }

    /// Each point read is a separate request and span; those that a file answers together end together.
    async fn get_many(&self, table: &'static str, keys: &[Key]) -> Vec<Result<Option<Entity>>> {
        if self.kind == RequestKind::Azure {
            return all_at_once(keys.iter().map(|key| self.get(table, key)).collect()).await;
        }
        let begun = self.begin(table, GET);
        let spans: Vec<_> = keys.iter().map(|_| self.span(table, GET)).collect();
        let answers = self.inner.get_many(table, keys).await;
        let mut rows = 0;
        for (answer, span) in answers.iter().zip(&spans) {
            let found = answer.as_ref().ok().map(|row| u64::from(row.is_some()));
            rows += found.unwrap_or_default();
            spans::storage_done(span, found, failure(answer));
        }
        let failed = answers.iter().filter_map(failure);
        let failures = failed.inspect(|outcome| begun.ended(outcome, 1)).count();
        begun.ended(OK, (answers.len() - failures) as u64);
        begun.done(rows);
        answers
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        let read = self.inner.range(table, range, limit, continuation);
        self.observe((table, "range"), read, |page| Some(page.rows.len() as u64)).await
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        let span = self.span(table, COMMIT);
        spans::storage_writes(&span, batch.operations().len());
        self.observe_in(span, (table, COMMIT), self.inner.commit(table, batch), |_| None).await
    }

    async fn transact(&self, mut plan: GroupPlan) -> Result<()> {
        let span = self.span(ALL_TABLES, TRANSACT);
        let counted: GroupPlan = {
            let span = span.clone();
            Box::new(move |rows| plan(rows).inspect(|writes| spans::storage_writes(&span, writes.len())))
        };
        self.observe_in(span, (ALL_TABLES, TRANSACT), self.inner.transact(counted), |()| None).await
    }

    async fn snapshot(&self) -> Result<Option<Snapshot>> {
        let snapshot = self.inner.snapshot().await?;
        Ok(snapshot.map(|snapshot| snapshot.wrap(|store| Arc::new(Self::new(store, self.kind)))))
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        let read = self.inner.scan(table, continuation);
        self.observe((table, "scan"), read, |page| Some(page.rows.len() as u64)).await
    }
}

const GET: &str = "get";
const COMMIT: &str = "commit";
const TRANSACT: &str = "transact";
/// The table of a request over several tables.
const ALL_TABLES: &str = "*";
const OK: &str = "ok";

fn outcome<T>(answer: &Result<T>) -> &'static str {
    match answer {
        Ok(_) => OK,
        Err(error) => name(error),
    }
}

/// A precondition that does not hold is an answer, not a failure of the store.
fn failure<T>(answer: &Result<T>) -> Option<&'static str> {
    match answer {
        Ok(_) | Err(StoreError::Precondition(_)) => None,
        Err(error) => Some(name(error)),
    }
}

fn name(error: &StoreError) -> &'static str {
    match error {
        StoreError::Precondition(_) => "precondition",
        StoreError::Limit(_) => "limit",
        StoreError::Unavailable { .. } => "unavailable",
        StoreError::OutcomeUnknown { .. } => "unknown",
        StoreError::WrongClock { .. } => "clock",
        StoreError::Full { .. } => "full",
        StoreError::Denied { .. } => "denied",
        StoreError::Locked(_) => "locked",
        StoreError::ReadOnly(_) => "read_only",
        StoreError::OtherFormat(_) => "other_format",
        StoreError::Internal(_) => "internal",
        StoreError::Corrupt { .. } => "corrupt",
    }
}
