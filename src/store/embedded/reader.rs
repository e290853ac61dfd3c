//! Reads of the file. The rule: each read uses one redb transaction, so a page never shows half a batch.

use redb::{Database, ReadableDatabase, ReadableTable};

use super::open::ROWS;
use crate::store::codec::{decode_key_of_row, decode_row, decode_row_of, encode_key};
use crate::store::{Continuation, Entity, Key, PAGE_ROWS_MAX, Page, Result, RowRange};

/// All rows, in a read transaction that stays open until this is dropped.
pub(super) type RowsTable = redb::ReadOnlyTable<&'static [u8], &'static [u8]>;

/// A page of a scan ends with the row that reaches this size, because a thousand rows can have 1 GiB.
const SCAN_BYTES_MAX: usize = 8 << 20;

/// Reads all keys at once; if that fails, reads each key separately, because a single unreadable row may be the cause.
pub(super) fn get_each<R>(keys: &[Key], read: impl Fn(&[Key]) -> Result<Vec<R>>) -> Vec<Result<R>> {
    let alone = |key: &Key| read(std::slice::from_ref(key)).map(|mut rows| rows.remove(0));
    match read(keys) {
        Ok(rows) => rows.into_iter().map(Ok).collect(),
        Err(_) => keys.iter().map(alone).collect(),
    }
}

pub(super) fn get_many(rows: &RowsTable, table: &str, keys: &[Key]) -> Result<Vec<Option<Entity>>> {
    keys.iter().map(|key| get(rows, table, key)).collect()
}

pub(super) fn get(
    rows: &impl ReadableTable<&'static [u8], &'static [u8]>,
    table: &str,
    key: &Key,
) -> Result<Option<Entity>> {
    let bytes = encode_key(table, key.partition(), key.row());
    let found = rows.get(bytes.as_slice())?;
    found.map(|row| decode_row_of(key.clone(), &bytes, row.value())).transpose()
}

pub(super) fn range(
    rows: &impl ReadableTable<&'static [u8], &'static [u8]>,
    table: &str,
    range: &RowRange,
    limit: usize,
    continuation: Option<&Continuation>,
) -> Result<Page> {
    let partition = range.partition();
    let first = continuation.map(|c| c.0.as_str()).or(range.from()).unwrap_or("");
    let from = encode_key(table, partition, first);
    let to = match range.to() {
        Some(row) => encode_key(table, partition, row),
        None => past_partition(table, partition),
    };
    let decode = if range.is_of_keys() { decode_key_of_row } else { decode_row };
    read_page(rows, (&from, &to), (limit, usize::MAX), decode, |key| key.row().to_owned())
}

/// The continuation of a scan names the partition and the row.
pub(super) fn scan(rows: &RowsTable, table: &str, continuation: Option<&Continuation>) -> Result<Page> {
    let from = match continuation.and_then(|c| c.0.split_once('\0')) {
        Some((partition, row)) => encode_key(table, partition, row),
        None => encode_key(table, "", ""),
    };
    let to = past_table(table);
    read_page(rows, (&from, &to), (PAGE_ROWS_MAX, SCAN_BYTES_MAX), decode_row, |key| {
        format!("{}\0{}", key.partition(), key.row())
    })
}

/// The first key after all rows of a table: NUL ends its name, and no name contains the byte 1.
pub(super) fn past_table(table: &str) -> Vec<u8> {
    let mut bytes = table.as_bytes().to_vec();
    bytes.push(1);
    bytes
}

/// The first key after all rows of a partition: NUL ends its name, and no name contains the byte 1.
fn past_partition(table: &str, partition: &str) -> Vec<u8> {
    let mut bytes = encode_key(table, partition, "");
    *bytes.last_mut().expect("a key without a row ends with the NUL after its partition") = 1;
    bytes
}

fn read_page(
    rows: &impl ReadableTable<&'static [u8], &'static [u8]>,
    (from, to): (&[u8], &[u8]),
    (rows_max, bytes_max): (usize, usize),
    decode: fn(&[u8], &[u8]) -> Result<Entity>,
    position: impl Fn(&Key) -> String,
) -> Result<Page> {
    if from >= to {
        return Ok(Page::default());
    }
    let (mut page, mut bytes) = (Page::default(), 0);
    for entry in rows.range(from..to)? {
        let (key, value) = entry?;
        let row = decode(key.value(), value.value())?;
        if page.rows.len() == rows_max || bytes >= bytes_max {
            page.continuation = Some(Continuation(position(&row.key)));
            break;
        }
        bytes += value.value().len();
        page.rows.push(row);
    }
    Ok(page)
}

/// The current rows.
pub(super) fn open(database: &Database) -> Result<RowsTable> {
    let read = database.begin_read()?;
    Ok(read.open_table(ROWS)?)
}
