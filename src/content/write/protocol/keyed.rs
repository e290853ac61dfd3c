//! The claim of an idempotency key. The rule (W11): its row is the first that a creation writes after its intent, and it names the intent, so that
//! the record of changes says whether the creation was made. The row of a creation that was not made needs no undoing: the next creation with the key
//! replaces it.

use crate::content::error::Result;
use crate::content::tables::rows::idempotency as rows;
use crate::content::write::keyed::{NewKey, Used};
use crate::content::write::retry::retry_on_conflict;
use crate::keys::Table;
use crate::model::PostId;
use crate::store::{Batch, Operation, Precondition};

use super::Session;

impl Session<'_> {
    /// Claims a key for a post that is to be created. Returns what the key was used for before. One transaction if it was never used.
    pub(super) async fn claim_key(&self, key: &NewKey, post: &PostId) -> Result<Option<Used>> {
        // The first try assumes that there is no row; it is read only if that fails.
        let mut is_first_try = true;
        retry_on_conflict("an idempotency key", || {
            let is_read = !std::mem::take(&mut is_first_try);
            self.try_to_claim_key(key, post, is_read)
        })
        .await
    }

    async fn try_to_claim_key(&self, key: &NewKey, post: &PostId, is_read: bool) -> Result<Option<Used>> {
        let mut precondition = Precondition::Absent;
        if is_read && let Some(row) = self.store.get(Table::Idempotency.name(), &key.place).await? {
            let found = rows::read(&row)?;
            if found.intent.as_ref() == Some(&self.name) {
                // An earlier try has written it, and its answer was lost.
                return Ok(None);
            }
            if let Some(used) = self.writer.use_in(key, found).await? {
                return Ok(Some(used));
            }
            precondition = Precondition::Match(row.etag);
        }
        let used = key.row(post, Some(self.name.clone()), self.writer.clock.now());
        let put = Operation::Put { row: key.place.row().to_owned(), properties: rows::row(&used), precondition };
        self.store.commit(Table::Idempotency.name(), &Batch::new(key.place.partition(), vec![put])?).await?;
        Ok(None)
    }
}
