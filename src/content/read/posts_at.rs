//! The posts of a list by their keys, and the details of posts. The rule: a post that is held is not read; the others are read together, each once.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::{join_all, try_join, try_join_all};

use crate::content::error::Result;
use crate::content::held::{HeldValue, ValueKey};
use crate::content::tables::{moves, rows};
use crate::keys::{Collection, Table, place, time};
use crate::model::{Month, Post, PostDetails, PostKey, Slug, WholePost};
use crate::store::{Entity, Key, Result as StoreResult};

use super::coalesce;
use super::reader::Reader;

/// The place of a post's details.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DetailsPlace {
    is_draft: bool,
    month: Month,
    slug: Slug,
}

impl DetailsPlace {
    pub fn of(post: &Post) -> Self {
        Self { is_draft: post.published_at.is_none(), month: post.key().month(), slug: post.slug.clone() }
    }

    pub(super) fn row(&self) -> Key {
        place::whole(self.month, &self.slug)
    }

    pub(super) fn table(&self) -> Table {
        if self.is_draft { Table::Drafts } else { Table::Posts }
    }
}

/// What was found at a key, for every client.
struct FoundAt {
    key: PostKey,
    post: Option<Arc<Post>>,
    /// Whether the row of the key alone decides what is found there. Of a post that is being moved, other rows decide too.
    is_unmoved: bool,
}

impl Reader {
    /// Posts of `Posts` by their keys, without those that do not exist or are not visible. Point reads, sent together, or a range read if several
    /// posts are close together.
    pub async fn posts_at(&self, keys: &[PostKey]) -> Result<HashMap<PostKey, Arc<Post>>> {
        let mut found = HashMap::with_capacity(keys.len());
        let mut unread = Vec::new();
        let mut add = |key: PostKey, post: Option<Arc<Post>>| {
            found.extend(post.filter(|post| self.is_visible(post)).map(|post| (key, post)));
        };
        let held = self.held_all(keys.iter().map(|key| ValueKey::PostAt(key.clone())));
        for (key, held) in keys.iter().zip(held) {
            match held {
                Some(HeldValue::Post(post)) => add(key.clone(), post),
                _ => unread.push(key.clone()),
            }
        }
        if unread.is_empty() {
            return Ok(found);
        }
        for at in self.read_posts_at(&unread).await? {
            match at.is_unmoved {
                true => self.keep_row(
                    ValueKey::PostAt(at.key.clone()),
                    HeldValue::Post(at.post.clone()),
                    [(Table::Posts, place::summary(&at.key))],
                ),
                false => self.source.counted.note_unnoted(),
            }
            add(at.key, at.post);
        }
        Ok(found)
    }

    /// Notes that a part of the request depends on these posts, which another reader of the request looks up.
    pub(super) fn note_posts(&self, keys: &[PostKey]) {
        self.source.counted.note_cached(|noted| {
            keys.iter().for_each(|key| noted.note_row(Table::Posts.name(), &place::summary(key)));
        });
    }

    async fn read_posts_at(&self, keys: &[PostKey]) -> Result<Vec<FoundAt>> {
        let plan = coalesce::plan(keys, self.partition_catalogs.cached_months(&self.source).as_deref());
        let in_ranges = try_join_all(plan.ranges.iter().map(|range| self.posts_in(range)));
        let (in_ranges, mut found) = try_join(in_ranges, self.posts_singly(&plan.points)).await?;
        found.extend(in_ranges.into_iter().flatten());
        Ok(found)
    }

    /// A point read for each post; two if it is being moved.
    async fn posts_singly(&self, keys: &[PostKey]) -> Result<Vec<FoundAt>> {
        let places: Vec<Key> = keys.iter().map(place::summary).collect();
        let rows = self.store().get_many(Table::Posts.name(), &places).await;
        let found = keys.iter().zip(rows).map(|(key, row)| async move { self.found_at(key, row?.as_ref()).await });
        try_join_all(found).await
    }

    async fn posts_in(&self, requested: &coalesce::CoalescedRange) -> Result<Vec<FoundAt>> {
        let read = self.store().range(Table::Posts.name(), &requested.rows, requested.limit, None);
        let page = self.purpose_of_posts(&requested.keys).of(read).await?;
        let mut found = Vec::with_capacity(requested.keys.len());
        let mut missing: Vec<PostKey> = Vec::new();
        let rows: HashMap<&str, _> = page.rows.iter().map(|row| (row.key.row(), row)).collect();
        for key in &requested.keys {
            match rows.get(time::time_row(key).as_str()) {
                None if page.continuation.is_some() => missing.push(key.clone()),
                row => found.push(self.found_at(key, row.copied()).await?),
            }
        }
        found.extend(self.posts_singly(&missing).await?);
        Ok(found)
    }

    async fn found_at(&self, key: &PostKey, row: Option<&Entity>) -> Result<FoundAt> {
        let is_unmoved = !row.is_some_and(moves::may_be_moving);
        let row = match row {
            Some(row) if is_unmoved || moves::is_current(self.store(), row).await? => Some(row),
            _ => None,
        };
        let post = row.map(rows::post::read_summary).transpose()?.map(Arc::new);
        Ok(FoundAt { key: key.clone(), post, is_unmoved })
    }

    /// The details of posts that were read before, in the order of `places`. One point read each. `None` if a post has changed its place meanwhile.
    pub async fn details(&self, places: &[DetailsPlace]) -> Vec<Result<Option<PostDetails>>> {
        // A draft can have the key of a published post in another table, so drafts are not held by it.
        let published: Vec<ValueKey> =
            places.iter().filter(|place| !place.is_draft).map(|place| ValueKey::WholeAt(place.row())).collect();
        let mut published = self.held_all(published.into_iter()).into_iter();
        let held = |place: &DetailsPlace| if place.is_draft { None } else { published.next().flatten() };
        let held: Vec<Option<HeldValue>> = places.iter().map(held).collect();
        let unread = held.iter().zip(places).filter(|(held, _)| held.is_none()).map(|(_, place)| place.clone());
        let unread: Vec<DetailsPlace> = unread.collect();
        let [drafts, posts] = join_all(Collection::ALL.map(|collection| self.whole_rows(collection, &unread)))
            .await
            .try_into()
            .unwrap_or_else(|_| unreachable!("two collections are read"));
        let (mut drafts, mut posts) = (drafts.into_iter(), posts.into_iter());
        let details = |(held, place): (Option<HeldValue>, &DetailsPlace)| -> Result<Option<PostDetails>> {
            let found = match held {
                Some(HeldValue::Whole(found)) => found,
                _ if place.is_draft => whole_of(drafts.next().unwrap_or(Ok(None)))?,
                _ => {
                    let found = whole_of(posts.next().unwrap_or(Ok(None)))?;
                    let row = place.row();
                    let held = HeldValue::Whole(found.clone());
                    self.keep_row(ValueKey::WholeAt(row.clone()), held, [(Table::Posts, row)]);
                    found
                }
            };
            Ok(found.filter(|(post, _)| self.is_visible(post)).map(|(_, details)| details))
        };
        held.into_iter().zip(places).map(details).collect()
    }

    /// The whole rows of this collection, in the order of their places.
    async fn whole_rows(&self, collection: Collection, places: &[DetailsPlace]) -> Vec<StoreResult<Option<Entity>>> {
        let is_here = |place: &&DetailsPlace| place.is_draft == (collection == Collection::Drafts);
        let keys: Vec<Key> = places.iter().filter(is_here).map(DetailsPlace::row).collect();
        if keys.is_empty() { Vec::new() } else { self.store().get_many(collection.name(), &keys).await }
    }
}

fn whole_of(row: StoreResult<Option<Entity>>) -> Result<Option<(Arc<Post>, PostDetails)>> {
    let whole = row?.as_ref().map(rows::post::read_whole).transpose()?;
    Ok(whole.map(WholePost::into_parts))
}
