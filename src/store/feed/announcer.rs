//! The announcements of this process, in the row of its epoch. The rules: a write is sent only while an acknowledged announcement of its rows is open
//! (N1), and an announcement is open until all of its writes have been answered for certain (N2).
//!
//! The row is replaced as a whole, each time under the ETag that the last write of it has left, so that a late request cannot bring an older state
//! back. Commits that wait at the same time share one write of the row.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as AsyncMutex, oneshot};
use tokio::time::{sleep, timeout};

use crate::clock::Clock;
use crate::store::{Batch, Etag, Key, Operation, Precondition, Properties, Result, Store, StoreError};
use crate::telemetry::metrics;

use super::age::{Age, USED_FOR};
use super::announcements::{Announcements, CLOSED_AFTER};
use super::row::{EpochRow, NamedRows, PARTITION};

/// A write that took so long is announced again when it is answered, because followers may have closed its announcement soon after.
const LATE_AFTER: Duration = Duration::from_secs(300);
/// A change that begins uses an announcement that others have made only if the rest of the time is long enough for most changes.
const AHEAD_FOR: Duration = Duration::from_secs(20);
/// How often the announcement of a late write is tried, and the pause in between: for longer than a storage is usually away.
const LATE_ATTEMPTS_MAX: usize = 1_000;
const LATE_RETRY: Duration = Duration::from_secs(1);
/// How long a commit waits for its announcement.
const ANNOUNCED_WITHIN: Duration = Duration::from_secs(15);
/// How often the row is written under another name.
const ATTEMPTS_MAX: usize = 4;

pub(super) struct Announcer {
    inner: Store,
    table: &'static str,
    clock: Clock,
    state: Mutex<Announcements>,
    own: AsyncMutex<OwnRow>,
}

/// The row of the epoch as this process has left it.
#[derive(Default)]
struct OwnRow {
    name: Option<String>,
    etag: Option<Etag>,
    /// Whether the row may be another than the last one known, because an answer was lost.
    is_unknown: bool,
    /// What the last write would have left whose answer was lost.
    lost: Option<Properties>,
}

/// Keeps an announcement open. If it is dropped while a write is under way, the announcement stays open until the write cannot happen any more.
pub(super) struct Cover {
    announcer: Arc<Announcer>,
    number: u64,
    begun: Age,
    is_writing: bool,
}

impl Cover {
    /// A write of its rows is about to be sent.
    pub(super) fn begin(&mut self) {
        self.is_writing = true;
    }

    /// The write was answered for certain.
    pub(super) fn end(&mut self) {
        self.is_writing = false;
    }

    /// Whether a write must not be sent under it any more.
    pub(super) fn is_used_up(&self) -> bool {
        self.begun.elapsed(&self.announcer.clock) >= USED_FOR
    }

    /// Whether a write that is answered now was so late that followers may have closed the announcement before.
    pub(super) fn is_late(&self) -> bool {
        self.begun.elapsed(&self.announcer.clock) > LATE_AFTER
    }
}

impl Drop for Cover {
    fn drop(&mut self) {
        self.announcer.release(self.number, self.is_writing);
    }
}

impl Announcer {
    pub(super) fn new(inner: Store, table: &'static str, clock: Clock) -> Arc<Self> {
        Arc::new(Self { inner, table, clock, state: Mutex::default(), own: AsyncMutex::default() })
    }

    /// Whether this process has announced under this name.
    pub(super) fn is_own(&self, epoch: &str) -> bool {
        self.lock().epochs.iter().any(|own| own == epoch)
    }

    /// An announcement that covers the batch: an open one, or a new one.
    ///
    /// # Errors
    /// If the announcement could not be written. Then the batch must not be sent.
    pub(super) async fn cover(self: &Arc<Self>, table: &str, batch: &Batch) -> Result<Cover> {
        match self.covering(|rows| rows.covers(table, batch), USED_FOR) {
            Some(cover) => Ok(cover),
            None => self.announce(NamedRows::of_batch(table, batch)).await,
        }
    }

    /// An open announcement that covers all of these rows, or a new one.
    ///
    /// # Errors
    /// As [`cover`](Self::cover).
    pub(super) async fn announce_ahead(self: &Arc<Self>, rows: NamedRows) -> Result<Cover> {
        match self.covering(|_| false, AHEAD_FOR) {
            Some(cover) => Ok(cover),
            None => self.announce(rows).await,
        }
    }

    fn covering(self: &Arc<Self>, has: impl Fn(&NamedRows) -> bool, younger_than: Duration) -> Option<Cover> {
        let (number, begun) = self.lock().covering(has, (younger_than, &self.clock))?;
        Some(self.new_cover(number, begun))
    }

    fn new_cover(self: &Arc<Self>, number: u64, begun: Age) -> Cover {
        Cover { announcer: Arc::clone(self), number, begun, is_writing: false }
    }

    /// Announces the rows, and waits until the announcement is stored.
    ///
    /// # Errors
    /// As [`cover`](Self::cover).
    pub(super) async fn announce(self: &Arc<Self>, rows: NamedRows) -> Result<Cover> {
        let (waiter, answered) = oneshot::channel();
        let number = self.lock().add(rows, waiter)?;
        let cover = self.new_cover(number, Age::new(&self.clock));
        self.flush_soon();
        match timeout(ANNOUNCED_WITHIN, answered).await {
            Ok(Ok(answer)) => answer.map(|()| cover),
            Ok(Err(error)) => Err(StoreError::unavailable("the announcement of a write", error)),
            Err(error) => Err(StoreError::unavailable("the announcement of a write", error)),
        }
    }

    /// Announces rows again whose write was answered so late that followers may have closed its announcement. `is_certain`: whether the answer is.
    pub(super) async fn announce_late(self: Arc<Self>, rows: NamedRows, is_certain: bool) {
        for _ in 0..LATE_ATTEMPTS_MAX {
            match self.announce(rows.clone()).await {
                Ok(mut cover) => {
                    // Otherwise it stays open until the write cannot happen any more.
                    if !is_certain {
                        cover.begin();
                    }
                    return;
                }
                Err(error) => tracing::error!(%error, "feed.late_write_not_announced"),
            }
            sleep(LATE_RETRY).await;
        }
    }

    /// Writes the closings that are not written yet.
    pub(super) async fn finish(self: &Arc<Self>) {
        {
            let mut state = self.lock();
            (state.closes_now, state.is_finishing) = (true, true);
        }
        self.flush().await;
    }

    fn release(self: &Arc<Self>, number: u64, was_writing: bool) {
        let is_to_be_closed = self.lock().release(number, was_writing);
        // Without a runtime, at the end of a process, the announcement is closed by its age.
        if is_to_be_closed && let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(Arc::clone(self).close_unused());
        }
    }

    /// Until everything is closed that is not used, and it is written.
    async fn close_unused(self: Arc<Self>) {
        loop {
            sleep(CLOSED_AFTER).await;
            self.lock().closes_now = true;
            self.flush().await;
            if !self.lock().is_closing_again() {
                return;
            }
        }
    }

    /// In a task of its own, because the task that waits for an announcement may be dropped.
    fn flush_soon(self: &Arc<Self>) {
        if std::mem::replace(&mut self.lock().is_flushing, true) {
            return;
        }
        let announcer = Arc::clone(self);
        tokio::spawn(async move {
            // Commits that are about to wait too are announced together.
            tokio::task::yield_now().await;
            announcer.flush().await;
        });
    }

    async fn flush(&self) {
        let mut own = self.own.lock().await;
        // From now on, who announces something needs another flush, which waits for this one; so none is missing if this one panics.
        self.lock().is_flushing = false;
        loop {
            let Some((row, announced)) = self.lock().next_row(&self.clock) else { return };
            let written = self.write(&mut own, &row).await;
            if written.is_ok() && announced.is_empty() {
                metrics::feed_announced("closed");
            }
            self.lock().answer(&announced, written);
        }
    }

    async fn write(&self, own: &mut OwnRow, row: &EpochRow) -> Result<()> {
        let properties = row.properties();
        for _ in 0..ATTEMPTS_MAX {
            let name = match &own.name {
                Some(name) => name.clone(),
                None => self.new_epoch()?,
            };
            own.name = Some(name.clone());
            if own.is_unknown {
                let found = self.inner.get(self.table, &Key::new(PARTITION, name.as_str())?).await?;
                let (etag, found) = found.map(|found| (found.etag, found.properties)).unzip();
                if found.as_ref() == Some(&properties) {
                    *own = OwnRow { name: Some(name), etag, ..OwnRow::default() };
                    return Ok(());
                }
                own.is_unknown = false;
                if etag.is_none() || (etag != own.etag && found != own.lost) {
                    self.leave_epoch(own);
                    continue;
                }
                own.etag = etag;
            }
            let precondition = own.etag.clone().map_or(Precondition::Absent, Precondition::Match);
            let put = Operation::Put { row: name, properties: properties.clone(), precondition };
            own.is_unknown = true;
            match self.inner.commit(self.table, &Batch::new(PARTITION, vec![put])?).await {
                Ok(etags) => {
                    (own.etag, own.is_unknown) = (etags.into_iter().next().flatten(), false);
                    return Ok(());
                }
                Err(StoreError::Precondition(_)) => self.leave_epoch(own),
                Err(error) => {
                    own.lost = Some(properties);
                    return Err(error);
                }
            }
        }
        Err(StoreError::Unavailable {
            what: "the row of this server in the feed is written by another".to_owned(),
            source: None,
        })
    }

    /// The row was removed because it was old, or another process has the same name, as a copy of this machine has: then each must follow the other.
    fn leave_epoch(&self, own: &mut OwnRow) {
        if let Some(name) = own.name.take() {
            self.lock().epochs.retain(|epoch| *epoch != name);
        }
        *own = OwnRow::default();
    }

    fn new_epoch(&self) -> Result<String> {
        let mut random = [0; 8];
        getrandom::fill(&mut random)
            .map_err(|error| StoreError::unavailable("the operating system provides no random bytes", error))?;
        let name = format!("{:016x}", u64::from_le_bytes(random));
        self.lock().epochs.push(name.clone());
        Ok(name)
    }

    fn lock(&self) -> MutexGuard<'_, Announcements> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
