//! The lists of partitions: months, and first characters of terms. The rule (W8): a listing names the open intents that will write a row to the
//! partition; every change of the count is copied to the listing, under the ETag of the listing, which is read before the count.

use std::collections::BTreeSet;

use crate::content::error::Result;
use crate::content::tables::rows::count::{self, Count};
use crate::content::tables::rows::partition_catalog;
use crate::content::write::retry::retry_on_conflict;
use crate::keys::intent::IntentName;
use crate::keys::{Collection, Table, place, term};
use crate::model::{Month, TermKind};
use crate::store::{Batch, Etag, Key, Operation, Precondition, Store};

/// A partition that has a listing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Partition {
    Month(Collection, Month),
    Terms(TermKind, String),
}

impl Partition {
    /// The row that lists it.
    pub fn listing(&self) -> (Table, Key) {
        match self {
            Self::Month(collection, month) => (Table::Months, place::month_row(*collection, *month)),
            Self::Terms(kind, partition) => (Table::Terms(*kind), term::catalog_row(partition)),
        }
    }

    /// The partition's own count.
    pub fn count(&self) -> (Table, Key) {
        match self {
            Self::Month(collection, _) => (collection.table(), place::count(self.name())),
            Self::Terms(kind, _) => (Table::Terms(*kind), place::count(self.name())),
        }
    }

    pub fn name(&self) -> String {
        match self {
            Self::Month(_, month) => place::month_partition(*month),
            Self::Terms(_, partition) => partition.clone(),
        }
    }
}

/// Lists a partition to which an open intent will write a row. One point read and one transaction.
pub(super) async fn ensure_listed(store: &Store, name: &IntentName, partition: &Partition) -> Result<()> {
    retry_on_conflict("the list of partitions", || async {
        let (table, key) = partition.listing();
        let _lock = store.keyed_lock(table.name(), key.row()).await;
        let found = store.get(table.name(), &key).await?;
        let listed = found.as_ref().map(count::read).transpose()?.unwrap_or_default();
        let mut awaited_by = found.as_ref().map(partition_catalog::awaited_by).transpose()?.unwrap_or_default();
        awaited_by.insert(name.to_string());
        put(store, partition, &listed, &awaited_by, found.map(|row| row.etag)).await
    })
    .await
}

/// Copies a partition's own count to its listing, and removes the name of the intent from it. Two point reads, and a write if anything differs.
pub(super) async fn copy_count(store: &Store, name: &IntentName, partition: &Partition) -> Result<()> {
    retry_on_conflict("the list of partitions", || async {
        let (table, key) = partition.listing();
        let _lock = store.keyed_lock(table.name(), key.row()).await;
        // The listing is read first: if the count changes after that, the writer of the change copies it again.
        let found = store.get(table.name(), &key).await?;
        let (count_table, count_key) = partition.count();
        let counted = store.get(count_table.name(), &count_key).await?;
        let counted = counted.as_ref().map(count::read).transpose()?.unwrap_or_default();
        let Some(found) = found else {
            return match counted == Count::default() {
                true => Ok(()),
                false => put(store, partition, &counted, &BTreeSet::new(), None).await,
            };
        };
        let mut awaited_by = partition_catalog::awaited_by(&found)?;
        if !awaited_by.remove(&name.to_string()) && count::read(&found)? == counted {
            return Ok(());
        }
        put(store, partition, &counted, &awaited_by, Some(found.etag)).await
    })
    .await
}

async fn put(
    store: &Store,
    partition: &Partition,
    count: &Count,
    awaited_by: &BTreeSet<String>,
    etag: Option<Etag>,
) -> Result<()> {
    let (table, key) = partition.listing();
    let put = Operation::Put {
        row: key.row().to_owned(),
        properties: partition_catalog::row(&partition.name(), count, awaited_by),
        precondition: etag.map_or(Precondition::Absent, Precondition::Match),
    };
    store.commit(table.name(), &Batch::new(key.partition(), vec![put])?).await?;
    Ok(())
}
