//! The end of an intent: closes it after its change, finds out whether a change without an answer was made, and recovers intents whose writer has
//! stopped. The rule: a committed change is finished, any other is undone, and the rows that name the intent decide which (W5).

use std::sync::Arc;
use std::time::Duration;

use tracing::Instrument;

use crate::content::error::{ContentError, Result};
use crate::content::tables::scan_all;
use crate::content::write::plan::{self, PostSnapshot, TermSnapshot};
use crate::content::write::{Writer, in_time, record};
use crate::keys::Table;
use crate::keys::intent::IntentName;
use crate::model::{Post, Slug, Term};
use crate::store::{Etag, Store, StoreError};
use crate::telemetry::{metrics, spans};

use super::intent::{self, Intent, StoredIntent, Work};
use super::lease::Lease;
use super::reconcile::Made;
use super::{CommittedBy, Session, facts, fence, undo};

/// How long a writer tries to finish a failed change of its own; after this time the next recovery does.
const FINISH_TIME: Duration = Duration::from_secs(10);

/// The counts of a recovery.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Intents that were finished or undone.
    pub closed: usize,
    /// Intents whose writer may still be at work.
    pub left: usize,
    /// Intents that this version cannot read.
    pub skipped: usize,
}

/// Whether the writer of an intent may still be at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::content) enum Writers {
    /// Its process is gone.
    Gone,
    /// Its lease has expired, but its process may still run.
    Unknown,
}

impl Writer {
    /// Finishes or undoes each change whose writer has stopped. `is_alone`: no other process can write to this store, so the writer of every intent
    /// has stopped.
    pub async fn recover(&self, is_alone: bool) -> Result<Recovered> {
        self.recover_each(is_alone).instrument(spans::recover()).await
    }

    async fn recover_each(&self, is_alone: bool) -> Result<Recovered> {
        let now = self.clock.now();
        let mut recovered = Recovered::default();
        for row in scan_all(&self.store, Table::Intents).await? {
            let name = IntentName::of_key(&row.key);
            match intent::read(&row) {
                Ok(StoredIntent::Open { until, .. }) if until > now && !is_alone => recovered.left += 1,
                Ok(StoredIntent::Open { intent, .. }) => {
                    let writers = if is_alone { Writers::Gone } else { Writers::Unknown };
                    match self.recover_intent(&name, &row.etag, &intent, writers).await {
                        Ok(_) => recovered.closed += 1,
                        // Another server has taken it over first.
                        Err(ContentError::LeaseLost) => recovered.left += 1,
                        Err(e) => return Err(e),
                    }
                }
                Ok(StoredIntent::Kept { until, .. }) if until > now && !is_alone => {}
                Ok(StoredIntent::Kept { intent, .. }) => self.sweep(&name, &intent).await?,
                Ok(StoredIntent::Foreign) => {
                    recovered.skipped += 1;
                    tracing::warn!(intent = %name, "write.intent_of_another_version");
                }
                Err(error) => {
                    recovered.skipped += 1;
                    tracing::error!(intent = %name, %error, "write.intent_unreadable");
                }
            }
        }
        self.partition_catalogs.invalidate();
        Ok(recovered)
    }

    /// Takes an intent over, and finishes or undoes its changes. Returns whether each of them was made.
    ///
    /// # Errors
    /// [`ContentError::LeaseLost`] if another server has taken the intent over.
    pub(in crate::content) async fn recover_intent(
        &self,
        name: &IntentName,
        etag: &Etag,
        intent: &Intent,
        writers: Writers,
    ) -> Result<Vec<bool>> {
        let taken = Lease::take(&self.store, &self.clock, name.clone(), intent, Some(etag)).await;
        let mut lease = match taken {
            Err(ContentError::Store(StoreError::Precondition(_))) => return Err(ContentError::LeaseLost),
            taken => taken?,
        };
        let session = self.session(lease.store(), name, CommittedBy::Anyone);
        let facts = lease.while_renewed(session.finish(intent, writers)).await?;
        match writers {
            Writers::Gone => intent::close(&self.store, name).await?,
            Writers::Unknown => intent::keep(&self.store, &self.clock, name, intent).await?,
        }
        metrics::change_recovered();
        tracing::info!(intent = %name, "write.recovered");
        Ok(facts)
    }

    /// Removes what late requests of a closed change have written, and the kept intent (W7).
    async fn sweep(&self, name: &IntentName, intent: &Intent) -> Result<()> {
        self.remove_named(name, intent).await?;
        intent::close(&self.store, name).await
    }

    /// Removes the rows that name a closed intent and that no post or term has (W4).
    async fn remove_named(&self, name: &IntentName, intent: &Intent) -> Result<()> {
        let session = self.session(Store::clone(&self.store), name, CommittedBy::Anyone);
        for (before, after) in posts(intent)? {
            // If the change was made, the post has the rows that name it, so they stay.
            undo::undo_post(&session, before.as_ref(), after.as_ref(), false).await?;
        }
        for (before, after) in terms(intent)? {
            session.undo_term(before.as_ref(), after.as_ref(), false).await?;
        }
        // A reservation of a tag that is made with a post, too, can arrive late.
        for tag in new_tags(intent) {
            session.undo_term(None, Some(&plan::new_tag(name, &tag)), false).await?;
        }
        Ok(())
    }

    /// Finds out whether each change of this writer's intent was made, after its commit got no answer.
    pub(super) async fn learn(&self, name: &IntentName, intent: &Intent) -> Result<Vec<bool>> {
        let learned = async {
            let row = self.store.get(Table::Intents.name(), &name.key()).await?;
            let open = row.filter(|row| matches!(intent::read(row), Ok(StoredIntent::Open { .. })));
            if let Some(row) = open {
                match self.recover_intent(name, &row.etag, intent, Writers::Unknown).await {
                    Err(ContentError::LeaseLost) => self.wait_until_closed(std::slice::from_ref(name)).await?,
                    facts => return facts,
                }
            }
            let facts = self.recorded(name, intent).await?;
            // This writer may have written rows after another server had undone its change.
            if facts.contains(&false) {
                self.remove_named(name, intent).await?;
            }
            Ok(facts)
        };
        tokio::time::timeout(FINISH_TIME, learned).await.unwrap_or(Err(ContentError::OutcomeUnknown))
    }

    /// Whether each change of a closed intent was made: those that were are in the record.
    async fn recorded(&self, name: &IntentName, intent: &Intent) -> Result<Vec<bool>> {
        let posts = posts(intent)?.into_iter().filter_map(|(before, after)| after.or(before));
        let posts = posts.map(|post| post.id.to_string());
        let terms = terms(intent)?.into_iter().filter_map(|(before, after)| after.or(before));
        let terms = terms.map(|term| term.id.first_slug.to_string());
        let mut made = Vec::new();
        for id in posts.chain(terms) {
            made.push(record::has(&self.store, name, &id).await?);
        }
        Ok(made)
    }

    /// Finishes a change of this writer whose reconciliation has failed. If this fails too, the next recovery finishes it.
    pub(super) async fn finish_soon(&self, name: &IntentName, intent: &Intent, error: &ContentError) {
        let changes = posts(intent).map_or(0, |posts| posts.len()) + terms(intent).map_or(0, |terms| terms.len());
        if let Err(again) = in_time(changes, self.learn(name, intent)).await {
            metrics::change_left();
            tracing::warn!(intent = %name, %error, %again, "write.left");
        }
    }

    /// Closes the intent of a reconciled change. If it cannot be closed, the next recovery finishes the change again, which changes nothing.
    pub(super) async fn end(&self, name: &IntentName, intent: &Intent, is_in_doubt: bool) {
        let ended = match is_in_doubt {
            true => intent::keep(&self.store, &self.clock, name, intent).await,
            false => intent::close(&self.store, name).await,
        };
        if let Err(error) = ended {
            metrics::change_left();
            tracing::warn!(intent = %name, %error, "write.left");
        }
    }
}

impl Session<'_> {
    async fn finish(&self, intent: &Intent, writers: Writers) -> Result<Vec<bool>> {
        let mut all = self.finish_posts(intent, writers).await?;
        all.extend(self.finish_terms(intent, writers).await?);
        Ok(all)
    }

    async fn finish_posts(&self, intent: &Intent, writers: Writers) -> Result<Vec<bool>> {
        let (mut all, mut made, mut undone) = (Vec::new(), Vec::new(), Vec::new());
        for (i, (before, after)) in posts(intent)?.into_iter().enumerate() {
            let is_made = self.is_made_or_fenced(before.as_ref(), after.as_ref(), writers).await?;
            all.push(is_made);
            if is_made {
                let replaces_text = intent.replaces_text(i);
                made.push(Made { before, after, replaces_text, leaving: Arc::default() });
            } else {
                undone.push((before, after));
            }
        }
        for (before, after) in undone {
            let keeps_fence = writers == Writers::Unknown;
            undo::undo_post(self, before.as_ref(), after.as_ref(), keeps_fence).await?;
        }
        if !made.is_empty() {
            self.reconcile(intent.actor().as_ref(), made, &new_tags(intent)).await?;
        }
        Ok(all)
    }

    /// Whether the change was made. If it was not, the fence prevents it from being made later.
    async fn is_made_or_fenced(&self, before: Option<&Post>, after: Option<&Post>, writers: Writers) -> Result<bool> {
        let (store, name) = (&self.store, &self.name);
        let is_made = facts::is_post_made(store, name, before, after).await?;
        if is_made || writers == Writers::Gone {
            return Ok(is_made);
        }
        fence::raise(store, name, before, after).await?;
        // The commit may have been carried out between the read and the fence.
        facts::is_post_made(store, name, before, after).await
    }
}

type Sides<T> = (Option<T>, Option<T>);

/// The changes of posts in an intent.
fn posts(intent: &Intent) -> Result<Vec<Sides<Post>>> {
    let Work::Posts { changes, .. } = &intent.work else { return Ok(Vec::new()) };
    let post = |snapshot: &Option<PostSnapshot>| snapshot.as_ref().map(|s| s.to_post().ok_or_else(damaged)).transpose();
    changes.iter().map(|(before, after)| Ok((post(before)?, post(after)?))).collect()
}

/// The tags that an intent creates with its posts.
fn new_tags(intent: &Intent) -> Vec<Slug> {
    match &intent.work {
        Work::Posts { new_tags, .. } => new_tags.iter().filter_map(|tag| tag.parse().ok()).collect(),
        Work::Terms { .. } => Vec::new(),
    }
}

/// The changes of terms in an intent.
pub(super) fn terms(intent: &Intent) -> Result<Vec<Sides<Term>>> {
    let Work::Terms { changes } = &intent.work else { return Ok(Vec::new()) };
    let term = |snapshot: &Option<TermSnapshot>| snapshot.as_ref().map(|s| s.to_term().ok_or_else(damaged)).transpose();
    changes.iter().map(|(before, after)| Ok((term(before)?, term(after)?))).collect()
}

fn damaged() -> ContentError {
    StoreError::corrupt("an intent does not say which posts or terms it changes").into()
}
