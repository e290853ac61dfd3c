//! Answers held: whole answers to anonymous queries, used again until anything that they depend on changes. The rule: an answer that is used is the
//! one that the query would get now (I18).
//!
//! An answer depends on the rows that its query read, and on the time. The store tells of every write before it is visible
//! ([`WriteObserver`]), and an answer that read one of the rows is dropped then. The time changes an answer only when a scheduled post appears, so
//! an answer is not used from the instant of the next one on, nor before its own instant, if the clock was set back.
//!
//! [`recording`] notes what one query depends on, [`shelf`] finds the answers that depend on a row and bounds the bytes, [`recent`] refuses an answer
//! that was out of date before it was held.

mod recent;
mod recording;
mod shelf;

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::clock::Clock;
use crate::content::Content;
use crate::store::{Store, WriteObserver, WrittenRow};
use crate::telemetry::metrics;

pub use recording::Recording;
use shelf::{HeldAnswer, Shelf};

/// The default bound in bytes.
pub const HELD_BYTES_MAX: usize = 16 << 20;

/// One answer may have this part of all bytes, so that a few long answers do not drop all others.
const ANSWER_SHARE: usize = 16;

/// What a holder of answers needs of the content: its clock, and the announcements of its writes.
#[derive(Clone)]
pub struct Announcements {
    store: Store,
    clock: Clock,
}

impl Content {
    pub fn announcements(&self) -> Announcements {
        Announcements { store: Arc::clone(&self.store), clock: self.clock.clone() }
    }
}

/// The answers that are held, each a `T` of the caller.
pub struct HeldAnswers<T> {
    shelf: Mutex<Shelf<T>>,
    clock: Clock,
    hasher: RandomState,
    bytes_max: usize,
}

impl<T: Send + Sync + 'static> HeldAnswers<T> {
    /// Holds at most `bytes_max` bytes. `None` if that is zero, or if the store does not announce its writes.
    pub fn of(announcements: &Announcements, bytes_max: usize) -> Option<Arc<Self>> {
        if bytes_max == 0 {
            return None;
        }
        let (clock, shelf) = (announcements.clock.clone(), Mutex::new(Shelf::new(bytes_max)));
        let held = Arc::new(Self { shelf, clock, hasher: RandomState::new(), bytes_max });
        let observer: Arc<dyn WriteObserver> = Arc::<Self>::clone(&held);
        announcements.store.observe_writes(Arc::downgrade(&observer)).then_some(held)
    }

    /// The bytes that one answer may have, with its key.
    pub fn answer_bytes_max(&self) -> usize {
        self.bytes_max / ANSWER_SHARE
    }

    /// The answer to this request, if it is held and would be the same now. `door`: how the request came; requests of different doors have different
    /// answers.
    pub fn find(&self, door: u8, request: &[u8]) -> Option<Arc<T>> {
        let hash = self.hasher.hash_one((door, request));
        let found = {
            let mut shelf = self.lock();
            // Inside the lock: an earlier time might be the one before a scheduled post appeared, or before a write.
            let now = self.clock.now().start_of_millisecond();
            shelf.find(hash, (door, request), now)
        };
        metrics::held_answer(if found.is_some() { "hit" } else { "miss" }, 1);
        found
    }

    /// Notes what the answer to one query depends on. Begins before the query gets its reader.
    pub fn record(&self) -> Recording {
        Recording::begin(self.lock().era())
    }

    /// Holds the answer to a request, of so many bytes, if its recording is complete and nothing that it depends on has changed since it was read.
    pub fn keep(&self, request: (u8, &[u8]), recording: &Recording, bytes: usize, make: impl FnOnce() -> T) {
        let Some(read) = recording.take() else { return };
        if request.1.len() + bytes > self.answer_bytes_max() {
            return;
        }
        let hash = self.hasher.hash_one(request);
        let answer = HeldAnswer::new(request, read, (Arc::new(make()), bytes));
        self.lock().keep(hash, answer);
    }

    /// The bytes of all held answers, with their keys and what they depend on.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        self.lock().bytes()
    }

    fn lock(&self) -> MutexGuard<'_, Shelf<T>> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Send + Sync + 'static> WriteObserver for HeldAnswers<T> {
    fn will_commit(&self, version: u64, rows: Option<&[WrittenRow]>) {
        self.lock().will_commit(version, rows);
    }

    fn was_reopened(&self) {
        self.lock().was_reopened();
    }
}
