//! The lists of partitions: months, first characters of terms. The rule: a partition is listed, as not empty, before it holds a row; afterwards
//! its count is copied, and of two copies the one of the higher sequence stays.

use crate::content::error::Result;
use crate::content::rows::count::{self, Count};
use crate::content::rows::directory;
use crate::keys::{Shelf, Table, place, term};
use crate::model::{Month, TermKind};
use crate::store::{Batch, Key, Operation, Precondition, Store};

use super::retry::until_settled;

/// A partition that a directory lists.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Partition {
    Month(Shelf, Month),
    Terms(TermKind, String),
}

impl Partition {
    /// The row of the directory that lists it.
    pub fn listing(&self) -> (Table, Key) {
        match self {
            Self::Month(shelf, month) => (Table::Months, place::month_row(*shelf, *month)),
            Self::Terms(kind, partition) => (Table::Terms(*kind), term::directory_row(partition)),
        }
    }

    /// Its own count.
    pub fn count(&self) -> (Table, Key) {
        match self {
            Self::Month(shelf, _) => (shelf.table(), place::count(self.name())),
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

/// Lists a partition that is about to hold its first row. One point read, and a write where it was not listed.
pub async fn promise(store: &Store, partition: &Partition) -> Result<()> {
    until_settled("the list of partitions", || async {
        let (table, key) = partition.listing();
        let found = store.get(table.name(), &key).await?;
        let listed = found.as_ref().map(count::read).transpose()?;
        if listed.as_ref().is_some_and(|count| count.rows > 0) {
            return Ok(());
        }
        // The sequence stays what it was: the copy that follows the commit is newer.
        let promised = Count { rows: 1, ..listed.unwrap_or_default() };
        put(store, partition, &promised, found.map(|row| row.etag)).await
    })
    .await
}

/// Copies a partition's own count. Two point reads, and a write where they differ.
pub async fn copy(store: &Store, partition: &Partition) -> Result<()> {
    until_settled("the list of partitions", || async {
        let (table, key) = partition.listing();
        let _turn = store.turn(table.name(), key.row()).await;
        // The copy is read first: where the count moves on meanwhile, the copy that is written is the newer one all the same.
        let listed = store.get(table.name(), &key).await?;
        let (count_table, count_key) = partition.count();
        let own = store.get(count_table.name(), &count_key).await?;
        let own = own.as_ref().map(count::read).transpose()?.unwrap_or_default();
        let copied = listed.as_ref().map(count::read).transpose()?;
        if copied.as_ref() == Some(&own) || copied.is_none() && own == Count::default() {
            return Ok(());
        }
        put(store, partition, &own, listed.map(|row| row.etag)).await
    })
    .await
}

async fn put(store: &Store, partition: &Partition, count: &Count, etag: Option<crate::store::Etag>) -> Result<()> {
    let (table, key) = partition.listing();
    let put = Operation::Put {
        row: key.row().to_owned(),
        properties: directory::row(&partition.name(), count),
        precondition: etag.map_or(Precondition::Absent, Precondition::Match),
    };
    store.commit(table.name(), &Batch::new(key.partition(), vec![put])?).await?;
    Ok(())
}
