//! Differences that one partition alone does not show: a post that is stored twice, a summary whose whole post is not in its
//! partition. The rule: they are decided after both collections are read, by the versions of the whole posts.

use std::collections::HashSet;

use crate::keys::{Collection, PostPlace};
use crate::model::{Post, PostId};
use crate::store::Key;

use super::fix::Fix;
use super::known::{Known, Posts};
use super::report::CheckReport;

/// The posts and rows that were found in the partitions so far.
#[derive(Default)]
pub(super) struct FoundPost {
    posts: Posts,
    misplaced: HashSet<PostId>,
    pub leftovers: Vec<Leftover>,
}

/// A summary, or a mirror without one, whose whole post is not in its partition.
pub(super) struct Leftover {
    pub row: Key,
    pub place: PostPlace,
    /// The message; `None` for a summary, whose message follows from its content.
    pub what: Option<&'static str>,
    pub read: Result<Post, String>,
}

impl FoundPost {
    pub(super) fn add(&mut self, post: &Post, report: &mut CheckReport) {
        let known = Known::of(post);
        let Some(other) = self.posts.by_id.get(&post.id) else {
            self.posts.by_id.insert(post.id.clone(), known);
            return;
        };
        if self.misplaced.remove(&post.id) {
            // This one is stored where it belongs and is kept; the fix of the misplaced one compares the two.
            self.posts.by_id.insert(post.id.clone(), known);
            return;
        }
        // Keeps the newer one, whose rows readers saw last.
        let (kept, second) = if known.version > other.version { (&known, other) } else { (other, &known) };
        let what =
            format!("its post is also stored at {}{}", kept.place.collection.name(), kept.place.whole(&kept.slug));
        report.add(second.place.collection.table(), &second.place.whole(&second.slug), what, Fix::TWICE);
        let kept = kept.clone();
        self.posts.by_id.insert(post.id.clone(), kept);
    }

    pub(super) fn add_misplaced(&mut self, post: &Post) {
        if !self.posts.by_id.contains_key(&post.id) {
            self.posts.by_id.insert(post.id.clone(), Known::of(post));
            self.misplaced.insert(post.id.clone());
        }
    }

    pub(super) fn add_blind(&mut self, collection: Collection, partition: String) {
        self.posts.blind.insert((collection, partition));
    }

    pub(super) fn resolve(mut self, report: &mut CheckReport) -> Posts {
        for leftover in std::mem::take(&mut self.leftovers) {
            self.resolve_leftover(leftover, report);
        }
        self.posts
    }

    fn resolve_leftover(&mut self, leftover: Leftover, report: &mut CheckReport) {
        let Leftover { row, place, what, read } = leftover;
        let table = place.collection.table();
        if let Some(known) = self.posts.get(&place.key.id) {
            if known.place == place {
                // Its whole post is in the wrong place, which was reported with that row.
                return;
            }
            let what = format!(
                "is left over; its post is stored at {}{}",
                known.place.collection.name(),
                known.place.summary()
            );
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
