//! The row of an epoch in the table of the feed. The rule: it names every row that a write of its server may change now, and every announcement of
//! the last minute, or it says since which number it does.
//!
//! | property | what it is |
//! |---|---|
//! | `Format` | 1 |
//! | `At` | when the row was written |
//! | `Number` | the number of the last announcement of the epoch |
//! | `Since` | every announcement from this number on is listed |
//! | `Announcements` | JSON: a list of `[number, is open, rows]`; rows are `null` for all, or a list of `[table, PartitionKey, [RowKey, …]]` |

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use crate::model::Instant;
use crate::store::{Batch, Entity, Properties, Result, StoreError, Value, WrittenRow};

use super::steps::StepRows;

/// The one partition of the feed, so that all epochs are read by one request.
pub(super) const PARTITION: &str = "epochs";
/// A row of a later format cannot be followed.
const FORMAT: i32 = 1;

/// Rows by their table and partition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NamedRows {
    partitions: BTreeMap<(CompactString, CompactString), BTreeSet<CompactString>>,
    /// The length of their names.
    bytes: usize,
}

impl NamedRows {
    pub(super) fn add(&mut self, table: &str, partition: &str, row: &str) {
        let place = (table.into(), partition.into());
        let new_place = !self.partitions.contains_key(&place);
        if self.partitions.entry(place).or_default().insert(row.into()) {
            // With the commas and brackets.
            self.bytes +=
                text_bytes(row) + 1 + if new_place { text_bytes(table) + text_bytes(partition) + 7 } else { 0 };
        }
    }

    pub(super) fn of_batch(table: &str, batch: &Batch) -> Self {
        let mut rows = Self::default();
        batch.operations().iter().for_each(|operation| rows.add(table, batch.partition(), operation.row()));
        rows
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn covers(&self, table: &str, batch: &Batch) -> bool {
        let rows = self.partitions.get(&(table.into(), batch.partition().into()));
        rows.is_some_and(|rows| batch.operations().iter().all(|operation| rows.contains(operation.row())))
    }

    pub(super) fn written(&self) -> Arc<[WrittenRow]> {
        let of = |((table, partition), rows): (&(CompactString, CompactString), &BTreeSet<CompactString>)| {
            rows.iter().map(|row| WrittenRow::new(table, partition, row)).collect::<Vec<_>>()
        };
        self.partitions.iter().flat_map(of).collect()
    }
}

/// The length of a part of a key as JSON.
fn text_bytes(part: &str) -> usize {
    part.len() + 2 + part.bytes().filter(|byte| *byte == b'"').count()
}

/// An announcement as a row lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub number: u64,
    pub is_open: bool,
    /// `None`: all rows.
    pub rows: Option<Arc<NamedRows>>,
}

impl Listed {
    pub(super) fn step_rows(&self) -> StepRows {
        self.rows.as_ref().map(|rows| rows.written())
    }
}

/// What a row says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EpochRow {
    pub at: Instant,
    pub number: u64,
    pub since: u64,
    pub listed: Vec<Listed>,
}

/// Table, PartitionKey, RowKeys.
type PartitionText = (String, String, Vec<String>);

#[derive(Serialize, Deserialize)]
struct ListedText(u64, u8, Option<Vec<PartitionText>>);

impl EpochRow {
    pub(super) fn properties(&self) -> Properties {
        let text = |listed: &Listed| {
            let rows = listed.rows.as_ref().map(|rows| {
                let text = |((table, partition), rows): (&(CompactString, CompactString), &BTreeSet<CompactString>)| {
                    (table.to_string(), partition.to_string(), rows.iter().map(CompactString::to_string).collect())
                };
                rows.partitions.iter().map(text).collect()
            });
            ListedText(listed.number, u8::from(listed.is_open), rows)
        };
        let listed: Vec<_> = self.listed.iter().map(text).collect();
        let text = serde_json::to_string(&listed).expect("a list is plain data");
        let mut properties = Properties::new();
        properties.set("Format", Value::Int32(FORMAT));
        properties.set("At", Value::DateTime(self.at.ticks()));
        properties.set("Number", Value::Int64(i64::try_from(self.number).unwrap_or(i64::MAX)));
        properties.set("Since", Value::Int64(i64::try_from(self.since).unwrap_or(i64::MAX)));
        properties.set("Announcements", Value::String(text.into()));
        properties
    }

    /// # Errors
    /// [`StoreError::Corrupt`] if the row is of another format, or damaged.
    pub(super) fn read(row: &Entity) -> Result<Self> {
        let damaged = |what: &str| StoreError::corrupt(format!("{what} of the row {} of the feed", row.key));
        let number = |name: &str| match row.properties.get(name) {
            Some(Value::Int64(number)) => u64::try_from(*number).map_err(|_| damaged(name)),
            _ => Err(damaged(name)),
        };
        let (number, since) = (number("Number")?, number("Since")?);
        let (Some(Value::Int32(FORMAT)), Some(Value::DateTime(at)), Some(Value::String(text))) =
            (row.properties.get("Format"), row.properties.get("At"), row.properties.get("Announcements"))
        else {
            return Err(damaged("a property"));
        };
        let at = Instant::from_ticks(*at).ok_or_else(|| damaged("At"))?;
        let texts: Vec<ListedText> = serde_json::from_str(text).map_err(|_| damaged("Announcements"))?;
        let listed: Vec<_> = texts.into_iter().map(listed_of).collect();
        // Otherwise a follower could take a number for known that the row does not list.
        let mut from_since = listed.iter().map(|listed| listed.number).filter(|listed| *listed >= since);
        let is_complete = (since..=number).all(|expected| from_since.next() == Some(expected));
        match is_complete && from_since.next().is_none() {
            true => Ok(Self { at, number, since, listed }),
            false => Err(damaged("Announcements")),
        }
    }
}

fn listed_of(ListedText(number, is_open, rows): ListedText) -> Listed {
    let named = |partitions: Vec<PartitionText>| {
        let mut named = NamedRows::default();
        for (table, partition, rows) in partitions {
            rows.iter().for_each(|row| named.add(&table, &partition, row));
        }
        Arc::new(named)
    };
    Listed { number, is_open: is_open != 0, rows: rows.map(named) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Etag, Key};

    fn entity(properties: Properties) -> Entity {
        Entity { key: Key::new(PARTITION, "e").expect("a key"), etag: Etag("1".into()), properties }
    }

    fn example() -> EpochRow {
        let mut rows = NamedRows::default();
        for (table, partition, row) in [("Posts", "2026-05", "s-a"), ("Posts", "2026-05", "!count"), ("Tags", "a", "a")]
        {
            rows.add(table, partition, row);
        }
        let listed = vec![
            Listed { number: 3, is_open: true, rows: Some(Arc::new(rows)) },
            Listed { number: 7, is_open: false, rows: None },
            Listed { number: 8, is_open: true, rows: None },
        ];
        EpochRow { at: Instant::from_ticks(50).expect("an instant"), number: 8, since: 7, listed }
    }

    #[test]
    fn a_row_is_read_as_it_was_written() {
        let row = example();
        assert_eq!(EpochRow::read(&entity(row.properties())).expect("a row"), row);
        let text = match row.properties().get("Announcements") {
            Some(Value::String(text)) => text.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(text, r#"[[3,1,[["Posts","2026-05",["!count","s-a"]],["Tags","a",["a"]]]],[7,0,null],[8,1,null]]"#);
        let named = row.listed[0].rows.as_ref().expect("named rows").bytes();
        assert!(named.abs_diff(r#"["Posts","2026-05",["!count","s-a"]],["Tags","a",["a"]]"#.len()) < 8, "{named}");
    }

    #[test]
    fn a_row_that_cannot_be_followed_is_an_error() {
        let with = |name: &str, value: Value| {
            let mut properties = example().properties();
            properties.set(name, value);
            EpochRow::read(&entity(properties)).is_err()
        };
        assert!(with("Format", Value::Int32(2)));
        assert!(with("Since", Value::Int64(6)), "number 6 is not listed");
        assert!(with("Number", Value::Int64(9)) && with("Number", Value::Int64(-1)));
        assert!(with("Announcements", Value::String("[[1,1]]".into())));
        assert!(with("Announcements", Value::Int32(1)));
        assert!(EpochRow::read(&entity(Properties::new())).is_err());
    }
}
