//! The storage requests that a part of a query may need. The rule: each figure is an upper bound by itself. Keys that several fields may
//! look up are counted separately, because the number of different keys has its own bound.

use crate::content::NEAR_ROWS_MAX;
use crate::content::read::{Catalog, Sizes};
use crate::model::TermKind;

use super::bound::Bound;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Demand {
    pub requests: Bound,
    /// The look-ups of posts' terms, by kind. A request looks up each term once.
    terms: [u64; TermKind::ALL.len()],
    /// The look-ups of terms that an input names: some may not have existed before.
    named_terms: u64,
    /// The partition catalogs, each read at most once in a request: one bit for each of [`Catalog::ALL`].
    catalogs: u8,
    /// The catalogs that are not read and show that less is needed.
    refined_by: u8,
}

impl Demand {
    pub(super) fn of(requests: Bound) -> Self {
        Self { requests, ..Self::default() }
    }

    pub(super) fn reads(point_reads: u64, range_reads: u64) -> Self {
        Self::of(Bound::new(point_reads, range_reads))
    }

    /// All range reads together return at most this many rows.
    pub(super) fn reads_of(point_reads: u64, range_reads: u64, rows: u64) -> Self {
        Self::of(Bound::of_rows(point_reads, range_reads, rows))
    }

    pub(super) fn of_named_terms(count: u64) -> Self {
        Self { named_terms: count, ..Self::default() }
    }

    pub(super) fn of_terms(kind: TermKind, count: u64) -> Self {
        if count == 0 {
            return Self::default();
        }
        let mut demand = Self::default().refined_by(Catalog::Terms(kind));
        demand.terms[kind as usize] = count;
        demand
    }

    pub(super) fn with(self, catalog: Catalog) -> Self {
        Self { catalogs: self.catalogs | bit(catalog), ..self }
    }

    pub(super) fn refined_by(self, catalog: Catalog) -> Self {
        Self { refined_by: self.refined_by | bit(catalog), ..self }
    }

    /// The catalogs that make the bound tighter.
    pub(super) fn useful_catalogs(self) -> impl Iterator<Item = Catalog> {
        let useful = self.catalogs | self.refined_by;
        Catalog::ALL.into_iter().filter(move |catalog| useful & bit(*catalog) != 0)
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
            named_terms: with(self.named_terms, other.named_terms),
            catalogs: self.catalogs | other.catalogs,
            refined_by: self.refined_by | other.refined_by,
        }
    }

    /// The total bound. `read`: the known catalogs that count nevertheless.
    pub(super) fn bound(&self, sizes: &Sizes, read: &[Catalog]) -> Bound {
        let look_ups = TermKind::ALL.map(|kind| self.terms[kind as usize].min(sizes.terms(kind).unwrap_or(u64::MAX)));
        let look_ups = look_ups.into_iter().fold(self.named_terms, u64::saturating_add);
        let counts = |catalog: &Catalog| self.catalogs & bit(*catalog) != 0;
        let unread = Catalog::ALL.into_iter().filter(|catalog| !sizes.knows(*catalog) || read.contains(catalog));
        let ranges = unread.filter(counts).map(|catalog| sizes.reads_of_catalog(catalog)).sum();
        // On tables, one range read may replace point reads of rows that are close together, with the rows between them.
        let between = if sizes.are_shared { look_ups.saturating_mul(NEAR_ROWS_MAX as u64 - 1) } else { 0 };
        self.requests.plus(Bound::of_rows(look_ups, 0, between)).plus(Bound::new(0, ranges))
    }
}

fn bit(catalog: Catalog) -> u8 {
    match catalog {
        Catalog::Posts => 1,
        Catalog::Drafts => 2,
        Catalog::Terms(kind) => 4 << kind as u8,
    }
}
