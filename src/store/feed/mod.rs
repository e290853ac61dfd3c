//! The feed of announced writes, for a store that several servers write. The rule: no row that a query reads is written before all servers can learn
//! of it, so that a value which was read is held exactly until one of its rows is announced.
//!
//! docs/design.md defines the rules N1 to N6. [`announcer`] announces the writes of this process, which [`announcements`] lists, [`follower`] reads what others announce, [`steps`]
//! puts both in one order, and [`row`] is how announcements are stored: each process has one row, its *epoch*, in the one partition of one table.

mod age;
mod announcements;
mod announcer;
mod follower;
mod row;
mod steps;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Mutex as AsyncMutex;
use tokio::time::{sleep_until, timeout};

use crate::clock::Clock;
use crate::telemetry::metrics;

use super::{
    Batch, Continuation, Entity, Etag, GroupPlan, Key, KeyedLockGuard, Operation, PAGE_ROWS_MAX, Page, Precondition,
    Result, RowRange, Snapshot, Store, StoreError, TableStore, Value, WriteObserver, WrittenRow,
};
use crate::model::Instant;

use age::Age;
use announcer::{Announcer, Cover};
use follower::Follower;
use row::{EpochRow, NamedRows};
use steps::{StepId, Steps};

type Moment = tokio::time::Instant;

/// What is held is used for so long after the last complete poll began. A change of another server is seen within 2 s (I1).
pub const TRUSTED_FOR: Duration = Duration::from_millis(1_700);
const POLL_EVERY: Duration = Duration::from_secs(1);
/// A poll that takes longer is of no use.
const POLL_MAX: Duration = Duration::from_secs(5);
/// How long a write whose answer was lost may still be carried out; as long as an intent is kept (W7).
const LOST_FOR: Duration = Duration::from_secs(600);
/// An announcement of another server is closed when it has been known for so long: a minute in which it is used, and [`LOST_FOR`].
const CLOSED_BY_AGE: Duration = Duration::from_secs(660);
/// The most old rows that one poll removes.
const REMOVALS_MAX: usize = 10;

/// How a store is announced and followed.
#[derive(Debug, Clone, Copy)]
pub struct FeedSettings {
    /// The table of the announcements.
    pub table: &'static str,
    /// The tables whose writes are not announced. Nothing that was read of them is held.
    pub unannounced: &'static [&'static str],
    /// How long a poll is trusted; [`TRUSTED_FOR`], except in tests.
    pub trusted_for: Duration,
}

/// Wraps a store that several servers write: announces its own writes, and follows those of others.
pub struct FeedStore {
    inner: Store,
    settings: FeedSettings,
    clock: Clock,
    announcer: Arc<Announcer>,
    follower: Follower,
    steps: Arc<Steps>,
    polling: AsyncMutex<()>,
    /// Whether the last poll failed, so that a failure is logged once.
    has_failed: AtomicBool,
}

/// Rows that are announced until this is dropped, so that their writes do not have to wait for announcements of their own.
pub struct AnnouncedRows {
    _cover: Cover,
}

impl FeedStore {
    pub fn new(inner: Store, settings: FeedSettings, clock: Clock) -> Self {
        let announcer = Announcer::new(Arc::clone(&inner), settings.table, clock.clone());
        Self {
            inner,
            settings,
            clock,
            announcer,
            follower: Follower::default(),
            steps: Arc::default(),
            polling: AsyncMutex::default(),
            has_failed: AtomicBool::new(false),
        }
    }

    /// Reads what other servers have announced. One range read.
    ///
    /// # Errors
    /// If the feed cannot be read, or a row of it not be understood. Then nothing new is known.
    pub async fn poll(&self) -> Result<()> {
        let _one = self.polling.lock().await;
        let polled = self.poll_from(Age::new(&self.clock)).await;
        metrics::feed_polled(if polled.is_ok() { "ok" } else { "failed" });
        if let Err(error) = &polled
            && !self.has_failed.load(Ordering::Relaxed)
        {
            tracing::warn!(%error, "feed.poll_failed");
        }
        self.has_failed.store(polled.is_err(), Ordering::Relaxed);
        polled
    }

    async fn poll_from(&self, began: Age) -> Result<()> {
        let now = self.clock.now();
        let mut others = self.read_all().await?;
        others.retain(|row| !self.announcer.is_own(row.key.row()));
        let (old, present): (Vec<_>, Vec<_>) = others.into_iter().partition(|row| is_old(row, now));
        let read = |row: &Entity| Ok((row.key.row().to_owned(), EpochRow::read(row)?));
        let rows = present.iter().map(read).collect::<Result<Vec<_>>>()?;
        self.follower.apply(&self.steps, (began, &self.clock), rows);
        for row in old.into_iter().take(REMOVALS_MAX) {
            self.remove(row).await;
        }
        Ok(())
    }

    async fn read_all(&self) -> Result<Vec<Entity>> {
        let range = RowRange::new(row::PARTITION, None, None)?;
        let (mut found, mut continuation) = (Vec::new(), None);
        loop {
            let page = self.inner.range(self.settings.table, &range, PAGE_ROWS_MAX, continuation.as_ref()).await?;
            found.extend(page.rows);
            continuation = page.continuation;
            if continuation.is_none() {
                return Ok(found);
            }
        }
    }

    /// Under its ETag, because its process may still live; then it writes another row.
    async fn remove(&self, row: Entity) {
        let (key, precondition) = (row.key, Precondition::Match(row.etag));
        let delete = Operation::Delete { row: key.row().to_owned(), precondition };
        let Ok(batch) = Batch::new(key.partition(), vec![delete]) else { return };
        if let Err(error) = self.inner.commit(self.settings.table, &batch).await {
            tracing::debug!(%error, "feed.row_kept");
        }
    }

    /// Sends a batch whose rows are announced.
    async fn commit_announced(
        &self,
        table: &'static str,
        batch: &Batch,
        mut cover: Cover,
    ) -> Result<Vec<Option<Etag>>> {
        let rows =
            batch.operations().iter().map(|operation| WrittenRow::new(table, batch.partition(), operation.row()));
        let mut step =
            OpenStep { steps: Arc::clone(&self.steps), id: self.steps.open(Some(rows.collect()), None), is_lost: true };
        cover.begin();
        let answer = self.inner.commit(table, batch).await;
        if is_certain(&answer) {
            // Who followed may have closed the announcement by its age.
            if cover.is_late() {
                let again = self.announcer.announce(NamedRows::of_batch(table, batch)).await;
                if let Err(error) = again {
                    tracing::error!(%error, "feed.late_write_not_announced");
                }
            }
            cover.end();
            step.is_lost = false;
        }
        answer
    }
}

/// The step of a write. If it is dropped before the write was answered for certain, the rows stay in doubt until the write cannot happen any more.
struct OpenStep {
    steps: Arc<Steps>,
    id: StepId,
    is_lost: bool,
}

impl Drop for OpenStep {
    fn drop(&mut self) {
        match self.is_lost {
            true => self.steps.close_at(self.id, Moment::now() + LOST_FOR),
            false => self.steps.close(self.id),
        }
    }
}

/// Whether the answer shows that the write was carried out, or that it was not and will not be.
fn is_certain<T>(answer: &Result<T>) -> bool {
    match answer {
        Ok(_)
        | Err(
            StoreError::Precondition(_)
            | StoreError::Limit(_)
            | StoreError::Unavailable { .. }
            | StoreError::WrongClock { .. }
            | StoreError::Denied { .. },
        ) => true,
        Err(
            StoreError::OutcomeUnknown { .. }
            | StoreError::Full { .. }
            | StoreError::Locked(_)
            | StoreError::Internal(_)
            | StoreError::Corrupt { .. },
        ) => false,
    }
}

fn is_old(row: &Entity, now: Instant) -> bool {
    let at = match row.properties.get("At") {
        Some(Value::DateTime(ticks)) => Instant::from_ticks(*ticks),
        _ => None,
    };
    at.is_some_and(|at| follower::is_old(at, now))
}

#[async_trait::async_trait]
impl TableStore for FeedStore {
    async fn create_tables(&self, tables: &[&'static str]) -> Result<()> {
        self.inner.create_tables(tables).await
    }

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.inner.get(table, key).await
    }

    async fn get_many(&self, table: &'static str, keys: &[Key]) -> Vec<Result<Option<Entity>>> {
        self.inner.get_many(table, keys).await
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        self.inner.range(table, range, limit, continuation).await
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        if !self.announces(table) {
            return self.inner.commit(table, batch).await;
        }
        let mut cover = self.announcer.cover(table, batch).await?;
        // The process may have been paused since.
        if cover.is_used_up() {
            cover = self.announcer.announce(NamedRows::of_batch(table, batch)).await?;
        }
        self.commit_announced(table, batch, cover).await
    }

    fn is_local(&self) -> bool {
        self.inner.is_local()
    }

    fn is_transactional(&self) -> bool {
        self.inner.is_transactional()
    }

    async fn transact(&self, plan: GroupPlan) -> Result<()> {
        self.inner.transact(plan).await
    }

    async fn snapshot(&self) -> Result<Option<Snapshot>> {
        self.inner.snapshot().await
    }

    fn observe_writes(&self, observer: Weak<dyn WriteObserver>) -> bool {
        self.steps.observe(observer);
        true
    }

    fn announces(&self, table: &str) -> bool {
        table != self.settings.table && !self.settings.unannounced.contains(&table)
    }

    fn is_followed(&self) -> bool {
        self.follower.is_current(self.settings.trusted_for, &self.clock)
    }

    fn horizon(&self) -> Option<u64> {
        (self.steps.is_observed() && self.is_followed()).then(|| self.steps.horizon())
    }

    async fn announce(&self, rows: Vec<(&'static str, Key)>) -> Result<Option<AnnouncedRows>> {
        let mut named = NamedRows::default();
        let announced = rows.iter().filter(|(table, _)| self.announces(table));
        announced.for_each(|(table, key)| named.add(table, key.partition(), key.row()));
        Ok(Some(AnnouncedRows { _cover: self.announcer.announce(named).await? }))
    }

    async fn follow_writes(&self) {
        loop {
            self.follower.is_asked().await;
            let next = Moment::now() + POLL_EVERY;
            // A failure is counted and logged there; until a poll succeeds, nothing is held.
            let polled = timeout(POLL_MAX, self.poll()).await;
            if polled.is_err() {
                metrics::feed_polled("failed");
            }
            sleep_until(next).await;
        }
    }

    async fn finish_writes(&self) {
        self.announcer.finish().await;
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        self.inner.scan(table, continuation).await
    }

    async fn keyed_lock(&self, table: &'static str, name: &str) -> Option<KeyedLockGuard> {
        self.inner.keyed_lock(table, name).await
    }

    async fn ping(&self) -> Result<()> {
        self.inner.ping().await
    }
}
