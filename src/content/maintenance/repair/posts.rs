//! Fixes summaries and their mirrors, and whole posts in the wrong place. The rule: a whole post is never changed, and is removed only if the same
//! row is stored where it belongs, or if the user asks for it (`--remove-lost`).

use crate::content::error::Result;
use crate::content::maintenance::check::Fix;
use crate::content::tables::rows::post as rows;
use crate::content::write::retry_on_conflict;
use crate::keys::{Collection, PostPlace, place, time};
use crate::model::{Post, PostKey, Slug};
use crate::store::{Entity, Key};

use super::Done;
use super::context::{FoundRow, Repair};

const LOST: &str = "the whole post is lost, and only its summary is left: restore the row from a copy, or remove what is left with \
                    --remove-lost and import the post again";

impl Repair<'_> {
    pub(super) async fn fix_summary(&mut self, collection: Collection, whole: &Key) -> Result<Done> {
        let done = retry_on_conflict("a post", || self.summarise_once(collection, whole)).await?;
        if matches!(done, Done::Fixed(_)) {
            self.touch_collection(collection, whole.partition());
        }
        Ok(done)
    }

    async fn summarise_once(&self, collection: Collection, whole: &Key) -> Result<Done> {
        let Some(row) = self.get(collection.table(), whole).await? else { return Ok(Done::Nothing) };
        let Ok(post) = rows::read_summary(&row) else { return Ok(Done::Nothing) };
        let expected = rows::summary(&post);
        let mut rows = Vec::with_capacity(2);
        for row in [time::time_row(&post.key()), time::mirror_row(&post.key())] {
            let found = self.get(collection.table(), &Key::new(whole.partition(), row.as_str())?).await?;
            if found.as_ref().is_none_or(|row| !rows::is_summary_of(row, &post)) {
                rows.push(FoundRow { row, found, expected: Some(expected.clone()) });
            }
        }
        if !self.make(collection.table(), whole.partition(), rows).await? {
            return Ok(Done::Nothing);
        }
        Ok(Done::fixed("written from the whole post"))
    }

    pub(super) async fn fix_misplaced(&mut self, collection: Collection, at: &Key) -> Result<Done> {
        let Some(row) = self.get(collection.table(), at).await? else { return Ok(Done::Nothing) };
        let Ok(post) = rows::read_summary(&row) else { return Ok(Done::Nothing) };
        let own = PostPlace::of(&post);
        if own.collection == collection && own.whole(&post.slug) == *at {
            return Ok(Done::Nothing);
        }
        let is_elsewhere = self.posts.get(&post.id).is_some_and(|known| known.place != own);
        if is_elsewhere || !retry_on_conflict("a post", || self.put_in_place(&row, &post, &own)).await? {
            let Fix::Person(advice) = Fix::TWICE else { return Ok(Done::Nothing) };
            return Ok(Done::left(advice));
        }
        retry_on_conflict("a post", || self.clear_place(collection, at, &post, &own)).await?;
        self.touch_collection(collection, at.partition());
        self.touch_collection(own.collection, &own.partition());
        Ok(Done::fixed(format!("moved to {}{}", own.collection.name(), own.whole(&post.slug))))
    }

    /// Returns whether the post is now stored where it belongs, exactly as it was found.
    async fn put_in_place(&self, row: &Entity, post: &Post, own: &PostPlace) -> Result<bool> {
        let (table, key) = (own.collection.table(), own.whole(&post.slug));
        if let Some(existing) = self.get(table, &key).await? {
            return Ok(existing.properties == row.properties);
        }
        let mut expected =
            vec![FoundRow { row: key.row().to_owned(), found: None, expected: Some(row.properties.clone()) }];
        for name in [time::time_row(&own.key), time::mirror_row(&own.key)] {
            let found = self.get(table, &Key::new(own.partition(), name.as_str())?).await?;
            expected.push(FoundRow { row: name, found, expected: Some(rows::summary(post)) });
        }
        self.make(table, &own.partition(), expected).await
    }

    async fn clear_place(&self, collection: Collection, at: &Key, post: &Post, own: &PostPlace) -> Result<()> {
        let mut names = vec![at.row().to_owned()];
        if (own.collection, own.partition().as_str()) != (collection, at.partition()) {
            names.extend([time::time_row(&post.key()), time::mirror_row(&post.key())]);
        }
        self.clear_rows(collection, at.partition(), names).await.map(drop)
    }

    /// Removes rows if they exist, and returns whether one did.
    pub(super) async fn clear_rows(&self, collection: Collection, partition: &str, names: Vec<String>) -> Result<bool> {
        let mut gone = Vec::with_capacity(names.len());
        for row in names {
            let found = self.get(collection.table(), &Key::new(partition, row.as_str())?).await?;
            gone.push(FoundRow { row, found, expected: None });
        }
        self.make(collection.table(), partition, gone).await
    }

    pub(super) async fn fix_stray(&mut self, place: &PostPlace) -> Result<Done> {
        let Some(known) = self.posts.get(&place.key.id).filter(|known| known.place != *place) else {
            return Ok(Done::Nothing);
        };
        let (partition, names) = (place.partition(), [time::time_row(&place.key), time::mirror_row(&place.key)]);
        let done = retry_on_conflict("a post", || async {
            let whole = self.whole_row(known).await?.map(|row| rows::read_summary(&row));
            if !matches!(whole, Some(Ok(post)) if post.id == place.key.id && PostPlace::of(&post) == known.place) {
                return Ok(Done::left(LOST));
            }
            let are_removed = self.clear_rows(place.collection, &partition, names.to_vec()).await?;
            Ok(if are_removed { Done::fixed("removed") } else { Done::Nothing })
        })
        .await?;
        if matches!(done, Done::Fixed(_)) {
            self.touch_collection(place.collection, &partition);
        }
        Ok(done)
    }

    pub(super) async fn fix_lost(
        &mut self,
        collection: Collection,
        partition: &str,
        slug: Option<&Slug>,
        key: Option<&PostKey>,
    ) -> Result<Done> {
        if !self.options.removes_lost {
            return Ok(Done::left(LOST));
        }
        let of_key = key.into_iter().flat_map(|key| [time::time_row(key), time::mirror_row(key)]);
        let names: Vec<_> = of_key.chain(slug.map(place::whole_row)).collect();
        let are_removed = retry_on_conflict("a post", || async {
            if let Some(slug) = slug {
                let row = self.get(collection.table(), &Key::new(partition, place::whole_row(slug))?).await?;
                if row.is_some_and(|row| rows::read_whole(&row).is_ok()) {
                    return Ok(false);
                }
            }
            self.clear_rows(collection, partition, names.clone()).await
        })
        .await?;
        if !are_removed {
            return Ok(Done::Nothing);
        }
        self.touch_collection(collection, partition);
        Ok(Done::fixed("what was left of the post was removed"))
    }

    pub(super) fn touch_collection(&mut self, collection: Collection, partition: &str) {
        self.touch(collection.table(), partition);
    }
}
