//! The reader of one request, at one instant. The rule: a `Reader` returns only published posts, except that an actor gets the drafts and scheduled posts to
//! which it has access (by id, by slug, and in their own lists), and a client with a preview link gets its post (by id and by slug). (The streams of
//! [`pages`](super::pages) read the rows of a month from the store of the reader; the span of their list hides scheduled posts.)

use std::sync::Arc;

use crate::content::cache::{CacheKey, Cached, Until, ValueCache};
use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::lookup::LookupRow;
use crate::content::tables::{CatalogSource, PartitionCatalogs, QueryCatalogs, rows};
use crate::keys::{PostPlace, Table, lookup};
use crate::model::{Actor, Instant, Metadata, Post, PostDetails, PostId, Slug, WholePost};
use crate::store::{CountingStore, Etag, Explanation, Key, ReadSet, StorageUse, Store};

/// The maximum number of look-ups of a post that is not at the named place, because it may have been moved meanwhile.
const FINDS_MAX: usize = 4;

/// The part of a post that is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadPart {
    Summary,
    Whole,
}

/// The object of a preview link. A post and a page can have the same id, so the kind counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::content) enum Previewed {
    Post(PostId),
    Page(PostId),
}

#[derive(Clone)]
pub struct Reader {
    pub(in crate::content::read) source: CatalogSource,
    pub(super) partition_catalogs: Arc<PartitionCatalogs>,
    /// The lists of partitions that a query has read; `None` for other requests, which must see their own writes.
    pub(super) catalogs: Option<Arc<QueryCatalogs>>,
    /// The values that queries share.
    pub(super) values: Option<Arc<ValueCache>>,
    /// The era of the values before the snapshot was taken.
    pub(super) era: u64,
    /// The instant in whole milliseconds, as in the API: a post that is published now has exactly the time that an answer shows.
    now: Instant,
    /// The actor of the request; `None` if it is anonymous.
    actor: Option<Arc<Actor>>,
    /// The object whose preview link the request has.
    pub(super) preview: Option<Previewed>,
}

impl Reader {
    pub(in crate::content) fn new(
        counted: Arc<CountingStore>,
        partition_catalogs: Arc<PartitionCatalogs>,
        now: Instant,
    ) -> Self {
        let store: Store = Arc::<CountingStore>::clone(&counted);
        let now = now.start_of_millisecond();
        let source = CatalogSource { store, version: None, generation: None, horizon: None, counted };
        Self { source, partition_catalogs, catalogs: None, values: None, era: 0, now, actor: None, preview: None }
    }

    /// Uses these cached values once the reader reads at one moment.
    #[must_use]
    pub(in crate::content) fn using(self, values: Option<Arc<ValueCache>>) -> Self {
        Self { values, ..self }
    }

    /// Records that the answer depends on more than rows, so it is not cached.
    pub(in crate::content) fn note_uncached(&self) {
        self.source.counted.note_cached(ReadSet::break_off);
    }

    /// A post or page that was asked for by its name. If none is found, the answer is not cached either, because each change of a draft with this name would
    /// invalidate it, which a client can notice (I4b).
    pub(super) fn conceal<T>(&self, found: Option<T>) -> Option<T> {
        if found.is_none() {
            self.note_uncached();
        }
        self.conceal_tags(found)
    }

    /// If nothing is found, the answer gets the tags of everything, because its own tags would reveal a draft (I4b).
    pub(super) fn conceal_tags<T>(&self, found: Option<T>) -> Option<T> {
        if found.is_none() {
            self.source.counted.note_cached(ReadSet::coarsen_tags);
        }
        found
    }

    /// The same reader over another store, with its own counts.
    #[must_use]
    pub(super) fn over(&self, counted: Arc<CountingStore>) -> Self {
        let store: Store = Arc::<CountingStore>::clone(&counted);
        let source = CatalogSource { store, counted, ..self.source.clone() };
        Self { source, ..self.clone() }
    }

    /// The reader of a query: it reads each list of partitions at most once. If the store has snapshots, it reads a snapshot, and sees no later writes; drop it
    /// with the answer. Otherwise, it has the store's horizon, if there is one.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn at_one_moment(self) -> Result<Self> {
        let this = Self { catalogs: Some(Arc::default()), ..self };
        let era_now = || this.values.as_ref().map_or(0, |values| values.era());
        let (era, generation) = (era_now(), Some(this.partition_catalogs.generation()));
        let Some(snapshot) = this.source.counted.uncounted().snapshot().await? else {
            this.store().catch_up().await;
            let (era, horizon) = (era_now(), this.store().horizon());
            return Ok(Self { source: CatalogSource { horizon, ..this.source }, era, ..this });
        };
        let counted = this.source.counted.over(snapshot.store);
        let store: Store = Arc::<CountingStore>::clone(&counted);
        let source = CatalogSource { store, counted, version: Some(snapshot.version), generation, ..this.source };
        Ok(Self { source, era, ..this })
    }

    pub(in crate::content) fn store(&self) -> &Store {
        &self.source.store
    }

    pub(in crate::content) fn has_snapshot(&self) -> bool {
        self.source.version.is_some()
    }

    /// A reader for this actor, which also returns the drafts and scheduled posts to which the actor has access.
    #[must_use]
    pub fn for_actor(self, actor: Option<Arc<Actor>>) -> Self {
        Self { actor, ..self }
    }

    /// A reader for a preview link, which returns this post or page even if it is not published. Lists and counts do not contain it.
    #[must_use]
    pub(in crate::content) fn showing(self, previewed: Previewed) -> Self {
        Self { preview: Some(previewed), ..self }
    }

    pub fn actor(&self) -> Option<&Actor> {
        self.actor.as_deref()
    }

    /// The storage requests of this request so far.
    pub fn storage_used(&self) -> StorageUse {
        self.source.counted.used()
    }

    /// The instant of this request, in whole milliseconds. A post is published if it was published at or before it.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// The post with this id, without its body. Two point reads.
    pub async fn post_by_id(&self, id: &PostId) -> Result<Option<Arc<Post>>> {
        self.summary(CacheKey::PostById(id.clone()), None, || lookup::by_id(id)).await
    }

    pub async fn whole_by_id(&self, id: &PostId) -> Result<Option<WholePost>> {
        let found = self.find(&lookup::by_id(id), None, ReadPart::Whole).await?;
        Ok(self.conceal(found.filter(|whole| self.is_visible(&whole.post))))
    }

    /// The post that has this slug (two point reads) or has had it before (three), without its body.
    pub async fn post_by_slug(&self, slug: &Slug) -> Result<Option<Arc<Post>>> {
        self.summary(CacheKey::PostBySlug(slug.clone()), Some(slug), || lookup::by_slug(slug)).await
    }

    async fn summary(&self, key: CacheKey, slug: Option<&Slug>, row: impl Fn() -> Key) -> Result<Option<Arc<Post>>> {
        let read = |reader: Self| {
            let row = row();
            async move { Ok(reader.find(&row, slug, ReadPart::Summary).await?.map(|whole| Arc::new(whole.post))) }
        };
        self.look_up_post(key, |post| post, read).await
    }

    /// Like [`post_by_slug`](Self::post_by_slug), with the details; the same number of reads.
    pub async fn whole_post_by_slug(&self, slug: &Slug) -> Result<Option<(Arc<Post>, PostDetails)>> {
        let read = |reader: Self| async move {
            let found = reader.find(&lookup::by_slug(slug), Some(slug), ReadPart::Whole).await?;
            Ok(found.map(WholePost::into_parts))
        };
        self.look_up_post(CacheKey::WholeBySlug(slug.clone()), |(post, _)| post, read).await
    }

    /// A post from the cache, which is the same for every client, or from the store; `None` if this client has no access to it.
    async fn look_up_post<V: Cached + Clone, F: Future<Output = Result<Option<V>>>>(
        &self,
        key: CacheKey,
        post_of: fn(&V) -> &Post,
        read: impl Fn(Self) -> F,
    ) -> Result<Option<V>> {
        let may_keep = |found: &Option<V>| self.may_keep(found.as_ref().map(post_of));
        let found = self.cached(key, Until::Written, may_keep, read).await?;
        Ok(self.conceal(found.filter(|found| self.is_visible(post_of(found)))))
    }

    /// The post with this current or former slug, even without access, to check a new slug. The same number of point reads as
    /// [`post_by_slug`](Self::post_by_slug).
    pub(in crate::content) async fn owner_of_slug(&self, slug: &Slug) -> Result<Option<PostId>> {
        let found = self.find(&lookup::by_slug(slug), Some(slug), ReadPart::Summary).await?;
        Ok(found.map(|whole| whole.post.id))
    }

    /// The post that a row of `PostKeys` names, even without access; its body is empty if only the summary is requested. `slug`: a current or former slug that
    /// the post must have.
    async fn find(&self, key: &Key, slug: Option<&Slug>, part: ReadPart) -> Result<Option<WholePost>> {
        let mut last_read = None;
        for _ in 0..FINDS_MAX {
            let Some((place, row_slug, etag)) = self.look_up(key).await? else { return Ok(None) };
            let found = match part {
                ReadPart::Summary => self.summary_at(&place).await?,
                ReadPart::Whole => self.whole_at(&place, &row_slug).await?,
            };
            if let Some(whole) = found {
                let has_slug = slug.is_none_or(|slug| whole.post.has_slug(slug));
                return Ok(Some(whole).filter(|_| has_slug));
            }
            // If the post was moved meanwhile, `PostKeys` now names its new place. In a snapshot, nothing is moved.
            if self.source.version.is_some() || last_read.as_ref() == Some(&etag) {
                return Ok(None);
            }
            last_read = Some(etag);
        }
        Err(ContentError::Gone { what: "a post" })
    }

    /// The place that `PostKeys` names, the slug there, and the ETag of the row that names it.
    async fn look_up(&self, key: &Key) -> Result<Option<(PostPlace, Slug, Etag)>> {
        let Some(mut row) = self.store().get(Table::PostKeys.name(), key).await? else { return Ok(None) };
        if let LookupRow::Former { id } = rows::lookup::read(&row)? {
            match self.store().get(Table::PostKeys.name(), &lookup::by_id(&id)).await? {
                Some(found) => row = found,
                None => return Ok(None),
            }
        }
        Ok(match rows::lookup::read(&row)? {
            LookupRow::Place { place, slug, .. } => Some((place, slug, row.etag)),
            LookupRow::Former { .. } => None,
        })
    }

    async fn summary_at(&self, place: &PostPlace) -> Result<Option<WholePost>> {
        let row = self.store().get(place.collection.name(), &place.summary()).await?;
        let post = row.as_ref().map(rows::post::read_summary).transpose()?;
        let (markdown, metadata) = ("".into(), Metadata::default());
        Ok(post.map(|post| WholePost { post, markdown, metadata, changed_by: None }))
    }

    async fn whole_at(&self, place: &PostPlace, slug: &Slug) -> Result<Option<WholePost>> {
        let row = self.store().get(place.collection.name(), &place.whole(slug)).await?;
        let whole = row.as_ref().map(rows::post::read_whole).transpose()?;
        // The slug may now belong to another post.
        Ok(whole.filter(|whole| whole.post.id == place.key.id))
    }

    /// Whether the result of a look-up may be cached for other clients. An accessible unpublished post is not cached, because other clients could detect that
    /// it was requested. An inaccessible post is cached like a missing one, because the cost of the next look-up would otherwise reveal it. For an actor with
    /// access to all posts, neither is cached.
    fn may_keep(&self, found: Option<&Post>) -> bool {
        match found {
            Some(post) => !self.is_visible(post) || post.published_at.is_some_and(|at| at <= self.now),
            None => !self.actor().is_some_and(Actor::sees_all),
        }
    }

    pub(super) fn is_visible(&self, post: &Post) -> bool {
        post.published_at.is_some_and(|at| at <= self.now)
            || self.actor().is_some_and(|actor| actor.sees(post))
            || matches!(&self.preview, Some(Previewed::Post(id)) if *id == post.id)
    }

    /// The record of storage requests; `None` if the request is not explained.
    pub fn explanation(&self) -> Option<&Arc<Explanation>> {
        self.source.counted.explanation()
    }

    /// The same reader, without an explanation.
    #[must_use]
    pub fn unexplained(self) -> Self {
        match self.explanation() {
            Some(_) => self.over(self.source.counted.unexplained()),
            None => self,
        }
    }

    /// The reader of one batch of a loader.
    #[must_use]
    pub fn in_batch(&self, loader: &'static str) -> Self {
        self.source.counted.in_batch(loader).map_or_else(|| self.clone(), |counted| self.over(counted))
    }
}
