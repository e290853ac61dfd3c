//! Converts the filter of posts from GraphQL to that of `content`. The rule: equal filters make the same list, however they are written, so
//! that they accept each other's cursors.

use async_graphql::{Context, InputObject};

use crate::content::read::pages::{Filter, PostList, Scope, SlugFilter};
use crate::model::{Instant, Language, Slug};

use super::context;
use super::failure::Result;
use super::scalars::DateTime;
use super::site_fields::PostFieldsFilter;

/// A filter for posts, which must meet all given conditions. Slugs, current or former, name categories, tags and authors: at most 20 in one filter,
/// together with the languages. Null is the same as omitted.
#[derive(Debug, Clone, Default, InputObject)]
pub struct PostFilter {
    /// Only posts that were published in this range.
    published_at: Option<DateTimeRange>,
    /// Only posts with these categories.
    categories: Option<CategoryFilter>,
    /// Only posts with these tags.
    tags: Option<TagFilter>,
    /// Only posts by these authors.
    authors: Option<AuthorFilter>,
    /// Only posts in one of these languages: tags of BCP 47 such as `en` or `pt-BR`, compared as a whole and without regard to case, so that `pt` does not
    /// match `pt-BR`. A post without a language of its own matches none of them, and no post matches a text that is not a tag, or an empty list.
    languages: Option<Vec<String>>,
    /// True: only featured posts. False: only posts that are not featured; featured posts are read and skipped, and if a page would skip too many, the error
    /// is FILTER_TOO_BROAD.
    featured: Option<bool>,
    /// Only posts with these values of fields of the site. The values count among the 20 slugs and languages of a filter.
    fields: Option<PostFieldsFilter>,
}

/// A range of time. All given bounds must hold; a range that contradicts itself matches nothing, and null is the same as omitted.
/// Times are compared as the API shows them, in milliseconds.
#[derive(Debug, Clone, Default, InputObject)]
pub struct DateTimeRange {
    /// Later than this time.
    gt: Option<DateTime>,
    /// At this time or later.
    gte: Option<DateTime>,
    /// Earlier than this time.
    lt: Option<DateTime>,
    /// At this time or earlier.
    lte: Option<DateTime>,
}

macro_rules! slug_filter {
    ($filter:ident, $plural:literal) => {
        #[doc = concat!("The ", $plural, " that a post must have or must not have, by their slugs. All given conditions must hold; null is the same as omitted.")]
        #[derive(Debug, Clone, Default, InputObject)]
        pub struct $filter {
            #[doc = concat!("The post has every one of these. An empty list matches all posts; a slug that no ", $plural, " have matches none.")]
            all: Option<Vec<String>>,
            /// The post has at least one of these. An empty list matches no post; an unknown slug in it changes nothing.
            any: Option<Vec<String>>,
            /// The post has none of these. An empty list matches all posts; an unknown slug in it changes nothing. Excluded posts are read and skipped; if a
            /// page would skip too many, the error is FILTER_TOO_BROAD.
            none: Option<Vec<String>>,
        }

        impl From<$filter> for SlugFilter {
            fn from(filter: $filter) -> Self {
                slugs(&filter.all.unwrap_or_default(), filter.any.as_deref(), &filter.none.unwrap_or_default())
            }
        }
    };
}

slug_filter!(CategoryFilter, "categories");
slug_filter!(TagFilter, "tags");
slug_filter!(AuthorFilter, "authors");

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
