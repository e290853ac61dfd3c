//! The order of a series. The rule: the order follows from the whole index of the series and the ids that the series names, so that pages, numbers and cursors
//! agree; a named post that is not in the index is ignored.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::model::{PostId, PostKey, Term};

use super::list::{PostList, Scope};

/// The keys of the published posts in a series, in its order. Some posts may have left the series.
pub(super) struct SeriesKeys<'a> {
    keys: Vec<PostKey>,
    order: Order<'a>,
}

/// The indices of the posts that a series names.
struct Order<'a>(HashMap<&'a PostId, usize>);

impl<'a> Order<'a> {
    fn of(named: &'a [PostId]) -> Self {
        Self(named.iter().zip(0..).collect())
    }

    /// The sort key of a post: named posts come first, the others by their time, the earliest first.
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

    /// The number of a post, from 1 on; `None` if it is not in the series.
    pub(super) fn number(&self, key: &PostKey) -> Option<usize> {
        let before = self.count_before(key, false);
        (self.keys.get(before) == Some(key)).then_some(before + 1)
    }

    /// The number of posts before a post, including the post itself if `is_with` is true.
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

/// Sorts keys in the order of a series that names these posts.
pub(in crate::content) fn sort_as_series(named: &[PostId], keys: &mut [PostKey]) {
    Order::of(named).sort(keys);
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
