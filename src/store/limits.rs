//! The limits of the tables, which every store enforces. Source: "Understanding the Table service data model" and "Performing entity group transactions" in
//! Azure's documentation. Azurite accepts more than Azure does; these are Azure's.

use super::entity::{Properties, Value};
use super::error::StoreError;
use super::key::Key;

/// The maximum number of rows on a page.
pub const PAGE_ROWS_MAX: usize = 1_000;
/// The maximum number of operations in a batch.
pub const BATCH_OPERATIONS_MAX: usize = 100;
/// The maximum payload of a batch in bytes: 4 MiB. Azure measures the body of the request, so a binary counts as Base64.
pub const BATCH_BYTES_MAX: usize = 4 << 20;
/// The maximum number of rows of a transaction over all tables: enough that an import writes long runs of rows, and few enough that others can wait for it.
pub const TRANSACTION_ROWS_MAX: usize = 50_000;
/// The maximum payload of such a transaction, computed as for a batch: 64 MiB, because all of it is in memory until the commit.
pub const TRANSACTION_BYTES_MAX: usize = 64 << 20;
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransactionLimits {
    pub rows_max: usize,
    pub bytes_max: usize,
}

impl TransactionLimits {
    /// The limits of a store with its own transactions over all tables.
    pub const WIDE: Self = Self { rows_max: TRANSACTION_ROWS_MAX, bytes_max: TRANSACTION_BYTES_MAX };
    /// The limits for callers that write to a store file: below [`WIDE`](Self::WIDE), because the same transaction also records the change.
    pub const RECORDED: Self =
        Self { rows_max: TRANSACTION_ROWS_MAX / 5 * 4, bytes_max: TRANSACTION_BYTES_MAX / 8 * 3 };
}

/// The bytes of an operation in the body of a batch in addition to its row: boundaries, headers, the URL without the keys, and names of types.
const OPERATION_BYTES: usize = 640;
/// The maximum size of a row's keys, names and values: 1 MiB. The limit holds for the row as Azure stores it and for its JSON, which Azurite measures: in JSON,
/// a binary counts as Base64, so a row can have 768 KiB of binaries.
pub const ENTITY_BYTES_MAX: usize = 1 << 20;
/// The maximum number of properties: 255 less PartitionKey, RowKey and Timestamp.
pub const PROPERTIES_MAX: usize = 252;
/// The maximum size of a binary property: 64 KiB.
pub const BINARY_BYTES_MAX: usize = 64 << 10;
/// The maximum length of a string property in UTF-16 code units: 64 KiB.
pub const STRING_UNITS_MAX: usize = 32 << 10;
/// The maximum length of a property's name in characters.
pub const NAME_CHARS_MAX: usize = 255;
/// 1601-01-01T00:00:00Z, the first instant of an Edm.DateTime, in ticks.
pub const DATE_TIME_TICKS_MIN: i64 = 504_911_232_000_000_000;
/// 9999-12-31T23:59:59.9999999Z, the last instant of an Edm.DateTime, in ticks.
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

/// The bytes of a row's key in the body of a batch: in the URL, in which a character may take three bytes, and in the row.
pub fn key_payload_bytes(key: &Key) -> usize {
    OPERATION_BYTES + 4 * (key.partition().len() + key.row().len())
}

/// An upper bound for the bytes of a row in the body of a batch, as JSON in UTF-8.
pub fn row_payload_bytes(key: &Key, properties: &Properties) -> usize {
    // The type annotation of a value repeats the name.
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

/// The JSON bytes for one byte of a string: control characters as `\u001f`, quotes and backslashes as two. The line separators U+2028 and U+2029, three bytes
/// that are written as six, begin with 0xE2, which is counted as four.
fn escaped_bytes(byte: u8) -> usize {
    match byte {
        0x00..0x20 => 6,
        b'"' | b'\\' => 2,
        0xE2 => 4,
        _ => 1,
    }
}

/// Checks the requested size of a page.
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
