//! An entry of the log, as a value and as rows. The rule: an entry contains everything that is needed to apply it, except the watermarks.
//!
//! All rows are in one partition, because the head and the entry are one transaction. `e-{number}` names the rows that the entry writes, and is read by
//! followers; `d-{instant}-{id}-{part}` has their new content. Data rows that do not fit in this transaction are written before it: they have no effect until
//! an entry names them.

use std::io::{Read, Write};

use compact_str::CompactString;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::model::Instant;
use crate::store::codec::{decode_row, encode_key, encode_row};
use crate::store::{Batch, Entity, Key, Operation, Precondition, Properties, Result, RowRange, StoreError, Value};

use super::settings::LogSettings;
use super::steps::StepWrite;

const PARTITION: &str = "log";
const HEAD: &str = "!head";
/// The size of a binary property, and the number of them in a row, both below the limits.
const CHUNK: usize = 63_000;
const CHUNKS: usize = 11;
/// The maximum data in the transaction of the append; as Base64, it is below the limit of 4 MiB.
const APPENDED_BYTES_MAX: usize = 2 << 20;

/// The newest entry of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// 0 if there is no entry.
    pub number: u64,
    /// The random id of the newest entry.
    pub id: CompactString,
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub number: u64,
    pub id: CompactString,
    /// The writer's time; determines when the entry is deleted, and identifies it for a restore.
    pub at: Instant,
    /// Whether the next entry belongs to the same transaction, as in a file, whose transactions can be larger than an entry.
    pub is_continued: bool,
    pub writes: Vec<StepWrite>,
}

/// An entry as a follower reads it.
pub(super) struct EntryNames {
    pub number: u64,
    pub id: CompactString,
    at: Instant,
    parts: usize,
    is_continued: bool,
    /// The writes, without the contents of the rows: each `Some` is empty.
    pub writes: Vec<StepWrite>,
}

/// The requests that append an entry, in their order; the last one is the append.
pub(super) struct Appends {
    pub before: Vec<Batch>,
    pub append: Batch,
}

/// The rows of an entry, each with its RowKey.
pub(super) struct EntryRows {
    pub data: Vec<(String, Properties)>,
    /// The size of the compressed data.
    pub data_bytes: usize,
    pub names: (String, Properties),
}

pub(super) fn head_key() -> Result<Key> {
    Key::new(PARTITION, HEAD)
}

/// The key of a row of the log.
pub(super) fn key_of(row: String) -> Result<Key> {
    Key::new(PARTITION, row)
}

pub(super) fn head_row(head: &Head) -> Properties {
    let mut newest = Properties::new();
    newest.set("Number", Value::Int64(i64::try_from(head.number).unwrap_or(i64::MAX)));
    newest.set("Id", Value::String(head.id.clone()));
    newest
}

/// A new id of an entry.
pub(super) fn random_id() -> Result<CompactString> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| StoreError::Internal(format!("no random bytes: {error}")))?;
    Ok(compact_str::format_compact!("{:016x}", u64::from_le_bytes(random)))
}

pub(super) fn read_head(row: &Entity) -> Result<Head> {
    Ok(Head { number: number(row, "Number")?, id: text(row, "Id")? })
}

/// Whether a row with this key belongs to the log.
pub fn is_row_of_log(key: &Key) -> bool {
    let row = key.row();
    key.partition() == PARTITION && (row == HEAD || row.starts_with("e-") || row.starts_with("d-"))
}

/// The entries after `after`, up to `to`.
pub(super) fn entries(after: u64, to: u64) -> Result<RowRange> {
    RowRange::new(PARTITION, Some(entry_row(after + 1)), Some(entry_row(to + 1)))
}

/// All entries, the oldest first.
pub(super) fn all_entries() -> Result<RowRange> {
    RowRange::new(PARTITION, Some("e-".to_owned()), Some("e.".to_owned()))
}

/// The data of entries that were made before this instant.
pub(super) fn data_before(at: Instant) -> Result<RowRange> {
    RowRange::new(PARTITION, Some("d-".to_owned()), Some(format!("d-{:019}", at.ticks())))
}

impl Entry {
    pub(super) fn head(&self) -> Head {
        Head { number: self.number, id: self.id.clone() }
    }

    /// `head`: the precondition for the row of the head.
    ///
    /// # Errors
    /// [`StoreError::Limit`] if a row of the entry is too large.
    pub(super) fn appends(&self, head: Precondition) -> Result<Appends> {
        let put = |row: String, properties, precondition| Operation::Put { row, properties, precondition };
        let EntryRows { data, data_bytes, names } = self.rows()?;
        let mut operations: Vec<_> =
            data.into_iter().map(|(row, properties)| put(row, properties, Precondition::None)).collect();
        let batch = |operations| Batch::new(PARTITION, operations);
        let mut before = Vec::new();
        if data_bytes > APPENDED_BYTES_MAX {
            let ahead = operations.drain(..).map(|operation| batch(vec![operation]));
            before = ahead.collect::<Result<_>>()?;
        }
        operations.push(put(names.0, names.1, Precondition::Absent));
        operations.push(put(HEAD.to_owned(), head_row(&self.head()), head));
        Ok(Appends { before, append: batch(operations)? })
    }

    pub(super) fn rows(&self) -> Result<EntryRows> {
        let mut data = Vec::new();
        for write in &self.writes {
            let Some(properties) = &write.properties else { continue };
            let key = encode_key(write.table.name, write.key.partition(), write.key.row());
            let row = encode_row(&key, 0, properties);
            data.extend_from_slice(&(row.len() as u32).to_le_bytes());
            data.extend_from_slice(&row);
        }
        let data = compress(&data)?;
        let row_of = |(part, bytes)| (data_row(self.at, &self.id, part), binaries(Properties::new(), bytes));
        let parts: Vec<_> = data.chunks(CHUNK * CHUNKS).enumerate().map(row_of).collect();
        let mut names = Properties::new();
        names.set("Id", Value::String(self.id.clone()));
        names.set("At", Value::DateTime(self.at.ticks()));
        names.set("Parts", Value::Int32(i32::try_from(parts.len()).unwrap_or(i32::MAX)));
        if self.is_continued {
            names.set("Continued", Value::Boolean(true));
        }
        let names = binaries(names, &compress(&encode_names(&self.writes))?);
        Ok(EntryRows { data: parts, data_bytes: data.len(), names: (entry_row(self.number), names) })
    }
}

impl EntryNames {
    /// # Errors
    /// `Corrupt` if the row is damaged.
    pub(super) fn read(row: &Entity, settings: &LogSettings) -> Result<Self> {
        let number = row.key.row().strip_prefix("e-").and_then(|number| number.parse().ok());
        let number = number.ok_or_else(|| damaged(&row.key))?;
        let Some(Value::DateTime(at)) = row.properties.get("At") else { return Err(damaged(&row.key)) };
        let at = Instant::from_ticks(*at).ok_or_else(|| damaged(&row.key))?;
        let Some(Value::Int32(parts)) = row.properties.get("Parts") else { return Err(damaged(&row.key)) };
        let parts = usize::try_from(*parts).map_err(|_| damaged(&row.key))?;
        let is_continued = row.properties.get("Continued") == Some(&Value::Boolean(true));
        let writes = decode_names(&expand(&joined(row))?, settings).ok_or_else(|| damaged(&row.key))?;
        Ok(Self { number, id: text(row, "Id")?, at, parts, is_continued, writes })
    }

    pub(super) fn at(&self) -> Instant {
        self.at
    }

    /// The keys of the data rows in order.
    pub(super) fn data_keys(&self) -> Result<Vec<Key>> {
        (0..self.parts).map(|part| Key::new(PARTITION, data_row(self.at, &self.id, part))).collect()
    }

    /// The whole entry. `data`: the data rows in order.
    pub(super) fn with_data(mut self, data: &[Entity]) -> Result<Entry> {
        let bytes = expand(&data.iter().flat_map(joined).collect::<Vec<u8>>())?;
        let mut rest = bytes.as_slice();
        for write in self.writes.iter_mut().filter(|write| write.properties.is_some()) {
            let row = take_sized(&mut rest).ok_or_else(|| damaged(&write.key))?;
            let key = encode_key(write.table.name, write.key.partition(), write.key.row());
            write.properties = Some(decode_row(&key, row)?.properties);
        }
        let Self { number, id, at, is_continued, writes, .. } = self;
        Ok(Entry { number, id, at, is_continued, writes })
    }
}

fn entry_row(number: u64) -> String {
    format!("e-{number:019}")
}

fn data_row(at: Instant, id: &str, part: usize) -> String {
    format!("d-{:019}-{id}-{part:03}", at.ticks())
}

fn encode_names(writes: &[StepWrite]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for write in writes {
        bytes.extend_from_slice(&[write.rank, u8::from(write.properties.is_some())]);
        bytes.extend_from_slice(&write.chunk.to_le_bytes());
        let key = encode_key(write.table.name, write.key.partition(), write.key.row());
        bytes.extend_from_slice(&(key.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&key);
    }
    bytes
}

fn decode_names(mut rest: &[u8], settings: &LogSettings) -> Option<Vec<StepWrite>> {
    let mut writes = Vec::new();
    while let Some(([rank, is_put, low, high], after)) = rest.split_first_chunk() {
        rest = after;
        let chunk = u16::from_le_bytes([*low, *high]);
        let key = std::str::from_utf8(take_sized(&mut rest)?).ok()?;
        let mut parts = key.split('\0');
        let (table, partition, row) = (parts.next()?, parts.next()?, parts.next()?);
        let table = settings.table_named(table)?;
        let properties = (*is_put == 1).then(Properties::new);
        writes.push(StepWrite { rank: *rank, chunk, table, key: Key::new(partition, row).ok()?, properties });
    }
    rest.is_empty().then_some(writes)
}

/// Takes bytes that are preceded by their length.
fn take_sized<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let (length, after) = rest.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (bytes, after) = after.split_at_checked(length)?;
    *rest = after;
    Some(bytes)
}

fn compress(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.map_err(|error| StoreError::Internal(format!("an entry of the log cannot be compressed: {error}")))
}

fn expand(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut expanded = Vec::new();
    let read = GzDecoder::new(bytes).read_to_end(&mut expanded);
    read.map_err(|error| StoreError::corrupt_by("an entry of the log", error))?;
    Ok(expanded)
}

fn binaries(mut properties: Properties, bytes: &[u8]) -> Properties {
    for (n, chunk) in bytes.chunks(CHUNK).enumerate() {
        properties.set(&format!("Data{n}"), Value::Binary(chunk.into()));
    }
    properties
}

fn joined(row: &Entity) -> Vec<u8> {
    let mut bytes = Vec::new();
    for n in 0.. {
        let Some(Value::Binary(chunk)) = row.properties.get(&format!("Data{n}")) else { break };
        bytes.extend_from_slice(chunk);
    }
    bytes
}

fn number(row: &Entity, name: &str) -> Result<u64> {
    match row.properties.get(name) {
        Some(Value::Int64(number)) => u64::try_from(*number).map_err(|_| damaged(&row.key)),
        _ => Err(damaged(&row.key)),
    }
}

fn text(row: &Entity, name: &str) -> Result<CompactString> {
    match row.properties.get(name) {
        Some(Value::String(text)) => Ok(text.clone()),
        _ => Err(damaged(&row.key)),
    }
}

fn damaged(key: &Key) -> StoreError {
    StoreError::corrupt(format!("the row {key} of the log"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::log::settings::TRUSTED_FOR;
    use crate::store::log::steps::{NewWrite, RowRole, sort};
    use crate::store::{Etag, limits};

    const SETTINGS: LogSettings =
        LogSettings { table: "Log", tables: &["T", "U"], role: |_, _, _| RowRole::Object, trusted_for: TRUSTED_FOR };

    /// The rows of all batches, as stored.
    fn stored(batches: &[Batch]) -> Vec<Entity> {
        let rows = batches.iter().flat_map(|batch| batch.operations().iter().map(|put| (batch.partition(), put)));
        rows.map(|(partition, put)| {
            let Operation::Put { row, properties, .. } = put else { panic!("{put:?}") };
            let key = Key::new(partition, row).expect("a key");
            Entity { key, etag: Etag("1".into()), properties: properties.clone() }
        })
        .collect()
    }

    #[test]
    fn an_entry_of_any_size_is_read_as_it_was_written() {
        let at: Instant = "2026-11-28T00:00:00Z".parse().expect("an instant");
        for rows in [1, 3, 12] {
            let mut noise = 1_u32;
            let mut bytes = || {
                let byte = |_| {
                    noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (noise >> 24) as u8
                };
                Value::Binary((0..60_000).map(byte).collect::<Vec<_>>().into())
            };
            let writes = (0..rows).map(|n| {
                let mut properties = Properties::new();
                (0..10).for_each(|part| properties.set(&format!("B{part}"), bytes()));
                let key = Key::new("p", format!("{n:02}")).expect("a key");
                NewWrite { table: SETTINGS.table_of("T"), key, properties: Some(properties), is_there: false }
            });
            let gone = Key::new("q", "gone").expect("a key");
            let gone = NewWrite { table: SETTINGS.table_of("U"), key: gone, properties: None, is_there: true };
            let writes = sort(writes.chain([gone]).collect()).expect("it is sorted");
            let entry = Entry { number: 7, id: "abc".into(), at, is_continued: rows == 3, writes };
            let Appends { before, append } = entry.appends(Precondition::Absent).expect("it fits");
            assert!(append.operations().len() <= limits::BATCH_OPERATIONS_MAX && before.is_empty() == (rows < 12));
            let all = stored(&[before, vec![append]].concat());
            let find = |key: &Key| all.iter().find(|row| row.key == *key).cloned();
            let head = read_head(&find(&head_key().expect("a key")).expect("the head")).expect("a head");
            assert_eq!(head, Head { number: 7, id: "abc".into() });
            let range = entries(6, 7).expect("a range");
            let names = all.iter().find(|row| range.from() == Some(row.key.row())).expect("the entry");
            let names = EntryNames::read(names, &SETTINGS).expect("an entry");
            let data = names.data_keys().expect("keys").iter().map(|key| find(key).expect("data")).collect::<Vec<_>>();
            let read = names.with_data(&data).expect("an entry");
            let shown = |entry: &Entry| {
                let writes = entry.writes.iter();
                let write = |write: &StepWrite| {
                    (write.rank, write.chunk, write.table.name, write.key.clone(), write.properties.clone())
                };
                (entry.number, entry.id.clone(), entry.is_continued, writes.map(write).collect::<Vec<_>>())
            };
            assert_eq!(shown(&read), shown(&entry));
        }
    }
}
