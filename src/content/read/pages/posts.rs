//! One page of posts. The rule (I2, I3): later posts take the place of what is skipped, so a page holds as many posts as the client asked for, if the
//! list has that many. Guarded by `tests/it/pages`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::content::error::Result;
use crate::content::read::reader::Reader;
use crate::keys::time::{Direction, Span};
use crate::model::{Post, PostKey};
use crate::telemetry::metrics;

use super::index::IndexStream;
use super::list::{ListQuery, PostList};
use super::merge::{Intersection, Union};
use super::months::{MonthStream, Reads};
use super::stream::PostStream;
use super::window::{PageArguments, RequestedFields, Take};
use super::{Page, ReadBudget, renamed};

/// The most posts on a page.
pub const PAGE_SIZE_MAX: usize = 100;
/// The size of a page if neither `first` nor `last` is given.
pub const PAGE_SIZE_DEFAULT: usize = 20;
/// Rows of the first read of each stream of an intersection, which skips most of what it reads.
const INTERSECTION_CHUNK: usize = 250;

/// Rows of each read of a stream that holds more posts than the list.
const FILTERED_CHUNK: usize = 250;

/// Looks up posts by their keys: the reader itself, or a loader that batches the look-ups of a whole request.
#[async_trait::async_trait]
pub trait PostSource: Send + Sync {
    /// The published posts of these keys; a key without one is left out.
    async fn posts(&self, keys: &[PostKey]) -> Result<HashMap<PostKey, Arc<Post>>>;
}

#[async_trait::async_trait]
impl PostSource for Reader {
    async fn posts(&self, keys: &[PostKey]) -> Result<HashMap<PostKey, Arc<Post>>> {
        self.posts_at(keys).await
    }
}

/// A page of a list, newest first.
///
/// # Errors
/// [`BadArgument`](crate::content::ContentError::BadArgument) for a size out of range,
/// [`TooBroad`](crate::content::ContentError::TooBroad) if a filter needs too many reads.
pub async fn read_page(
    reader: &Reader,
    source: &dyn PostSource,
    list: &PostList,
    arguments: &PageArguments<PostKey>,
    requested: RequestedFields,
) -> Result<Page<Arc<Post>>> {
    let take = Take::of(arguments.first, arguments.last, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX)?;
    let Some(whole) = list.span(reader.now()).filter(|_| requested != RequestedFields::default()) else {
        return Ok(Page { items: Vec::new(), has_next: false, has_previous: false });
    };
    let (after, before) = (arguments.after.as_ref(), arguments.before.as_ref());
    let span = list.between(&whole, after, before);
    let ahead = list.direction();
    let pages = Pages { reader, source };
    match take {
        Take::First { count, then_last } => {
            let previous = pages.holds_any(list, requested.has_previous, Side::UpTo(after), &whole);
            let next = pages.holds_any(list, requested.has_next, Side::From(before), &whole);
            let items = pages.take(list, &span, ahead, count, requested.has_next);
            let (mut items, previous, next) = futures_util::future::try_join3(items, previous, next).await?;
            let has_more = items.len() > count;
            items.truncate(count);
            let cut = then_last.map_or(0, |last| items.len().saturating_sub(last));
            items.drain(..cut);
            Ok(Page {
                items,
                has_next: has_more || next,
                has_previous: requested.has_previous && (cut > 0 || previous),
            })
        }
        Take::Last { count } => {
            let previous = pages.holds_any(list, requested.has_previous, Side::UpTo(after), &whole);
            let next = pages.holds_any(list, requested.has_next, Side::From(before), &whole);
            let items = pages.take(list, &span, ahead.reversed(), count, requested.has_previous);
            let (mut items, previous, next) = futures_util::future::try_join3(items, previous, next).await?;
            let has_more = items.len() > count;
            items.truncate(count);
            items.reverse();
            Ok(Page { items, has_next: next, has_previous: has_more || previous })
        }
    }
}

/// A side of a list, seen from a cursor that is on it.
enum Side<'a> {
    UpTo(Option<&'a PostKey>),
    From(Option<&'a PostKey>),
}

struct Pages<'a> {
    reader: &'a Reader,
    source: &'a dyn PostSource,
}

impl Pages<'_> {
    /// Whether the list holds a post on that side, including the cursor's own. Without a cursor the answer is no.
    async fn holds_any(&self, list: &PostList, is_requested: bool, side: Side<'_>, whole: &Span) -> Result<bool> {
        let (cursor, direction) = match side {
            Side::UpTo(Some(cursor)) => (cursor, list.direction().reversed()),
            Side::From(Some(cursor)) => (cursor, list.direction()),
            Side::UpTo(None) | Side::From(None) => return Ok(false),
        };
        let span = match direction {
            Direction::Backward => Span { before: cursor.next(), ..whole.clone() },
            Direction::Forward => Span { after: cursor.previous(), ..whole.clone() },
        };
        Ok(is_requested && !self.take(list, &span, direction, 1, false).await?.is_empty())
    }

    /// The first `count` posts of a span in this direction, and with `and_one` one more, which shows whether the list continues.
    async fn take(
        &self,
        list: &PostList,
        span: &Span,
        direction: Direction,
        count: usize,
        and_one: bool,
    ) -> Result<Vec<Arc<Post>>> {
        let need = count + usize::from(and_one);
        if need == 0 {
            return Ok(Vec::new());
        }
        let budget = Arc::new(ReadBudget::default());
        let mut stream = open(self.reader, &budget, list, span, direction, need).await?;
        let mut found: Vec<Arc<Post>> = Vec::with_capacity(need);
        let mut ids = HashSet::with_capacity(need);
        while found.len() < need {
            let candidates = next_candidates(stream.as_mut(), need - found.len()).await?;
            if let Some(list) = renamed(self.reader, list, &budget).await? {
                return Box::pin(self.take(&list, span, direction, count, and_one)).await;
            }
            if candidates.is_empty() {
                break;
            }
            let unread: Vec<PostKey> = candidates.iter().filter(|c| c.post.is_none()).map(|c| c.key.clone()).collect();
            let read = if unread.is_empty() { HashMap::new() } else { self.source.posts(&unread).await? };
            let mut skipped = 0;
            for candidate in candidates {
                let is_pointer = candidate.post.is_none();
                let post = candidate.post.or_else(|| read.get(&candidate.key).cloned());
                // A post that is being moved may be found at both of its places.
                let post = post.filter(|post| list.holds(&candidate.key, post));
                skipped += u64::from(is_pointer && post.is_none());
                found.extend(post.filter(|post| ids.insert(post.id.clone())));
            }
            metrics::pointers_skipped(skipped);
        }
        Ok(found)
    }
}

async fn next_candidates(stream: &mut dyn PostStream, count: usize) -> Result<Vec<super::stream::Candidate>> {
    let mut candidates = Vec::with_capacity(count);
    while candidates.len() < count {
        let Some(candidate) = stream.seek(None).await? else { break };
        candidates.push(candidate);
        stream.pass();
    }
    Ok(candidates)
}

/// The stream of a list. `need`: how many posts the page can take.
pub(super) async fn open(
    reader: &Reader,
    budget: &Arc<ReadBudget>,
    list: &PostList,
    span: &Span,
    direction: Direction,
    need: usize,
) -> Result<Box<dyn PostStream>> {
    match list.query() {
        ListQuery::Months(collection) => {
            let need_min = if list.is_filtered_after_read() { FILTERED_CHUNK } else { 1 };
            let reads = Reads { collection, direction, need: need.max(need_min), need_min };
            Ok(Box::new(MonthStream::new(reader, Arc::clone(budget), span.clone(), reads).await?))
        }
        query => Ok(open_index(reader, budget, &query, span, direction, need)),
    }
}

fn open_index(
    reader: &Reader,
    budget: &Arc<ReadBudget>,
    query: &ListQuery,
    span: &Span,
    direction: Direction,
    chunk: usize,
) -> Box<dyn PostStream> {
    let open_all = |parts: &[ListQuery], chunk| {
        parts.iter().map(|part| open_index(reader, budget, part, span, direction, chunk)).collect()
    };
    match query {
        ListQuery::Months(_) => {
            unreachable!("`PostList::query` never puts the months inside an index query")
        }
        ListQuery::Index(kind, slug) => {
            let store = Arc::clone(reader.store());
            Box::new(IndexStream::new(store, Arc::clone(budget), (*kind, slug), span, direction, chunk))
        }
        ListQuery::Union(parts) => Box::new(Union::new(open_all(parts, chunk), direction)),
        ListQuery::Intersection(parts) => {
            Box::new(Intersection { streams: open_all(parts, chunk.max(INTERSECTION_CHUNK)), direction })
        }
    }
}
