//! The tables of an export that is one JSON document. The rule: the document must be complete, because its rows would lose what follows; a row is
//! parsed only when it is read, so one with wrong values does not affect others; one that breaks the syntax of JSON damages the document.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::found::FoundContent;

/// The longest file, which is in memory while its rows are found.
const FILE_BYTES_MAX: u64 = 2 << 30;
/// The longest row: a post of 16 MiB in several renderings, every byte of it escaped.
const ROW_BYTES_MAX: u64 = 256 << 20;

/// The first byte of a row, and its length in bytes.
pub(super) type RowSpan = (u64, u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonShape {
    /// `{"data":{"table":[row, …], …}}`, alone or inside `{"db":[document]}`.
    Ghost,
    /// `{"table":[row, …], …}`.
    Contentful,
}

/// Reads rows by their positions, fastest in the order of the file.
pub(super) struct JsonTables {
    input: BufReader<File>,
    at: u64,
    shape: JsonShape,
    /// The positions of the rows of each table, in the order of the file.
    places: HashMap<String, Vec<RowSpan>>,
}

impl JsonTables {
    /// Finds the tables of an export. `None` if the document is damaged, which the report then says.
    pub(super) fn open(path: &Path, shape: JsonShape, found: &mut FoundContent) -> io::Result<Option<Self>> {
        let site = if shape == JsonShape::Ghost { "site" } else { "space" };
        if fs::metadata(path)?.len() > FILE_BYTES_MAX {
            let reason = format!("is longer than {FILE_BYTES_MAX} bytes, so nothing was imported");
            found.fail(path.display().to_string(), reason);
            return Ok(None);
        }
        match find(&fs::read(path)?, shape) {
            Ok(places) => Ok(Some(Self { shape, places, ..Self::without_tables(path, shape)? })),
            Err((at, reason)) => {
                let reason = format!("{reason}; nothing was imported, so export the {site} again");
                found.fail(format!("byte {at}"), reason);
                Ok(None)
            }
        }
    }

    fn without_tables(path: &Path, shape: JsonShape) -> io::Result<Self> {
        let input = BufReader::with_capacity(1 << 16, File::open(path)?);
        Ok(Self { input, at: 0, shape, places: HashMap::new() })
    }

    /// `None` if the document has no such table.
    pub(super) fn places(&self, table: &str) -> Option<Vec<RowSpan>> {
        self.places.get(table).cloned()
    }

    /// Reads each row of a table, if there is one. `take` returns why a row cannot be read.
    pub(super) fn each(
        &mut self,
        table: &str,
        found: &mut FoundContent,
        mut take: impl FnMut(Value, &mut FoundContent) -> Result<(), String>,
    ) -> io::Result<()> {
        let noun = if self.shape == JsonShape::Ghost { "row" } else { "item" };
        for (number, place) in (1..).zip(self.places(table).unwrap_or_default()) {
            if let Err(reason) = self.read(place)?.and_then(|row| take(row, found)) {
                found.fail(format!("{table}, {noun} {number}"), reason);
            }
        }
        Ok(())
    }

    /// The row at this position, or why it is not valid JSON.
    pub(super) fn read(&mut self, (start, length): RowSpan) -> io::Result<Result<Value, String>> {
        if length > ROW_BYTES_MAX {
            return Ok(Err(format!("longer than {ROW_BYTES_MAX} bytes")));
        }
        let distance = i128::from(start) - i128::from(self.at);
        self.input.seek_relative(i64::try_from(distance).map_err(io::Error::other)?)?;
        let mut bytes = Vec::new();
        self.at = start + self.input.by_ref().take(length).read_to_end(&mut bytes)? as u64;
        Ok(serde_json::from_slice(&bytes).map_err(|error| format!("not JSON: {error}")))
    }
}

/// Reads one row again, after the first reading.
pub(super) fn read_again(path: &Path, place: RowSpan) -> Result<Value, String> {
    // The position of a row says everything about it.
    let read = JsonTables::without_tables(path, JsonShape::Contentful).and_then(|mut rows| rows.read(place));
    read.map_err(|error| format!("cannot be read: {error}"))?
}

/// The fields of an object in their order, also those whose names are repeated.
struct Fields<'t>(Vec<(String, &'t RawValue)>);

impl<'t> Fields<'t> {
    fn named(self, name: &str) -> impl Iterator<Item = &'t RawValue> {
        self.0.into_iter().filter(move |(known, _)| known == name).map(|(_, value)| value)
    }
}

impl<'de: 't, 't> Deserialize<'de> for Fields<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Fields(fields))
    }
}

/// The positions of the rows of each table, or the position and description of the error.
fn find(bytes: &[u8], shape: JsonShape) -> Result<HashMap<String, Vec<RowSpan>>, (usize, String)> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| (error.valid_up_to(), "the file is not UTF-8 from here on".to_owned()))?;
    let text = text.trim_start_matches('\u{feff}');
    let skipped = bytes.len() - text.len();
    let document: Fields<'_> = serde_json::from_str(text).map_err(|error| broken(skipped, text, &error))?;
    let lists = match shape {
        JsonShape::Contentful => vec![document],
        JsonShape::Ghost => {
            let (exports, data): (Vec<_>, Vec<_>) = document.0.into_iter().partition(|(name, _)| name == "db");
            let exports = exports.into_iter().filter_map(|(_, exports)| of::<Vec<&RawValue>>(exports)).flatten();
            let documents = exports.filter_map(of::<Fields<'_>>).chain([Fields(data)]);
            documents.flat_map(|document| document.named("data")).filter_map(of::<Fields<'_>>).collect()
        }
    };
    let place = |row: &RawValue| {
        let start = skipped + (row.get().as_ptr() as usize - text.as_ptr() as usize);
        (start as u64, row.get().len() as u64)
    };
    let mut tables: HashMap<String, Vec<RowSpan>> = HashMap::new();
    for (name, table) in lists.into_iter().flat_map(|fields| fields.0) {
        if let Some(rows) = of::<Vec<&RawValue>>(table) {
            tables.entry(name).or_default().extend(rows.into_iter().map(place));
        }
    }
    Ok(tables)
}

/// `None` if the value has another type.
fn of<'t, T: Deserialize<'t>>(value: &'t RawValue) -> Option<T> {
    serde_json::from_str(value.get()).ok()
}

/// `skipped`: the bytes before the text.
fn broken(skipped: usize, text: &str, error: &serde_json::Error) -> (usize, String) {
    if error.is_eof() {
        return (skipped + text.len(), "the file ends here, before its last value does".to_owned());
    }
    let above: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    (skipped + above + error.column(), format!("not JSON: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of each table, or the report of a damaged document.
    fn rows(text: &str) -> Result<Vec<(String, Vec<String>)>, String> {
        rows_of(text, JsonShape::Ghost)
    }

    fn rows_of(text: &str, shape: JsonShape) -> Result<Vec<(String, Vec<String>)>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("export.json");
        fs::write(&path, text).expect("a file");
        let mut found = FoundContent::default();
        let tables = JsonTables::open(&path, shape, &mut found).expect("the file can be read");
        let Some(mut tables) = tables else { return Err(found.failed[0].to_string()) };
        let mut read: Vec<_> = tables.places.clone().into_iter().collect();
        read.sort();
        let mut row = |place| match tables.read(place).expect("the file can be read") {
            Ok(value) => value.to_string(),
            Err(reason) => reason,
        };
        Ok(read.into_iter().map(|(name, places)| (name, places.into_iter().map(&mut row).collect())).collect())
    }

    #[test]
    fn rows_are_found_in_both_shapes() {
        let expected = [
            ("a".to_owned(), vec!["{\"x\":\"]}\\\\\\\"\"}".to_owned(), "1.5".to_owned(), "null".to_owned()]),
            ("b".to_owned(), vec![]),
        ];
        let data = "\"data\": { \"a\": [ {\"x\":\"]}\\\\\\\"\"} , 1.5,null], \"n\": 3, \"b\":[] }";
        for text in [
            format!("\u{feff}{{\"meta\":{{\"v\":[1,{{}}]}}, {data}}}\n"),
            format!("{{\"db\":[{{{data},\"meta\":{{}}}}]}}"),
        ] {
            assert_eq!(rows(&text).expect("an export"), expected, "{text}");
        }
    }

    #[test]
    fn tables_at_the_top_are_the_lists_of_the_document() {
        let text = "{ \"a\": [1, {\"data\":[2]}], \"b\": {\"c\": [3]}, \"d\": [] }";
        let found = rows_of(text, JsonShape::Contentful).expect("an export");
        let counts: Vec<_> = found.iter().map(|(name, rows)| (name.as_str(), rows.len())).collect();
        assert_eq!(counts, [("a", 2), ("d", 0)]);
    }

    #[test]
    fn a_row_with_half_a_character_does_not_affect_others() {
        let found = rows("{\"data\":{\"a\":[{\"y\":\"\\ud800\"},{\"z\":2}]}}").expect("an export");
        assert!(found[0].1[0].starts_with("not JSON"), "{found:?}");
        assert_eq!(found[0].1[1], "{\"z\":2}");
    }

    #[test]
    fn the_error_for_a_broken_document_names_the_byte() {
        let deep = format!("{{\"data\":{{\"a\":[{}", "[".repeat(1_000));
        for text in
            ["", "x", "[]", "{", "{\"data\":{\"a\":[1,", "{\"data\":{\"a\":[\"x", "{\"data\":{\"a\":[1}}", "{}}", &deep]
        {
            let reason = rows(text).expect_err(text);
            assert!(reason.starts_with("byte "), "{text}: {reason}");
        }
    }

    #[test]
    fn a_document_without_data_has_no_tables() {
        for text in ["{}", "{\"db\":[]}", "{\"db\":[1,{}]}", "{\"data\":1}", "{\"db\":[{\"data\":{\"a\":{}}}]}"] {
            assert_eq!(rows(text).expect(text), [], "{text}");
        }
    }
}
