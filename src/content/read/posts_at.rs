//! The posts of a list by their keys, and the bodies of posts. The rule: a post that is held is not read; the others are read together, each once.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::{join, try_join, try_join_all};

use crate::content::error::Result;
use crate::content::held::{HeldValue, ValueKey};
use crate::content::tables::{moves, rows};
use crate::keys::{Collection, Table, place, time};
use crate::model::{Month, Post, PostKey, Slug};
use crate::store::{Entity, Key, Result as StoreResult};

use super::coalesce;
use super::reader::Reader;

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
        let value_of = |value: HeldValue| match value {
            HeldValue::Post(post) => Some(post),
            _ => None,
        };
        let read = |keys: Vec<PostKey>| async move {
            let found = self.read_and_keep_posts(&keys).await?;
            Ok(keys.iter().map(|key| found.get(key).cloned().flatten()).collect())
        };
        let posts = self.held_or_read(keys, |key| ValueKey::PostAt(key.clone()), value_of, read).await?;
        let found = keys.iter().zip(posts).filter_map(|(key, post)| Some((key.clone(), post?)));
        Ok(found.filter(|(_, post)| self.is_visible(post)).collect())
    }

    /// What is at each key, for every client.
    async fn read_and_keep_posts(&self, keys: &[PostKey]) -> Result<HashMap<PostKey, Option<Arc<Post>>>> {
        let mut found = HashMap::with_capacity(keys.len());
        for at in self.read_posts_at(keys).await? {
            match at.is_unmoved {
                true => self.keep_row(
                    ValueKey::PostAt(at.key.clone()),
                    HeldValue::Post(at.post.clone()),
                    [(Table::Posts, place::summary(&at.key))],
                ),
                false => self.source.counted.note_unnoted(),
            }
            found.insert(at.key, at.post);
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
        let plan = coalesce::plan(keys, self.months_in_memory(Collection::Posts).as_deref());
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

    /// The bodies of posts that were read before, in the order of `places`. One point read each. `None` if a post has changed its place meanwhile.
    pub async fn bodies(&self, places: &[BodyPlace]) -> Vec<Result<Option<Arc<str>>>> {
        let rows_of = |is_draft| places.iter().filter(move |place| place.is_draft == is_draft).map(BodyPlace::row);
        let (drafts, posts): (Vec<Key>, Vec<Key>) = (rows_of(true).collect(), rows_of(false).collect());
        let (drafts, posts) = join(self.body_rows(Collection::Drafts, &drafts), self.published_bodies(&posts)).await;
        let (mut drafts, mut posts) = (drafts.into_iter().map(whole_of), posts.into_iter());
        let body = |place: &BodyPlace| -> Result<Option<Arc<str>>> {
            let found = if place.is_draft { drafts.next() } else { posts.next() };
            let found = found.unwrap_or(Ok(None))?;
            Ok(found.filter(|(post, _)| self.is_visible(post)).map(|(_, markdown)| markdown))
        };
        places.iter().map(body).collect()
    }

    /// The published posts at these rows with their bodies. (A draft can have the key of a published post in another table, so drafts are not held by
    /// it.)
    async fn published_bodies(&self, rows: &[Key]) -> Vec<Result<FoundWhole>> {
        let value_of = |value: HeldValue| match value {
            HeldValue::Whole(found) => Some(found),
            _ => None,
        };
        let read = |keys: Vec<Key>| async move {
            let rows = self.body_rows(Collection::Posts, &keys).await;
            let keep = |(key, row): (Key, StoreResult<Option<Entity>>)| {
                let found = whole_of(row)?;
                let held = HeldValue::Whole(found.clone());
                self.keep_row(ValueKey::WholeAt(key.clone()), held, [(Table::Posts, key)]);
                Ok(found)
            };
            keys.into_iter().zip(rows).map(keep).collect()
        };
        self.each_held_or_read(rows, |row| ValueKey::WholeAt(row.clone()), value_of, read).await
    }

    async fn body_rows(&self, collection: Collection, keys: &[Key]) -> Vec<StoreResult<Option<Entity>>> {
        if keys.is_empty() { Vec::new() } else { self.store().get_many(collection.name(), keys).await }
    }
}

/// A post with its body, if there is one.
type FoundWhole = Option<(Arc<Post>, Arc<str>)>;

fn whole_of(row: StoreResult<Option<Entity>>) -> Result<FoundWhole> {
    let whole = row?.as_ref().map(rows::post::read_whole).transpose()?;
    Ok(whole.map(|whole| (Arc::new(whole.post), whole.markdown)))
}
