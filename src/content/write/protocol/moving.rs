//! The two ends of a move between partitions. The rule: changes of one post are made one at a time, so rows of the post at the new place belong to
//! this change, or are leftovers of a closed one.

use crate::content::error::Result;
use crate::content::tables::rows::count;
use crate::content::tables::rows::post::{self as rows, Move};
use crate::content::write::plan::{PostRows, Step, count_operation, delete_rows, put_rows, tentative_step};
use crate::content::write::retry::retry_on_conflict;
use crate::keys::intent::IntentName;
use crate::keys::{PostPlace, place};
use crate::model::{Post, PostId, Slug};
use crate::store::{Batch, Entity, Key, Precondition, Store};

use super::intent::{is_closed, require_open};
use super::{Session, steps};

/// How many leftovers of closed changes are removed before the tentative copy is written; there is at most one for each of its rows.
const LEFTOVERS_MAX: usize = 4;

impl Session<'_> {
    /// Writes the tentative copy. Returns `false` if the place is not free.
    pub(super) async fn put_tentative(&self, before: &Post, after: &Post, rows: &PostRows) -> Result<bool> {
        let step = tentative_step(before, after, rows, &self.name.to_string());
        for _ in 0..LEFTOVERS_MAX {
            if steps::apply_one(self, &step).await?.is_some() {
                return Ok(true);
            }
            if !self.remove_leftover(&step, after).await? {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Removes rows of the same post at its new place, which a closed change has left there. Returns whether there were any.
    async fn remove_leftover(&self, step: &Step, after: &Post) -> Result<bool> {
        let place = PostPlace::of(after);
        for row in step.operations.iter().map(|operation| operation.row()) {
            let found = self.store.get(place.collection.name(), &Key::new(place.partition(), row)?).await?;
            let Some(found) = found.filter(rows::is_marked) else { continue };
            let post = rows::read_summary(&found)?;
            if post.id == after.id {
                let place = PostPlace { key: post.key(), ..place.clone() };
                return self.remove_closed_copy(&place, &post.slug).await;
            }
        }
        Ok(false)
    }

    /// Removes a copy whose change is closed. Returns `false` if that change is open: then this one was aborted, and the post has been taken since.
    async fn remove_closed_copy(&self, place: &PostPlace, slug: &Slug) -> Result<bool> {
        let Some(row) = self.store.get(place.collection.name(), &place.whole(slug)).await? else { return Ok(false) };
        if let Some(by) = marked_by(&row)?.filter(|by| *by != self.name)
            && !is_closed(&self.store, &by).await?
        {
            return Ok(false);
        }
        require_open(&self.store, &self.name).await?;
        remove_copy(&self.store, place, slug, |found| Ok(found.etag == row.etag)).await?;
        Ok(true)
    }

    /// After the commit: removes `PendingFrom` and `PendingBy` from the rows at the new place.
    pub(super) async fn clear_mark(&self, after: &Post) -> Result<()> {
        let place = PostPlace::of(after);
        retry_on_conflict("a move", || async {
            let found = self.store.get(place.collection.name(), &place.whole(&after.slug)).await?;
            let Some(row) = found.filter(|row| is_pending(row, &self.name)) else { return Ok(()) };
            require_open(&self.store, &self.name).await?;
            let whole = row.properties.without(rows::PENDING_FROM).without(rows::PENDING_BY);
            let unmarked = PostRows { whole, summary: rows::summary(&rows::read_summary(&row)?) };
            let operations = put_rows(after, &unmarked, &Precondition::Match(row.etag));
            self.store.commit(place.collection.name(), &Batch::new(place.partition(), operations)?).await?;
            Ok(())
        })
        .await
    }

    /// After the commit: removes the redirects at the old place, or at the old slug.
    pub(super) async fn remove_redirects(&self, before: &Post) -> Result<()> {
        let is_redirect = |row: &Entity| Ok(matches!(rows::read_move(row)?, Some(Move::ForwardTo(_))));
        let place = PostPlace::of(before);
        if self.store.get(place.collection.name(), &place.whole(&before.slug)).await?.is_none() {
            return Ok(());
        }
        require_open(&self.store, &self.name).await?;
        remove_copy(&self.store, &place, &before.slug, is_redirect).await
    }
}

/// Removes the tentative copy that names an intent whose change was not made (W4).
pub(super) async fn remove_named(store: &Store, name: &IntentName, after: &Post) -> Result<()> {
    remove_copy(store, &PostPlace::of(after), &after.slug, |row| Ok(is_pending(row, name))).await
}

/// The intent that has marked a row as one end of a move.
fn marked_by(row: &Entity) -> Result<Option<IntentName>> {
    Ok(match rows::read_move(row)? {
        Some(Move::PendingFrom(_)) => rows::pending_by(row)?.parse().ok(),
        _ => rows::made_by(row)?,
    })
}

fn is_pending(row: &Entity, by: &IntentName) -> bool {
    matches!(rows::read_move(row), Ok(Some(Move::PendingFrom(_))))
        && rows::pending_by(row).is_ok_and(|text| text == by.to_string())
}

/// Deletes a post's rows at a place if the row under its slug passes `is_removed`. The summary and its mirror are deleted only if they have
/// `PendingFrom` or `ForwardTo` too, because next to a slug's redirect they are the post's own. Tentative rows were counted when they were written;
/// redirects were taken off the count by the commit that wrote them.
async fn remove_copy(
    store: &Store,
    place: &PostPlace,
    slug: &Slug,
    is_removed: impl Fn(&Entity) -> Result<bool>,
) -> Result<()> {
    retry_on_conflict("a move", || async {
        let Some(row) = store.get(place.collection.name(), &place.whole(slug)).await? else { return Ok(()) };
        let post = rows::read_summary(&row)?;
        if post.id != place.key.id || !is_removed(&row)? {
            return Ok(());
        }
        let mut operations = delete_rows(&post, &row.etag);
        let was_pending = matches!(rows::read_move(&row)?, Some(Move::PendingFrom(_)));
        if !has_marked_summary(store, &PostPlace { key: post.key(), ..place.clone() }, &post.id).await? {
            operations.truncate(1);
        } else if was_pending
            && let Some(found) = store.get(place.collection.name(), &place::count(place.partition())).await?
        {
            let fewer = count::read(&found)?.changed(-1, None);
            operations.push(count_operation(&fewer, Precondition::Match(found.etag)));
        }
        store.commit(place.collection.name(), &Batch::new(place.partition(), operations)?).await?;
        Ok(())
    })
    .await
}

async fn has_marked_summary(store: &Store, place: &PostPlace, id: &PostId) -> Result<bool> {
    let row = store.get(place.collection.name(), &place.summary()).await?;
    Ok(row.is_some_and(|row| rows::is_marked(&row) && place.key.id == *id))
}
