//! The record of changes: what was changed, when and by whom. The rule: each intent that has changed anything has one row, whose key follows from the
//! intent, so that a recovery writes the same row; a refused change has none.
//!
//! The changes of this year and of the last are kept.

use crate::content::error::{ContentError, Result};
use crate::content::tables::read_all;
use crate::content::tables::rows::change::{self as rows, Action, ChangeRow, ChangedItem, KIND_OF_POSTS};
use crate::keys::intent::IntentName;
use crate::keys::{Table, history};
use crate::model::{ActorSnapshot, CreationId, Instant, Post, Term, TermKind};
use crate::store::limits::BATCH_OPERATIONS_MAX;
use crate::store::{Batch, Key, Operation, Precondition, Properties, Store, StoreError};

/// How often a row is sent when the answers are lost.
const TRIES_MAX: u32 = 4;

/// Records what an intent has changed, at most once. One transaction, or none if the intent has changed nothing.
pub(super) async fn write(
    store: &Store,
    intent: &IntentName,
    by: Option<&ActorSnapshot>,
    items: Vec<ChangedItem>,
) -> Result<()> {
    let Some((key, properties)) = row(intent, by, items)? else { return Ok(()) };
    let put = Operation::Put { row: key.row().to_owned(), properties, precondition: Precondition::Absent };
    let batch = Batch::new(key.partition(), vec![put])?;
    for _ in 1..TRIES_MAX {
        match store.commit(Table::Changes.name(), &batch).await {
            // The row exists already: an earlier try wrote it, or a recovery, which writes the same.
            Ok(_) | Err(StoreError::Precondition(_)) => return Ok(()),
            Err(StoreError::OutcomeUnknown { .. }) => {}
            Err(e) => return Err(e.into()),
        }
    }
    match store.commit(Table::Changes.name(), &batch).await {
        Ok(_) | Err(StoreError::Precondition(_)) => Ok(()),
        Err(e) => Err(e.into()),
    }
}

/// The row that records what an intent has changed; `None` if it has changed nothing.
pub(super) fn row(
    intent: &IntentName,
    by: Option<&ActorSnapshot>,
    items: Vec<ChangedItem>,
) -> Result<Option<(Key, Properties)>> {
    let (Some(key), Some((at, _)), false) = (history::change(intent), intent.parts(), items.is_empty()) else {
        return Ok(None);
    };
    let change = ChangeRow { at, by: by.cloned(), items };
    let properties = rows::row(&change)
        .map_err(|e| ContentError::TooLarge { what: "one change".to_owned(), reason: e.to_string() })?;
    Ok(Some((key, properties)))
}

/// Whether the record says that an intent has changed this post or term. One point read.
pub(super) async fn has(store: &Store, intent: &IntentName, id: &str) -> Result<bool> {
    let Some(key) = history::change(intent) else { return Ok(false) };
    let row = store.get(Table::Changes.name(), &key).await?;
    let change = row.as_ref().map(rows::read).transpose()?;
    Ok(change.is_some_and(|change| change.items.iter().any(|item| item.id == id)))
}

/// The change of a post from one state to the other, by this intent. `replaces_text`: whether it replaces the title, the excerpt, the cover, the language, the body or the
/// metadata, or whether the post is featured, which a recovery cannot compare.
pub(super) fn of_post(
    intent: &IntentName,
    before: Option<&Post>,
    after: Option<&Post>,
    replaces_text: bool,
) -> Option<ChangedItem> {
    let (started_at, _) = intent.parts()?;
    let post = after.or(before)?;
    Some(ChangedItem {
        kind: KIND_OF_POSTS.to_owned(),
        id: post.id.to_string(),
        slug: post.slug.to_string(),
        actions: actions_of_post(before, after, replaces_text, started_at),
        version: Some(post.version),
        creation: None,
    })
}

/// `now`: when the change started, so that a recovery finds the same actions.
fn actions_of_post(before: Option<&Post>, after: Option<&Post>, replaces_text: bool, now: Instant) -> Vec<Action> {
    let publication = |at: Instant| if at > now { Action::Scheduled } else { Action::Published };
    let (before, after) = match (before, after) {
        (None, after) => {
            let published_at = after.and_then(|post| post.published_at);
            return [Action::Created].into_iter().chain(published_at.map(publication)).collect();
        }
        (_, None) => return vec![Action::Deleted],
        (Some(before), Some(after)) => (before, after),
    };
    let has_other_terms = TermKind::ALL.into_iter().any(|kind| before.terms(kind) != after.terms(kind));
    let is_redated = before.published_at != after.published_at;
    let is_public = |post: &Post| post.published_at.is_some_and(|at| at <= now);
    // Who keeps a copy removes the post, although it will appear again.
    let is_withdrawn = is_public(before) && !is_public(after) && after.published_at.is_some();
    at_least_one([
        (replaces_text || has_other_terms).then_some(Action::Updated),
        (before.slug != after.slug).then_some(Action::Renamed),
        is_withdrawn.then_some(Action::Unpublished),
        is_redated.then(|| after.published_at.map_or(Action::Unpublished, publication)),
    ])
}

/// The actions of a change that leaves the object in place. What has no action of its own, such as another source of an import, is an update.
fn at_least_one<const N: usize>(actions: [Option<Action>; N]) -> Vec<Action> {
    let actions: Vec<Action> = actions.into_iter().flatten().collect();
    if actions.is_empty() { vec![Action::Updated] } else { actions }
}

/// The change of a term from one state to the other.
pub(super) fn of_term(before: Option<&Term>, after: Option<&Term>) -> Option<ChangedItem> {
    let term = after.or(before)?;
    let fields = |term: &Term| {
        let (name, description, url) = (term.name.clone(), term.description.clone(), term.url.clone());
        (name, description, url, term.profile.clone(), term.parent.clone(), term.order.clone())
    };
    let actions = match (before, after) {
        (None, _) => vec![Action::Created],
        (Some(_), None) => vec![Action::Deleted],
        (Some(before), Some(after)) => at_least_one([
            (fields(before) != fields(after)).then_some(Action::Updated),
            (before.slug != after.slug).then_some(Action::Renamed),
        ]),
    };
    Some(ChangedItem {
        kind: term.kind().noun().to_owned(),
        id: term.id.first_slug.to_string(),
        slug: term.slug.to_string(),
        actions,
        version: Some(term.version),
        creation: term.creation.as_ref().and_then(CreationId::stored).map(ToOwned::to_owned),
    })
}

/// Whether the record of a change of this instant is kept, and not deleted as that of the year before the last.
pub(super) fn is_kept(at: Instant, now: Instant) -> bool {
    at.month().year().saturating_add(1) >= now.month().year()
}

/// Deletes the changes of the year before the last.
pub(super) async fn delete_old(store: &Store, now: Instant) -> Result<()> {
    let year = now.month().year().saturating_sub(2);
    let old = read_all(store, Table::Changes, &history::changes(year, None)).await?;
    for rows in old.chunks(BATCH_OPERATIONS_MAX) {
        let delete = rows
            .iter()
            .map(|row| Operation::Delete { row: row.key.row().to_owned(), precondition: Precondition::None });
        match store.commit(Table::Changes.name(), &Batch::new(rows[0].key.partition(), delete.collect())?).await {
            // Another server has deleted them first.
            Ok(_) | Err(StoreError::Precondition(_)) => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(())
}
