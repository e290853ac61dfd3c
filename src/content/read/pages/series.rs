//! The order of a series. The rule: it follows from the index of the series and the ids that the series names, both of which are read whole, so
//! that a page, a number and a cursor of it have one order; a named post that is not in the index is ignored.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use crate::content::error::Result;
use crate::content::read::reader::Reader;
use crate::keys::time::{Direction, Span};
use crate::model::{PostId, PostKey, Slug, Term, TermKind};
use crate::store::PAGE_ROWS_MAX;

use super::ReadBudget;
use super::index::IndexStream;
use super::list::{PostList, Scope};
use super::stream::next;

/// The published posts of a series, in its order. Some of them may have left it.
pub(super) struct SeriesKeys<'a> {
    keys: Vec<PostKey>,
    order: Order<'a>,
}

/// The places of the posts that a series names.
struct Order<'a>(HashMap<&'a PostId, usize>);

impl<'a> Order<'a> {
    fn of(named: &'a [PostId]) -> Self {
        Self(named.iter().zip(0..).collect())
    }

    /// Where a post is, or would be if it were in the series: those that are named first, the others by their time, the earliest first.
    fn rank(&self, key: &PostKey) -> (usize, Reverse<PostKey>) {
        (self.0.get(&key.id).copied().unwrap_or(usize::MAX), Reverse(key.clone()))
    }

    fn sort(&self, keys: &mut [PostKey]) {
        keys.sort_by_cached_key(|key| self.rank(key));
    }
}

impl<'a> SeriesKeys<'a> {
    pub(super) fn of(mut keys: Vec<PostKey>, named: &'a [PostId]) -> Self {
        let order = Order::of(named);
        order.sort(&mut keys);
        Self { keys, order }
    }

    /// The number of posts before a post, and the post itself if `is_with` is true.
    pub(super) fn count_before(&self, key: &PostKey, is_with: bool) -> usize {
        let rank = self.order.rank(key);
        self.keys.partition_point(|other| {
            let other = self.order.rank(other);
            if is_with { other <= rank } else { other < rank }
        })
    }

    pub(super) fn keys(&self) -> &[PostKey] {
        &self.keys
    }
}

impl Scope {
    pub fn of_series(series: &Term) -> Self {
        Self::Series { id: series.id.clone(), order: series.order.as_slice().into() }
    }
}

impl PostList {
    pub fn of_series(series: &Term) -> Self {
        Self::of(Scope::of_series(series))
    }
}

/// The keys of a list that is a series without a filter; `None` for another. One range read for each 1,000 posts, and none for those that are cached.
pub(super) async fn keys_of<'a>(reader: &Reader, list: &'a PostList) -> Result<Option<SeriesKeys<'a>>> {
    let Scope::Series { id, order } = &list.scope else { return Ok(None) };
    read(reader, &id.first_slug, order).await.map(Some)
}

/// The number of a published post in its series, from 1 on; `None` if it is not in it. It costs what the keys of the series cost.
///
/// # Errors
/// If the store fails.
pub async fn number_in_series(reader: &Reader, series: &Term, key: &PostKey) -> Result<Option<usize>> {
    let series = read(reader, &series.id.first_slug, &series.order).await?;
    let before = series.count_before(key, false);
    Ok((series.keys.get(before) == Some(key)).then_some(before + 1))
}

/// Sorts keys in the order of a series that names these posts.
pub(in crate::content) fn sort_as_series(named: &[PostId], keys: &mut [PostKey]) {
    Order::of(named).sort(keys);
}

async fn read<'a>(reader: &Reader, first_slug: &Slug, named: &'a [PostId]) -> Result<SeriesKeys<'a>> {
    let (budget, span) = (Arc::new(ReadBudget::default()), Span::until(reader.now()));
    let index = (TermKind::Series.into(), first_slug);
    let stream = IndexStream::new(reader, budget, index, &span, Direction::Forward, PAGE_ROWS_MAX);
    let (mut stream, mut keys) = (stream.caching(), Vec::new());
    while let Some(candidate) = next(&mut stream).await? {
        keys.push(candidate.key);
    }
    Ok(SeriesKeys::of(keys, named))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Instant;

    #[test]
    fn named_posts_come_first_and_the_others_by_time() {
        let key = |id: u64, at: i64| PostKey { at: Instant::from_ticks(at).expect("ticks"), id: PostId::from_bits(id) };
        let mut keys = vec![key(1, 50), key(2, 40), key(3, 30), key(4, 30), key(5, 10)];
        let named = [2, 9, 1].map(PostId::from_bits);
        sort_as_series(&named, &mut keys);
        assert_eq!(keys, [key(2, 40), key(1, 50), key(5, 10), key(4, 30), key(3, 30)]);
        let series = SeriesKeys { keys, order: Order::of(&named) };
        for (gone, before) in [(key(9, 0), 1), (key(7, 20), 3), (key(7, 5), 2), (key(7, 60), 5)] {
            assert_eq!((series.count_before(&gone, false), series.count_before(&gone, true)), (before, before));
        }
        assert_eq!((series.count_before(&key(5, 10), false), series.count_before(&key(5, 10), true)), (2, 3));
    }
}
