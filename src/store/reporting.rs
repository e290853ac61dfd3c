//! A store that reports its own writes after they were carried out. The rule: a write whose answer is lost, or whose caller stops waiting, is also reported, as
//! one that may still be carried out.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Batch, Entity, Etag, GroupPlan, Key, Result, Snapshot, Store, StoreError, TableStore};

/// Receives the rows of each write.
pub trait WriteReport: Send + Sync + 'static {
    /// `is_certain`: whether the write was carried out; otherwise, it may still be.
    fn were_written(&self, rows: &[(&'static str, Key)], is_certain: bool);
}

pub struct ReportingStore {
    inner: Store,
    report: Arc<dyn WriteReport>,
}

impl ReportingStore {
    pub fn new(inner: Store, report: Arc<dyn WriteReport>) -> Self {
        Self { inner, report }
    }

    fn begin(&self) -> ReportedWrite {
        let noted = Arc::new(Noted { report: Arc::clone(&self.report), state: Mutex::default() });
        ReportedWrite { noted, outcome: WriteOutcome::MayHappen }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WriteOutcome {
    Happened,
    Refused,
    MayHappen,
}

type RowKeys = Vec<(&'static str, Key)>;

/// The rows of a write, and whether its caller has stopped waiting.
struct Noted {
    report: Arc<dyn WriteReport>,
    state: Mutex<(RowKeys, bool)>,
}

impl Noted {
    fn note(&self, rows: RowKeys) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.1 {
            // The plan of a transaction can run after its caller is gone.
            true => self.report.were_written(&rows, false),
            false => state.0 = rows,
        }
    }

    fn end(&self) -> RowKeys {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.1 = true;
        std::mem::take(&mut state.0)
    }
}

/// A write in progress, which is reported when this is dropped.
struct ReportedWrite {
    noted: Arc<Noted>,
    outcome: WriteOutcome,
}

impl ReportedWrite {
    fn end<T>(&mut self, answer: &Result<T>) {
        self.outcome = match answer {
            Ok(_) => WriteOutcome::Happened,
            Err(StoreError::Precondition(_) | StoreError::Limit(_)) => WriteOutcome::Refused,
            Err(_) => WriteOutcome::MayHappen,
        };
    }
}

impl Drop for ReportedWrite {
    fn drop(&mut self) {
        let rows = self.noted.end();
        if self.outcome != WriteOutcome::Refused && !rows.is_empty() {
            self.noted.report.were_written(&rows, self.outcome == WriteOutcome::Happened);
        }
    }
}

#[async_trait::async_trait]
impl TableStore for ReportingStore {
    fn inner(&self) -> Option<&Store> {
        Some(&self.inner)
    }

    async fn get_key(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.inner.get_key(table, key).await
    }

    async fn get_many(&self, table: &'static str, keys: &[Key]) -> Vec<Result<Option<Entity>>> {
        self.inner.get_many(table, keys).await
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        let mut write = self.begin();
        let keys = batch.operations().iter().map(|operation| Key::new(batch.partition(), operation.row()));
        // A batch with an invalid key is refused.
        write.noted.note(keys.flatten().map(|key| (table, key)).collect());
        let answer = self.inner.commit(table, batch).await;
        write.end(&answer);
        answer
    }

    async fn transact(&self, mut plan: GroupPlan) -> Result<()> {
        let mut write = self.begin();
        let noted = Arc::clone(&write.noted);
        let plan: GroupPlan = Box::new(move |read| {
            let writes = plan(read)?;
            noted.note(writes.iter().map(|write| (write.table, write.key.clone())).collect());
            Ok(writes)
        });
        let answer = self.inner.transact(plan).await;
        write.end(&answer);
        answer
    }

    async fn snapshot(&self) -> Result<Option<Snapshot>> {
        self.inner.snapshot().await
    }
}
