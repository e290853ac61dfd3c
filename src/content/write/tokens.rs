//! Writes rows of `Tokens`, and records who has changed what. The rule (W13): a row holds its last change until the log and the record of changes have it,
//! and the next change of the row records that one first; so a change is recorded wherever a process stops, and before the changes that come after it.

use futures_util::future::try_join;

use crate::content::error::{ContentError, Result};
use crate::content::tables::read_all;
use crate::content::tables::rows::change::{Action, ChangeRow, ChangedItem, KIND_OF_PREVIEWS, KIND_OF_TOKENS};
use crate::content::tables::rows::change_log::LogItem;
use crate::content::tables::rows::unrecorded::{self, Unrecorded};
use crate::keys::intent::IntentName;
use crate::keys::{Table, history, token as keys};
use crate::model::Token;
use crate::store::{Batch, Entity, Etag, Key, Operation, Precondition, Properties, StoreError};

use super::log::{self, NewEntry};
use super::{Writer, in_time, record};

const TABLE: &str = Table::Tokens.name();

/// How often a transaction is sent whose answers are lost.
const SENDS_MAX: u32 = 4;

/// All preview links together: a link has no row of its own.
const PREVIEW_LINKS: &str = "links";

/// A change of a row, which can remove another one.
#[derive(Clone)]
pub(in crate::content) struct TokenRowChange {
    pub key: Key,
    pub properties: Properties,
    /// The row as it was read; `None` if there must be none.
    pub replaced: Option<Entity>,
    /// A row that is removed with it, as it was read.
    pub removed: Option<Entity>,
    pub items: Vec<ChangedItem>,
}

impl TokenRowChange {
    pub(super) fn log_items(&self) -> Vec<LogItem> {
        self.items.iter().map(|item| LogItem::of_object(item.clone(), None)).collect()
    }

    fn batch(&self, properties: Properties) -> Result<Batch> {
        let precondition =
            self.replaced.as_ref().map_or(Precondition::Absent, |row| Precondition::Match(row.etag.clone()));
        let delete = self.removed.iter().map(|removed| Operation::Delete {
            row: removed.key.row().to_owned(),
            precondition: Precondition::Match(removed.etag.clone()),
        });
        let put = Operation::Put { row: self.key.row().to_owned(), properties, precondition };
        Ok(Batch::new(self.key.partition(), delete.chain([put]).collect())?)
    }
}

/// What was done to a token.
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

/// That all preview links were revoked. `version`: of the key that replaces theirs.
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

impl Writer {
    /// Makes a change. On a file, that is one transaction with the log and the record; on tables, they follow it.
    ///
    /// # Errors
    /// [`StoreError::Precondition`] if a row is not as it was read; [`ContentError::OutcomeUnknown`] if it cannot be learned whether the change was made; any
    /// other error of the store, with nothing changed.
    pub(in crate::content) async fn change_token_row(&self, change: TokenRowChange) -> Result<()> {
        for row in change.replaced.iter().chain(&change.removed) {
            self.record_left(row).await?;
        }
        if self.store.is_transactional() {
            return self.change_token_row_at_once(change).await;
        }
        let name = self.new_intent_name()?;
        let at = name.parts().map_or_else(|| self.clock.now(), |(at, _)| at);
        let made = ChangeRow { at, by: self.by.as_deref().cloned(), items: change.log_items() };
        let made = Unrecorded { name, change: made };
        let with_change = unrecorded::with(&change.properties, &made)
            .map_err(|e| ContentError::TooLarge { what: "one change".to_owned(), reason: e.to_string() })?;
        let etag = self.commit_token_row(&change, &change.batch(with_change)?, &made.name).await?;
        // The change is made, whatever fails now: the next change of the row, or a recovery, records it.
        let recorded = in_time(1, self.record_and_clear(&made, &change.key, change.properties, etag)).await;
        if let Err(error) = recorded {
            tracing::warn!(%error, change = %made.name, "write.token_not_recorded");
        }
        Ok(())
    }

    /// Returns the ETag of the row with the change; `None` if another change has replaced the row since.
    async fn commit_token_row(
        &self,
        change: &TokenRowChange,
        batch: &Batch,
        name: &IntentName,
    ) -> Result<Option<Etag>> {
        let mut is_unknown = false;
        for _ in 0..SENDS_MAX {
            match self.store.commit(TABLE, batch).await {
                Ok(written) => return Ok(written.into_iter().flatten().next_back()),
                Err(StoreError::OutcomeUnknown { .. }) => is_unknown = true,
                // An earlier request may have been carried out.
                Err(_) if is_unknown => break,
                Err(e) => return Err(e.into()),
            }
        }
        self.find_out(change, name).await.unwrap_or(Err(ContentError::OutcomeUnknown))
    }

    /// After a lost answer: as [`commit_token_row`](Self::commit_token_row). `Err` if the store cannot be read.
    async fn find_out(&self, change: &TokenRowChange, name: &IntentName) -> Result<Result<Option<Etag>>> {
        let row = self.store.get(TABLE, &change.key).await?;
        if let Some(row) = &row
            && unrecorded::read(row)?.is_some_and(|held| held.name == *name)
        {
            return Ok(Ok(Some(row.etag.clone())));
        }
        // After the row: who replaces the row, or clears it, has recorded the change before.
        if let Some(record) = history::change(name)
            && self.store.get_key(Table::Changes.name(), &record).await?.is_some()
        {
            return Ok(Ok(None));
        }
        // While the row is as it was, a request that is still under way can be carried out.
        let is_untouched = row.map(|row| row.etag) == change.replaced.as_ref().map(|row| row.etag.clone());
        let changed = || StoreError::Precondition(format!("the row {} has changed", change.key));
        Ok(Err(if is_untouched { ContentError::OutcomeUnknown } else { changed().into() }))
    }

    /// Records the last change of a row, if that was left. No request if it was not.
    ///
    /// # Errors
    /// If the store fails, or the change that the row holds is damaged.
    pub(in crate::content) async fn record_left(&self, row: &Entity) -> Result<()> {
        match unrecorded::read(row)? {
            Some(left) => self.record_token(&left).await,
            None => Ok(()),
        }
    }

    /// Records what processes have left before they recorded it. One range read and one point read if they have left nothing.
    ///
    /// # Errors
    /// If the store fails.
    pub(in crate::content) async fn recover_tokens(&self) -> Result<()> {
        let (all, preview_key) = (keys::all(), keys::preview_key());
        let tokens = read_all(&self.store, Table::Tokens, &all);
        let (tokens, key) = try_join(tokens, self.store.get(TABLE, &preview_key)).await?;
        for row in tokens.iter().chain(&key) {
            match unrecorded::read(row) {
                Ok(None) => {}
                Ok(Some(left)) => {
                    let (properties, etag) = (unrecorded::without(&row.properties), row.etag.clone());
                    self.record_and_clear(&left, &row.key, properties, Some(etag)).await?;
                }
                // The token is still valid, and `check` names the row.
                Err(error) => tracing::warn!(%error, "write.token_not_recorded"),
            }
        }
        Ok(())
    }

    /// `etag`: of the row with the change; one that was replaced since has no need to be cleared.
    async fn record_and_clear(
        &self,
        made: &Unrecorded,
        key: &Key,
        properties: Properties,
        etag: Option<Etag>,
    ) -> Result<()> {
        self.record_token(made).await?;
        let Some(etag) = etag else { return Ok(()) };
        let put = Operation::Put { row: key.row().to_owned(), properties, precondition: Precondition::Match(etag) };
        match self.store.commit(TABLE, &Batch::new(key.partition(), vec![put])?).await {
            Ok(_) | Err(StoreError::Precondition(_)) => Ok(()),
            Err(e) => Err(e.into()),
        }
    }

    /// The log, then the record: as for pages, an entry that is appended late fails if a later change was appended since (L2).
    async fn record_token(&self, made: &Unrecorded) -> Result<()> {
        let Unrecorded { name, change } = made;
        let new = NewEntry { intent: name, items: change.items.clone(), now: self.clock.now() };
        log::append_unrecorded(&self.store, new).await?;
        let items = change.items.iter().map(|changed| changed.item.clone()).collect();
        record::write(&self.store, name, change.by.as_ref(), items).await
    }
}
