//! Records the reads of a request, so that a value computed from them can be cached until one of the rows is written. The rule: everything is recorded, except
//! the reads of [`CountingStore::unnoted`], which its caller records.

use super::CountingStore;
use crate::store::{Key, ReadSet, Result};

impl CountingStore {
    /// From now on, records the reads, including those of snapshots of this store.
    pub fn note_reads(&self, into: ReadSet) {
        self.lock().noted = Some(into);
    }

    /// Records a read whose rows are cached, as if it had been made.
    pub fn note_cached(&self, note: impl Fn(&mut ReadSet)) {
        self.note(&note);
        if let Some(request) = &self.request {
            request.note_cached(note);
        }
    }

    /// Whether reads are recorded.
    pub fn is_noting(&self) -> bool {
        let notes_itself = !self.is_unnoted && self.lock().noted.is_some();
        notes_itself || self.request.as_ref().is_some_and(|request| request.is_noting())
    }

    /// Ends the recording, and returns the reads since [`note_reads`](Self::note_reads); `None` if a set cannot contain them.
    pub fn noted_reads(&self) -> Option<ReadSet> {
        self.lock().noted.take()?.completed()
    }

    pub(super) fn note(&self, note: impl FnOnce(&mut ReadSet)) {
        if !self.is_unnoted {
            self.lock().note(note);
        }
    }

    /// Records the point reads of these keys, or that one of them failed.
    pub(super) fn note_rows<T>(&self, table: &'static str, keys: &[Key], answers: &[Result<T>]) {
        self.note(|noted| {
            keys.iter().for_each(|key| noted.note_row(table, key));
            if answers.iter().any(Result::is_err) {
                noted.break_off();
            }
        });
    }
}
