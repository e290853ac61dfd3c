//! Fixes index rows. The rule: a pointer and its mirror exist only for a term or language that the post has, or if it is featured.

use crate::content::error::Result;
use crate::content::tables::rows::{pointer, post as post_rows};
use crate::content::write::retry_on_conflict;
use crate::keys::{Collection, PostPlace, Table, place, term, time};
use crate::model::{IndexKind, Post, PostKey, Slug};
use crate::store::{Entity, Key, Properties};

use super::Done;
use super::context::{BLIND, FoundRow, Repair};

impl Repair<'_> {
    pub(super) async fn fix_pointer(&mut self, kind: IndexKind, slug: &Slug, key: &PostKey) -> Result<Done> {
        let done = self.fix_pointer_rows(kind, slug, key).await?;
        if matches!(done, Done::Fixed(_)) {
            self.touch(Table::of_index(kind), term::posts_partition(slug));
        }
        Ok(done)
    }

    /// The caller counts the partition again.
    pub(super) async fn fix_pointer_rows(&self, kind: IndexKind, slug: &Slug, key: &PostKey) -> Result<Done> {
        retry_on_conflict("an index", || self.point_once(kind, slug, key)).await
    }

    async fn point_once(&self, kind: IndexKind, slug: &Slug, key: &PostKey) -> Result<Done> {
        let (table, partition) = (Table::of_index(kind), term::posts_partition(slug));
        let rows = [time::time_row(key), time::mirror_row(key)];
        let mut found = Vec::with_capacity(rows.len());
        for row in &rows {
            found.push(self.get(table, &Key::new(partition.clone(), row.as_str())?).await?);
        }
        let expected = match self.indexed_post(kind, slug, key).await? {
            IndexedPost::Unknown => return Ok(Done::Nothing),
            IndexedPost::Post(post) => Some(pointer_to(&post, found[0].as_ref())),
            IndexedPost::None => None,
        };
        if expected.is_none() && self.posts.is_blind(&PostPlace { collection: Collection::Posts, key: key.clone() }) {
            return Ok(Done::left(BLIND));
        }
        let done = match (&found[0], &expected) {
            (_, None) => "removed",
            (None, Some(_)) => "restored",
            (Some(_), Some(_)) => "corrected",
        };
        let rows = rows.into_iter().zip(found).map(|(row, found)| FoundRow { row, found, expected: expected.clone() });
        let is_made = self.make(table, &partition, rows.collect()).await?;
        Ok(if is_made { Done::fixed(done) } else { Done::Nothing })
    }

    async fn indexed_post(&self, kind: IndexKind, slug: &Slug, key: &PostKey) -> Result<IndexedPost> {
        if self.posts.get(&key.id).is_none() {
            // The post may have been created after the posts were read.
            let row = self.get(Table::Posts, &place::summary(key)).await?;
            let post = row.and_then(|row| post_rows::read_summary(&row).ok());
            let is_new = post.is_some_and(|post| post.key() == *key && post.is_in_index(kind, slug));
            return Ok(if is_new { IndexedPost::Unknown } else { IndexedPost::None });
        }
        let Some(post) = self.truth(&key.id).await? else { return Ok(IndexedPost::Unknown) };
        let is_in_index =
            PostPlace::of(&post).collection == Collection::Posts && post.key() == *key && post.is_in_index(kind, slug);
        Ok(if is_in_index { IndexedPost::Post(Box::new(post)) } else { IndexedPost::None })
    }
}

/// A pointer that is correct is kept as it is.
fn pointer_to(post: &Post, found: Option<&Entity>) -> Properties {
    let summary = PostPlace::of(post).summary();
    let right = found.filter(|row| {
        pointer::read(row).is_ok_and(|pointer| {
            (pointer.post_partition.as_str(), pointer.post_row.as_str()) == (summary.partition(), summary.row())
                && pointer.version <= post.version
        })
    });
    right.map_or_else(|| pointer::pointer(post), |row| row.properties.clone())
}

/// Whether a pointer must exist.
enum IndexedPost {
    /// Yes: this post has the term or language, or is featured.
    Post(Box<Post>),
    /// No.
    None,
    /// The post was changed or created after the posts were read.
    Unknown,
}
