//! The storage requests of one GraphQL request, one by one. The rule: it only records, and exists only for explained requests.

mod explained;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub use explained::{AccessKind, AccessedRows, Explained, ExplainedRequest};

/// The maximum number of listed requests; further ones are only counted.
const REQUESTS_LISTED_MAX: usize = 1_000;

#[derive(Debug)]
pub struct Explanation {
    begun: Instant,
    state: Mutex<Noted>,
}

#[derive(Debug, Default)]
struct Noted {
    requests: Vec<ExplainedRequest>,
    not_listed: u64,
    /// The time between the start of the explanation and that of the execution.
    zero: Duration,
    hits: BTreeMap<&'static str, u64>,
    batches: u32,
}

impl Default for Explanation {
    fn default() -> Self {
        Self { begun: Instant::now(), state: Mutex::default() }
    }
}

impl Explanation {
    /// Marks the start of the execution, from which times are measured.
    pub fn execution_begins(&self) {
        self.lock().zero = self.begun.elapsed();
    }

    /// The number of a new batch.
    pub(super) fn begin_batch(&self) -> u32 {
        let mut noted = self.lock();
        noted.batches += 1;
        noted.batches
    }

    /// Records used cached values of a table.
    pub fn note_hits(&self, table: &'static str, count: u64) {
        *self.lock().hits.entry(table).or_default() += count;
    }

    /// `batch`: the loader for which the request is made, and the number of its batch.
    pub(super) fn begin(
        &self,
        accessed: AccessedRows,
        batch: Option<(&'static str, u32)>,
        round_trip: u32,
    ) -> Begun<'_> {
        let start = self.begun.elapsed();
        let mut noted = self.lock();
        if noted.requests.len() >= REQUESTS_LISTED_MAX {
            noted.not_listed += 1;
            return Begun { explanation: self, at: None };
        }
        noted.requests.push(ExplainedRequest {
            accessed,
            rows: 0,
            bytes: 0,
            units: 0.0,
            start,
            duration: None,
            round_trip,
            batch,
        });
        Begun { explanation: self, at: Some(noted.requests.len() - 1) }
    }

    /// Everything that was recorded so far.
    pub fn explained(&self) -> Explained {
        let noted = self.lock();
        let mut requests = noted.requests.clone();
        for request in &mut requests {
            request.start = request.start.saturating_sub(noted.zero);
        }
        let elapsed = self.begun.elapsed().saturating_sub(noted.zero);
        Explained { requests, not_listed: noted.not_listed, hits: noted.hits.clone(), elapsed }
    }

    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A storage request in progress.
pub(super) struct Begun<'e> {
    explanation: &'e Explanation,
    at: Option<usize>,
}

impl Begun<'_> {
    /// Records that the request has returned or written this many rows and bytes, for this many request units.
    pub(super) fn end(self, rows: u64, bytes: u64, units: f64) {
        let Some(at) = self.at else { return };
        let now = self.explanation.begun.elapsed();
        let request = &mut self.explanation.lock().requests[at];
        request.duration = Some(now.saturating_sub(request.start));
        (request.rows, request.bytes, request.units) = (rows, bytes, units);
    }
}

#[cfg(test)]
mod tests;
