//! Plans the rows of posts: summaries and their mirrors, index rows, and the rows of `PostKeys`. The rule: a whole post is never changed, except for the
//! partitions of the index of fields, which follow from its metadata; it is removed only if the same row exists in the right place, or if the user requests it
//! (`--remove-lost`).

use crate::content::maintenance::check::{TWICE, row_of, time_key};
use crate::content::tables::rows::lookup::{self as lookup_rows, LookupRow};
use crate::content::tables::rows::post as rows;
use crate::content::write::Overlay;
use crate::keys::{Collection, PostPlace, Table, place, time};
use crate::model::{Post, PostId, PostKey, Slug};
use crate::store::{Entity, Key, StoreError};

use super::{Done, Planned, Truth, make};

const CHANGED: &str = "it was changed meanwhile: run the repair again";
const BLIND: &str = "it may point to a post that cannot be read: fix that post first";
const LOST: &str = "the whole post is lost, and only its summary is left: restore the row from a copy, or remove what is left with \
                    --remove-lost and import the post again";

impl Truth {
    /// The current post at the place where it was found; `None` if it was moved or deleted since.
    fn post(&self, rows: &Overlay<'_>, id: &PostId) -> Result<Option<Post>, StoreError> {
        let Some(known) = self.posts.get(id) else { return Ok(None) };
        let place = PostPlace::of(known);
        let table = place.collection.table();
        let whole = rows.get(table, &place.whole(&known.slug))?;
        if whole.is_some() {
            return Ok(post_of(whole, id));
        }
        // If the whole row of a post is lost, only its summary is left.
        let summary = rows.get(table, &place.summary())?;
        Ok(post_of(summary, id).filter(|post| PostPlace::of(post) == place))
    }

    /// Writes a row that follows from a post, and its mirror; or removes both.
    pub(super) fn write_row(&self, rows: &mut Overlay<'_>, table: Table, key: &Key) -> Planned {
        let found = rows.get(table, key)?;
        if let Some(done) = self.keep(rows, (table, key), found.as_ref())? {
            return Ok(done);
        }
        let named = found.as_ref().filter(|_| table == Table::PostKeys).and_then(lookup_rows::named);
        let owner = self.posts.owner(table, key, named.as_ref());
        let expected = match owner {
            None => None,
            Some(known) => match self.post(rows, &known.id)?.map(|post| row_of(table, key, &post)) {
                None => return Ok(Done::left(CHANGED)),
                Some(None) if table == Table::PostKeys => return Ok(Done::left(CHANGED)),
                Some(expected) => expected,
            },
        };
        let done = match (&found, &expected) {
            (_, None) => "removed",
            (None, Some(_)) => "restored",
            (Some(_), Some(_)) => "corrected",
        };
        let pair = time_key(key).map(|of| time::pair(key.partition(), &of));
        for key in pair.map_or_else(|| vec![key.clone()], Vec::from) {
            make(rows, table, key, expected.clone())?;
        }
        Ok(Done::fixed(done))
    }

    /// Why a row must not be replaced or removed: its post cannot be read, is stored twice, or was written after the posts were read.
    fn keep(
        &self,
        rows: &Overlay<'_>,
        (table, key): (Table, &Key),
        found: Option<&Entity>,
    ) -> Result<Option<Done>, StoreError> {
        let at = |collection| time_key(key).map(|key| PostPlace { collection, key });
        let place = match table {
            Table::Posts => at(Collection::Posts),
            Table::Drafts => at(Collection::Drafts),
            Table::PostKeys => found.and_then(place_of),
            _ => at(Collection::Posts),
        };
        let Some(place) = place else {
            let unknown = found.and_then(lookup_rows::named).filter(|id| self.posts.get(id).is_none());
            return Ok(unknown.filter(|_| !self.posts.blind.is_empty()).map(|_| Done::left(BLIND)));
        };
        let known = self.posts.get(&place.key.id);
        let post = match (known, table) {
            (Some(known), Table::Posts | Table::Drafts) => {
                let is_twice = PostPlace::of(known) != place && is_stored(rows, &place, &known.slug)?;
                return Ok(is_twice.then(|| Done::left(TWICE)));
            }
            (Some(known), Table::PostKeys) => self.post(rows, &known.id)?,
            (Some(_), _) => None,
            (None, _) if self.posts.is_blind(&place) => return Ok(Some(Done::left(BLIND))),
            (None, _) => post_of(rows.get(place.collection.table(), &place.summary())?, &place.key.id),
        };
        let expected = post.and_then(|post| row_of(table, key, &post));
        let is_right =
            expected.is_some_and(|row| known.is_none() || found.is_some_and(|found| found.properties == row));
        Ok(is_right.then_some(Done::Nothing))
    }

    /// Everything else in the post stays, even its version; its index rows are fixed afterwards from these partitions.
    pub(super) fn name_field_partitions(&self, rows: &mut Overlay<'_>, collection: Collection, whole: &Key) -> Planned {
        let table = collection.table();
        let Some(row) = rows.get(table, whole)? else { return Ok(Done::Nothing) };
        let Ok(read) = rows::read_whole(&row) else { return Ok(Done::Nothing) };
        let post = Post { field_index: self.indexed.partitions(&read.metadata), ..read.post };
        make(rows, table, whole.clone(), Some(rows::set_field_index(&row.properties, &post.field_index)))?;
        for key in time::pair(whole.partition(), &post.key()) {
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
        let is_elsewhere = self.posts.get(&post.id).is_some_and(|known| PostPlace::of(known) != own);
        if is_elsewhere || existing.as_ref().is_some_and(|existing| existing.properties != row.properties) {
            return Ok(Done::left(TWICE));
        }
        rows.delete(collection.table(), at.clone());
        if (table, key.partition()) != (collection.table(), at.partition()) {
            for old in time::pair(at.partition(), &post.key()) {
                make(rows, collection.table(), old, None)?;
            }
        }
        if existing.is_none() {
            for summary in time::pair(&own.partition(), &own.key) {
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
        let others = key.map(|key| time::pair(partition, key));
        for key in others.into_iter().flatten().chain(whole) {
            make(rows, table, key, None)?;
        }
        Ok(Done::fixed("what was left of the post was removed"))
    }
}

/// Whether a whole post is stored at a place. `slug`: used if the summary there cannot be read.
fn is_stored(rows: &Overlay<'_>, place: &PostPlace, slug: &Slug) -> Result<bool, StoreError> {
    let (table, id) = (place.collection.table(), &place.key.id);
    let summary = post_of(rows.get(table, &place.summary())?, id);
    let whole = place.whole(summary.as_ref().map_or(slug, |post| &post.slug));
    Ok(post_of(rows.get(table, &whole)?, id).is_some_and(|post| PostPlace::of(&post) == *place))
}

/// The place of the post that a row of `PostKeys` names.
fn place_of(row: &Entity) -> Option<PostPlace> {
    match lookup_rows::read(row) {
        Ok(LookupRow::Place { place, .. }) => Some(place),
        Ok(LookupRow::Former { .. }) => None,
        Err(_) => rows::read_summary(row).ok().map(|post| PostPlace::of(&post)),
    }
}

fn post_of(row: Option<Entity>, id: &PostId) -> Option<Post> {
    row.and_then(|row| rows::read_summary(&row).ok()).filter(|post| post.id == *id)
}
