//! Fixes a post that is moving between two places. The rule: one end is kept. That is the end without `PendingFrom` and `ForwardTo`, otherwise the
//! new end; if only a redirect is left, the post stays where it was.

use crate::content::error::Result;
use crate::content::maintenance::check::Fix;
use crate::content::tables::rows::post::{self as rows, Move};
use crate::content::write::{PostRows, put_rows, retry_on_conflict};
use crate::keys::{PostPlace, place, time};
use crate::model::{PostId, Slug};
use crate::store::{Batch, Entity, Precondition};

use super::Done;
use super::context::{AT_WORK, Repair};

/// One end as it is stored now.
struct End {
    place: PostPlace,
    slug: Slug,
    row: Entity,
    /// `None`: the row has neither `PendingFrom` nor `ForwardTo`.
    moving: Option<Move>,
}

impl End {
    /// Whether this end belongs to a move from that place, so that an end there without `PendingFrom` and `ForwardTo` is the old one.
    fn is_from(&self, old: &PostPlace) -> bool {
        match &self.moving {
            Some(Move::PendingFrom(from)) => from.collection == old.collection && from.key == old.key,
            Some(Move::ForwardTo(_)) => true,
            None => false,
        }
    }
}

impl Repair<'_> {
    pub(super) async fn fix_move(&mut self, id: &PostId, ends: &[(PostPlace, Slug)]) -> Result<Done> {
        if self.is_being_changed(id).await? {
            return Ok(Done::left(AT_WORK));
        }
        let mut found = Vec::with_capacity(ends.len());
        for (place, slug) in ends {
            let Some(row) = self.get(place.collection.table(), &place.whole(slug)).await? else { continue };
            let Ok(moving) = rows::read_move(&row) else { continue };
            found.push(End { place: place.clone(), slug: slug.clone(), row, moving });
        }
        if found.iter().all(|end| end.moving.is_none()) {
            return Ok(Done::Nothing);
        }
        let Some((kept, removed)) = choose(found) else {
            let Fix::Person(advice) = Fix::TWICE else { return Ok(Done::Nothing) };
            return Ok(Done::left(advice));
        };
        if kept.moving.is_some() {
            retry_on_conflict("a move", || self.clear_move(&kept)).await?;
        }
        for end in &removed {
            // The redirect of a changed slug is one row: the summary in the same partition belongs to the post itself.
            let is_of_a_slug =
                (end.place.collection, end.place.partition()) == (kept.place.collection, kept.place.partition());
            let names = || match is_of_a_slug {
                true => vec![place::whole_row(&end.slug)],
                false => {
                    vec![place::whole_row(&end.slug), time::time_row(&end.place.key), time::mirror_row(&end.place.key)]
                }
            };
            let partition = end.place.partition();
            retry_on_conflict("a move", || self.clear_rows(end.place.collection, &partition, names())).await?;
        }
        for end in removed.iter().chain([&kept]) {
            self.touch_collection(end.place.collection, &end.place.partition());
        }
        Ok(Done::fixed(format!("the post is kept at {}{}", kept.place.collection.name(), kept.place.whole(&kept.slug))))
    }

    /// Writes the rows without `PendingFrom` and `ForwardTo`, if they still have one of these.
    async fn clear_move(&self, end: &End) -> Result<()> {
        let key = end.place.whole(&end.slug);
        let Some(row) = self.get(end.place.collection.table(), &key).await? else { return Ok(()) };
        if !rows::is_marked(&row) {
            return Ok(());
        }
        let whole = rows::read_whole(&row)?;
        let new = PostRows::of(&whole)?;
        let operations = put_rows(&whole.post, &new, &Precondition::Match(row.etag));
        self.store.commit(end.place.collection.name(), &Batch::new(key.partition(), operations)?).await?;
        Ok(())
    }
}

/// The end to keep, and those to remove; `None` if the rows do not decide it.
fn choose(mut ends: Vec<End>) -> Option<(End, Vec<End>)> {
    let not_moving = ends.iter().filter(|end| end.moving.is_none()).count();
    let pending = ends.iter().filter(|end| matches!(end.moving, Some(Move::PendingFrom(_)))).count();
    let kept = match (not_moving, pending) {
        (1, _) => ends.iter().position(|end| end.moving.is_none())?,
        (0, 1) => ends.iter().position(|end| matches!(end.moving, Some(Move::PendingFrom(_))))?,
        (0, 0) if ends.len() == 1 => 0,
        _ => return None,
    };
    let kept = ends.swap_remove(kept);
    if kept.moving.is_none() && !ends.iter().all(|end| end.is_from(&kept.place)) {
        return None;
    }
    // The end that is kept must be readable before the other is removed.
    rows::read_whole(&kept.row).ok()?;
    Some((kept, ends))
}
