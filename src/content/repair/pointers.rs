//! Index rows. The rule: a pointer and its mirror stand where the post bears the term, and nowhere else; one that a change under way has put stays.

use crate::content::error::Result;
use crate::content::rows::pointer;
use crate::content::rows::post as post_rows;
use crate::content::write::retry::retry_on_conflict;
use crate::keys::{Collection, PostPlace, Table, place, term, time};
use crate::model::{Post, PostKey, Slug, TermKind};
use crate::store::{Entity, Key, Properties};

use super::Done;
use super::context::{AT_WORK, BLIND, Repair};
use super::rows::{FoundRow, make};

impl Repair<'_> {
    pub async fn fix_pointer(&mut self, kind: TermKind, slug: &Slug, key: &PostKey) -> Result<Done> {
        let done = retry_on_conflict("an index", || self.point_once(kind, slug, key)).await?;
        if matches!(done, Done::Fixed(_)) {
            self.touch(Table::PostsBy(kind), term::posts_partition(slug));
        }
        Ok(done)
    }

    async fn point_once(&self, kind: TermKind, slug: &Slug, key: &PostKey) -> Result<Done> {
        let (table, partition) = (Table::PostsBy(kind), term::posts_partition(slug));
        let rows = [time::time_row(key), time::mirror_row(key)];
        let mut found = Vec::with_capacity(rows.len());
        for row in &rows {
            found.push(self.get(table, &Key::new(partition.clone(), row.as_str())?).await?);
        }
        let expected = match self.bearer(kind, slug, key).await? {
            Bearer::Unknown => return Ok(Done::Nothing),
            Bearer::Post(post) => Some(self.pointer_to(&post, found[0].as_ref())),
            Bearer::None => None,
        };
        if expected.is_none()
            && let Some(why) = self.keep_pointer(key, &found).await?
        {
            return Ok(why);
        }
        let done = match (&found[0], &expected) {
            (_, None) => "removed",
            (None, Some(_)) => "put back",
            (Some(_), Some(_)) => "put right",
        };
        let rows = rows.into_iter().zip(found).map(|(row, found)| FoundRow { row, found, expected: expected.clone() });
        let is_made = make(self.store, table, &partition, rows.collect()).await?;
        Ok(if is_made { Done::fixed(done) } else { Done::Nothing })
    }

    /// A pointer that reads right stays as it is.
    fn pointer_to(&self, post: &Post, found: Option<&Entity>) -> Properties {
        let summary = PostPlace::of(post).summary();
        let right = found.filter(|row| {
            pointer::read(row).is_ok_and(|pointer| {
                (pointer.post_partition.as_str(), pointer.post_row.as_str()) == (summary.partition(), summary.row())
                    && pointer.version <= post.version
            })
        });
        right.map_or_else(|| pointer::pointer(post, &self.name), |row| row.properties.clone())
    }

    async fn keep_pointer(&self, key: &PostKey, found: &[Option<Entity>]) -> Result<Option<Done>> {
        if self.posts.is_blind(&PostPlace { collection: Collection::Posts, key: key.clone() }) {
            return Ok(Some(Done::left(BLIND)));
        }
        for row in found.iter().flatten() {
            if let Ok(pointer) = pointer::read(row)
                && self.is_under_way(&pointer.intent).await?
            {
                return Ok(Some(Done::left(AT_WORK)));
            }
        }
        Ok(None)
    }

    async fn bearer(&self, kind: TermKind, slug: &Slug, key: &PostKey) -> Result<Bearer> {
        if self.posts.get(&key.id).is_none() {
            // A post that was made since the posts were read.
            let row = self.get(Table::Posts, &place::summary(key)).await?;
            let post = row.and_then(|row| post_rows::read_summary(&row).ok());
            let is_new = post.is_some_and(|post| post.key() == *key && post.has_term(kind, slug));
            return Ok(if is_new { Bearer::Unknown } else { Bearer::None });
        }
        let Some(post) = self.truth(&key.id).await? else { return Ok(Bearer::Unknown) };
        let has_term =
            PostPlace::of(&post).collection == Collection::Posts && post.key() == *key && post.has_term(kind, slug);
        Ok(if has_term { Bearer::Post(Box::new(post)) } else { Bearer::None })
    }
}

/// Who bears a pointer out.
enum Bearer {
    Post(Box<Post>),
    None,
    /// The post has moved on since the posts were read.
    Unknown,
}
