//! The upper bound of a cost, the errors for a bound above a limit, and what a part of a query may need. The rule: arithmetic saturates, so that a bound is never
//! too small; terms that several fields may look up are counted separately, because the number of different terms has its own bound.

use std::fmt::Display;

use async_graphql::ServerError;

use crate::content::NEAR_ROWS_MAX;
use crate::content::read::{Catalog, Sizes};
use crate::graphql::error::{Code, coded};
use crate::model::TermKind;

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

    /// Without what is not read this time.
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

/// The storage requests that a part of a query may need.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Demand {
    pub requests: Bound,
    /// The look-ups of posts' terms, by kind. A request looks up each term once.
    terms: [u64; TermKind::ALL.len()],
    /// The partition catalogs that are read, or make the bound tighter: one bit for each of [`Catalog::ALL`]. A request reads each once.
    catalogs: u8,
}

impl Demand {
    pub(super) fn of(requests: Bound) -> Self {
        Self { requests, ..Self::default() }
    }

    pub(super) fn reads(point_reads: u64, range_reads: u64) -> Self {
        Self::of(Bound::new(point_reads, range_reads))
    }

    pub(super) fn of_terms(kind: TermKind, count: u64) -> Self {
        if count == 0 {
            return Self::default();
        }
        let mut demand = Self::default().with(Catalog::Terms(kind));
        demand.terms[kind as usize] = count;
        demand
    }

    pub(super) fn with(self, catalog: Catalog) -> Self {
        Self { catalogs: self.catalogs | bit(catalog), ..self }
    }

    pub(super) fn catalogs(self) -> impl Iterator<Item = Catalog> {
        Catalog::ALL.into_iter().filter(move |catalog| self.catalogs & bit(*catalog) != 0)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        self.combine(other, u64::saturating_add)
    }

    pub(super) fn max(self, other: Self) -> Self {
        self.combine(other, u64::max)
    }

    pub(super) fn times(self, n: u64) -> Self {
        if n == 0 { Self::default() } else { self.combine(self, |count, _| count.saturating_mul(n)) }
    }

    fn combine(self, other: Self, with: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            requests: self.requests.combine(other.requests, &with),
            terms: std::array::from_fn(|kind| with(self.terms[kind], other.terms[kind])),
            catalogs: self.catalogs | other.catalogs,
        }
    }

    /// The total bound.
    pub(super) fn bound(&self, sizes: &Sizes) -> Bound {
        let look_ups = TermKind::ALL.map(|kind| self.terms[kind as usize].min(sizes.terms(kind).unwrap_or(u64::MAX)));
        let unread = self.catalogs().filter(|catalog| !sizes.knows(*catalog));
        let ranges = unread.map(|catalog| sizes.reads_of_catalog(catalog)).sum();
        look_ups
            .into_iter()
            .fold(self.requests.plus(Bound::new(0, ranges)), |bound, terms| bound.plus(Bound::new(terms, 0)))
    }
}

fn bit(catalog: Catalog) -> u8 {
    match catalog {
        Catalog::Posts => 1,
        Catalog::Drafts => 2,
        Catalog::Terms(kind) => 4 << kind as u8,
    }
}
