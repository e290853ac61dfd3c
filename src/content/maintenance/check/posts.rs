//! Checks `Posts` and `Drafts`, one partition after another. The rule: the posts that are found here are the truth for all other tables.

use std::collections::HashMap;

use crate::content::error::Result;
use crate::content::tables::rows::count::Count;
use crate::keys::{Collection, Table, place};
use crate::model::PostKey;
use crate::store::{Entity, Store};

use super::collections::CollectionPartition;
use super::ends::FoundPost;
use super::{CheckReport, Fix, Intents, Partitions, Posts, months};

/// The count of each month that has one.
pub(super) type Counts = HashMap<(Collection, String), Count>;

pub(super) async fn check(store: &Store, intents: &Intents, report: &mut CheckReport) -> Result<Posts> {
    let mut found = FoundPost::default();
    let mut counts = Counts::new();
    for collection in [Collection::Posts, Collection::Drafts] {
        let mut partitions = Partitions::of(store, collection.table());
        while let Some(rows) = partitions.next().await? {
            report.rows += rows.len() as u64;
            let count = CollectionPartition::of(collection, &rows, intents).check(&mut found, report);
            let partition = rows[0].key.partition().to_owned();
            counts.extend(count.map(|count| ((collection, partition), count)));
        }
    }
    let posts = found.resolve(report);
    report.drafts = posts.iter().filter(|(_, known)| known.place.collection == Collection::Drafts).count() as u64;
    report.posts = posts.by_id.len() as u64 - report.drafts;
    months::check(store, counts, intents, report).await?;
    Ok(posts)
}

/// Compares the count row of a partition with what was counted in it. `any`: a row of the partition.
pub(super) fn check_count(
    table: Table,
    any: &Entity,
    listed: i64,
    newest: Option<&PostKey>,
    count: Option<&Count>,
    report: &mut CheckReport,
) {
    let key = place::count(any.key.partition());
    let what = match count {
        Some(count) if count.rows != listed => format!("counts {} rows; there are {listed}", count.rows),
        Some(count) if newest.is_some_and(|n| count.newest.as_ref().is_none_or(|c| c > n)) => {
            "a post is newer than the newest that is named".to_owned()
        }
        None if listed != 0 => format!("is missing; there are {listed} rows"),
        Some(_) | None => return,
    };
    report.add(table, &key, what, Fix::Count { table, partition: any.key.partition().to_owned() });
}
