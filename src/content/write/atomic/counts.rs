//! The counts of partitions. The rule: the listing of a partition is a copy of its count, written in the same transaction. The count of a month or of terms is
//! written with each change, even if it stays the same, because cached answers that read the list rely on the instants of the posts. The count of an index is
//! written only if it changes, because a write drops the cached answers that read it.

use crate::content::tables::rows::count::{self, Count};
use crate::content::tables::rows::partition_catalog;
use crate::content::write::Partition;
use crate::keys::Table;
use crate::model::PostKey;
use crate::store::{Key, StoreError};

use super::overlay::Overlay;

/// Changes the count of a partition that has a listing, and the listing.
pub(super) fn change_listed(
    rows: &mut Overlay<'_>,
    partition: &Partition,
    added: i64,
    newest: Option<&PostKey>,
) -> Result<(), StoreError> {
    let (table, key) = partition.count();
    let count = read(rows, table, &key)?.changed(added, newest);
    rows.put(table, key, count::row(&count));
    let (table, key) = partition.listing();
    rows.put(table, key, partition_catalog::row(&partition.name(), &count));
    Ok(())
}

/// Changes the count of a partition of an index, and the listing if it has one.
pub(super) fn change_index(
    rows: &mut Overlay<'_>,
    (table, key): (Table, Key),
    listed: Option<&Partition>,
    added: i64,
    newest: Option<&PostKey>,
) -> Result<(), StoreError> {
    let before = read(rows, table, &key)?;
    let count = before.changed(added, newest);
    if (count.rows, &count.newest) != (before.rows, &before.newest) {
        rows.put(table, key, count::row(&count));
        if let Some(partition) = listed {
            let (table, key) = partition.listing();
            rows.put(table, key, partition_catalog::row(&partition.name(), &count));
        }
    }
    Ok(())
}

pub(super) fn read(rows: &Overlay<'_>, table: Table, key: &Key) -> Result<Count, StoreError> {
    let row = rows.get(table, key)?;
    Ok(row.as_ref().map(count::read).transpose()?.unwrap_or_default())
}
