//! The counters of one GraphQL request, and its recorded reads. The rule: this state decides when a request yields or is refused, and sends nothing.

use crate::store::{ReadSet, Result, StorageUse, StoreError};

/// How many requests and rows of a local store are read before the request yields.
pub(super) const REQUESTS_BETWEEN_YIELDS: u32 = 16;
pub(super) const ROWS_BETWEEN_YIELDS: u64 = 1_000;

pub(super) struct CountingState {
    pub used: StorageUse,
    /// The highest wave in which a request was answered.
    pub answered: u32,
    /// Whether each request waits until concurrent ones are counted.
    yields: bool,
    /// The requests and rows of the current step.
    pub unyielded: (u32, u64),
    /// The number of the step. A step ends when the whole request has yielded.
    step: u64,
    /// The reads since the caller began to record them.
    pub noted: Option<ReadSet>,
    /// Reads beyond this number of requests are refused.
    pub requests_max: Option<u64>,
}

impl CountingState {
    pub(super) fn new(yields: bool) -> Self {
        Self {
            used: StorageUse::default(),
            answered: 0,
            yields,
            unyielded: (0, 0),
            step: 0,
            noted: None,
            requests_max: None,
        }
    }

    /// Counts a request that starts now. `Some` if it must yield first, and be resumed with this number of a step.
    pub(super) fn begin(&mut self) -> Option<u64> {
        self.unyielded.0 += 1;
        (self.yields || self.is_used_up()).then_some(self.step)
    }

    /// Resumes a request that has yielded in a step. `Some` if it must yield again, because others of the same GraphQL request have already used up the next
    /// step. Without this, each of hundreds of concurrent lists would read a whole step before anything else runs.
    pub(super) fn resume(&mut self, step: u64) -> Option<u64> {
        if step == self.step {
            // This request is the first to run again, so a new step begins.
            (self.step, self.unyielded) = (step + 1, (0, 0));
        }
        if !self.yields && self.is_used_up() {
            return Some(self.step);
        }
        self.unyielded.0 += 1;
        None
    }

    fn is_used_up(&self) -> bool {
        self.unyielded.0 > REQUESTS_BETWEEN_YIELDS || self.unyielded.1 >= ROWS_BETWEEN_YIELDS
    }

    pub(super) fn note(&mut self, note: impl FnOnce(&mut ReadSet)) {
        if let Some(noted) = &mut self.noted {
            note(noted);
        }
    }

    /// # Errors
    /// If this many more requests exceed the maximum, which means that the estimated cost is wrong.
    pub(super) fn check(&self, more: usize) -> Result<()> {
        let requests = u64::from(self.used.bounded_requests()) + more as u64;
        let Some(max) = self.requests_max.filter(|max| requests > *max) else { return Ok(()) };
        Err(StoreError::Internal(format!("a query is stopped at {max} storage requests, because its bound is lower")))
    }
}
