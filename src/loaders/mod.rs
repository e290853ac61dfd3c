//! Data loaders: the keys that the fields of one level of a query request are read in one batch, each key once. The rule: loaders live as
//! long as one request, because they cache what that request has access to.
//!
//! Loaders wait by yielding to the scheduler, never by a timer.

mod batch;
mod categories;
mod pages;

use std::hash::Hash;
use std::sync::Arc;

use futures_util::future::join_all;
use futures_util::{StreamExt, stream};

use crate::content::read::DetailsPlace;
use crate::content::read::pages::terms_by_count::{CountPosition, CountedTerm, TermsByCount};
use crate::content::read::pages::{Page, PageArguments, PageKey, PostList, RequestedFields, cached, total};
use crate::content::{ContentError, Reader, Result as ContentResult};
use crate::model::{
    Asset, AssetHash, CategoryTree, Post, PostDetails, PostId, PostKey, SitePage, Slug, Term, TermId, TermKind,
    TranslationGroup,
};

use batch::Loader;

/// The result of a look-up. All fields that wait for one batch share its error.
pub type Loaded<T> = Result<T, Arc<ContentError>>;

/// The maximum number of concurrent look-ups in a batch of posts. Each look-up takes several storage requests.
const CONCURRENCY: usize = 200;

pub struct Loaders {
    /// Reads what is in memory, without a batch.
    reader: Reader,
    terms: Loader<(TermKind, Slug), Option<Arc<Term>>>,
    details: Loader<DetailsPlace, Option<PostDetails>>,
    posts: Loader<PostId, Option<Arc<Post>>>,
    pages: Loader<PageKey, Arc<Page<Arc<Post>>>>,
    post_counts: Loader<TermId, u64>,
    site_pages: Loader<PostId, Option<Arc<SitePage>>>,
    page_details: Loader<PostId, Option<PostDetails>>,
    assets: Loader<AssetHash, Option<Arc<Asset>>>,
    category_tree: Loader<(), Arc<CategoryTree>>,
    translated_posts: Loader<TranslationGroup, Arc<Vec<Arc<Post>>>>,
    translated_pages: Loader<TranslationGroup, Arc<Vec<Arc<SitePage>>>>,
}

impl Loaders {
    pub fn new(reader: &Reader) -> Self {
        Self {
            reader: reader.clone(),
            terms: loader("terms", reader, |reader, keys| async move { reader.named_terms_at(&keys).await }),
            details: loader("details", reader, |reader, keys| async move { reader.details(&keys).await }),
            posts: loader("posts", reader, |reader, keys: Vec<PostId>| async move {
                let look_ups: Vec<_> = keys.iter().map(|id| reader.post_by_id(id)).collect();
                stream::iter(look_ups).buffered(CONCURRENCY).collect().await
            }),
            pages: pages::loader(reader),
            post_counts: loader("post_counts", reader, |reader, keys: Vec<TermId>| async move {
                total::count_posts_of(&reader, &keys).await
            }),
            site_pages: loader("site_pages", reader, |reader, keys: Vec<PostId>| async move {
                reader.pages_by_id(&keys).await
            }),
            page_details: loader("page_details", reader, |reader, keys: Vec<PostId>| async move {
                reader.page_details(&keys).await
            }),
            assets: loader(
                "assets",
                reader,
                |reader, keys: Vec<AssetHash>| async move { reader.named_assets(&keys).await },
            ),
            category_tree: loader(
                "category_tree",
                reader,
                |reader, _| async move { vec![reader.category_tree().await] },
            ),
            translated_posts: loader("translated_posts", reader, |reader, keys: Vec<TranslationGroup>| async move {
                join_all(keys.iter().map(|group| reader.translated_posts(group))).await
            }),
            translated_pages: loader("translated_pages", reader, |reader, keys: Vec<TranslationGroup>| async move {
                join_all(keys.iter().map(|group| reader.translated_pages(group))).await
            }),
        }
    }

    /// The terms of a post by their first slugs, in that order. A deleted term is omitted, even if another term now has its slug.
    pub async fn terms_of_post(&self, kind: TermKind, first_slugs: &[Slug]) -> Loaded<Vec<Arc<Term>>> {
        let keys: Vec<_> = first_slugs.iter().map(|slug| (kind, slug.clone())).collect();
        let found = match self.terms.loaded(&keys) {
            Some(loaded) => loaded?,
            None => match self.reader.terms_if_cached(kind, first_slugs) {
                Some(cached) => return Ok(cached),
                None => self.terms.load_many(keys).await?,
            },
        };
        let found = found.into_iter().zip(first_slugs);
        Ok(found.filter_map(|(term, slug)| term.filter(|term| term.id.first_slug == *slug)).collect())
    }

    pub async fn term(&self, kind: TermKind, slug: &Slug) -> Loaded<Option<Arc<Term>>> {
        let key = (kind, slug.clone());
        match self.reader.are_terms_cached(std::slice::from_ref(&key)) {
            true => self.reader.term(kind, slug).await.map_err(Arc::new),
            false => self.terms.load(key).await,
        }
    }

    /// The body and the metadata of a post, which are one read.
    pub async fn details(&self, post: &Post) -> Loaded<Option<PostDetails>> {
        self.details.load(DetailsPlace::of(post)).await
    }

    pub async fn post(&self, id: &PostId) -> Loaded<Option<Arc<Post>>> {
        self.posts.load(id.clone()).await
    }

    /// The posts of a group of translations, by language.
    pub async fn translated_posts(&self, group: &TranslationGroup) -> Loaded<Arc<Vec<Arc<Post>>>> {
        self.translated_posts.load(group.clone()).await
    }

    /// The pages of a group of translations, by language.
    pub async fn translated_pages(&self, group: &TranslationGroup) -> Loaded<Arc<Vec<Arc<SitePage>>>> {
        self.translated_pages.load(group.clone()).await
    }

    pub async fn site_page(&self, id: &PostId) -> Loaded<Option<Arc<SitePage>>> {
        self.site_pages.load(id.clone()).await
    }

    /// Pages of the site in the order of the ids; `None` for a page that does not exist or is hidden.
    pub async fn site_pages(&self, ids: &[PostId]) -> Loaded<Vec<Option<Arc<SitePage>>>> {
        self.site_pages.load_many(ids.to_vec()).await
    }

    /// The body and the metadata of a page of the site, which are one read.
    pub async fn page_details(&self, id: &PostId) -> Loaded<Option<PostDetails>> {
        self.page_details.load(id.clone()).await
    }

    /// The picture with this hash; `None` if it was deleted.
    pub async fn asset(&self, hash: &AssetHash) -> Loaded<Option<Arc<Asset>>> {
        self.assets.load(hash.clone()).await
    }

    /// Drops everything that was loaded. Each field of a mutation calls this before it runs, because the previous fields have changed the
    /// content.
    pub fn clear(&self) {
        self.terms.clear();
        self.details.clear();
        self.posts.clear();
        self.pages.clear();
        self.post_counts.clear();
        self.site_pages.clear();
        self.page_details.clear();
        self.assets.clear();
        self.category_tree.clear();
        self.translated_posts.clear();
        self.translated_pages.clear();
    }

    /// The number of published posts of a term.
    pub async fn post_count(&self, term: &TermId) -> Loaded<u64> {
        self.post_counts.load(term.clone()).await
    }

    /// A page of terms ordered by their number of posts. Reads all terms of the kind, and loads the counts of their posts in the same batches as those
    /// that other fields request, so that a count beside the list costs nothing more.
    pub async fn terms_by_count(
        &self,
        list: &TermsByCount,
        arguments: &PageArguments<CountPosition>,
    ) -> Loaded<Page<CountedTerm>> {
        let all = list.terms(&self.reader, arguments).await?;
        let counts = self.post_counts.load_many(all.iter().map(|term| term.id.clone()).collect()).await?;
        let counted = all.iter().cloned().zip(counts).map(|(term, posts)| CountedTerm { term, posts });
        Ok(list.page(counted.collect(), arguments)?)
    }

    /// A page of posts. Pages of the same level are read together.
    pub async fn page(
        &self,
        list: PostList,
        arguments: PageArguments<PostKey>,
        requested: RequestedFields,
    ) -> Loaded<Arc<Page<Arc<Post>>>> {
        let key = PageKey { list, arguments, requested };
        match self.pages.loaded(std::slice::from_ref(&key)) {
            Some(loaded) => loaded?.pop().ok_or_else(batch::unanswered),
            None => match cached::find_page(&self.reader, &key).await {
                Some(page) => Ok(page),
                None => self.pages.load(key).await,
            },
        }
    }
}

/// A loader whose batches are read with the reader of the request.
fn loader<K, V, F>(
    name: &'static str,
    reader: &Reader,
    read: impl Fn(Reader, Vec<K>) -> F + Send + Sync + 'static,
) -> Loader<K, V>
where
    K: Clone + Eq + Hash + 'static,
    V: Clone,
    F: Future<Output = Vec<ContentResult<V>>> + Send + 'static,
{
    let reader = reader.clone();
    Loader::new(name, move |keys: Vec<K>| {
        let found = read(reader.in_batch(name), keys);
        async move { shared(found.await) }
    })
}

fn shared<T>(found: Vec<ContentResult<T>>) -> Vec<Loaded<T>> {
    found.into_iter().map(|found| found.map_err(Arc::new)).collect()
}
