//! Finds the positions of the rows of a JSON document's tables in its file. The rule: the content of a row is neither kept nor validated; only its
//! position is recorded, and whether the document around it is complete.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// The deepest nesting of brackets: deeper than any row of a table, and small enough for memory.
const DEPTH_MAX: usize = 256;
/// The longest name of a field of the document.
const NAME_BYTES_MAX: usize = 1_000;
/// The longest row: a post of 16 MiB in several renderings, every byte of it escaped.
const ROW_BYTES_MAX: u64 = 256 << 20;

/// The first byte of a row, and its length in bytes.
pub(super) type RowSpan = (u64, u64);

/// The positions of the rows of each table, in the order of the file.
pub(super) type Tables = HashMap<String, Vec<RowSpan>>;

#[derive(Debug, thiserror::Error)]
pub(super) enum BrokenJson {
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    /// The position and description of the error.
    #[error("byte {0}: {1}")]
    NotJson(u64, String),
}

/// Finds the tables of a document `{"data":{"table":[row, …], …}}`, alone or inside `{"db":[document]}`.
pub(super) fn find_of_data(path: &Path) -> Result<Tables, BrokenJson> {
    find(path, ByteScan::export)
}

/// Finds the tables of a document `{"table":[row, …], …}`.
pub(super) fn find_at_top(path: &Path) -> Result<Tables, BrokenJson> {
    find(path, |scan, tables| scan.object(|scan, name| scan.table(name, tables)))
}

fn find(
    path: &Path,
    read: impl FnOnce(&mut ByteScan, &mut Tables) -> Result<(), BrokenJson>,
) -> Result<Tables, BrokenJson> {
    let mut scan = ByteScan { input: BufReader::with_capacity(1 << 16, File::open(path)?), at: 0 };
    let mut tables = Tables::new();
    scan.byte_order_mark()?;
    read(&mut scan, &mut tables)?;
    match scan.peek_past_space()? {
        None => Ok(tables),
        Some(_) => Err(scan.broken("there is data after the end of the document")),
    }
}

/// Reads rows by their positions, fastest in the order of the file.
pub(super) struct RowReader {
    input: BufReader<File>,
    at: u64,
}

impl RowReader {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { input: BufReader::with_capacity(1 << 16, File::open(path)?), at: 0 })
    }

    /// The row at this position as JSON, or the reason why it is not valid JSON.
    pub(super) fn read(&mut self, (start, length): RowSpan) -> io::Result<Result<serde_json::Value, String>> {
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

struct ByteScan {
    input: BufReader<File>,
    at: u64,
}

impl ByteScan {
    fn export(&mut self, tables: &mut Tables) -> Result<(), BrokenJson> {
        self.object(|scan, name| match name {
            "db" => scan.array(|scan| match scan.peek_past_space()? {
                Some(b'{') => scan.object(|scan, name| scan.data(name, tables)),
                _ => scan.value(),
            }),
            name => scan.data(name, tables),
        })
    }

    fn data(&mut self, name: &str, tables: &mut Tables) -> Result<(), BrokenJson> {
        if name != "data" || self.peek_past_space()? != Some(b'{') {
            return self.value();
        }
        self.object(|scan, name| scan.table(name, tables))
    }

    /// Reads a value; a list is a table.
    fn table(&mut self, name: &str, tables: &mut Tables) -> Result<(), BrokenJson> {
        if self.peek_past_space()? != Some(b'[') {
            return self.value();
        }
        let places = tables.entry(name.to_owned()).or_default();
        self.array(|scan| {
            scan.peek_past_space()?;
            let start = scan.at;
            scan.value()?;
            places.push((start, scan.at - start));
            Ok(())
        })
    }

    /// Passes the name of each field to `field`, which reads the value.
    fn object(&mut self, mut field: impl FnMut(&mut Self, &str) -> Result<(), BrokenJson>) -> Result<(), BrokenJson> {
        self.expect(b'{')?;
        if self.peek_past_space()? == Some(b'}') {
            return self.expect(b'}');
        }
        loop {
            self.peek_past_space()?;
            let mut name = Vec::new();
            self.string(|byte| {
                if name.len() < NAME_BYTES_MAX {
                    name.push(byte);
                }
            })?;
            self.expect(b':')?;
            field(self, &String::from_utf8_lossy(&name))?;
            if self.ends(b'}')? {
                return Ok(());
            }
        }
    }

    fn array(&mut self, mut item: impl FnMut(&mut Self) -> Result<(), BrokenJson>) -> Result<(), BrokenJson> {
        self.expect(b'[')?;
        if self.peek_past_space()? == Some(b']') {
            return self.expect(b']');
        }
        loop {
            item(self)?;
            if self.ends(b']')? {
                return Ok(());
            }
        }
    }

    /// Whether the list ends here rather than continuing after a comma.
    fn ends(&mut self, end: u8) -> Result<bool, BrokenJson> {
        match self.peek_past_space()? {
            Some(b',') => self.expect(b',').map(|()| false),
            _ => self.expect(end).map(|()| true),
        }
    }

    /// Skips a value; only its brackets and strings are checked.
    fn value(&mut self) -> Result<(), BrokenJson> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.peek_past_space()? {
                None => return Err(self.broken("the file ends here, inside a value")),
                Some(b'"') => self.string(|_| {})?,
                Some(bracket @ (b'{' | b'[')) if open.len() < DEPTH_MAX => {
                    open.push(if bracket == b'{' { b'}' } else { b']' });
                    self.step();
                }
                Some(b'{' | b'[') => return Err(self.broken(&format!("more than {DEPTH_MAX} brackets are open"))),
                Some(bracket @ (b'}' | b']')) => match open.pop() {
                    Some(end) if end == bracket => self.step(),
                    _ => return Err(self.broken("a closing bracket has no opening one")),
                },
                Some(b',' | b':') if open.is_empty() => return Err(self.broken("a value is missing")),
                Some(_) => self.step(),
            }
            if open.is_empty() && self.is_after_value()? {
                return Ok(());
            }
        }
    }

    /// Whether a number or word has ended: the next byte cannot be part of one.
    fn is_after_value(&mut self) -> Result<bool, BrokenJson> {
        Ok(!matches!(self.peek()?, Some(b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z')))
    }

    /// Passes each byte of a string to `take`; escapes are not decoded.
    fn string(&mut self, mut take: impl FnMut(u8)) -> Result<(), BrokenJson> {
        self.expect(b'"')?;
        let mut is_escaped = false;
        loop {
            let Some(byte) = self.peek()? else {
                return Err(self.broken("the file ends here, inside a string"));
            };
            self.step();
            match byte {
                b'"' if !is_escaped => return Ok(()),
                b'\\' => is_escaped = !is_escaped,
                _ => is_escaped = false,
            }
            take(byte);
        }
    }

    fn expect(&mut self, expected: u8) -> Result<(), BrokenJson> {
        match self.peek_past_space()? {
            Some(found) if found == expected => {
                self.step();
                Ok(())
            }
            Some(_) => Err(self.broken(&format!("not JSON: {:?} is missing", char::from(expected)))),
            None => Err(self.broken(&format!("the file ends here, before {:?}", char::from(expected)))),
        }
    }

    fn peek_past_space(&mut self) -> Result<Option<u8>, BrokenJson> {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek()? {
            self.step();
        }
        self.peek()
    }

    fn peek(&mut self) -> Result<Option<u8>, BrokenJson> {
        Ok(self.input.fill_buf()?.first().copied())
    }

    /// Skips the byte that was peeked.
    fn step(&mut self) {
        self.input.consume(1);
        self.at += 1;
    }

    fn byte_order_mark(&mut self) -> Result<(), BrokenJson> {
        let mark = b"\xef\xbb\xbf";
        if self.input.fill_buf()?.starts_with(mark) {
            mark.iter().for_each(|_| self.step());
        }
        Ok(())
    }

    fn broken(&self, reason: &str) -> BrokenJson {
        BrokenJson::NotJson(self.at, reason.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Result<Vec<(String, Vec<String>)>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("export.json");
        std::fs::write(&path, text).expect("a file");
        let tables = find_of_data(&path).map_err(|broken| broken.to_string())?;
        let mut reader = RowReader::open(&path).expect("the file");
        let mut row = |place: &RowSpan| match reader.read(*place).expect("the file can be read") {
            Ok(value) => value.to_string(),
            Err(reason) => reason,
        };
        let mut found: Vec<_> =
            tables.iter().map(|(name, places)| (name.clone(), places.iter().map(&mut row).collect())).collect();
        found.sort();
        Ok(found)
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
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("export.json");
        std::fs::write(&path, "{ \"a\": [1, {\"data\":[2]}], \"b\": {\"c\": [3]}, \"d\": [] }").expect("a file");
        let tables = find_at_top(&path).expect("an export");
        let counts: std::collections::BTreeMap<_, _> =
            tables.iter().map(|(name, places)| (name.as_str(), places.len())).collect();
        assert_eq!(counts, [("a", 2), ("d", 0)].into());
    }

    #[test]
    fn a_row_that_is_not_json_does_not_affect_others() {
        let found = rows("{\"data\":{\"a\":[{\"x\" 1},{\"y\":\"\\ud800\"},{\"z\":2}]}}").expect("an export");
        assert!(found[0].1[0].starts_with("not JSON") && found[0].1[1].starts_with("not JSON"), "{found:?}");
        assert_eq!(found[0].1[2], "{\"z\":2}");
    }

    #[test]
    fn the_error_for_a_broken_document_names_the_byte() {
        let deep = format!("{{\"data\":{{\"a\":[{}", "[".repeat(DEPTH_MAX + 1));
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
