//! The fields of the type `Query` for series. The rule: as for the other terms, an unknown slug is null, never an error.

use async_graphql::{Context, Object};

use crate::model::TermKind;

use super::arguments::Paging;
use super::connection::{PageOfTerms, SeriesConnection};
use super::failure::Result;
use super::list_size::{ListSize, Size};
use super::object_value::ObjectValue;
use super::order::TermOrder;
use super::types::series::Series;
use super::types::term::find;

#[derive(Default)]
pub(super) struct SeriesQuery;

#[Object]
impl SeriesQuery {
    /// A series by its current slug or a former one (if `slug` of the answer differs, redirect to it); null if it does not exist.
    async fn series(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The current slug, or a former one.")] slug: String,
    ) -> Result<Option<ObjectValue<Series>>> {
        Ok(find(ctx, TermKind::Series, &slug).await?.map(|term| ObjectValue(Series(term))))
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
    ) -> Result<ObjectValue<SeriesConnection>> {
        let page = PageOfTerms::of(ctx, TermKind::Series, order_by, Paging { first, after, last, before }).await?;
        Ok(ObjectValue(SeriesConnection(page)))
    }
}
