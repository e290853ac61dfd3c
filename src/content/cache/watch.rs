//! Tells when what a query has read may have changed. The rule: the store is not asked; its next write of what was read, or the next publication, ends a
//! watch. If it is not known what was read, each write does, and some time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use crate::clock::Clock;
use crate::model::Instant;
use crate::model::instant::TICKS_PER_SECOND;
use crate::store::{Store, WriteObserver, WrittenRow};
use crate::telemetry::metrics::CacheKind;

use super::index::Cache;
use super::{Announcements, Recording};

/// The limit of all that is watched, in bytes. What does not fit counts as not known.
const BYTES_MAX: usize = 64 << 20;
/// How long a query counts as current if it is not known what it has read and nothing is written.
const UNKNOWN_FOR: i64 = 10 * TICKS_PER_SECOND;
/// How often the clock is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
const LOOK_SOONEST: Duration = Duration::from_millis(10);

/// Hears of each write before it can be read.
pub(in crate::content) struct Wake(pub watch::Sender<u64>);

impl WriteObserver for Wake {
    fn will_commit(&self, version: u64, _: Option<&[WrittenRow]>) {
        self.0.send_replace(version);
    }

    fn was_reopened(&self) {
        self.0.send_modify(|_| {});
    }
}

pub struct Watches {
    /// The sender of each watch, by its number. A dropped sender ends the watch. `None` if the store does not announce its writes.
    cache: Option<Arc<Cache<u64, watch::Sender<u64>>>>,
    written: Arc<Wake>,
    store: Store,
    clock: Clock,
    last: AtomicU64,
}

/// A watch while its query runs and its reads are recorded.
pub struct Watching {
    /// The recording of the reads, also those of an actor. `None` if nothing can be recorded.
    pub recording: Option<Recording>,
    written: watch::Receiver<u64>,
}

impl Watches {
    pub fn of(Announcements { store, clock }: Announcements) -> Self {
        let written = Arc::new(Wake(watch::Sender::new(0)));
        let observer: Arc<dyn WriteObserver> = Arc::<Wake>::clone(&written);
        store.observe_writes(Arc::downgrade(&observer));
        let cache = Cache::of(CacheKind::Watch, &store, BYTES_MAX);
        Self { cache, written, store, clock, last: AtomicU64::new(0) }
    }

    /// Begins to note. Call it before the query gets its reader.
    pub fn begin(&self) -> Watching {
        let written = self.written.0.subscribe();
        let era = |cache: &Arc<Cache<_, _>>| cache.read().era();
        let recording = self.cache.as_ref().map(|cache| Recording { is_shared: false, ..Recording::of(era(cache)) });
        Watching { recording, written }
    }

    /// Watches what the query has read, since it was read.
    pub fn watch(self: &Arc<Self>, Watching { recording, written }: Watching) -> Watch {
        let read = recording.and_then(|noted| noted.read.lock().unwrap_or_else(PoisonError::into_inner).take());
        let now = self.clock.now();
        let Some((cache, read)) = self.cache.as_ref().zip(read).filter(|(cache, read)| cache.has_space(read)) else {
            let until = Instant::from_ticks(now.ticks().saturating_add(UNKNOWN_FOR));
            return Watch { watches: Arc::clone(self), ended: written, kept: None, at: now, until };
        };
        let (at, until, number) = (read.at, read.until, self.last.fetch_add(1, Ordering::Relaxed));
        let (kept, (sender, ended)) = (Some(cache.hash(number)), watch::channel(0));
        // Dropped at once if something was written meanwhile.
        cache.keep(cache.hash(number), number, (sender, 0), read);
        Watch { watches: Arc::clone(self), ended, kept, at, until }
    }
}

/// Ends when the answer of a query may be different now.
pub struct Watch {
    watches: Arc<Watches>,
    ended: watch::Receiver<u64>,
    /// Where its sender is; `None` if it is not known what the query has read.
    kept: Option<u64>,
    at: Instant,
    until: Option<Instant>,
}

impl Watch {
    pub fn is_current(&self) -> bool {
        let now = self.watches.clock.now();
        let is_same = matches!(self.ended.has_changed(), Ok(false));
        is_same && self.at <= now && self.until.is_none_or(|until| now < until)
    }

    /// Whether another client may get the answer: it is current, and the store knows what other servers write.
    pub fn is_usable(&self) -> bool {
        self.watches.store.is_followed() && self.is_current()
    }

    /// Whether it is known what the query has read.
    pub fn is_exact(&self) -> bool {
        self.kept.is_some()
    }

    pub async fn ended(&self) {
        let mut ended = self.ended.clone();
        while self.is_current() {
            let left = |until: Instant| until.ticks().saturating_sub(self.watches.clock.now().ticks()).max(0);
            let left = self.until.map(|until| Duration::from_micros(left(until).unsigned_abs() / 10));
            tokio::select! {
                _ = ended.changed() => return,
                () = sleep(left.unwrap_or(LOOK_EVERY).clamp(LOOK_SOONEST, LOOK_EVERY)) => {}
            }
            // The store goes on to look for what other servers write, which is one request a second for all.
            self.watches.store.is_followed();
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some((cache, hash)) = self.watches.cache.as_ref().zip(self.kept) {
            cache.forget(hash);
        }
    }
}
