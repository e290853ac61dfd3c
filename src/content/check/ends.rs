//! What one partition cannot tell by itself: a post on its way between two, one that stands twice, a summary whose whole post is not beside it. The
//! rule: decided once both collections are read, by the versions and marks of whole posts.

use std::collections::{BTreeMap, HashSet};

use crate::content::rows::post::Move;
use crate::keys::{Collection, PostPlace};
use crate::model::{Post, PostId};
use crate::store::Key;

use super::{CheckReport, Fix, Known, Posts};

/// What the partitions have told so far.
#[derive(Default)]
pub(super) struct FoundPost {
    posts: Posts,
    misplaced: HashSet<PostId>,
    /// The ends of moves.
    marked: BTreeMap<PostId, Vec<(Known, Move)>>,
    pub leftovers: Vec<Leftover>,
}

/// A summary, or a mirror without one, whose whole post is not in its partition.
pub(super) struct Leftover {
    pub row: Key,
    pub place: PostPlace,
    /// `None`: what a summary has to say.
    pub what: Option<&'static str>,
    pub read: Result<Post, String>,
}

impl FoundPost {
    pub fn add(&mut self, post: &Post, report: &mut CheckReport) {
        let known = Known::of(post);
        let Some(other) = self.posts.by_id.get(&post.id) else {
            self.posts.by_id.insert(post.id.clone(), known);
            return;
        };
        if self.misplaced.remove(&post.id) {
            // The one that stands where it belongs; the fix of the other holds the two against each other.
            self.posts.by_id.insert(post.id.clone(), known);
            return;
        }
        // The rows of the newer one are those that readers saw last.
        let (kept, second) = if known.version > other.version { (&known, other) } else { (other, &known) };
        let what = format!("its post stands at {}{} too", kept.place.collection.name(), kept.place.whole(&kept.slug));
        report.add(second.place.collection.table(), &second.place.whole(&second.slug), what, Fix::TWICE);
        let kept = kept.clone();
        self.posts.by_id.insert(post.id.clone(), kept);
    }

    pub fn add_misplaced(&mut self, post: &Post) {
        if !self.posts.by_id.contains_key(&post.id) {
            self.posts.by_id.insert(post.id.clone(), Known::of(post));
            self.misplaced.insert(post.id.clone());
        }
    }

    pub fn add_marked(&mut self, post: &Post, mark: Option<Move>, report: &mut CheckReport) {
        match mark {
            None => self.add(post, report),
            Some(mark) => self.marked.entry(post.id.clone()).or_default().push((Known::of(post), mark)),
        }
    }

    pub fn add_blind(&mut self, collection: Collection, partition: String) {
        self.posts.blind.insert((collection, partition));
    }

    pub fn resolve(mut self, report: &mut CheckReport) -> Posts {
        for (id, ends) in std::mem::take(&mut self.marked) {
            self.resolve_move(&id, ends, report);
        }
        for leftover in std::mem::take(&mut self.leftovers) {
            self.resolve_leftover(leftover, report);
        }
        self.posts
    }

    fn resolve_move(&mut self, id: &PostId, ends: Vec<(Known, Move)>, report: &mut CheckReport) {
        let unmarked = self.posts.get(id).cloned();
        let places = unmarked.iter().chain(ends.iter().map(|(known, _)| known));
        let fix = Fix::Move { id: id.clone(), ends: places.map(|k| (k.place.clone(), k.slug.clone())).collect() };
        for (known, _) in &ends {
            let table = known.place.collection.table();
            report.add(table, &known.place.whole(&known.slug), "a move was left unfinished", fix.clone());
        }
        // The new end stands as soon as the old one forwards or is gone; a post that only forwards stays where it was.
        let is_pending = |(_, mark): &&(Known, Move)| matches!(mark, Move::PendingFrom(_));
        let existing = ends.iter().find(is_pending).or(ends.first()).map(|(known, _)| known.clone());
        if let (None, Some(existing)) = (unmarked, existing) {
            self.posts.by_id.insert(id.clone(), existing);
        }
    }

    fn resolve_leftover(&mut self, leftover: Leftover, report: &mut CheckReport) {
        let Leftover { row, place, what, read } = leftover;
        let table = place.collection.table();
        if let Some(known) = self.posts.get(&place.key.id) {
            if known.place == place {
                // Its whole post stands in the wrong place, and is named there.
                return;
            }
            let what =
                format!("is left over; its post stands at {}{}", known.place.collection.name(), known.place.summary());
            return report.add(table, &row, what, Fix::Stray { place });
        }
        let partition = row.partition().to_owned();
        let slug = read.as_ref().ok().map(|post| post.slug.clone());
        let fix = Fix::Lost {
            collection: place.collection,
            partition: partition.clone(),
            slug,
            key: Some(place.key.clone()),
        };
        match read {
            Ok(post) if place == PostPlace::of(&post) => {
                let what = what.map_or_else(|| format!("has no row s-{}", post.slug), str::to_owned);
                report.add(table, &row, what, fix);
                self.posts.by_id.insert(post.id.clone(), Known::of(&post));
            }
            Ok(post) => {
                let what = format!("holds a post that belongs to {}", PostPlace::of(&post).summary());
                report.add(table, &row, what, fix);
                self.posts.blind.insert((place.collection, partition));
            }
            Err(error) => {
                report.add(table, &row, error, fix);
                self.posts.blind.insert((place.collection, partition));
            }
        }
    }
}
