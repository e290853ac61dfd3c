//! The indexes that the filter of a list of posts names, and the maximum number of matching posts. The rule: a matching post is in the
//! index of every slug of `all` and in that of one slug of each `any`; an index of unknown size may contain every post.

use super::arguments::{Arguments, Quantifier};
use crate::content::read::{IndexSize, Sizes};

/// The slugs that a filter names, and the sizes of their indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FilteredSlugs {
    /// The slugs of all `all` conditions; a post must have each of them.
    pub all: u64,
    /// The number of `any` conditions; a post must have one slug of each.
    pub any_lists: u64,
    pub any: u64,
    pub none: u64,
    /// The slugs of `none` that belong to terms.
    pub excluded_terms: u64,
    /// The maximum number of matching posts; `u64::MAX` if it is unknown.
    pub matches: u64,
    /// The indexes of `all` and `any`, which a page reads.
    pub read: IndexSizes,
    /// The indexes of `none`, which only a count reads.
    pub excluded: IndexSizes,
}

/// The sizes of a group of indexes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct IndexSizes {
    /// The number of indexes of known size. They contain posts, and their slugs are the first slugs of their terms.
    pub known: u64,
    /// The number of posts in the longest of them.
    pub longest: u64,
    /// Whether one of them contains a scheduled post.
    pub has_scheduled: bool,
    /// The number of indexes of unknown size.
    pub unknown: u64,
}

impl Default for FilteredSlugs {
    fn default() -> Self {
        Self {
            all: 0,
            any_lists: 0,
            any: 0,
            none: 0,
            excluded_terms: 0,
            matches: u64::MAX,
            read: IndexSizes::default(),
            excluded: IndexSizes::default(),
        }
    }
}

impl FilteredSlugs {
    pub(super) fn of(arguments: &Arguments<'_>, sizes: &Sizes) -> Self {
        let mut slugs = Self::default();
        for condition in arguments.conditions() {
            let found = condition.slugs.iter().map(|slug| sizes.index(condition.kind, slug.as_ref()?));
            let found: Vec<Option<IndexSize>> = found.collect();
            let rows = found.iter().map(|index| index.map_or(u64::MAX, |index| index.rows));
            let count = condition.slugs.len() as u64;
            match condition.quantifier {
                Quantifier::All => {
                    slugs.all += count;
                    slugs.matches = rows.fold(slugs.matches, u64::min);
                }
                Quantifier::Any => {
                    slugs.any_lists += 1;
                    slugs.any += count;
                    slugs.matches = slugs.matches.min(rows.fold(0, u64::saturating_add));
                }
                Quantifier::None => {
                    slugs.none += count;
                    slugs.excluded_terms += if condition.kind.term().is_some() { count } else { 0 };
                }
            }
            let indexes = if condition.quantifier == Quantifier::None { &mut slugs.excluded } else { &mut slugs.read };
            *indexes = indexes.and(IndexSizes::of(&found));
        }
        slugs
    }

    pub(super) fn is_empty(self) -> bool {
        self.all + self.any_lists + self.any + self.none == 0
    }
}

impl IndexSizes {
    fn of(indexes: &[Option<IndexSize>]) -> Self {
        indexes.iter().fold(Self::default(), |sizes, index| {
            let one = match index {
                Some(index) => {
                    Self { known: 1, longest: index.rows, has_scheduled: index.has_scheduled, ..Self::default() }
                }
                None => Self { unknown: 1, ..Self::default() },
            };
            sizes.and(one)
        })
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            known: self.known + other.known,
            longest: self.longest.max(other.longest),
            has_scheduled: self.has_scheduled || other.has_scheduled,
            unknown: self.unknown + other.unknown,
        }
    }

    /// Adds indexes of unknown size.
    pub(super) fn and_unknown(self, unknown: u64) -> Self {
        Self { unknown: self.unknown + unknown, ..self }
    }

    /// The range reads of all indexes. `of_index` returns the range reads of an index with this many posts.
    pub(super) fn reads(self, all_posts: Option<u64>, of_index: impl Fn(u64) -> u64) -> u64 {
        let of_known = self.known.saturating_mul(of_index(self.longest));
        let of_unknown = if self.unknown == 0 { 0 } else { of_index(all_posts.unwrap_or(u64::MAX)) };
        of_known.saturating_add(self.unknown.saturating_mul(of_unknown))
    }

    /// The maximum number of rows of one index.
    pub(super) fn rows(self, all_posts: Option<u64>) -> u64 {
        if self.unknown > 0 { all_posts.unwrap_or(u64::MAX) } else { self.longest }
    }
}
