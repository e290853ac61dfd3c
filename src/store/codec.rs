//! Encodes rows as bytes, and decodes them. The rule: bytes that are not a row are an error, never a panic; a changed shape is a new format number in
//! `open.rs`.
//!
//! A row is a checksum (u32), its ETag (u64), then for each property: the name's length (u8) and name, a type tag, the value. Numbers are little endian;
//! strings and binaries carry their length (u32). The checksum is the CRC-32 of the key and of the bytes after the checksum: redb verifies its pages only when
//! it repairs a file, so without it a flipped bit would be served as content (tested by `flipped_bits_are_an_error_and_never_other_content`).

use std::sync::{Arc, LazyLock};

use compact_str::{CompactString, format_compact};

use crate::store::entity::{Entity, Etag, Properties, Value};
use crate::store::error::StoreError;
use crate::store::key::Key;

const STRING: u8 = 1;
const INT32: u8 = 2;
const INT64: u8 = 3;
const BOOLEAN: u8 = 4;
const DATE_TIME: u8 = 5;
const BINARY: u8 = 6;

/// Shared by all rows of which only the keys are read.
static NO_PROPERTIES: LazyLock<Properties> = LazyLock::new(Properties::new);

const CHECKSUM_BYTES: usize = 4;
const ETAG_BYTES: usize = 8;

/// The key `table NUL partition NUL row`.
pub(in crate::store) fn encode_key(table: &str, partition: &str, row: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(table.len() + partition.len() + row.len() + 2);
    bytes.extend_from_slice(table.as_bytes());
    bytes.push(0);
    bytes.extend_from_slice(partition.as_bytes());
    bytes.push(0);
    bytes.extend_from_slice(row.as_bytes());
    bytes
}

pub(in crate::store) fn decode_key(bytes: &[u8]) -> Result<Key, StoreError> {
    let mut parts = bytes.split(|b| *b == 0).skip(1).map(std::str::from_utf8);
    match (parts.next(), parts.next(), parts.next()) {
        (Some(Ok(partition)), Some(Ok(row)), None) => Key::new(partition, row).map_err(|_| damaged()),
        _ => Err(damaged()),
    }
}

pub(in crate::store) fn etag(number: u64) -> Etag {
    Etag(format_compact!("{number:x}"))
}

/// The encoded row for `key`, which [`encode_key`] made.
pub(in crate::store) fn encode_row(key: &[u8], etag: u64, properties: &Properties) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(256);
    bytes.extend_from_slice(&[0; CHECKSUM_BYTES]);
    bytes.extend_from_slice(&etag.to_le_bytes());
    for (name, value) in properties.iter() {
        // `limits::check_entity` refuses names of more than 255 characters before a row comes here.
        bytes.push(name.len() as u8);
        bytes.extend_from_slice(name.as_bytes());
        encode_value(&mut bytes, value);
    }
    let sum = checksum(key, &bytes[CHECKSUM_BYTES..]);
    bytes[..CHECKSUM_BYTES].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Whether two encoded rows with the same key differ at most in their ETags.
pub(in crate::store) fn has_same_properties(one: &[u8], other: &[u8]) -> bool {
    const PROPERTIES: usize = CHECKSUM_BYTES + ETAG_BYTES;
    one.len() >= PROPERTIES && one.get(PROPERTIES..) == other.get(PROPERTIES..)
}

fn checksum(key: &[u8], row: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(key);
    hasher.update(row);
    hasher.finalize()
}

/// Verifies the checksum, and returns a cursor after it.
fn verify<'a>(key: &[u8], bytes: &'a [u8]) -> Result<Cursor<'a>, StoreError> {
    let mut cursor = Cursor(bytes);
    let sum = u32::from_le_bytes(cursor.take_array()?);
    if sum == checksum(key, cursor.0) { Ok(cursor) } else { Err(damaged()) }
}

fn encode_value(bytes: &mut Vec<u8>, value: &Value) {
    match value {
        Value::String(text) => encode_span(bytes, STRING, text.as_bytes()),
        Value::Binary(binary) => encode_span(bytes, BINARY, binary),
        Value::Int32(number) => encode_fixed(bytes, INT32, &number.to_le_bytes()),
        Value::Int64(number) => encode_fixed(bytes, INT64, &number.to_le_bytes()),
        Value::DateTime(ticks) => encode_fixed(bytes, DATE_TIME, &ticks.to_le_bytes()),
        Value::Boolean(yes) => encode_fixed(bytes, BOOLEAN, &[u8::from(*yes)]),
    }
}

fn encode_fixed(bytes: &mut Vec<u8>, tag: u8, value: &[u8]) {
    bytes.push(tag);
    bytes.extend_from_slice(value);
}

fn encode_span(bytes: &mut Vec<u8>, tag: u8, value: &[u8]) {
    bytes.push(tag);
    bytes.extend_from_slice(&(value.len() as u32).to_le_bytes());
    bytes.extend_from_slice(value);
}

/// Decodes only the ETag, for preconditions.
pub(in crate::store) fn decode_etag(key: &[u8], bytes: &[u8]) -> Result<Etag, StoreError> {
    Ok(etag(u64::from_le_bytes(verify(key, bytes)?.take_array()?)))
}

/// Decodes the row that was found under `key`.
pub(in crate::store) fn decode_row(key: &[u8], bytes: &[u8]) -> Result<Entity, StoreError> {
    decode_row_of(decode_key(key)?, key, bytes)
}

/// Like [`decode_row`], for a caller that has already decoded the key.
pub(in crate::store) fn decode_row_of(key: Key, encoded_key: &[u8], bytes: &[u8]) -> Result<Entity, StoreError> {
    let mut cursor = verify(encoded_key, bytes)?;
    let etag = etag(u64::from_le_bytes(cursor.take_array()?));
    let mut properties = Vec::with_capacity(16);
    while !cursor.0.is_empty() {
        let [length] = cursor.take_array()?;
        let name = cursor.take_text(usize::from(length))?;
        let value = decode_value(&mut cursor)?;
        properties.push((name, value));
    }
    Ok(Entity { key, etag, properties: Properties::of_decoded(properties) })
}

/// Verifies the row, and returns only its key.
pub(in crate::store) fn decode_key_of_row(key: &[u8], bytes: &[u8]) -> Result<Entity, StoreError> {
    verify(key, bytes)?;
    Ok(Entity { key: decode_key(key)?, etag: Etag(CompactString::const_new("")), properties: NO_PROPERTIES.clone() })
}

fn decode_value(cursor: &mut Cursor<'_>) -> Result<Value, StoreError> {
    let [tag] = cursor.take_array()?;
    Ok(match tag {
        STRING => {
            let length = cursor.take_length()?;
            Value::String(cursor.take_text(length)?)
        }
        BINARY => {
            let length = cursor.take_length()?;
            Value::Binary(Arc::from(cursor.take(length)?))
        }
        INT32 => Value::Int32(i32::from_le_bytes(cursor.take_array()?)),
        INT64 => Value::Int64(i64::from_le_bytes(cursor.take_array()?)),
        DATE_TIME => Value::DateTime(i64::from_le_bytes(cursor.take_array()?)),
        BOOLEAN => Value::Boolean(cursor.take_array::<1>()? != [0]),
        _ => return Err(damaged()),
    })
}

struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], StoreError> {
        let (head, tail) = self.0.split_at_checked(length).ok_or_else(damaged)?;
        self.0 = tail;
        Ok(head)
    }

    fn take_array<const N: usize>(&mut self) -> Result<[u8; N], StoreError> {
        self.take(N)?.try_into().map_err(|_| damaged())
    }

    fn take_length(&mut self) -> Result<usize, StoreError> {
        Ok(u32::from_le_bytes(self.take_array()?) as usize)
    }

    fn take_text(&mut self, length: usize) -> Result<CompactString, StoreError> {
        std::str::from_utf8(self.take(length)?).map(CompactString::from).map_err(|_| damaged())
    }
}

fn damaged() -> StoreError {
    StoreError::corrupt("a row of the store file cannot be decoded; restore it from a copy")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_type() -> Properties {
        let mut properties = Properties::new();
        properties.set("Text", Value::String("Łukasz".into()));
        properties.set("Small", Value::Int32(-1));
        properties.set("Large", Value::Int64(i64::MIN));
        properties.set("Yes", Value::Boolean(true));
        properties.set("At", Value::DateTime(638_741_523_061_234_567));
        properties.set("Bytes", Value::Binary(Arc::from([0, 255])));
        properties
    }

    #[test]
    fn a_row_is_decoded_as_it_was_encoded() {
        let key = encode_key("Posts", "2025-02", "s-a");
        let row = decode_row(&key, &encode_row(&key, 7, &every_type())).expect("a row");
        assert_eq!((row.key.to_string(), row.etag), ("(2025-02, s-a)".to_owned(), etag(7)));
        assert_eq!(row.properties, every_type());
    }

    #[test]
    fn a_truncated_row_or_a_flipped_bit_is_an_error() {
        let key = encode_key("Posts", "2025-02", "s-a");
        let bytes = encode_row(&key, 7, &every_type());
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1;
            assert!(decode_row(&key, &flipped).is_err() && decode_row(&key, &bytes[..at]).is_err(), "at {at}");
        }
    }

    #[test]
    fn a_read_of_keys_verifies_the_row_and_keeps_its_key() {
        let key = encode_key("Posts", "2025-02", "s-a");
        let bytes = encode_row(&key, 7, &every_type());
        let row = decode_key_of_row(&key, &bytes).expect("a row");
        assert_eq!((row.key.to_string(), row.properties.len()), ("(2025-02, s-a)".to_owned(), 0));
        assert!(decode_key_of_row(&key, &bytes[..bytes.len() - 1]).is_err());
    }

    #[test]
    fn a_row_under_another_key_is_an_error() {
        let bytes = encode_row(&encode_key("Posts", "2025-02", "s-a"), 7, &every_type());
        assert!(decode_row(&encode_key("Posts", "2025-02", "s-b"), &bytes).is_err());
    }
}
