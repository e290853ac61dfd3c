//! Filters of posts. The rule: the text of a filter is part of the tag of its list, so a new kind of condition is omitted from the text while it
//! is empty: otherwise the cursors that clients have would be refused.

use std::fmt::{self, Debug, Formatter};
use std::slice;

use crate::model::index_kind::featured_partition;
use crate::model::{IndexKind, Instant, Slug, TermKind};

/// All slugs of `all`, at least one of `any`, and none of `none`. An empty `all` or `none` matches every post; an empty `any` matches no post.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct SlugFilter {
    pub all: Vec<Slug>,
    pub any: Option<Vec<Slug>>,
    pub none: Vec<Slug>,
}

/// The tag of a list contains this text, so `none` is omitted while it is empty.
impl Debug for SlugFilter {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut text = formatter.debug_struct("SlugFilter");
        text.field("all", &self.all).field("any", &self.any);
        if !self.none.is_empty() {
            text.field("none", &self.none);
        }
        text.finish()
    }
}

impl SlugFilter {
    /// Only featured posts, or only the others.
    pub fn of_featured(is_featured: bool) -> Self {
        let slugs = vec![featured_partition()];
        if is_featured { Self { all: slugs, ..Self::default() } } else { Self { none: slugs, ..Self::default() } }
    }

    /// Whether the index of this slug is read for a page.
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

#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    /// Later than this instant.
    pub published_after: Option<Instant>,
    /// Earlier than this instant.
    pub published_before: Option<Instant>,
    pub categories: SlugFilter,
    pub tags: SlugFilter,
    pub authors: SlugFilter,
    pub series: SlugFilter,
    /// Only `any`, of language tags in lower case.
    pub languages: SlugFilter,
    /// [`SlugFilter::of_featured`]; the default matches every post.
    pub featured: SlugFilter,
    /// One for each declared field that is named, in the order of their names: only `any`, of the partitions of its values.
    pub fields: Vec<SlugFilter>,
}

/// Like the text of [`SlugFilter`], it omits series, languages, `featured` and fields while they are empty.
impl Debug for Filter {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut text = formatter.debug_struct("Filter");
        text.field("published_after", &self.published_after).field("published_before", &self.published_before);
        text.field("categories", &self.categories).field("tags", &self.tags).field("authors", &self.authors);
        if self.series != SlugFilter::default() {
            text.field("series", &self.series);
        }
        if self.languages != SlugFilter::default() {
            text.field("languages", &self.languages);
        }
        if self.featured != SlugFilter::default() {
            text.field("featured", &self.featured);
        }
        if !self.fields.is_empty() {
            text.field("fields", &self.fields);
        }
        text.finish()
    }
}

impl Filter {
    /// The conditions on the posts of the indexes of a kind, all of which must hold.
    pub fn slugs(&self, kind: IndexKind) -> &[SlugFilter] {
        match kind {
            IndexKind::Term(kind) => slice::from_ref(self.of_terms(kind)),
            IndexKind::Language => slice::from_ref(&self.languages),
            IndexKind::Featured => slice::from_ref(&self.featured),
            IndexKind::Field => &self.fields,
        }
    }

    pub(super) fn of_terms(&self, kind: TermKind) -> &SlugFilter {
        match kind {
            TermKind::Category => &self.categories,
            TermKind::Tag => &self.tags,
            TermKind::Author => &self.authors,
            TermKind::Series => &self.series,
        }
    }

    /// The posts that have a term.
    pub(super) fn of_term(kind: TermKind, slug: &Slug) -> Self {
        let mut filter = Self::default();
        filter.slugs_mut(kind).all.push(slug.clone());
        filter
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The text is part of the tag of a list: with another text, cursors that clients have are refused.
    #[test]
    fn the_text_of_a_filter_without_none_languages_featured_and_fields_is_the_one_before_they_existed() {
        let two: Slug = "two".parse().expect("a slug");
        let all = SlugFilter { all: vec![two.clone()], ..SlugFilter::default() };
        assert_eq!(format!("{all:?}"), format!("SlugFilter {{ all: [{two:?}], any: None }}"));
        let none = SlugFilter { none: vec![two.clone()], ..SlugFilter::default() };
        let languages = SlugFilter { any: Some(vec![two.clone()]), ..SlugFilter::default() };
        let [without, with] = [SlugFilter::default(), languages]
            .map(|languages| format!("{:?}", Filter { tags: all.clone(), languages, ..Filter::default() }));
        let before = "Filter { published_after: None, published_before: None, categories: SlugFilter { all: [], any: None }, \
                      tags: SlugFilter { all: [\"two\"], any: None }, authors: SlugFilter { all: [], any: None }";
        assert_eq!(without, format!("{before} }}"));
        assert_eq!(with, format!("{before}, languages: SlugFilter {{ all: [], any: Some([\"two\"]) }} }}"));
        let featured = Filter { tags: all.clone(), featured: SlugFilter::of_featured(true), ..Filter::default() };
        assert_eq!(
            format!("{featured:?}"),
            format!("{before}, featured: SlugFilter {{ all: [\"all\"], any: None }} }}")
        );
        assert_eq!(format!("{none:?}"), format!("SlugFilter {{ all: [], any: None, none: [{two:?}] }}"));
    }
}
