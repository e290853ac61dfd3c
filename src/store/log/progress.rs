//! The part of the log that this server has read. The rules: a read that begins now sees all writes of each entry up to the horizon, and possibly some of later
//! entries; and the cached rows are those after the newest known entry.
//!
//! Each new entry is announced to the observers, with an ascending version, before they can rely on the rows that it writes. It is open until it is known to be
//! applied, and the horizon is the version before the first open entry.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use quick_cache::unsync::Cache;

use crate::store::{Entity, Etag, Key, WriteObserver, WrittenRow};

use super::entry::Head;
use super::steps::{StepWrite, WATERMARK};

/// The table and key of a row.
pub(super) type Place = (&'static str, Key);

/// The row at a place; `None` if there is none.
pub(super) type StoredRow = Option<Entity>;

/// The maximum number of rows that are cached for the next plans: counts, terms, watermarks, rows of pages.
const ROWS_KEPT: usize = 10_000;
/// The maximum size of a cached row, which excludes texts.
const ROW_BYTES_MAX: u64 = 4 << 10;

pub(super) struct Progress(Mutex<State>);

struct State {
    /// The version of the last announced entry.
    version: u64,
    /// The last known entry; `None` before the log was read.
    known: Option<u64>,
    /// All entries up to this one are applied.
    applied: u64,
    /// The entries that may not be applied yet.
    open: BTreeMap<u64, Open>,
    head: Option<StoredHead>,
    /// Incremented when the head is forgotten, so that a read that began before does not bring it back.
    heads_forgotten: u64,
    observers: Vec<Weak<dyn WriteObserver>>,
    rows: Cache<Place, Option<Entity>>,
}

/// An entry that may not be applied yet.
struct Open {
    version: u64,
    /// `None` if its writes are unknown.
    rows: Option<Arc<[WrittenRow]>>,
    /// Whether this server is currently applying it.
    is_under_way: bool,
}

/// The stored head; without an ETag if the log has no row yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredHead {
    pub head: Head,
    pub etag: Option<Etag>,
}

impl Default for Progress {
    fn default() -> Self {
        Self(Mutex::new(State {
            version: 0,
            known: None,
            applied: 0,
            open: BTreeMap::new(),
            head: None,
            heads_forgotten: 0,
            observers: Vec::new(),
            rows: Cache::new(ROWS_KEPT),
        }))
    }
}

impl Progress {
    /// The observer also gets the open entries, because it must not cache rows that are in doubt.
    pub(super) fn observe(&self, observer: Weak<dyn WriteObserver>) {
        let mut state = self.lock();
        state.observers.push(observer);
        state.announce_open();
    }

    pub(super) fn is_observed(&self) -> bool {
        self.lock().observers.iter().any(|observer| observer.strong_count() > 0)
    }

    pub(super) fn horizon(&self) -> u64 {
        let state = self.lock();
        state.open.values().map(|open| open.version - 1).min().unwrap_or(state.version)
    }

    /// Whether every entry up to the newest head is known, and applied or being applied here, and no append of this server is in doubt.
    pub(super) fn is_settled(&self) -> bool {
        let state = self.lock();
        let is_known = state.head.as_ref().is_some_and(|stored| state.known >= Some(stored.head.number));
        is_known && state.open.values().all(|open| open.is_under_way)
    }

    /// Records that this server could not apply an entry that it has appended.
    pub(super) fn note_not_applied(&self, number: u64) {
        if let Some(open) = self.lock().open.get_mut(&number) {
            open.is_under_way = false;
        }
    }

    pub(super) fn known(&self) -> Option<u64> {
        self.lock().known
    }

    pub(super) fn is_applied(&self, number: u64) -> bool {
        self.lock().applied >= number
    }

    /// The newest head that this server has read or written.
    pub(super) fn head(&self) -> Option<StoredHead> {
        self.lock().head.clone()
    }

    pub(super) fn heads_forgotten(&self) -> u64 {
        self.lock().heads_forgotten
    }

    /// `forgotten`: the [`heads_forgotten`](Self::heads_forgotten) before the head was read or written.
    pub(super) fn note_head(&self, head: StoredHead, forgotten: u64) {
        let mut state = self.lock();
        let is_newer = state.head.as_ref().is_none_or(|known| known.head.number <= head.head.number);
        if is_newer && state.heads_forgotten == forgotten {
            state.head = Some(head);
        }
    }

    /// Requires that the head is read again.
    pub(super) fn forget_head(&self) {
        let mut state = self.lock();
        state.heads_forgotten += 1;
        state.head = None;
    }

    /// Records the entry after the last known one, and drops cached rows that it writes. `is_own`: whether this server applies it, and knows the watermarks.
    pub(super) fn learn(&self, number: u64, writes: &[StepWrite], is_own: bool) {
        let mut state = self.lock();
        if state.known.is_some_and(|known| known >= number) {
            return;
        }
        for write in writes {
            state.rows.remove(&(write.table.name, write.key.clone()));
            if !is_own && let Ok(watermark) = Key::new(write.key.partition(), WATERMARK) {
                state.rows.remove(&(write.table.name, watermark));
            }
        }
        let written = |write: &StepWrite| WrittenRow::new(write.table.name, write.key.partition(), write.key.row());
        let rows: Arc<[WrittenRow]> = writes.iter().map(written).collect();
        let version = state.announce(Some(&rows));
        state.known = Some(number);
        state.open.insert(number, Open { version, rows: Some(rows), is_under_way: is_own });
    }

    /// Records that every entry up to this one is applied.
    pub(super) fn note_applied(&self, number: u64) {
        let mut state = self.lock();
        state.applied = state.applied.max(number);
        let applied = state.applied;
        state.open.retain(|open, _| *open > applied);
    }

    /// Restarts at this entry, because entries may have been missed: everything that was read before is invalid.
    pub(super) fn restart_at(&self, number: u64) {
        let mut state = self.lock();
        state.version += 1;
        state.observers().iter().for_each(|observer| observer.was_reopened());
        state.rows.clear();
        state.open.clear();
        state.known = Some(number);
        state.applied = number.saturating_sub(1);
        if number > 0 {
            let version = state.announce(None);
            state.open.insert(number, Open { version, rows: None, is_under_way: false });
        }
    }

    pub(super) fn row(&self, place: &Place) -> Option<StoredRow> {
        self.lock().rows.get(place).cloned()
    }

    /// Caches the rows after this entry, if no later one is known.
    pub(super) fn keep(&self, number: u64, rows: impl IntoIterator<Item = (Place, Option<Entity>)>) {
        let mut state = self.lock();
        if state.known == Some(number) {
            for (place, row) in rows {
                match row.as_ref().is_none_or(|row| row.bytes() <= ROW_BYTES_MAX) {
                    true => state.rows.insert(place, row),
                    false => drop(state.rows.remove(&place)),
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Runs inside the lock, so that observers get the versions in order, and outdated values are dropped before any reader gets the new horizon.
    fn announce(&mut self, rows: Option<&[WrittenRow]>) -> u64 {
        self.version += 1;
        let version = self.version;
        self.observers().iter().for_each(|observer| observer.will_commit(version, rows));
        version
    }

    fn announce_open(&mut self) {
        let open: Vec<_> = self.open.iter().map(|(number, open)| (*number, open.rows.clone())).collect();
        for (number, rows) in open {
            let version = self.announce(rows.as_deref());
            if let Some(open) = self.open.get_mut(&number) {
                open.version = version;
            }
        }
    }

    fn observers(&mut self) -> Vec<Arc<dyn WriteObserver>> {
        self.observers.retain(|observer| observer.strong_count() > 0);
        self.observers.iter().filter_map(Weak::upgrade).collect()
    }
}
