//! The views of posts. The rule: days are in UTC; only days whose views are kept are read, and all others have no views.

use std::sync::Arc;

use async_graphql::{Context, SimpleObject};

use crate::content::read::VIEW_DAYS_MAX;
use crate::content::read::pages::{PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, PostList};
use crate::graphql::context;
use crate::graphql::failure::{Result, bad_input};
use crate::graphql::scalars::DateTime;
use crate::model::{Day, Month, Post};

use super::post::PostObject;

/// The days of a list of popular posts: a quarter.
const POPULAR_DAYS_MAX: u32 = 90;
const DAYS_DEFAULT: u32 = 30;

/// The views of a post on one day.
#[derive(SimpleObject)]
pub struct ViewsOfDay {
    /// The start of the day in UTC.
    day: DateTime,
    /// How many visitors viewed the post.
    views: i32,
}

/// A post that many have viewed.
#[derive(SimpleObject)]
pub struct PopularPost {
    /// The post.
    post: PostObject,
    /// On these days, without those on which 200 other posts had more.
    views: i32,
}

fn shown(views: i64) -> i32 {
    i32::try_from(views).unwrap_or(i32::MAX)
}

/// The sum of [`by_day`].
pub(super) async fn sum(ctx: &Context<'_>, post: &Post, span: Span) -> Result<Option<i32>> {
    let days = views_of_days(ctx, post, span).await?;
    Ok(days.map(|days| shown(days.iter().map(|(_, views)| views).sum())))
}

/// The views of a post on each of the days; empty if views are not counted.
pub(super) async fn by_day(ctx: &Context<'_>, post: &Post, span: Span) -> Result<Vec<ViewsOfDay>> {
    let days = views_of_days(ctx, post, span).await?;
    let of_day = |(day, views): (Day, i64)| ViewsOfDay { day: DateTime(day.start()), views: shown(views) };
    Ok(days.into_iter().flatten().map(of_day).collect())
}

/// The days from the arguments `from` and `to`.
pub(super) struct Span {
    pub(super) from: Option<DateTime>,
    pub(super) to: Option<DateTime>,
}

async fn views_of_days(ctx: &Context<'_>, post: &Post, span: Span) -> Result<Option<Vec<(Day, i64)>>> {
    let request = context::of(ctx);
    let Some((today, oldest)) = request.content.days_with_views() else { return Ok(None) };
    let to = span.to.map_or(today, |to| Day::of(to.0));
    let from = span.from.map_or(to.minus(DAYS_DEFAULT - 1), |from| Day::of(from.0));
    let days = from.to(to);
    if days.len() == 0 || days.len() > VIEW_DAYS_MAX as usize {
        let message = format!("`from` {from} and `to` {to} must be 1 to {VIEW_DAYS_MAX} days");
        return Err(bad_input("from", message));
    }
    let is_kept = |day: &Day| (oldest..=today).contains(day);
    let mut months: Vec<Month> = days.clone().filter(is_kept).map(Day::month).collect();
    months.dedup();
    let keys = months.iter().map(|month| (*month, post.id.clone())).collect();
    let found: Vec<Arc<[i64; 31]>> = request.loaders.views.load_many(keys).await?;
    let views = |day: Day| {
        let of_month = months.iter().zip(&found).find(|(month, _)| **month == day.month());
        of_month.filter(|_| is_kept(&day)).map_or(0, |(_, views)| views[day.number() as usize - 1])
    };
    Ok(Some(days.map(|day| (day, views(day))).collect()))
}

/// The posts of a list with the most views on the last days, including today; empty if views are not counted.
pub(in crate::graphql) async fn popular(
    ctx: &Context<'_>,
    (days, first): (Option<i32>, Option<i32>),
    list: &PostList,
) -> Result<Vec<PopularPost>> {
    let of_days = u32::try_from(days.unwrap_or(DAYS_DEFAULT as i32)).ok();
    let Some(of_days) = of_days.filter(|days| (1..=POPULAR_DAYS_MAX).contains(days)) else {
        return Err(bad_input("days", format!("`days` must be 1 to {POPULAR_DAYS_MAX}")));
    };
    let first = usize::try_from(first.unwrap_or(PAGE_SIZE_DEFAULT as i32)).ok();
    let Some(first) = first.filter(|first| *first <= PAGE_SIZE_MAX) else {
        return Err(bad_input("first", format!("`first` must be 0 to {PAGE_SIZE_MAX}")));
    };
    let request = context::of(ctx);
    let Some((today, oldest)) = request.content.days_with_views() else { return Ok(Vec::new()) };
    let found = request.reader.popular((today.minus(of_days - 1).max(oldest), today), first, list).await?;
    Ok(found
        .into_iter()
        .map(|(post, views)| PopularPost { post: PostObject::new(post), views: shown(views) })
        .collect())
}
