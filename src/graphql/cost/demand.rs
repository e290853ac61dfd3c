//! The storage requests that a part of a query may need. The rule: each number is an upper bound. Terms that several fields may look up are counted separately,
//! because the number of different terms has its own bound.

use crate::content::read::{Catalog, Sizes};
use crate::model::TermKind;

use super::bound::Bound;

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

    /// The bound for the numbers of terms and partitions in `sizes`; there is at most one look-up for each existing term.
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
