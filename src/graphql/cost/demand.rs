//! The storage requests that a part of a query may need. The rule: each figure is an upper bound by itself. Keys that several fields may
//! look up are counted separately, because the number of different keys has its own bound.

use crate::content::NEAR_ROWS_MAX;
use crate::content::read::{Catalog, Sizes};
use crate::model::TermKind;

use super::bound::Bound;

/// The range reads of a month catalog of unknown length: enough for all months since the year 1200.
const MONTHS_READS_UNKNOWN: u64 = 10;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Demand {
    pub requests: Bound,
    /// The look-ups of posts' terms, by kind. A request looks up each term once.
    pub terms: [u64; TermKind::ALL.len()],
    /// The partition catalogs, each read at most once in a request: one bit for each of [`Catalog::ALL`].
    catalogs: u8,
}

impl Demand {
    pub(super) const fn of(requests: Bound) -> Self {
        Self { requests, terms: [0; TermKind::ALL.len()], catalogs: 0 }
    }

    pub(super) const fn reads(point_reads: u64, range_reads: u64) -> Self {
        Self::of(Bound::new(point_reads, range_reads))
    }

    /// All range reads together return at most this many rows.
    pub(super) const fn reads_of(point_reads: u64, range_reads: u64, rows: u64) -> Self {
        Self::of(Bound::of_rows(point_reads, range_reads, rows))
    }

    pub(super) fn of_terms(kind: TermKind, count: u64) -> Self {
        let mut demand = Self::default();
        demand.terms[kind as usize] = count;
        demand
    }

    pub(super) fn with(self, catalog: Catalog) -> Self {
        Self { catalogs: self.catalogs | bit(catalog), ..self }
    }

    pub(super) fn needs(&self, catalog: Catalog) -> bool {
        self.catalogs & bit(catalog) != 0
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            requests: self.requests.plus(other.requests),
            terms: std::array::from_fn(|kind| self.terms[kind].saturating_add(other.terms[kind])),
            catalogs: self.catalogs | other.catalogs,
        }
    }

    pub(super) fn times(self, n: u64) -> Self {
        if n == 0 {
            return Self::default();
        }
        Self {
            requests: self.requests.times(n),
            terms: self.terms.map(|count| count.saturating_mul(n)),
            catalogs: self.catalogs,
        }
    }

    pub(super) fn max(self, other: Self) -> Self {
        Self {
            requests: self.requests.max(other.requests),
            terms: std::array::from_fn(|kind| self.terms[kind].max(other.terms[kind])),
            catalogs: self.catalogs | other.catalogs,
        }
    }

    /// The lower of two bounds of the same demand.
    pub(super) fn min(self, other: Self) -> Self {
        Self {
            requests: self.requests.min(other.requests),
            terms: std::array::from_fn(|kind| self.terms[kind].min(other.terms[kind])),
            catalogs: self.catalogs & other.catalogs,
        }
    }

    /// The total bound. `parts`: the number of root fields that share no reads, so that each reads its catalogs.
    pub(super) fn bound(&self, sizes: &Sizes, parts: u64) -> Bound {
        let look_ups = TermKind::ALL.map(|kind| self.terms[kind as usize].min(sizes.terms(kind).unwrap_or(u64::MAX)));
        let look_ups = look_ups.into_iter().fold(0, u64::saturating_add);
        let unread = Catalog::ALL.into_iter().filter(|catalog| self.needs(*catalog) && !sizes.knows(*catalog));
        let ranges = unread.map(|catalog| match catalog {
            Catalog::Posts | Catalog::Drafts => MONTHS_READS_UNKNOWN,
            Catalog::Terms(_) => 1,
        });
        let catalogs = Bound::new(0, ranges.sum()).times(parts);
        // On tables, range coalescing may read adjacent rows together, with the rows between them.
        let between = if sizes.are_shared { look_ups.saturating_mul(NEAR_ROWS_MAX as u64 - 1) } else { 0 };
        self.requests.plus(Bound::of_rows(look_ups, 0, between)).plus(catalogs)
    }
}

fn bit(catalog: Catalog) -> u8 {
    match catalog {
        Catalog::Posts => 1,
        Catalog::Drafts => 2,
        Catalog::Terms(kind) => 4 << kind as u8,
    }
}
