//! Follows the entries that other servers append. The rules: cached values are used only if the last complete poll began a short time ago; and an entry that is
//! still not applied at the second poll is applied here.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as AsyncMutex, MutexGuard as AsyncMutexGuard, Notify};
use tokio::time::{sleep, sleep_until, timeout};

use crate::clock::Clock;
use crate::store::{Result, StoreError};
use crate::telemetry::metrics;

use super::age::{Age, Moment};
use super::writer::Writer;

const POLL_EVERY: Duration = Duration::from_secs(1);
/// The maximum time of a useful poll.
const POLL_MAX: Duration = Duration::from_secs(5);
/// The maximum time that the first query after a pause waits for a poll, which is one storage request. Without it, the query neither uses nor fills a cache.
const CATCH_UP_MAX: Duration = Duration::from_millis(250);
/// The maximum time that a reader waits for a position.
const POSITION_MAX: Duration = Duration::from_secs(2);
const POSITION_EVERY: Duration = Duration::from_millis(200);
/// Polling stops after this time without a query.
const IDLE_AFTER: Duration = Duration::from_secs(30);

#[derive(Default)]
pub(super) struct Follower {
    state: Mutex<State>,
    polling: AsyncMutex<()>,
    wake: Notify,
    polled: Notify,
    is_following: AtomicBool,
    /// Whether the last poll failed, so that a series of failures is logged once.
    has_failed: AtomicBool,
}

#[derive(Default)]
struct State {
    /// The start of the last complete poll.
    polled: Option<Age>,
    /// The time of the last query.
    asked: Option<Moment>,
    /// The newest entry at the last poll.
    newest: u64,
}

/// Exists while a task polls.
struct Following<'f>(&'f AtomicBool);

impl Drop for Following<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl Follower {
    /// Whether every entry older than `within` is known. Requests further polls, and an immediate one if this is false.
    pub(super) fn ask(&self, within: Duration, clock: &Clock) -> bool {
        let mut state = self.lock();
        let is_current = state.polled.is_some_and(|polled| polled.elapsed(clock) <= within);
        state.asked = Some(Moment::now());
        drop(state);
        if !is_current {
            self.wake.notify_one();
        }
        is_current
    }

    /// Waits for a short time for the next poll, unless nobody polls or the last poll has failed.
    pub(super) async fn catch_up(&self, is_current: impl FnOnce() -> bool) {
        // This future notices a poll that ends from now on, even before it is awaited.
        let polled = self.polled.notified();
        let is_awaited = self.is_following.load(Ordering::Relaxed) && !self.has_failed.load(Ordering::Relaxed);
        if !is_current() && is_awaited {
            drop(timeout(CATCH_UP_MAX, polled).await);
        }
    }

    /// Polls while queries arrive. The first poll is immediate, so that it is complete before the first query.
    pub(super) async fn follow(&self, writer: &Arc<Writer>) {
        self.lock().asked = Some(Moment::now());
        self.is_following.store(true, Ordering::Relaxed);
        let _following = Following(&self.is_following);
        loop {
            self.is_asked().await;
            let next = Moment::now() + POLL_EVERY;
            // `poll` counts and logs a failure; until a poll succeeds, nothing is cached.
            drop(self.poll(writer).await);
            sleep_until(next).await;
        }
    }

    /// Waits until a query arrives.
    async fn is_asked(&self) {
        loop {
            let asked = self.lock().asked;
            if asked.is_some_and(|asked| asked.elapsed() < IDLE_AFTER) {
                return;
            }
            self.wake.notified().await;
        }
    }

    /// One point read, and one range read if there are new entries.
    pub(super) async fn poll(&self, writer: &Arc<Writer>) -> Result<()> {
        self.poll_alone(self.polling.lock().await, writer).await
    }

    async fn poll_alone(&self, _one: AsyncMutexGuard<'_, ()>, writer: &Arc<Writer>) -> Result<()> {
        let began = Age::new(&writer.clock);
        let polled = timeout(POLL_MAX, self.read(writer)).await;
        let polled = polled.unwrap_or_else(|error| Err(StoreError::unavailable("a poll of the log", error)));
        metrics::log_polled(if polled.is_ok() { "ok" } else { "failed" });
        if let Err(error) = &polled
            && !self.has_failed.load(Ordering::Relaxed)
        {
            tracing::warn!(%error, "log.poll_failed");
        }
        self.has_failed.store(polled.is_err(), Ordering::Relaxed);
        let newest = match polled {
            Ok(newest) => newest,
            Err(error) => {
                self.polled.notify_waiters();
                return Err(error);
            }
        };
        let before = {
            let mut state = self.lock();
            if let Some(polled) = state.polled {
                metrics::log_poll_age(polled.elapsed(&writer.clock));
            }
            state.polled = Some(began);
            std::mem::replace(&mut state.newest, newest)
        };
        self.polled.notify_waiters();
        // If others have written since, their entry shows that this one is applied.
        if newest == before {
            let failed = move |error: StoreError| tracing::warn!(%error, entry = newest, "log.not_applied");
            match writer.find_out_if_applied(newest).await {
                Ok(true) => {}
                Ok(false) => {
                    let writer = Arc::clone(writer);
                    tokio::spawn(async move { writer.catch_up_if_idle().await.unwrap_or_else(failed) });
                }
                Err(error) => failed(error),
            }
        }
        Ok(())
    }

    /// Waits until the entry with this number is known and applied. Returns false if there is no such entry.
    pub(super) async fn wait_for(&self, position: u64, writer: &Arc<Writer>) -> Result<bool> {
        let is_known = || writer.progress.known().is_some_and(|known| known >= position);
        let waiting = async {
            let asked = Moment::now();
            if !is_known() {
                let one = self.polling.lock().await;
                // A poll that began afterwards has found every entry that the client can know.
                if !self.lock().polled.is_some_and(|polled| polled.is_since(asked)) {
                    self.poll_alone(one, writer).await?;
                }
                if !is_known() {
                    return Ok(false);
                }
            }
            loop {
                let one = self.polling.lock().await;
                if writer.find_out_if_applied(position).await? {
                    return Ok(true);
                }
                drop(one);
                sleep(POSITION_EVERY).await;
            }
        };
        let late = |error| StoreError::unavailable(format!("the write at the position {position}"), error);
        timeout(POSITION_MAX, waiting).await.unwrap_or_else(|error| Err(late(error)))
    }

    /// Returns the number of the newest entry.
    async fn read(&self, writer: &Writer) -> Result<u64> {
        let head = writer.read_head().await?;
        // If the host has paused this machine, its clocks do not show that, but the storage's clock does.
        if let Err(error) = writer.store.check_clock().await {
            self.lock().polled = None;
            return Err(error);
        }
        writer.learn_to(head.head.number).await?;
        Ok(head.head.number)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
