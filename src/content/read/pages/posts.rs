//! One page of posts. The rule (I2, I3): skipped posts are replaced by later ones, so a page is full unless the list ends. Tested by `tests/it/pages`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::content::error::Result;
use crate::content::read::reader::Reader;
use crate::content::tables::read_first;
use crate::keys::time::{self, Direction, Span};
use crate::keys::{Table, term};
use crate::model::{Post, PostId, PostKey, Term, TermId};
use crate::store::PAGE_ROWS_MAX;
use crate::telemetry::metrics;

use super::index::IndexStream;
use super::list::{ListQuery, PostList, Scope};
use super::months::{FILTERED_CHUNK, MonthStream, Reads};
use super::series::SeriesKeys;
use super::stream::{Candidate, Intersection, PostStream, Union, next};
use super::window::{Page, PageArguments, RequestedFields, Take};
use super::{ReadBudget, excluding_first_slugs, renamed};

pub const PAGE_SIZE_MAX: usize = 100;
/// The size of a page if neither `first` nor `last` is given.
pub const PAGE_SIZE_DEFAULT: usize = 20;
/// The rows of the first read of each stream of an intersection, which skips most of them.
const INTERSECTION_CHUNK: usize = 250;
/// The maximum number of posts that are looked up at once if the filter excludes some of them.
const EXCLUDED_CHUNK: usize = 250;

/// Looks up posts by their keys: the reader, or a loader that batches the look-ups of a whole request.
#[async_trait::async_trait]
pub trait PostSource: Send + Sync {
    /// The published posts with these keys; missing ones are omitted.
    async fn posts(&self, keys: &[PostKey]) -> Result<HashMap<PostKey, Arc<Post>>>;
}

#[async_trait::async_trait]
impl PostSource for Reader {
    async fn posts(&self, keys: &[PostKey]) -> Result<HashMap<PostKey, Arc<Post>>> {
        self.posts_at(keys).await
    }
}

/// A page of a list, in its order.
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
    let of_first_slugs = excluding_first_slugs(reader, list).await?;
    let list = of_first_slugs.as_ref().unwrap_or(list);
    let (after, before) = (arguments.after.as_ref(), arguments.before.as_ref());
    let pages = Pages { reader, source };
    if let Some((series, of_first_slugs)) = keys_of_series(reader, list, &whole).await? {
        let list = of_first_slugs.as_ref().unwrap_or(list);
        return pages.read_of_series(list, &series, (after, before), take, requested).await;
    }
    let (span, ahead) = (list.between(&whole, after, before), list.direction());
    let (direction, and_one) = match take {
        Take::First { .. } => (ahead, requested.has_next),
        Take::Last { .. } => (ahead.reversed(), requested.has_previous),
    };
    let previous = pages.holds_any(list, requested.has_previous, Side::UpTo(after), &whole);
    let next = pages.holds_any(list, requested.has_next, Side::From(before), &whole);
    let items = pages.take(list, &span, direction, take.count(), and_one);
    let (items, previous, next) = futures_util::future::try_join3(items, previous, next).await?;
    Ok(page_of(take, items, (previous, next), requested))
}

/// `previous` and `next`: whether there are items before `after`, and after `before`.
fn page_of(
    take: Take,
    items: Vec<Arc<Post>>,
    (previous, next): (bool, bool),
    requested: RequestedFields,
) -> Page<Arc<Post>> {
    let page = take.page(items);
    let has_previous = requested.has_previous && (page.has_previous || previous);
    Page { has_next: page.has_next || next, has_previous, ..page }
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
    /// Whether the list has a post on that side of the cursor, or the cursor's own post. False without a cursor.
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

    /// The first `count` posts of a span in this direction, with `and_one` one more, which shows whether the list continues.
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
        let mut stream = open(self.reader, &budget, list, &list.query(), span, direction, need).await?;
        let mut found: Vec<Arc<Post>> = Vec::with_capacity(need);
        let mut ids = HashSet::with_capacity(need);
        let mut examined = 0;
        while found.len() < need {
            let missing = need - found.len();
            let to_take = to_take(list, &budget, missing, (found.len(), examined));
            let candidates = next_candidates(stream.as_mut(), to_take).await?;
            if let Some(list) = renamed(self.reader, list, &budget).await? {
                return Box::pin(self.take(&list, span, direction, count, and_one)).await;
            }
            if candidates.is_empty() {
                break;
            }
            examined += candidates.len();
            let posts = self.confirmed(list, &budget, candidates).await?;
            // A post that is being moved may be found at both of its places.
            found.extend(posts.into_iter().filter(|post| ids.insert(post.id.clone())).take(missing));
        }
        Ok(found)
    }

    /// A page of a series, whose order is not that of its index.
    async fn read_of_series(
        &self,
        list: &PostList,
        series: &SeriesKeys<'_>,
        (after, before): (Option<&PostKey>, Option<&PostKey>),
        take: Take,
        requested: RequestedFields,
    ) -> Result<Page<Arc<Post>>> {
        let keys = series.keys();
        let start = after.map_or(0, |after| series.count_before(after, true));
        let end = before.map_or(keys.len(), |before| series.count_before(before, false));
        let between = keys[start..end.max(start)].iter();
        let items = match take {
            Take::First { count, .. } => {
                self.confirmed_of(list, between, count + usize::from(requested.has_next)).await?
            }
            Take::Last { count } => {
                self.confirmed_of(list, between.rev(), count + usize::from(requested.has_previous)).await?
            }
        };
        let is_before = requested.has_previous && after.is_some();
        let previous = is_before && !self.confirmed_of(list, keys[..start].iter().rev(), 1).await?.is_empty();
        let is_after = requested.has_next && before.is_some();
        let next = is_after && !self.confirmed_of(list, keys[end..].iter(), 1).await?.is_empty();
        Ok(page_of(take, items, (previous, next), requested))
    }

    /// The first `count` posts that the list confirms, in the order of the keys.
    async fn confirmed_of(
        &self,
        list: &PostList,
        mut keys: impl Iterator<Item = &PostKey> + Send,
        count: usize,
    ) -> Result<Vec<Arc<Post>>> {
        let (budget, mut found, mut ids) = (ReadBudget::default(), Vec::with_capacity(count), HashSet::new());
        let mut examined = 0;
        while found.len() < count {
            let missing = count - found.len();
            let to_take = to_take(list, &budget, missing, (found.len(), examined));
            let candidates: Vec<_> = keys.by_ref().take(to_take).cloned().map(Candidate::key).collect();
            if candidates.is_empty() {
                break;
            }
            examined += candidates.len();
            let posts = self.confirmed(list, &budget, candidates).await?;
            found.extend(posts.into_iter().filter(|post| ids.insert(post.id.clone())).take(missing));
        }
        Ok(found)
    }

    /// The candidates that the list confirms, in their order.
    async fn confirmed(
        &self,
        list: &PostList,
        budget: &ReadBudget,
        candidates: Vec<Candidate>,
    ) -> Result<Vec<Arc<Post>>> {
        let unread: Vec<PostKey> = candidates.iter().filter(|c| c.post.is_none()).map(|c| c.key.clone()).collect();
        if list.excludes_any() {
            budget.spend_look_ups(unread.len())?;
        }
        let read = if unread.is_empty() { HashMap::new() } else { self.source.posts(&unread).await? };
        self.reader.note_posts(&unread);
        let (mut confirmed, mut skipped) = (Vec::with_capacity(candidates.len()), 0);
        for candidate in candidates {
            let is_pointer = candidate.post.is_none();
            let post = candidate.post.or_else(|| read.get(&candidate.key).cloned());
            let post = post.filter(|post| list.holds(&candidate.key, post));
            skipped += u64::from(is_pointer && post.is_none());
            confirmed.extend(post.filter(|post| !list.excludes(post)));
        }
        metrics::pointers_skipped(skipped);
        Ok(confirmed)
    }
}

/// The keys of a list that is a series; `None` for any other list. Also returns the list with first slugs, if its filter names terms by other slugs. All its
/// indexes are read completely: one range read for each 1,000 posts, except for cached ones.
async fn keys_of_series<'l>(
    reader: &Reader,
    list: &'l PostList,
    whole: &Span,
) -> Result<Option<(SeriesKeys<'l>, Option<PostList>)>> {
    let Scope::Series { order, .. } = &list.scope else { return Ok(None) };
    let mut of_first_slugs = None;
    loop {
        let (named, budget) = (of_first_slugs.as_ref().unwrap_or(list), Arc::new(ReadBudget::default()));
        let merging = Merging { reader, budget: &budget, span: whole, direction: Direction::Forward };
        let (mut stream, mut keys) = (merging.open(&named.query(), PAGE_ROWS_MAX), Vec::new());
        while let Some(candidate) = next(stream.as_mut()).await? {
            keys.push(candidate.key);
            // Cached keys never wait for the store, so this yields to other tasks.
            if keys.len().is_multiple_of(PAGE_ROWS_MAX) {
                reader.source.counted.pass_cached(PAGE_ROWS_MAX).await;
            }
        }
        match renamed(reader, named, &budget).await? {
            None => return Ok(Some((SeriesKeys::of(keys, order), of_first_slugs))),
            renamed => of_first_slugs = renamed,
        }
    }
}

/// The number of a published post in its series, from 1 on; `None` if it is not in it. The cost is that of the keys of the series.
///
/// # Errors
/// If the store fails.
pub async fn number_in_series(reader: &Reader, series: &Term, key: &PostKey) -> Result<Option<usize>> {
    let list = PostList::of_series(series);
    let keys = keys_of_series(reader, &list, &Span::until(reader.now())).await?;
    Ok(keys.and_then(|(keys, _)| keys.number(key)))
}

/// Up to `most` posts that have a term, for a change of all of them; including drafts and scheduled posts. One range read for each 1,000 of them, and one for
/// each 1,000 drafts of the site.
///
/// # Errors
/// [`TooBroad`](crate::content::ContentError::TooBroad) if the drafts are in more months than one page may read.
pub(in crate::content) async fn posts_with(reader: &Reader, term: &TermId, most: usize) -> Result<Vec<PostId>> {
    let index = Span::default().rows(&term::posts_partition(&term.first_slug), Direction::Forward).of_keys();
    let rows = read_first(reader.store(), Table::PostsBy(term.kind.into()), &index, most).await?;
    let mut posts: Vec<PostId> = rows.iter().filter_map(|row| Some(time::parse_time_row(row.key.row())?.id)).collect();
    let list = PostList::drafts_with(term.kind, &term.first_slug);
    let Some(span) = list.span(reader.now()) else { return Ok(posts) };
    let budget = Arc::new(ReadBudget::default());
    let mut drafts = open(reader, &budget, &list, &list.query(), &span, Direction::Forward, PAGE_ROWS_MAX).await?;
    while posts.len() < most
        && let Some(draft) = next(drafts.as_mut()).await?
    {
        if draft.post.is_none_or(|post| list.holds(&draft.key, &post)) {
            posts.push(draft.key.id);
        }
    }
    Ok(posts)
}

/// The number of candidates to take next.
fn to_take(list: &PostList, budget: &ReadBudget, missing: usize, (found, examined): (usize, usize)) -> usize {
    match list.excludes_any() {
        true => to_examine(missing, found, examined).clamp(1, budget.look_ups_left().max(1)),
        false => missing,
    }
}

/// The number of candidates to take next, if the filter excludes some: enough for the missing posts at the share of posts found so far, but at most twice as
/// many as were examined, because the share is a poor estimate for a few posts.
fn to_examine(missing: usize, found: usize, examined: usize) -> usize {
    if examined == 0 {
        return missing;
    }
    let by_share = (missing * (examined + 1)).div_ceil(found + 1);
    by_share.min(2 * examined).min(EXCLUDED_CHUNK).max(missing)
}

async fn next_candidates(stream: &mut dyn PostStream, count: usize) -> Result<Vec<Candidate>> {
    let mut candidates = Vec::with_capacity(count);
    while candidates.len() < count {
        let Some(candidate) = next(stream).await? else { break };
        candidates.push(candidate);
    }
    Ok(candidates)
}

/// The stream for a query of a list. `need`: how many posts the page needs.
pub(super) async fn open(
    reader: &Reader,
    budget: &Arc<ReadBudget>,
    list: &PostList,
    query: &ListQuery,
    span: &Span,
    direction: Direction,
    need: usize,
) -> Result<Box<dyn PostStream>> {
    match query {
        ListQuery::Months(collection) => {
            let need_min = match (list.is_filtered_after_read(), list.excludes_any()) {
                (true, _) => FILTERED_CHUNK,
                (false, true) => (2 * need).min(FILTERED_CHUNK),
                (false, false) => 1,
            };
            let reads = Reads { collection: *collection, direction, need: need.max(need_min), need_min };
            Ok(Box::new(MonthStream::new(reader, Arc::clone(budget), span.clone(), reads).await?))
        }
        ListQuery::Index(kind, slug) => {
            let budget = Arc::clone(budget);
            Ok(Box::new(IndexStream::new(reader, budget, (*kind, slug), span, direction, need)))
        }
        merged => Ok(Merging { reader, budget, span, direction }.open(merged, need)),
    }
}

struct Merging<'a> {
    reader: &'a Reader,
    budget: &'a Arc<ReadBudget>,
    span: &'a Span,
    direction: Direction,
}

impl Merging<'_> {
    fn open(&self, query: &ListQuery, chunk: usize) -> Box<dyn PostStream> {
        let open_all = |parts: &[ListQuery], chunk| parts.iter().map(|part| self.open(part, chunk)).collect();
        match query {
            ListQuery::Months(_) => {
                unreachable!("`PostList::query` never puts the months inside an index query")
            }
            ListQuery::Index(kind, slug) => {
                let (budget, index) = (Arc::clone(self.budget), (*kind, slug));
                let stream = IndexStream::new(self.reader, budget, index, self.span, self.direction, chunk);
                Box::new(stream.caching())
            }
            ListQuery::Union(parts) => Box::new(Union::new(open_all(parts, chunk), self.direction)),
            ListQuery::Intersection(parts) => {
                Box::new(Intersection::new(open_all(parts, chunk.max(INTERSECTION_CHUNK)), self.direction))
            }
        }
    }
}
