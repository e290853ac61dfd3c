//! The executor for a store whose transactions cover all partitions. The rule: a change is one transaction and reads all that it depends on inside of
//! it, so there is nothing to claim, lease, undo or recover, and no row names an intent. (The key of the record of changes is made like the name of
//! one.)

mod claims;
mod counts;
mod index;
mod keyed;
mod overlay;
mod places;
mod posts;
mod size;
mod terms;
mod tokens;

use tracing::Instrument;

use crate::content::error::{ContentError, Result};
use crate::keys::intent::IntentName;
use crate::keys::{Table, change_log};
use crate::model::{ActorSnapshot, Instant, Slug};
use crate::store::StoreError;
use crate::store::transaction::transact;
use crate::telemetry::spans;

use super::keyed::NewKey;
use super::log::{Appended, Changed, NewEntry};
use super::outcomes::{self, Outcome, TermOutcome};
use super::plan::{Planned, TermChange};
use super::{Writer, record};

use overlay::Overlay;

impl Writer {
    /// Makes the changes, in one transaction if it can hold them all. Returns their outcomes in the same order.
    ///
    /// # Errors
    /// If the store fails before anything is committed; [`ContentError::OutcomeUnknown`] if it cannot be learned whether all were made.
    pub(super) async fn change_posts_at_once(
        &self,
        planned: Vec<Planned>,
        new_tags: &[Slug],
        key: Option<&NewKey>,
    ) -> Result<Vec<Outcome>> {
        if planned.is_empty() {
            return Ok(Vec::new());
        }
        let (changes, span) = (planned.len(), spans::change(planned.len()));
        let ended = self.change_in_parts(planned, new_tags, key).instrument(span).await;
        outcomes::count_posts(&ended, changes);
        ended
    }

    async fn change_in_parts(
        &self,
        planned: Vec<Planned>,
        new_tags: &[Slug],
        key: Option<&NewKey>,
    ) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::with_capacity(planned.len());
        for part in size::parts(planned, new_tags) {
            let (new_tags, key) = (new_tags.to_vec(), key.map(|key| (key.clone(), self.clock.now())));
            let made = self.transact(move |rows, name| posts::change(rows, name, &part, &new_tags, key.as_ref())).await;
            match made {
                Ok(made) => outcomes.extend(made),
                // Some of the changes were made, and no other error can report that.
                Err(_) if outcomes.contains(&Outcome::Done) => return Err(ContentError::OutcomeUnknown),
                Err(error) => return Err(error),
            }
        }
        Ok(outcomes)
    }

    /// As [`change_posts_at_once`](Self::change_posts_at_once), for terms.
    pub(super) async fn change_terms_at_once(&self, changes: &[TermChange]) -> Result<Vec<TermOutcome>> {
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        let changes = changes.to_vec();
        self.transact(move |rows, _| terms::change(rows, &changes)).await
    }

    /// Runs `change` in a transaction that writes the rows of the overlay, and the record and the log of the items that `change` returns. `change` also gets
    /// the name of the change.
    async fn transact<T: Send + 'static>(
        &self,
        change: impl FnOnce(&mut Overlay<'_>, &IntentName) -> Result<(T, Changed), StoreError> + Send + 'static,
    ) -> Result<T> {
        let (name, by, clock) = (self.new_intent_name()?, self.by.clone(), self.clock.clone());
        let plan = move |stored: &dyn crate::store::Rows| {
            let mut rows = Overlay::new(stored);
            let (value, changed) = change(&mut rows, &name)?;
            recorded(&mut rows, &name, by.as_deref(), changed, clock.now())?;
            Ok((value, rows.into_writes()))
        };
        let ended = transact(&self.store, plan).instrument(spans::commit()).await;
        // Readers of this server see what was written, even if the answer was lost.
        self.partition_catalogs.invalidate();
        ended.map_err(|error| match error {
            StoreError::OutcomeUnknown { .. } => ContentError::OutcomeUnknown,
            error => error.into(),
        })
    }
}

/// Adds the record of changes and the entry of the log.
fn recorded(
    rows: &mut Overlay<'_>,
    name: &IntentName,
    by: Option<&ActorSnapshot>,
    changed: Changed,
    now: Instant,
) -> Result<(), StoreError> {
    if let Some((key, properties)) = record::row(name, by, changed.recorded()).map_err(in_plan)? {
        rows.put(Table::Changes, key, properties);
    }
    let items = changed.logged();
    if items.is_empty() {
        return Ok(());
    }
    let head = rows.get(Table::ChangeLog, &change_log::head())?;
    let appended = Appended::of(head.as_ref(), NewEntry { intent: name, items, now }).map_err(in_plan)?;
    for (key, properties) in appended.due.into_iter().chain(appended.entries).chain([appended.head]) {
        rows.put(Table::ChangeLog, key, properties);
    }
    Ok(())
}

fn in_plan(error: ContentError) -> StoreError {
    match error {
        ContentError::Store(error) => error,
        error => StoreError::limit(error.to_string()),
    }
}
