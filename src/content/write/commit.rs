//! Changes of posts, many at once or one. The rule: the commit of a post is one transaction, and each change is answered for by itself.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use futures_util::{StreamExt, TryStreamExt, stream};
use tracing::Instrument;

use crate::content::error::{ContentError, Result};
use crate::keys::PostPlace;
use crate::keys::intent::IntentName;
use crate::model::{Post, PostId, Slug};
use crate::telemetry::{metrics, spans};

use super::claim::{self, Claim};
use super::directory::{self, Partition};
use super::index::{self, NewPointer};
use super::intent::{self, Intent, Leased};
use super::moving;
use super::outcomes;
use super::plan::{Change, CommitStep, Planned};
use super::revisions;
use super::settle::{self, Settlement};
use super::term_delete;
use super::transaction::commit_all;
use super::{CONCURRENCY, Writer};

/// What became of one change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// The slug belongs to another post; nothing was written.
    Taken(Slug),
    /// The post has moved on since it was read; nothing was written.
    Conflict,
    /// The body fits no row, for this reason; nothing was written.
    TooLarge(String),
}

impl Writer {
    /// Makes the changes, and answers for each in their order. Former slugs that belong to other posts are left with them.
    ///
    /// # Errors
    /// Where the store fails. What was not yet committed is then undone by the next [`recover`](Self::recover), what was is finished.
    pub async fn change_posts(&self, changes: Vec<Change>) -> Result<Vec<Outcome>> {
        self.change_posts_with(changes, &[]).await
    }

    /// As [`change_posts`](Self::change_posts), and makes those of these tags that a post then bears and that are not there.
    pub async fn change_posts_with(&self, changes: Vec<Change>, new_tags: &[Slug]) -> Result<Vec<Outcome>> {
        // Planned before anything is written: a body that fits no row is refused here.
        let mut refused = BTreeMap::new();
        let mut fitting = Vec::with_capacity(changes.len());
        for (i, change) in changes.into_iter().enumerate() {
            match Planned::of(change) {
                Ok(planned) => fitting.push(planned),
                Err(ContentError::TooLarge { reason, .. }) => drop(refused.insert(i, Outcome::TooLarge(reason))),
                Err(e) => return Err(e),
            }
        }
        let mut outcomes = self.change_planned_with(fitting, new_tags).await?;
        for (i, outcome) in refused {
            outcomes.insert(i, outcome);
        }
        Ok(outcomes)
    }

    /// As [`change_posts`](Self::change_posts), for changes that were planned elsewhere.
    ///
    /// # Errors
    /// As there.
    pub async fn change_planned(&self, planned: Vec<Planned>) -> Result<Vec<Outcome>> {
        self.change_planned_with(planned, &[]).await
    }

    async fn change_planned_with(&self, planned: Vec<Planned>, new_tags: &[Slug]) -> Result<Vec<Outcome>> {
        let (changes, steps): (Vec<Change>, Vec<CommitStep>) = planned.into_iter().map(|p| (p.change, p.step)).unzip();
        self.change_fitting(&changes, new_tags, steps).await
    }

    async fn change_fitting(
        &self,
        changes: &[Change],
        new_tags: &[Slug],
        steps: Vec<CommitStep>,
    ) -> Result<Vec<Outcome>> {
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        let span = spans::change(changes.len());
        self.change_together(changes, new_tags, steps).instrument(span).await
    }

    /// With one intent for all of them, where that can hold them.
    async fn change_together(
        &self,
        changes: &[Change],
        new_tags: &[Slug],
        steps: Vec<CommitStep>,
    ) -> Result<Vec<Outcome>> {
        let name = self.new_intent_name()?;
        let intent = Intent::of_posts(changes, new_tags, self.by.as_deref());
        let opened = intent::open(&self.store, &self.clock, &name, &intent).instrument(spans::intend()).await;
        let leased = match opened {
            // An intent is one row: where it cannot hold them all, each half has its own.
            Err(ContentError::TooLarge { .. }) if changes.len() > 1 => {
                return self.change_halves(changes, new_tags, steps).await;
            }
            opened => opened,
        };
        let ended = match leased {
            Ok(leased) => self.write_leased(&name, intent, leased, changes, new_tags, steps).await,
            Err(error) => Err(error),
        };
        outcomes::count_posts(&ended, changes.len());
        ended
    }

    async fn write_leased(
        &self,
        name: &IntentName,
        intent: Intent,
        leased: Leased,
        changes: &[Change],
        new_tags: &[Slug],
        steps: Vec<CommitStep>,
    ) -> Result<Vec<Outcome>> {
        let known = OnceLock::new();
        let written = leased.while_renewed(self.write(name, changes, new_tags, steps, &known)).await;
        // Readers of this server see what was written, whether or not all of it was.
        self.directories.forget();
        match written {
            Ok(()) => self.close(name).await,
            // What was committed stands, settled or not: readers see it, and recovery settles it.
            Err(error) => {
                self.give_up(name, intent).await;
                return known.into_inner().ok_or(error);
            }
        }
        Ok(known.into_inner().unwrap_or_default())
    }

    /// A settled change whose intent cannot be taken away is settled once more by the next recovery.
    pub(super) async fn close(&self, name: &IntentName) {
        if let Err(error) = intent::close(&self.store, name).await {
            metrics::change_left();
            tracing::warn!(intent = %name, %error, "write.left");
        }
    }

    async fn change_halves(
        &self,
        changes: &[Change],
        new_tags: &[Slug],
        mut steps: Vec<CommitStep>,
    ) -> Result<Vec<Outcome>> {
        let (first, second) = changes.split_at(changes.len() / 2);
        let steps_of_second = steps.split_off(first.len());
        let mut outcomes = Box::pin(self.change_fitting(first, new_tags, steps)).await?;
        outcomes.extend(Box::pin(self.change_fitting(second, new_tags, steps_of_second)).await?);
        Ok(outcomes)
    }

    /// `known`: what became of each change, from the commit on.
    async fn write(
        &self,
        name: &IntentName,
        changes: &[Change],
        new_tags: &[Slug],
        steps: Vec<CommitStep>,
        known: &OnceLock<Vec<Outcome>>,
    ) -> Result<()> {
        let taken = self.claim(name, changes).instrument(spans::claim()).await?;
        let is_free = |change: &&Change| !taken.contains_key(&change.post().id);
        let free: Vec<&Change> = changes.iter().filter(is_free).collect();
        let put = futures_util::future::try_join(self.put_pointers(name, &free), self.prepare(name, &free));
        let (_, mut lost) = put.instrument(spans::put()).await?;
        lost.extend(self.bearing_what_is_gone(&free, new_tags).await?);
        let steps = changes.iter().zip(steps).map(|(change, step)| (change.post().id.clone(), step));
        let steps = steps.filter(|(id, _)| !taken.contains_key(id) && !lost.contains(id)).collect::<Vec<_>>();
        lost.extend(commit_all(&self.store, steps).instrument(spans::commit()).await?);
        let outcomes: Vec<Outcome> = changes
            .iter()
            .map(|change| match taken.get(&change.post().id) {
                Some(slug) => Outcome::Taken(slug.clone()),
                None if lost.contains(&change.post().id) => Outcome::Conflict,
                None => Outcome::Done,
            })
            .collect();
        let outcomes = known.get_or_init(|| outcomes);
        let settled = async {
            let settlements = self.settlements(changes, outcomes).await?;
            self.make_borne_tags(&settlements, new_tags).await?;
            settle::settle(&self.store, name, self.by.as_deref(), settlements).await
        };
        settled.instrument(spans::settle()).await
    }

    /// Posts that would come to bear a term that is not there. Looked for once the index rows stand, so that who deletes a term sees them.
    async fn bearing_what_is_gone(&self, changes: &[&Change], new_tags: &[Slug]) -> Result<HashSet<PostId>> {
        let each_once: BTreeSet<_> = changes.iter().flat_map(|change| change.new_terms()).collect();
        let each_once = each_once.into_iter().collect();
        let gone = term_delete::not_to_be_had(&self.store, each_once, new_tags).await?;
        if gone.is_empty() {
            return Ok(HashSet::new());
        }
        let bears = |change: &&&Change| change.new_terms().iter().any(|term| gone.contains(term));
        Ok(changes.iter().filter(bears).map(|change| change.post().id.clone()).collect())
    }

    async fn settlements(&self, changes: &[Change], outcomes: &[Outcome]) -> Result<Vec<Settlement>> {
        let mut settlements = Vec::with_capacity(changes.len());
        for (change, outcome) in changes.iter().zip(outcomes) {
            settlements.push(match outcome {
                Outcome::Done => Settlement::made(change),
                _ => Settlement::find(&self.store, change.before().cloned(), change.after().cloned()).await?,
            });
        }
        Ok(settlements)
    }

    /// The posts whose slug is another's, with the slug.
    async fn claim(&self, name: &IntentName, changes: &[Change]) -> Result<HashMap<PostId, Slug>> {
        let mut claims = Vec::new();
        for change in changes {
            let Some(after) = change.after() else { continue };
            match change.before() {
                None => claims.extend([Claim::id(after, name), Claim::slug(after, name)]),
                // A slug that the post once had is its own already.
                Some(before) if before.slug != after.slug && !before.former_slugs.contains(&after.slug) => {
                    claims.push(Claim::slug(after, name));
                }
                Some(_) => {}
            }
            let known: &[Slug] = change.before().map_or(&[], |before| &before.former_slugs);
            let new = after.former_slugs.iter().filter(|slug| !known.contains(slug) && is_new_to(change, slug));
            claims.extend(new.map(|slug| Claim::former(after, slug, name)));
        }
        let refused = claim::take(&self.store, name, claims).await?;
        Ok(refused.into_iter().filter_map(|claim| Some((claim.id.clone(), claim.slug_claimed()?))).collect())
    }

    async fn put_pointers(&self, name: &IntentName, changes: &[&Change]) -> Result<()> {
        let mut pointers = Vec::new();
        for change in changes {
            let Some(after) = change.after() else { continue };
            let post = Arc::new(after.clone());
            let places = change.new_pointers().into_iter();
            pointers.extend(places.map(|place| NewPointer { place, post: Arc::clone(&post) }));
        }
        index::put(&self.store, name, pointers).await
    }

    /// Lists the months, keeps what is replaced, and puts the pending rows of moves. Answers the posts whose new place another change has.
    async fn prepare(&self, name: &IntentName, changes: &[&Change]) -> Result<HashSet<PostId>> {
        let enters = |change: &&&Change| change.before().map(month_of) != change.after().map(month_of);
        let months: HashSet<Partition> =
            changes.iter().filter(enters).filter_map(|c| c.after()).map(month_of).collect();
        let promises = months.into_iter().map(|month| async move { directory::promise(&self.store, &month).await });
        stream::iter(promises).buffer_unordered(CONCURRENCY).try_collect::<()>().await?;
        revisions::keep(
            &self.store,
            changes.iter().filter(|c| c.after.is_some()).filter_map(|c| c.before.as_ref()).map(|b| &b.whole),
        )
        .await?;
        let mut lost = HashSet::new();
        for change in changes {
            if let (true, Some(before), Some(after)) = (change.is_move(), change.before(), &change.after)
                && !moving::put_pending(&self.store, name, before, after).await?
            {
                lost.insert(before.id.clone());
            }
        }
        Ok(lost)
    }
}

/// A slug that the post itself had until this change is its own already.
fn is_new_to(change: &Change, slug: &Slug) -> bool {
    change.before().is_none_or(|before| before.slug != *slug)
}

/// The month that lists a post, on its shelf.
pub(super) fn month_of(post: &Post) -> Partition {
    let place = PostPlace::of(post);
    Partition::Month(place.shelf, place.key.month())
}
