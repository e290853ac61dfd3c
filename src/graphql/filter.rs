//! Converts the filter of posts from GraphQL to that of `content`. The rule: equal filters make the same list, however they are written, so
//! that they accept each other's cursors.

use async_graphql::{Context, InputObject};

use crate::content::read::pages::{Filter, PostList, Scope, SlugFilter};
use crate::model::{Instant, Language, Slug};

use super::context;
use super::failure::Result;
use super::scalars::DateTime;
use super::site_fields::PostFieldsFilter;

/// All conditions must hold; null is the same as omitted. At most 20 slugs, current or former, and languages in one filter.
#[derive(Debug, Clone, Default, InputObject)]
pub struct PostFilter {
    /// Published in this range.
    published_at: Option<DateTimeRange>,
    /// With these categories.
    categories: Option<TermFilter>,
    /// With these tags.
    tags: Option<TermFilter>,
    /// By these authors.
    authors: Option<TermFilter>,
    /// In one of these languages, such as those of `Site.languages`: tags of BCP 47, compared as a whole without regard to case. Posts without a language of
    /// their own match no list, and no post matches an empty one.
    languages: Option<Vec<String>>,
    /// Only featured posts, or only others. With false, featured posts are read and skipped; too many of them are FILTER_TOO_BROAD.
    featured: Option<bool>,
    /// With these values of fields of the site, which count among the 20 slugs and languages.
    fields: Option<PostFieldsFilter>,
}

/// A range of time, in milliseconds. All bounds must hold; null is the same as omitted.
#[derive(Debug, Clone, Default, InputObject)]
pub struct DateTimeRange {
    /// Later than this.
    gt: Option<DateTime>,
    /// At this time or later.
    gte: Option<DateTime>,
    /// Earlier than this.
    lt: Option<DateTime>,
    /// At this time or earlier.
    lte: Option<DateTime>,
}

/// The terms of one kind that a post must or must not have, by slugs. All conditions must hold; null is the same as omitted.
#[derive(Debug, Clone, Default, InputObject)]
pub struct TermFilter {
    /// Every one of these. An empty list matches all posts, an unknown slug none.
    all: Option<Vec<String>>,
    /// At least one of these. An empty list matches no post; an unknown slug is ignored.
    any: Option<Vec<String>>,
    /// None of these. An unknown slug is ignored. Excluded posts are read and skipped; too many of them are FILTER_TOO_BROAD.
    none: Option<Vec<String>>,
}

impl From<TermFilter> for SlugFilter {
    fn from(filter: TermFilter) -> Self {
        slugs(&filter.all.unwrap_or_default(), filter.any.as_deref(), &filter.none.unwrap_or_default())
    }
}

/// The posts of a scope that match a filter.
pub async fn list_of(ctx: &Context<'_>, filter: Option<PostFilter>, scope: Scope) -> Result<PostList> {
    let filter = filter.unwrap_or_default();
    for name in filter.fields.iter().flat_map(PostFieldsFilter::names) {
        // Boxed, because few filters name fields.
        Box::pin(context::of(ctx).content.require_field_index(name)).await?;
    }
    filter.into_list(scope)
}

impl PostFilter {
    fn into_list(self, scope: Scope) -> Result<PostList> {
        let range = self.published_at.unwrap_or_default();
        let filter = Filter {
            published_after: range.after(),
            published_before: range.before(),
            categories: self.categories.unwrap_or_default().into(),
            tags: self.tags.unwrap_or_default().into(),
            authors: self.authors.unwrap_or_default().into(),
            series: SlugFilter::default(),
            languages: languages(self.languages.as_deref()),
            featured: self.featured.map(SlugFilter::of_featured).unwrap_or_default(),
            fields: self.fields.map(Into::into).unwrap_or_default(),
        };
        Ok(PostList::checked(scope, filter)?)
    }
}

impl DateTimeRange {
    /// The exclusive lower bound. A client names whole milliseconds, because the API shows stored instants in milliseconds.
    fn after(&self) -> Option<Instant> {
        let gt = self.gt.map(|at| at.0.end_of_millisecond());
        let gte = self.gte.and_then(|at| at.0.start_of_millisecond().previous());
        gt.max(gte)
    }

    /// The exclusive upper bound.
    fn before(&self) -> Option<Instant> {
        let lt = self.lt.map(|at| at.0.start_of_millisecond());
        let lte = self.lte.and_then(|at| at.0.end_of_millisecond().next());
        [lt, lte].into_iter().flatten().min()
    }
}

/// Invalid language tags are ignored, because no post has them.
fn languages(texts: Option<&[String]>) -> SlugFilter {
    let slug = |text: &String| Some(text.parse::<Language>().ok()?.index_slug());
    let any = texts.map(|texts| once_each(texts.iter().filter_map(slug).collect()));
    SlugFilter { any, ..SlugFilter::default() }
}

/// An invalid slug belongs to no term, so no post matches it.
fn slugs(all: &[String], any: Option<&[String]>, none: &[String]) -> SlugFilter {
    let valid = |texts: &[String]| once_each(texts.iter().filter_map(|text| Slug::from_address(text)).collect());
    let parsed: Option<Vec<Slug>> = all.iter().map(|text| Slug::from_address(text)).collect();
    match parsed {
        Some(all) => SlugFilter { all: once_each(all), any: any.map(valid), none: valid(none) },
        None => SlugFilter { any: Some(Vec::new()), ..SlugFilter::default() },
    }
}

/// Sorts and removes duplicates, so that equal filters make the same list.
fn once_each(mut slugs: Vec<Slug>) -> Vec<Slug> {
    slugs.sort();
    slugs.dedup();
    slugs
}
