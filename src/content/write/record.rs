//! The record of changes, for those who would know what has changed and by whom. The rule: one row for each intent that has changed anything,
//! under a key that follows from the intent, so that recovery may write it again.
//!
//! The changes of this year and of the last are kept.

use crate::content::directory::read_all;
use crate::content::error::{ContentError, Result};
use crate::content::rows::change::{self as rows, Action, ChangeRow, ChangedItem};
use crate::keys::intent::IntentName;
use crate::keys::{Table, history};
use crate::model::{Instant, Post, Term};
use crate::store::limits::BATCH_OPERATIONS_MAX;
use crate::store::{Batch, Operation, Precondition, Store, StoreError};

use super::settle::Settlement;

/// Records what an intent has changed. One transaction, or none where it has changed nothing.
pub async fn write(store: &Store, intent: &IntentName, by: Option<&str>, items: Vec<ChangedItem>) -> Result<()> {
    let (Some(key), Some((at, _)), false) = (history::change(intent), intent.parts(), items.is_empty()) else {
        return Ok(());
    };
    let change = ChangeRow { at, by: by.map(ToOwned::to_owned), items };
    let properties = rows::row(&change)
        .map_err(|e| ContentError::TooLarge { what: "one change".to_owned(), reason: e.to_string() })?;
    let put = Operation::Put { row: key.row().to_owned(), properties, precondition: Precondition::None };
    let batch = Batch::new(key.partition(), vec![put])?;
    match store.commit(Table::Changes.name(), &batch).await {
        Err(StoreError::OutcomeUnknown { .. }) => store.commit(Table::Changes.name(), &batch).await?,
        recorded => recorded?,
    };
    Ok(())
}

/// The posts of these settlements that are as they were to be.
pub fn of_posts(settlements: &[Settlement]) -> Vec<ChangedItem> {
    settlements.iter().filter(|settlement| settlement.is_done()).filter_map(of_post).collect()
}

fn of_post(settlement: &Settlement) -> Option<ChangedItem> {
    let (before, after) = (settlement.before.as_ref(), settlement.after.as_ref());
    let post = after.or(before)?;
    Some(ChangedItem {
        kind: "post".to_owned(),
        id: post.id.to_string(),
        slug: post.slug.to_string(),
        action: action(before, after),
        version: after.map(|after| after.version),
    })
}

fn action(before: Option<&Post>, after: Option<&Post>) -> Action {
    let at = |post: Option<&Post>| post.and_then(|post| post.published_at);
    match (before, after) {
        (None, _) => Action::Created,
        (Some(_), None) => Action::Deleted,
        _ if at(before) == at(after) => Action::Updated,
        _ if at(after).is_some() => Action::Published,
        _ => Action::Unpublished,
    }
}

pub fn of_term(term: &Term, action: Action) -> ChangedItem {
    ChangedItem {
        kind: term.kind().noun().to_owned(),
        id: term.id.first_slug.to_string(),
        slug: term.slug.to_string(),
        action,
        version: None,
    }
}

/// Takes the changes of the year before the last away.
pub async fn forget_old(store: &Store, now: Instant) -> Result<()> {
    let year = now.month().year().saturating_sub(2);
    let old = read_all(store, Table::Changes, &history::changes(year, None)).await?;
    for rows in old.chunks(BATCH_OPERATIONS_MAX) {
        let delete = rows
            .iter()
            .map(|row| Operation::Delete { row: row.key.row().to_owned(), precondition: Precondition::None });
        match store.commit(Table::Changes.name(), &Batch::new(rows[0].key.partition(), delete.collect())?).await {
            // Another server was quicker.
            Ok(_) | Err(StoreError::Precondition(_)) => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(())
}
