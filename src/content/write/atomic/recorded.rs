//! Changes of rows of `Tokens`. The rule: the whole change fails if a row has changed since the caller read it.

use crate::content::error::Result;
use crate::content::tables::rows::change::{Action, ChangedItem, KIND_OF_PREVIEWS, KIND_OF_TOKENS};
use crate::content::tables::rows::change_log::LogItem;
use crate::content::write::Writer;
use crate::content::write::change_log::Changed;
use crate::keys::Table;
use crate::model::Token;
use crate::store::{Entity, Key, Properties, StoreError};

use super::overlay::Overlay;

/// The id of all preview links together, because a single link has no row.
const PREVIEW_LINKS: &str = "links";

/// A change of a row, which can also remove another row.
#[derive(Clone)]
pub(in crate::content) struct TokenRowChange {
    pub key: Key,
    pub properties: Properties,
    /// The row as it was read; `None` if no row may exist.
    pub replaced: Option<Entity>,
    /// The row to remove, as it was read.
    pub removed: Option<Entity>,
    pub items: Vec<ChangedItem>,
}

impl Writer {
    /// # Errors
    /// [`StoreError::Precondition`] if a row has changed since it was read; [`ContentError::OutcomeUnknown`](crate::content::ContentError::OutcomeUnknown) if
    /// it is unknown whether the change was made; after any other error of the store, nothing has changed.
    pub(in crate::content) async fn change_token_row(&self, change: TokenRowChange) -> Result<()> {
        self.transact(move |rows, _| {
            rows.expect(expected(&change));
            check(rows, &change.key, change.replaced.as_ref())?;
            if let Some(removed) = &change.removed {
                check(rows, &removed.key, Some(removed))?;
                rows.delete(Table::Tokens, removed.key.clone());
            }
            let item = |item: &ChangedItem| LogItem::of_object(item.clone(), None);
            let objects = change.items.iter().map(item).collect();
            rows.put(Table::Tokens, change.key.clone(), change.properties.clone());
            Ok(((), Changed { objects, new_tags: Vec::new() }))
        })
        .await
    }
}

/// The rows that a change reads.
fn expected(change: &TokenRowChange) -> Vec<(Table, Key)> {
    let removed = change.removed.iter().map(|row| row.key.clone());
    removed.chain([change.key.clone()]).map(|key| (Table::Tokens, key)).collect()
}

fn check(rows: &Overlay<'_>, key: &Key, as_read: Option<&Entity>) -> Result<(), StoreError> {
    let stored = rows.get(Table::Tokens, key)?;
    let is_as_read = stored.map(|row| row.etag) == as_read.map(|row| row.etag.clone());
    if is_as_read { Ok(()) } else { Err(StoreError::Precondition(format!("the row {key} has changed"))) }
}

/// The item for an action on a token.
pub(in crate::content) fn of_token(token: &Token, action: Action) -> ChangedItem {
    ChangedItem {
        kind: KIND_OF_TOKENS.to_owned(),
        id: token.id.to_string(),
        slug: token.id.to_string(),
        actions: vec![action],
        version: Some(token.version()),
        creation: None,
    }
}

/// The item for the revocation of all preview links. `version`: the version of the new key.
pub(in crate::content) fn of_revoked_previews(version: i32) -> ChangedItem {
    ChangedItem {
        kind: KIND_OF_PREVIEWS.to_owned(),
        id: PREVIEW_LINKS.to_owned(),
        slug: PREVIEW_LINKS.to_owned(),
        actions: vec![Action::Revoked],
        version: Some(version),
        creation: None,
    }
}
