//! The observers of the writes to the file. The rule: an observer is told of each commit after its observation has begun, before the commit is
//! visible; so no observation begins while a group is being written.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::store::{WriteObserver, WrittenRow};

/// A group that writes more rows than this, as an import does, is announced without them: to look up so many rows costs more than it saves.
const ROWS_NAMED_MAX: usize = 1_000;

#[derive(Default)]
pub(super) struct Observers(Mutex<Vec<Weak<dyn WriteObserver>>>);

impl Observers {
    /// Waits for the group that is being written.
    pub(super) fn add(&self, observer: Weak<dyn WriteObserver>) {
        self.lock().push(observer);
    }

    /// The observers of the next group. None is added until this is dropped.
    pub(super) fn of_group(&self) -> GroupObservers<'_> {
        let mut all = self.lock();
        all.retain(|observer| observer.strong_count() > 0);
        let rows = if all.is_empty() { None } else { Some(Vec::new()) };
        GroupObservers { all, rows }
    }

    pub(super) fn was_reopened(&self) {
        self.lock().iter().filter_map(Weak::upgrade).for_each(|observer| observer.was_reopened());
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<dyn WriteObserver>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The observers of one group, and the rows that it has written so far.
pub(super) struct GroupObservers<'o> {
    all: MutexGuard<'o, Vec<Weak<dyn WriteObserver>>>,
    /// `None` if nobody observes, or if there are too many rows to name.
    rows: Option<Vec<WrittenRow>>,
}

impl GroupObservers<'_> {
    /// Whether written rows are still noted.
    pub(super) fn notes_rows(&self) -> bool {
        self.rows.is_some()
    }

    pub(super) fn note(&mut self, row: impl FnOnce() -> WrittenRow) {
        if let Some(rows) = self.rows.as_mut().filter(|rows| rows.len() < ROWS_NAMED_MAX) {
            rows.push(row());
        } else {
            self.rows = None;
        }
    }

    /// The group is about to be committed with this version.
    pub(super) fn will_commit(&self, version: u64) {
        let observers: Vec<Arc<dyn WriteObserver>> = self.all.iter().filter_map(Weak::upgrade).collect();
        observers.iter().for_each(|observer| observer.will_commit(version, self.rows.as_deref()));
    }
}
