//! Filters of posts. The rule: the text of a filter is part of the tag of its list, so different filters have different texts.

use std::slice;

use crate::model::index_kind::featured_partition;
use crate::model::{IndexKind, Instant, Slug, TermKind};

/// Matches posts with all slugs of `all`, at least one of `any`, and none of `none`. An empty `all` or `none` matches every post; an empty `any` matches no
/// post.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SlugFilter {
    pub all: Vec<Slug>,
    pub any: Option<Vec<Slug>>,
    pub none: Vec<Slug>,
}

impl SlugFilter {
    /// Matches only featured posts, or only the others.
    pub fn of_featured(is_featured: bool) -> Self {
        let slugs = vec![featured_partition()];
        if is_featured { Self { all: slugs, ..Self::default() } } else { Self { none: slugs, ..Self::default() } }
    }

    /// Whether a page reads the index of this slug.
    pub(super) fn reads(&self, slug: &Slug) -> bool {
        self.all.contains(slug) || self.any.as_ref().is_some_and(|any| any.contains(slug))
    }

    pub(super) fn count(&self) -> usize {
        self.all.len() + self.any.as_ref().map_or(0, Vec::len) + self.none.len()
    }

    /// The slugs of `any` that the filter does not exclude.
    pub(super) fn any_allowed(&self) -> Option<Vec<Slug>> {
        let any = self.any.as_ref()?;
        Some(any.iter().filter(|slug| !self.none.contains(slug)).cloned().collect())
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    pub published_after: Option<Instant>,
    pub published_before: Option<Instant>,
    pub categories: SlugFilter,
    pub tags: SlugFilter,
    pub authors: SlugFilter,
    pub series: SlugFilter,
    /// Language tags in lower case, only in `any`.
    pub languages: SlugFilter,
    /// Made by [`SlugFilter::of_featured`]; the default matches every post.
    pub featured: SlugFilter,
    /// A filter for each named declared field, sorted by name: the partitions of its values, only in `any`.
    pub fields: Vec<SlugFilter>,
}

impl Filter {
    /// The conditions on the indexes of a kind, all of which must hold.
    pub fn slugs(&self, kind: IndexKind) -> &[SlugFilter] {
        match kind {
            IndexKind::Term(kind) => slice::from_ref(self.of_terms(kind)),
            IndexKind::Language => slice::from_ref(&self.languages),
            IndexKind::Featured => slice::from_ref(&self.featured),
            IndexKind::Field => &self.fields,
        }
    }

    /// The posts of one partition of an index; a term can be named by any of its slugs.
    pub fn of_index(kind: IndexKind, slug: &Slug) -> Self {
        let any = SlugFilter { any: Some(vec![slug.clone()]), ..SlugFilter::default() };
        let mut filter = Self::default();
        match kind {
            IndexKind::Term(kind) => filter.slugs_mut(kind).all.push(slug.clone()),
            IndexKind::Language => filter.languages = any,
            IndexKind::Featured => filter.featured = SlugFilter::of_featured(true),
            IndexKind::Field => filter.fields.push(any),
        }
        filter
    }

    pub(super) fn of_terms(&self, kind: TermKind) -> &SlugFilter {
        match kind {
            TermKind::Category => &self.categories,
            TermKind::Tag => &self.tags,
            TermKind::Author => &self.authors,
            TermKind::Series => &self.series,
        }
    }

    pub(super) fn slugs_mut(&mut self, kind: TermKind) -> &mut SlugFilter {
        match kind {
            TermKind::Category => &mut self.categories,
            TermKind::Tag => &mut self.tags,
            TermKind::Author => &mut self.authors,
            TermKind::Series => &mut self.series,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
