//! Changes of rows of `Tokens` inside a transaction. The rule: a row that is not as the caller has read it fails the whole change.

use crate::content::error::Result;
use crate::content::write::Writer;
use crate::content::write::log::Changed;
use crate::content::write::tokens::TokenRowChange;
use crate::keys::Table;
use crate::store::{Entity, Key, StoreError};

use super::overlay::Overlay;

impl Writer {
    /// # Errors
    /// [`StoreError::Precondition`] if a row is not as it was read; [`ContentError::OutcomeUnknown`](crate::content::ContentError::OutcomeUnknown) if it cannot
    /// be learned whether the change was made; any other error of the store, with nothing changed.
    pub(in crate::content) async fn change_token_row(&self, change: TokenRowChange) -> Result<()> {
        self.transact(move |rows, _| {
            rows.expect(expected(&change));
            check(rows, &change.key, change.replaced.as_ref())?;
            if let Some(removed) = &change.removed {
                check(rows, &removed.key, Some(removed))?;
                rows.delete(Table::Tokens, removed.key.clone());
            }
            let objects = change.log_items();
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
