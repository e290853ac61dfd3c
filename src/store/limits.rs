//! The limits of the tables, which every store keeps. Source: "Understanding the Table service data model" and "Performing
//! entity group transactions" in Azure's documentation. Azurite accepts more than Azure does; these are Azure's.

use super::entity::{Properties, Value};
use super::error::StoreError;
use super::key::Key;

/// Rows on one page of a read.
pub const PAGE_ROWS_MAX: usize = 1_000;
/// Operations in one transaction.
pub const BATCH_OPERATIONS_MAX: usize = 100;
/// The payload of one transaction in bytes: 4 MiB. Azure measures the body of the request, so a binary counts as Base64.
pub const BATCH_BYTES_MAX: usize = 4 << 20;
/// Rows that one transaction over all tables writes: many times what a change needs, so that an import writes long runs of rows, and few enough that
/// others can wait for it.
pub const TRANSACTION_ROWS_MAX: usize = 50_000;
/// The bytes that such a transaction writes, computed as for a batch: 64 MiB, because all of it is in memory until the commit.
pub const TRANSACTION_BYTES_MAX: usize = 64 << 20;
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransactionLimits {
    pub rows_max: usize,
    pub bytes_max: usize,
}

impl TransactionLimits {
    /// The limits of a store that has transactions over all tables itself.
    pub const WIDE: Self = Self { rows_max: TRANSACTION_ROWS_MAX, bytes_max: TRANSACTION_BYTES_MAX };
    /// Those of what a caller may write to a store file: what records the change, at most as much again, is in the same transaction.
    pub const RECORDED: Self =
        Self { rows_max: TRANSACTION_ROWS_MAX / 5 * 4, bytes_max: TRANSACTION_BYTES_MAX / 8 * 3 };
}

/// Bytes that an operation adds to the body of a transaction besides its row: boundaries, headers, the URL without the
/// keys, and names of types.
const OPERATION_BYTES: usize = 640;
/// A row's keys, names and values in bytes: 1 MiB. The limit holds for the row as Azure stores it and for its JSON, which is what
/// Azurite measures: there a binary counts as Base64, so a row can have 768 KiB of binaries.
pub const ENTITY_BYTES_MAX: usize = 1 << 20;
/// A row's own properties: 255 less PartitionKey, RowKey and Timestamp.
pub const PROPERTIES_MAX: usize = 252;
/// A binary property in bytes: 64 KiB.
pub const BINARY_BYTES_MAX: usize = 64 << 10;
/// A string property in UTF-16 units: 64 KiB.
pub const STRING_UNITS_MAX: usize = 32 << 10;
/// A property's name in characters.
pub const NAME_CHARS_MAX: usize = 255;
/// 1601-01-01T00:00:00Z, the first instant an Edm.DateTime can hold, in ticks.
pub const DATE_TIME_TICKS_MIN: i64 = 504_911_232_000_000_000;
/// 9999-12-31T23:59:59.9999999Z, the last one.
pub const DATE_TIME_TICKS_MAX: i64 = 3_155_378_975_999_999_999;

/// Returns the bytes that the row adds to a transaction's payload.
///
/// # Errors
/// [`StoreError::Limit`], which names the row, the limit and the value that exceeds it.
pub fn check_entity(key: &Key, properties: &Properties) -> Result<usize, StoreError> {
    if properties.len() > PROPERTIES_MAX {
        return Err(StoreError::limit(format!(
            "the row {key} has {} properties; the limit is {PROPERTIES_MAX}",
            properties.len()
        )));
    }
    let mut bytes = 4 + 2 * (key.partition().len() + key.row().len());
    for (name, value) in properties.iter() {
        check_name(key, name)?;
        bytes += 8 + 2 * name.len() + check_value(key, name, value)?;
    }
    let payload = row_payload_bytes(key, properties);
    bytes = bytes.max(payload);
    if bytes > ENTITY_BYTES_MAX {
        return Err(StoreError::limit(format!("the row {key} has {bytes} bytes; the limit is {ENTITY_BYTES_MAX}")));
    }
    Ok(payload)
}

/// The bytes that a row's key takes in the body of a transaction: in the URL, in which a character may take three bytes, and in the row.
pub fn key_payload_bytes(key: &Key) -> usize {
    OPERATION_BYTES + 4 * (key.partition().len() + key.row().len())
}

/// The bytes that a row takes in the body of a transaction, as JSON in UTF-8; an upper bound.
pub fn row_payload_bytes(key: &Key, properties: &Properties) -> usize {
    // The type of a value repeats the name.
    let each = properties.iter().map(|(name, value)| 2 * name.len() + 40 + value_payload_bytes(value));
    key_payload_bytes(key) + each.sum::<usize>()
}

fn value_payload_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.bytes().map(escaped_bytes).sum(),
        Value::Binary(bytes) => bytes.len().div_ceil(3) * 4,
        // The longest of them is a DateTime, 28 characters.
        Value::Int32(_) | Value::Int64(_) | Value::Boolean(_) | Value::DateTime(_) => 28,
    }
}

/// A byte of a string in JSON: control characters as `\u001f`, quotes and backslashes as two. The line separators U+2028 and
/// U+2029, three bytes that are written as six, begin with 0xE2, which is counted as four.
fn escaped_bytes(byte: u8) -> usize {
    match byte {
        0x00..0x20 => 6,
        b'"' | b'\\' => 2,
        0xE2 => 4,
        _ => 1,
    }
}

/// Checks the size of a page that is requested from a store.
pub fn check_page_rows(limit: usize) -> Result<(), StoreError> {
    match limit {
        1..=PAGE_ROWS_MAX => Ok(()),
        _ => Err(StoreError::limit(format!("a read asks for {limit} rows; 1 to {PAGE_ROWS_MAX} are allowed"))),
    }
}

fn check_name(key: &Key, name: &str) -> Result<(), StoreError> {
    let mut chars = name.chars();
    let starts_well = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let goes_on_well = chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_system = matches!(name, "PartitionKey" | "RowKey" | "Timestamp");
    if starts_well && goes_on_well && !is_system && name.len() <= NAME_CHARS_MAX {
        return Ok(());
    }
    Err(StoreError::limit(format!("the row {key} has a property that cannot be named {name:?}")))
}

fn check_value(key: &Key, name: &str, value: &Value) -> Result<usize, StoreError> {
    let over = |size: usize, limit: usize, unit: &str| {
        Err(StoreError::limit(format!("{name} of the row {key} has {size} {unit}; the limit is {limit}")))
    };
    match value {
        Value::String(text) => {
            let units = if text.is_ascii() { text.len() } else { text.encode_utf16().count() };
            if units > STRING_UNITS_MAX { over(units, STRING_UNITS_MAX, "UTF-16 units") } else { Ok(4 + 2 * units) }
        }
        Value::Binary(bytes) if bytes.len() > BINARY_BYTES_MAX => over(bytes.len(), BINARY_BYTES_MAX, "bytes"),
        Value::Binary(bytes) => Ok(4 + bytes.len()),
        Value::DateTime(ticks) if !(DATE_TIME_TICKS_MIN..=DATE_TIME_TICKS_MAX).contains(ticks) => {
            Err(StoreError::limit(format!("{name} of the row {key} is an instant outside of the years 1601 to 9999")))
        }
        Value::DateTime(_) | Value::Int64(_) => Ok(8),
        Value::Int32(_) => Ok(4),
        Value::Boolean(_) => Ok(1),
    }
}
