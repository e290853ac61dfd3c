//! The type `ArchiveMonth`: a month and its posts. The rule: a month without published posts is not in the archive.

use async_graphql::{Context, Object};

use crate::content::read::pages::{MonthSpan, PostList, Scope, total};
use crate::graphql::arguments::Paging;
use crate::graphql::connection::PostConnection;
use crate::graphql::context;
use crate::graphql::failure::{Result, bad_input};
use crate::graphql::list_size::{ListSize, Size};
use crate::graphql::order::{self, PostOrder};
use crate::model::Month;

pub struct ArchiveMonth {
    pub month: Month,
    pub post_count: u64,
}

/// A calendar month (UTC) with published posts.
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

    /// The number of its published posts.
    async fn post_count(&self) -> i32 {
        i32::try_from(self.post_count).unwrap_or(i32::MAX)
    }

    /// Its published posts, newest first unless `orderBy` says otherwise.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "From the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "After this cursor of the same list.")] after: Option<String>,
        #[graphql(desc = "From the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Before this cursor of the same list.")] before: Option<String>,
        #[graphql(desc = "Newest first if omitted.")] order_by: Option<PostOrder>,
    ) -> Result<PostConnection> {
        let list = order::posts_in(order_by, PostList::of(Scope::Month(self.month)));
        PostConnection::read(ctx, list, Paging { first, after, last, before }).await
    }
}

impl ArchiveMonth {
    /// The months of the archive, or those of one year, or one month.
    pub async fn read(ctx: &Context<'_>, year: Option<i32>, month: Option<i32>) -> Result<Vec<Self>> {
        check_month(year, month)?;
        let bound = |of_year: i32| Month::new(year?, u32::try_from(month.unwrap_or(of_year)).ok()?);
        let requested = MonthSpan { newest: bound(12), oldest: bound(1) };
        let months = total::archive(&context::of(ctx).reader, requested).await?;
        Ok(months.into_iter().map(|(month, post_count)| Self { month, post_count }).collect())
    }
}

fn check_month(year: Option<i32>, month: Option<i32>) -> Result<()> {
    match (year, month) {
        (None, Some(_)) => Err(bad_input("month", "`month` needs `year`")),
        (Some(year), _) if !(1..=9999).contains(&year) => {
            Err(bad_input("year", format!("`year` is {year}; it must be 1 to 9999")))
        }
        (_, Some(month)) if !(1..=12).contains(&month) => {
            Err(bad_input("month", format!("`month` is {month}; it must be 1 to 12")))
        }
        _ => Ok(()),
    }
}
