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

/// All read operations, by POST as JSON to `/graphql`. Lists are connections as in the Relay specification; `first` and `last` together are the last items of
/// the first ones. A field that requires a role says so and is null without it; all others are public. Each entry of `errors` has `extensions.code` and
/// `extensions.retryable` (docs/errors.md).
#[derive(MergedObject, Default)]
pub struct Query(MainQuery, SeriesQuery);

#[derive(Default)]
pub(super) struct SeriesQuery;

#[Object]
impl SeriesQuery {
    /// By its current slug or a former one: redirect if `slug` differs. Null if it does not exist.
    async fn series(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The current slug, or a former one.")] slug: String,
    ) -> Result<Option<Series>> {
        Ok(find(ctx, TermKind::Series, &slug).await?.map(Series))
    }

    /// All series, also those without posts, by slug unless `orderBy` says otherwise.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn all_series(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Items from the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "Items after this cursor of the same list.")] after: Option<String>,
        #[graphql(desc = "Items from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Items before this cursor of the same list.")] before: Option<String>,
        #[graphql(desc = "By slug from a to z if omitted.")] order_by: Option<TermOrder>,
    ) -> Result<SeriesConnection> {
        let page = PageOfTerms::of(ctx, TermKind::Series, order_by, Paging { first, after, last, before }).await?;
        Ok(SeriesConnection(page))
    }
}
