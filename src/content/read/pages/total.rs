//! Counts the posts of a list. The rule: counts are exact, and those of a whole partition come from one row; public lists do not count scheduled posts.

use std::sync::Arc;

use futures_util::future::{try_join, try_join_all};
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::content::cache::{CacheKey, Until};
use crate::content::error::{ContentError, Result};
use crate::content::read::reader::Reader;
use crate::content::tables::rows::count::{self, Count};
use crate::content::tables::rows::partition_catalog::{Listed, read_name};
use crate::content::tables::{MonthSpan, get_each, read_all, read_first};
use crate::keys::time::{Direction, Span};
use crate::keys::{Collection, Table, place, term};
use crate::model::{IndexKind, Instant, Language, Month, Slug, TermId, TermKind};
use crate::store::{Entity, PAGE_ROWS_MAX, ReadSet, RowRange};

use super::list::{ListQuery, PostList, Scope};
use super::posts::open;
use super::stream::next;
use super::{ReadBudget, excluding_first_slugs, renamed};

/// The maximum number of terms whose scheduled posts are counted at the same time.
const COUNTS_AT_ONCE: usize = 200;

/// The maximum number of languages that are listed.
pub const LANGUAGES_MAX: usize = 100;

const LANGUAGES: Table = Table::PostsBy(IndexKind::Language);

/// A count yields to other tasks after this many keys.
const PASSED_AT_ONCE: usize = 100;

/// Counts the posts of a list. The reads:
///
/// - all posts, a month: only the list of months, and one range read if posts of the current month are scheduled;
/// - a term, a language or the featured posts: one point read, and one range read if posts are scheduled;
/// - drafts, scheduled posts: the same as for all posts;
/// - the drafts of an author: all drafts, 1,000 for each range read;
/// - any other filter: the keys of the merged streams, 1,000 for each range read;
/// - a filter that excludes terms or featured posts: one point read for each term, then the list without this condition, and the excluded posts in it, by
///   the same rules.
pub async fn count_posts(reader: &Reader, list: &PostList) -> Result<u64> {
    if !list.excludes_any() {
        return count_query(reader, list, PostList::query).await;
    }
    let of_first_slugs = excluding_first_slugs(reader, list).await?;
    let list = of_first_slugs.as_ref().unwrap_or(list);
    let all = count_query(reader, list, PostList::query);
    let excluded = count_query(reader, list, PostList::excluded_query);
    let (all, excluded) = try_join(all, excluded).await?;
    Ok(all.saturating_sub(excluded))
}

/// Counts the posts of a query, including excluded ones.
async fn count_query(reader: &Reader, list: &PostList, query: fn(&PostList) -> ListQuery) -> Result<u64> {
    let Some(span) = list.span(reader.now()) else { return Ok(0) };
    let is_whole = list.filter.published_after.is_none() && list.filter.published_before.is_none();
    match query(list) {
        ListQuery::Months(collection) if !list.is_filtered_after_read() => {
            count_months(reader, collection, &span).await
        }
        ListQuery::Index(kind, slug)
            if is_whole && matches!(list.scope, Scope::All | Scope::Term(..) | Scope::Series { .. }) =>
        {
            let partition = term::posts_partition(&slug);
            match index_count(reader, kind, &slug).await?.filter(|count| count.rows > 0) {
                // The list of a term names it by its first slug; a filter may name it by another one.
                None if list.filter.is_empty() => Ok(0),
                None => match first_slug(reader, kind, &slug).await? {
                    Some((kind, first)) if first != slug => {
                        Box::pin(count_query(reader, &list.clone().with_slug(kind, &slug, &first), query)).await
                    }
                    _ => Ok(0),
                },
                Some(count) => visible(reader, Table::PostsBy(kind), &partition, &count).await,
            }
        }
        merged => {
            let budget = Arc::new(ReadBudget::default());
            let mut stream = open(reader, &budget, list, &merged, &span, Direction::Forward, PAGE_ROWS_MAX).await?;
            let (mut posts, mut passed) = (0, 0);
            while let Some(candidate) = next(stream.as_mut()).await? {
                passed += 1;
                if passed % PASSED_AT_ONCE == 0 {
                    // All keys may be cached, so no read would yield to other tasks.
                    reader.source.counted.pass_cached(PASSED_AT_ONCE).await;
                }
                posts += u64::from(candidate.post.is_none_or(|post| list.holds(&candidate.key, &post)));
            }
            match renamed(reader, list, &budget).await? {
                Some(list) => Box::pin(count_query(reader, &list, query)).await,
                None => Ok(posts),
            }
        }
    }
}

/// The count row of an index. One point read.
async fn index_count(reader: &Reader, kind: IndexKind, slug: &Slug) -> Result<Option<Count>> {
    let key = place::count(term::posts_partition(slug));
    let row = reader.store().get(Table::PostsBy(kind).name(), &key).await?;
    Ok(row.as_ref().map(count::read).transpose()?)
}

/// The first slug of a term that a filter names; other indexes have only one name for a partition.
async fn first_slug(reader: &Reader, kind: IndexKind, slug: &Slug) -> Result<Option<(TermKind, Slug)>> {
    let Some(kind) = kind.term() else { return Ok(None) };
    Ok(reader.first_slugs(&[(kind, slug.clone())]).await?.pop().map(|first| (kind, first)))
}

/// The number of published posts of each term, in the order of the terms. One point read for each term, sent together, and one range read for each 1,000
/// scheduled posts of a term.
pub async fn count_posts_of(reader: &Reader, terms: &[TermId]) -> Vec<Result<u64>> {
    let read = |terms: Vec<TermId>| async move { read_counts_of(reader, &terms).await };
    reader.cached_or_read(terms, |term| CacheKey::TermCount(term.clone()), |_, _| true, read).await
}

async fn read_counts_of(reader: &Reader, terms: &[TermId]) -> Vec<Result<u64>> {
    let row_of =
        |term: &TermId| (Table::PostsBy(term.kind.into()), place::count(term::posts_partition(&term.first_slug)));
    let rows: Vec<_> = terms.iter().map(row_of).collect();
    let rows = get_each(reader.store(), &rows, false).await;
    let counts =
        terms.iter().zip(rows).map(|(term, row)| async move { count_of_term(reader, term, row?.as_ref()).await });
    let counts: Vec<_> = counts.collect();
    stream::iter(counts).buffered(COUNTS_AT_ONCE).collect().await
}

/// `row`: the count row of the term's posts.
async fn count_of_term(reader: &Reader, term: &TermId, row: Option<&Entity>) -> Result<u64> {
    let (part, partition) = (reader.part(), term::posts_partition(&term.first_slug));
    let counted = place::count(partition.clone());
    part.source.counted.note_cached(|noted| noted.note_row(Table::PostsBy(term.kind.into()).name(), &counted));
    let posts = match row.map(count::read).transpose()? {
        None => 0,
        Some(count) => visible(&part, Table::PostsBy(term.kind.into()), &partition, &count).await?,
    };
    part.keep_part(CacheKey::TermCount(term.clone()), posts, Until::Scheduled).await;
    Ok(posts)
}

/// The requested months that have published posts, newest first, with the number of posts. It reads only the list of months, and makes one range
/// read if posts of the current month are scheduled.
pub async fn archive(reader: &Reader, asked: MonthSpan) -> Result<Vec<(Month, u64)>> {
    let months = reader.months_in(Collection::Posts, asked).await?;
    let listed = months.iter().filter(|month| month.count.rows > 0 && asked.contains(month.partition));
    let counted = try_join_all(
        listed.map(|month| async move { Ok::<_, ContentError>((month.partition, count_month(reader, month).await?)) }),
    );
    Ok(counted.await?.into_iter().filter(|(_, posts)| *posts > 0).collect())
}

/// The languages of published posts, sorted by tag. One range read, and one more for each language in which a post was or is scheduled.
///
/// # Errors
/// [`ContentError::BadArgument`] if there are more than [`LANGUAGES_MAX`].
pub async fn languages(reader: &Reader) -> Result<Vec<Language>> {
    let rows = RowRange::new(term::CATALOG_PARTITION, None, None).expect("the partition is a valid key");
    let rows = read_all(reader.store(), LANGUAGES, &rows).await?;
    let listed = rows.iter().map(read_name).collect::<Result<Vec<_>, _>>()?;
    let published = listed.into_iter().filter(Listed::may_hold_rows).map(|listed| async move {
        let is_published = has_published(reader, &listed).await?;
        Ok::<_, ContentError>(listed.partition.parse::<Language>().ok().filter(|_| is_published))
    });
    // This is collected first, because the compiler cannot prove that a stream of these closures is `Send`.
    let published: Vec<_> = published.collect();
    let published: Vec<Option<Language>> = stream::iter(published).buffered(COUNTS_AT_ONCE).try_collect().await?;
    let published: Vec<Language> = published.into_iter().flatten().collect();
    if published.len() > LANGUAGES_MAX {
        let message = format!("posts have more than {LANGUAGES_MAX} languages, so `languages` cannot list them");
        return Err(ContentError::BadArgument { argument: "languages", message });
    }
    Ok(published)
}

/// Whether a language has a published post. The read is not recorded: its tag would reveal the language of a scheduled post (I4b), and each change of a pointer
/// also writes the row that lists the language, which the caller has read.
async fn has_published(reader: &Reader, listed: &Listed<String>) -> Result<bool> {
    if listed.count.newest.as_ref().is_some_and(|newest| newest.at <= reader.now()) {
        return Ok(true);
    }
    let unnoted = reader.over(reader.source.counted.unnoted());
    let rows = Span::until(reader.now()).rows(&listed.partition, Direction::Forward);
    let first = read_first(unnoted.store(), LANGUAGES, &rows, 1).await;
    // If the read failed, the answer depends on everything.
    let first = first.inspect_err(|_| reader.source.counted.note_cached(ReadSet::break_off))?;
    Ok(!first.is_empty())
}

/// The number of posts of a month that readers see now.
async fn count_month(reader: &Reader, month: &Listed<Month>) -> Result<u64> {
    match month.partition > reader.now().month() {
        true => Ok(0),
        false => visible(reader, Table::Posts, &place::month_partition(month.partition), &month.count).await,
    }
}

/// The number of terms of a kind. Reads only their partition catalog.
pub async fn count_terms(reader: &Reader, kind: TermKind) -> Result<u64> {
    let partition_catalog = reader.first_characters(kind).await?;
    Ok(partition_catalog.iter().map(|listed| listed.count.rows.max(0) as u64).sum())
}

/// Months that the span covers completely are counted by their count rows, the others by reading their keys.
async fn count_months(reader: &Reader, collection: Collection, span: &Span) -> Result<u64> {
    let months = reader.months_in(collection, MonthSpan::of(span, reader.now())).await?;
    let until = span.until.unwrap_or(Instant::MAX);
    let since = span.since.unwrap_or(Instant::MIN);
    let ends = [since.month(), until.month()];
    let between = months.iter().filter(|month| ends[0] < month.partition && month.partition < ends[1]);
    let between: u64 = between.map(|month| month.count.rows.max(0) as u64).sum();
    let at_the_ends = months.iter().filter(|month| ends.contains(&month.partition) && month.count.rows > 0);
    let counts = at_the_ends.map(|month| async move {
        let (first, last) = (month.partition.first(), month.partition.last());
        if first > until || last < since {
            return Ok(0);
        }
        if since <= first && until >= last {
            return Ok(month.count.rows as u64);
        }
        if since <= first && until == reader.now() {
            return count_month(reader, month).await;
        }
        count_rows(reader, collection.table(), &span.rows(&place::month_partition(month.partition), Direction::Forward))
            .await
    });
    Ok(between + try_join_all(counts).await?.into_iter().sum::<u64>())
}

async fn visible(reader: &Reader, table: Table, partition: &str, count: &Count) -> Result<u64> {
    let rows = count.rows.max(0) as u64;
    if rows == 0 || count.newest.as_ref().is_none_or(|newest| newest.at <= reader.now()) {
        return Ok(rows);
    }
    let to_come = Span { since: reader.now().next(), ..Span::default() };
    Ok(rows.saturating_sub(count_rows(reader, table, &to_come.rows(partition, Direction::Forward)).await?))
}

async fn count_rows(reader: &Reader, table: Table, rows: &RowRange) -> Result<u64> {
    let (store, keys) = (Arc::clone(reader.store()), rows.clone().of_keys());
    Ok(read_all(&store, table, &keys).await?.len() as u64)
}
