//! The audit log: the changed objects, the time and the actor. The rule: each change has one row, which its transaction writes, and whose key follows from the
//! name of the change; a refused change has none.
//!
//! The changes of this year and of the last are kept.

use crate::content::error::{ContentError, Result};
use crate::content::tables::read_all;
use crate::content::tables::rows::change::{self as rows, Action, ChangeRow, ChangedItem, KIND_OF_POSTS};
use crate::keys::change_name::ChangeName;
use crate::keys::{Table, history};
use crate::model::{ActorSnapshot, Instant, Post, Term, TermKind};
use crate::store::{Key, Precondition, Properties, Store};

use super::deletion::delete_rows;

/// The row for a change; `None` if nothing was changed.
pub(super) fn row(
    name: &ChangeName,
    by: Option<&ActorSnapshot>,
    items: Vec<ChangedItem>,
) -> Result<Option<(Key, Properties)>> {
    if items.is_empty() {
        return Ok(None);
    }
    let change = ChangeRow { at: name.at(), by: by.cloned(), items };
    let properties = rows::row(&change)
        .map_err(|e| ContentError::TooLarge { what: "one change".to_owned(), reason: e.to_string() })?;
    Ok(Some((history::change(name), properties)))
}

/// The item for a change of a post. `replaces_text`: whether it changes more than slugs, dates and terms.
pub(super) fn of_post(
    name: &ChangeName,
    before: Option<&Post>,
    after: Option<&Post>,
    replaces_text: bool,
) -> Option<ChangedItem> {
    let post = after.or(before)?;
    Some(ChangedItem {
        kind: KIND_OF_POSTS.to_owned(),
        id: post.id.to_string(),
        slug: post.slug.to_string(),
        actions: actions_of_post(before, after, replaces_text, name.at()),
        version: post.version,
        creation: None,
    })
}

/// `now`: the start of the change.
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
    // A follower with a copy has to remove the post now, even though it will appear again.
    let is_withdrawn = is_public(before) && !is_public(after) && after.published_at.is_some();
    at_least_one([
        (replaces_text || has_other_terms).then_some(Action::Updated),
        (before.slug != after.slug).then_some(Action::Renamed),
        is_withdrawn.then_some(Action::Unpublished),
        is_redated.then(|| after.published_at.map_or(Action::Unpublished, publication)),
    ])
}

/// The actions of a change that does not delete the object. A difference without an action, such as another origin, counts as an update.
fn at_least_one<const N: usize>(actions: [Option<Action>; N]) -> Vec<Action> {
    let actions: Vec<Action> = actions.into_iter().flatten().collect();
    if actions.is_empty() { vec![Action::Updated] } else { actions }
}

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
        version: term.version,
        creation: term.creation.as_ref().map(ToString::to_string),
    })
}

/// Deletes the rows of the year before the last.
pub(super) async fn delete_old(store: &Store, now: Instant) -> Result<()> {
    let year = now.month().year().saturating_sub(2);
    let old = read_all(store, Table::Changes, &history::changes(year, None)).await?;
    delete_rows(store, Table::Changes, &old, |_| Precondition::None).await
}
