//! Checks one partition of `Posts` or `Drafts`: three rows for each post, and the count. The rule: the row under `s-{slug}` is the truth, and the
//! summary and its mirror are compared with it.

use std::collections::{HashMap, HashSet};

use crate::content::tables::rows::count::{self, Count};
use crate::content::tables::rows::post as rows;
use crate::keys::{COUNT_ROW, Collection, PostPlace, Table, place, time};
use crate::model::{IndexedFields, Post, PostKey, Slug, WholePost};
use crate::store::{Entity, StoreError};

use super::counts::check_count;
use super::ends::{FoundPost, Leftover};
use super::fix::Fix;
use super::report::CheckReport;

pub(super) struct CollectionPartition<'a> {
    collection: Collection,
    rows: &'a [Entity],
    /// The fields that have an index.
    indexed: &'a IndexedFields,
    by_row: HashMap<&'a str, &'a Entity>,
}

impl<'a> CollectionPartition<'a> {
    pub(super) fn of(collection: Collection, rows: &'a [Entity], indexed: &'a IndexedFields) -> Self {
        let by_row = rows.iter().map(|row| (row.key.row(), row)).collect();
        Self { collection, rows, indexed, by_row }
    }

    /// Checks every row of the partition, and returns its count if it has one.
    pub(super) fn check(&self, found: &mut FoundPost, report: &mut CheckReport) -> Option<Count> {
        let wholes = self.rows.iter().filter_map(|row| Some((row, place::parse_whole_row(row.key.row())?)));
        let keys_of_wholes: HashSet<PostKey> =
            wholes.filter_map(|(row, slug)| self.check_whole(row, slug, found, report)).collect();
        let (mut listed, mut newest, mut count) = (0, None::<PostKey>, None);
        for row in self.rows {
            if row.key.row() == COUNT_ROW {
                count = self.read_count(row, report);
            } else if let Some(key) = time::parse_time_row(row.key.row()) {
                listed += 1;
                newest = Some(newest.map_or_else(|| key.clone(), |n| n.min(key.clone())));
                if !keys_of_wholes.contains(&key) {
                    found.leftovers.push(self.leftover(row, key, None));
                }
            } else if let Some(key) = time::parse_mirror_row(row.key.row()) {
                if !keys_of_wholes.contains(&key) && !self.by_row.contains_key(time::time_row(&key).as_str()) {
                    found.leftovers.push(self.leftover(row, key, Some("a mirror row without its summary")));
                }
            } else if place::parse_whole_row(row.key.row()).is_none() {
                report.add(self.table(), &row.key, "is not a row of this table", Fix::ORPHAN);
            }
        }
        check_count(self.table(), &self.rows[0], listed, newest.as_ref(), count.as_ref(), report);
        count
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
        self.check_summary(row, &post, report);
        if post.field_index != self.indexed.partitions(&metadata) {
            let fix = Fix::FieldIndex { collection: self.collection, whole: row.key.clone() };
            let what = "FieldIndex does not name the values that its fields with @index have";
            report.add(self.table(), &row.key, what, fix);
        }
        found.add(&post, report);
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

    fn check_summary(&self, row: &Entity, post: &Post, report: &mut CheckReport) {
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
        if let Some(summary) = summary.filter(|summary| !rows::is_summary_of(summary, post)) {
            report.add(table, &summary.key, format!("differs from the whole post, {}", row.key.row()), fix.clone());
        }
        if let Some(mirror) = mirror.filter(|mirror| !rows::is_summary_of(mirror, post)) {
            report.add(table, &mirror.key, "differs from its summary", fix);
        }
    }

    fn leftover(&self, row: &Entity, key: PostKey, what: Option<&'static str>) -> Leftover {
        let read = rows::read_summary(row).map_err(|e| e.to_string());
        Leftover { row: row.key.clone(), place: PostPlace { collection: self.collection, key }, what, read }
    }
}
