//! Step 5: appends a change to the log. The rule: it is appended before its intent is closed, so the next change of the same object, which waits for that
//! (W1), gets a higher number, whichever servers make the two.

use crate::content::error::Result;
use crate::content::write::log::{Appended, Changed, NewEntry};
use crate::content::write::retry::retry_on_conflict;
use crate::keys::{Table, change_log};

use super::Session;

impl Session<'_> {
    /// Appends what the intent has changed. One transaction if no other server has appended anything since this one did; with more than some hundred
    /// scheduled posts, one more for each hundred of them. If an answer is lost, or a recovery does it again, the change can have two entries.
    pub(super) async fn append(&self, changed: Changed) -> Result<()> {
        let items = changed.logged();
        if items.is_empty() {
            return Ok(());
        }
        let table = Table::ChangeLog;
        let _lock = self.store.keyed_lock(table.name(), change_log::PARTITION).await;
        retry_on_conflict("the log of changes", || async {
            let base = self.base(table, change_log::head()).await?;
            let new = NewEntry { intent: &self.name, items: items.clone(), now: self.writer.clock.now() };
            let mut batches = Appended::of(base.row(), new)?.into_batches(base.precondition())?;
            let last = batches.pop();
            for batch in batches {
                self.store.commit(table.name(), &batch).await?;
            }
            if let Some(batch) = last {
                let etags = self.store.commit(table.name(), &batch).await?;
                base.written(&batch, &etags);
            }
            Ok(())
        })
        .await
    }
}
