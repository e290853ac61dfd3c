//! One partition of an index table as a stream. The rule: one range read for each stretch of rows, and none for what is skipped.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::keys::time::{self, Direction, Span};
use crate::keys::{Table, term};
use crate::model::{PostKey, Slug, TermKind};
use crate::store::{Continuation, PAGE_ROWS_MAX, RowRange, Store};

use super::ReadBudget;
use super::stream::{Candidate, PostStream, compare};
use crate::content::error::Result;

pub(super) struct IndexStream {
    store: Store,
    budget: Arc<ReadBudget>,
    kind: TermKind,
    slug: Slug,
    direction: Direction,
    /// How many rows the next read asks for. It doubles with each read, because a stream that is read further is often read far.
    chunk: usize,
    buffer: VecDeque<PostKey>,
    rest: Rest,
}

/// What follows the buffer.
enum Rest {
    Unread(RowRange),
    More(RowRange, Continuation),
    Nothing,
}

impl IndexStream {
    pub(super) fn new(
        store: Store,
        budget: Arc<ReadBudget>,
        (kind, slug): (TermKind, &Slug),
        span: &Span,
        direction: Direction,
        chunk: usize,
    ) -> Self {
        let rows = span.rows(&term::posts_partition(slug), direction).of_keys();
        let chunk = chunk.clamp(1, PAGE_ROWS_MAX);
        let slug = slug.clone();
        Self { store, budget, kind, slug, direction, chunk, buffer: VecDeque::new(), rest: Rest::Unread(rows) }
    }

    /// Reads the next stretch of rows; if the buffer has ended before `target`, from `target` on.
    async fn read(&mut self, target: Option<&PostKey>) -> Result<()> {
        let is_first = matches!(self.rest, Rest::Unread(_));
        let (rows, continuation) = match std::mem::replace(&mut self.rest, Rest::Nothing) {
            Rest::Nothing => return Ok(()),
            Rest::Unread(rows) => (rows, None),
            Rest::More(rows, continuation) => (rows, Some(continuation)),
        };
        let (rows, continuation) = match target {
            Some(target) => (rows.starting_at(time::row(target, self.direction))?, None),
            None => (rows, continuation),
        };
        self.budget.spend_range_read()?;
        let page = self.store.range(Table::PostsBy(self.kind).name(), &rows, self.chunk, continuation.as_ref()).await?;
        if is_first && page.rows.is_empty() && page.continuation.is_none() {
            self.budget.note_empty(self.kind, &self.slug);
        }
        self.chunk = (self.chunk * 2).min(PAGE_ROWS_MAX);
        // A list skips a row of another shape; `check` reports it.
        self.buffer.extend(page.rows.iter().filter_map(|row| time::parse_row(row.key.row(), self.direction)));
        if let Some(continuation) = page.continuation {
            self.rest = Rest::More(rows, continuation);
        }
        Ok(())
    }
}

#[async_trait::async_trait]
impl PostStream for IndexStream {
    async fn seek(&mut self, target: Option<&PostKey>) -> Result<Option<Candidate>> {
        loop {
            let is_before = |key: &PostKey| target.is_some_and(|t| compare(self.direction, key, t).is_lt());
            while self.buffer.front().is_some_and(is_before) {
                self.buffer.pop_front();
            }
            match self.buffer.front() {
                Some(key) => return Ok(Some(Candidate::key(key.clone()))),
                None if matches!(self.rest, Rest::Nothing) => return Ok(None),
                None => self.read(target).await?,
            }
        }
    }

    fn pass(&mut self) {
        self.buffer.pop_front();
    }
}
