//! The tables of an export that is one JSON document. The rule: the document must be complete, because its rows would lose what follows; a row is
//! parsed only when it is read, so one with wrong values does not affect others; one that breaks the syntax of JSON damages the document.

use std::collections::HashMap;
use std::path::Path;

use serde::de::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use tidings_model::json_value::RawObject;

use super::export_files;
use super::found::FoundContent;

/// The longest file, which is in memory.
const FILE_BYTES_MAX: u64 = 2 << 30;
/// The maximum number of objects around the tables: Ghost writes `{"db":[{"data":{"table":[row, …], …}}]}`, or only the object in this list; Contentful writes
/// the tables alone.
const LEVELS_MAX: u32 = 2;

/// The rows of each table, in the order of the file.
pub(super) struct JsonTables(HashMap<String, Vec<Box<RawValue>>>);

impl JsonTables {
    /// Finds the tables of an export. `None` if the document is damaged, which the report then says.
    pub(super) fn open(path: &Path, found: &mut FoundContent) -> Option<Self> {
        let mut tables = Self(HashMap::new());
        let read = export_files::whole(path, FILE_BYTES_MAX).and_then(|text| {
            let document = serde_json::from_str(&text);
            document.map(|document| tables.collect(document, 0)).map_err(|error| format!("not whole JSON: {error}"))
        });
        if let Err(reason) = read {
            let reason = format!("{reason}; nothing was imported, so export it again");
            found.fail(path.display().to_string(), reason);
            return None;
        }
        Some(tables)
    }

    fn collect(&mut self, object: RawObject<'_>, level: u32) {
        for (name, value) in object.0 {
            match name.as_str() {
                "db" | "data" if level < LEVELS_MAX => {
                    let items = of::<Vec<&RawValue>>(value).unwrap_or_else(|| vec![value]);
                    items.into_iter().filter_map(of).for_each(|object| self.collect(object, level + 1));
                }
                _ => {
                    if let Some(rows) = of::<Vec<Box<RawValue>>>(value) {
                        self.0.entry(name).or_default().extend(rows);
                    }
                }
            }
        }
    }

    /// Each row of a table, or why it is not valid JSON; `None` if the document has no such table.
    pub(super) fn rows(&self, table: &str) -> Option<impl Iterator<Item = Result<Value, String>>> {
        let rows = self.0.get(table)?.iter();
        Some(rows.map(|row| serde_json::from_str(row.get()).map_err(|error| format!("not JSON: {error}"))))
    }

    /// Reads each row of a table, if there is one. `take` returns why a row cannot be read.
    pub(super) fn each(
        &self,
        table: &str,
        found: &mut FoundContent,
        mut take: impl FnMut(Value, &mut FoundContent) -> Result<(), String>,
    ) {
        for (number, row) in (1..).zip(self.rows(table).into_iter().flatten()) {
            if let Err(reason) = row.and_then(|row| take(row, found)) {
                found.fail(format!("{table}, item {number}"), reason);
            }
        }
    }
}

/// `None` if the value has another type.
fn of<'t, T: Deserialize<'t>>(value: &'t RawValue) -> Option<T> {
    serde_json::from_str(value.get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of each table, or the report of a damaged document.
    fn rows(text: &str) -> Result<Vec<(String, Vec<String>)>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("export.json");
        std::fs::write(&path, text).expect("a file");
        let mut found = FoundContent::default();
        let Some(tables) = JsonTables::open(&path, &mut found) else { return Err(found.failed[0].to_string()) };
        let mut names: Vec<&String> = tables.0.keys().collect();
        names.sort();
        let rows = |name: &str| {
            let rows = tables.rows(name).expect("a table");
            rows.map(|row| row.map_or_else(|reason| reason, |value| value.to_string())).collect()
        };
        Ok(names.into_iter().map(|name| (name.clone(), rows(name))).collect())
    }

    #[test]
    fn rows_are_found_in_both_shapes() {
        let expected = [
            ("a".to_owned(), vec!["{\"x\":\"]}\\\\\\\"\"}".to_owned(), "1.5".to_owned(), "null".to_owned()]),
            ("b".to_owned(), vec![]),
        ];
        let data = "\"a\": [ {\"x\":\"]}\\\\\\\"\"} , 1.5,null], \"n\": 3, \"b\":[] ";
        for text in [
            format!("{{\"c\":{{}},{data}}}"),
            format!("\u{feff}{{\"meta\":{{\"v\":[1,{{}}]}}, \"data\":{{{data}}}}}\n"),
            format!("{{\"db\":[{{\"data\":{{{data}}},\"meta\":{{}}}}]}}"),
        ] {
            assert_eq!(rows(&text).expect("an export"), expected, "{text}");
        }
    }

    #[test]
    fn a_row_with_half_a_character_does_not_affect_others() {
        let found = rows("{\"data\":{\"a\":[{\"y\":\"\\ud800\"},{\"z\":2}]}}").expect("an export");
        assert!(found[0].1[0].starts_with("not JSON"), "{found:?}");
        assert_eq!(found[0].1[1], "{\"z\":2}");
    }

    #[test]
    fn a_damaged_document_has_no_tables() {
        let deep = format!("{{\"data\":{{\"a\":[{}", "[".repeat(1_000));
        for text in
            ["", "x", "[]", "{", "{\"data\":{\"a\":[1,", "{\"data\":{\"a\":[\"x", "{\"data\":{\"a\":[1}}", "{}}", &deep]
        {
            let reason = rows(text).expect_err(text);
            assert!(reason.contains("nothing was imported"), "{text}: {reason}");
        }
        for text in ["{}", "{\"db\":[]}", "{\"db\":[1,{}]}", "{\"data\":1}", "{\"db\":[{\"data\":{\"a\":{}}}]}"] {
            assert_eq!(rows(text).expect(text), [], "{text}");
        }
    }
}
