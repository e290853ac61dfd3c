//! The counter of the store file: the last ETag, which is also the version of the rows. The rule: each transaction that writes also stores it, so that no ETag
//! is used twice, even after a crash, and two snapshots of one version contain the same rows.

use redb::{Database, ReadTransaction, ReadableDatabase, TableDefinition, WriteTransaction};

use crate::store::Result;

const COUNTERS: TableDefinition<&str, u64> = TableDefinition::new("counters");
const LAST_ETAG: &str = "etag";

pub(super) fn read_last_etag(database: &Database) -> Result<u64> {
    read_version(&database.begin_read()?)
}

/// The version of the rows inside a transaction.
pub(super) fn read_version(read: &ReadTransaction) -> Result<u64> {
    match read.open_table(COUNTERS) {
        Ok(counters) => Ok(counters.get(LAST_ETAG)?.map_or(0, |n| n.value())),
        Err(redb::TableError::TableDoesNotExist(_)) => Ok(0),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn store_last_etag(write: &WriteTransaction, last_etag: u64) -> Result<(), redb::Error> {
    write.open_table(COUNTERS)?.insert(LAST_ETAG, last_etag)?;
    Ok(())
}
