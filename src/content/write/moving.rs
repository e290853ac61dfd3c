//! The two ends of a move between partitions. The rule: a row is read before it is written, and what another change has put there is left to
//! that change.

use std::collections::BTreeSet;

use crate::content::error::Result;
use crate::content::moves::stands;
use crate::content::rows::count;
use crate::content::rows::post::{self as rows, Move};
use crate::keys::intent::IntentName;
use crate::keys::{PostPlace, lookup, place};
use crate::model::{Post, WholePost};
use crate::store::{Batch, Entity, Precondition, Store};

use super::claim;
use super::index::put_count;
use super::intent;
use super::plan;
use super::retry::until_settled;
use super::transaction::commit_group;

/// What stands at the place that a post is to move to.
enum Site {
    Free,
    /// This change's own rows: an answer was lost.
    Own,
    /// The post itself, moved here by another change, or another change's rows that are still pending.
    Others,
    /// What earlier moves left: of no use to anyone.
    Left(fn(&Entity) -> Result<bool>),
}

/// Puts the rows of the new place, marked as pending. `false`: another change of the post has the place, so this one is lost.
pub async fn put_pending(store: &Store, intent: &IntentName, before: &Post, after: &WholePost) -> Result<bool> {
    let place = PostPlace::of(&after.post);
    let step = plan::pending_step(before, after, &intent.to_string())?;
    until_settled("a move", || async {
        loop {
            match look(store, intent, &place).await? {
                Site::Own => return Ok(true),
                Site::Others => return Ok(false),
                Site::Free => return commit_group(store, &[&step]).await.map(|()| true),
                Site::Left(bears_mark) => {
                    let keys = BTreeSet::from([lookup::by_id(&before.id), lookup::by_slug(&before.slug)]);
                    // Forwarding rows are the way to the post until `PostKeys` names its place.
                    claim::settle(store, intent, &before.id, &keys, &[PostPlace::of(before)]).await?;
                    // They are what an end that still bears its mark stands by. Without it that end has another ETag than was read.
                    if clear_mark(store, &PostPlace::of(before)).await? {
                        return Ok(false);
                    }
                    remove_rows(store, &place, bears_mark).await?;
                }
            }
        }
    })
    .await
}

async fn look(store: &Store, intent: &IntentName, place: &PostPlace) -> Result<Site> {
    let Some(row) = store.get(place.shelf.name(), &place.summary()).await? else { return Ok(Site::Free) };
    Ok(match rows::read_move(&row)? {
        None => Site::Others,
        Some(Move::ForwardTo(_)) => Site::Left(is_forwarding),
        Some(Move::PendingFrom(_)) => {
            let by = rows::pending_by(&row)?;
            match by == intent.to_string() {
                true => Site::Own,
                false if stands(store, &row).await? => Site::Others,
                false if intent::is_open_elsewhere(store, &by, intent).await? => Site::Others,
                false => Site::Left(is_pending),
            }
        }
    })
}

/// Takes the mark off the rows at the new place, and the rows at the old one away.
pub async fn finish(store: &Store, before: &Post, after: &Post) -> Result<()> {
    clear_mark(store, &PostPlace::of(after)).await?;
    remove_rows(store, &PostPlace::of(before), is_forwarding).await
}

/// As [`finish`], for the move that was made from there, whoever made it: a later change has taken the post away from where it led.
pub async fn finish_any(store: &Store, before: &Post) -> Result<()> {
    let place = PostPlace::of(before);
    let Some(row) = store.get(place.shelf.name(), &place.summary()).await? else { return Ok(()) };
    let Some(Move::ForwardTo(to)) = rows::read_move(&row)? else { return Ok(()) };
    clear_mark(store, &to.into()).await?;
    remove_rows(store, &place, is_forwarding).await
}

/// Takes the pending rows away that this intent has put.
pub async fn undo(store: &Store, intent: &IntentName, after: &Post) -> Result<()> {
    let place = PostPlace::of(after);
    let Some(row) = store.get(place.shelf.name(), &place.summary()).await? else { return Ok(()) };
    if !is_pending(&row)? || rows::pending_by(&row)? != intent.to_string() || stands(store, &row).await? {
        return Ok(());
    }
    remove_rows(store, &place, is_pending).await
}

fn is_forwarding(row: &Entity) -> Result<bool> {
    Ok(matches!(rows::read_move(row)?, Some(Move::ForwardTo(_))))
}

fn is_pending(row: &Entity) -> Result<bool> {
    Ok(matches!(rows::read_move(row)?, Some(Move::PendingFrom(_))))
}

/// The row under the slug, whose ETag stands for all of the post's rows at a place; `None` where the post has none there.
async fn whole_row(store: &Store, place: &PostPlace) -> Result<Option<Entity>> {
    let Some(summary) = store.get(place.shelf.name(), &place.summary()).await? else { return Ok(None) };
    let slug = rows::read_summary(&summary)?.slug;
    Ok(store.get(place.shelf.name(), &place.whole(&slug)).await?)
}

/// Whether there was one.
async fn clear_mark(store: &Store, place: &PostPlace) -> Result<bool> {
    until_settled("a move", || async {
        let Some(row) = whole_row(store, place).await? else { return Ok(false) };
        if !is_pending(&row)? || !stands(store, &row).await? {
            return Ok(false);
        }
        let whole = rows::read_whole(&row)?;
        let operations = plan::put_rows(&whole, None, &Precondition::Match(row.etag))?;
        store.commit(place.shelf.name(), &Batch::new(place.partition(), operations)?).await?;
        Ok(true)
    })
    .await
}

/// Deletes the post's rows at a place where they still bear that mark. Pending rows were counted when they were put; forwarding rows were
/// taken off the count by the commit that made them.
async fn remove_rows(store: &Store, place: &PostPlace, bears_mark: fn(&Entity) -> Result<bool>) -> Result<()> {
    until_settled("a move", || async {
        let Some(row) = whole_row(store, place).await? else { return Ok(()) };
        if !bears_mark(&row)? {
            return Ok(());
        }
        let post = rows::read_summary(&row)?;
        let mut operations = plan::delete_rows(&post, &row.etag);
        if is_pending(&row)?
            && let Some(found) = store.get(place.shelf.name(), &place::count(place.partition())).await?
        {
            let fewer = count::read(&found)?.changed(-1, None);
            operations.push(put_count(&fewer, Precondition::Match(found.etag)));
        }
        store.commit(place.shelf.name(), &Batch::new(place.partition(), operations)?).await?;
        Ok(())
    })
    .await
}
