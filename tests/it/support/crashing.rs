//! A store under a process that is stopped: from the n-th request on nothing is answered any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tidings::store::{Batch, Continuation, Entity, Etag, Key, Page, Result, RowRange, Store, StoreError, TableStore};

/// What becomes of the request at which the process stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Last {
    /// It was never sent.
    Unsent,
    /// It was carried out, and its answer lost.
    Done,
}

pub struct CrashingStore {
    inner: Store,
    left: AtomicI64,
    last: Last,
}

impl CrashingStore {
    /// Answers `requests` of them.
    pub fn after(inner: Store, requests: i64, last: Last) -> Arc<Self> {
        Arc::new(Self { inner, left: AtomicI64::new(requests), last })
    }

    /// Whether the stop was reached.
    pub fn has_stopped(&self) -> bool {
        self.left.load(Ordering::SeqCst) < 0
    }

    /// `Ok(true)`: carry the request out; `Ok(false)`: carry it out and lose the answer.
    fn next(&self) -> Result<bool> {
        match self.left.fetch_sub(1, Ordering::SeqCst) {
            1.. => Ok(true),
            0 if self.last == Last::Done => Ok(false),
            _ => Err(stopped()),
        }
    }
}

/// Not one of the errors that the writer tries again after.
fn stopped() -> StoreError {
    StoreError::denied("the process was stopped by the test", std::io::Error::other("stopped"))
}

#[async_trait::async_trait]
impl TableStore for CrashingStore {
    async fn create_tables(&self, tables: &[&'static str]) -> Result<()> {
        self.inner.create_tables(tables).await
    }

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        if self.next()? { self.inner.get(table, key).await } else { Err(stopped()) }
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        if self.next()? { self.inner.range(table, range, limit, continuation).await } else { Err(stopped()) }
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        let is_answered = self.next()?;
        let done = self.inner.commit(table, batch).await;
        if is_answered { done } else { Err(stopped()) }
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        if self.next()? { self.inner.scan(table, continuation).await } else { Err(stopped()) }
    }

    async fn ping(&self) -> Result<()> {
        self.inner.ping().await
    }
}

/// Waits until the requests that the stopped process had under way have arrived: a lease gives them 15 s before anyone recovers.
pub async fn let_requests_arrive(store: &Store) {
    let operation = |put| {
        let (row, precondition) = ("probe".to_owned(), tidings::store::Precondition::None);
        match put {
            true => tidings::store::Operation::Put { row, properties: Default::default(), precondition },
            false => tidings::store::Operation::Delete { row, precondition },
        }
    };
    // The store carries out batches in the order in which they came.
    for put in [true, false] {
        let batch = Batch::new("probe", vec![operation(put)]).expect("a batch");
        store.commit("Probe", &batch).await.expect("a commit");
    }
}
