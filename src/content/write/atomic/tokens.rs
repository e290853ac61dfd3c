//! Changes of rows of `Tokens` inside a transaction. The rule: a row that is not as the caller has read it fails the whole change.

use crate::content::error::Result;
use crate::content::write::Writer;
use crate::content::write::log::Changed;
use crate::content::write::tokens::TokenRowChange;
use crate::keys::Table;
use crate::store::{Entity, Key, StoreError};

use super::overlay::Overlay;

impl Writer {
    pub(in crate::content::write) async fn change_token_row_at_once(&self, change: TokenRowChange) -> Result<()> {
        self.transact(move |rows, _| {
            expect(rows, &change.key, change.replaced.as_ref())?;
            if let Some(removed) = &change.removed {
                expect(rows, &removed.key, Some(removed))?;
                rows.delete(Table::Tokens, removed.key.clone());
            }
            let objects = change.log_items();
            rows.put(Table::Tokens, change.key, change.properties);
            Ok(((), Changed { objects, new_tags: Vec::new() }))
        })
        .await
    }
}

fn expect(rows: &Overlay<'_>, key: &Key, as_read: Option<&Entity>) -> Result<(), StoreError> {
    let stored = rows.get(Table::Tokens, key)?;
    let is_as_read = stored.map(|row| row.etag) == as_read.map(|row| row.etag.clone());
    if is_as_read { Ok(()) } else { Err(StoreError::Precondition(format!("the row {key} has changed"))) }
}
