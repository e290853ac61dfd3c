//! After the commit, or instead of it: every row of the old and of the new state is held against the post as it is. The rule: idempotent, and
//! the same for a change that was made, one that was refused, and one that a stopped server left.

use std::collections::{BTreeSet, HashMap, HashSet};

use futures_util::stream;
use futures_util::{StreamExt, TryStreamExt};

use crate::content::error::Result;
use crate::content::rows::count;
use crate::content::rows::post::{self as post_rows, Move};
use crate::keys::intent::IntentName;
use crate::keys::{PostPlace, lookup, place};
use crate::model::{Post, Slug};
use crate::store::{Batch, Entity, Key, Precondition, Store};

use super::CONCURRENCY;
use super::claim::{self, Claim};
use super::commit::{Outcome, month_of};
use super::directory::{self, Partition};
use super::index::{self, put_count};
use super::plan::{self, Change};
use super::retry::until_settled;

/// A post as it was, as it was to be, and as it is.
#[derive(Debug, Clone)]
pub struct Settlement {
    pub before: Option<Post>,
    pub after: Option<Post>,
    pub now: Option<Post>,
}

impl Settlement {
    pub fn of(change: &Change, outcome: &Outcome) -> Self {
        let (before, after) = (change.before().cloned(), change.after().cloned());
        let now = if *outcome == Outcome::Done { after.clone() } else { before.clone() };
        Self { before, after, now }
    }

    /// Whether the post stands at its new place.
    fn is_made(&self) -> bool {
        match (&self.after, &self.now) {
            (Some(after), Some(now)) => PostPlace::of(after) == PostPlace::of(now),
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

pub async fn settle(store: &Store, name: &IntentName, settlements: Vec<Settlement>) -> Result<()> {
    settle_with(store, name, &HashMap::new(), settlements).await
}

/// `open`: which other intents their writers may still be at work on.
pub async fn settle_with(
    store: &Store,
    name: &IntentName,
    open: &HashMap<String, bool>,
    settlements: Vec<Settlement>,
) -> Result<()> {
    // Pending rows first, for a pointer stays while its post's row bears it out, pending or not.
    for settlement in settlements.iter().filter(|s| !s.is_made()) {
        undo_move(store, settlement).await?;
    }
    let pointers = settlements.iter().flat_map(stale_pointers).collect();
    index::remove(store, name, open, pointers).await?;
    let months: HashSet<Partition> = settlements.iter().flat_map(|s| s.sides().map(month_of)).collect();
    let each = settlements.into_iter().map(|settlement| async move {
        settle_lookups(store, name, &settlement).await?;
        // Forwarding rows last, for until the id names the new place they are the way there.
        if settlement.is_made() { finish_move(store, &settlement).await } else { Ok(()) }
    });
    stream::iter(each).buffer_unordered(CONCURRENCY).try_collect::<()>().await?;
    let copies = months.into_iter().map(|month| async move { directory::copy(store, &month).await });
    stream::iter(copies).buffer_unordered(CONCURRENCY).try_collect().await
}

/// Pointers of either side that the post, as it is, does not have.
fn stale_pointers(settlement: &Settlement) -> Vec<plan::PointerPlace> {
    let now = settlement.now.as_ref().map(plan::pointers).unwrap_or_default();
    let all: BTreeSet<_> = settlement.sides().flat_map(plan::pointers).collect();
    all.difference(&now).cloned().collect()
}

/// `PostKeys`: the id and the slug name the place, slugs that the post had lead to it, others are free again.
async fn settle_lookups(store: &Store, name: &IntentName, settlement: &Settlement) -> Result<()> {
    let Some(post) = settlement.sides().next() else { return Ok(()) };
    let slugs: BTreeSet<&Slug> = settlement.sides().flat_map(|p| p.former_slugs.iter().chain([&p.slug])).collect();
    let Some(now) = &settlement.now else {
        for slug in slugs {
            claim::release(store, &lookup::by_slug(slug), &post.id).await?;
        }
        return claim::release(store, &lookup::by_id(&post.id), &post.id).await;
    };
    // A new post's claims name its place already.
    if settlement.before.is_none() && settlement.after.as_ref() == Some(now) {
        return Ok(());
    }
    let is_unmoved = settlement.before.as_ref().is_some_and(|before| {
        (PostPlace::of(before), &before.slug, &before.origin) == (PostPlace::of(now), &now.slug, &now.origin)
    });
    let was_refused = settlement.after.as_ref() != Some(now);
    if !is_unmoved || was_refused {
        claim::put(store, &Claim::slug(now, name)).await?;
        claim::put(store, &Claim::id(now, name)).await?;
    }
    for slug in slugs.into_iter().filter(|slug| **slug != now.slug) {
        match now.former_slugs.contains(slug) {
            true if settlement.before.as_ref().is_some_and(|b| b.former_slugs.contains(slug)) && !was_refused => {}
            true => claim::put(store, &Claim::former(now, slug)).await?,
            false => claim::release(store, &lookup::by_slug(slug), &post.id).await?,
        }
    }
    Ok(())
}

/// Takes the mark off the rows at the new place, and the rows at the old one away.
async fn finish_move(store: &Store, settlement: &Settlement) -> Result<()> {
    let Some((before, after)) = settlement.moved() else { return Ok(()) };
    clear_mark(store, &PostPlace::of(after), &after.slug).await?;
    remove_rows(store, &PostPlace::of(before), &before.slug, is_forwarding).await
}

/// Takes the pending rows away.
async fn undo_move(store: &Store, settlement: &Settlement) -> Result<()> {
    let Some((_, after)) = settlement.moved() else { return Ok(()) };
    remove_rows(store, &PostPlace::of(after), &after.slug, is_pending).await
}

fn is_forwarding(row: &Entity) -> Result<bool> {
    Ok(matches!(post_rows::read_move(row)?, Some(Move::ForwardTo(_))))
}

fn is_pending(row: &Entity) -> Result<bool> {
    Ok(matches!(post_rows::read_move(row)?, Some(Move::PendingFrom(_))))
}

async fn clear_mark(store: &Store, place: &PostPlace, slug: &Slug) -> Result<()> {
    until_settled("a move", || async {
        let Some(row) = store.get(place.shelf.name(), &place.whole(slug)).await? else { return Ok(()) };
        if !is_pending(&row)? {
            return Ok(());
        }
        let whole = post_rows::read_whole(&row)?;
        let operations = plan::put_rows(&whole, None, &Precondition::Match(row.etag))?;
        store.commit(place.shelf.name(), &Batch::new(place.partition(), operations)?).await?;
        Ok(())
    })
    .await
}

/// Deletes the post's rows at a place where they still bear that mark. Pending rows were counted when they were put; forwarding rows were
/// taken off the count by the commit that made them.
async fn remove_rows(
    store: &Store,
    place: &PostPlace,
    slug: &Slug,
    bears_mark: fn(&Entity) -> Result<bool>,
) -> Result<()> {
    until_settled("a move", || async {
        let Some(row) = store.get(place.shelf.name(), &place.whole(slug)).await? else { return Ok(()) };
        if !bears_mark(&row)? {
            return Ok(());
        }
        let post = post_rows::read_summary(&row)?;
        let mut operations = plan::delete_rows(&post, &row.etag);
        if is_pending(&row)? {
            let count_key: Key = place::count(place.partition());
            if let Some(found) = store.get(place.shelf.name(), &count_key).await? {
                let fewer = count::read(&found)?.changed(-1, None);
                operations.push(put_count(&fewer, Precondition::Match(found.etag)));
            }
        }
        store.commit(place.shelf.name(), &Batch::new(place.partition(), operations)?).await?;
        Ok(())
    })
    .await
}
