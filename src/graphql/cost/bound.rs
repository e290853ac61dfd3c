//! The upper bound of a cost, and the errors for a bound above a limit. The rule: arithmetic saturates, so that a bound is never too small.

use std::fmt::Display;

use async_graphql::ServerError;

use crate::content::NEAR_ROWS_MAX;
use crate::graphql::error::{Code, coded};

/// The row with the place of a post, and its row there.
pub(super) const POST_READS: u64 = 2;
/// The maximum number of rows of one range read.
pub(super) const ROWS: u64 = 1_000;
/// The default limit of one operation: three times a page of 100 posts with all their terms.
pub const STORAGE_REQUESTS_MAX: u64 = 50_000;
/// The maximum number of values of one answer: 100 posts with 100 terms of each kind are 60,000, with all their fields.
pub const VALUES_MAX: u64 = 500_000;

/// The maximum number of storage requests, if nobody changes the content meanwhile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bound {
    pub point_reads: u64,
    pub range_reads: u64,
    /// Writes; each is one transaction.
    pub transactions: u64,
    /// Fields of the answer, each multiplied by the maximum number of its parents. They cost no storage requests, but much memory.
    pub values: u64,
}

impl Bound {
    pub(super) const NONE: Self = Self::new(0, 0);

    pub const fn new(point_reads: u64, range_reads: u64) -> Self {
        Self { point_reads, range_reads, transactions: 0, values: 0 }
    }

    pub(super) const fn writing(self, transactions: u64) -> Self {
        Self { transactions, ..self }
    }

    pub fn requests(&self) -> u64 {
        self.point_reads.saturating_add(self.range_reads).saturating_add(self.transactions)
    }

    /// The rows that the reads return, if each returns as many as it can.
    pub fn rows(&self) -> u64 {
        let of_points = self.point_reads.saturating_mul(NEAR_ROWS_MAX as u64);
        self.range_reads.saturating_mul(ROWS).saturating_add(of_points)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        self.combine(other, u64::saturating_add)
    }

    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        self.combine(other, u64::saturating_sub)
    }

    pub(super) fn times(self, n: u64) -> Self {
        self.combine(self, |count, _| count.saturating_mul(n))
    }

    pub(super) fn combine(self, other: Self, with: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            point_reads: with(self.point_reads, other.point_reads),
            range_reads: with(self.range_reads, other.range_reads),
            transactions: with(self.transactions, other.transactions),
            values: with(self.values, other.values),
        }
    }
}

pub fn refusal_of_values(bound: &Bound) -> ServerError {
    let message = format!(
        "This query may return {} values; the limit is {VALUES_MAX}. Request smaller pages, fewer fields or aliases, or fewer nested lists.",
        bound.values
    );
    coded(Code::QueryTooComplex, message, None)
}

pub fn refusal(bound: &Bound, limit: u64, most_expensive: Option<&dyn Display>) -> ServerError {
    let requests = bound.requests();
    let most_expensive = most_expensive
        .map(|most_expensive| format!(" The most expensive part is {most_expensive}."))
        .unwrap_or_default();
    let message = format!(
        "This query may need {requests} storage requests; the limit is {limit}.{most_expensive} Request smaller pages with `first`, or fewer nested lists."
    );
    coded(Code::QueryTooComplex, message, None)
}
