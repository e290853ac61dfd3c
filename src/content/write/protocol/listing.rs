//! The lists of partitions: months, and first characters of terms. The rule (W8): a listing names the open intents that will write a row to the
//! partition; every change of the count is copied to the listing, under the ETag of the listing, which is read before the count.

use std::collections::BTreeSet;

use crate::content::error::Result;
use crate::content::tables::rows::count::{self, Count};
use crate::content::tables::rows::partition_catalog;
use crate::content::write::retry::retry_on_conflict;
use crate::keys::{Collection, Table, place, term};
use crate::model::{Month, TermKind};
use crate::store::{Batch, Key, Operation};

use super::Session;
use super::last_written::Base;

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

/// Lists a partition to which an open intent will write a row. At most one point read, and one transaction.
pub(super) async fn ensure_listed(session: &Session<'_>, partition: &Partition) -> Result<()> {
    retry_on_conflict("the list of partitions", || async {
        let (table, key) = partition.listing();
        let _lock = session.store.keyed_lock(table.name(), key.row()).await;
        let base = session.base(table, key).await?;
        let mut awaited_by = awaited_by(&base)?;
        awaited_by.insert(session.name.to_string());
        let listed = base.count()?;
        put(session, partition, base, &listed, &awaited_by).await
    })
    .await
}

/// Where the count of a partition is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CountFrom {
    Row,
    /// As this server wrote it last: only if every change of the count by this intent was a commit of this server, which remembers it.
    OwnCommit,
}

/// Copies a partition's own count to its listing, and removes the name of the intent from it. At most two point reads, and a write if anything differs.
pub(super) async fn copy_count(session: &Session<'_>, partition: &Partition, from: CountFrom) -> Result<()> {
    retry_on_conflict("the list of partitions", || async {
        let (table, key) = partition.listing();
        let _lock = session.store.keyed_lock(table.name(), key.row()).await;
        // The listing is read first: if the count changes after that, the writer of the change copies it again.
        let base = session.base(table, key).await?;
        let listed = base.count()?;
        let own = match from {
            CountFrom::Row => None,
            CountFrom::OwnCommit => own_count(session, partition, &listed)?,
        };
        let counted = match own {
            Some(counted) => counted,
            None => read_count(session, partition).await?,
        };
        let mut awaited_by = awaited_by(&base)?;
        let is_named = awaited_by.remove(&session.name.to_string());
        if !is_named && listed == counted {
            base.unchanged();
            return Ok(());
        }
        put(session, partition, base, &counted, &awaited_by).await
    })
    .await
}

/// The count that this server wrote last, if it is not older than the listing. Each other change of the count since is copied by who made it, or by its
/// recovery, which reads the count.
fn own_count(session: &Session<'_>, partition: &Partition, listed: &Count) -> Result<Option<Count>> {
    let (table, key) = partition.count();
    let written = session.writer.last_written.count(table, key)?;
    Ok(written.filter(|written| written.sequence >= listed.sequence))
}

async fn read_count(session: &Session<'_>, partition: &Partition) -> Result<Count> {
    let (table, key) = partition.count();
    let row = session.store.get(table.name(), &key).await?;
    Ok(row.as_ref().map(count::read).transpose()?.unwrap_or_default())
}

fn awaited_by(base: &Base<'_>) -> Result<BTreeSet<String>> {
    Ok(base.row().map(partition_catalog::awaited_by).transpose()?.unwrap_or_default())
}

async fn put(
    session: &Session<'_>,
    partition: &Partition,
    base: Base<'_>,
    count: &Count,
    awaited_by: &BTreeSet<String>,
) -> Result<()> {
    let (table, key) = partition.listing();
    let put = Operation::Put {
        row: key.row().to_owned(),
        properties: partition_catalog::row(&partition.name(), count, awaited_by),
        precondition: base.precondition(),
    };
    let batch = Batch::new(key.partition(), vec![put])?;
    let etags = session.store.commit(table.name(), &batch).await?;
    base.written(&batch, &etags);
    Ok(())
}
