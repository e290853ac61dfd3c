//! Checks one partition of `Posts` or `Drafts`: three rows for each post, and the count. The rule: the row under `s-{slug}` is the truth, and the
//! summary and its mirror are compared with it.

use std::collections::{HashMap, HashSet};

use crate::content::tables::rows::count::{self, Count};
use crate::content::tables::rows::marker;
use crate::content::tables::rows::post::{self as rows, Move};
use crate::keys::{COUNT_ROW, Collection, PostPlace, Table, place, time};
use crate::model::{IndexedFields, Post, PostKey, Slug, WholePost};
use crate::store::{Entity, StoreError};

use super::counts::check_count;
use super::ends::{FoundPost, Leftover};
use super::fix::Fix;
use super::intents::Intents;
use super::report::CheckReport;

pub(super) struct CollectionPartition<'a> {
    collection: Collection,
    rows: &'a [Entity],
    intents: &'a Intents,
    /// The fields that have an index.
    indexed: &'a IndexedFields,
    by_row: HashMap<&'a str, &'a Entity>,
}

impl<'a> CollectionPartition<'a> {
    pub(super) fn of(
        collection: Collection,
        rows: &'a [Entity],
        (intents, indexed): (&'a Intents, &'a IndexedFields),
    ) -> Self {
        let by_row = rows.iter().map(|row| (row.key.row(), row)).collect();
        Self { collection, rows, intents, indexed, by_row }
    }

    /// Checks every row of the partition, and returns its count if it has one.
    pub(super) fn check(&self, found: &mut FoundPost, report: &mut CheckReport) -> Option<Count> {
        let wholes = self.rows.iter().filter_map(|row| Some((row, place::parse_whole_row(row.key.row())?)));
        let keys_of_wholes: HashSet<PostKey> =
            wholes.filter_map(|(row, slug)| self.check_whole(row, slug, found, report)).collect();
        let (mut listed, mut newest, mut count) = (0, None::<PostKey>, None);
        for row in self.rows {
            if rows::is_fence(row) {
                let what = "was left by a change of an earlier version that was undone";
                report.add(self.table(), &row.key, what, Fix::Left { table: self.table(), key: row.key.clone() });
            } else if row.key.row() == COUNT_ROW {
                count = self.read_count(row, report);
            } else if let Some(key) = time::parse_time_row(row.key.row()) {
                // The commit that wrote a redirect row also took it off the count.
                listed += i64::from(!matches!(rows::read_move(row), Ok(Some(Move::ForwardTo(_)))));
                newest = Some(newest.map_or_else(|| key.clone(), |n| n.min(key.clone())));
                if !keys_of_wholes.contains(&key) {
                    found.leftovers.push(self.leftover(row, key, None));
                }
            } else if let Some(key) = time::parse_mirror_row(row.key.row()) {
                if !keys_of_wholes.contains(&key) && !self.by_row.contains_key(time::time_row(&key).as_str()) {
                    found.leftovers.push(self.leftover(row, key, Some("a mirror row without its summary")));
                }
            } else if place::parse_marker_row(row.key.row()).is_some() {
                self.check_marker(row, report);
            } else if place::parse_whole_row(row.key.row()).is_none() {
                report.add(self.table(), &row.key, "is not a row of this table", Fix::ORPHAN);
            }
        }
        check_count(self.table(), &self.rows[0], listed, newest.as_ref(), count.as_ref(), report);
        count
    }

    /// A marker is removed with the intent that it names, so that intent must exist.
    fn check_marker(&self, row: &Entity, report: &mut CheckReport) {
        let is_of_an_intent = marker::read(row).is_ok_and(|marker| self.intents.contains(marker.by()));
        if !is_of_an_intent {
            let what = "marks a post that is being created or deleted, but no such change is under way";
            report.add(self.table(), &row.key, what, Fix::Left { table: self.table(), key: row.key.clone() });
        }
    }

    fn table(&self) -> Table {
        self.collection.table()
    }

    fn partition(&self) -> String {
        self.rows[0].key.partition().to_owned()
    }

    fn read_count(&self, row: &Entity, report: &mut CheckReport) -> Option<Count> {
        let fix = Fix::Count { table: self.table(), partition: self.partition() };
        count::read(row).map_err(|e| report.add_unreadable(self.table(), row, &e, fix)).ok()
    }

    /// Checks a row that holds a whole post. Returns the key of the post, if it is known.
    fn check_whole(
        &self,
        row: &Entity,
        slug: Slug,
        found: &mut FoundPost,
        report: &mut CheckReport,
    ) -> Option<PostKey> {
        let whole = match rows::read_whole(row) {
            Ok(whole) => whole,
            Err(error) => return self.check_lost(row, slug, &error, found, report),
        };
        if let Err(error) = rows::check_actor(row) {
            report.add_unreadable(self.table(), row, &error, Fix::ACTOR);
        }
        let WholePost { post, metadata, .. } = whole;
        let belongs = PostPlace::of(&post);
        let own = belongs.whole(&post.slug);
        if belongs.collection != self.collection || own != row.key {
            let what = format!("holds a post that belongs to {}{own}", belongs.collection.name());
            report.add(
                self.table(),
                &row.key,
                what,
                Fix::Misplaced { collection: self.collection, whole: row.key.clone() },
            );
            found.add_misplaced(&post);
            return Some(post.key());
        }
        match rows::read_move(row) {
            Err(error) => {
                report.add_unreadable(self.table(), row, &error, Fix::BAD_MOVE);
                found.add(&post, report);
            }
            Ok(mark) => {
                // The redirect of a changed slug is one row: the summary in the same partition belongs to the post itself.
                if !mark.as_ref().is_some_and(|mark| is_of_a_slug(mark, &belongs)) {
                    self.check_summary(row, &post, mark.as_ref(), report);
                }
                if mark.is_none() && post.field_index != self.indexed.partitions(&metadata) {
                    let fix = Fix::FieldIndex { collection: self.collection, whole: row.key.clone() };
                    let what = "FieldIndex does not name the values that its fields with @index have";
                    report.add(self.table(), &row.key, what, fix);
                }
                found.add_marked(&post, mark, report);
            }
        }
        Some(post.key())
    }

    /// If the whole row of a post cannot be read, its other rows may still describe the post.
    fn check_lost(
        &self,
        row: &Entity,
        slug: Slug,
        error: &StoreError,
        found: &mut FoundPost,
        report: &mut CheckReport,
    ) -> Option<PostKey> {
        let others = self.rows.iter().filter(|other| place::parse_whole_row(other.key.row()).is_none());
        let left = std::iter::once(row).chain(others).filter_map(|row| rows::read_summary(row).ok());
        let post = left.into_iter().find(|post| post.slug == slug);
        let key = post.as_ref().map(Post::key);
        let fix =
            Fix::Lost { collection: self.collection, partition: self.partition(), slug: Some(slug), key: key.clone() };
        report.add_unreadable(self.table(), row, error, fix);
        match post {
            Some(post) => found.add(&post, report),
            None => found.add_blind(self.collection, self.partition()),
        }
        key
    }

    fn check_summary(&self, row: &Entity, post: &Post, mark: Option<&Move>, report: &mut CheckReport) {
        let table = self.table();
        let fix = Fix::Summary { collection: self.collection, whole: row.key.clone() };
        let [summary, mirror] =
            [time::time_row(&post.key()), time::mirror_row(&post.key())].map(|row| self.by_row.get(row.as_str()));
        match (summary, mirror) {
            (None, mirror) => {
                report.add(table, &row.key, "a post without its summary", fix.clone());
                if let Some(mirror) = mirror {
                    report.add(table, &mirror.key, "a mirror row without its summary", fix.clone());
                }
            }
            (Some(summary), None) => report.add(table, &summary.key, "has no mirror row", fix.clone()),
            (Some(_), Some(_)) => {}
        }
        if let Some(summary) = summary.filter(|summary| !rows::is_summary_of(summary, post, mark)) {
            report.add(table, &summary.key, format!("differs from the whole post, {}", row.key.row()), fix.clone());
        }
        if let Some(mirror) = mirror.filter(|mirror| !rows::is_summary_of(mirror, post, mark)) {
            report.add(table, &mirror.key, "differs from its summary", fix);
        }
    }

    fn leftover(&self, row: &Entity, key: PostKey, what: Option<&'static str>) -> Leftover {
        let read = rows::read_summary(row).map_err(|e| e.to_string());
        Leftover { row: row.key.clone(), place: PostPlace { collection: self.collection, key }, what, read }
    }
}

/// Whether it is a redirect to another row of the same partition.
fn is_of_a_slug(mark: &Move, place: &PostPlace) -> bool {
    matches!(mark, Move::ForwardTo(to) if to.collection == place.collection && to.key.month() == place.key.month())
}
