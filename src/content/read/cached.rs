//! Uses and fills the cache of values, and records the dependencies of a whole answer. The rule: a cached value is recorded as if its rows had been read, so
//! that results computed from it depend on the same rows; a value is cached only with all its dependencies.
//!
//! Only a reader with a snapshot or a known horizon uses the cache: other readers, such as those of changes, must see their own writes.

use std::any::Any;
use std::sync::Arc;

use futures_util::future::{BoxFuture, try_join};

use crate::content::cache::{CacheKey, Cached, Dependencies, ReadMoment, Recording, Until, ValueCache};
use crate::content::error::{ContentError, Result};
use crate::keys::time::{self, Direction, Span};
use crate::keys::{Collection, Table, place, site_page, tag, token};
use crate::model::Instant;
use crate::store::{CountingStore, Key, MovingBounds, ReadSet, RowRange, SHOWN_TAGS_MAX, Tag, TagOf, TagSet};
use crate::telemetry::metrics::{self, CacheKind};

use super::reader::Reader;

impl Reader {
    /// Whether the request has neither a token nor a preview link, so that its answer is the same for everyone.
    pub(in crate::content) fn is_anonymous(&self) -> bool {
        self.actor().is_none() && self.preview.is_none()
    }

    /// The version up to which it sees all writes: that of its snapshot, or the horizon at its start. `None` if unknown.
    pub(in crate::content) fn version(&self) -> Option<u64> {
        self.source.version.or(self.source.horizon)
    }

    fn values(&self) -> Option<(&Arc<ValueCache>, ReadMoment)> {
        let (values, version) = (self.values.as_ref()?, self.version()?);
        let is_snapshot = self.source.version.is_some();
        Some((values, ReadMoment { era: self.era, version, is_snapshot, now: self.now() }))
    }

    /// Whether this reader uses the cache.
    pub fn takes_values(&self) -> bool {
        self.values().is_some()
    }

    /// The value of one key, cached or read. `read`: reads it with a reader that records its dependencies. `may_keep`: whether the value may be cached.
    pub(super) async fn cached<V: Cached + Clone, F: Future<Output = Result<V>>>(
        &self,
        key: CacheKey,
        until: Until,
        may_keep: impl FnOnce(&V) -> bool,
        read: impl FnOnce(Self) -> F,
    ) -> Result<V> {
        if let Some(value) = self.cached_values(std::iter::once(key.clone())).pop().flatten() {
            return Ok(value);
        }
        self.count_misses(1);
        let part = self.part();
        let value = read(part.clone()).await?;
        if may_keep(&value) {
            part.keep_part(key, value.clone(), until).await;
        }
        Ok(value)
    }

    /// The values of these keys, in their order; cached or read. `is_usable`: whether a cached value may be used. `read`: reads and caches the others.
    pub(super) async fn cached_or_read<K: Clone, V: Cached + Clone, F: Future<Output = Vec<Result<V>>>>(
        &self,
        keys: &[K],
        key_of: impl Fn(&K) -> CacheKey,
        is_usable: impl Fn(&K, &V) -> bool,
        read: impl Fn(Vec<K>) -> F,
    ) -> Vec<Result<V>> {
        let cached = self.cached_values::<V>(keys.iter().map(&key_of));
        let usable = keys.iter().zip(cached).map(|(key, value)| value.filter(|value| is_usable(key, value)).map(Ok));
        let mut found: Vec<Option<Result<V>>> = usable.collect();
        let missing: Vec<usize> = (0..found.len()).filter(|at| found[*at].is_none()).collect();
        if !missing.is_empty() {
            self.count_misses(missing.len());
            let values = read(missing.iter().map(|at| keys[*at].clone()).collect()).await;
            missing.into_iter().zip(values).for_each(|(at, value)| found[at] = Some(value));
        }
        found.into_iter().map(|value| value.unwrap_or_else(|| Err(unread()))).collect()
    }

    fn count_misses(&self, misses: usize) {
        if self.takes_values() {
            metrics::cached(CacheKind::Value, "miss", misses as u64);
        }
    }

    pub(super) fn cached_values<V: Cached + Clone>(
        &self,
        keys: impl ExactSizeIterator<Item = CacheKey>,
    ) -> Vec<Option<V>> {
        let Some((values, moment)) = self.values() else { return vec![None; keys.len()] };
        let counted = &self.source.counted;
        let (is_noting, explanation, mut hits) = (counted.is_noting(), counted.explanation(), 0);
        let mut cached = Vec::with_capacity(keys.len());
        values.visit(moment, keys, |key, found| {
            if let Some((_, reads)) = found {
                hits += 1;
                if is_noting {
                    counted.note_cached(|noted| noted.merge(reads));
                }
                if let Some(explanation) = explanation {
                    explanation.note_hits(key.table().name(), 1);
                }
            }
            cached.push(found.and_then(|(value, _)| typed(value)).cloned());
        });
        counted.count_hits(hits);
        cached
    }

    /// A cached value for work outside the answer: it is not counted as a hit, and is not recorded as a dependency.
    pub(super) fn cached_beside<V: Cached + Clone>(&self, key: CacheKey) -> Option<V> {
        let (values, moment) = self.values()?;
        let mut cached = None;
        let take = |_: &CacheKey, found: Option<(&dyn Cached, &ReadSet)>| {
            cached = found.and_then(|(value, _)| typed(value)).cloned();
        };
        values.visit(moment, std::iter::once(key), take);
        cached
    }

    /// A reader for one value, which records the value's dependencies if it may be cached.
    pub(super) fn part(&self) -> Self {
        if !self.takes_values() {
            return self.clone();
        }
        let into = ReadSet::tagged(time::moving_bounds(self.now()), Some(tag::of_read));
        self.over(self.source.counted.part(into))
    }

    /// Caches the value that this [`part`](Self::part) has read.
    pub(super) async fn keep_part(&self, key: CacheKey, value: impl Cached, until: Until) {
        let Some(mut reads) = self.takes_values().then(|| self.source.counted.noted_reads()).flatten() else { return };
        let validity = match until {
            Until::Written => (Instant::MIN, None),
            Until::Scheduled => match self.next_scheduled(&mut reads).await {
                Ok(next) => (self.now(), next),
                // If the store fails, the value is not cached.
                Err(_) => return,
            },
        };
        self.keep(key, value, validity, reads);
    }

    /// Caches a value that depends only on these rows.
    pub(super) fn keep_row(&self, key: CacheKey, value: impl Cached, rows: impl IntoIterator<Item = (Table, Key)>) {
        if !self.takes_values() {
            return;
        }
        let mut reads = ReadSet::tagged(MovingBounds::default(), Some(tag::of_read));
        rows.into_iter().for_each(|(table, row)| reads.note_row(table.name(), &row));
        self.keep(key, value, (Instant::MIN, None), reads);
    }

    /// Caches a value that depends on these rows of one table, and changes when a scheduled post or page appears.
    pub(super) async fn keep_range(&self, key: CacheKey, value: impl Cached, table: Table, rows: &RowRange) {
        if !self.takes_values() {
            return;
        }
        let mut reads = ReadSet::tagged(time::moving_bounds(self.now()), Some(tag::of_read));
        reads.note_range(table.name(), rows);
        // If the store fails, the value is not cached.
        let Ok(next) = self.next_scheduled(&mut reads).await else { return };
        self.keep(key, value, (self.now(), next), reads);
    }

    fn keep(&self, key: CacheKey, value: impl Cached, (at, until): (Instant, Option<Instant>), reads: ReadSet) {
        let (Some((values, moment)), Some(reads)) = (self.values(), reads.completed()) else { return };
        let ReadMoment { era, version, .. } = moment;
        values.keep(key, value, Dependencies { era, version, at, until, reads });
    }

    /// Records the dependencies of the verification of a preview link: the key, which may be cached, and the expiry of the link.
    pub(in crate::content) fn note_preview_link(&self, expires_at: Instant) {
        self.source.counted.note_cached(|noted| {
            noted.note_row(Table::Tokens.name(), &token::preview_key());
            noted.note_end(expires_at);
        });
    }

    /// Begins to record the dependencies of a query's answer.
    pub fn start_recording(&self) {
        let tag_of: TagOf = if self.is_anonymous() { tag::of_read } else { tag::of_read_with_drafts };
        // A list ends at the current instant, which moves, so these bounds are recorded as open.
        self.source.counted.note_reads(ReadSet::tagged(time::moving_bounds(self.now()), Some(tag_of)));
    }

    /// Ends the recording after the query, and returns the tags of the answer. Nothing is recorded if the answer is only for its actor, or if the query does
    /// not read a snapshot.
    pub async fn end_recording(&self, recording: Option<&Recording>) -> Vec<Tag> {
        let Some(mut reads) = self.source.counted.noted_reads() else { return Tag::of_answer(None) };
        let fine = reads.tags().and_then(TagSet::fine).filter(|tags| tags.len() < SHOWN_TAGS_MAX);
        let tags = Tag::of_answer(fine);
        if let (Some(recording), Some(version)) = (recording.filter(|recording| !recording.is_shared || self.is_anonymous()), self.version())
            // If the store fails, the answer is not cached.
            && let Ok(until) = self.next_scheduled(&mut reads).await
            && let Some(reads) = reads.completed()
        {
            let until = until.into_iter().chain(reads.ends_at()).min();
            recording.complete(Dependencies { era: recording.era, version, at: self.now(), until, reads });
        }
        tags
    }

    /// The instant of the first post or page after the reader's own instant; `None` if none is scheduled. Until it, the time alone changes no answer to an
    /// anonymous query. It reads the next scheduled page and the list of months, and makes one range read for each month from now on that had a scheduled post,
    /// until it finds one. These reads come after the query, and are not part of its cost.
    ///
    /// It records in `reads` the rows of the months up to that post, so that scheduling a post for an earlier instant invalidates the answer. The list of
    /// months is not recorded, because every published post writes it: a query that depends on other months has read it, or the rows themselves.
    ///
    /// These rows have no tags: a CDN caches no answer beyond the next instant, and is purged of everything if a post is scheduled for an earlier one. The
    /// future is boxed, because caching the list of months can call this function again.
    fn next_scheduled<'r>(&'r self, reads: &'r mut ReadSet) -> BoxFuture<'r, Result<Option<Instant>>> {
        Box::pin(async move {
            if let Some(NextScheduled { at, rows }) = self.cached_beside(CacheKey::NextScheduled) {
                reads.merge(&rows);
                return Ok(at);
            }
            self.read_next_scheduled(reads).await
        })
    }

    async fn read_next_scheduled(&self, reads: &mut ReadSet) -> Result<Option<Instant>> {
        let part = self.over(CountingStore::new(Arc::clone(self.source.counted.uncounted()))).part();
        let mut rows = ReadSet::tagged(MovingBounds::default(), Some(|_, _, _| None));
        let at = part.look_for_scheduled(&mut rows).await?;
        let Some(rows) = rows.completed() else {
            reads.break_off();
            return Ok(at);
        };
        reads.merge(&rows);
        // This value also depends on the list of months, which the part has recorded.
        if let Some(noted) = part.source.counted.noted_reads() {
            part.keep(CacheKey::NextScheduled, NextScheduled { at, rows: Arc::new(rows) }, (part.now(), at), noted);
        }
        Ok(at)
    }

    async fn look_for_scheduled(&self, reads: &mut ReadSet) -> Result<Option<Instant>> {
        let rows = site_page::scheduled_after(self.now()).of_keys();
        let pages = async { Ok(self.store().range(Table::Pages.name(), &rows, 1, None).await?) };
        let (pages, post) = try_join(pages, self.look_for_scheduled_post(reads)).await?;
        reads.note_page(Table::Pages.name(), &rows, &pages);
        // The key of the row may be invalid. Then the next instant is unknown, and may be immediate.
        let page = pages.rows.first().map(|row| site_page::publication_of(row.key.row()).unwrap_or(self.now()));
        Ok([page, post].into_iter().flatten().min())
    }

    async fn look_for_scheduled_post(&self, reads: &mut ReadSet) -> Result<Option<Instant>> {
        let Some(since) = self.now().next() else { return Ok(None) };
        let months = self.months(Collection::Posts).await?;
        // The months are listed newest first.
        for month in months.iter().rev() {
            let is_over = month.count.newest.as_ref().is_some_and(|newest| newest.at < since);
            if !month.may_hold_rows() || month.partition < since.month() || is_over {
                continue;
            }
            let span = Span { since: Some(since), ..Span::default() };
            let rows = span.rows(&place::month_partition(month.partition), Direction::Backward).of_keys();
            let page = self.store().range(Collection::Posts.name(), &rows, 1, None).await?;
            reads.note_page(Collection::Posts.name(), &rows, &page);
            if let Some(row) = page.rows.first() {
                // The key of the first row may be invalid. Then the next instant is unknown, and may be immediate.
                return Ok(Some(time::parse_mirror_row(row.key.row()).map_or(since, |key| key.at)));
            }
        }
        Ok(None)
    }
}

/// The instant of the next scheduled post or page, and the rows from which it was read.
#[derive(Clone)]
struct NextScheduled {
    at: Option<Instant>,
    rows: Arc<ReadSet>,
}

impl Cached for NextScheduled {
    fn heap_bytes(&self) -> usize {
        /// The memory of a range in the dependencies.
        const RANGE_BYTES: usize = 256;
        RANGE_BYTES * (1 + self.rows.ranges().len())
    }
}

/// The value as the type of its key.
fn typed<V: Cached>(value: &dyn Cached) -> Option<&V> {
    (value as &dyn Any).downcast_ref()
}

fn unread() -> ContentError {
    ContentError::Internal { what: "a value was not read", source: None }
}
