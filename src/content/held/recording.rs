//! What the answer to one query depends on. The rule: a recording that does not know everything is no recording.

use std::sync::{Arc, Mutex, PoisonError};

use crate::content::read::{Reader, next_scheduled};
use crate::model::Instant;
use crate::store::ReadSet;

/// What an answer depends on.
pub(super) struct ReadAnswer {
    /// The era of the index when the query began.
    pub era: u64,
    /// The version of the snapshot that the query read, or the horizon at its beginning.
    pub version: u64,
    /// The instant of the query.
    pub at: Instant,
    /// The instant of the next scheduled post.
    pub until: Option<Instant>,
    pub reads: ReadSet,
}

/// The recording of one query. Clones share it: one is part of the request, another waits for the answer.
#[derive(Clone)]
pub struct Recording {
    era: u64,
    read: Arc<Mutex<Option<ReadAnswer>>>,
}

impl Recording {
    pub(super) fn begin(era: u64) -> Self {
        Self { era, read: Arc::default() }
    }

    /// The query begins to read. Nothing is recorded if its answer is for its actor alone, or if it is not known which writes it sees.
    pub fn start(&self, reader: &Reader) {
        if reader.is_anonymous() && reader.version().is_some() {
            reader.note_reads();
        }
    }

    /// The query has read everything.
    pub async fn end(&self, reader: &Reader) {
        let (Some(version), Some(mut reads)) = (reader.version(), reader.noted_reads()) else { return };
        // If the store fails, the answer is not held.
        let Ok(until) = next_scheduled(reader, &mut reads).await else { return };
        let Some(reads) = reads.completed() else { return };
        let read = ReadAnswer { era: self.era, version, at: reader.now(), until, reads };
        *self.read.lock().unwrap_or_else(PoisonError::into_inner) = Some(read);
    }

    pub(super) fn take(&self) -> Option<ReadAnswer> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
