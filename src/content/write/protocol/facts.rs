//! Whether a change was made. The rule (W5): it is read from rows that name the intent, and never inferred from what a post or term looks like.

use crate::content::error::Result;
use crate::content::tables::rows::marker::{self, Marker};
use crate::content::tables::rows::post::{self as rows, Move};
use crate::content::tables::rows::term::{self as term_rows, TermRow};
use crate::content::write::plan::is_move;
use crate::content::write::record;
use crate::keys::intent::IntentName;
use crate::keys::{PostPlace, Table, place, term};
use crate::model::{Post, Term};
use crate::store::Store;

/// Whether the commit of an open intent's change of a post was made. One to three point reads.
pub(super) async fn is_post_made(
    store: &Store,
    name: &IntentName,
    before: Option<&Post>,
    after: Option<&Post>,
) -> Result<bool> {
    let Some(after) = after else {
        let Some(before) = before else { return Ok(false) };
        return is_deleted(store, name, before).await;
    };
    let place = PostPlace::of(after);
    if let Some(row) = store.get(place.collection.name(), &place.whole(&after.slug)).await?
        && rows::made_by(&row)?.as_ref() == Some(name)
        && rows::read_move(&row)?.is_none()
    {
        return Ok(true);
    }
    let Some(before) = before.filter(|before| is_move(before, after)) else { return Ok(false) };
    let place = PostPlace::of(before);
    let row = store.get(place.collection.name(), &place.whole(&before.slug)).await?;
    let Some(row) = row else { return Ok(false) };
    Ok(rows::made_by(&row)?.as_ref() == Some(name) && matches!(rows::read_move(&row)?, Some(Move::ForwardTo(_))))
}

/// The marker is removed last, after the deletion was recorded; so if it is gone, the record decides.
async fn is_deleted(store: &Store, name: &IntentName, before: &Post) -> Result<bool> {
    let place = PostPlace::of(before);
    let row = store.get(place.collection.name(), &place::marker(place.partition(), &before.id)).await?;
    match row.as_ref().map(marker::read).transpose()? {
        Some(Marker::Deleted(by)) if by == name.to_string() => Ok(true),
        _ => record::has(store, name, before.id.as_str()).await,
    }
}

/// Whether the commit of an open intent's change of a term was made. One or two point reads.
pub(super) async fn is_term_made(store: &Store, name: &IntentName, term: &Term, is_deletion: bool) -> Result<bool> {
    let kind = term.kind();
    let row = store.get(Table::Terms(kind).name(), &term::term(&term.id.first_slug)).await?;
    let found = row.map(|row| term_rows::read(kind, &row)).transpose()?;
    match (found, is_deletion) {
        (Some(TermRow::Identity(row)), false) => Ok(row.made_by.as_ref() == Some(name)),
        (Some(TermRow::Gone { by, .. }), true) if by == name.to_string() => Ok(true),
        (_, true) => record::has(store, name, term.id.first_slug.as_str()).await,
        (_, false) => Ok(false),
    }
}
