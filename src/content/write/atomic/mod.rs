//! Makes changes. The rule: a change is one transaction that also reads its dependencies, so it is made with all of its rows or not at all. A plan may run
//! several times, so it has no effect except its writes; only the last run counts.

mod claims;
mod counts;
mod index;
mod overlay;
mod posts;
mod recorded;
mod revisions;
mod site_pages;
mod size;
mod terms;

use std::collections::BTreeMap;

use tracing::Instrument;

use crate::content::error::{ContentError, Result};
use crate::keys::change_name::ChangeName;
use crate::keys::{Table, change_log};
use crate::model::{ActorSnapshot, Instant, Slug};
use crate::store::StoreError;
use crate::store::transaction::transact;
use crate::telemetry::spans;

use super::change_log::{Appended, Changed, NewEntry};
use super::keyed::NewKey;
use super::outcomes::{self, Outcome, TermOutcome, Together};
use super::plan::{Change, Planned, TermChange};
use super::{Writer, record};

pub(in crate::content) use overlay::Overlay;
pub(in crate::content) use recorded::{RecordedChange, of_revoked_previews, of_token, of_webhook};
pub(super) use site_pages::PagesChange;

impl Writer {
    /// Makes the changes, and creates missing tags of the posts that are in `new_tags`. Returns the outcomes in the same order. `key`: the idempotency key of a
    /// creation, which is then the only change; nothing is created if a post was created with the key before.
    ///
    /// # Errors
    /// If the store fails before anything is committed; [`ContentError::OutcomeUnknown`] if it is unknown whether all were made.
    pub async fn change_posts_with(
        &self,
        changes: Vec<Change>,
        new_tags: &[Slug],
        key: Option<&NewKey>,
    ) -> Result<Vec<Outcome>> {
        let mut refused = BTreeMap::new();
        let mut fitting = Vec::with_capacity(changes.len());
        for (i, change) in changes.into_iter().enumerate() {
            match Planned::of(change, &self.indexed) {
                Ok(planned) => fitting.push(planned),
                Err(ContentError::TooLarge { reason, .. }) => drop(refused.insert(i, Outcome::TooLarge(reason))),
                Err(e) => return Err(e),
            }
        }
        let mut outcomes = self.change_planned(fitting, new_tags, key).await?;
        for (i, outcome) in refused {
            outcomes.insert(i, outcome);
        }
        Ok(outcomes)
    }

    /// Like [`change_posts_with`](Self::change_posts_with), for changes that are already planned. They are made in one transaction if they fit.
    ///
    /// # Errors
    /// Those of [`change_posts_with`](Self::change_posts_with).
    pub async fn change_planned(
        &self,
        planned: Vec<Planned>,
        new_tags: &[Slug],
        key: Option<&NewKey>,
    ) -> Result<Vec<Outcome>> {
        if planned.is_empty() {
            return Ok(Vec::new());
        }
        let (changes, span) = (planned.len(), spans::change(planned.len()));
        let in_parts = async {
            let mut outcomes = Vec::with_capacity(changes);
            for part in size::parts(planned, new_tags, self.store.transaction_limits()) {
                let (new_tags, key) = (new_tags.to_vec(), key.map(|key| (key.clone(), self.clock.now())));
                let change = move |rows: &mut Overlay<'_>, name: &ChangeName| {
                    posts::change(rows, name, &part, &new_tags, key.as_ref())
                };
                match self.transact(change).await {
                    Ok(made) => outcomes.extend(made),
                    // Some of the changes were made, and no other error can report that.
                    Err(_) if outcomes.contains(&Outcome::Done) => return Err(ContentError::OutcomeUnknown),
                    Err(error) => return Err(error),
                }
            }
            Ok(outcomes)
        };
        let ended = in_parts.instrument(span).await;
        outcomes::count_posts(&ended, changes);
        ended
    }

    /// Makes all changes in one transaction, or none of them. `key`: the idempotency key of the only creation among them.
    ///
    /// # Errors
    /// Those of [`change_posts_with`](Self::change_posts_with).
    pub async fn change_posts_together(
        &self,
        changes: Vec<Change>,
        new_tags: &[Slug],
        key: Option<&NewKey>,
    ) -> Result<Together> {
        self.change_together(changes, new_tags, key, Vec::new()).await
    }

    /// Like [`change_posts_together`](Self::change_posts_together), followed by changes of terms.
    pub(super) async fn change_together(
        &self,
        changes: Vec<Change>,
        new_tags: &[Slug],
        key: Option<&NewKey>,
        of_terms: Vec<TermChange>,
    ) -> Result<Together> {
        let counted = (changes.len(), of_terms.len());
        let mut planned = Vec::with_capacity(changes.len());
        for change in changes {
            match Planned::of(change, &self.indexed) {
                Ok(one) => planned.push(one),
                Err(ContentError::TooLarge { what, reason }) => {
                    return Ok(Together::TooLarge(format!("the body of {what}: {reason}")));
                }
                Err(error) => return Err(error),
            }
            // Packing many bodies takes long.
            tokio::task::yield_now().await;
        }
        let (new_tags, span) = (new_tags.to_vec(), spans::change(planned.len()));
        let key = key.map(|key| (key.clone(), self.clock.now()));
        let change = move |rows: &mut Overlay<'_>, name: &ChangeName| {
            let (outcomes, mut changed) = posts::change(rows, name, &planned, &new_tags, key.as_ref())?;
            let (outcomes_of_terms, terms) = terms::change(rows, &of_terms)?;
            let is_made = outcomes.iter().all(|outcome| *outcome == Outcome::Done)
                && outcomes_of_terms.iter().all(|outcome| *outcome == TermOutcome::Done);
            if !is_made {
                rows.discard();
                return Ok((Together::Refused(outcomes), Changed::default()));
            }
            changed.objects.extend(terms.objects);
            Ok((Together::Done, changed))
        };
        let ended = match self.transact(change).instrument(span).await {
            Err(ContentError::Store(error @ StoreError::Limit(_))) => Ok(Together::TooLarge(error.to_string())),
            ended => ended,
        };
        outcomes::count_together(&ended, counted.0, counted.1);
        ended
    }

    /// A number above `taken` that makes the slug free; `None` if there is none. One transaction, which writes nothing.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn free_number(&self, base: &Slug, taken: u32) -> Result<Option<u32>> {
        let base = base.clone();
        let plan = move |rows: &dyn crate::store::Rows| {
            Ok((claims::free_number(&Overlay::new(rows), &base, taken)?, Vec::new()))
        };
        Ok(transact(&self.store, plan).await?)
    }

    /// Makes the changes of terms in one transaction. Returns their outcomes in the same order.
    pub(super) async fn change_terms_at_once(&self, changes: &[TermChange]) -> Result<Vec<TermOutcome>> {
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        let changes = changes.to_vec();
        self.transact(move |rows, _| terms::change(rows, &changes)).await
    }

    /// Runs `change` in a transaction that writes the rows of the overlay, the row of the audit log, and the entry of the log of changes. `change`: gets the
    /// name of the change, and returns the items to record.
    async fn transact<T: Send + 'static>(
        &self,
        mut change: impl FnMut(&mut Overlay<'_>, &ChangeName) -> Result<(T, Changed), StoreError> + Send + 'static,
    ) -> Result<T> {
        let (name, by, clock) = (self.new_change_name()?, self.by.clone(), self.clock.clone());
        let plan = move |stored: &dyn crate::store::Rows| {
            let mut rows = Overlay::new(stored);
            rows.expect([(Table::ChangeLog, change_log::head())]);
            let (value, changed) = change(&mut rows, &name)?;
            recorded(&mut rows, &name, by.as_deref(), changed, clock.now())?;
            Ok((value, rows.into_writes()))
        };
        let ended = transact(&self.store, plan).instrument(spans::commit()).await;
        // Readers of this server must see the write, even if its answer was lost.
        self.partition_catalogs.invalidate();
        ended.map_err(|error| match error {
            StoreError::OutcomeUnknown { .. } => ContentError::OutcomeUnknown,
            error => error.into(),
        })
    }
}

/// Adds the row of the audit log and the entry of the log of changes.
fn recorded(
    rows: &mut Overlay<'_>,
    name: &ChangeName,
    by: Option<&ActorSnapshot>,
    changed: Changed,
    now: Instant,
) -> Result<(), StoreError> {
    if let Some((key, properties)) = record::row(name, by, changed.recorded()).map_err(ContentError::in_plan)? {
        rows.put(Table::Changes, key, properties);
    }
    let items = changed.logged();
    if items.is_empty() {
        return Ok(());
    }
    let head = rows.get(Table::ChangeLog, &change_log::head())?;
    let appended = Appended::of(head.as_ref(), NewEntry { name, items, now }).map_err(ContentError::in_plan)?;
    for (key, properties) in appended.due.into_iter().chain(appended.entries).chain([appended.head]) {
        rows.put(Table::ChangeLog, key, properties);
    }
    Ok(())
}
