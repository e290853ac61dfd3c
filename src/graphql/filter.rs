//! The filter for posts, from its GraphQL form to what `content` takes. The rule: equal filters make the same list, whatever their form, so that a
//! cursor of one is a cursor of the other.

use async_graphql::InputObject;

use crate::content::read::pages::{Filter, PostList, Scope, SlugFilter as Slugs};
use crate::model::{Instant, Slug};

use super::failure::Result;
use super::scalars::DateTime;

/// A filter for posts, which must meet all given conditions. Slugs name categories, tags and authors.
#[derive(Debug, Clone, Default, InputObject)]
pub struct PostFilter {
    /// Only posts that were published in this range.
    published_at: Option<DateTimeRange>,
    /// Only posts in these categories.
    categories: Option<SlugFilter>,
    /// Only posts with these tags.
    tags: Option<SlugFilter>,
    /// Only posts by these authors.
    authors: Option<SlugFilter>,
}

/// A range of time. All given bounds must hold; a range that contradicts itself matches nothing. Times are compared as the API shows them, in
/// milliseconds.
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

/// The slugs of the categories, tags or authors that a post must have. No post has an unknown slug.
#[derive(Debug, Clone, Default, InputObject)]
pub struct SlugFilter {
    /// The post has every one of these. An empty list matches all posts.
    all: Option<Vec<String>>,
    /// The post has at least one of these. An empty list matches no post.
    any: Option<Vec<String>>,
}

impl PostFilter {
    pub fn into_list(self, scope: Scope) -> Result<PostList> {
        let range = self.published_at.unwrap_or_default();
        let filter = Filter {
            published_after: range.after(),
            published_before: range.before(),
            categories: self.categories.unwrap_or_default().into_slugs(),
            tags: self.tags.unwrap_or_default().into_slugs(),
            authors: self.authors.unwrap_or_default().into_slugs(),
        };
        Ok(PostList::checked(scope, filter)?)
    }
}

impl DateTimeRange {
    /// Its instants are later than this one. A bound names a whole millisecond, because that is what the API shows of a stored instant.
    fn after(&self) -> Option<Instant> {
        let gt = self.gt.map(|at| at.0.end_of_millisecond());
        let gte = self.gte.and_then(|at| at.0.start_of_millisecond().previous());
        gt.max(gte)
    }

    /// Its instants are earlier than this one.
    fn before(&self) -> Option<Instant> {
        let lt = self.lt.map(|at| at.0.start_of_millisecond());
        let lte = self.lte.and_then(|at| at.0.end_of_millisecond().next());
        [lt, lte].into_iter().flatten().min()
    }
}

impl SlugFilter {
    fn into_slugs(self) -> Slugs {
        let all = self.all.unwrap_or_default();
        let parsed: Result<Vec<Slug>, _> = all.iter().map(|text| text.parse()).collect();
        let any = self.any.map(|any| once_each(any.iter().filter_map(|text| text.parse().ok()).collect()));
        match parsed {
            Ok(all) => Slugs { all: once_each(all), any },
            // A text that is not a valid slug names no term, so no post has it.
            Err(_) => Slugs { all: Vec::new(), any: Some(Vec::new()) },
        }
    }
}

/// Sorted and without duplicates, so that equal filters make the same list whatever their order.
fn once_each(mut slugs: Vec<Slug>) -> Vec<Slug> {
    slugs.sort();
    slugs.dedup();
    slugs
}
