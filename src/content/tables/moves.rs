//! Reads posts that are being moved between two partitions. The rule: exactly one of the two ends of a move is current: the new one as soon as the
//! old one redirects to it.

use crate::content::error::{ContentError, Result};
use crate::keys::{PostPlace, Table, lookup};
use crate::model::{Post, PostId, Slug};
use crate::store::{Entity, Store};

use super::rows::lookup::{self as lookup_rows, LookupRow};
use super::rows::post::{self as rows, Move, OtherPlace};

/// How often a post may be moved while it is looked for.
const STEPS_MAX: usize = 8;

/// Whether a row has `PendingFrom` or `ForwardTo`, so that only [`is_current`] decides whether it counts.
pub(in crate::content) fn may_be_moving(row: &Entity) -> bool {
    rows::is_marked(row)
}

/// Whether a post's row is current. One point read if it is the new end of a move, two if the old end is gone, otherwise none.
pub(in crate::content) async fn is_current(store: &Store, row: &Entity) -> Result<bool> {
    let from = match rows::read_move(row)? {
        None => return Ok(true),
        Some(Move::ForwardTo(_)) => return Ok(false),
        Some(Move::PendingFrom(from)) => PostPlace::from(from),
    };
    let here = PostPlace::of(&rows::read_summary(row)?);
    match store.get(from.collection.name(), &from.summary()).await? {
        // It may redirect to another place, where a later change has moved the post.
        Some(old) => {
            Ok(matches!(rows::read_move(&old)?, Some(Move::ForwardTo(to)) if PostPlace::from(to.clone()) == here))
        }
        // The redirect is removed only after `PendingFrom`: this move was made and its row has lost `PendingFrom` meanwhile, or another change was
        // made instead.
        None => match store.get(here.collection.name(), &row.key).await? {
            Some(now) => Ok(rows::read_move(&now)?.is_none()),
            None => Ok(false),
        },
    }
}

/// The post at a place, or at the place to which the rows there redirect. One point read if it is not being moved. `slug`: its slug at that place,
/// because a post that changes its instant within its month keeps only the row under its slug.
pub(in crate::content) async fn follow(store: &Store, place: &PostPlace, slug: Option<&Slug>) -> Result<Option<Post>> {
    let (mut place, mut slug) = (place.clone(), slug.cloned());
    for _ in 0..STEPS_MAX {
        let Some(row) = row_at(store, &place, slug.as_ref()).await? else { return Ok(None) };
        let post = rows::read_summary(&row)?;
        place = match rows::read_move(&row)? {
            None => return Ok(Some(post)),
            Some(Move::PendingFrom(_)) if is_current(store, &row).await? => return Ok(Some(post)),
            Some(Move::ForwardTo(other) | Move::PendingFrom(other)) => other.into(),
        };
        slug = Some(post.slug);
    }
    Err(ContentError::Gone { what: "a post" })
}

async fn row_at(store: &Store, place: &PostPlace, slug: Option<&Slug>) -> Result<Option<Entity>> {
    let summary = store.get(place.collection.name(), &place.summary()).await?;
    let (None, Some(slug)) = (&summary, slug) else { return Ok(summary) };
    let Some(row) = store.get(place.collection.name(), &place.whole(slug)).await? else { return Ok(None) };
    Ok((rows::read_summary(&row)?.id == place.key.id).then_some(row))
}

/// The post with this id as it is now: at one of the places that the caller knows, or at the place that `PostKeys` names.
pub(in crate::content) async fn find(store: &Store, id: &PostId, known: &[PostPlace]) -> Result<Option<Post>> {
    for place in known {
        if let Some(post) = follow(store, place, None).await? {
            return Ok(Some(post));
        }
    }
    let mut last_read = None;
    for _ in 0..STEPS_MAX {
        let Some(row) = store.get(Table::PostKeys.name(), &lookup::by_id(id)).await? else { return Ok(None) };
        let LookupRow::Place { place, slug, .. } = lookup_rows::read(&row)? else { return Ok(None) };
        if let Some(post) = follow(store, &place, Some(&slug)).await? {
            return Ok(Some(post));
        }
        // Its rows are removed only after `PostKeys` names the new place. If it still names this one, the post is gone.
        if last_read.as_ref() == Some(&row.etag) {
            return Ok(None);
        }
        last_read = Some(row.etag);
    }
    Err(ContentError::Gone { what: "a post" })
}

impl From<OtherPlace> for PostPlace {
    fn from(other: OtherPlace) -> Self {
        Self { collection: other.collection, key: other.key }
    }
}
