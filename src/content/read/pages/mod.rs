//! Pages of lists, as Relay's connection specification defines them. The rule: a page costs what it shows, wherever in the list it is.
//!
//! A list of posts is a sorted stream of keys: the months one after another ([`months`]), one index partition ([`index`]), or a merge of several
//! ([`stream`]), for which the first keys of each index are cached; a [`series`] has its own order. [`posts`] takes keys from the
//! stream until the page is full, and accepts a key only if the post confirms it. The posts that a filter excludes are skipped after they are
//! read, because an index row of an excluded term may be dangling (I2).

pub mod cached;
mod filter;
mod index;
mod list;
mod months;
pub mod posts;
mod series;
mod stream;
pub mod terms;
pub mod terms_by_count;
pub mod total;
mod window;

pub use crate::content::tables::MonthSpan;
pub use filter::{Filter, SlugFilter};
pub use list::{FILTER_SLUGS_MAX, PageKey, PostList, Scope};
pub(in crate::content) use posts::posts_with;
pub use posts::{PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, PostSource, number_in_series};
pub(in crate::content) use series::sort_as_series;
pub(in crate::content) use window::Take;
pub use window::{Page, PageArguments, RequestedFields};

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::content::error::{ContentError, Result};
use crate::model::{IndexKind, Instant, Post, Slug, TermKind};

use super::reader::Reader;

/// The maximum number of range reads for one page. Only a merge of long, finely interleaved lists comes near it.
pub const RANGE_READS_MAX: u32 = 200;
/// The maximum number of posts that a page looks up if its filter excludes some; excluded posts count, too.
pub const LOOK_UPS_MAX: u32 = 500;

/// The remaining range reads, and the indexes that were found to be empty, shared by the streams of a page.
#[derive(Debug, Default)]
struct ReadBudget {
    range_reads: AtomicU32,
    look_ups: AtomicU32,
    empty: Mutex<Vec<(TermKind, Slug)>>,
}

impl ReadBudget {
    fn spend_range_read(&self) -> Result<()> {
        spend(&self.range_reads, 1, RANGE_READS_MAX, "range reads")
    }

    fn spend_look_ups(&self, count: usize) -> Result<()> {
        spend(&self.look_ups, u32::try_from(count).unwrap_or(u32::MAX), LOOK_UPS_MAX, "reads of posts")
    }

    fn look_ups_left(&self) -> usize {
        LOOK_UPS_MAX.saturating_sub(self.look_ups.load(Ordering::Relaxed)) as usize
    }

    /// Only indexes of terms are recorded, because only a term has several slugs.
    fn note_empty(&self, kind: IndexKind, slug: &Slug) {
        let Some(kind) = kind.term() else { return };
        self.empty.lock().unwrap_or_else(PoisonError::into_inner).push((kind, slug.clone()));
    }

    /// The indexes of terms whose first read found nothing, since the last call.
    fn take_empty(&self) -> Vec<(TermKind, Slug)> {
        std::mem::take(&mut self.empty.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn spend(spent: &AtomicU32, count: u32, limit: u32, reads: &'static str) -> Result<()> {
    match spent.fetch_add(count, Ordering::Relaxed).saturating_add(count) <= limit {
        true => Ok(()),
        false => Err(ContentError::TooBroad { limit, reads }),
    }
}

/// A filter may name a term by any slug that it ever had, but its index is named by the first. So if an index is empty, its term is looked up, and the list is
/// read again with the slug that the posts have. `None` if no slug changes. One point read for each empty index.
async fn renamed(reader: &Reader, list: &PostList, budget: &ReadBudget) -> Result<Option<PostList>> {
    let mut empty = budget.take_empty();
    empty.retain(|(kind, slug)| list.filter.of_terms(*kind).reads(slug));
    let first_slugs = reader.first_slugs(&empty).await?;
    Ok(with_first_slugs(list, &empty, &first_slugs))
}

/// Whether a published post is in a list of everything that its filter matches. One point read for each term in the filter, sent together.
pub(crate) async fn matches(reader: &Reader, list: &PostList, post: &Post) -> Result<bool> {
    Ok(holds(&of_first_slugs(reader, list).await?, reader.now(), post))
}

/// Whether a published post is in a list of first slugs.
pub(super) fn holds(list: &PostList, now: Instant, post: &Post) -> bool {
    let key = post.key();
    list.span(now).is_some_and(|span| span.contains(&key)) && list.holds(&key, post) && !list.excludes(post)
}

/// The list with first slugs for all terms in its filter. One point read for each, sent together.
pub(in crate::content) async fn of_first_slugs(reader: &Reader, list: &PostList) -> Result<PostList> {
    let named = list.named_terms();
    let of_first_slugs = with_first_slugs(list, &named, &reader.first_slugs(&named).await?);
    Ok(of_first_slugs.unwrap_or_else(|| list.clone()))
}

/// The list with first slugs for the excluded terms. A page does not read their indexes, so it cannot detect an empty one. `None` if the list already has first
/// slugs. One point read for each slug, sent together.
async fn excluding_first_slugs(reader: &Reader, list: &PostList) -> Result<Option<PostList>> {
    let excluded = list.excluded_terms();
    let first_slugs = reader.excluded_first_slugs(&excluded).await?;
    Ok(with_first_slugs(list, &excluded, &first_slugs))
}

fn with_first_slugs(list: &PostList, named: &[(TermKind, Slug)], first_slugs: &[Slug]) -> Option<PostList> {
    let renamed = named.iter().zip(first_slugs).filter(|((_, slug), first)| slug != *first);
    let with = |list: PostList, ((kind, slug), first): (&(TermKind, Slug), &Slug)| list.with_slug(*kind, slug, first);
    let list_of_first = renamed.fold(list.clone(), with);
    (list_of_first != *list).then_some(list_of_first)
}
