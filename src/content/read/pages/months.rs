//! The months of a collection, one after another, as a stream that also brings the posts. The rule: the months that a page needs are read at the
//! same time, and no other month is read if the counts show which months those are.
//!
//! They do not show how many posts of a month are on this side of the cursor, if the page begins inside of it; that number is estimated by the share
//! of the month's time, and counts only if it is twice what is needed. An estimate that is too high costs one more round trip, one that is too low
//! the read of a month that the page does not need.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::future::try_join_all;

use crate::content::error::Result;
use crate::content::read::reader::Reader;
use crate::content::tables::rows::partition_catalog::Listed;
use crate::content::tables::rows::post::Move;
use crate::content::tables::{moves, rows};
use crate::keys::Collection;
use crate::keys::place::month_partition;
use crate::keys::time::{self, Direction, Span};
use crate::model::{Instant, Month, PostKey};
use crate::store::{Continuation, Entity, PAGE_ROWS_MAX};

use super::ReadBudget;
use super::stream::{Candidate, Found, PostStream, compare};

/// The estimate for the first month must be this many times what is needed.
const SHARE_SAFETY: f64 = 2.0;
/// Rows of a read if the page skips most of what is read.
pub(super) const FILTERED_CHUNK: usize = 250;

pub(super) struct MonthStream {
    reader: Reader,
    budget: Arc<ReadBudget>,
    span: Span,
    reads: Reads,
    buffer: VecDeque<Candidate>,
    /// The months not yet read to their end, in the order of the stream.
    rest: VecDeque<MonthRest>,
}

/// What to read, from which collection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reads {
    pub collection: Collection,
    pub direction: Direction,
    /// How many posts the page may still take.
    pub need: usize,
    /// More than one if the page skips some of what is read. Each read doubles it, up to `FILTERED_CHUNK`.
    pub need_min: usize,
}

struct MonthRest {
    month: Listed<Month>,
    continuation: Option<Continuation>,
}

impl MonthStream {
    pub(super) async fn new(reader: &Reader, budget: Arc<ReadBudget>, span: Span, reads: Reads) -> Result<Self> {
        let months = reader.months(reads.collection).await?;
        let (oldest, newest) = (span.oldest().month(), span.newest().month());
        let within = |m: &&Listed<Month>| m.may_hold_rows() && m.partition <= newest && m.partition >= oldest;
        let mut rest: VecDeque<MonthRest> =
            months.iter().filter(within).map(|m| MonthRest { month: m.clone(), continuation: None }).collect();
        if reads.direction == Direction::Backward {
            rest.make_contiguous().reverse();
        }
        Ok(Self { reader: reader.clone(), budget, span, reads, buffer: VecDeque::new(), rest })
    }

    /// Reads at once the months that probably hold what is needed.
    async fn read_months(&mut self) -> Result<()> {
        let count = self.months_needed();
        let limit = self.reads.need.clamp(1, PAGE_ROWS_MAX);
        let batch: Vec<MonthRest> = self.rest.drain(..count).collect();
        let reads = batch.iter().map(|rest| self.read_month(rest, limit));
        let pages = try_join_all(reads).await?;
        let mut pages = batch.into_iter().zip(pages);
        while let Some((rest, page)) = pages.next() {
            for row in &page.rows {
                self.buffer.extend(self.candidate(row).await?);
            }
            if page.continuation.is_some() {
                // The rows of the later months come after what this month still holds; they are read again if they are needed.
                let later: Vec<MonthRest> = pages.by_ref().map(|(later, _)| later).collect();
                for rest in later.into_iter().rev() {
                    self.rest.push_front(MonthRest { continuation: None, ..rest });
                }
                self.rest.push_front(MonthRest { month: rest.month, continuation: page.continuation });
                break;
            }
        }
        if self.reads.need_min > 1 {
            self.reads.need_min = (2 * self.reads.need_min).min(FILTERED_CHUNK);
            self.reads.need = self.reads.need.max(self.reads.need_min);
        }
        Ok(())
    }

    async fn read_month(&self, rest: &MonthRest, limit: usize) -> Result<crate::store::Page> {
        self.budget.spend_range_read()?;
        let rows = self.span.rows(&month_partition(rest.month.partition), self.reads.direction);
        Ok(self.reader.store().range(self.reads.collection.name(), &rows, limit, rest.continuation.as_ref()).await?)
    }

    /// How many of the remaining months the next read takes; at least one if there is one.
    fn months_needed(&self) -> usize {
        let mut estimated = 0.0;
        for (i, rest) in self.rest.iter().enumerate() {
            estimated += self.estimate(&rest.month, rest.continuation.is_some());
            if estimated >= self.reads.need as f64 {
                return i + 1;
            }
        }
        self.rest.len()
    }

    /// A careful estimate, from its count and the page's bounds, of how many posts a month has for this page.
    fn estimate(&self, month: &Listed<Month>, is_begun: bool) -> f64 {
        let (first, last) = (month.partition.first(), month.partition.last());
        let newest = month.count.newest.as_ref().map_or(last, |key| key.at);
        let starts_inside = self.span.newest() < newest || self.span.oldest() > first;
        let rows = month.count.rows as f64;
        if is_begun || !starts_inside {
            return if is_begun { self.reads.need as f64 } else { rows };
        }
        let share = share(self.span.newest().min(last), self.span.oldest().max(first), first, last);
        let expected = rows * share;
        if expected >= SHARE_SAFETY * self.reads.need as f64 { expected } else { 0.0 }
    }

    /// `None` for the old end of a move. The new end is a key without a post: the look-up of the key finds out whether it is current yet.
    /// Drafts are not looked up by their keys, so for a draft this is found out here.
    async fn candidate(&self, row: &Entity) -> Result<Option<Candidate>> {
        let Some(key) = time::parse_row(row.key.row(), self.reads.direction) else { return Ok(None) };
        Ok(match rows::post::read_move(row)? {
            Some(Move::ForwardTo(_)) => None,
            Some(Move::PendingFrom(_)) if self.reads.collection == Collection::Posts => Some(Candidate::key(key)),
            Some(Move::PendingFrom(_)) if !moves::is_current(self.reader.store(), row).await? => None,
            Some(Move::PendingFrom(_)) => Some(Candidate { key, post: Some(Arc::new(rows::post::read_summary(row)?)) }),
            None => Some(Candidate { key, post: Some(Arc::new(rows::post::read_summary(row)?)) }),
        })
    }
}

fn share(newest: Instant, oldest: Instant, first: Instant, last: Instant) -> f64 {
    (newest.ticks() - oldest.ticks()) as f64 / (last.ticks() - first.ticks()) as f64
}

#[async_trait::async_trait]
impl PostStream for MonthStream {
    fn find(&mut self, target: Option<&PostKey>) -> Found {
        let is_before = |c: &Candidate| target.is_some_and(|t| compare(self.reads.direction, &c.key, t).is_lt());
        while self.buffer.front().is_some_and(is_before) {
            self.buffer.pop_front();
        }
        match self.buffer.front() {
            Some(candidate) => Found::At(candidate.key.clone()),
            None if self.rest.is_empty() => Found::End,
            None => Found::Unread,
        }
    }

    async fn read(&mut self, _: Option<&PostKey>) -> Result<()> {
        self.read_months().await
    }

    fn pass(&mut self) -> Option<Candidate> {
        let passed = self.buffer.pop_front();
        self.reads.need = self.reads.need.saturating_sub(1).max(self.reads.need_min);
        passed
    }
}
