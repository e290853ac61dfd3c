//! Counts the requests that one GraphQL request makes to the store. The rule: it changes nothing except its counters, and each request has its own.
//!
//! Round trips are counted as waves: a read that starts after another has been answered is assumed to depend on it. A read therefore
//! yields once before it is sent, so that reads sent together are counted together even if the store answers without waiting. A local store is
//! read without yielding, except between many reads, because that costs a large part of a short request; then the round trips are exact only if the
//! reads are named.

use std::sync::{Arc, Mutex, Weak};

use tokio::task::yield_now;

use super::{
    AnnouncedRows, Batch, Continuation, Entity, Etag, GroupPlan, Key, KeyedLockGuard, Page, ReadSet, Result, RowRange,
    Snapshot, Store, StoreError, TableStore, WriteObserver,
};

/// How many requests and rows of a local store are read before others run.
const REQUESTS_BETWEEN_YIELDS: u32 = 16;
const ROWS_BETWEEN_YIELDS: u64 = 1_000;

/// How many reads are listed by their keys and ranges; the others are only counted.
const READS_NAMED_MAX: usize = 1_000;

/// What was requested from the store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StorageUse {
    pub point_reads: u32,
    pub range_reads: u32,
    pub transactions: u32,
    /// Rows that the reads returned.
    pub rows: u64,
    /// Bytes of those rows: keys, names and values.
    pub bytes: u64,
    /// The longest sequence of requests of which each started after the one before was answered. Of a local store whose reads are not named:
    /// the number of requests at the most.
    pub round_trips: u32,
    /// The first 1,000 reads, as `Table(partition, row)` or `Table(partition, from..to)`; empty if they are not requested.
    pub reads: Vec<String>,
}

impl StorageUse {
    /// Requests in all, as a store's log counts them.
    pub fn requests(&self) -> u32 {
        self.point_reads + self.range_reads + self.transactions
    }
}

/// Wraps a store, and counts its requests.
pub struct CountingStore {
    inner: Store,
    /// Shared with the snapshots of the store.
    state: Arc<Mutex<CountingState>>,
}

struct CountingState {
    used: StorageUse,
    /// The highest wave of which a request has been answered.
    answered: u32,
    names_reads: bool,
    /// Whether each request waits until those that are sent together with it are counted.
    yields: bool,
    /// The requests and the rows since the last yield.
    unyielded: (u32, u64),
    /// Everything that was read since the caller began to note it.
    noted: Option<ReadSet>,
    /// A read that would exceed this number of requests is refused.
    requests_max: Option<u64>,
}

impl CountingState {
    /// Whether a request that starts now yields first.
    fn is_to_yield(&mut self) -> bool {
        let (requests, rows) = &mut self.unyielded;
        *requests += 1;
        let is_to_yield = self.yields || *requests > REQUESTS_BETWEEN_YIELDS || *rows >= ROWS_BETWEEN_YIELDS;
        if is_to_yield {
            self.unyielded = (0, 0);
        }
        is_to_yield
    }

    /// `is_announced`: whether the writes of the table are announced. Otherwise nobody learns when what was read is out of date.
    fn note(&mut self, is_announced: bool, note: impl FnOnce(&mut ReadSet)) {
        if let Some(noted) = &mut self.noted {
            match is_announced {
                true => note(noted),
                false => noted.break_off(),
            }
        }
    }

    /// Notes the point reads of these keys, or that one of them failed.
    fn note_rows<T>(&mut self, is_announced: bool, table: &str, keys: &[Key], answers: &[Result<T>]) {
        self.note(is_announced, |noted| {
            keys.iter().for_each(|key| noted.note_row(table, key));
            if answers.iter().any(Result::is_err) {
                noted.break_off();
            }
        });
    }

    /// # Errors
    /// If so many more requests exceed the maximum, which is a mistake of the code that computed it.
    fn check(&self, more: usize) -> Result<()> {
        let requests = u64::from(self.used.requests()) + more as u64;
        let Some(max) = self.requests_max.filter(|max| requests > *max) else { return Ok(()) };
        Err(StoreError::Internal(format!("a query is stopped at {max} storage requests, because its bound is lower")))
    }

    fn name_read(&mut self, name: impl FnOnce() -> String) {
        if self.names_reads && self.used.reads.len() < READS_NAMED_MAX {
            self.used.reads.push(name());
        }
    }
}

impl CountingStore {
    pub fn new(inner: Store) -> Arc<Self> {
        Self::of(inner, false)
    }

    /// Also lists each read by its key or range, which costs a string for each.
    pub fn naming(inner: Store) -> Arc<Self> {
        Self::of(inner, true)
    }

    fn of(inner: Store, names_reads: bool) -> Arc<Self> {
        let yields = names_reads || !inner.is_local();
        let state = CountingState {
            used: StorageUse::default(),
            answered: 0,
            names_reads,
            yields,
            unyielded: (0, 0),
            noted: None,
            requests_max: None,
        };
        Arc::new(Self { inner, state: Arc::new(Mutex::new(state)) })
    }

    /// What was requested since the wrapper was created.
    pub fn used(&self) -> StorageUse {
        self.lock().used.clone()
    }

    /// From now on, refuses each read that exceeds this number of requests; `None`: refuses none. Writes are never refused, because a change must not
    /// be left unfinished.
    pub fn stop_at(&self, requests: Option<u64>) {
        self.lock().requests_max = requests;
    }

    /// From now on, notes what is read, also by the snapshots of this store.
    pub fn note_reads(&self, into: ReadSet) {
        self.lock().noted = Some(into);
    }

    /// Notes a read whose rows are cached, as if it had been made.
    pub fn note_cached(&self, note: impl FnOnce(&mut ReadSet)) {
        self.lock().note(true, note);
    }

    /// What was read since [`note_reads`](Self::note_reads), if a set can contain it; nothing is noted any more.
    pub fn noted_reads(&self) -> Option<ReadSet> {
        self.lock().noted.take()?.completed()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, CountingState> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Notes a request that starts, and returns its wave.
    async fn start(&self, count: impl FnOnce(&mut CountingState)) -> u32 {
        let (wave, is_to_yield) = {
            let mut state = self.lock();
            count(&mut state);
            let wave = state.answered + 1;
            state.used.round_trips = state.used.round_trips.max(wave);
            (wave, state.is_to_yield())
        };
        // Not tokio's budget of a task, because loaders run without it.
        if is_to_yield {
            yield_now().await;
        }
        wave
    }

    fn finish<'r>(&self, wave: u32, rows: impl Iterator<Item = &'r Entity>) {
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
    async fn create_tables(&self, tables: &[&'static str]) -> Result<()> {
        self.inner.create_tables(tables).await
    }

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.lock().check(1)?;
        let wave = self
            .start(|state| {
                state.used.point_reads += 1;
                state.name_read(|| format!("{table}{key}"));
            })
            .await;
        let answer = self.inner.get(table, key).await;
        self.finish(wave, answer.iter().flatten());
        let is_announced = self.inner.announces(table);
        self.lock().note_rows(is_announced, table, std::slice::from_ref(key), std::slice::from_ref(&answer));
        answer
    }

    async fn get_many(&self, table: &'static str, keys: &[Key]) -> Vec<Result<Option<Entity>>> {
        if keys.is_empty() {
            return Vec::new();
        }
        if self.lock().check(keys.len()).is_err() {
            return keys.iter().map(|_| self.lock().check(keys.len()).map(|()| None)).collect();
        }
        let wave = self
            .start(|state| {
                state.used.point_reads += u32::try_from(keys.len()).unwrap_or(u32::MAX);
                keys.iter().for_each(|key| state.name_read(|| format!("{table}{key}")));
            })
            .await;
        let answers = self.inner.get_many(table, keys).await;
        self.finish(wave, answers.iter().flatten().flatten());
        self.lock().note_rows(self.inner.announces(table), table, keys, &answers);
        answers
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        self.lock().check(1)?;
        let wave = self
            .start(|state| {
                state.used.range_reads += 1;
                state.name_read(|| format!("{table}{range}"));
            })
            .await;
        let answer = self.inner.range(table, range, limit, continuation).await;
        self.finish(wave, answer.iter().flat_map(|page| &page.rows));
        self.lock().note(self.inner.announces(table), |noted| match &answer {
            Ok(page) => noted.note_page(table, range, page),
            Err(_) => noted.break_off(),
        });
        answer
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        let wave = self.start(|state| state.used.transactions += 1).await;
        let answer = self.inner.commit(table, batch).await;
        self.finish(wave, std::iter::empty());
        answer
    }

    fn is_local(&self) -> bool {
        self.inner.is_local()
    }

    fn is_transactional(&self) -> bool {
        self.inner.is_transactional()
    }

    /// The reads of the plan are part of the transaction, and are not counted.
    async fn transact(&self, plan: GroupPlan) -> Result<()> {
        let wave = self.start(|state| state.used.transactions += 1).await;
        let answer = self.inner.transact(plan).await;
        self.finish(wave, std::iter::empty());
        answer
    }

    /// Not counted as a request; the reads of the snapshot are counted as those of the store.
    async fn snapshot(&self) -> Result<Option<Snapshot>> {
        let snapshot = self.inner.snapshot().await?;
        let state = Arc::clone(&self.state);
        Ok(snapshot.map(|snapshot| snapshot.wrap(|inner| Arc::new(Self { inner, state }))))
    }

    fn observe_writes(&self, observer: Weak<dyn WriteObserver>) -> bool {
        self.inner.observe_writes(observer)
    }

    fn is_followed(&self) -> bool {
        self.inner.is_followed()
    }

    fn horizon(&self) -> Option<u64> {
        self.inner.horizon()
    }

    fn announces(&self, table: &str) -> bool {
        self.inner.announces(table)
    }

    async fn check_clock(&self) -> Result<()> {
        self.inner.check_clock().await
    }

    /// Counted as one write, if the store announces.
    async fn announce(&self, rows: Vec<(&'static str, Key)>) -> Result<Option<AnnouncedRows>> {
        let announced = self.inner.announce(rows).await?;
        if announced.is_some() {
            self.lock().used.transactions += 1;
        }
        Ok(announced)
    }

    async fn follow_writes(&self) {
        self.inner.follow_writes().await;
    }

    async fn finish_writes(&self) {
        self.inner.finish_writes().await;
    }

    async fn remove_old_announcements(&self) -> Result<()> {
        self.inner.remove_old_announcements().await
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        self.lock().note(true, ReadSet::break_off);
        let wave = self.start(|state| state.used.range_reads += 1).await;
        let answer = self.inner.scan(table, continuation).await;
        self.finish(wave, answer.iter().flat_map(|page| &page.rows));
        answer
    }

    async fn keyed_lock(&self, table: &'static str, name: &str) -> Option<KeyedLockGuard> {
        self.inner.keyed_lock(table, name).await
    }

    async fn ping(&self) -> Result<()> {
        self.inner.ping().await
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::task::{Context, Waker};

    use tokio::task::coop::unconstrained;

    use super::*;
    use crate::store::embedded::EmbeddedStore;

    /// A task that yields is polled again only after others, which costs more than the read.
    #[test]
    fn a_local_store_is_read_without_yielding_unless_reads_are_named() {
        let local: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
        let key = Key::new("partition", "row").expect("a key");
        let is_ready_at_once = |store: Arc<CountingStore>| {
            let mut read = pin!(store.get("Posts", &key));
            read.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready()
        };
        assert!(is_ready_at_once(CountingStore::new(Arc::clone(&local))));
        assert!(!is_ready_at_once(CountingStore::naming(local)));
    }

    /// Also within a loader, which runs without tokio's budget.
    #[tokio::test]
    async fn many_reads_of_a_local_store_let_others_run() {
        let local: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
        let store = CountingStore::new(local);
        let others_ran = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&others_ran);
        let others = tokio::spawn(async move {
            loop {
                counted.fetch_add(1, Ordering::Relaxed);
                yield_now().await;
            }
        });
        let key = Key::new("partition", "row").expect("a key");
        let reads = tokio::spawn(unconstrained(async move {
            for _ in 0..10 * REQUESTS_BETWEEN_YIELDS {
                store.get("Posts", &key).await.expect("a read");
            }
        }));
        reads.await.expect("no panic");
        assert!(others_ran.load(Ordering::Relaxed) >= 9, "{others_ran:?}");
        others.abort();
    }
}
