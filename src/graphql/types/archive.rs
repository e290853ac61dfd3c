//! `ArchiveMonth`: a month and its posts. The rule: a month without a published post is not in the archive.

use async_graphql::{Context, Object, Result};

use crate::content::pages::{Filter, PostList, Scope};
use crate::model::Month;

use crate::graphql::arguments::{Paging, requested};
use crate::graphql::connection::PostConnection;
use crate::graphql::context;
use crate::graphql::failure::ReadFailure;

pub struct ArchiveMonth {
    pub month: Month,
    pub post_count: u64,
}

/// A month that holds published posts, by the calendar of UTC.
#[Object]
impl ArchiveMonth {
    /// 1 to 9999.
    async fn year(&self) -> i32 {
        i32::from(self.month.year())
    }

    /// 1 to 12.
    async fn month(&self) -> i32 {
        i32::from(self.month.month())
    }

    /// How many published posts it holds.
    async fn post_count(&self) -> i32 {
        i32::try_from(self.post_count).unwrap_or(i32::MAX)
    }

    /// Its published posts, newest first.
    async fn posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "How many from the start: 0 to 100; 20 where neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only what stands behind this cursor of this list.")] after: Option<String>,
        #[graphql(desc = "How many from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only what stands before this cursor of this list.")] before: Option<String>,
    ) -> Result<PostConnection> {
        let list = PostList { scope: Scope::Month(self.month), filter: Filter::default() };
        let arguments = Paging { first, after, last, before }.of_posts(&list)?;
        let page =
            context::of(ctx).loaders.page(list.clone(), arguments, requested(ctx)).await.map_err(ReadFailure::from)?;
        Ok(PostConnection { list, page })
    }
}
