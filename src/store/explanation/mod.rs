//! The storage requests of one GraphQL request, one by one. The rule: it only notes, and exists only for a request that is explained.
//!
//! What a request was made for is known to the handle of the store that sends it ([`MadeFor`]): the batch of a loader, or a look-up whose result the
//! client may not be allowed to know.

mod explained;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Entity, StorageUse};

pub use explained::{AccessKind, AccessedRows, Explained, ExplainedRequest};

/// The storage requests that are listed; the others are only counted.
const REQUESTS_LISTED_MAX: usize = 1_000;

/// What the requests of one handle of the store are made for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct MadeFor {
    /// The loader, and the number of its batch.
    pub batch: Option<(&'static str, u32)>,
    /// A step of the request, which may be concealed.
    pub step: Option<usize>,
}

#[derive(Debug)]
pub struct Explanation {
    begun: Instant,
    state: Mutex<Noted>,
}

#[derive(Debug, Default)]
struct Noted {
    requests: Vec<(Option<usize>, ExplainedRequest)>,
    /// The requests without a step that are not listed.
    not_listed: u64,
    steps: Vec<Step>,
    /// The time from the beginning of the explanation to that of the execution.
    zero: Duration,
    hits: BTreeMap<&'static str, u64>,
    batches: u32,
}

/// A look-up that may find something that the client must not know of.
#[derive(Debug, Default)]
struct Step {
    /// Whether the plan shows the look-up as if its first request had found nothing.
    is_concealed: bool,
    /// The round trip of its last request that was answered.
    round_trip: u32,
    /// Its requests that are not listed, with their rows and bytes.
    unlisted: (u32, u64, u64),
}

impl Default for Explanation {
    fn default() -> Self {
        Self { begun: Instant::now(), state: Mutex::default() }
    }
}

impl Explanation {
    /// The execution begins: times are counted from now on.
    pub fn execution_begins(&self) {
        self.lock().zero = self.begun.elapsed();
    }

    /// The number of a new batch.
    pub(super) fn begin_batch(&self) -> u32 {
        let mut noted = self.lock();
        noted.batches += 1;
        noted.batches
    }

    pub(super) fn begin_step(&self) -> usize {
        let mut noted = self.lock();
        noted.steps.push(Step::default());
        noted.steps.len() - 1
    }

    /// Conceals a step, which has read something that the client must not know of.
    pub(super) fn conceal(&self, step: usize) {
        self.lock().steps[step].is_concealed = true;
    }

    /// The last round trip of a step; 0 if there is none.
    pub(super) fn round_trip_of(&self, step: Option<usize>) -> u32 {
        step.map_or(0, |step| self.lock().steps[step].round_trip)
    }

    /// Whether other requests must not notice the end of this one, because it may be concealed: true for each request
    /// of a step except the first.
    pub(super) fn is_kept_back(&self, step: Option<usize>, round_trip: u32) -> bool {
        let Some(step) = step else { return false };
        let last = &mut self.lock().steps[step].round_trip;
        let before = std::mem::replace(last, round_trip.max(*last));
        before > 0
    }

    /// Notes cached values of a table.
    pub fn note_hits(&self, table: &'static str, count: u64) {
        *self.lock().hits.entry(table).or_default() += count;
    }

    pub(super) fn begin(&self, accessed: AccessedRows, made_for: MadeFor, round_trip: u32) -> Begun<'_> {
        let MadeFor { batch, step } = made_for;
        let start = self.begun.elapsed();
        let mut noted = self.lock();
        if noted.requests.len() >= REQUESTS_LISTED_MAX {
            match step {
                Some(step) => noted.steps[step].unlisted.0 += 1,
                None => noted.not_listed += 1,
            }
            return Begun { explanation: self, step, at: None };
        }
        let request = ExplainedRequest { accessed, rows: 0, bytes: 0, start, duration: None, round_trip, batch };
        noted.requests.push((step, request));
        Begun { explanation: self, step, at: Some(noted.requests.len() - 1) }
    }

    /// Everything that was noted so far.
    pub fn explained(&self) -> Explained {
        let elapsed = self.begun.elapsed();
        self.lock().explained(elapsed)
    }

    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Noted {
    fn explained(&self, now: Duration) -> Explained {
        let (mut requests, mut not_listed) = (Vec::with_capacity(self.requests.len()), self.not_listed);
        let (mut begun, mut concealed) = (BTreeSet::new(), StorageUse::default());
        for (step, request) in &self.requests {
            let mut request = request.clone();
            request.start = request.start.saturating_sub(self.zero);
            if let Some(step) = step.filter(|step| self.steps[*step].is_concealed) {
                concealed.rows += request.rows;
                concealed.bytes += request.bytes;
                if !begun.insert(step) {
                    concealed.point_reads += 1;
                    continue;
                }
                (request.rows, request.bytes) = (0, 0);
            }
            requests.push(request);
        }
        for (at, step) in self.steps.iter().enumerate() {
            let (unlisted, rows, bytes) = step.unlisted;
            let mut shown = unlisted;
            if step.is_concealed {
                concealed.rows += rows;
                concealed.bytes += bytes;
                shown = u32::from(unlisted > 0 && !begun.contains(&at));
                concealed.point_reads += unlisted - shown;
            }
            not_listed += u64::from(shown);
        }
        Explained { requests, not_listed, hits: self.hits.clone(), elapsed: now.saturating_sub(self.zero), concealed }
    }
}

/// A storage request that has begun.
pub(super) struct Begun<'e> {
    explanation: &'e Explanation,
    step: Option<usize>,
    at: Option<usize>,
}

impl Begun<'_> {
    /// The request has returned these rows.
    pub(super) fn end<'r>(self, rows: impl Iterator<Item = &'r Entity>) {
        self.note(rows.fold((0, 0), |(rows, bytes), row| (rows + 1, bytes + row.bytes())));
    }

    /// The request has written so many rows.
    pub(super) fn written(self, rows: u64) {
        self.note((rows, 0));
    }

    fn note(self, (rows, bytes): (u64, u64)) {
        let now = self.explanation.begun.elapsed();
        let mut noted = self.explanation.lock();
        match (self.at, self.step) {
            (Some(at), _) => {
                let (_, request) = &mut noted.requests[at];
                request.duration = Some(now.saturating_sub(request.start));
                (request.rows, request.bytes) = (rows, bytes);
            }
            (None, Some(step)) => {
                let unlisted = &mut noted.steps[step].unlisted;
                (unlisted.1, unlisted.2) = (unlisted.1 + rows, unlisted.2 + bytes);
            }
            (None, None) => {}
        }
    }
}

#[cfg(test)]
mod tests;
