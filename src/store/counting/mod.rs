//! Counts the storage requests of one GraphQL request. The rule: the wrapper changes nothing except its counters, and each GraphQL request has its own.
//!
//! Round trips are counted as waves: a read that starts after another one was answered is assumed to depend on it. A read yields once before it is sent, so
//! concurrent reads are counted together even if the store answers at once. A local store yields only after many reads, because yielding takes a large part of
//! a short request; its round trips are exact only if the request is explained.

mod near;
mod read_notes;
mod sent;
mod state;

use std::sync::{Arc, Mutex};

use tokio::task::yield_now;

use super::explanation::Begun;
use super::request_units::charged;
use super::storage_use::StorageUse;
use super::{
    AccessKind, AccessedRows, Batch, Continuation, Entity, Etag, Explanation, GroupPlan, Key, Page, ReadSet, Result,
    RowRange, Snapshot, Store, TableStore,
};
pub use near::NEAR_ROWS_MAX;
use state::{CountingState, ROWS_BETWEEN_YIELDS};

#[derive(Clone)]
pub struct CountingStore {
    inner: Store,
    /// Shared with the snapshots of the store.
    state: Arc<Mutex<CountingState>>,
    /// The counting store of the whole request, if this one only records the reads of a part.
    request: Option<Arc<CountingStore>>,
    /// Records each storage request, if the request is explained.
    explanation: Option<Arc<Explanation>>,
    /// The loader for which the requests are made, and the number of its batch.
    batch: Option<(&'static str, u32)>,
    /// Whether reads are counted but not recorded.
    is_unnoted: bool,
}

impl CountingStore {
    pub fn new(inner: Store) -> Arc<Self> {
        Self::of(inner, None)
    }

    /// Also records each request with its purpose.
    pub fn explaining(inner: Store) -> Arc<Self> {
        Self::of(inner, Some(Arc::default()))
    }

    fn of(inner: Store, explanation: Option<Arc<Explanation>>) -> Arc<Self> {
        let state = Arc::new(Mutex::new(CountingState::new(explanation.is_some() || !inner.is_local())));
        Arc::new(Self { inner, state, request: None, explanation, batch: None, is_unnoted: false })
    }

    /// The same counters over a snapshot of the store.
    pub fn over(&self, snapshot: Store) -> Arc<Self> {
        Arc::new(Self { inner: snapshot, ..self.clone() })
    }

    /// A store for one part of the request, which records its reads in `into`; this store counts and records them, too.
    pub fn part(self: &Arc<Self>, into: ReadSet) -> Arc<Self> {
        let part = Self::new(Arc::<Self>::clone(self));
        part.note_reads(into);
        let (request, explanation) = (Some(Arc::clone(self)), self.explanation.clone());
        Arc::new(Self { request, explanation, batch: self.batch, ..part.as_ref().clone() })
    }

    /// A clone with a change, which is also made to the store of the whole request.
    fn changed(&self, change: &dyn Fn(&mut Self)) -> Arc<Self> {
        let request = self.request.as_ref().map(|request| request.changed(change));
        let inner = request.as_ref().map_or_else(|| Arc::clone(&self.inner), |request| Arc::<Self>::clone(request));
        let mut changed = Self { inner, request, ..self.clone() };
        change(&mut changed);
        Arc::new(changed)
    }

    /// The same counters without recording: the caller records the dependencies itself.
    pub fn unnoted(&self) -> Arc<Self> {
        self.changed(&|store| store.is_unnoted = true)
    }

    /// The same counters for one batch of a loader; `None` if the request is not explained.
    pub fn in_batch(&self, loader: &'static str) -> Option<Arc<Self>> {
        let batch = self.explanation.as_ref()?.begin_batch();
        Some(self.changed(&|store| store.batch = Some((loader, batch))))
    }

    /// The same counters without an explanation: the recorded requests are dropped.
    pub fn unexplained(&self) -> Arc<Self> {
        Arc::new(Self { explanation: None, ..self.clone() })
    }

    pub fn explanation(&self) -> Option<&Arc<Explanation>> {
        self.explanation.as_ref()
    }

    /// The explanation, if this is the store of the whole request.
    fn notes(&self) -> Option<&Explanation> {
        self.explanation.as_deref().filter(|_| self.request.is_none())
    }

    /// Records the start of a request, if it is explained.
    fn explain(&self, accessed: impl FnOnce() -> AccessedRows, round_trip: u32) -> Option<Begun<'_>> {
        self.notes().map(|explanation| explanation.begin(accessed(), self.batch, round_trip))
    }

    /// Awaits a request, and notes it if it is explained. `size`: the rows and bytes of its answer.
    async fn explained<T>(
        &self,
        accessed: impl FnOnce() -> AccessedRows,
        round_trip: u32,
        request: impl Future<Output = Result<T>>,
        size: impl FnOnce(&T) -> (u64, u64),
    ) -> Result<T> {
        let Some(noted) = self.explain(accessed, round_trip) else { return request.await };
        let (answer, units) = charged(request).await;
        if let Ok(answer) = &answer {
            let (rows, bytes) = size(answer);
            noted.end(rows, bytes, units);
        }
        answer
    }

    /// The store without the counters.
    pub fn uncounted(&self) -> &Store {
        self.request.as_ref().map_or(&self.inner, |request| request.uncounted())
    }

    pub fn used(&self) -> StorageUse {
        self.lock().used.clone()
    }

    /// From now on, refuses each read beyond this number of requests; `None` removes the limit. Writes are never refused, because a change must not be left
    /// unfinished.
    pub fn stop_at(&self, requests: Option<u64>) {
        self.lock().requests_max = requests;
    }

    /// Counts used cached values.
    pub fn count_hits(&self, hits: usize) {
        match &self.request {
            Some(request) => request.count_hits(hits),
            None => self.lock().used.hits += u32::try_from(hits).unwrap_or(u32::MAX),
        }
    }

    /// Yields to other tasks after many rows of cached values.
    pub async fn pass_cached(&self, rows: usize) {
        let step = {
            let mut state = self.lock();
            state.unyielded.1 += rows as u64;
            if state.unyielded.1 >= ROWS_BETWEEN_YIELDS { state.begin() } else { None }
        };
        self.yield_from(step).await;
    }

    /// Yields until this request may continue.
    async fn yield_from(&self, mut step: Option<u64>) {
        while let Some(used_up) = step {
            // This does not use tokio's budget of a task, because loaders run without it.
            yield_now().await;
            step = self.lock().resume(used_up);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, CountingState> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Records the start of a request, and returns its wave.
    async fn start(&self, count: impl FnOnce(&mut CountingState)) -> u32 {
        if self.request.is_some() {
            return 0;
        }
        let (wave, step) = {
            let mut state = self.lock();
            count(&mut state);
            let wave = state.answered + 1;
            state.used.round_trips = state.used.round_trips.max(wave);
            (wave, state.begin())
        };
        self.yield_from(step).await;
        wave
    }

    fn finish<'r>(&self, wave: u32, rows: impl Iterator<Item = &'r Entity>) {
        if self.request.is_some() {
            return;
        }
        let mut state = self.lock();
        state.answered = state.answered.max(wave);
        for row in rows {
            state.used.rows += 1;
            state.unyielded.1 += 1;
            state.used.bytes += row.bytes();
        }
    }
}

#[async_trait::async_trait]
impl TableStore for CountingStore {
    fn inner(&self) -> Option<&Store> {
        Some(&self.inner)
    }

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.point(table, key, self.inner.get(table, key)).await
    }

    async fn get_key(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.point(table, key, self.inner.get_key(table, key)).await
    }

    async fn get_many(&self, table: &'static str, keys: &[Key]) -> Vec<Result<Option<Entity>>> {
        if keys.is_empty() {
            return Vec::new();
        }
        if self.lock().check(keys.len()).is_err() {
            return keys.iter().map(|_| self.lock().check(keys.len()).map(|()| None)).collect();
        }
        let wave = self.start(|state| state.used.point_reads += u32::try_from(keys.len()).unwrap_or(u32::MAX)).await;
        let answers = match self.notes() {
            Some(_) => self.many_noted(wave, table, keys).await,
            None => self.inner.get_many(table, keys).await,
        };
        self.finish(wave, answers.iter().flatten().flatten());
        self.note_rows(table, keys, &answers);
        answers
    }

    async fn get_near(&self, table: &'static str, keys: &[Key]) -> Vec<Result<Option<Entity>>> {
        match &self.request {
            Some(request) => {
                let answers = request.get_near(table, keys).await;
                self.note_rows(table, keys, &answers);
                answers
            }
            None if self.inner.is_local() => self.get_many(table, keys).await,
            None => self.near(table, keys).await,
        }
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        let answer = self.read_range(AccessKind::Range, (table, range), limit, continuation).await;
        self.note(|noted| match &answer {
            Ok(page) => noted.note_page(table, range, page),
            Err(_) => noted.break_off(),
        });
        answer
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        let wave = self.start(|state| state.used.transactions += 1).await;
        let (accessed, commit) = (|| AccessedRows::batch(table, batch), self.inner.commit(table, batch));
        let answer = self.explained(accessed, wave, commit, |_| (batch.operations().len() as u64, 0)).await;
        self.finish(wave, std::iter::empty());
        answer
    }

    /// The reads of the plan are part of the transaction, and are not counted.
    async fn transact(&self, plan: GroupPlan) -> Result<()> {
        let wave = self.start(|state| state.used.transactions += 1).await;
        let answer = match self.notes() {
            Some(_) => self.transact_noted(wave, plan).await,
            None => self.inner.transact(plan).await,
        };
        self.finish(wave, std::iter::empty());
        answer
    }

    /// This does not count as a request; the reads of the snapshot are counted.
    async fn snapshot(&self) -> Result<Option<Snapshot>> {
        let snapshot = self.inner.snapshot().await?;
        Ok(snapshot.map(|snapshot| snapshot.wrap(|inner| self.over(inner))))
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        self.note(ReadSet::break_off);
        let wave = self.start(|state| state.used.range_reads += 1).await;
        let scan = self.inner.scan(table, continuation);
        let answer = self.explained(|| AccessedRows::scan(table), wave, scan, |page| size(&page.rows)).await;
        self.finish(wave, answer.iter().flat_map(|page| &page.rows));
        answer
    }
}

/// The number of the rows, and their bytes.
fn size<'r>(rows: impl IntoIterator<Item = &'r Entity>) -> (u64, u64) {
    rows.into_iter().fold((0, 0), |(rows, bytes), row| (rows + 1, bytes + row.bytes()))
}

#[cfg(test)]
mod tests;
