//! Held pages and counts. The rule: only those of lists that are the same for every client are held, and a value that depends on time is used
//! until the next scheduled post appears.
//!
//! A public list ends at the instant of the request, so that it holds no post that only some clients see (I4b).

use std::sync::Arc;

use crate::content::error::Result;
use crate::content::held::{HeldValue, ValueKey};
use crate::content::read::reader::Reader;
use crate::model::{Post, PostKey, Slug, Term};

use super::list::{PostList, Scope};
use super::posts::{self, PostSource};
use super::terms::{self, TermList};
use super::total;
use super::window::{Page, PageArguments, RequestedFields};

/// A page of a public list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PageKey {
    pub list: PostList,
    pub arguments: PageArguments<PostKey>,
    pub requested: RequestedFields,
}

impl PageKey {
    /// `None` if the list is not public.
    fn value_key(&self) -> Option<ValueKey> {
        let key = || ValueKey::PostPage(Box::new((self.list.clone(), self.arguments.clone(), self.requested)));
        is_public(&self.list).then(key)
    }
}

fn is_public(list: &PostList) -> bool {
    match list.scope {
        Scope::All | Scope::Month(_) | Scope::Term(_) | Scope::Series { .. } => true,
        Scope::Drafts { .. } | Scope::Scheduled { .. } => false,
    }
}

pub async fn find_page(reader: &Reader, page: &PageKey) -> Option<Arc<Page<Arc<Post>>>> {
    match reader.held(&page.value_key()?) {
        Some(HeldValue::PostPage(page)) => {
            reader.source.counted.pass_held(page.items.len()).await;
            Some(page)
        }
        _ => None,
    }
}

/// Reads pages that are not held. `read` reads the pages at these positions together; `held` converts a page that another request has read. A
/// page that another request is reading is read here only if it is not held afterwards.
pub async fn read_pages<V, F: Future<Output = Vec<V>>>(
    reader: &Reader,
    pages: &[PageKey],
    held: impl Fn(Arc<Page<Arc<Post>>>) -> V,
    read: impl Fn(Vec<usize>) -> F,
) -> Vec<V> {
    let places: Vec<usize> = (0..pages.len()).collect();
    let keys = if reader.reads_with_others() { pages.iter().map(PageKey::value_key).collect() } else { None };
    let keys: Option<Vec<ValueKey>> = keys;
    let Some(keys) = keys else { return read(places).await };
    let value_of = |_: &usize, value: HeldValue| match value {
        HeldValue::PostPage(page) => Some(held(page)),
        _ => None,
    };
    let unknown = places.iter().map(|_| None).collect();
    let read_known = |places: Vec<usize>| async { Ok(read(places).await) };
    match reader.read_unheld(&places, unknown, |at| keys[*at].clone(), value_of, read_known).await {
        Ok(found) => found,
        // `read_known` does not fail, but it may return too few values.
        Err(_) => read(places).await,
    }
}

/// Reads a page that is not held, and holds it.
///
/// # Errors
/// Those of [`posts::read_page`].
pub async fn read_page(reader: &Reader, source: &dyn PostSource, page: &PageKey) -> Result<Arc<Page<Arc<Post>>>> {
    let PageKey { list, arguments, requested } = page;
    let Some(key) = page.value_key() else {
        return Ok(Arc::new(posts::read_page(reader, source, list, arguments, *requested).await?));
    };
    let part = reader.part();
    let read = Arc::new(posts::read_page(part.reader(), source, list, arguments, *requested).await?);
    part.keep_until_scheduled(key, HeldValue::PostPage(Arc::clone(&read))).await;
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
    let key = ValueKey::TermPage(Box::new((list.kind(), list.direction(), arguments.clone(), requested)));
    let value_of = |value: HeldValue| match value {
        HeldValue::TermPage(page) => Some(page),
        _ => None,
    };
    if let Some(page) = reader.held(&key).and_then(value_of) {
        reader.source.counted.pass_held(page.items.len()).await;
        return Ok(page);
    }
    let read = |key| async move {
        let part = reader.part();
        let page = Arc::new(terms::read_page(part.reader(), list, arguments, requested).await?);
        part.keep(key, HeldValue::TermPage(Arc::clone(&page)));
        Ok(page)
    };
    reader.read_one_unheld(key, value_of, read).await
}

/// # Errors
/// Those of [`total::count_posts`].
pub async fn count_posts(reader: &Reader, list: &PostList) -> Result<u64> {
    if !is_public(list) {
        return total::count_posts(reader, list).await;
    }
    let value_of = |value: HeldValue| match value {
        HeldValue::Count(count) => Some(count),
        _ => None,
    };
    let read = |key| async move {
        let part = reader.part();
        let count = total::count_posts(part.reader(), list).await?;
        part.keep_until_scheduled(key, HeldValue::Count(count)).await;
        Ok(count)
    };
    reader.one_held_or_read(ValueKey::PostCount(Box::new(list.clone())), value_of, read).await
}
