//! The months of a collection, one after another, as a stream that also returns the posts. The rule: the months that a page needs are read concurrently, and no
//! others if the counts show which those are. A page depends only on the listed months that it has passed, so that a new post in another month does not
//! invalidate it.
//!
//! If the page begins inside a month, the count does not show how many of its posts are after the cursor. That number is estimated from the remaining share of
//! the month's time, and must be twice the needed number to count. An estimate that is too high costs one more round trip; one that is too low, an unnecessary
//! read of a month.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use futures_util::future::try_join_all;

use crate::content::error::Result;
use crate::content::read::reader::Reader;
use crate::content::tables::rows::partition_catalog::Listed;
use crate::content::tables::{MonthSpan, Months, PartitionCatalogs, rows};
use crate::keys::Collection;
use crate::keys::place::month_partition;
use crate::keys::time::{self, Direction, Span};
use crate::model::{Instant, Month, PostKey};
use crate::store::{Continuation, Entity, PAGE_ROWS_MAX};

use super::ReadBudget;
use super::stream::{Candidate, Found, PostStream, compare};

/// The estimate for the first month must be this many times the needed number of posts.
const SHARE_SAFETY: f64 = 2.0;
/// The rows of a read if the page skips most of them.
pub(super) const FILTERED_CHUNK: usize = 250;

pub(super) struct MonthStream {
    reader: Reader,
    budget: Arc<ReadBudget>,
    span: Span,
    reads: Reads,
    buffer: VecDeque<Candidate>,
    rest: MonthsToRead,
    /// The months of the span that are not recorded yet; `None` if all are.
    unnoted: Option<MonthSpan>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Reads {
    pub collection: Collection,
    pub direction: Direction,
    /// The number of posts that the page still needs.
    pub need: usize,
    /// The minimum rows of a read: 1, or more if the page skips rows; then it doubles with each read, up to `FILTERED_CHUNK`.
    pub need_min: usize,
}

/// The months that are not completely read. The list is shared, because a site can have more than a thousand months, and a page needs only a few.
struct MonthsToRead {
    months: Months,
    /// The indices of these months in the list.
    places: Range<usize>,
    direction: Direction,
    /// The continuation of the first month, if it is partly read.
    begun: Option<Continuation>,
}

impl MonthsToRead {
    fn new(months: Months, span: &Span, direction: Direction) -> Self {
        let (oldest, newest) = (span.oldest().month(), span.newest().month());
        let start = months.partition_point(|listed| listed.partition > newest);
        let end = months.partition_point(|listed| listed.partition >= oldest);
        Self { months, places: start..end.max(start), direction, begun: None }
    }

    /// The indices of the months that may have rows, in the order of the stream.
    fn places(&self) -> impl Iterator<Item = usize> {
        let Range { start, end } = self.places;
        let in_order = (0..end - start).map(move |step| match self.direction {
            Direction::Forward => start + step,
            Direction::Backward => end - 1 - step,
        });
        in_order.filter(|place| self.months[*place].may_hold_rows())
    }

    fn is_empty(&self) -> bool {
        self.places().next().is_none()
    }

    /// Removes the months up to this one; with a `continuation`, this month stays.
    fn pass(&mut self, place: usize, continuation: Option<Continuation>) {
        match self.direction {
            Direction::Forward => self.places.start = place + usize::from(continuation.is_none()),
            Direction::Backward => self.places.end = place + usize::from(continuation.is_some()),
        }
        self.begun = continuation;
    }
}

impl MonthStream {
    pub(super) async fn new(reader: &Reader, budget: Arc<ReadBudget>, span: Span, reads: Reads) -> Result<Self> {
        let months = reader.unnoted_months(reads.collection).await?;
        let rest = MonthsToRead::new(months, &span, reads.direction);
        let unnoted = Some(MonthSpan::of(&span, reader.now()));
        Ok(Self { reader: reader.clone(), budget, span, reads, buffer: VecDeque::new(), rest, unnoted })
    }

    /// Records that the page depends on the list of months up to this one.
    fn note_through(&mut self, month: Month) {
        let Some(unnoted) = &mut self.unnoted else { return };
        let mut passed = *unnoted;
        match self.reads.direction {
            Direction::Forward => (passed.oldest, unnoted.newest) = (Some(month), Some(month)),
            Direction::Backward => (passed.newest, unnoted.oldest) = (Some(month), Some(month)),
        }
        self.note(passed);
    }

    fn note_rest(&mut self) {
        if let Some(rest) = self.unnoted.take() {
            self.note(rest);
        }
    }

    fn note(&self, span: MonthSpan) {
        PartitionCatalogs::note_months(&self.reader.source, self.reads.collection, span);
    }

    /// Reads the months that probably contain the needed posts, concurrently.
    async fn read_months(&mut self) -> Result<()> {
        let limit = self.reads.need.clamp(1, PAGE_ROWS_MAX);
        let mut continuation = self.rest.begun.take();
        let places = self.months_needed(continuation.is_some());
        if let Some(last) = places.last() {
            self.note_through(self.rest.months[*last].partition);
        }
        let reads = places.iter().map(|place| self.read_month(*place, limit, continuation.take()));
        let pages = try_join_all(reads).await?;
        for (place, page) in places.into_iter().zip(pages) {
            for row in &page.rows {
                self.buffer.extend(self.candidate(row)?);
            }
            let is_at_end = page.continuation.is_none();
            self.rest.pass(place, page.continuation);
            if !is_at_end {
                // The rows of the later months come after the rest of this month; they are read again if they are needed.
                break;
            }
        }
        if self.reads.need_min > 1 {
            self.reads.need_min = (2 * self.reads.need_min).min(FILTERED_CHUNK);
            self.reads.need = self.reads.need.max(self.reads.need_min);
        }
        Ok(())
    }

    async fn read_month(
        &self,
        place: usize,
        limit: usize,
        continuation: Option<Continuation>,
    ) -> Result<crate::store::Page> {
        self.budget.spend_range_read()?;
        let rows = self.span.rows(&month_partition(self.rest.months[place].partition), self.reads.direction);
        Ok(self.reader.store().range(self.reads.collection.name(), &rows, limit, continuation.as_ref()).await?)
    }

    /// The indices of the months for the next read; at least one if any is left. `is_begun`: whether the first one is partly read.
    fn months_needed(&self, is_begun: bool) -> Vec<usize> {
        let (mut needed, mut estimated) = (Vec::new(), 0.0);
        for place in self.rest.places() {
            estimated += self.estimate(&self.rest.months[place], is_begun && needed.is_empty());
            needed.push(place);
            if estimated >= self.reads.need as f64 {
                break;
            }
        }
        needed
    }

    /// A low estimate of the number of posts that a month has for this page, from its count and the page's bounds.
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

    fn candidate(&self, row: &Entity) -> Result<Option<Candidate>> {
        let Some(key) = time::parse_row(row.key.row(), self.reads.direction) else { return Ok(None) };
        Ok(Some(Candidate { key, post: Some(Arc::new(rows::post::read_summary(row)?)) }))
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
            None if self.rest.is_empty() => {
                self.note_rest();
                Found::End
            }
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
