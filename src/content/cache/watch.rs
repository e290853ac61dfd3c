//! Reports when the rows that a query has read may have changed. The rule: no storage request is made; a watch ends with the next write of such a row, or the
//! next publication. If the rows are unknown, it ends with any write, and after some time.

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

/// The limit of all watched read sets, in bytes. Larger read sets count as unknown.
const BYTES_MAX: usize = 64 << 20;
/// How long a query counts as current if its read set is unknown and nothing is written.
const UNKNOWN_FOR: i64 = 10 * TICKS_PER_SECOND;
const LOOK_EVERY: Duration = Duration::from_secs(1);
const LOOK_SOONEST: Duration = Duration::from_millis(10);

/// Is notified of each write before it is visible.
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
    /// The recording of the reads, including those of an authenticated actor. `None` if nothing can be recorded.
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

    /// Begins to record. Call it before the query gets its reader.
    pub fn begin(&self) -> Watching {
        let written = self.written.0.subscribe();
        let era = |cache: &Arc<Cache<_, _>>| cache.read().era();
        let recording = self.cache.as_ref().map(|cache| Recording { is_shared: false, ..Recording::of(era(cache)) });
        Watching { recording, written }
    }

    /// Watches the recorded reads of the query, beginning when they were read.
    pub fn watch(self: &Arc<Self>, Watching { recording, written }: Watching) -> Watch {
        let read = recording.and_then(|noted| noted.read.lock().unwrap_or_else(PoisonError::into_inner).take());
        let now = self.clock.now();
        let Some((cache, read)) = self.cache.as_ref().zip(read).filter(|(cache, read)| cache.has_space(read)) else {
            let until = Instant::from_ticks(now.ticks().saturating_add(UNKNOWN_FOR));
            return Watch { watches: Arc::clone(self), ended: written, kept: None, at: now, until };
        };
        let (at, until, number) = (read.at, read.until, self.last.fetch_add(1, Ordering::Relaxed));
        let (kept, (sender, ended)) = (Some(cache.hash(number)), watch::channel(0));
        // The sender is dropped at once if something was written meanwhile.
        cache.keep(cache.hash(number), number, (sender, 0), read);
        Watch { watches: Arc::clone(self), ended, kept, at, until }
    }
}

/// Ends when the answer of a query may have changed.
pub struct Watch {
    watches: Arc<Watches>,
    ended: watch::Receiver<u64>,
    /// The number of its sender; `None` if the read set is unknown.
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

    /// Whether the answer may be sent to another client: it is current, and the store follows the writes of other servers.
    pub fn is_usable(&self) -> bool {
        self.watches.store.is_followed() && self.is_current()
    }

    /// Whether the read set of the query is known.
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
            // This call makes the store follow the writes of other servers, with one request a second for all watches.
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
