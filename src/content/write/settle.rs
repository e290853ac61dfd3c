//! After the commit, or instead of it: every row of the old and of the new state is held against the post as it is. The rule: idempotent, and
//! the same for a change that was made, one that was refused, and one that a stopped server left.

use std::collections::{BTreeSet, HashSet};

use futures_util::stream;
use futures_util::{StreamExt, TryStreamExt};

use crate::content::error::Result;
use crate::content::moves;
use crate::keys::intent::IntentName;
use crate::keys::{PostPlace, lookup};
use crate::model::{Post, Slug};
use crate::store::{Key, Store};

use super::CONCURRENCY;
use super::claim;
use super::commit::month_of;
use super::directory::{self, Partition};
use super::index;
use super::moving;
use super::plan::{self, Change};
use super::record;
use super::revisions;

/// A post as it was, as it was to be, and as it is.
#[derive(Debug, Clone)]
pub struct Settlement {
    pub before: Option<Post>,
    pub after: Option<Post>,
    pub now: Option<Post>,
    /// Whether this writer has just made the change itself, so that what it did not touch is as it was.
    pub is_own: bool,
}

impl Settlement {
    /// Of a change that this writer has made.
    pub fn made(change: &Change) -> Self {
        let after = change.after().cloned();
        Self { before: change.before().cloned(), now: after.clone(), after, is_own: true }
    }

    /// Of a change that was refused or left, by the post as it is found.
    pub async fn find(store: &Store, before: Option<Post>, after: Option<Post>) -> Result<Self> {
        let sides = || after.iter().chain(&before);
        let known: Vec<PostPlace> = sides().map(PostPlace::of).collect();
        let now = match sides().next() {
            Some(post) => moves::find(store, &post.id, &known).await?,
            None => None,
        };
        Ok(Self { before, after, now, is_own: false })
    }

    /// Whether the post is as it was to be.
    pub fn is_done(&self) -> bool {
        match (&self.after, &self.now) {
            (Some(after), Some(now)) => {
                (after.version, &after.slug, PostPlace::of(after)) == (now.version, &now.slug, PostPlace::of(now))
            }
            (None, None) => true,
            _ => false,
        }
    }

    /// Whether the post stands at its new place.
    pub fn is_made(&self) -> bool {
        match (&self.after, &self.now) {
            (Some(after), Some(now)) => PostPlace::of(after) == PostPlace::of(now),
            _ => false,
        }
    }

    /// Whether the change has been made, or can no more be: a later one stands.
    pub fn is_committed(&self) -> bool {
        match (&self.after, &self.now) {
            (Some(after), Some(now)) => now.version >= after.version,
            (None, None) => true,
            _ => false,
        }
    }

    /// The old place and the new one, where the change is a move between partitions.
    fn moved(&self) -> Option<(&Post, &Post)> {
        let (before, after) = (self.before.as_ref()?, self.after.as_ref()?);
        let (old, new) = (PostPlace::of(before), PostPlace::of(after));
        ((old.shelf, old.partition()) != (new.shelf, new.partition())).then_some((before, after))
    }

    fn sides(&self) -> impl Iterator<Item = &Post> {
        [&self.before, &self.after].into_iter().flatten()
    }
}

/// `by`: who the changes are recorded as made by.
pub async fn settle(store: &Store, name: &IntentName, by: Option<&str>, settlements: Vec<Settlement>) -> Result<()> {
    record::write(store, name, by, record::of_posts(&settlements)).await?;
    // Pending rows first, for a pointer stays while its post's row bears it out, pending or not.
    for settlement in settlements.iter().filter(|s| !s.is_made()) {
        if let Some((_, after)) = settlement.moved() {
            moving::undo(store, name, after).await?;
        }
    }
    let pointers = settlements.iter().flat_map(stale_pointers).collect();
    index::remove(store, name, pointers).await?;
    let months: HashSet<Partition> = settlements.iter().flat_map(months_to_settle).collect();
    let each = settlements.into_iter().map(|settlement| async move {
        settle_lookups(store, name, &settlement).await?;
        if let (Some(before), None) = (&settlement.before, &settlement.now) {
            revisions::forget(store, &before.id).await?;
        }
        // Forwarding rows last, for until the id names the new place they are the way there.
        match settlement.moved() {
            Some((before, after)) if settlement.is_made() => moving::finish(store, before, after).await,
            Some((before, _)) => moving::finish_any(store, before).await,
            None => Ok(()),
        }
    });
    stream::iter(each).buffer_unordered(CONCURRENCY).try_collect::<()>().await?;
    let copies = months.into_iter().map(|month| async move { directory::copy(store, &month).await });
    stream::iter(copies).buffer_unordered(CONCURRENCY).try_collect().await
}

/// The months whose counts may have changed.
fn months_to_settle(settlement: &Settlement) -> Vec<Partition> {
    match (&settlement.before, &settlement.after) {
        (Some(before), Some(after))
            if settlement.is_own && before.key() == after.key() && settlement.moved().is_none() =>
        {
            Vec::new()
        }
        _ => settlement.sides().map(month_of).collect(),
    }
}

/// Pointers of either side that the post, as it is, does not have.
fn stale_pointers(settlement: &Settlement) -> Vec<plan::PointerPlace> {
    let now = settlement.now.as_ref().map(plan::pointers).unwrap_or_default();
    let all: BTreeSet<_> = settlement.sides().flat_map(plan::pointers).collect();
    all.difference(&now).cloned().collect()
}

/// `PostKeys`: the id and the slug name the place, slugs that the post had lead to it, others are free again.
async fn settle_lookups(store: &Store, name: &IntentName, settlement: &Settlement) -> Result<()> {
    let Some(id) = settlement.sides().next().map(|post| &post.id) else { return Ok(()) };
    let known: Vec<PostPlace> = settlement.now.iter().map(PostPlace::of).collect();
    claim::settle(store, name, id, &lookups_to_settle(settlement), &known).await
}

/// None where the claims say all, or where nothing that these rows name has changed.
fn lookups_to_settle(settlement: &Settlement) -> BTreeSet<Key> {
    if settlement.is_own && settlement.before.is_none() {
        return BTreeSet::new();
    }
    let slugs = |post: &Post| -> BTreeSet<Slug> { post.former_slugs.iter().chain([&post.slug]).cloned().collect() };
    let mut keys: BTreeSet<Key> = settlement.sides().flat_map(slugs).map(|slug| lookup::by_slug(&slug)).collect();
    keys.extend(settlement.sides().map(|post| lookup::by_id(&post.id)));
    let (Some(before), Some(after), Some(now)) = (&settlement.before, &settlement.after, &settlement.now) else {
        return keys;
    };
    if !settlement.is_own {
        return keys;
    }
    // Slugs that led to the post before and still do are as they were.
    for slug in before.former_slugs.iter().filter(|slug| after.former_slugs.contains(slug)) {
        keys.remove(&lookup::by_slug(slug));
    }
    let place = |post: &Post| (PostPlace::of(post), post.slug.clone(), post.origin.clone());
    if place(before) == place(now) {
        keys.remove(&lookup::by_slug(&now.slug));
        keys.remove(&lookup::by_id(&now.id));
    }
    keys
}
