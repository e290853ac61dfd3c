//! Plans the rows of posts: summaries and their mirrors, index rows, and the rows of `PostKeys`. The rule: a whole post is never changed, except for the
//! partitions of the index of fields, which follow from its metadata; it is removed only if the same row is stored where it belongs, or if the user asks
//! for it (`--remove-lost`).

use crate::content::maintenance::check::TWICE;
use crate::content::tables::rows::lookup::{self as lookup_rows, LookupRow};
use crate::content::tables::rows::{pointer, post as rows};
use crate::content::write::{Overlay, claim_row};
use crate::keys::lookup::{self, Lookup};
use crate::keys::{Collection, PostPlace, Table, place, term};
use crate::model::{IndexKind, Post, PostId, PostKey, Slug};
use crate::store::{Entity, Key, StoreError};

use super::{Done, Planned, Truth, make, summary_rows, time_rows};

const CHANGED: &str = "it was changed meanwhile: run the repair again";
const BLIND: &str = "it may point to a post that cannot be read: fix that post first";
const LOST: &str = "the whole post is lost, and only its summary is left: restore the row from a copy, or remove what is left with \
                    --remove-lost and import the post again";

impl Truth {
    /// The post as it is stored now at the place where it was found; `None` if it has moved since, or is gone.
    fn post(&self, rows: &Overlay<'_>, id: &PostId) -> Result<Option<Post>, StoreError> {
        let Some(known) = self.posts.get(id) else { return Ok(None) };
        let table = known.place.collection.table();
        let whole = rows.get(table, &known.place.whole(&known.slug))?;
        if whole.is_some() {
            return Ok(post_of(whole, id));
        }
        // If the whole row of a post is lost, only its summary is left.
        let summary = rows.get(table, &known.place.summary())?;
        Ok(post_of(summary, id).filter(|post| PostPlace::of(post) == known.place))
    }

    pub(super) fn summarise(&self, rows: &mut Overlay<'_>, place: &PostPlace) -> Planned {
        let Some(known) = self.posts.get(&place.key.id) else { return Ok(Done::Nothing) };
        if known.place != *place && is_stored(rows, place, &known.slug)? {
            return Ok(Done::left(TWICE));
        }
        let whole = rows.get(known.place.collection.table(), &known.place.whole(&known.slug))?;
        let post = match whole.as_ref().map(rows::read_summary) {
            Some(Ok(post)) if post.id == place.key.id && PostPlace::of(&post) == known.place => post,
            Some(Ok(_)) => return Ok(Done::left(CHANGED)),
            Some(Err(_)) => return Ok(Done::left(LOST)),
            // The summary of a post that was renamed, moved or deleted meanwhile has another slug, or is gone.
            None => {
                let is_lost = self.post(rows, &place.key.id)?.is_some_and(|left| left.slug == known.slug);
                return Ok(Done::left(if is_lost { LOST } else { CHANGED }));
            }
        };
        let expected = (known.place == *place).then(|| rows::summary(&post));
        for key in summary_rows(place)? {
            make(rows, place.collection.table(), key, expected.clone())?;
        }
        Ok(Done::fixed(if expected.is_some() { "written from the whole post" } else { "removed" }))
    }

    /// Everything else of the post stays, and its version too; its index rows are fixed afterwards, from these partitions.
    pub(super) fn name_field_partitions(&self, rows: &mut Overlay<'_>, collection: Collection, whole: &Key) -> Planned {
        let table = collection.table();
        let Some(row) = rows.get(table, whole)? else { return Ok(Done::Nothing) };
        let Ok(read) = rows::read_whole(&row) else { return Ok(Done::Nothing) };
        let post = Post { field_index: self.indexed.partitions(&read.metadata), ..read.post };
        make(rows, table, whole.clone(), Some(rows::set_field_index(&row.properties, &post.field_index)))?;
        for key in time_rows(whole.partition(), &post.key())? {
            make(rows, table, key, Some(rows::summary(&post)))?;
        }
        Ok(Done::fixed("written from its metadata"))
    }

    pub(super) fn move_post(&self, rows: &mut Overlay<'_>, collection: Collection, at: &Key) -> Planned {
        let Some(row) = rows.get(collection.table(), at)? else { return Ok(Done::Nothing) };
        let Ok(post) = rows::read_summary(&row) else { return Ok(Done::Nothing) };
        let own = PostPlace::of(&post);
        let (table, key) = (own.collection.table(), own.whole(&post.slug));
        if own.collection == collection && key == *at {
            return Ok(Done::Nothing);
        }
        let existing = rows.get(table, &key)?;
        let is_elsewhere = self.posts.get(&post.id).is_some_and(|known| known.place != own);
        if is_elsewhere || existing.as_ref().is_some_and(|existing| existing.properties != row.properties) {
            return Ok(Done::left(TWICE));
        }
        rows.delete(collection.table(), at.clone());
        if (table, key.partition()) != (collection.table(), at.partition()) {
            for old in time_rows(at.partition(), &post.key())? {
                make(rows, collection.table(), old, None)?;
            }
        }
        if existing.is_none() {
            for summary in summary_rows(&own)? {
                make(rows, table, summary, Some(rows::summary(&post)))?;
            }
            rows.put(table, key.clone(), row.properties);
        }
        Ok(Done::fixed(format!("moved to {}{key}", own.collection.name())))
    }

    pub(super) fn remove_lost(
        &self,
        rows: &mut Overlay<'_>,
        (collection, partition): (Collection, &str),
        slug: Option<&Slug>,
        key: Option<&PostKey>,
    ) -> Planned {
        if !self.options.removes_lost {
            return Ok(Done::left(LOST));
        }
        let table = collection.table();
        let whole = slug.map(|slug| Key::new(partition, place::whole_row(slug))).transpose()?;
        if let Some(whole) = &whole
            && rows.get(table, whole)?.is_some_and(|row| rows::read_whole(&row).is_ok())
        {
            return Ok(Done::Nothing);
        }
        let others = key.map(|key| time_rows(partition, key)).transpose()?;
        for key in others.into_iter().flatten().chain(whole) {
            make(rows, table, key, None)?;
        }
        Ok(Done::fixed("what was left of the post was removed"))
    }

    pub(super) fn point(&self, rows: &mut Overlay<'_>, (kind, slug): (IndexKind, &Slug), key: &PostKey) -> Planned {
        let (table, pair) = (Table::PostsBy(kind), time_rows(&term::posts_partition(slug), key)?);
        let place = PostPlace { collection: Collection::Posts, key: key.clone() };
        let is_pointed_to = |post: &Post| PostPlace::of(post) == place && post.is_in_index(kind, slug);
        let expected = match self.posts.get(&key.id) {
            Some(_) => match self.post(rows, &key.id)? {
                Some(post) => Some(post).filter(is_pointed_to),
                None => return Ok(Done::Nothing),
            },
            // The post may have been created after the posts were read.
            None if post_of(rows.get(Table::Posts, &place.summary())?, &key.id)
                .is_some_and(|post| is_pointed_to(&post)) =>
            {
                return Ok(Done::Nothing);
            }
            None => None,
        };
        if expected.is_none() && self.posts.is_blind(&place) {
            return Ok(Done::left(BLIND));
        }
        let done = match (rows.get(table, &pair[0])?, &expected) {
            (_, None) => "removed",
            (None, Some(_)) => "restored",
            (Some(_), Some(_)) => "corrected",
        };
        for row in pair {
            make(rows, table, row, expected.as_ref().map(pointer::pointer))?;
        }
        Ok(Done::fixed(done))
    }

    pub(super) fn look_up(&self, rows: &mut Overlay<'_>, key: &Key) -> Planned {
        let Some(found_by) = lookup::parse(key) else { return Ok(Done::Nothing) };
        let found = rows.get(Table::PostKeys, key)?;
        let read = found.as_ref().and_then(|row| lookup_rows::read(row).ok());
        let named =
            found.as_ref().filter(|_| found_by == Lookup::Translation).and_then(|row| rows::read_summary(row).ok());
        let kept = match &named {
            Some(named) => self.keep_translation(rows, named, key)?,
            None => self.keep_lookup(rows, read.as_ref(), &found_by)?,
        };
        if let Some(done) = kept {
            return Ok(done);
        }
        let owner = match &found_by {
            Lookup::Id(id) => self.posts.get(id).map(|_| id),
            Lookup::Slug(slug) => self.posts.points_to(slug, read.as_ref().map(LookupRow::id)).map(|(id, _)| id),
            Lookup::End(_, id) => self.posts.get(id).filter(|known| known.end.as_ref() == Some(key)).map(|_| id),
            Lookup::Translation => self.posts.of_translation(key, named.as_ref().map(|post| &post.id)),
        };
        let expected = match owner {
            None => None,
            Some(id) => match self.post(rows, id)?.and_then(|post| claim_row(key, &post)) {
                Some(properties) => Some(properties),
                None => return Ok(Done::left(CHANGED)),
            },
        };
        let done = match (&found, &expected) {
            (Some(_), None) => "removed",
            (Some(_), Some(_)) => "corrected",
            (None, _) => "restored",
        };
        make(rows, Table::PostKeys, key.clone(), expected)?;
        Ok(Done::fixed(done))
    }

    /// [`keep_lookup`](Self::keep_lookup) for a row of a group of translations.
    fn keep_translation(&self, rows: &Overlay<'_>, named: &Post, key: &Key) -> Result<Option<Done>, StoreError> {
        if self.posts.get(&named.id).is_some() {
            // The post may have been linked after the posts were read.
            let is_right = self
                .post(rows, &named.id)?
                .is_some_and(|post| lookup::by_translation(&post).as_ref() == Some(key) && post == *named);
            return Ok(is_right.then_some(Done::Nothing));
        }
        let place = PostPlace::of(named);
        if self.posts.is_blind(&place) {
            return Ok(Some(Done::left(BLIND)));
        }
        let post = post_of(rows.get(place.collection.table(), &place.whole(&named.slug))?, &named.id);
        Ok(post.is_some_and(|post| lookup::by_translation(&post).as_ref() == Some(key)).then_some(Done::Nothing))
    }

    /// Why a row must not be replaced or removed: its post cannot be read, or was written after the posts were read.
    fn keep_lookup(
        &self,
        rows: &Overlay<'_>,
        read: Option<&LookupRow>,
        found_by: &Lookup,
    ) -> Result<Option<Done>, StoreError> {
        let Some(read) = read.filter(|read| self.posts.get(read.id()).is_none()) else { return Ok(None) };
        let LookupRow::Place { place, slug, .. } = read else {
            return Ok((!self.posts.blind.is_empty()).then(|| Done::left(BLIND)));
        };
        if self.posts.is_blind(place) {
            return Ok(Some(Done::left(BLIND)));
        }
        let is_named = match found_by {
            Lookup::Id(id) | Lookup::End(_, id) => *id == place.key.id,
            Lookup::Slug(by) => by == slug,
            Lookup::Translation => false,
        };
        let post = post_of(rows.get(place.collection.table(), &place.whole(slug))?, &place.key.id);
        let is_stored = post.is_some_and(|post| PostPlace::of(&post) == *place);
        Ok((is_named && is_stored).then_some(Done::Nothing))
    }
}

/// Whether a whole post is stored at a place. `slug`: its slug if the summary there cannot be read.
fn is_stored(rows: &Overlay<'_>, place: &PostPlace, slug: &Slug) -> Result<bool, StoreError> {
    let (table, id) = (place.collection.table(), &place.key.id);
    let summary = post_of(rows.get(table, &place.summary())?, id);
    let whole = place.whole(summary.as_ref().map_or(slug, |post| &post.slug));
    Ok(post_of(rows.get(table, &whole)?, id).is_some_and(|post| PostPlace::of(&post) == *place))
}

fn post_of(row: Option<Entity>, id: &PostId) -> Option<Post> {
    row.and_then(|row| rows::read_summary(&row).ok()).filter(|post| post.id == *id)
}
