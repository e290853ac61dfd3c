//! One partition of an index table as a stream. The rule: one range read for each consecutive part of the rows, and none for rows that are
//! skipped or held.

use std::sync::Arc;

use crate::content::error::Result;
use crate::content::read::reader::Reader;
use crate::keys::time::{self, Direction, Span};
use crate::keys::{Table, term};
use crate::model::{IndexKind, PostKey, Slug};
use crate::store::{Continuation, PAGE_ROWS_MAX, RowRange};

use super::ReadBudget;
use super::first_keys::HeldIndex;
use super::stream::{Candidate, FirstKeys, Found, PostStream, compare};

pub(super) struct IndexStream {
    reader: Reader,
    budget: Arc<ReadBudget>,
    kind: IndexKind,
    slug: Slug,
    direction: Direction,
    /// The number of rows of the next read. It doubles with each read, because a stream that is read further is often read far.
    chunk: usize,
    keys: Arc<Vec<PostKey>>,
    /// How many of the keys are passed.
    passed: usize,
    rest: Rest,
    /// Set while all keys from the first one of the index on are known; they are held for other pages.
    held: Option<HeldIndex>,
}

/// The rows after the keys.
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
        let (keys, rest, reader) = (Arc::default(), Rest::Unread(rows), reader.clone());
        Self { reader, budget, kind, slug: slug.clone(), direction, chunk, keys, passed: 0, rest, held: None }
    }

    /// Uses the first keys of the index if they are held, and holds those that it reads.
    pub(super) fn holding(self, span: &Span) -> Self {
        let held = HeldIndex::of(&self.reader, (self.kind, &self.slug), span, self.direction);
        Self { held, ..self }
    }

    /// Takes the keys that are held, if they reach into the span.
    fn take_held(&mut self) -> Option<()> {
        let held = self.held.as_ref()?;
        let Some((FirstKeys { keys, is_whole }, passed)) = held.take(&self.reader) else {
            self.held = self.held.take().filter(|held| held.begins_with_first(&self.reader));
            return None;
        };
        if is_whole && keys.is_empty() {
            self.budget.note_empty(self.kind, &self.slug);
        }
        let rest = match keys.last() {
            Some(last) if !is_whole => Rest::Unread(held.rows_after(last)),
            _ => Rest::Nothing,
        };
        self.chunk = keys.len().clamp(self.chunk, PAGE_ROWS_MAX);
        (self.keys, self.passed, self.rest) = (keys, passed, rest);
        Some(())
    }

    /// Reads the next rows; from `target` on, if that is far from the known keys.
    async fn read_rows(&mut self, target: Option<&PostKey>) -> Result<()> {
        let is_first = self.keys.is_empty() && matches!(self.rest, Rest::Unread(_));
        let (rows, continuation) = match std::mem::replace(&mut self.rest, Rest::Nothing) {
            Rest::Nothing => return Ok(()),
            Rest::Unread(rows) => (rows, None),
            Rest::More(rows, continuation) => (rows, Some(continuation)),
        };
        let is_holding = self.held.as_ref().is_some_and(|held| !held.is_gap(&self.keys, target, self.chunk));
        let (rows, continuation) = match target {
            Some(target) if !is_holding => (rows.starting_at(time::row(target, self.direction))?, None),
            _ => (rows, continuation),
        };
        self.budget.spend_range_read()?;
        let table = Table::of_index(self.kind).name();
        let page = self.reader.store().range(table, &rows, self.chunk, continuation.as_ref()).await?;
        let is_whole = page.continuation.is_none();
        if is_first && page.rows.is_empty() && is_whole {
            self.budget.note_empty(self.kind, &self.slug);
        }
        self.chunk = (self.chunk * 2).min(PAGE_ROWS_MAX);
        // A list skips a row of another shape; `check` reports it.
        let read = page.rows.iter().filter_map(|row| time::parse_row(row.key.row(), self.direction));
        match self.held.take().filter(|_| is_holding) {
            Some(held) => {
                let keys: Vec<PostKey> = self.keys.iter().cloned().chain(read).collect();
                self.keys = Arc::new(keys);
                self.held = held.keep(&self.reader, FirstKeys { keys: Arc::clone(&self.keys), is_whole }).await;
            }
            None => (self.keys, self.passed) = (Arc::new(read.collect()), 0),
        }
        if let Some(continuation) = page.continuation {
            self.rest = Rest::More(rows, continuation);
        }
        Ok(())
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
        if self.keys.is_empty() && self.take_held().is_some() {
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

/// How many of the sorted keys are before `target`. It looks in steps that double, because most targets are near.
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
