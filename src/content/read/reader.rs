//! The reader of one request, at one instant. The rule: a `Reader` returns published posts only, on any path; drafts and scheduled posts are returned
//! only to an actor that has access to them, by id, by slug, and in their own lists, and one of them to a client with its preview link, by id and by
//! slug. (The streams of [`pages`](super::pages) read the rows of a month
//! from the store of the reader; the span of their list hides scheduled posts.)

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::{join_all, try_join_all};

use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::lookup::LookupRow;
use crate::content::tables::{CatalogSource, FirstCharacters, Months, PartitionCatalogs, moves, rows};
use crate::keys::{Collection, PostPlace, Table, lookup, place};
use crate::model::{Actor, Instant, Month, Post, PostId, PostKey, Slug, TermKind, WholePost};
use crate::store::{CountingStore, Entity, Etag, Key, Result as StoreResult, StorageUse, Store};

use super::catalogs::QueryCatalogs;
use super::coalesce;

/// How often a post may be moved while it is looked for.
const FINDS_MAX: usize = 8;

/// The part of a post that is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadPart {
    Summary,
    Whole,
}

#[derive(Clone)]
pub struct Reader {
    pub(super) source: CatalogSource,
    pub(super) counted: Arc<CountingStore>,
    pub(super) partition_catalogs: Arc<PartitionCatalogs>,
    /// The lists of partitions that a query has read; `None` for other requests, which must see what they have just written.
    pub(super) catalogs: Option<Arc<QueryCatalogs>>,
    /// In whole milliseconds, as the API returns times: a post that is published now has exactly the time that an answer shows.
    now: Instant,
    /// The actor of the request; `None` if it is anonymous.
    actor: Option<Arc<Actor>>,
    /// The post that the request has a preview link of.
    pub(super) preview: Option<PostId>,
}

/// The place of a post's body.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BodyPlace {
    is_draft: bool,
    month: Month,
    slug: Slug,
}

impl BodyPlace {
    pub fn of(post: &Post) -> Self {
        Self { is_draft: post.published_at.is_none(), month: post.key().month(), slug: post.slug.clone() }
    }
}

impl Reader {
    pub(in crate::content) fn new(
        counted: Arc<CountingStore>,
        partition_catalogs: Arc<PartitionCatalogs>,
        now: Instant,
    ) -> Self {
        let store: Store = Arc::<CountingStore>::clone(&counted);
        let now = now.start_of_millisecond();
        Self {
            source: CatalogSource { store, version: None, horizon: None, counted: Arc::clone(&counted) },
            counted,
            partition_catalogs,
            catalogs: None,
            now,
            actor: None,
            preview: None,
        }
    }

    /// The reader of a query: it reads each list of partitions at most once. If the store has snapshots, it reads the content as it is now, and sees no
    /// later writes: drop it with the answer. Otherwise it knows which writes its reads certainly see, if the store does.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn at_one_moment(self) -> Result<Self> {
        let this = Self { catalogs: Some(Arc::default()), ..self };
        let Some(snapshot) = this.store().snapshot().await? else {
            let horizon = this.store().horizon();
            return Ok(Self { source: CatalogSource { horizon, ..this.source }, ..this });
        };
        let (store, version) = (snapshot.store, Some(snapshot.version));
        let source = CatalogSource { store, version, ..this.source };
        Ok(Self { source, ..this })
    }

    pub(in crate::content) fn store(&self) -> &Store {
        &self.source.store
    }

    /// The store itself, not a snapshot of it, with the counts of this reader.
    pub(in crate::content) fn counting_store(&self) -> Store {
        Arc::<CountingStore>::clone(&self.counted) as Store
    }

    /// The reader for this actor, which also returns the drafts and scheduled posts that the actor has access to.
    #[must_use]
    pub fn for_actor(self, actor: Option<Arc<Actor>>) -> Self {
        Self { actor, ..self }
    }

    /// The reader for a preview link of this post, which returns it even if it is not published. Lists and counts do not contain it.
    #[must_use]
    pub(in crate::content) fn showing(self, post: PostId) -> Self {
        Self { preview: Some(post), ..self }
    }

    pub fn actor(&self) -> Option<&Actor> {
        self.actor.as_deref()
    }

    /// The storage requests of this request so far.
    pub fn storage_used(&self) -> StorageUse {
        self.counted.used()
    }

    /// The instant of this request, in whole milliseconds. A post is published if it was published at or before it.
    pub fn now(&self) -> Instant {
        self.now
    }

    pub(super) async fn months(&self, collection: Collection) -> Result<Months> {
        let read = || async { Ok(self.partition_catalogs.months(&self.source, collection).await?) };
        match &self.catalogs {
            Some(catalogs) => catalogs.months(&self.source, collection, read).await,
            None => read().await,
        }
    }

    pub(super) async fn first_characters(&self, kind: TermKind) -> Result<FirstCharacters> {
        let read = || async { Ok(self.partition_catalogs.first_characters(&self.source, kind).await?) };
        match &self.catalogs {
            Some(catalogs) => catalogs.first_characters(&self.source, kind, read).await,
            None => read().await,
        }
    }

    /// Posts of `Posts` by their keys, without those that do not exist or are not visible. Point reads, sent together, or a range read if several
    /// posts are close together.
    pub async fn posts_at(&self, keys: &[PostKey]) -> Result<HashMap<PostKey, Arc<Post>>> {
        let plan = coalesce::plan(keys, self.partition_catalogs.cached_months(&self.source).as_deref());
        let in_ranges = try_join_all(plan.ranges.iter().map(|range| self.posts_in(range)));
        let (in_ranges, single) = futures_util::future::try_join(in_ranges, self.posts_singly(&plan.points)).await?;
        let mut found: HashMap<PostKey, Arc<Post>> = single.into_iter().map(|p| (p.key(), p)).collect();
        found.extend(in_ranges.into_iter().flatten());
        Ok(found)
    }

    /// A point read for each post; two if it is being moved.
    async fn posts_singly(&self, keys: &[PostKey]) -> Result<Vec<Arc<Post>>> {
        let places: Vec<Key> = keys.iter().map(place::summary).collect();
        let rows = self.store().get_many(Table::Posts.name(), &places).await;
        let rows: Vec<Entity> = rows.into_iter().filter_map(Result::transpose).collect::<Result<_, _>>()?;
        let (moving, still): (Vec<_>, Vec<_>) = rows.iter().partition(|row| moves::may_be_moving(row));
        let current = try_join_all(moving.iter().map(|row| moves::is_current(self.store(), row))).await?;
        let moved = moving.into_iter().zip(current).filter_map(|(row, is_current)| is_current.then_some(row));
        let mut posts = Vec::with_capacity(rows.len());
        for row in still.into_iter().chain(moved) {
            posts.extend(self.visible(rows::post::read_summary(row)?));
        }
        Ok(posts)
    }

    async fn posts_in(&self, requested: &coalesce::CoalescedRange) -> Result<Vec<(PostKey, Arc<Post>)>> {
        let page = self.store().range(Table::Posts.name(), &requested.rows, requested.limit, None).await?;
        let mut found = Vec::with_capacity(requested.keys.len());
        let mut missing: Vec<PostKey> = Vec::new();
        let rows: HashMap<&str, _> = page.rows.iter().map(|row| (row.key.row(), row)).collect();
        for key in &requested.keys {
            match rows.get(crate::keys::time::time_row(key).as_str()) {
                Some(row) if moves::is_current(self.store(), row).await? => {
                    found.extend(self.visible(rows::post::read_summary(row)?).map(|post| (key.clone(), post)));
                }
                Some(_) => {}
                None if page.continuation.is_some() => missing.push(key.clone()),
                None => {}
            }
        }
        found.extend(self.posts_singly(&missing).await?.into_iter().map(|post| (post.key(), post)));
        Ok(found)
    }

    /// By id, without its body. Two point reads.
    pub async fn post_by_id(&self, id: &PostId) -> Result<Option<Arc<Post>>> {
        Ok(self.find(&lookup::by_id(id), None, ReadPart::Summary).await?.map(|found| Arc::new(found.post)))
    }

    pub async fn whole_by_id(&self, id: &PostId) -> Result<Option<WholePost>> {
        self.find(&lookup::by_id(id), None, ReadPart::Whole).await
    }

    /// By a slug that the post has (two point reads) or has had before (three), without its body.
    pub async fn post_by_slug(&self, slug: &Slug) -> Result<Option<Arc<Post>>> {
        Ok(self.find(&lookup::by_slug(slug), Some(slug), ReadPart::Summary).await?.map(|found| Arc::new(found.post)))
    }

    /// As [`post_by_slug`](Self::post_by_slug), with its body and as many reads.
    pub async fn whole_by_slug(&self, slug: &Slug) -> Result<Option<WholePost>> {
        self.find(&lookup::by_slug(slug), Some(slug), ReadPart::Whole).await
    }

    /// The post that a row of `PostKeys` points to; its body is empty if only the summary is requested. `slug`: the slug that the post must have, now
    /// or formerly, because a slug is claimed before the post has it.
    async fn find(&self, key: &Key, slug: Option<&Slug>, part: ReadPart) -> Result<Option<WholePost>> {
        Ok(self.find_hidden(key, slug, part).await?.filter(|whole| self.is_visible(&whole.post)))
    }

    /// The post that has a slug, or has had it, also without access to the post: for the check of a slug that a post is to get. As many point reads as
    /// [`post_by_slug`](Self::post_by_slug).
    pub(in crate::content) async fn owner_of_slug(&self, slug: &Slug) -> Result<Option<PostId>> {
        let found = self.find_hidden(&lookup::by_slug(slug), Some(slug), ReadPart::Summary).await?;
        Ok(found.map(|whole| whole.post.id))
    }

    /// As [`find`](Self::find), also without access to the post.
    async fn find_hidden(&self, key: &Key, slug: Option<&Slug>, part: ReadPart) -> Result<Option<WholePost>> {
        let mut last_read = None;
        for _ in 0..FINDS_MAX {
            let Some((place, row_slug, etag)) = self.look_up(key).await? else { return Ok(None) };
            let found = match part {
                ReadPart::Summary => self.summary_at(&place, &row_slug).await?,
                ReadPart::Whole => self.whole_at(&place, &row_slug).await?,
            };
            if let Some(whole) = found {
                let has_slug =
                    slug.is_none_or(|slug| whole.post.slug == *slug || whole.post.former_slugs.contains(slug));
                return Ok(Some(whole).filter(|_| has_slug));
            }
            // If the post was moved meanwhile, `PostKeys` names its new place by now.
            if last_read.as_ref() == Some(&etag) {
                return Ok(None);
            }
            last_read = Some(etag);
        }
        Err(ContentError::Gone { what: "a post" })
    }

    /// The place that `PostKeys` names, the slug there, and the ETag of the row that names it.
    async fn look_up(&self, key: &Key) -> Result<Option<(PostPlace, Slug, Etag)>> {
        let Some(mut row) = self.store().get(Table::PostKeys.name(), key).await? else { return Ok(None) };
        if let LookupRow::Former { id, .. } = rows::lookup::read(&row)? {
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

    async fn summary_at(&self, place: &PostPlace, slug: &Slug) -> Result<Option<WholePost>> {
        Ok(moves::follow(self.store(), place, Some(slug)).await?.map(|post| WholePost {
            post,
            markdown: "".into(),
            changed_by: None,
        }))
    }

    /// The post with its body. One point read if the post is at the place under that slug; otherwise the rows at the place point to it.
    async fn whole_at(&self, place: &PostPlace, slug: &Slug) -> Result<Option<WholePost>> {
        let row = self.store().get(place.collection.name(), &place.whole(slug)).await?;
        if let Some(row) = row.filter(|row| !moves::may_be_moving(row)) {
            let whole = rows::post::read_whole(&row)?;
            // The slug may belong to another post by now.
            if whole.post.id == place.key.id {
                return Ok(Some(whole));
            }
        }
        let Some(post) = moves::follow(self.store(), place, Some(slug)).await? else { return Ok(None) };
        let row =
            self.store().get(PostPlace::of(&post).collection.name(), &PostPlace::of(&post).whole(&post.slug)).await?;
        Ok(row.as_ref().map(rows::post::read_whole).transpose()?)
    }

    /// The bodies of posts that were read before, in the order of `places`. One point read each. `None` if a post has changed its place meanwhile.
    pub async fn bodies(&self, places: &[BodyPlace]) -> Vec<Result<Option<Arc<str>>>> {
        let [drafts, posts] = join_all(Collection::ALL.map(|collection| self.body_rows(collection, places)))
            .await
            .try_into()
            .unwrap_or_else(|_| unreachable!("two collections are read"));
        let (mut drafts, mut posts) = (drafts.into_iter(), posts.into_iter());
        let of_collection = |place: &BodyPlace| if place.is_draft { drafts.next() } else { posts.next() };
        let rows: Vec<_> = places.iter().map(of_collection).map(|row| row.unwrap_or(Ok(None))).collect();
        let body = |row: StoreResult<Option<Entity>>| {
            let whole = row?.as_ref().map(rows::post::read_whole).transpose()?;
            Ok(whole.filter(|w| self.is_visible(&w.post)).map(|w| w.markdown))
        };
        rows.into_iter().map(body).collect()
    }

    /// The rows of this collection's bodies, in the order of their places.
    async fn body_rows(&self, collection: Collection, places: &[BodyPlace]) -> Vec<StoreResult<Option<Entity>>> {
        let is_here = |place: &&BodyPlace| place.is_draft == (collection == Collection::Drafts);
        let keys: Vec<Key> = places.iter().filter(is_here).map(|at| place::whole(at.month, &at.slug)).collect();
        if keys.is_empty() { Vec::new() } else { self.store().get_many(collection.name(), &keys).await }
    }

    fn visible(&self, post: Post) -> Option<Arc<Post>> {
        self.is_visible(&post).then(|| Arc::new(post))
    }

    fn is_visible(&self, post: &Post) -> bool {
        post.published_at.is_some_and(|at| at <= self.now)
            || self.actor().is_some_and(|actor| actor.sees(post))
            || self.preview.as_ref() == Some(&post.id)
    }
}
