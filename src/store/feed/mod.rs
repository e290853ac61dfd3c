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
    Batch, Continuation, Entity, Etag, Key, KeyedLockGuard, Operation, PAGE_ROWS_MAX, Page, Precondition, Result,
    RowRange, Store, StoreError, TableStore, Value, WriteObserver, WrittenRow,
};
use crate::model::Instant;
use crate::model::instant::TICKS_PER_SECOND;

use age::{Age, LOST_FOR, Moment};
use announcer::{Announcer, Cover};
use follower::Follower;
use row::{EpochRow, NamedRows};
use steps::{StepId, Steps};

/// What is held is used for so long after the last complete poll began. A change of another server is seen within 2 s (I1).
pub const TRUSTED_FOR: Duration = Duration::from_millis(1_700);
const POLL_EVERY: Duration = Duration::from_secs(1);
/// A poll that takes longer is of no use.
const POLL_MAX: Duration = Duration::from_secs(5);
/// How long the first query after a pause waits for a poll. It is one storage request, and without it, the query neither uses nor keeps values.
const CATCH_UP_MAX: Duration = Duration::from_millis(250);
/// The age from which on a row is removed, an hour: much longer than an announcement can be open.
const REMOVED_AFTER_TICKS: i64 = 3_600 * TICKS_PER_SECOND;
/// The most old rows that are removed at once.
const REMOVALS_MAX: usize = 1_000;

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

    /// Whether a row of the feed can be followed.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if it is in another partition, of another format, or damaged.
    pub fn check_row(row: &Entity) -> Result<()> {
        match row.key.partition() == row::PARTITION {
            true => EpochRow::read(row).map(|_| ()),
            false => Err(StoreError::corrupt(format!("the partition of the row {} of the feed", row.key))),
        }
    }

    /// Reads what other servers have announced. One range read.
    ///
    /// # Errors
    /// If the feed cannot be read, or a row of it not be understood. Then nothing new is known.
    pub async fn poll(&self) -> Result<()> {
        let _one = self.polling.lock().await;
        let polled = timeout(POLL_MAX, self.poll_from(Age::new(&self.clock))).await;
        let polled = polled.unwrap_or_else(|error| Err(StoreError::unavailable("a poll of the feed", error)));
        self.follower.note_age(&self.clock);
        metrics::feed_polled(if polled.is_ok() { "ok" } else { "failed" });
        if let Err(error) = &polled
            && !self.has_failed.load(Ordering::Relaxed)
        {
            tracing::warn!(%error, "feed.poll_failed");
        }
        self.has_failed.store(polled.is_err(), Ordering::Relaxed);
        self.follower.note_poll();
        polled
    }

    async fn poll_from(&self, began: Age) -> Result<()> {
        let mut others = self.read_all().await?;
        others.retain(|row| !self.announcer.is_own(row.key.row()));
        let read = |row: &Entity| Ok((row.key.row().to_owned(), EpochRow::read(row)?));
        // All of them, however old they look: this server's clock may be wrong.
        let rows = others.iter().map(read).collect::<Result<Vec<_>>>();
        // If this machine was paused by its host, its clocks do not show it, but the storage's clock does.
        if let Err(error) = self.inner.check_clock().await {
            self.follower.stop_trusting();
            return Err(error);
        }
        rows.map(|rows| self.follower.apply(&self.steps, (began, &self.clock), rows))
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

    /// Removes a row under its ETag, because its process may still live; then it writes another row.
    async fn remove(&self, row: Entity) -> Result<()> {
        let (key, precondition) = (row.key, Precondition::Match(row.etag));
        let delete = Operation::Delete { row: key.row().to_owned(), precondition };
        match self.inner.commit(self.settings.table, &Batch::new(key.partition(), vec![delete])?).await {
            Ok(_) => self.follower.was_removed(key.row()),
            // It was written again.
            Err(StoreError::Precondition(_)) => {}
            Err(error) => return Err(error),
        }
        Ok(())
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
        let step = self.steps.open(Some(rows.collect()), None);
        cover.begin();
        let (announcer, steps) = (Arc::clone(&self.announcer), Arc::clone(&self.steps));
        let mut write =
            AnnouncedWrite { announcer, steps, step, cover, table, batch: batch.clone(), is_certain: false };
        let answer = self.inner.commit(table, batch).await;
        write.is_certain = is_certain(&answer);
        answer
    }
}

/// A write that is under way. If this is dropped before the write was answered for certain, its rows stay in doubt until it cannot happen any more.
struct AnnouncedWrite {
    announcer: Arc<Announcer>,
    steps: Arc<Steps>,
    step: StepId,
    cover: Cover,
    table: &'static str,
    batch: Batch,
    is_certain: bool,
}

impl Drop for AnnouncedWrite {
    fn drop(&mut self) {
        if self.cover.is_late()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let rows = NamedRows::of_batch(self.table, &self.batch);
            runtime.spawn(Arc::clone(&self.announcer).announce_late(rows, self.is_certain));
        }
        match self.is_certain {
            true => {
                self.cover.end();
                self.steps.close(self.step);
            }
            false => self.steps.close_at(self.step, Moment::now() + LOST_FOR),
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
            | StoreError::ReadOnly(_)
            | StoreError::NewerFormat(_)
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
    at.is_some_and(|at| now.ticks().saturating_sub(at.ticks()) > REMOVED_AFTER_TICKS)
}

#[async_trait::async_trait]
impl TableStore for FeedStore {
    async fn create_tables(&self, tables: &[&'static str]) -> Result<()> {
        self.inner.create_tables(tables).await
    }

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.inner.get(table, key).await
    }

    async fn get_key(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.inner.get_key(table, key).await
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
        while cover.is_used_up() {
            cover = self.announcer.announce(NamedRows::of_batch(table, batch)).await?;
        }
        self.commit_announced(table, batch, cover).await
    }

    fn is_local(&self) -> bool {
        self.inner.is_local()
    }

    fn observe_writes(&self, observer: Weak<dyn WriteObserver>) -> bool {
        self.steps.observe(observer);
        true
    }

    fn announces(&self, table: &str) -> bool {
        table != self.settings.table && !self.settings.unannounced.contains(&table)
    }

    /// A query that can be held, or that can use what is held, asks for polls.
    fn is_followed(&self) -> bool {
        self.follower.ask(self.settings.trusted_for, &self.clock)
    }

    /// If the last poll has failed, nobody waits for the next one.
    async fn catch_up(&self) {
        let polled = self.follower.next_poll();
        if self.steps.is_observed() && !self.is_followed() && !self.has_failed.load(Ordering::Relaxed) {
            drop(timeout(CATCH_UP_MAX, polled).await);
        }
    }

    fn horizon(&self) -> Option<u64> {
        (self.steps.is_observed() && self.is_followed()).then(|| self.steps.horizon())
    }

    async fn announce(&self, rows: Vec<(&'static str, Key)>) -> Result<Option<AnnouncedRows>> {
        let mut named = NamedRows::default();
        let announced = rows.iter().filter(|(table, _)| self.announces(table));
        announced.for_each(|(table, key)| named.add(table, key.partition(), key.row()));
        // Another server may have written what the change is based on, and no poll has shown that yet (N8).
        self.steps.pass(Some(named.written()));
        Ok(Some(AnnouncedRows { _cover: self.announcer.announce_ahead(named).await? }))
    }

    async fn follow_writes(&self) {
        let _following = self.follower.begin();
        loop {
            self.follower.is_asked().await;
            let next = Moment::now() + POLL_EVERY;
            // A failure is counted and logged there; until a poll succeeds, nothing is held.
            drop(self.poll().await);
            sleep_until(next).await;
        }
    }

    async fn finish_writes(&self) {
        self.announcer.finish().await;
    }

    /// The storage refuses to remove a row if the clock of this server is wrong.
    async fn remove_old_announcements(&self) -> Result<()> {
        // A poll that has read a row before its removal would not know that it was removed here.
        let _one = self.polling.lock().await;
        let now = self.clock.now();
        let others = self.read_all().await?.into_iter().filter(|row| !self.announcer.is_own(row.key.row()));
        for row in others.filter(|row| is_old(row, now)).take(REMOVALS_MAX) {
            self.remove(row).await?;
        }
        Ok(())
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
