//! Changes of one or many posts, by the steps of docs/design.md. The rule: the commit of a post is one transaction, each change has its own outcome,
//! and nothing that happens after the commit changes the answer (W10).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use futures_util::future::join3;
use tracing::Instrument;

use crate::content::error::{ContentError, Result};
use crate::content::write::keyed::NewKey;
use crate::content::write::outcomes::Outcome;
use crate::content::write::plan::{self, Planned, PointerPlace, Step};
use crate::content::write::{Writer, announcing, in_time, outcomes};
use crate::keys::intent::IntentName;
use crate::model::{PostId, Slug};
use crate::store::{Etag, StoreError};
use crate::telemetry::spans;

use super::intent::Intent;
use super::lease::Lease;
use super::prepare::{Preparation, Prepared};
use super::reconcile::Made;
use super::{CommittedBy, Session, announced, steps, undo};

/// What is known of a change while it is under way.
#[derive(Default)]
struct PostProgress {
    /// Whether the first request of the commit was sent.
    is_commit_sent: AtomicBool,
    /// The outcome of each change; set after the commit.
    outcomes: OnceLock<Vec<Outcome>>,
}

impl Writer {
    /// Makes the changes. Returns their outcomes in the same order.
    ///
    /// # Errors
    /// If the store fails before anything is committed; [`ContentError::OutcomeUnknown`] if it cannot be learned whether anything was.
    pub(in crate::content::write) async fn change_posts_stepwise(
        &self,
        planned: &[Planned],
        new_tags: &[Slug],
        key: Option<&NewKey>,
    ) -> Result<Vec<Outcome>> {
        if planned.is_empty() {
            return Ok(Vec::new());
        }
        let span = spans::change(planned.len());
        self.change_together(planned, new_tags, key).instrument(span).await
    }

    async fn change_together(
        &self,
        planned: &[Planned],
        new_tags: &[Slug],
        key: Option<&NewKey>,
    ) -> Result<Vec<Outcome>> {
        let name = self.new_intent_name()?;
        let changes: Vec<_> = planned.iter().map(|p| p.change.clone()).collect();
        let intent = Intent::of_posts(&changes, new_tags, self.by.as_deref());
        let opening = Lease::open(&self.store, &self.clock, name, &intent).instrument(spans::open_intent());
        // Until the change has ended.
        let announcing = announcing::ahead(&self.store, announced::rows_of_posts(planned, new_tags));
        let named = planned.iter().filter_map(|p| p.change.before.as_ref()).flat_map(|before| &before.named);
        let (opened, _announced, unclosed) = join3(opening, announcing, self.unclosed_of(named.collect())).await;
        let ended = match opened {
            // An intent is one row. If it cannot hold all changes, each half gets an intent of its own.
            Err(ContentError::TooLarge { .. }) if planned.len() > 1 => {
                let (first, second) = planned.split_at(planned.len() / 2);
                let mut outcomes = Box::pin(self.change_together(first, new_tags, key)).await?;
                outcomes.extend(Box::pin(self.change_together(second, new_tags, key)).await?);
                return Ok(outcomes);
            }
            Ok(lease) => {
                let progress = PostProgress::default();
                let session = self.session(lease.store(), &lease.name, CommittedBy::Itself);
                let run =
                    PostsRun { session: &session, planned, new_tags, key, unclosed: &unclosed, progress: &progress };
                self.change_leased(lease, &intent, run).await
            }
            // No request of the change was sent. If the intent was opened nevertheless, a recovery undoes it.
            Err(ContentError::Store(StoreError::OutcomeUnknown { what, source })) => {
                Err(StoreError::Unavailable { what, source }.into())
            }
            Err(error) => Err(error),
        };
        outcomes::count_posts(&ended, planned.len());
        ended
    }

    async fn change_leased(&self, mut lease: Lease, intent: &Intent, run: PostsRun<'_>) -> Result<Vec<Outcome>> {
        let done = lease.while_renewed(run.carry_out()).await;
        // Readers of this server see what was written, even if not all of it was.
        self.partition_catalogs.invalidate();
        let name = &run.session.name;
        match (run.progress.outcomes.get().cloned(), done) {
            (Some(outcomes), Ok(())) => {
                self.end(name, intent, lease.is_in_doubt()).await;
                Ok(outcomes)
            }
            (Some(outcomes), Err(error)) => {
                self.finish_soon(name, intent, &error).await;
                Ok(outcomes)
            }
            (None, done) => {
                let error = done.err().unwrap_or(ContentError::LeaseLost);
                let is_commit_sent = run.progress.is_commit_sent.load(Ordering::Relaxed);
                self.conclude(name, intent, error, is_commit_sent, run.planned.len()).await
            }
        }
    }

    /// The outcomes of changes whose commit got no answer.
    async fn conclude(
        &self,
        name: &IntentName,
        intent: &Intent,
        error: ContentError,
        is_commit_sent: bool,
        changes: usize,
    ) -> Result<Vec<Outcome>> {
        match self.learn(name, intent).await {
            Ok(facts) if facts.iter().all(|is_made| *is_made) => Ok(vec![Outcome::Done; changes]),
            Ok(_) => not_made(error, changes),
            Err(_) if !is_commit_sent => not_made(error, changes),
            Err(_) => Err(ContentError::OutcomeUnknown),
        }
    }
}

/// The answer to changes that are known not to have been made.
fn not_made(error: ContentError, changes: usize) -> Result<Vec<Outcome>> {
    match error {
        ContentError::Busy => Ok(vec![Outcome::Busy; changes]),
        ContentError::LeaseLost => Ok(vec![Outcome::Conflict; changes]),
        ContentError::Store(StoreError::OutcomeUnknown { what, source }) => {
            Err(StoreError::Unavailable { what, source }.into())
        }
        other => Err(other),
    }
}

/// One run of the protocol for posts.
struct PostsRun<'a> {
    session: &'a Session<'a>,
    planned: &'a [Planned],
    new_tags: &'a [Slug],
    /// The idempotency key of a creation, which is then the only change.
    key: Option<&'a NewKey>,
    /// Of the intents that the posts name, those that were open when this one was opened.
    unclosed: &'a [IntentName],
    progress: &'a PostProgress,
}

impl PostsRun<'_> {
    async fn carry_out(&self) -> Result<()> {
        if let (Some(key), [created]) = (self.key, self.planned)
            && let Some(used) = self.session.claim_key(key, &created.change.post().id).await?
        {
            // Only the intent was written.
            self.progress.outcomes.get_or_init(|| vec![used.into()]);
            return Ok(());
        }
        let Self { session, planned, new_tags, unclosed, .. } = *self;
        let preparation = Preparation { session, planned, new_tags, unclosed };
        let Prepared { held, refused, leaving } = preparation.run().instrument(spans::prepare()).await?;
        let name = self.session.name.to_string();
        let commits: Vec<(PostId, Step)> = self
            .planned
            .iter()
            .filter(|planned| !refused.contains_key(&planned.change.post().id))
            .filter_map(|planned| {
                let id = planned.change.post().id.clone();
                let step = plan::commit_step(planned, &name, held.get(&id)?);
                Some((id, step))
            })
            .collect();
        self.progress.is_commit_sent.store(true, Ordering::Relaxed);
        let committed = steps::apply(self.session, commits).instrument(spans::commit()).await?;
        let outcome = |planned: &Planned| {
            let id = &planned.change.post().id;
            match refused.get(id) {
                _ if committed.contains_key(id) => Outcome::Done,
                Some(refused) => refused.clone(),
                None => Outcome::Conflict,
            }
        };
        let outcomes = self.progress.outcomes.get_or_init(|| self.planned.iter().map(outcome).collect());
        self.reconcile(outcomes, leaving).instrument(spans::reconcile()).await
    }

    /// Step 5 for the changes that were made; undoes those that were refused.
    async fn reconcile(&self, outcomes: &[Outcome], leaving: Arc<BTreeMap<PointerPlace, Etag>>) -> Result<()> {
        let mut made = Vec::new();
        for (planned, outcome) in self.planned.iter().zip(outcomes) {
            let (before, after) = (planned.change.before(), planned.change.after());
            match outcome {
                Outcome::Done => made.push(Made {
                    before: before.cloned(),
                    after: after.cloned(),
                    replaces_text: planned.change.replaces_text(),
                    leaving: Arc::clone(&leaving),
                }),
                _ => undo::undo_post(self.session, before, after, false).await?,
            }
        }
        if made.is_empty() {
            return Ok(());
        }
        let changes = made.len();
        in_time(changes, self.session.reconcile(self.session.writer.by.as_deref(), made, self.new_tags)).await
    }
}
