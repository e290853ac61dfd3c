//! Fixes `PostKeys`. The rule: a row is written from the posts; a row that points to no post is removed.

use crate::content::error::Result;
use crate::content::maintenance::check::{Owners, Posts};
use crate::content::tables::rows::lookup::{self as rows, LookupRow};
use crate::content::tables::rows::post as post_rows;
use crate::content::write::retry_on_conflict;
use crate::keys::lookup::{self, Lookup};
use crate::keys::{PostPlace, Table};
use crate::model::{Post, PostId};
use crate::store::{Key, Properties};

use super::Done;
use super::context::{BLIND, CHANGED, FoundRow, Repair};

pub(super) struct OwnersOf<'a>(Owners<'a>);

impl<'a> OwnersOf<'a> {
    pub(super) fn of(posts: &'a Posts) -> Self {
        Self(Owners::of(posts))
    }

    /// The post that a row must point to, and whether as its place or as a former slug.
    fn points_to(&self, found_by: &Lookup, posts: &Posts, named: Option<&PostId>) -> Option<(PostId, bool)> {
        match found_by {
            Lookup::Id(id) => posts.get(id).map(|_| (id.clone(), true)),
            Lookup::Slug(slug) => self.0.points_to(slug, named).map(|(id, is_current)| (id.clone(), is_current)),
        }
    }
}

impl Repair<'_> {
    pub(super) async fn fix_lookup(&self, key: &Key) -> Result<Done> {
        let Some(found_by) = lookup::parse(key) else { return Ok(Done::Nothing) };
        retry_on_conflict("a slug", || self.look_up_once(key, &found_by)).await
    }

    async fn look_up_once(&self, key: &Key, found_by: &Lookup) -> Result<Done> {
        let found = self.get(Table::PostKeys, key).await?;
        let read = found.as_ref().and_then(|row| rows::read(row).ok());
        if let Some(why) = self.keep_lookup(read.as_ref(), found_by).await? {
            return Ok(why);
        }
        let named = read.as_ref().map(LookupRow::id);
        let expected = match self.owners.points_to(found_by, self.posts, named) {
            None => None,
            Some((id, is_place)) => {
                let Some(post) = self.truth(&id).await? else { return Ok(Done::left(CHANGED)) };
                match row_of(&post, found_by, is_place) {
                    Some(properties) => Some(properties),
                    None => return Ok(Done::left(CHANGED)),
                }
            }
        };
        let done = match (&found, &expected) {
            (Some(_), None) => "removed".to_owned(),
            (Some(_), Some(_)) => "corrected".to_owned(),
            (None, _) => "restored".to_owned(),
        };
        // The version in a row is ignored, because it does not show where the post is.
        if let (Some(Ok(expected)), Some(read)) =
            (expected.as_ref().map(|expected| read_properties(key, expected)), &read)
            && is_same(&expected, read)
        {
            return Ok(Done::Nothing);
        }
        let row = FoundRow { row: key.row().to_owned(), found, expected };
        let is_made = self.make(Table::PostKeys, key.partition(), vec![row]).await?;
        Ok(if is_made { Done::Fixed(done) } else { Done::Nothing })
    }

    /// Why a row must not be replaced or removed: its post cannot be read, or was written after the posts were read.
    async fn keep_lookup(&self, read: Option<&LookupRow>, found_by: &Lookup) -> Result<Option<Done>> {
        let Some(read) = read else { return Ok(None) };
        let id = read.id();
        let LookupRow::Place { place, slug, .. } = read else {
            let may_be_blind = self.posts.get(id).is_none() && !self.posts.blind.is_empty();
            return Ok(may_be_blind.then(|| Done::left(BLIND)));
        };
        if self.posts.get(id).is_some() {
            return Ok(None);
        }
        if self.posts.is_blind(place) {
            return Ok(Some(Done::left(BLIND)));
        }
        let is_named = matches!(found_by, Lookup::Id(by) if by == id) || *found_by == Lookup::Slug(slug.clone());
        let row = self.get(place.collection.table(), &place.whole(slug)).await?;
        let post = row.and_then(|row| post_rows::read_summary(&row).ok());
        let is_stored = post.is_some_and(|post| post.id == *id && PostPlace::of(&post) == *place);
        Ok((is_named && is_stored).then_some(Done::Nothing))
    }
}

/// `None` if the post no longer has the slug.
fn row_of(post: &Post, found_by: &Lookup, is_place: bool) -> Option<Properties> {
    match (found_by, is_place) {
        (Lookup::Id(_), _) => Some(rows::place(post)),
        (Lookup::Slug(slug), true) => (post.slug == *slug).then(|| rows::place(post)),
        (Lookup::Slug(slug), false) => post.former_slugs.contains(slug).then(|| rows::former(&post.id)),
    }
}

fn read_properties(key: &Key, properties: &Properties) -> Result<LookupRow> {
    let etag = crate::store::Etag(Default::default());
    Ok(rows::read(&crate::store::Entity { key: key.clone(), etag, properties: properties.clone() })?)
}

fn is_same(a: &LookupRow, b: &LookupRow) -> bool {
    match (a, b) {
        (
            LookupRow::Place { place, slug, origin, .. },
            LookupRow::Place { place: other_place, slug: other_slug, origin: other_origin, .. },
        ) => (place, slug, origin) == (other_place, other_slug, other_origin),
        (LookupRow::Former { id }, LookupRow::Former { id: other }) => id == other,
        _ => false,
    }
}
