//! Recorded changes of rows of `Tokens` and `Webhooks`, which are no content. The rule: the whole change fails if a row has changed since the caller read it.

use crate::content::error::Result;
use crate::content::tables::rows::change::{Action, ChangedItem, KIND_OF_PREVIEWS, KIND_OF_TOKENS, KIND_OF_WEBHOOKS};
use crate::content::tables::rows::change_log::LogItem;
use crate::content::write::Writer;
use crate::content::write::change_log::Changed;
use crate::keys::Table;
use crate::model::{Token, WebhookId};
use crate::store::{Entity, Etag, Key, Properties, StoreError};

use super::overlay::Overlay;

/// The id of all preview links together, because a single link has no row.
const PREVIEW_LINKS: &str = "links";

/// A change of a row, which can also remove another row.
#[derive(Clone)]
pub(in crate::content) struct RecordedChange {
    pub table: Table,
    pub key: Key,
    /// `None` to delete the row.
    pub properties: Option<Properties>,
    /// The row as it was read; `None` if no row may exist.
    pub replaced: Option<Etag>,
    /// Another row of the table to remove, as it was read.
    pub removed: Option<Entity>,
    pub items: Vec<ChangedItem>,
}

impl Writer {
    /// # Errors
    /// [`StoreError::Precondition`] if a row has changed since it was read; [`ContentError::OutcomeUnknown`](crate::content::ContentError::OutcomeUnknown) if
    /// it is unknown whether the change was made; after any other error of the store, nothing has changed.
    pub(in crate::content) async fn change_recorded(&self, change: RecordedChange) -> Result<()> {
        self.transact(move |rows, _| {
            rows.expect(expected(&change));
            check(rows, change.table, &change.key, change.replaced.as_ref())?;
            if let Some(removed) = &change.removed {
                check(rows, change.table, &removed.key, Some(&removed.etag))?;
                rows.delete(change.table, removed.key.clone());
            }
            let item = |item: &ChangedItem| LogItem::of_object(item.clone(), None);
            let objects = change.items.iter().map(item).collect();
            match &change.properties {
                Some(properties) => rows.put(change.table, change.key.clone(), properties.clone()),
                None => rows.delete(change.table, change.key.clone()),
            }
            Ok(((), Changed { objects, new_tags: Vec::new() }))
        })
        .await
    }
}

/// The rows that a change reads.
fn expected(change: &RecordedChange) -> Vec<(Table, Key)> {
    let removed = change.removed.iter().map(|row| row.key.clone());
    removed.chain([change.key.clone()]).map(|key| (change.table, key)).collect()
}

fn check(rows: &Overlay<'_>, table: Table, key: &Key, as_read: Option<&Etag>) -> Result<(), StoreError> {
    let stored = rows.get(table, key)?;
    let is_as_read = stored.as_ref().map(|row| &row.etag) == as_read;
    if is_as_read { Ok(()) } else { Err(StoreError::Precondition(format!("the row {key} has changed"))) }
}

/// The item for an action on a token.
pub(in crate::content) fn of_token(token: &Token, action: Action) -> ChangedItem {
    ChangedItem {
        kind: KIND_OF_TOKENS.to_owned(),
        id: token.id.to_string(),
        slug: token.id.to_string(),
        actions: vec![action],
        version: token.version(),
        creation: None,
    }
}

/// The item for an action on a webhook, which has no versions.
pub(in crate::content) fn of_webhook(id: &WebhookId, action: Action) -> ChangedItem {
    ChangedItem {
        kind: KIND_OF_WEBHOOKS.to_owned(),
        id: id.as_str().to_owned(),
        slug: id.as_str().to_owned(),
        actions: vec![action],
        version: 0,
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
        version,
        creation: None,
    }
}
