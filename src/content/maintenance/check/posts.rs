//! Checks `Posts` and `Drafts`, one partition after another. The rule: the posts that are found here are the truth for all other tables.

use crate::content::error::Result;
use crate::keys::Collection;
use crate::model::IndexedFields;
use crate::store::Store;

use super::collections::CollectionPartition;
use super::counts::Counts;
use super::ends::FoundPost;
use super::known::Posts;
use super::months;
use super::partition::Partitions;
use super::report::CheckReport;

/// `indexed`: the fields that have an index.
pub(super) async fn check(store: &Store, indexed: &IndexedFields, report: &mut CheckReport) -> Result<Posts> {
    let mut found = FoundPost::default();
    let mut counts = Counts::new();
    for collection in [Collection::Posts, Collection::Drafts] {
        let mut partitions = Partitions::of(store, collection.table());
        while let Some(rows) = partitions.next().await? {
            report.rows += rows.len() as u64;
            let count = CollectionPartition::of(collection, &rows, indexed).check(&mut found, report);
            let partition = rows[0].key.partition().to_owned();
            counts.extend(count.map(|count| ((collection, partition), count)));
        }
    }
    let posts = found.resolve(report);
    report.drafts = posts.iter().filter(|(_, known)| known.place.collection == Collection::Drafts).count() as u64;
    report.posts = posts.by_id.len() as u64 - report.drafts;
    months::check(store, counts, report).await?;
    Ok(posts)
}
