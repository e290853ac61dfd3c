//! Purges of a CDN by tags. The rule: nothing waits for a purge, and a tag that was lost is replaced by a purge of everything.
//!
//! Each write is purged twice: within [`queue::COLLECTED_FOR`], and again after [`queue::AGAIN_AFTER`], because until then another server may have sent the old
//! answer (I1), or one of this server may have been on its way. At its start, a server purges everything, because earlier purges may be missing.

mod forms;
mod queue;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant as Moment, sleep_until, timeout};

use crate::clock::Clock;
use crate::content::changed::{ChangeSink, Changed};
use crate::telemetry::metrics;

pub use forms::{BadPurgeToken, BadPurgeUrl, CdnKind, PurgeSettings, PurgeToken, PurgeUrl};
use forms::{PurgeError, Sender};
use queue::Queue;

const BACKOFF_MIN: Duration = Duration::from_millis(500);
const BACKOFF_MAX: Duration = Duration::from_secs(30);
/// The time within which a write whose answer was lost may still be carried out.
const LATE_AFTER: Duration = Duration::from_secs(600);
/// The maximum difference between the clocks of servers and CDN.
const SKEW_MAX: Duration = Duration::from_secs(5);
/// The maximum time that the end of the process waits for the last purges.
const FINISHED_WITHIN: Duration = Duration::from_secs(5);

#[derive(Clone)]
pub struct Purges(Arc<Shared>);

struct Shared {
    sender: Sender,
    /// The maximum time that the CDN shows an answer.
    cached_for: Duration,
    clock: Clock,
    queue: Mutex<Queue>,
    wake: Notify,
}

impl std::fmt::Debug for Purges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Purges").finish_non_exhaustive()
    }
}

impl Purges {
    /// `cached_for`: how long the CDN may show an answer.
    ///
    /// # Errors
    /// If no HTTP client can be created, for example because the machine has no root certificates.
    pub fn new(settings: &PurgeSettings, cached_for: Duration, clock: Clock) -> Result<Self, reqwest::Error> {
        let sender = Sender::new(settings)?;
        let queue = Mutex::new(Queue::begin(Moment::now()));
        let shared = Shared { sender, cached_for, clock, queue, wake: Notify::new() };
        Ok(Self(Arc::new(shared)))
    }

    /// Like [`new`](Self::new), with the clock of the system.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn of_server(settings: &PurgeSettings, cached_for: Duration) -> Result<Self, reqwest::Error> {
        Self::new(settings, cached_for, Clock::System)
    }

    /// Purges everything.
    pub fn purge_everything(&self) {
        self.lock().add_everything(Moment::now());
        self.0.wake.notify_one();
    }

    /// Sends the purges, until the future is dropped.
    pub async fn send_for_ever(&self) {
        // The wait after a failed purge.
        let mut backoff: Option<Duration> = None;
        loop {
            let Some(next) = self.lock().next_at() else {
                self.0.wake.notified().await;
                continue;
            };
            match backoff {
                Some(backoff) => sleep_until(next.max(Moment::now() + backoff)).await,
                None => tokio::select! {
                    biased;
                    () = sleep_until(next) => {}
                    () = self.0.wake.notified() => continue,
                },
            }
            let was_failing = backoff.is_some();
            match self.send_next().await {
                Ok(()) => {
                    if was_failing {
                        tracing::info!("purge.recovered");
                    }
                    backoff = None;
                }
                Err(error) => {
                    if !was_failing {
                        tracing::warn!(%error, "purge.failed");
                    }
                    backoff = Some(backoff.map_or(BACKOFF_MIN, |backoff| (backoff * 2).min(BACKOFF_MAX)));
                }
            }
        }
    }

    /// Sends one batch.
    async fn send_next(&self) -> Result<(), PurgeError> {
        let batch = self.lock().batch(Moment::now(), self.0.sender.batch_max());
        if batch.tags.is_empty() {
            return Ok(());
        }
        let answer = self.0.sender.send(&batch.tags).await;
        metrics::purged(if answer.is_ok() { "ok" } else { "failed" });
        answer.inspect(|()| self.lock().sent(&batch))
    }

    /// Sends the waiting purges before the process ends, and sends them again when the other servers show the changes, unless the CDN fails.
    pub async fn finish(&self) {
        self.lock().hurry(Moment::now());
        let all = async {
            loop {
                let Some(next) = self.lock().next_at() else { return true };
                sleep_until(next).await;
                if let Err(error) = self.send_next().await {
                    tracing::warn!(%error, "purge.failed");
                    return false;
                }
            }
        };
        if !matches!(timeout(FINISHED_WITHIN, all).await, Ok(true)) {
            tracing::warn!("purge.not_finished");
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChangeSink for Purges {
    fn changed(&self, changed: Changed) {
        let (now, late) = (Moment::now(), (!changed.is_certain).then_some(LATE_AFTER));
        let mut queue = self.lock();
        queue.add(&changed.tags, now, late);
        if changed.appears_within(self.0.cached_for + SKEW_MAX, self.0.clock.now()) {
            queue.add_everything(now);
        }
        drop(queue);
        self.0.wake.notify_one();
    }
}
