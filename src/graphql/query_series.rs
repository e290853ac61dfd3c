//! The type `Query`, and its fields for series; the others are in `query`. The rule: an unknown slug is null, never an error.

use async_graphql::{Context, MergedObject, Object};

use crate::model::TermKind;

use super::arguments::Paging;
use super::connection::{PageOfTerms, SeriesConnection};
use super::failure::Result;
use super::list_size::{ListSize, Size};
use super::order::TermOrder;
use super::query::MainQuery;
use super::types::series::Series;
use super::types::term::find;

/// All read operations. Send them by POST as JSON to `/graphql`. Start with `posts`, newest first, or with a slug: `post`, `tag`, `category`, `author`, `series`. Lists
/// are pages of cursors: `first` is the page size, and `after` with the `endCursor` of a page returns the next page; `last` and `before` with the
/// `startCursor` return the previous page; `first` and `last` together are the last items of the first ones. A cursor of another list is BAD_CURSOR. A field
/// that requires a role says so; all others are public. Each entry of `errors` has `extensions.code` and `extensions.retryable`: whether the same request can
/// be sent again, after `extensions.retryAfterMs` if it is given. Decide by `data` and `errors`, not by the HTTP status. A query that may need too many
/// storage requests (50,000, unless the server is set otherwise) is refused before it runs: QUERY_TOO_COMPLEX.
#[derive(MergedObject, Default)]
pub struct Query(MainQuery, SeriesQuery);

#[derive(Default)]
pub(super) struct SeriesQuery;

#[Object]
impl SeriesQuery {
    /// A series by its current slug or a former one (if `slug` of the answer differs, redirect to it); null if it does not exist.
    async fn series(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The current slug, or a former one.")] slug: String,
    ) -> Result<Option<Series>> {
        Ok(find(ctx, TermKind::Series, &slug).await?.map(Series))
    }

    /// All series, also those without posts, ordered by slug from a to z unless `orderBy` says otherwise.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn all_series(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The number of items from the start: 0 to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only items after this cursor, which must come from the same list with the same order.")]
        after: Option<String>,
        #[graphql(desc = "The number of items from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only items before this cursor, which must come from the same list with the same order.")]
        before: Option<String>,
        #[graphql(desc = "The order of the list: by slug from a to z if omitted. POST_COUNT counts every item.")]
        order_by: Option<TermOrder>,
    ) -> Result<SeriesConnection> {
        let page = PageOfTerms::of(ctx, TermKind::Series, order_by, Paging { first, after, last, before }).await?;
        Ok(SeriesConnection(page))
    }
}
