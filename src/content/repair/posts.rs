//! The rows of posts beside the whole one, and whole posts in the wrong place. The rule: a whole post is never changed, and goes only where it stands
//! elsewhere just the same, or was given up by whoever runs the repair.

use crate::content::check::Mend;
use crate::content::error::Result;
use crate::content::rows::post as rows;
use crate::content::write::retry::until_settled;
use crate::keys::{PostPlace, Shelf, place, time};
use crate::model::{Post, PostKey, Slug};
use crate::store::{Batch, Entity, Key, Operation, Precondition};

use super::Done;
use super::context::{AT_WORK, Repair};
use super::rows::{Row, make};

const LOST: &str = "the whole post is gone, its summary is all that is left: bring the row back from a copy, or give the post up with \
                    --remove-lost and import it again";

impl Repair<'_> {
    pub async fn mend_summary(&mut self, shelf: Shelf, whole: &Key) -> Result<Done> {
        let done = until_settled("a post", || self.summarise_once(shelf, whole)).await?;
        if matches!(done, Done::Mended(_)) {
            self.touch_shelf(shelf, whole.partition());
        }
        Ok(done)
    }

    async fn summarise_once(&self, shelf: Shelf, whole: &Key) -> Result<Done> {
        let Some(row) = self.get(shelf.table(), whole).await? else { return Ok(Done::Nothing) };
        let (Ok(post), Ok(mark)) = (rows::read_summary(&row), rows::read_move(&row)) else {
            return Ok(Done::Nothing);
        };
        if self.is_being_changed(&post.id).await? {
            return Ok(Done::left(AT_WORK));
        }
        let mut wanted = rows::summary(&post);
        if let Some(mark) = &mark {
            wanted = rows::set_move(wanted, mark);
            if let Ok(by) = rows::pending_by(&row) {
                wanted = rows::set_pending_by(wanted, &by);
            }
        }
        let mut operations = Vec::with_capacity(3);
        for name in [time::time_row(&post.key()), time::mirror_row(&post.key())] {
            let found = self.get(shelf.table(), &Key::new(whole.partition(), name.as_str())?).await?;
            if found.as_ref().is_some_and(|row| rows::is_summary_of(row, &post, mark.as_ref())) {
                continue;
            }
            let precondition = found.map_or(Precondition::Absent, |row| Precondition::Match(row.etag));
            operations.push(Operation::Put { row: name, properties: wanted.clone(), precondition });
        }
        if operations.is_empty() {
            return Ok(Done::Nothing);
        }
        // The whole row stands for all three: it is written with them, so that a change of the post made meanwhile is noticed by its ETag.
        let precondition = Precondition::Match(row.etag);
        operations.push(Operation::Put { row: whole.row().to_owned(), properties: row.properties, precondition });
        self.store.commit(shelf.name(), &Batch::new(whole.partition(), operations)?).await?;
        Ok(Done::mended("made from the whole post"))
    }

    pub async fn mend_misplaced(&mut self, shelf: Shelf, at: &Key) -> Result<Done> {
        let Some(row) = self.get(shelf.table(), at).await? else { return Ok(Done::Nothing) };
        let Ok(post) = rows::read_summary(&row) else { return Ok(Done::Nothing) };
        let own = PostPlace::of(&post);
        if own.shelf == shelf && own.whole(&post.slug) == *at {
            return Ok(Done::Nothing);
        }
        if self.is_being_changed(&post.id).await? {
            return Ok(Done::left(AT_WORK));
        }
        let is_elsewhere = self.posts.get(&post.id).is_some_and(|known| known.place != own);
        if is_elsewhere || !until_settled("a post", || self.put_in_place(&row, &post, &own)).await? {
            let Mend::Person(advice) = Mend::TWICE else { return Ok(Done::Nothing) };
            return Ok(Done::left(advice));
        }
        until_settled("a post", || self.clear_place(shelf, at, &post, &own)).await?;
        self.touch_shelf(shelf, at.partition());
        self.touch_shelf(own.shelf, &own.partition());
        Ok(Done::mended(format!("moved to {}{}", own.shelf.name(), own.whole(&post.slug))))
    }

    /// Whether the post now stands where it belongs, just as it was found.
    async fn put_in_place(&self, row: &Entity, post: &Post, own: &PostPlace) -> Result<bool> {
        let (table, key) = (own.shelf.table(), own.whole(&post.slug));
        if let Some(standing) = self.get(table, &key).await? {
            return Ok(standing.properties == row.properties);
        }
        let mut wanted = vec![Row { row: key.row().to_owned(), found: None, wanted: Some(row.properties.clone()) }];
        for name in [time::time_row(&own.key), time::mirror_row(&own.key)] {
            let found = self.get(table, &Key::new(own.partition(), name.as_str())?).await?;
            wanted.push(Row { row: name, found, wanted: Some(rows::summary(post)) });
        }
        make(self.store, table, &own.partition(), wanted).await
    }

    async fn clear_place(&self, shelf: Shelf, at: &Key, post: &Post, own: &PostPlace) -> Result<()> {
        let mut names = vec![at.row().to_owned()];
        if (own.shelf, own.partition().as_str()) != (shelf, at.partition()) {
            names.extend([time::time_row(&post.key()), time::mirror_row(&post.key())]);
        }
        self.clear_rows(shelf, at.partition(), names).await.map(drop)
    }

    /// Takes rows away where they stand; whether one did.
    pub async fn clear_rows(&self, shelf: Shelf, partition: &str, names: Vec<String>) -> Result<bool> {
        let mut gone = Vec::with_capacity(names.len());
        for row in names {
            let found = self.get(shelf.table(), &Key::new(partition, row.as_str())?).await?;
            gone.push(Row { row, found, wanted: None });
        }
        make(self.store, shelf.table(), partition, gone).await
    }

    pub async fn mend_stray(&mut self, place: &PostPlace) -> Result<Done> {
        let Some(known) = self.posts.get(&place.key.id).filter(|known| known.place != *place) else {
            return Ok(Done::Nothing);
        };
        let whole = self.whole_row(known).await?.map(|row| rows::read_summary(&row));
        if !matches!(whole, Some(Ok(post)) if post.id == place.key.id && PostPlace::of(&post) == known.place) {
            return Ok(Done::left(LOST));
        }
        if self.is_being_changed(&place.key.id).await? {
            return Ok(Done::left(AT_WORK));
        }
        let names = || vec![time::time_row(&place.key), time::mirror_row(&place.key)];
        let partition = place.partition();
        if !until_settled("a post", || self.clear_rows(place.shelf, &partition, names())).await? {
            return Ok(Done::Nothing);
        }
        self.touch_shelf(place.shelf, &partition);
        Ok(Done::mended("removed"))
    }

    pub async fn mend_lost(
        &mut self,
        shelf: Shelf,
        partition: &str,
        slug: Option<&Slug>,
        key: Option<&PostKey>,
    ) -> Result<Done> {
        if !self.options.removes_lost {
            return Ok(Done::left(LOST));
        }
        if let Some(slug) = slug {
            let row = self.get(shelf.table(), &Key::new(partition, place::whole_row(slug))?).await?;
            if row.is_some_and(|row| rows::read_whole(&row).is_ok()) {
                return Ok(Done::Nothing);
            }
        }
        if let Some(key) = key
            && self.is_being_changed(&key.id).await?
        {
            return Ok(Done::left(AT_WORK));
        }
        let names = || {
            let of_key = key.into_iter().flat_map(|key| [time::time_row(key), time::mirror_row(key)]);
            of_key.chain(slug.map(place::whole_row)).collect::<Vec<_>>()
        };
        if !until_settled("a post", || self.clear_rows(shelf, partition, names())).await? {
            return Ok(Done::Nothing);
        }
        self.touch_shelf(shelf, partition);
        Ok(Done::mended("what was left of the post was removed"))
    }

    pub fn touch_shelf(&mut self, shelf: Shelf, partition: &str) {
        self.touch(shelf.table(), partition);
    }
}
