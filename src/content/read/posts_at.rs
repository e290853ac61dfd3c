//! The posts of a list by their keys, and the details of posts. The rule: cached posts are not read; the others are read together, each once.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::{join, join_all};

use crate::content::cache::CacheKey;
use crate::content::error::Result;
use crate::content::tables::rows;
use crate::keys::{Collection, Table, place};
use crate::model::{Month, Post, PostDetails, PostId, PostKey, Slug, WholePost};
use crate::store::{Entity, Key, Result as StoreResult};

use super::reader::Reader;

/// The place of a post's details, and the version of the post.
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

    /// Whether the post has the version that was read.
    fn is_of(&self, post: &Post) -> bool {
        post.id == self.id && post.version == self.version
    }

    fn row(&self) -> Key {
        place::whole(self.month, &self.slug)
    }
}

impl Reader {
    /// Posts of `Posts` by their keys; missing and invisible ones are omitted. Point reads, sent together; on tables, one range read for adjacent keys.
    pub async fn posts_at(&self, keys: &[PostKey]) -> Result<HashMap<PostKey, Arc<Post>>> {
        // An index row names the post, so a post that is cached as missing may exist now.
        let is_usable = |_: &PostKey, post: &Option<Arc<Post>>| post.is_some();
        let read = |keys: Vec<PostKey>| async move { self.read_posts_at(&keys).await };
        let posts = self.cached_or_read(keys, |key| CacheKey::PostAt(key.clone()), is_usable, read).await;
        let mut found = HashMap::with_capacity(keys.len());
        for (key, post) in keys.iter().zip(posts) {
            // A pointer may belong to a post that is not published yet (I2).
            let visible = self.conceal_tags(post?.filter(|post| self.is_visible(post)));
            found.extend(visible.map(|post| (key.clone(), post)));
        }
        Ok(found)
    }

    /// The post at each key, whether the client has access to it or not.
    async fn read_posts_at(&self, keys: &[PostKey]) -> Vec<Result<Option<Arc<Post>>>> {
        let places: Vec<Key> = keys.iter().map(place::summary).collect();
        let rows = self.store().get_near(Table::Posts.name(), &places).await;
        let keep = |((key, place), row): ((&PostKey, Key), StoreResult<Option<Entity>>)| {
            let post = row?.as_ref().map(rows::post::read_summary).transpose()?.map(Arc::new);
            self.keep_row(CacheKey::PostAt(key.clone()), post.clone(), [(Table::Posts, place)]);
            Ok(post)
        };
        keys.iter().zip(places).zip(rows).map(keep).collect()
    }

    /// Records that a part of the request depends on these posts, which another reader of the request looks up.
    pub(super) fn note_posts(&self, keys: &[PostKey]) {
        self.source.counted.note_cached(|noted| {
            keys.iter().for_each(|key| noted.note_row(Table::Posts.name(), &place::summary(key)));
        });
    }

    /// The details of posts that were read before, in the order of `places`. One point read each; one more for a post that was changed since it was read, whose
    /// earlier version is kept. `None` if the post or the version was deleted.
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

    /// The published posts at these places with their details. Cached values of other posts or versions are not used. Drafts are not cached by key, because a
    /// draft can have the same key as a published post.
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

/// A post with its details, if it exists.
type FoundWhole = Option<(Arc<Post>, PostDetails)>;

fn whole_of(row: StoreResult<Option<Entity>>) -> Result<FoundWhole> {
    let whole = row?.as_ref().map(rows::post::read_whole).transpose()?;
    Ok(whole.map(WholePost::into_parts))
}
