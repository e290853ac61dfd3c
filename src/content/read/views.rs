//! Reads views. The rule: views are not cached, because other servers count without announcing their writes, so a query with views is always executed.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::join_all;

use crate::content::error::Result;
use crate::content::tables::rows::views as rows;
use crate::keys::views as keys;
use crate::model::{Day, Month, Post, PostId};
use crate::store::{PAGE_ROWS_MAX, ReadSet};

use super::Reader;
use super::pages::{PostList, holds, of_first_slugs};

/// The maximum number of days in one field: a year.
pub(crate) const VIEW_DAYS_MAX: u32 = 366;

/// The number of additional posts that are looked up, because some may not be published any more.
const SPARE: usize = 20;

/// The maximum number of posts that are looked up for a list of popular posts.
pub(crate) fn considered(first: usize, is_filtered: bool) -> usize {
    if is_filtered { rows::TOP_MAX } else { first + SPARE }
}

impl Reader {
    /// The views of posts on the days of a month. One point read each.
    pub(crate) async fn views_of_months(&self, named: &[(Month, PostId)]) -> Vec<Result<Arc<[i64; 31]>>> {
        self.source.counted.note_cached(ReadSet::break_off);
        let mut of_months: HashMap<Month, Vec<usize>> = HashMap::new();
        (0..named.len()).for_each(|at| of_months.entry(named[at].0).or_default().push(at));
        let reads = of_months.into_iter().map(|(month, places)| async move {
            let posts: Vec<_> = places.iter().map(|at| keys::post(&named[*at].1)).collect();
            places.into_iter().zip(self.store().get_many(keys::table(month), &posts).await)
        });
        let mut found: Vec<_> = join_all(reads).await.into_iter().flatten().collect();
        found.sort_unstable_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, row)| Ok(Arc::new(rows::read(row?.as_ref())?))).collect()
    }

    /// The published posts of a list with the most views on these days. Only days on which a post was among the first [`TOP_MAX`](rows::TOP_MAX) count. One
    /// range read for each month; then the missing posts, and the terms in the filter.
    pub(crate) async fn popular(
        &self,
        (from, to): (Day, Day),
        first: usize,
        list: &PostList,
    ) -> Result<Vec<(Arc<Post>, i64)>> {
        let considered = considered(first, *list != PostList::all());
        let mut ranked = self.ranked(from, to).await?.into_iter().take(considered);
        let (list, mut popular) = (of_first_slugs(self, list).await?, Vec::new());
        while popular.len() < first {
            let next: Vec<(PostId, i64)> = ranked.by_ref().take(first - popular.len()).collect();
            if next.is_empty() {
                break;
            }
            for ((_, views), post) in next.iter().zip(join_all(next.iter().map(|(id, _)| self.post_by_id(id))).await) {
                popular.extend(post?.filter(|post| holds(&list, self.now(), post)).map(|post| (post, *views)));
            }
        }
        Ok(popular)
    }

    /// The posts with views on these days, those with the most views first.
    async fn ranked(&self, from: Day, to: Day) -> Result<Vec<(PostId, i64)>> {
        self.source.counted.note_cached(ReadSet::break_off);
        let mut of_months: Vec<(Day, Day)> = Vec::new();
        for day in from.to(to) {
            match of_months.last_mut().filter(|(first, _)| first.month() == day.month()) {
                Some((_, last)) => *last = day,
                None => of_months.push((day, day)),
            }
        }
        let reads = of_months.into_iter().map(|(first, last)| async move {
            self.store().range(keys::table(first.month()), &keys::tops(first, last), PAGE_ROWS_MAX, None).await
        });
        let mut views: HashMap<PostId, i64> = HashMap::new();
        for page in join_all(reads).await {
            for row in page?.rows {
                rows::read_top(&row)?.into_iter().for_each(|(post, more)| *views.entry(post).or_default() += more);
            }
        }
        let mut ranked: Vec<_> = views.into_iter().collect();
        ranked.sort_unstable_by(|(a, of_a), (b, of_b)| of_b.cmp(of_a).then_with(|| a.cmp(b)));
        Ok(ranked)
    }
}
