//! Changes of terms, by the steps of docs/design.md; and for changes of posts the check of their terms (`term_states`) and the creation of new tags
//! (`create_new_tags`). The rule: the identity row decides; any other row that a change has written is valid only if the identity row agrees with it.

mod deletion;
mod places;
mod rows;
mod slugs;

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::{join, try_join, try_join_all};
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::term::{self as term_rows, TermRow};
use crate::content::write::log::{self, Changed};
use crate::content::write::outcomes::TermOutcome;
use crate::content::write::plan::{self, StoredTerm, TermChange};
use crate::content::write::retry::retry_on_conflict;
use crate::content::write::terms::has_slug;
use crate::content::write::{Writer, announcing, in_time, record};
use crate::keys::intent::IntentName;
use crate::keys::{Table, term};
use crate::model::{ActorSnapshot, Slug, Term, TermKind};
use crate::store::{Etag, StoreError};

use super::intent::Intent;
use super::lease::Lease;
use super::listing::{self, CountFrom, Partition};
use super::reconcile::Made;
use super::recover::Writers;
use super::{CONCURRENCY, CommittedBy, Session, announced, facts, fence};

/// The state of a term that a post is to get, as a writer of posts finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TermState {
    Exists,
    Absent,
    /// A deletion of the term is under way, or the row of the slug names another term.
    Changing,
}

#[derive(Default)]
struct TermProgress {
    is_commit_sent: AtomicBool,
    outcomes: OnceLock<Vec<TermOutcome>>,
}

impl Writer {
    /// Makes the changes. Returns their outcomes in the same order.
    ///
    /// # Errors
    /// If the store fails before anything is committed; [`ContentError::OutcomeUnknown`] if it cannot be learned whether anything was.
    pub(in crate::content::write) async fn change_terms_stepwise(
        &self,
        changes: &[TermChange],
    ) -> Result<Vec<TermOutcome>> {
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        let name = self.new_intent_name()?;
        let intent = Intent::of_terms(changes, self.by.as_deref());
        let opening = Lease::open(&self.store, &self.clock, name, &intent);
        // Until the change has ended.
        let announcing = announcing::ahead(&self.store, announced::rows_of_terms(changes));
        let (opened, _announced) = join(opening, announcing).await;
        let mut lease = match opened {
            Err(ContentError::TooLarge { .. }) if changes.len() > 1 => {
                let (first, second) = changes.split_at(changes.len() / 2);
                let mut outcomes = Box::pin(self.change_terms_stepwise(first)).await?;
                outcomes.extend(Box::pin(self.change_terms_stepwise(second)).await?);
                return Ok(outcomes);
            }
            Err(ContentError::Store(StoreError::OutcomeUnknown { what, source })) => {
                return Err(StoreError::Unavailable { what, source }.into());
            }
            lease => lease?,
        };
        let progress = TermProgress::default();
        let session = self.session(lease.store(), &lease.name, CommittedBy::Itself);
        let done = lease.while_renewed(session.change_terms(changes, &progress)).await;
        self.partition_catalogs.invalidate();
        match (progress.outcomes.into_inner(), done) {
            (Some(outcomes), Ok(())) => {
                self.end(&session.name, &intent, lease.is_in_doubt()).await;
                Ok(outcomes)
            }
            (Some(outcomes), Err(error)) => {
                self.finish_soon(&session.name, &intent, &error).await;
                Ok(outcomes)
            }
            (None, done) => {
                let error = done.err().unwrap_or(ContentError::LeaseLost);
                let is_commit_sent = progress.is_commit_sent.into_inner();
                match self.learn(&session.name, &intent).await {
                    Ok(facts) if facts.iter().all(|is_made| *is_made) => Ok(vec![TermOutcome::Done; changes.len()]),
                    Err(_) if is_commit_sent => Err(ContentError::OutcomeUnknown),
                    _ => not_made(error, changes.len()),
                }
            }
        }
    }
}

fn not_made(error: ContentError, changes: usize) -> Result<Vec<TermOutcome>> {
    match error {
        ContentError::Busy => Ok(vec![TermOutcome::Busy; changes]),
        ContentError::LeaseLost => Ok(vec![TermOutcome::Conflict; changes]),
        ContentError::Store(StoreError::OutcomeUnknown { what, source }) => {
            Err(StoreError::Unavailable { what, source }.into())
        }
        other => Err(other),
    }
}

/// The partitions of the current slugs before and after the change, whose counts may change.
fn partitions(before: Option<&Term>, after: Option<&Term>) -> HashSet<Partition> {
    let of = |term: &Term| Partition::Terms(term.kind(), term::partition(&term.slug));
    before.into_iter().chain(after).map(of).collect()
}

impl Session<'_> {
    async fn change_terms(&self, changes: &[TermChange], progress: &TermProgress) -> Result<()> {
        let mut prepares = Vec::with_capacity(changes.len());
        for (i, change) in changes.iter().enumerate() {
            prepares.push(async move { Ok::<_, ContentError>((i, self.prepare_term(change).await?)) });
        }
        let mut prepared: HashMap<usize, Result<Etag, TermOutcome>> =
            stream::iter(prepares).buffer_unordered(CONCURRENCY).try_collect().await?;
        // After the intents that the terms name have closed, because their reconciliation removes other claims of the same categories.
        let place = |(i, change): (usize, &TermChange)| {
            matches!(prepared.get(&i), Some(Ok(_))).then_some(())?;
            Some((i, plan::new_place(change.before(), change.after.as_ref())?))
        };
        let places: Vec<_> = changes.iter().enumerate().filter_map(place).collect();
        let refused = self.claim_places(&places).await?;
        prepared.extend(refused.into_iter().map(|(i, refused)| (i, Err(refused))));
        let held: Vec<(usize, &TermChange, &Etag)> = changes
            .iter()
            .enumerate()
            .filter_map(|(i, change)| match prepared.get(&i) {
                Some(Ok(etag)) => Some((i, change, etag)),
                _ => None,
            })
            .collect();
        progress.is_commit_sent.store(true, Ordering::Relaxed);
        let committed = rows::commit(&self.store, &self.name, &held).await?;
        let outcome = |i: usize| match prepared.get(&i) {
            Some(Err(refused)) => *refused,
            _ if committed.contains(&i) => TermOutcome::Done,
            _ => TermOutcome::Conflict,
        };
        let outcomes = progress.outcomes.get_or_init(|| (0..changes.len()).map(outcome).collect());
        let mut made = Vec::new();
        for (change, outcome) in changes.iter().zip(outcomes) {
            let (before, after) = (change.before(), change.after.as_ref());
            match outcome {
                TermOutcome::Done => made.push((before.cloned(), after.cloned())),
                _ => self.undo_term(before, after, false).await?,
            }
        }
        let changes = made.len();
        in_time(changes, self.reconcile_terms(self.writer.by.as_deref(), made)).await
    }

    /// W1, then steps 2 and 3. Returns the ETag of the identity row that the commit requires, or why the change is refused.
    async fn prepare_term(&self, change: &TermChange) -> Result<Result<Etag, TermOutcome>> {
        if let Some(before) = &change.before {
            match self.writer.wait_until_closed(&before.named).await {
                Err(ContentError::Busy) => return Ok(Err(TermOutcome::Busy)),
                waited => waited?,
            }
        }
        match (&change.before, &change.after) {
            (Some(before), None) => self.prepare_deletion(before).await,
            (before, Some(after)) => self.prepare_slugs(before.as_ref(), after).await,
            (None, None) => Ok(Err(TermOutcome::Conflict)),
        }
    }

    async fn prepare_slugs(&self, before: Option<&StoredTerm>, after: &Term) -> Result<Result<Etag, TermOutcome>> {
        let held = match before {
            Some(before) => before.etag.clone(),
            None => match self.reserve_new(after).await? {
                Ok(held) => held,
                Err(refused) => return Ok(Err(refused)),
            },
        };
        if before.is_none_or(|before| before.term.slug != after.slug) {
            let partition = Partition::Terms(after.kind(), term::partition(&after.slug));
            listing::ensure_listed(self, &partition).await?;
            if after.slug != after.id.first_slug
                && let Some(refused) = self.put_slug_row(after, &after.slug, true).await?
            {
                return Ok(Err(refused));
            }
        }
        let has_row = |slug: &Slug| {
            *slug == after.id.first_slug || *slug == after.slug || before.is_some_and(|b| has_slug(&b.term, slug))
        };
        // Slugs that belong to other terms are left to them.
        for former in after.former_slugs.iter().filter(|slug| !has_row(slug)) {
            self.put_slug_row(after, former, false).await?;
        }
        Ok(Ok(held))
    }

    /// Reserves the identity row of a new term. Returns its ETag, or why the term cannot be created.
    async fn reserve_new(&self, after: &Term) -> Result<Result<Etag, TermOutcome>> {
        let (kind, key) = (after.kind(), term::term(&after.id.first_slug));
        retry_on_conflict("a term", || async {
            let row = self.store.get(Table::Terms(kind).name(), &key).await?;
            let over = match row.as_ref().map(|row| term_rows::read(kind, row)).transpose()? {
                None => None,
                Some(TermRow::Identity(_)) => return Ok(Err(TermOutcome::Conflict)),
                // A recovery has aborted this change (W6).
                Some(TermRow::Gone { by, is_fence: true }) if by == self.name.to_string() => {
                    return Ok(Err(TermOutcome::Conflict));
                }
                Some(TermRow::Gone { by, .. }) => {
                    self.wait_for(&by).await?;
                    row.map(|row| rows::Replaced { etag: row.etag, is_listed: false })
                }
                Some(TermRow::Slug(found)) => match self.slug_owner(after, &after.id.first_slug, &found).await? {
                    slugs::SlugOwner::None => {
                        row.map(|row| rows::Replaced { etag: row.etag, is_listed: found.is_listed })
                    }
                    slugs::SlugOwner::Other => return Ok(Err(TermOutcome::Taken)),
                },
            };
            let reserved = rows::reserve(&self.store, &self.name, (kind, &after.id.first_slug), over).await?;
            reserved.map(Ok).ok_or(ContentError::Internal { what: "a row that was written has no ETag", source: None })
        })
        .await
    }

    async fn wait_for(&self, by: &str) -> Result<()> {
        match by.parse::<IntentName>() {
            Ok(name) if name != self.name => self.writer.wait_until_closed(&[name]).await,
            _ => Ok(()),
        }
    }

    /// Step 5, for the changes of terms that were made.
    async fn reconcile_terms(&self, by: Option<&ActorSnapshot>, made: Vec<(Option<Term>, Option<Term>)>) -> Result<()> {
        let items = made.iter().filter_map(|(before, after)| log::of_term(before.as_ref(), after.as_ref()));
        let changed = Changed { objects: items.collect(), new_tags: Vec::new() };
        let recording = record::write(&self.store, &self.name, by, changed.recorded());
        try_join(recording, self.append(changed)).await?;
        self.reconcile_places(&made).await?;
        let mut counted = HashSet::new();
        for (before, after) in &made {
            match (before, after) {
                (Some(before), Some(after)) if before.slug != after.slug && before.slug != after.id.first_slug => {
                    self.unlist(after, &before.slug).await?;
                }
                (Some(before), None) => {
                    for slug in slugs::others(before) {
                        self.remove_slug_row(before, &slug).await?;
                    }
                    deletion::remove_gone(&self.store, &self.name, before).await?;
                }
                _ => {}
            }
            let is_counted = before.as_ref().map(|term| &term.slug) != after.as_ref().map(|term| &term.slug);
            counted.extend(partitions(before.as_ref(), after.as_ref()).into_iter().filter(|_| is_counted));
        }
        for partition in counted {
            listing::copy_count(self, &partition, CountFrom::Row).await?;
        }
        Ok(())
    }

    /// W9: the states of the terms that posts are to get. All are read together.
    pub(super) async fn term_states(
        &self,
        terms: Vec<(TermKind, Slug)>,
    ) -> Result<HashMap<(TermKind, Slug), TermState>> {
        let of_kind = |kind| {
            let slugs = terms.iter().filter(move |(of, _)| *of == kind).map(|(_, slug)| slug);
            self.states_of(kind, slugs.cloned().collect())
        };
        let states = try_join_all(TermKind::ALL.map(of_kind)).await?;
        Ok(states.into_iter().flatten().collect())
    }

    async fn states_of(&self, kind: TermKind, slugs: Vec<Slug>) -> Result<Vec<((TermKind, Slug), TermState)>> {
        let keys: Vec<_> = slugs.iter().map(term::term).collect();
        let found = self.store.get_many(Table::Terms(kind).name(), &keys).await;
        let mut states = Vec::with_capacity(slugs.len());
        for (slug, found) in slugs.into_iter().zip(found) {
            let state = match found?.map(|row| term_rows::read(kind, &row)).transpose()? {
                None | Some(TermRow::Gone { .. }) => TermState::Absent,
                Some(TermRow::Identity(row)) if row.deleting_by.is_some() => TermState::Changing,
                Some(TermRow::Identity(_)) => TermState::Exists,
                Some(TermRow::Slug(_)) => TermState::Changing,
            };
            states.push(((kind, slug), state));
        }
        Ok(states)
    }

    /// Creates those of `new_tags` that one of the posts has, and returns them. A tag that exists already is not changed.
    pub(super) async fn create_new_tags(&self, made: &[Made], new_tags: &[Slug]) -> Result<Vec<Slug>> {
        let has = |tag: &&Slug| made.iter().filter_map(|m| m.after.as_ref()).any(|post| post.tags.contains(tag));
        let missing: Vec<&Slug> = new_tags.iter().filter(has).collect();
        if missing.is_empty() {
            return Ok(Vec::new());
        }
        let (mut partitions, mut created) = (HashSet::new(), Vec::new());
        for tag in missing {
            let term = plan::new_tag(&self.name, tag);
            let partition = Partition::Terms(TermKind::Tag, term::partition(tag));
            listing::ensure_listed(self, &partition).await?;
            loop {
                match rows::insert(&self.store, &self.name, &term).await? {
                    rows::Inserted::Done { is_own } => {
                        created.extend(is_own.then(|| tag.clone()));
                        break;
                    }
                    rows::Inserted::Waits(by) => {
                        self.wait_for(&by).await?;
                        slugs::remove_orphan(&self.store, &term, &by).await?;
                    }
                }
            }
            partitions.insert(partition);
        }
        for partition in partitions {
            listing::copy_count(self, &partition, CountFrom::Row).await?;
        }
        Ok(created)
    }

    /// Undoes a change of a term that was not made (W4).
    pub(super) async fn undo_term(&self, before: Option<&Term>, after: Option<&Term>, keeps_fence: bool) -> Result<()> {
        let Some(term) = after.or(before) else { return Ok(()) };
        self.withdraw_place(before, after).await?;
        for slug in slugs::others(term) {
            slugs::remove_named(&self.store, &self.name, term, &slug).await?;
        }
        deletion::unmark(&self.store, &self.name, term, keeps_fence).await?;
        for partition in partitions(before, after) {
            listing::copy_count(self, &partition, CountFrom::Row).await?;
        }
        Ok(())
    }

    /// Finishes or undoes the changes of terms in an intent that is being recovered. Returns whether each was made.
    pub(super) async fn finish_terms(&self, intent: &Intent, writers: Writers) -> Result<Vec<bool>> {
        let (mut all, mut made) = (Vec::new(), Vec::new());
        for (before, after) in super::recover::terms(intent)? {
            let Some(term) = after.as_ref().or(before.as_ref()) else { continue };
            let is_deletion = after.is_none();
            let mut is_made = facts::is_term_made(&self.store, &self.name, term, is_deletion).await?;
            if !is_made && writers == Writers::Unknown {
                fence::raise_term(&self.store, &self.name, before.as_ref(), term).await?;
                is_made = facts::is_term_made(&self.store, &self.name, term, is_deletion).await?;
            }
            all.push(is_made);
            if is_made {
                made.push((before, after));
            } else {
                let keeps_fence = writers == Writers::Unknown;
                let (before, after) = (before.as_ref(), after.as_ref());
                self.undo_term(before, after, keeps_fence).await?;
            }
        }
        if !made.is_empty() {
            self.reconcile_terms(intent.actor().as_ref(), made).await?;
        }
        Ok(all)
    }
}
