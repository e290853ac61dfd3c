//! One record of the log: the encoded rows of one group. The rule: an incomplete or changed record is not decoded.
//!
//! A record starts at a sector, so that a later one never overwrites a part of an earlier one: a header (magic, id of the log, the versions before and after
//! the group, length and CRC-32 of the rows, CRC-32 of the header), then the rows, each with its encoded key and, unless it was deleted, its encoded row.

use crate::store::Result;
use crate::store::error::StoreError;

/// The maximum size of a record. Larger groups, such as those of an import, are committed directly to the file, so that nothing is written twice, and less is
/// in memory.
const RECORD_BYTES_MAX: usize = 512 << 10;
/// The unit that a disk writes completely or not at all.
pub(super) const SECTOR: usize = 512;

const MAGIC: u32 = u32::from_le_bytes(*b"TLOG");
const HEADER_BYTES: usize = 40;
/// Replaces the length of a deleted row.
const DELETED: u32 = u32::MAX;

pub(super) struct Record {
    /// The header, which is empty until the record is appended, and the rows.
    bytes: Vec<u8>,
    is_too_large: bool,
}

impl Record {
    pub(super) fn new() -> Self {
        Self { bytes: vec![0; HEADER_BYTES], is_too_large: false }
    }

    /// Adds a row; `None` if it was deleted.
    pub(super) fn note(&mut self, key: &[u8], row: Option<&[u8]>) {
        let added = 8 + key.len() + row.map_or(0, <[u8]>::len);
        if self.is_too_large || self.bytes.len() + added > RECORD_BYTES_MAX {
            self.is_too_large = true;
            self.bytes = Vec::new();
            return;
        }
        self.bytes.extend_from_slice(&(key.len() as u32).to_le_bytes());
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(&row.map_or(DELETED, |row| row.len() as u32).to_le_bytes());
        self.bytes.extend_from_slice(row.unwrap_or_default());
    }

    /// Whether the group is committed directly to the file.
    pub(super) fn is_too_large(&self) -> bool {
        self.is_too_large
    }

    /// The bytes that the record takes in the log.
    pub(super) fn sectors_bytes(&self) -> usize {
        self.bytes.len().next_multiple_of(SECTOR)
    }

    /// The whole sectors of the record, with its header.
    pub(super) fn sealed(mut self, id: u64, versions: Versions) -> Vec<u8> {
        let rows = &self.bytes[HEADER_BYTES..];
        let header = Header { id, versions, length: rows.len() as u32, sum: crc32fast::hash(rows) };
        self.bytes[..HEADER_BYTES].copy_from_slice(&header.encode());
        self.bytes.resize(self.bytes.len().next_multiple_of(SECTOR), 0);
        self.bytes
    }
}

/// The versions of the file before and after a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Versions {
    pub(super) before: u64,
    pub(super) after: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    id: u64,
    pub(super) versions: Versions,
    length: u32,
    sum: u32,
}

impl Header {
    fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..4].copy_from_slice(&MAGIC.to_le_bytes());
        bytes[4..12].copy_from_slice(&self.id.to_le_bytes());
        bytes[12..20].copy_from_slice(&self.versions.before.to_le_bytes());
        bytes[20..28].copy_from_slice(&self.versions.after.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.length.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.sum.to_le_bytes());
        let sum = crc32fast::hash(&bytes[..36]);
        bytes[36..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// `None` if these are not the bytes of a header of this log.
    pub(super) fn decode(bytes: &[u8], id: u64) -> Option<Self> {
        let bytes: &[u8; HEADER_BYTES] = bytes.first_chunk()?;
        let u32_at = |at: usize| bytes[at..].first_chunk().map_or(0, |four| u32::from_le_bytes(*four));
        let u64_at = |at: usize| bytes[at..].first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight));
        let versions = Versions { before: u64_at(12), after: u64_at(20) };
        let header = Self { id: u64_at(4), versions, length: u32_at(28), sum: u32_at(32) };
        (header.id == id && *bytes == header.encode()).then_some(header)
    }

    pub(super) fn sectors_bytes(&self) -> usize {
        (HEADER_BYTES + self.length as usize).next_multiple_of(SECTOR)
    }
}

/// The record at this offset; `None` if it is incomplete or was changed.
pub(super) fn record_at(bytes: &[u8], at: usize, id: u64) -> Option<(Header, &[u8])> {
    let header = Header::decode(bytes.get(at..)?, id)?;
    let rows = bytes.get(at + HEADER_BYTES..)?.get(..header.length as usize)?;
    (crc32fast::hash(rows) == header.sum).then_some((header, rows))
}

pub(super) fn each_row(mut rows: &[u8], apply: &mut impl FnMut(&[u8], Option<&[u8]>) -> Result<()>) -> Result<()> {
    while !rows.is_empty() {
        let length = take_u32(&mut rows)?;
        let key = take(&mut rows, length)?;
        let row = match take_u32(&mut rows)? {
            DELETED => None,
            length => Some(take(&mut rows, length)?),
        };
        apply(key, row)?;
    }
    Ok(())
}

fn take<'a>(rows: &mut &'a [u8], length: u32) -> Result<&'a [u8]> {
    let (head, tail) = rows.split_at_checked(length as usize).ok_or_else(undecodable)?;
    *rows = tail;
    Ok(head)
}

fn take_u32(rows: &mut &[u8]) -> Result<u32> {
    let four = take(rows, 4)?.try_into().map_err(|_| undecodable())?;
    Ok(u32::from_le_bytes(four))
}

fn undecodable() -> StoreError {
    StoreError::corrupt("a record of the log cannot be decoded")
}
