//! Records what the answer to one query depends on. The rule: an incomplete recording counts as none.

use std::sync::{Arc, Mutex, PoisonError};

use super::index::Dependencies;

/// The recording of one query, which a [`Reader`](crate::content::Reader) starts and ends. Clones share it: one is part of the request, another waits
/// for the answer.
#[derive(Clone)]
pub struct Recording {
    era: u64,
    read: Arc<Mutex<Option<Dependencies>>>,
}

impl Recording {
    pub(super) fn begin(era: u64) -> Self {
        Self { era, read: Arc::default() }
    }

    /// The era of the held answers when the query began.
    pub(in crate::content) fn era(&self) -> u64 {
        self.era
    }

    pub(in crate::content) fn complete(&self, read: Dependencies) {
        *self.read.lock().unwrap_or_else(PoisonError::into_inner) = Some(read);
    }

    pub(super) fn look<T>(&self, look: impl FnOnce(&Dependencies) -> T) -> Option<T> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(look)
    }

    pub(super) fn take(&self) -> Option<Dependencies> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
