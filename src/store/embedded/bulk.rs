//! Writes the many rows of one plan, such as an import, in the order of their keys. Consecutive new rows are inserted as one run, which redb packs into full
//! pages. The rule: the rows are the same as if written one by one; only their pages differ.
//!
//! Inserting rows one by one in ascending order would leave each split page half full, and take a search from the root for each.

use std::ops::Bound;

use redb::{CursorError, ReadableTable, Table};

use crate::store::Result;
use crate::store::codec::{encode_key, encode_row};
use crate::store::error::StoreError;
use crate::store::transaction::RowWrite;

/// The minimum length of a run. Shorter runs are written row by row, because a run rebuilds a page and the path to it.
const RUN_MIN: usize = 3;

type RowsTable<'t> = Table<'t, &'static [u8], &'static [u8]>;

pub(super) struct EncodedWrite {
    pub(super) key: Vec<u8>,
    /// `None` deletes the row.
    pub(super) row: Option<Vec<u8>>,
}

/// The writes of a plan in the order of their keys. Each row that is put gets a new ETag.
pub(super) fn encode(writes: Vec<RowWrite>, last_etag: &mut u64) -> Vec<EncodedWrite> {
    let encode = |write: RowWrite| {
        let key = encode_key(write.table, write.key.partition(), write.key.row());
        let row = write.properties.map(|properties| {
            *last_etag += 1;
            encode_row(&key, *last_etag, &properties)
        });
        EncodedWrite { key, row }
    };
    let mut encoded: Vec<EncodedWrite> = writes.into_iter().map(encode).collect();
    encoded.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    encoded
}

/// The writes are in the order of their keys.
pub(super) fn write(table: &mut RowsTable<'_>, writes: &[EncodedWrite]) -> Result<()> {
    let mut rest = writes;
    while let [first, others @ ..] = rest {
        let run = new_rows_before_the_next(table, rest)?;
        if run >= RUN_MIN {
            insert_run(table, &rest[..run])?;
            rest = &rest[run..];
            continue;
        }
        match &first.row {
            Some(row) => drop(table.insert(first.key.as_slice(), row.as_slice())?),
            None => drop(table.remove(first.key.as_slice())?),
        }
        rest = others;
    }
    Ok(())
}

/// The number of the first writes that put new rows between the same two rows of the table.
fn new_rows_before_the_next(table: &RowsTable<'_>, writes: &[EncodedWrite]) -> Result<usize> {
    let puts = writes.iter().take_while(|write| write.row.is_some());
    let Some(first) = writes.first().filter(|first| first.row.is_some()) else { return Ok(0) };
    let next = table.range(first.key.as_slice()..)?.next().transpose()?;
    Ok(match next {
        Some((next, _)) => puts.take_while(|write| write.key.as_slice() < next.value()).count(),
        None => puts.count(),
    })
}

fn insert_run(table: &mut RowsTable<'_>, run: &[EncodedWrite]) -> Result<()> {
    let mut cursor = table.lower_bound_mut(Bound::Included(run[0].key.as_slice()))?;
    for EncodedWrite { key, row } in run {
        let Some(row) = row else { continue };
        cursor.insert_before(key.as_slice(), row.as_slice()).map_err(|error| match error {
            CursorError::Storage(error) => error.into(),
            // No row of the table is between these, so the error means that the pages are not in order.
            other => StoreError::from(redb::Error::from(other)),
        })?;
    }
    Ok(cursor.close()?)
}
