//! Changes of one or many posts, by the steps of docs/design.md. The rule: the commit of a post is one transaction, each change has its own outcome,
//! and nothing that happens after the commit changes the answer (W10).

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use futures_util::future::{join, try_join, try_join3};
use futures_util::{StreamExt, TryStreamExt, stream};
use tracing::Instrument;

use crate::content::error::{ContentError, Result};
use crate::content::write::keyed::NewKey;
use crate::content::write::outcomes::Outcome;
use crate::content::write::plan::{self, Planned, Step};
use crate::content::write::{Writer, outcomes, revisions};
use crate::keys::intent::IntentName;
use crate::keys::{PostPlace, lookup};
use crate::model::{Post, PostId, Slug, TermKind};
use crate::store::{Etag, Store, StoreError};
use crate::telemetry::spans;

use super::claim::{Claim, Refused};
use super::index::{self, NewPointer};
use super::intent::Intent;
use super::lease::Lease;
use super::listing::{self, Partition};
use super::reconcile::Made;
use super::terms::TermState;
use super::{CONCURRENCY, CommittedBy, Session, announced, steps, undo};

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
        let announcing = announced::ahead(&self.store, announced::rows_of_posts(planned, new_tags));
        let (opened, _announced) = join(opening, announcing).await;
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
                let run = PostsRun { session: &session, planned, new_tags, key, progress: &progress };
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
    progress: &'a PostProgress,
}

impl PostsRun<'_> {
    fn store(&self) -> &Store {
        &self.session.store
    }

    async fn carry_out(&self) -> Result<()> {
        if let (Some(key), [created]) = (self.key, self.planned)
            && let Some(used) = self.session.claim_key(key, &created.change.post().id).await?
        {
            // Only the intent was written.
            self.progress.outcomes.get_or_init(|| vec![used.into()]);
            return Ok(());
        }
        let (held, busy) = self.take().instrument(spans::take()).await?;
        let mut refused = self.prepare(&held).instrument(spans::prepare()).await?;
        refused.extend(busy.into_iter().map(|id| (id, Outcome::Busy)));
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
        self.reconcile(outcomes).instrument(spans::reconcile()).await
    }

    /// Step 2. Returns the ETag that each commit requires, and the posts that another change keeps busy. A post that is in neither has changed since
    /// it was read.
    async fn take(&self) -> Result<(HashMap<PostId, Etag>, Vec<PostId>)> {
        let name = self.session.name.to_string();
        let mut held = HashMap::new();
        let (mut takes, mut blocked) = (Vec::new(), Vec::new());
        let busy = self.busy().await?;
        for planned in self.planned {
            let change = &planned.change;
            let id = change.post().id.clone();
            match &change.before {
                Some(before) if busy.iter().any(|name| before.named.contains(name)) => blocked.push(id),
                Some(before) if change.is_in_place() => drop(held.insert(id, before.etag.clone())),
                Some(before) => takes.push((id, plan::take_step(before, &name))),
                None => takes.push((id, plan::reserve_step(change.post(), &name, None))),
            }
        }
        let takers: Vec<(PostId, Step)> = takes.clone();
        held.extend(steps::apply(self.session, takes).await?);
        for (id, _) in takers {
            if held.contains_key(&id) {
                continue;
            }
            let planned = self.planned.iter().find(|planned| planned.change.post().id == id);
            if let Some(after) = planned
                .and_then(|planned| planned.change.after())
                .filter(|_| planned.is_some_and(|planned| planned.change.before.is_none()))
            {
                held.extend(self.reserve_again(after).await?.map(|etag| (id, etag)));
            }
        }
        Ok((held, blocked))
    }

    /// W1: those intents named by the posts that are still open after the wait.
    async fn busy(&self) -> Result<Vec<IntentName>> {
        let named: HashSet<&IntentName> =
            self.planned.iter().filter_map(|p| p.change.before.as_ref()).flat_map(|b| &b.named).collect();
        let mut busy = Vec::new();
        for name in named {
            match self.session.writer.wait_until_closed(std::slice::from_ref(name)).await {
                Ok(()) => {}
                Err(ContentError::Busy) => busy.push(name.clone()),
                Err(e) => return Err(e),
            }
        }
        Ok(busy)
    }

    /// Reserves the post when a marker of it exists already; the marker of a closed intent is replaced.
    async fn reserve_again(&self, after: &Post) -> Result<Option<Etag>> {
        let place = PostPlace::of(after);
        let key = crate::keys::place::marker(place.partition(), &after.id);
        let Some(row) = self.store().get(place.collection.name(), &key).await? else { return Ok(None) };
        let marker = crate::content::tables::rows::marker::read(&row)?;
        if let Ok(other) = marker.by().parse::<IntentName>() {
            self.session.writer.wait_until_closed(&[other]).await?;
        }
        let step = plan::reserve_step(after, &self.session.name.to_string(), Some(row.etag));
        steps::apply_one(self.session, &step).await
    }

    /// Step 3. Returns the changes that are refused, and why.
    async fn prepare(&self, held: &HashMap<PostId, Etag>) -> Result<HashMap<PostId, Outcome>> {
        let mut taken: Vec<&Planned> = Vec::with_capacity(self.planned.len());
        for planned in self.planned {
            if held.contains_key(&planned.change.post().id) {
                taken.push(planned);
            }
        }
        let (mut refused, (), ()) =
            try_join3(self.claim(&taken), self.list_months(&taken), self.keep_versions(&taken)).await?;
        let mut free = taken.clone();
        free.retain(|planned| !refused.contains_key(&planned.change.post().id));
        let ((), lost) = try_join(self.put_pointers(&free), self.put_tentative(&free)).await?;
        refused.extend(lost.into_iter().map(|id| (id, Outcome::Conflict)));
        refused.extend(self.look_at_terms(&free).await?);
        Ok(refused)
    }

    async fn claim(&self, taken: &[&Planned]) -> Result<HashMap<PostId, Outcome>> {
        let name = self.session.name.to_string();
        let mut claims = Vec::new();
        for planned in taken {
            let Some(after) = planned.change.after() else { continue };
            let id = planned.change.before.is_none().then(|| lookup::by_id(&after.id));
            let keys = planned.change.new_slugs().into_iter().map(|slug| lookup::by_slug(&slug)).chain(id);
            claims.extend(keys.filter_map(|key| Claim::of(&key, after, &name)));
        }
        let refused = self.session.claim(claims).await?;
        let outcome = |why| match why {
            Refused::Taken(slug) => Outcome::Taken(slug),
            Refused::Exists => Outcome::Exists,
        };
        Ok(refused.into_iter().map(|(id, why)| (id, outcome(why))).collect())
    }

    /// Lists the months that gain a post (W8).
    async fn list_months(&self, taken: &[&Planned]) -> Result<()> {
        let mut gained: HashSet<Partition> = HashSet::new();
        for planned in taken {
            if planned.change.before.is_none() || planned.change.is_move() {
                gained.extend(undo::months(None, planned.change.after()));
            }
        }
        let lists = gained.into_iter().map(|month| async move { listing::ensure_listed(self.session, &month).await });
        stream::iter(lists).buffer_unordered(CONCURRENCY).try_collect().await
    }

    async fn keep_versions(&self, taken: &[&Planned]) -> Result<()> {
        let mut replaced = Vec::new();
        for planned in taken {
            if let (Some(before), Some(_)) = (&planned.change.before, &planned.change.after) {
                replaced.push(&before.whole);
            }
        }
        revisions::keep(self.store(), replaced.into_iter()).await
    }

    async fn put_pointers(&self, free: &[&Planned]) -> Result<()> {
        let mut pointers = Vec::new();
        for planned in free {
            let Some(after) = planned.change.after() else { continue };
            let post = Arc::new(after.clone());
            let places = planned.change.new_pointers().into_iter();
            pointers.extend(places.map(|place| NewPointer { place, post: Arc::clone(&post) }));
        }
        index::put(self.session, pointers).await
    }

    /// Writes the tentative copies of moves. Returns the posts whose new place is not free.
    async fn put_tentative(&self, free: &[&Planned]) -> Result<Vec<PostId>> {
        let mut puts = Vec::new();
        for planned in free {
            if let (true, Some(before), Some(after), Some(rows)) =
                (planned.change.is_move(), planned.change.before(), planned.change.after(), &planned.rows)
            {
                puts.push(async move {
                    let is_put = self.session.put_tentative(before, after, rows).await?;
                    Ok::<_, ContentError>((!is_put).then(|| after.id.clone()))
                });
            }
        }
        let lost: Vec<Option<PostId>> = stream::iter(puts).buffer_unordered(CONCURRENCY).try_collect().await?;
        Ok(lost.into_iter().flatten().collect())
    }

    /// W9: refuses the changes that would give a post a term that does not exist or that is being deleted.
    async fn look_at_terms(&self, free: &[&Planned]) -> Result<HashMap<PostId, Outcome>> {
        let each_once: BTreeSet<(TermKind, Slug)> = free.iter().flat_map(|p| p.change.new_terms()).collect();
        let states = self.session.term_states(each_once.into_iter().collect()).await?;
        let mut refused = HashMap::new();
        for planned in free {
            for (kind, slug) in planned.change.new_terms() {
                let outcome = match states.get(&(kind, slug.clone())) {
                    Some(TermState::Exists) => continue,
                    Some(TermState::Absent) if kind == TermKind::Tag && self.new_tags.contains(&slug) => continue,
                    Some(TermState::Absent) => Outcome::TermGone(kind, slug),
                    Some(TermState::Changing) | None => Outcome::Conflict,
                };
                refused.insert(planned.change.post().id.clone(), outcome);
                break;
            }
        }
        Ok(refused)
    }

    /// Step 5 for the changes that were made; undoes those that were refused.
    async fn reconcile(&self, outcomes: &[Outcome]) -> Result<()> {
        let mut made = Vec::new();
        for (planned, outcome) in self.planned.iter().zip(outcomes) {
            let (before, after) = (planned.change.before(), planned.change.after());
            match outcome {
                Outcome::Done => made.push(Made {
                    before: before.cloned(),
                    after: after.cloned(),
                    replaces_text: planned.change.replaces_text(),
                }),
                _ => undo::undo_post(self.session, before, after, false).await?,
            }
        }
        if made.is_empty() {
            return Ok(());
        }
        self.session.reconcile(self.session.writer.by.as_deref(), made, self.new_tags).await
    }
}
