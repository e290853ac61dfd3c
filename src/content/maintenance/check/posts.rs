//! Checks `Posts` and `Drafts`, one partition after another: three rows for each post, and the counts. The rule: the row under `s-{slug}` is the truth,
//! the summary and its mirror are compared with it, and the posts that are found here are the truth for all other tables.
//!
//! A post that is stored twice, and a summary whose whole post is not in its partition, are decided after both collections are read, by the versions of
//! the whole posts.

use std::collections::HashSet;

use crate::content::error::Result;
use crate::content::tables::rows::post as rows;
use crate::content::tables::scan_all;
use crate::content::write::Partition;
use crate::keys::{Collection, PostPlace, Table, place};
use crate::model::{IndexedFields, Post, PostId, PostKey, Slug, WholePost};
use crate::store::{Entity, Key, Store, StoreError};

use super::counts::{Counts, check_count, check_listings};
use super::known::{Posts, rows_of};
use super::partition::{Partitions, TimeRows};
use super::report::{CheckReport, Fix, TWICE};

/// `indexed`: the indexed fields.
pub(super) async fn check(store: &Store, indexed: &IndexedFields, report: &mut CheckReport) -> Result<Posts> {
    let (mut found, mut counts) = (FoundPosts::default(), Counts::new());
    for collection in [Collection::Posts, Collection::Drafts] {
        let mut partitions = Partitions::of(store, collection.table());
        while let Some(rows) = partitions.next().await? {
            report.rows += rows.len() as u64;
            found.check_partition(collection, &TimeRows::of(&rows), indexed, report);
            let count = check_count(collection.table(), &rows, report);
            if let (Some(count), Ok(month)) = (count, rows[0].key.partition().parse()) {
                counts.insert(Partition::Month(collection, month), count);
            }
        }
    }
    let posts = found.resolve(report);
    report.drafts = posts.by_id.values().filter(|post| post.published_at.is_none()).count() as u64;
    report.posts = posts.by_id.len() as u64 - report.drafts;
    let months = scan_all(store, Table::Months).await?;
    report.rows += months.len() as u64;
    check_listings(Table::Months, &months, counts, report);
    Ok(posts)
}

#[derive(Default)]
struct FoundPosts {
    posts: Posts,
    misplaced: HashSet<PostId>,
    leftovers: Vec<Leftover>,
}

/// A summary, or a mirror without one, whose whole post is not in its partition.
struct Leftover {
    row: Key,
    place: PostPlace,
    is_mirror: bool,
    read: Result<Post, String>,
}

impl FoundPosts {
    fn check_partition(
        &mut self,
        collection: Collection,
        rows: &TimeRows<'_>,
        indexed: &IndexedFields,
        report: &mut CheckReport,
    ) {
        let mut keys_of_wholes: HashSet<PostKey> = HashSet::new();
        for row in &rows.others {
            match place::parse_whole_row(row.key.row()) {
                Some(slug) => keys_of_wholes.extend(self.check_whole(collection, (row, slug), rows, indexed, report)),
                None => report.add_orphan(collection.table(), &row.key),
            }
        }
        for (key, [summary, mirror]) in rows.pairs.iter().filter(|(key, _)| !keys_of_wholes.contains(key)) {
            let Some(row) = summary.or(*mirror) else { continue };
            let read = rows::read_summary(row).map_err(|e| e.to_string());
            let place = PostPlace { collection, key: key.clone() };
            self.leftovers.push(Leftover { row: row.key.clone(), place, is_mirror: summary.is_none(), read });
        }
    }

    /// Checks a row with a whole post. Returns the key of the post, if it is known.
    fn check_whole(
        &mut self,
        collection: Collection,
        (row, slug): (&Entity, Slug),
        rows: &TimeRows<'_>,
        indexed: &IndexedFields,
        report: &mut CheckReport,
    ) -> Option<PostKey> {
        let table = collection.table();
        let WholePost { post, metadata, .. } = match rows::read_whole(row) {
            Ok(whole) => whole,
            Err(error) => return self.check_lost(collection, (row, slug), rows, &error, report),
        };
        if let Err(error) = rows::check_actor(row) {
            report.add_unreadable(table, row, &error, Fix::ACTOR);
        }
        let belongs = PostPlace::of(&post);
        let own = belongs.whole(&post.slug);
        if belongs.collection != collection || own != row.key {
            let what = format!("holds a post that belongs to {}{own}", belongs.collection.name());
            report.add(table, &row.key, what, Fix::Misplaced { collection, whole: row.key.clone() });
            self.add_misplaced(&post);
            return Some(post.key());
        }
        check_summary(table, row, &post, rows, report);
        if post.field_index != indexed.partitions(&metadata) {
            let fix = Fix::FieldIndex { collection, whole: row.key.clone() };
            let what = "FieldIndex does not name the values that its fields with @index have";
            report.add(table, &row.key, what, fix);
        }
        self.add(&post, report);
        Some(post.key())
    }

    /// If the whole row of a post cannot be read, its other rows may still describe the post.
    fn check_lost(
        &mut self,
        collection: Collection,
        (row, slug): (&Entity, Slug),
        rows: &TimeRows<'_>,
        error: &StoreError,
        report: &mut CheckReport,
    ) -> Option<PostKey> {
        let others = rows.pairs.values().flatten().flatten().copied();
        let left = std::iter::once(row).chain(others).filter_map(|row| rows::read_summary(row).ok());
        let post = left.into_iter().find(|post| post.slug == slug);
        let (key, partition) = (post.as_ref().map(Post::key), row.key.partition().to_owned());
        let fix = Fix::Lost { collection, partition: partition.clone(), slug: Some(slug), key: key.clone() };
        report.add_unreadable(collection.table(), row, error, fix);
        match post {
            Some(post) => self.add(&post, report),
            None => drop(self.posts.blind.insert((collection, partition))),
        }
        key
    }

    fn add(&mut self, post: &Post, report: &mut CheckReport) {
        // A misplaced post is replaced by this one, which is in the right place; the fix of the misplaced one compares the two.
        let other = self.posts.by_id.get(&post.id).filter(|_| !self.misplaced.remove(&post.id));
        let Some(other) = other else {
            self.posts.by_id.insert(post.id.clone(), post.clone());
            return;
        };
        // The newer one is kept, because readers saw its rows last.
        let (kept, second) = if post.version > other.version { (post, other) } else { (other, post) };
        let [(at, kept_row), (table, row)] = [kept, second].map(|post| {
            let place = PostPlace::of(post);
            (place.collection.table(), place.whole(&post.slug))
        });
        report.add(table, &row, format!("its post is also stored at {}{kept_row}", at.name()), Fix::Person(TWICE));
        let kept = kept.clone();
        self.posts.by_id.insert(post.id.clone(), kept);
    }

    fn add_misplaced(&mut self, post: &Post) {
        if !self.posts.by_id.contains_key(&post.id) {
            self.posts.by_id.insert(post.id.clone(), post.clone());
            self.misplaced.insert(post.id.clone());
        }
    }

    fn resolve(mut self, report: &mut CheckReport) -> Posts {
        for leftover in std::mem::take(&mut self.leftovers) {
            self.resolve_leftover(leftover, report);
        }
        self.posts.claim();
        self.posts
    }

    fn resolve_leftover(&mut self, leftover: Leftover, report: &mut CheckReport) {
        let Leftover { row, place, is_mirror, read } = leftover;
        let table = place.collection.table();
        if let Some(found) = self.posts.get(&place.key.id).map(PostPlace::of) {
            // If the whole post is in the wrong place, that was already reported.
            if found != place {
                let what =
                    format!("is left over; its post is stored at {}{}", found.collection.name(), found.summary());
                report.add(table, &row, what, Fix::Row { table, key: place.summary() });
            }
            return;
        }
        let slug = read.as_ref().ok().map(|post| post.slug.clone());
        let (collection, partition) = (place.collection, row.partition().to_owned());
        let fix = Fix::Lost { collection, partition: partition.clone(), slug, key: Some(place.key.clone()) };
        let what = match read {
            Ok(post) if place == PostPlace::of(&post) => {
                let what = match is_mirror {
                    true => "a mirror row without its summary".to_owned(),
                    false => format!("has no row s-{}", post.slug),
                };
                self.posts.by_id.insert(post.id.clone(), post);
                return report.add(table, &row, what, fix);
            }
            Ok(post) => format!("holds a post that belongs to {}", PostPlace::of(&post).summary()),
            Err(error) => error,
        };
        report.add(table, &row, what, fix);
        self.posts.blind.insert((collection, partition));
    }
}

/// Checks the summary of a post and its mirror. `row`: the row of the whole post.
fn check_summary(table: Table, row: &Entity, post: &Post, found: &TimeRows<'_>, report: &mut CheckReport) {
    let (summary, name) = (PostPlace::of(post).summary(), row.key.row());
    let pair = found.pairs.get(&post.key()).copied().unwrap_or_default();
    for ((key, expected), found) in rows_of(table, post).into_iter().zip(pair) {
        let what = match found {
            Some(found) if found.properties == expected => continue,
            Some(_) => format!("differs from the whole post, {name}"),
            None => format!("is missing; the whole post is {name}"),
        };
        report.add(table, &key, what, Fix::Row { table, key: summary.clone() });
    }
}
