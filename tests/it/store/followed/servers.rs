//! Servers over one store that fails as a test says, each with what one query has read.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tidings::clock::Clock;
use tidings::store::{
    Batch, Continuation, Entity, Etag, Key, LogSettings, LogStore, MovingBounds, Page, ReadSet, Result, RowRange,
    RowRole, Store, StoreError, TableStore, WriteObserver, WrittenRow,
};

use tokio::sync::Notify;

use crate::support::memory::MemoryStore;
use crate::support::pass_on::pass_on;
use crate::support::rows::{TABLE, get_row, key, number, put_row, read_number};
use crate::support::site::{NOW, instant};

pub(super) const LOG: &str = "Log";

/// A store that fails as a test says, and remembers the tables of the writes in their order.
#[derive(Default)]
pub(super) struct Faulty {
    pub(super) inner: Arc<MemoryStore>,
    pub(super) written: Mutex<Vec<&'static str>>,
    /// Reads and writes of the log fail.
    pub(super) fails_log: AtomicBool,
    /// The answers to writes of content are lost.
    pub(super) loses: AtomicBool,
    /// Writes of content are not carried out until the test says so.
    pub(super) hangs: AtomicBool,
    pub(super) resumed: Notify,
    pub(super) has_wrong_clock: AtomicBool,
    pub(super) polls: AtomicUsize,
}

fn unavailable() -> StoreError {
    StoreError::unavailable("the test refuses", std::io::Error::other("refused"))
}

impl Faulty {
    fn check(&self, table: &str) -> Result<()> {
        match table == LOG && self.fails_log.load(Ordering::SeqCst) {
            true => Err(unavailable()),
            false => Ok(()),
        }
    }
}

#[async_trait::async_trait]
impl TableStore for Faulty {
    pass_on!(inner: create_tables, scan);

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.polls.fetch_add(usize::from(table == LOG), Ordering::SeqCst);
        self.check(table)?;
        self.inner.get(table, key).await
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        self.check(table)?;
        self.inner.range(table, range, limit, continuation).await
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        self.check(table)?;
        if table != LOG && self.hangs.load(Ordering::SeqCst) {
            self.resumed.notified().await;
        }
        // As on a network: what is sent together is under way at the same time.
        tokio::task::yield_now().await;
        self.written.lock().expect("no panic").push(table);
        let answer = self.inner.commit(table, batch).await?;
        match table != LOG && self.loses.load(Ordering::SeqCst) {
            true => Err(StoreError::outcome_unknown("the test loses it", std::io::Error::other("lost"))),
            false => Ok(answer),
        }
    }

    async fn check_clock(&self) -> Result<()> {
        match self.has_wrong_clock.load(Ordering::SeqCst) {
            true => Err(StoreError::WrongClock { ahead_ms: 7_200_000 }),
            false => Ok(()),
        }
    }

    async fn ping(&self) -> Result<()> {
        Ok(())
    }
}

/// A server that follows the log, and holds what one query has read.
pub(super) struct Server {
    pub(super) log: Arc<LogStore>,
    pub(super) store: Store,
    holder: Arc<Holder>,
    pub(super) clock: Clock,
}

/// As a cache of answers: drops and refuses what depends on a written row.
#[derive(Default)]
struct Holder(Mutex<Cached>);

#[derive(Default)]
struct Cached {
    announced: Vec<(u64, Option<Vec<WrittenRow>>)>,
    drops: usize,
    cached: Option<ReadSet>,
}

impl WriteObserver for Holder {
    fn will_commit(&self, version: u64, rows: Option<&[WrittenRow]>) {
        let mut state = self.0.lock().expect("no panic");
        assert!(state.announced.last().is_none_or(|(last, _)| *last < version), "versions ascend");
        state.announced.push((version, rows.map(<[WrittenRow]>::to_vec)));
        if state.cached.as_ref().is_some_and(|cached| reads(cached, rows)) {
            state.cached = None;
        }
    }

    fn was_reopened(&self) {
        let mut state = self.0.lock().expect("no panic");
        (state.drops, state.cached) = (state.drops + 1, None);
    }
}

fn reads(set: &ReadSet, rows: Option<&[WrittenRow]>) -> bool {
    rows.is_none_or(|rows| rows.iter().any(|row| set.contains(row)))
}

fn settings(trusted_for: Duration) -> LogSettings {
    LogSettings { table: LOG, tables: &[TABLE], role: |_, _, _| RowRole::Object, trusted_for }
}

impl Server {
    pub(super) fn over(inner: &Arc<Faulty>) -> Self {
        Self::trusting(inner, Duration::from_secs(100_000))
    }

    pub(super) fn trusting(inner: &Arc<Faulty>, trusted_for: Duration) -> Self {
        let clock = Clock::fixed(instant(NOW));
        let inner: Store = Arc::<Faulty>::clone(inner);
        let log = Arc::new(LogStore::new(inner, settings(trusted_for), clock.clone()));
        let (store, holder): (Store, _) = (Arc::<LogStore>::clone(&log), Arc::new(Holder::default()));
        let observer: Arc<dyn WriteObserver> = Arc::<Holder>::clone(&holder);
        assert!(store.observe_writes(Arc::downgrade(&observer)));
        Self { log, store, holder, clock }
    }

    /// Reads a row, writes something meanwhile, and holds what it has read if it may. Returns whether it is cached.
    pub(super) async fn hold_while(&self, row: &str, meanwhile: impl AsyncFnOnce()) -> bool {
        let (horizon, drops) = (self.store.horizon(), self.holder.0.lock().expect("no panic").drops);
        get_row(&self.store, "p", row).await;
        meanwhile().await;
        let Some(horizon) = horizon else { return false };
        let mut set = ReadSet::new(MovingBounds::default());
        set.note_row(TABLE, &key("p", row));
        let set = set.completed().expect("one row");
        let mut state = self.holder.0.lock().expect("no panic");
        let later = state.announced.iter().filter(|(version, _)| *version > horizon);
        let is_current = later.clone().all(|(_, rows)| !reads(&set, rows.as_deref())) && state.drops == drops;
        state.cached = is_current.then_some(set);
        is_current
    }

    pub(super) async fn hold(&self, row: &str) -> bool {
        self.hold_while(row, async || {}).await
    }

    pub(super) fn is_cached(&self) -> bool {
        self.store.is_followed() && self.holder.0.lock().expect("no panic").cached.is_some()
    }

    pub(super) fn drops(&self) -> usize {
        self.holder.0.lock().expect("no panic").drops
    }

    pub(super) async fn poll(&self) {
        self.log.poll().await.expect("a poll");
    }

    pub(super) async fn write(&self, row: &str) {
        put_row(&self.store, "p", row, number(1)).await;
    }

    /// Polls until it knows that everything is carried out which it has learned of, and carries out what is left.
    pub(super) async fn poll_twice(&self) {
        self.poll().await;
        self.poll().await;
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }

    /// Appends a write of the number 2, and stops before it is carried out. What it has sent arrives when the store resumes it.
    pub(super) async fn append_and_stop(&self, inner: &Faulty, row: &str) {
        inner.hangs.store(true, Ordering::SeqCst);
        let (store, row) = (Arc::clone(&self.store), row.to_owned());
        let writing = tokio::spawn(async move { put_row(&store, "p", &row, number(2)).await });
        while inner.written.lock().expect("no panic").last() != Some(&LOG) {
            tokio::task::yield_now().await;
        }
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        writing.abort();
        drop(writing.await);
        inner.hangs.store(false, Ordering::SeqCst);
    }
}

/// The number of a row as it is stored.
pub(super) async fn stored(inner: &Faulty, row: &str) -> Option<i32> {
    let found = inner.inner.get(TABLE, &key("p", row)).await.expect("a read");
    found.map(|row| read_number(&row))
}
