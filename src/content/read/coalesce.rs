//! Range coalescing: replaces point reads of posts that are close together in one month by one range read. The rule: only if that is expected to read
//! at most three rows for each requested post, and at least four posts are requested.

use std::collections::BTreeMap;

use crate::content::tables::rows::partition_catalog::Listed;
use crate::keys::place::month_partition;
use crate::keys::time::{Direction, Span};
use crate::model::{Month, PostKey};
use crate::store::{PAGE_ROWS_MAX, RowRange};

/// The rows that a range is expected to read for each requested post, at most.
const ROWS_PER_POST_MAX: f64 = 3.0;
/// Fewer posts than this are read one by one, because the estimate of their density is too rough.
const POSTS_MIN: usize = 4;

#[derive(Debug, Default)]
pub(super) struct CoalescePlan {
    pub points: Vec<PostKey>,
    /// Posts of months whose number of posts is not known.
    pub near: Vec<PostKey>,
    pub ranges: Vec<CoalescedRange>,
}

#[derive(Debug)]
pub(super) struct CoalescedRange {
    pub rows: RowRange,
    pub keys: Vec<PostKey>,
    pub limit: usize,
}

/// Without `months`, the cached list of months, the density is not known.
pub(super) fn plan(keys: &[PostKey], months: Option<&Vec<Listed<Month>>>) -> CoalescePlan {
    if keys.len() < POSTS_MIN {
        return CoalescePlan { points: keys.to_vec(), ..CoalescePlan::default() };
    }
    let mut by_month: BTreeMap<Month, Vec<PostKey>> = BTreeMap::new();
    for key in keys {
        by_month.entry(key.month()).or_default().push(key.clone());
    }
    let mut plan = CoalescePlan::default();
    for (month, mut keys) in by_month {
        keys.sort();
        match months {
            _ if keys.len() < POSTS_MIN => plan.points.extend(keys),
            None => plan.near.extend(keys),
            Some(months) => match range_over(month, &keys, months) {
                Some((rows, limit)) => plan.ranges.push(CoalescedRange { rows, keys, limit }),
                None => plan.points.extend(keys),
            },
        }
    }
    plan
}

fn range_over(month: Month, keys: &[PostKey], months: &[Listed<Month>]) -> Option<(RowRange, usize)> {
    let (newest, oldest) = (keys.first()?, keys.last()?);
    let posts = months.iter().find(|m| m.partition == month)?.count.rows as f64;
    let whole = (month.last().ticks() - month.first().ticks()) as f64;
    let share = (newest.at.ticks() - oldest.at.ticks()) as f64 / whole;
    let expected = posts * share + keys.len() as f64;
    let rows_max = ROWS_PER_POST_MAX * keys.len() as f64;
    if posts.min(expected) > rows_max {
        return None;
    }
    let span = Span { until: Some(newest.at), since: Some(oldest.at), ..Span::default() };
    let limit = (2 * rows_max as usize).clamp(1, PAGE_ROWS_MAX);
    Some((span.rows(&month_partition(month), Direction::Forward), limit))
}
