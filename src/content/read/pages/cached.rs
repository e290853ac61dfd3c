//! Cached pages and counts. The rule: only lists that are the same for every client are cached, and a value that depends on time is used until the next
//! scheduled post or page appears.
//!
//! A public list ends at the instant of the request, so it contains no post that only some clients can see (I4b).

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

/// Cached pages, and those that `read` reads together.
pub async fn pages<F: Future<Output = Vec<Result<PostPage>>>>(
    reader: &Reader,
    pages: &[PageKey],
    read: impl Fn(Vec<PageKey>) -> F,
) -> Vec<Result<PostPage>> {
    if !pages.iter().all(|page| is_public(&page.list)) {
        return read(pages.to_vec()).await;
    }
    let key_of = |page: &PageKey| CacheKey::PostPage(Box::new(page.clone()));
    let found = reader.cached_or_read(pages, key_of, |_, _| true, read).await;
    reader.source.counted.pass_cached(found.iter().flatten().map(|page| page.items.len()).sum()).await;
    found
}

/// Reads a page that is not cached, and caches it if its list is public.
///
/// # Errors
/// Those of [`posts::read_page`].
pub async fn read_page(reader: &Reader, source: &dyn PostSource, page: &PageKey) -> Result<PostPage> {
    let PageKey { list, arguments, requested } = page;
    let part = reader.part();
    let read = Arc::new(posts::read_page(&part, source, list, arguments, *requested).await?);
    if is_public(list) {
        part.keep_part(CacheKey::PostPage(Box::new(page.clone())), Arc::clone(&read), Until::Scheduled).await;
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
    let read =
        |reader: Reader| async move { terms::read_page(&reader, list, arguments, requested).await.map(Arc::new) };
    let page: Arc<Page<_>> = reader.cached(key, Until::Written, |_| true, read).await?;
    reader.source.counted.pass_cached(page.items.len()).await;
    Ok(page)
}

/// # Errors
/// Those of [`total::count_posts`].
pub async fn count_posts(reader: &Reader, list: &PostList) -> Result<u64> {
    if !is_public(list) {
        return total::count_posts(reader, list).await;
    }
    let key = CacheKey::PostCount(Box::new(list.clone()));
    reader
        .cached(
            key,
            Until::Scheduled,
            |_| true,
            |reader: Reader| async move { total::count_posts(&reader, list).await },
        )
        .await
}
