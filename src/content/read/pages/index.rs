//! One partition of an index table as a stream. The rule: each range read returns consecutive rows; skipped and cached rows are not read.
//!
//! The first keys of an index are cached for the pages of filters that merge it: all keys of the public list from its first one on, so a later page reads
//! nothing before their end. A filter passes many keys for each post of its page, and other filters with the same term pass the same keys; the page itself is
//! also cached, but only for the same filter and cursor.

use std::sync::Arc;

use crate::content::cache::CacheKey;
use crate::content::error::Result;
use crate::content::read::reader::Reader;
use crate::keys::time::{self, Direction, Span};
use crate::keys::{Table, term};
use crate::model::{IndexKind, PostKey, Slug};
use crate::store::{Continuation, PAGE_ROWS_MAX, RowRange};

use super::ReadBudget;
use super::stream::{Candidate, FirstKeys, Found, PostStream, compare};

/// The maximum number of keys that are cached of an index, some 260 KB.
const FIRST_KEYS_MAX: usize = 8_192;
/// A target is far from the known keys if probably more than this fraction of a read's rows are before it.
const GAP_SHARE: usize = 4;

pub(super) struct IndexStream {
    reader: Reader,
    budget: Arc<ReadBudget>,
    kind: IndexKind,
    slug: Slug,
    span: Span,
    direction: Direction,
    /// The number of rows of the next read. It doubles with each read.
    chunk: usize,
    keys: Arc<Vec<PostKey>>,
    /// The number of passed keys.
    passed: usize,
    rest: Rest,
    /// Whether the keys begin with the first one and have no gap, so that they can be cached for other pages.
    is_caching: bool,
}

/// The state of the rows after the keys.
enum Rest {
    Unread(RowRange),
    More(RowRange, Continuation),
    Nothing,
}

impl IndexStream {
    pub(super) fn new(
        reader: &Reader,
        budget: Arc<ReadBudget>,
        (kind, slug): (IndexKind, &Slug),
        span: &Span,
        direction: Direction,
        chunk: usize,
    ) -> Self {
        let rows = span.rows(&term::posts_partition(slug), direction).of_keys();
        let chunk = chunk.clamp(1, PAGE_ROWS_MAX);
        let (reader, slug, span, rest) = (reader.clone(), slug.clone(), span.clone(), Rest::Unread(rows));
        let (keys, passed, is_caching) = (Arc::default(), 0, false);
        Self { reader, budget, kind, slug, span, direction, chunk, keys, passed, rest, is_caching }
    }

    /// Uses the first keys of the index if they are cached, and caches those that it reads. Has no effect if the reader caches nothing, or if the span ends
    /// before the public list does, because its keys are incomplete then.
    pub(super) fn caching(self) -> Self {
        let (span, now) = (&self.span, self.reader.now());
        let is_public = span.until.is_some_and(|until| until <= now);
        let is_to_the_end = match self.direction {
            Direction::Forward => span.since.is_none() && span.before.is_none(),
            Direction::Backward => span.until == Some(now) && span.after.is_none(),
        };
        Self { is_caching: is_public && is_to_the_end && self.reader.takes_values(), ..self }
    }

    fn cache_key(&self) -> CacheKey {
        CacheKey::FirstKeys(self.kind, self.slug.clone(), self.direction)
    }

    /// Uses the cached keys, if they reach into the span.
    fn take_cached(&mut self) -> Option<()> {
        if !self.is_caching {
            return None;
        }
        let cached: Option<FirstKeys> = self.reader.cached_values(std::iter::once(self.cache_key())).pop().flatten();
        let passed = |first: &FirstKeys| first.keys.partition_point(|key| !self.span.contains(key));
        let reaching = cached.map(|first| (passed(&first), first));
        // If all of these keys are before the span, others may follow.
        let reaching = reaching.filter(|(passed, first)| *passed < first.keys.len() || first.is_whole);
        let Some((passed, FirstKeys { keys, is_whole })) = reaching else {
            self.is_caching = self.begins_with_first();
            return None;
        };
        if is_whole && keys.is_empty() {
            self.budget.note_empty(self.kind, &self.slug);
        }
        let rest = match keys.last() {
            Some(last) if !is_whole => Rest::Unread(self.rows_after(last)),
            _ => Rest::Nothing,
        };
        self.chunk = keys.len().clamp(self.chunk, PAGE_ROWS_MAX);
        (self.keys, self.passed, self.rest) = (keys, passed, rest);
        Some(())
    }

    /// Reads the next rows, or those from `target` on if that is far from the known keys.
    async fn read_rows(&mut self, target: Option<&PostKey>) -> Result<()> {
        let is_first = self.keys.is_empty() && matches!(self.rest, Rest::Unread(_));
        let (rows, continuation) = match std::mem::replace(&mut self.rest, Rest::Nothing) {
            Rest::Nothing => return Ok(()),
            Rest::Unread(rows) => (rows, None),
            Rest::More(rows, continuation) => (rows, Some(continuation)),
        };
        self.is_caching &= !self.is_gap(target);
        let (rows, continuation) = match target {
            Some(target) if !self.is_caching => (rows.starting_at(time::row(target, self.direction))?, None),
            _ => (rows, continuation),
        };
        self.budget.spend_range_read()?;
        let table = Table::PostsBy(self.kind).name();
        let page = self.reader.store().range(table, &rows, self.chunk, continuation.as_ref()).await?;
        let is_whole = page.continuation.is_none();
        if is_first && page.rows.is_empty() && is_whole {
            self.budget.note_empty(self.kind, &self.slug);
        }
        self.chunk = (self.chunk * 2).min(PAGE_ROWS_MAX);
        // A list skips malformed rows; `check` reports them.
        let read = page.rows.iter().filter_map(|row| time::parse_row(row.key.row(), self.direction));
        if self.is_caching {
            let keys: Vec<PostKey> = self.keys.iter().cloned().chain(read).collect();
            self.keys = Arc::new(keys);
            self.keep_keys(is_whole).await;
        } else {
            (self.keys, self.passed) = (Arc::new(read.collect()), 0);
        }
        if let Some(continuation) = page.continuation {
            self.rest = Rest::More(rows, continuation);
        }
        Ok(())
    }

    /// The rows of the index after a key.
    fn rows_after(&self, last: &PostKey) -> RowRange {
        let mut span = self.span.clone();
        match self.direction {
            Direction::Forward => span.after = Some(last.clone()),
            Direction::Backward => span.before = Some(last.clone()),
        }
        span.rows(&term::posts_partition(&self.slug), self.direction).of_keys()
    }

    /// Whether to skip the rows between the known keys and `target`. If there are only a few, as estimated from the mean distance of the keys, they are read.
    fn is_gap(&self, target: Option<&PostKey>) -> bool {
        let (Some(first), Some(last), Some(target)) = (self.keys.first(), self.keys.last(), target) else {
            // Without keys, the distance cannot be estimated.
            return false;
        };
        let ticks = |from: &PostKey, to: &PostKey| from.at.ticks().abs_diff(to.at.ticks()) as f64;
        let rows = ticks(last, target) * self.keys.len() as f64 / ticks(first, last).max(1.0);
        rows > (self.chunk / GAP_SHARE) as f64
    }

    /// Whether the span begins with the first key of the public list.
    fn begins_with_first(&self) -> bool {
        match self.direction {
            Direction::Forward => self.span.after.is_none() && self.span.until == Some(self.reader.now()),
            Direction::Backward => self.span.before.is_none() && self.span.since.is_none(),
        }
    }

    /// Caches the known keys, which have no gap, unless they are too many.
    async fn keep_keys(&mut self, is_whole: bool) {
        let last = if is_whole { None } else { self.keys.last() };
        self.is_caching = self.keys.len() <= FIRST_KEYS_MAX && (is_whole || last.is_some());
        if self.is_caching {
            let rows = time::rows_through(&term::posts_partition(&self.slug), self.reader.now(), self.direction, last);
            let first = FirstKeys { keys: Arc::clone(&self.keys), is_whole };
            self.reader.keep_range(self.cache_key(), first, Table::PostsBy(self.kind), &rows).await;
        }
    }
}

#[async_trait::async_trait]
impl PostStream for IndexStream {
    fn find(&mut self, target: Option<&PostKey>) -> Found {
        if let Some(target) = target {
            self.passed += count_before(&self.keys[self.passed..], target, self.direction);
        }
        match self.keys.get(self.passed) {
            Some(key) => Found::At(key.clone()),
            None if matches!(self.rest, Rest::Nothing) => Found::End,
            None => Found::Unread,
        }
    }

    async fn read(&mut self, target: Option<&PostKey>) -> Result<()> {
        if self.keys.is_empty() && self.take_cached().is_some() {
            return Ok(());
        }
        self.read_rows(target).await
    }

    fn pass(&mut self) -> Option<Candidate> {
        let passed = self.keys.get(self.passed).cloned();
        self.passed += usize::from(passed.is_some());
        passed.map(Candidate::key)
    }
}

/// The number of sorted keys before `target`. The steps of the search double, because most targets are near.
fn count_before(keys: &[PostKey], target: &PostKey, direction: Direction) -> usize {
    let is_before = |key: &PostKey| compare(direction, key, target).is_lt();
    let (mut begin, mut end) = (0, 1);
    while keys.get(end - 1).is_some_and(is_before) {
        (begin, end) = (end, 2 * end);
    }
    let end = end.min(keys.len());
    begin + keys[begin..end].partition_point(is_before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Instant, PostId};

    #[test]
    fn the_keys_before_a_target_are_counted_wherever_it_is() {
        let key = |n: i64| PostKey { at: Instant::from_ticks(n).expect("ticks"), id: PostId::from_bits(1) };
        for length in 0..40 {
            for (direction, keys) in [
                (Direction::Backward, (0..length).map(|n| key(2 * n + 1)).collect::<Vec<_>>()),
                (Direction::Forward, (0..length).rev().map(|n| key(2 * n + 1)).collect()),
            ] {
                for target in (0..2 * length + 3).map(key) {
                    let before = keys.iter().filter(|key| compare(direction, key, &target).is_lt()).count();
                    assert_eq!(count_before(&keys, &target, direction), before);
                }
            }
        }
    }
}
