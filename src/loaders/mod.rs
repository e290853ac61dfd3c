//! Data loaders: the keys that the fields of one level of a query request are read in one batch, each key once. The rule: loaders live as long as one request,
//! because they cache content to which only that request may have access.
//!
//! Loaders wait by yielding to the scheduler, never by a timer.

mod batch;
mod pages;

use std::hash::Hash;
use std::sync::Arc;

use futures_util::future::join_all;
use futures_util::{StreamExt, stream};

use crate::content::read::pages::terms_by_count::{CountPosition, CountedTerm, TermsByCount};
use crate::content::read::pages::{Page, PageArguments, PageKey, RequestedFields, total};
use crate::content::read::{ChildCategories, ChildCategoriesPage, DetailsPlace};
use crate::content::{ContentError, Reader, Result as ContentResult};
use crate::model::category_tree::CATEGORY_DEPTH_MAX;
use crate::model::{
    Asset, AssetHash, CategoryEntry, CategoryTree, Month, Post, PostDetails, PostId, SitePage, Slug, Term, TermId,
    TermKind, TranslationGroup,
};

use batch::Loader;

/// The result of a look-up. All fields that wait for one batch share its error.
pub type Loaded<T> = Result<T, Arc<ContentError>>;

/// The maximum number of concurrent look-ups in a batch of posts. Each look-up takes several storage requests.
const CONCURRENCY: usize = 200;

pub struct Loaders {
    /// Reads cached values, without a batch.
    reader: Reader,
    /// Terms by their first slugs.
    pub(crate) terms: Loader<(TermKind, Slug), Option<Arc<Term>>>,
    /// The body and the metadata of a post, which are one read.
    pub(crate) details: Loader<DetailsPlace, Option<PostDetails>>,
    pub(crate) posts: Loader<PostId, Option<Arc<Post>>>,
    /// Pages of posts.
    pub(crate) pages: Loader<PageKey, Arc<Page<Arc<Post>>>>,
    /// The number of published posts of a term.
    pub(crate) post_counts: Loader<TermId, u64>,
    /// Pages of the site; `None` for one that does not exist or is hidden.
    pub(crate) site_pages: Loader<PostId, Option<Arc<SitePage>>>,
    /// The body and the metadata of a page of the site, which are one read.
    pub(crate) page_details: Loader<PostId, Option<PostDetails>>,
    /// Pictures; `None` for a deleted one.
    pub(crate) assets: Loader<AssetHash, Option<Arc<Asset>>>,
    /// The views of a post on the days of a month.
    pub(crate) views: Loader<(Month, PostId), Arc<[i64; 31]>>,
    category_tree: Loader<(), Arc<CategoryTree>>,
    /// The posts of a group of translations, sorted by language.
    pub(crate) translated_posts: Loader<TranslationGroup, Arc<Vec<Arc<Post>>>>,
    /// The pages of a group of translations, sorted by language.
    pub(crate) translated_pages: Loader<TranslationGroup, Arc<Vec<Arc<SitePage>>>>,
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
            pages: loader("pages", reader, pages::read),
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
            views: loader("views", reader, |reader, keys: Vec<(Month, PostId)>| async move {
                reader.views_of_months(&keys).await
            }),
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
        if let Some(cached) = self.reader.terms_if_cached(kind, first_slugs) {
            return Ok(cached);
        }
        let found = self.terms.load_many(first_slugs.iter().map(|slug| (kind, slug.clone())).collect()).await?;
        let found = found.into_iter().zip(first_slugs);
        Ok(found.filter_map(|(term, slug)| term.filter(|term| term.id.first_slug == *slug)).collect())
    }

    /// Drops all loaded values. Each field of a mutation calls this before it runs, because the previous fields have changed the content.
    pub fn clear(&self) {
        self.terms.clear();
        self.details.clear();
        self.posts.clear();
        self.pages.clear();
        self.post_counts.clear();
        self.site_pages.clear();
        self.page_details.clear();
        self.assets.clear();
        self.views.clear();
        self.category_tree.clear();
        self.translated_posts.clear();
        self.translated_pages.clear();
    }

    /// A page of terms ordered by their number of posts. Reads all terms of the kind, and loads the counts of their posts in the same batches as those that
    /// other fields request, so that a count next to the list costs nothing more.
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
        async move { found.await.into_iter().map(|found| found.map_err(Arc::new)).collect() }
    })
}

/// The parent and child categories of a category: the category tree lists candidates, which are loaded in the same batches as other categories; a candidate
/// with a different parent is omitted.
impl Loaders {
    /// The ancestors of a category, from the root.
    pub async fn categories_above(&self, category: &Term) -> Loaded<Vec<Arc<Term>>> {
        let Some(parent) = &category.parent else { return Ok(Vec::new()) };
        let mut candidates = self.category_tree().await?.above(parent);
        candidates.truncate(CATEGORY_DEPTH_MAX - 1);
        let candidates = self.terms_of_post(TermKind::Category, &candidates).await?;
        let (mut above, mut next): (Vec<Arc<Term>>, _) = (Vec::new(), Some(parent.clone()));
        while let Some(slug) = next.filter(|_| above.len() < CATEGORY_DEPTH_MAX - 1) {
            let found = match candidates.iter().find(|term| term.id.first_slug == slug) {
                Some(found) => Some(Arc::clone(found)),
                // The category was moved after the tree was read.
                None => self.terms_of_post(TermKind::Category, &[slug]).await?.pop(),
            };
            let Some(found) = found else { break };
            next = found.parent.clone();
            above.push(found);
        }
        above.reverse();
        Ok(above)
    }

    /// A page of the direct children of a category.
    pub async fn categories_below(
        &self,
        list: &ChildCategories,
        page: &ChildCategoriesPage,
        requested: RequestedFields,
    ) -> Loaded<Page<Arc<Term>>> {
        let tree = self.category_tree().await?;
        let is_before = |entry: &&CategoryEntry| page.after.as_ref().is_some_and(|after| entry.place.slug <= *after);
        let (mut before, after): (Vec<_>, Vec<_>) = list.entries(&tree).into_iter().partition(is_before);
        before.reverse();
        let need = if requested.items { page.count + usize::from(requested.has_next) } else { 0 };
        let mut items = self.at_their_places(after, need).await?;
        let has_next = items.len() > page.count;
        items.truncate(page.count);
        let has_previous = requested.has_previous && !self.at_their_places(before, 1).await?.is_empty();
        Ok(Page { items, has_next, has_previous })
    }

    /// The number of direct children of a category.
    pub async fn count_categories_below(&self, list: &ChildCategories) -> Loaded<usize> {
        let tree = self.category_tree().await?;
        Ok(list.entries(&tree).len())
    }

    async fn category_tree(&self) -> Loaded<Arc<CategoryTree>> {
        self.category_tree.load(()).await
    }

    /// Up to `need` categories that still have the parents in these entries, each once.
    async fn at_their_places(&self, entries: Vec<&CategoryEntry>, need: usize) -> Loaded<Vec<Arc<Term>>> {
        let (mut found, mut rest): (Vec<Arc<Term>>, _) = (Vec::new(), entries.into_iter());
        while found.len() < need {
            let part: Vec<&CategoryEntry> = rest.by_ref().take(need - found.len()).collect();
            if part.is_empty() {
                break;
            }
            let first_slugs: Vec<Slug> = part.iter().map(|entry| entry.category.clone()).collect();
            let categories = self.terms_of_post(TermKind::Category, &first_slugs).await?;
            for entry in part {
                let category = categories.iter().find(|category| entry.is_place_of(category));
                let is_new = |category: &&Arc<Term>| found.iter().all(|known| known.id != category.id);
                if let Some(category) = category.filter(is_new) {
                    found.push(Arc::clone(category));
                }
            }
        }
        Ok(found)
    }
}
