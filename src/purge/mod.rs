//! Purges of a CDN by tags. The rule: nothing waits for a purge, and a tag that was lost is replaced by a purge of everything.
//!
//! Each write is purged twice: after [`queue::COLLECTED_FOR`], and again after [`queue::AGAIN_AFTER`], because until
//! then another server may have sent the old answer (I1), or that of this server may have been under way. At its start
//! a server purges everything, because it does not know what it left unpurged.

mod forms;
mod queue;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant as Moment, sleep_until, timeout};

use crate::clock::Clock;
use crate::content::Tag;
use crate::content::changed::{ChangeSink, Changed};
use crate::model::Instant;
use crate::telemetry::metrics;

pub use crate::content::changed::InstantTags;
use forms::Sender;
pub use forms::{BadPurgeToken, BadPurgeUrl, CdnKind, PurgeSettings, PurgeToken, PurgeUrl};
use queue::Queue;

const BACKOFF_MIN: Duration = Duration::from_millis(500);
const BACKOFF_MAX: Duration = Duration::from_secs(30);
/// If purges have failed for so long, everything is purged once they succeed again, and what waits is not kept.
const FAILING_MAX: Duration = Duration::from_secs(60);
/// A write whose answer was lost can be carried out for so long.
const LATE_AFTER: Duration = Duration::from_secs(600);
/// The clocks of servers and CDN may differ by so much.
const SKEW_MAX: Duration = Duration::from_secs(5);
/// How long the end of a process waits for its last purges.
const FINISHED_WITHIN: Duration = Duration::from_secs(5);
/// The farthest instant at which a purge is planned: a CDN holds an answer for less.
const PLANNED_MAX: Duration = Duration::from_secs(366 * 24 * 3600);

/// The purges to send. Clones share them.
#[derive(Clone)]
pub struct Purges(Arc<Shared>);

struct Shared {
    sender: Sender,
    /// How long the CDN may show an answer.
    held_for: Duration,
    clock: Clock,
    queue: Mutex<Queue>,
    wake: Notify,
}

impl std::fmt::Debug for Purges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Purges").finish_non_exhaustive()
    }
}

/// A series of failed purges.
struct Failing {
    since: Moment,
    backoff: Duration,
    /// Whether it was logged that everything is purged in place of them.
    is_long: bool,
}

impl Purges {
    /// `held_for`: how long the CDN may show an answer.
    ///
    /// # Errors
    /// If there is no client of HTTP, for example because the machine has no root certificates.
    pub fn new(settings: &PurgeSettings, held_for: Duration, clock: Clock) -> Result<Self, reqwest::Error> {
        let sender = Sender::new(settings)?;
        let shared = Shared { sender, held_for, clock, queue: Mutex::default(), wake: Notify::new() };
        Ok(Self(Arc::new(shared)))
    }

    /// Like [`new`](Self::new), with the clock of the system.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn of_server(settings: &PurgeSettings, held_for: Duration) -> Result<Self, reqwest::Error> {
        Self::new(settings, held_for, Clock::System)
    }

    /// Purges everything.
    pub fn purge_everything(&self) {
        self.lock().add_everything(Moment::now());
        self.0.wake.notify_one();
    }

    /// Purges at this instant the answers that change then. `tag`: the tag of the instant.
    pub fn purge_at(&self, at: Instant, tag: Tag) {
        let ticks = at.ticks().saturating_sub(self.0.clock.now().ticks()).max(0);
        let wait = Duration::from_nanos(u64::try_from(ticks).unwrap_or_default().saturating_mul(100));
        let is_new = self.lock().add_instant(tag, Moment::now() + wait.min(PLANNED_MAX));
        if is_new {
            self.0.wake.notify_one();
        }
    }

    /// Sends the purges, until the future is dropped.
    pub async fn send_for_ever(&self) {
        let mut failing: Option<Failing> = None;
        loop {
            let next = self.lock().next_at();
            let after = failing.as_ref().map(|failing| Moment::now() + failing.backoff);
            match next.map(|next| after.map_or(next, |after| next.max(after))) {
                Some(at) if at > Moment::now() && failing.is_some() => sleep_until(at).await,
                Some(at) if at > Moment::now() => {
                    tokio::select! {
                        () = sleep_until(at) => {}
                        () = self.0.wake.notified() => continue,
                    }
                }
                Some(_) => {}
                None => {
                    self.0.wake.notified().await;
                    continue;
                }
            }
            failing = self.send_next(failing).await;
        }
    }

    /// Sends one batch. Returns how long purges have been failing.
    async fn send_next(&self, failing: Option<Failing>) -> Option<Failing> {
        let batch = self.lock().batch(Moment::now(), self.0.sender.batch_max());
        if batch.is_empty() {
            return failing;
        }
        let tags: Vec<Tag> = batch.iter().map(|(tag, _)| *tag).collect();
        let answer = self.0.sender.send(&tags).await;
        metrics::purged(if answer.is_ok() { "ok" } else { "failed" });
        let Err(error) = answer else {
            self.lock().sent(&batch);
            if failing.is_some() {
                tracing::info!("purge.recovered");
            }
            return None;
        };
        let Some(failing) = failing else {
            tracing::warn!(%error, "purge.failed");
            return Some(Failing { since: Moment::now(), backoff: BACKOFF_MIN, is_long: false });
        };
        let is_long = failing.since.elapsed() >= FAILING_MAX;
        if is_long {
            self.lock().add_everything(Moment::now());
            if !failing.is_long {
                tracing::warn!(%error, "purge.still_failing");
            }
        }
        Some(Failing { backoff: (failing.backoff * 2).min(BACKOFF_MAX), is_long, ..failing })
    }

    /// Sends the waiting purges before the process ends, and again when the other servers show the changes, unless the
    /// CDN fails.
    pub async fn finish(&self) {
        self.lock().hurry(Moment::now());
        let all = async {
            loop {
                let Some(next) = self.lock().next_at() else { return true };
                sleep_until(next).await;
                if self.send_next(None).await.is_some() {
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
        if changed.appears_within(self.0.held_for + SKEW_MAX, self.0.clock.now()) {
            queue.add_everything(now);
        }
        drop(queue);
        self.0.wake.notify_one();
    }
}
