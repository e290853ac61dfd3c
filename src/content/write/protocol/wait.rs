//! Waits for the changes of other writers. The rule (W1): a change starts only when the intents that its rows name are closed; a change whose writer
//! has stopped is finished or undone here.

use std::collections::HashSet;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::time::timeout;

use crate::content::error::{ContentError, Result};
use crate::content::write::Writer;
use crate::keys::Table;
use crate::keys::intent::IntentName;
use crate::store::{Entity, Etag, Key, StoreError};

use super::intent::{self, Intent, StoredIntent};
use super::recover::Writers;

/// Longer than a lease, so that the change of a server that was killed is finished and not reported as a conflict.
const WAIT_MAX: Duration = Duration::from_secs(20);
/// A part of the lease of the intent that is opened at the same time, and not renewed until the change begins.
const LOOKED_MAX: Duration = Duration::from_secs(3);
const NAP_FIRST: Duration = Duration::from_millis(4);
const NAP_MAX: Duration = Duration::from_secs(1);

impl Writer {
    /// Waits until all these intents are closed.
    ///
    /// # Errors
    /// [`ContentError::Busy`] if one of them is still open after [`WAIT_MAX`].
    pub(in crate::content) async fn wait_until_closed(&self, names: &[IntentName]) -> Result<()> {
        let deadline = tokio::time::Instant::now() + WAIT_MAX;
        for name in names {
            let mut nap = NAP_FIRST;
            while !self.is_closed_or_finished(name).await? {
                if tokio::time::Instant::now() >= deadline {
                    return Err(ContentError::Busy);
                }
                tokio::time::sleep(nap).await;
                nap = (nap * 2).min(NAP_MAX);
            }
        }
        Ok(())
    }

    /// Of these intents, those that are not known to be closed. One point read for each, all sent together; none is waited for.
    pub(super) async fn unclosed_of(&self, names: HashSet<&IntentName>) -> Vec<IntentName> {
        let names: Vec<IntentName> = names.into_iter().cloned().collect();
        let keys: Vec<Key> = names.iter().map(IntentName::key).collect();
        let looking = self.store.get_many(Table::Intents.name(), &keys);
        let Ok(found) = timeout(LOOKED_MAX, looking).await else { return names };
        let is_closed =
            |row: Result<Option<Entity>, StoreError>| row.is_ok_and(|row| row.is_none_or(|row| intent::is_kept(&row)));
        names.into_iter().zip(found).filter_map(|(name, row)| (!is_closed(row)).then_some(name)).collect()
    }

    async fn is_closed_or_finished(&self, name: &IntentName) -> Result<bool> {
        let Some(row) = self.store.get(Table::Intents.name(), &name.key()).await? else { return Ok(true) };
        match intent::read(&row) {
            Ok(StoredIntent::Kept { .. }) => Ok(true),
            Ok(StoredIntent::Open { until, .. }) if until > self.clock.now() => Ok(false),
            Ok(StoredIntent::Open { intent, .. }) => match self.finish_for_another(name, &row.etag, &intent).await {
                Ok(_) => Ok(true),
                Err(ContentError::LeaseLost) => Ok(false),
                Err(e) => Err(e),
            },
            // This version of the server cannot finish it.
            Ok(StoredIntent::Foreign) | Err(_) => Ok(false),
        }
    }

    /// A recovery can wait for other changes itself, so its future is boxed to end the recursion of types.
    fn finish_for_another<'a>(
        &'a self,
        name: &'a IntentName,
        etag: &'a Etag,
        intent: &'a Intent,
    ) -> BoxFuture<'a, Result<Vec<bool>>> {
        Box::pin(self.recover_intent(name, etag, intent, Writers::Unknown))
    }
}
