//! Steps 2 and 3 of changes of posts, at the same time. The rule: nothing is written while an intent is open that a post's row names (W1), and before a
//! post is taken, its change only reads and inserts what is absent. It overwrites rows, resolves claims and copies posts after the take.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use futures_util::future::{join, join3, try_join};
use futures_util::{StreamExt, TryStreamExt, stream};
use tracing::Instrument;

use crate::content::error::{ContentError, Result};
use crate::content::write::outcomes::Outcome;
use crate::content::write::plan::{self, Planned, PointerPlace, Step};
use crate::content::write::revisions;
use crate::keys::intent::IntentName;
use crate::keys::{PostPlace, lookup};
use crate::model::{Post, PostId, Slug, TermKind};
use crate::store::{Etag, Store};
use crate::telemetry::spans;

use super::claim::{Claim, Refused};
use super::index::{self, NewPointer};
use super::listing::{self, Partition};
use super::terms::TermState;
use super::{CONCURRENCY, Session, steps, undo};

type States = HashMap<(TermKind, Slug), TermState>;

/// Changes that can be committed, and those that cannot.
pub(super) struct Prepared {
    /// The ETag that each commit requires. A post that is neither here nor in `refused` has changed since it was read.
    pub held: HashMap<PostId, Etag>,
    pub refused: HashMap<PostId, Outcome>,
    /// Pointers that posts lose, with the ETags that they had while the intent was open (W3).
    pub leaving: Arc<BTreeMap<PointerPlace, Etag>>,
}

/// What was written and read while the posts were taken.
struct Inserted {
    /// Claims and pointers that were not inserted: their rows exist, or another writer has changed their partitions, or the answer was lost.
    claims: Vec<Claim>,
    pointers: Vec<NewPointer>,
    leaving: BTreeMap<PointerPlace, Etag>,
    states: States,
}

/// Changes that are to be prepared.
pub(super) struct Preparation<'a> {
    pub session: &'a Session<'a>,
    pub planned: &'a [Planned],
    pub new_tags: &'a [Slug],
    /// Of the intents that the posts name, those that were open when this one was opened.
    pub unclosed: &'a [IntentName],
}

impl Preparation<'_> {
    fn store(&self) -> &Store {
        &self.session.store
    }

    pub(super) async fn run(&self) -> Result<Prepared> {
        let busy = self.busy().await?;
        let is_busy = |planned: &Planned| {
            planned.change.before.as_ref().is_some_and(|b| b.named.iter().any(|n| busy.contains(n)))
        };
        let (waiting, started): (Vec<&Planned>, Vec<&Planned>) = self.planned.iter().partition(|p| is_busy(p));
        // Both run to their ends, so that no request is under way when the change is undone.
        let (held, inserted) = join(self.take(&started).instrument(spans::take()), self.insert(&started)).await;
        let (held, mut inserted) = (held?, inserted?);
        let leaving = Arc::new(std::mem::take(&mut inserted.leaving));
        let taken: Vec<&Planned> =
            started.into_iter().filter(|planned| held.contains_key(&planned.change.post().id)).collect();
        let mut refused = self.overwrite(&taken, inserted).await?;
        refused.extend(waiting.iter().map(|planned| (planned.change.post().id.clone(), Outcome::Busy)));
        Ok(Prepared { held, refused, leaving })
    }

    /// W1: of the intents that the posts name, those that are still open after the wait.
    async fn busy(&self) -> Result<Vec<IntentName>> {
        let mut busy = Vec::new();
        for name in self.unclosed {
            match self.session.writer.wait_until_closed(std::slice::from_ref(name)).await {
                Ok(()) => {}
                Err(ContentError::Busy) => busy.push(name.clone()),
                Err(e) => return Err(e),
            }
        }
        Ok(busy)
    }

    /// Step 2. Returns the ETag that each commit requires. A post that is missing there has changed since it was read.
    async fn take(&self, started: &[&Planned]) -> Result<HashMap<PostId, Etag>> {
        let name = self.session.name.to_string();
        let mut held = HashMap::new();
        let mut takes: Vec<(PostId, Step)> = Vec::new();
        for planned in started {
            let change = &planned.change;
            let id = change.post().id.clone();
            match &change.before {
                Some(before) if change.is_in_place() => drop(held.insert(id, before.etag.clone())),
                Some(before) => takes.push((id, plan::take_step(before, &name))),
                None => takes.push((id, plan::reserve_step(change.post(), &name, None))),
            }
        }
        held.extend(steps::apply(self.session, takes).await?);
        for planned in started {
            let (id, before) = (&planned.change.post().id, &planned.change.before);
            if let (None, Some(after), false) = (before, planned.change.after(), held.contains_key(id)) {
                held.extend(self.reserve_again(after).await?.map(|etag| (id.clone(), etag)));
            }
        }
        Ok(held)
    }

    /// Reserves the post when a marker of it exists already; the marker of another intent is replaced when that intent is closed. The fence of this
    /// intent stays: a recovery has aborted the change (W6).
    async fn reserve_again(&self, after: &Post) -> Result<Option<Etag>> {
        let place = PostPlace::of(after);
        let key = crate::keys::place::marker(place.partition(), &after.id);
        let Some(row) = self.store().get(place.collection.name(), &key).await? else { return Ok(None) };
        let marker = crate::content::tables::rows::marker::read(&row)?;
        if marker.by() == self.session.name.to_string() {
            return Ok(None);
        }
        if let Ok(other) = marker.by().parse::<IntentName>() {
            self.session.writer.wait_until_closed(&[other]).await?;
        }
        let step = plan::reserve_step(after, &self.session.name.to_string(), Some(row.etag));
        steps::apply_one(self.session, &step).await
    }

    /// The part of step 3 that does not depend on the take.
    async fn insert(&self, started: &[&Planned]) -> Result<Inserted> {
        let names = join3(
            self.session.insert_claims(self.claims(started)),
            self.list_months(started),
            self.keep_versions(started),
        );
        let leaving: BTreeSet<PointerPlace> = started.iter().flat_map(|p| p.change.lost_pointers()).collect();
        let terms: BTreeSet<(TermKind, Slug)> = started.iter().flat_map(|p| p.change.new_terms()).collect();
        let indexes = join3(
            index::insert(self.session, pointers(started)),
            index::read(self.store(), leaving),
            // W9: the intent is open.
            self.session.term_states(terms.into_iter().collect()),
        );
        let ((claims, listed, kept), (pointers, leaving, states)) = join(names, indexes).await;
        listed?;
        kept?;
        Ok(Inserted { claims: claims?, pointers: pointers?, leaving: leaving?, states: states? })
    }

    /// The rest of step 3, after the posts were taken. Returns the changes that are refused, and why.
    async fn overwrite(&self, taken: &[&Planned], inserted: Inserted) -> Result<HashMap<PostId, Outcome>> {
        let Inserted { mut claims, mut pointers, states, .. } = inserted;
        let mut refused = self.refused_for_terms(taken, &states);
        let free = |refused: &HashMap<PostId, Outcome>| -> HashSet<PostId> {
            let ids = taken.iter().map(|planned| &planned.change.post().id);
            ids.filter(|id| !refused.contains_key(*id)).cloned().collect()
        };
        let ids = free(&refused);
        claims.retain(|claim| ids.contains(&claim.id));
        let outcome = |why| match why {
            Refused::Taken(slug) => Outcome::Taken(slug),
            Refused::Exists => Outcome::Exists,
        };
        let resolved = self.session.resolve_claims(claims).await?;
        refused.extend(resolved.into_iter().map(|(id, why)| (id, outcome(why))));
        let ids = free(&refused);
        pointers.retain(|new| ids.contains(&new.post.id));
        let free: Vec<&Planned> = taken.iter().copied().filter(|p| ids.contains(&p.change.post().id)).collect();
        let ((), lost) = try_join(index::put(self.session, pointers), self.put_tentative(&free)).await?;
        refused.extend(lost.into_iter().map(|id| (id, Outcome::Conflict)));
        Ok(refused)
    }

    fn claims(&self, started: &[&Planned]) -> Vec<Claim> {
        let name = self.session.name.to_string();
        let mut claims = Vec::new();
        for planned in started {
            let Some(after) = planned.change.after() else { continue };
            let id = planned.change.before.is_none().then(|| lookup::by_id(&after.id));
            let keys = planned.change.new_slugs().into_iter().map(|slug| lookup::by_slug(&slug)).chain(id);
            claims.extend(keys.filter_map(|key| Claim::of(&key, after, &name)));
        }
        claims
    }

    /// Lists the months that gain a post (W8).
    async fn list_months(&self, started: &[&Planned]) -> Result<()> {
        let mut gained: HashSet<Partition> = HashSet::new();
        for planned in started {
            if planned.change.before.is_none() || planned.change.is_move() {
                gained.extend(undo::months(None, planned.change.after()));
            }
        }
        let lists = gained.into_iter().map(|month| async move { listing::ensure_listed(self.session, &month).await });
        stream::iter(lists).buffer_unordered(CONCURRENCY).try_collect().await
    }

    async fn keep_versions(&self, started: &[&Planned]) -> Result<()> {
        let mut replaced = Vec::new();
        for planned in started {
            if let (Some(before), Some(_)) = (&planned.change.before, &planned.change.after) {
                replaced.push(&before.whole);
            }
        }
        revisions::keep(self.store(), replaced.into_iter()).await
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

    /// W9: those of the changes that would give a post a term that does not exist or that is being deleted.
    fn refused_for_terms(&self, taken: &[&Planned], states: &States) -> HashMap<PostId, Outcome> {
        let mut refused = HashMap::new();
        for planned in taken {
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
        refused
    }
}

/// The pointers that the posts get.
fn pointers(started: &[&Planned]) -> Vec<NewPointer> {
    let mut pointers = Vec::new();
    for planned in started {
        let Some(after) = planned.change.after() else { continue };
        let post = Arc::new(after.clone());
        let places = planned.change.new_pointers().into_iter();
        pointers.extend(places.map(|place| NewPointer { place, post: Arc::clone(&post) }));
    }
    pointers
}
