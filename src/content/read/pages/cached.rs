//! Cached pages and counts. The rule: only those of lists that are the same for every client are cached, and a value that depends on time is used
//! until the next scheduled post or page appears.
//!
//! A public list ends at the instant of the request, so that it holds no post that only some clients see (I4b).

use std::sync::Arc;

use crate::content::cache::{CacheKey, Until};
use crate::content::error::Result;
use crate::content::read::reader::Reader;
use crate::model::{Post, Slug, Term};

use super::list::{PageKey, PostList, Scope};
use super::posts::{self, PostSource};
use super::terms::{self, TermList};
use super::total;
use super::window::{Page, PageArguments, RequestedFields};

type PostPage = Arc<Page<Arc<Post>>>;

fn is_public(list: &PostList) -> bool {
    match list.scope {
        Scope::All | Scope::Month(_) | Scope::Term(_) | Scope::Series { .. } => true,
        Scope::Drafts { .. } | Scope::Scheduled { .. } => false,
    }
}

/// `None` if the list is not public.
fn key_of(page: &PageKey) -> Option<CacheKey> {
    is_public(&page.list).then(|| CacheKey::PostPage(Box::new(page.clone())))
}

pub async fn find_page(reader: &Reader, page: &PageKey) -> Option<PostPage> {
    let page: PostPage = reader.cached_value(&key_of(page)?)?;
    reader.source.counted.pass_held(page.items.len()).await;
    Some(page)
}

/// Reads pages that are not cached. `read` reads the pages at these positions together. A page that another request is reading is read here only if
/// it is not cached afterwards.
pub async fn read_pages<F: Future<Output = Vec<Result<PostPage>>>>(
    reader: &Reader,
    pages: &[PageKey],
    read: impl Fn(Vec<usize>) -> F,
) -> Vec<Result<PostPage>> {
    let positions: Vec<usize> = (0..pages.len()).collect();
    let keys: Option<Vec<CacheKey>> = pages.iter().map(key_of).collect();
    match keys {
        Some(keys) => {
            let found = positions.iter().map(|_| None).collect();
            reader.read_missing(&positions, found, |at| keys[*at].clone(), |_, _| true, read).await
        }
        None => read(positions).await,
    }
}

/// Reads a page that is not cached, and caches it.
///
/// # Errors
/// Those of [`posts::read_page`].
pub async fn read_page(reader: &Reader, source: &dyn PostSource, page: &PageKey) -> Result<PostPage> {
    let PageKey { list, arguments, requested } = page;
    let part = reader.part();
    let read = Arc::new(posts::read_page(&part, source, list, arguments, *requested).await?);
    if let Some(key) = key_of(page) {
        part.keep_part(key, Arc::clone(&read), Until::Scheduled).await;
    }
    Ok(read)
}

/// # Errors
/// Those of [`terms::read_page`].
pub async fn page_of_terms(
    reader: &Reader,
    list: &TermList,
    arguments: &PageArguments<Slug>,
    requested: RequestedFields,
) -> Result<Arc<Page<Arc<Term>>>> {
    let key = CacheKey::TermPage(Box::new((list.kind(), list.direction(), arguments.clone(), requested)));
    if let Some(page) = reader.cached_value::<Arc<Page<Arc<Term>>>>(&key) {
        reader.source.counted.pass_held(page.items.len()).await;
        return Ok(page);
    }
    let read =
        |reader: Reader| async move { terms::read_page(&reader, list, arguments, requested).await.map(Arc::new) };
    reader.read_and_keep(key, Until::Written, |_| true, read).await
}

/// # Errors
/// Those of [`total::count_posts`].
pub async fn count_posts(reader: &Reader, list: &PostList) -> Result<u64> {
    if !is_public(list) {
        return total::count_posts(reader, list).await;
    }
    let key = CacheKey::PostCount(Box::new(list.clone()));
    reader.cached(key, Until::Scheduled, |reader: Reader| async move { total::count_posts(&reader, list).await }).await
}
