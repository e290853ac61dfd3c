//! The posts of a list by their keys, and the details of posts. The rule: a post that is cached is not read; the others are read together, each once.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use futures_util::future::{join, join_all, try_join, try_join_all};

use crate::content::cache::CacheKey;
use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::partition_catalog::Listed;
use crate::content::tables::{PartitionList, rows};
use crate::keys::place::month_partition;
use crate::keys::time::{Direction, Span};
use crate::keys::{Collection, Table, place, time};
use crate::model::{Month, Post, PostDetails, PostId, PostKey, Slug, WholePost};
use crate::store::{Entity, Key, PAGE_ROWS_MAX, Result as StoreResult, RowRange};

use super::reader::Reader;

/// The rows that a range is expected to read for each requested post, at most.
const ROWS_PER_POST_MAX: f64 = 3.0;
/// Fewer posts than this are read one by one, because the estimate of their density is too rough.
const POSTS_MIN: usize = 4;

/// The place of a post's details, and the version of the post that was read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DetailsPlace {
    is_draft: bool,
    month: Month,
    slug: Slug,
    id: PostId,
    version: i32,
}

impl DetailsPlace {
    pub fn of(post: &Post) -> Self {
        let (month, slug, id) = (post.key().month(), post.slug.clone(), post.id.clone());
        Self { is_draft: post.published_at.is_none(), month, slug, id, version: post.version }
    }

    /// Whether the version of the post at this place is the one that was read.
    fn is_of(&self, post: &Post) -> bool {
        post.id == self.id && post.version == self.version
    }

    fn row(&self) -> Key {
        place::whole(self.month, &self.slug)
    }
}

/// A key, and what was found there, for every client.
type FoundAt = (PostKey, Option<Arc<Post>>);

impl Reader {
    /// Posts of `Posts` by their keys, without those that do not exist or are not visible. Point reads, sent together, or a range read if several
    /// posts are close together.
    pub async fn posts_at(&self, keys: &[PostKey]) -> Result<HashMap<PostKey, Arc<Post>>> {
        // An index row names the post, so a post that is cached as missing can exist by now.
        let is_usable = |_: &PostKey, post: &Option<Arc<Post>>| post.is_some();
        let failed = OnceLock::new();
        let failed = &failed;
        let read = |keys: Vec<PostKey>| async move { self.read_and_keep_posts(&keys, failed).await };
        let posts = self.cached_or_read(keys, |key| CacheKey::PostAt(key.clone()), is_usable, read).await;
        let mut found = HashMap::with_capacity(keys.len());
        for (key, post) in keys.iter().zip(posts) {
            // A pointer can be of a post that is not published yet (I2).
            let visible = self.conceal_tags(post?.filter(|post| self.is_visible(post)));
            found.extend(visible.map(|post| (key.clone(), post)));
        }
        Ok(found)
    }

    /// The post at each key, whether the client has access to it or not. After a failure, nothing more is read.
    async fn read_and_keep_posts(
        &self,
        keys: &[PostKey],
        failed: &OnceLock<Arc<ContentError>>,
    ) -> Vec<Result<Option<Arc<Post>>>> {
        let found = match failed.get() {
            Some(error) => Err(Arc::clone(error)),
            None => self.read_posts_at(keys).await.map_err(|error| Arc::clone(failed.get_or_init(|| Arc::new(error)))),
        };
        let found = match found {
            Ok(found) => found,
            Err(error) => return keys.iter().map(|_| Err(ContentError::Shared(Arc::clone(&error)))).collect(),
        };
        for (key, post) in &found {
            let row = (Table::Posts, place::summary(key));
            self.keep_row(CacheKey::PostAt(key.clone()), post.clone(), [row]);
        }
        let found: HashMap<_, _> = found.into_iter().collect();
        keys.iter().map(|key| Ok(found.get(key).cloned().flatten())).collect()
    }

    /// Notes that a part of the request depends on these posts, which another reader of the request looks up.
    pub(super) fn note_posts(&self, keys: &[PostKey]) {
        self.source.counted.note_cached(|noted| {
            keys.iter().for_each(|key| noted.note_row(Table::Posts.name(), &place::summary(key)));
        });
    }

    async fn read_posts_at(&self, keys: &[PostKey]) -> Result<Vec<FoundAt>> {
        let months = self.list_in_memory(&PartitionList::months(Collection::Posts));
        let plan = ReadPlan::of(keys, months.as_deref());
        let in_ranges = try_join_all(plan.ranges.iter().map(|range| self.posts_in(range)));
        let (in_ranges, mut found) = try_join(in_ranges, self.posts_singly(&plan.points)).await?;
        found.extend(in_ranges.into_iter().flatten());
        Ok(found)
    }

    /// A point read for each post.
    async fn posts_singly(&self, keys: &[PostKey]) -> Result<Vec<FoundAt>> {
        let places: Vec<Key> = keys.iter().map(place::summary).collect();
        let rows = self.store().get_many(Table::Posts.name(), &places).await;
        each_found_at(keys, rows)
    }

    async fn posts_in(&self, requested: &CoalescedRange) -> Result<Vec<FoundAt>> {
        let page = self.store().range(Table::Posts.name(), &requested.rows, requested.limit, None).await?;
        let mut found = Vec::with_capacity(requested.keys.len());
        let mut missing: Vec<PostKey> = Vec::new();
        let rows: HashMap<&str, _> = page.rows.iter().map(|row| (row.key.row(), row)).collect();
        for key in &requested.keys {
            match rows.get(time::time_row(key).as_str()) {
                None if page.continuation.is_some() => missing.push(key.clone()),
                row => found.push(found_at(key, row.copied())?),
            }
        }
        found.extend(self.posts_singly(&missing).await?);
        Ok(found)
    }

    /// The details of posts that were read before, in the order of `places`. One point read each; one more for a post that was changed since it was read,
    /// because its earlier version is kept. `None` if it was deleted, or if its version is not kept any more.
    pub async fn details(&self, places: &[DetailsPlace]) -> Vec<Result<Option<PostDetails>>> {
        let (drafts, posts): (Vec<_>, Vec<_>) = places.iter().cloned().partition(|place| place.is_draft);
        let (drafts, posts) = join(self.whole_rows(Collection::Drafts, &drafts), self.published_wholes(&posts)).await;
        let (mut drafts, mut posts) = (drafts.into_iter().map(whole_of), posts.into_iter());
        let details = |place: &DetailsPlace| {
            let found = if place.is_draft { drafts.next() } else { posts.next() };
            let (found, place) = (found.unwrap_or(Ok(None)), place.clone());
            async move {
                match found?.filter(|(post, _)| place.is_of(post)) {
                    Some((_, details)) => Ok(Some(details)),
                    None => Ok(self.revision(&place.id, place.version).await?.map(|whole| whole.details())),
                }
            }
        };
        join_all(places.iter().map(details)).await
    }

    /// The published posts at these places with their details. A cached value of another post or version is not used. (A draft can have the key of
    /// a published post in another table, so drafts are not cached by it.)
    async fn published_wholes(&self, places: &[DetailsPlace]) -> Vec<Result<FoundWhole>> {
        let is_usable =
            |place: &DetailsPlace, found: &FoundWhole| found.as_ref().is_some_and(|(post, _)| place.is_of(post));
        let read = |places: Vec<DetailsPlace>| async move {
            let rows = self.whole_rows(Collection::Posts, &places).await;
            let keep = |(place, row): (DetailsPlace, StoreResult<Option<Entity>>)| {
                let (key, found) = (place.row(), whole_of(row)?);
                self.keep_row(CacheKey::WholeAt(key.clone()), found.clone(), [(Table::Posts, key)]);
                Ok(found)
            };
            places.into_iter().zip(rows).map(keep).collect()
        };
        self.cached_or_read(places, |place| CacheKey::WholeAt(place.row()), is_usable, read).await
    }

    async fn whole_rows(&self, collection: Collection, places: &[DetailsPlace]) -> Vec<StoreResult<Option<Entity>>> {
        let rows: Vec<Key> = places.iter().map(DetailsPlace::row).collect();
        if rows.is_empty() { Vec::new() } else { self.store().get_many(collection.name(), &rows).await }
    }
}

fn each_found_at(keys: &[PostKey], rows: Vec<StoreResult<Option<Entity>>>) -> Result<Vec<FoundAt>> {
    keys.iter().zip(rows).map(|(key, row)| found_at(key, row?.as_ref())).collect()
}

fn found_at(key: &PostKey, row: Option<&Entity>) -> Result<FoundAt> {
    let post = row.map(rows::post::read_summary).transpose()?;
    Ok((key.clone(), post.map(Arc::new)))
}

/// A post with its details, if there is one.
type FoundWhole = Option<(Arc<Post>, PostDetails)>;

fn whole_of(row: StoreResult<Option<Entity>>) -> Result<FoundWhole> {
    let whole = row?.as_ref().map(rows::post::read_whole).transpose()?;
    Ok(whole.map(WholePost::into_parts))
}

/// Which posts are read one by one, and which together: one range read replaces the point reads of posts that are close together in one month, only if
/// it is expected to read few rows for each of them.
#[derive(Default)]
struct ReadPlan {
    points: Vec<PostKey>,
    ranges: Vec<CoalescedRange>,
}

struct CoalescedRange {
    rows: RowRange,
    keys: Vec<PostKey>,
    limit: usize,
}

impl ReadPlan {
    /// Without `months`, the cached list of months, the density is not known.
    fn of(keys: &[PostKey], months: Option<&Vec<Listed<Month>>>) -> Self {
        let Some(months) = months.filter(|_| keys.len() >= POSTS_MIN) else {
            return Self { points: keys.to_vec(), ..Self::default() };
        };
        let mut by_month: BTreeMap<Month, Vec<PostKey>> = BTreeMap::new();
        for key in keys {
            by_month.entry(key.month()).or_default().push(key.clone());
        }
        let mut plan = Self::default();
        for (month, mut keys) in by_month {
            keys.sort();
            match range_over(month, &keys, months).filter(|_| keys.len() >= POSTS_MIN) {
                Some((rows, limit)) => plan.ranges.push(CoalescedRange { rows, keys, limit }),
                None => plan.points.extend(keys),
            }
        }
        plan
    }
}

fn range_over(month: Month, keys: &[PostKey], months: &[Listed<Month>]) -> Option<(RowRange, usize)> {
    let (newest, oldest) = (keys.first()?, keys.last()?);
    let posts = months.iter().find(|m| m.partition == month)?.count.rows as f64;
    let whole = (month.last().ticks() - month.first().ticks()) as f64;
    let share = (newest.at.ticks() - oldest.at.ticks()) as f64 / whole;
    let expected = posts * share + keys.len() as f64;
    let rows_max = ROWS_PER_POST_MAX * keys.len() as f64;
    if posts.min(expected) > rows_max {
        return None;
    }
    let span = Span { until: Some(newest.at), since: Some(oldest.at), ..Span::default() };
    let limit = (2 * rows_max as usize).clamp(1, PAGE_ROWS_MAX);
    Some((span.rows(&month_partition(month), Direction::Forward), limit))
}
