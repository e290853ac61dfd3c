//! Reads an export in JSON Lines. The rule: one line at a time is in memory; a line that cannot be read does not affect others.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::import::found::FoundContent;
use crate::import::{Failed, ImportedPost, TermKind};

use super::records::{Header, PostRecord, Record, VERSION};

/// The longest line: a post of 16 MiB, every byte of it escaped.
const LINE_BYTES_MAX: u64 = 96 << 20;

/// An export, with the position of each post's line in the file.
pub(in crate::import) struct JsonLines {
    path: PathBuf,
    places: Vec<(u64, u64)>,
}

impl JsonLines {
    /// Reads the whole file once.
    pub(in crate::import) fn scan(path: &Path) -> io::Result<(FoundContent, Self)> {
        let mut input = BufReader::new(File::open(path)?);
        let mut scan = LineScan::default();
        let mut start = 0;
        for number in 1.. {
            let mut line = Vec::new();
            let length = input.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line)? as u64;
            if length == 0 {
                break;
            }
            scan.line(&line, number, (start, length));
            start += length;
            if length == LINE_BYTES_MAX && line.last() != Some(&b'\n') {
                scan.found.fail(format!("line {number}"), format!("longer than {LINE_BYTES_MAX} bytes"));
                start += input.skip_until(b'\n')? as u64;
            }
        }
        Ok((scan.found, Self { path: path.to_owned(), places: scan.places }))
    }

    /// Reads one post again.
    pub(in crate::import) fn read(&self, index: usize, origin: &str) -> Result<ImportedPost, Failed> {
        let failed = |reason: String| Failed { origin: origin.to_owned(), reason };
        let line = self.line(self.places[index]).map_err(|error| failed(format!("cannot be read: {error}")))?;
        match Record::read(&line) {
            Ok(Record::Post(post)) => post.into_post(),
            _ => Err(failed("the file has changed since the import began".to_owned())),
        }
    }

    fn line(&self, (start, length): (u64, u64)) -> io::Result<Vec<u8>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(start))?;
        let mut line = Vec::new();
        file.take(length).read_to_end(&mut line)?;
        Ok(line)
    }
}

#[derive(Default)]
struct LineScan {
    found: FoundContent,
    places: Vec<(u64, u64)>,
    /// The ids of the posts so far, because two exports in one file have some posts twice.
    ids: HashSet<String>,
}

impl LineScan {
    fn line(&mut self, line: &[u8], number: usize, place: (u64, u64)) {
        let line = line.trim_ascii();
        if line.is_empty() || number == 1 && is_header(line) || place.1 == LINE_BYTES_MAX {
            return;
        }
        match Record::read(line) {
            Ok(Record::Category(term)) => self.found.describe(term.into_term(TermKind::Category)),
            Ok(Record::Tag(term)) => self.found.describe(term.into_term(TermKind::Tag)),
            Ok(Record::Author(term)) => self.found.describe(term.into_term(TermKind::Author)),
            Ok(Record::Post(post)) if !self.ids.insert(post.id.clone()) => {
                self.found.fail(
                    format!("line {number}"),
                    format!("the post {} occurs twice; the first one is imported", post.id),
                );
            }
            Ok(Record::Post(post)) => self.post(*post, place),
            Ok(Record::Page(page)) => self.found.take_page(page.into_page()),
            Err(error) => {
                self.found.fail(format!("line {number}"), format!("not a record of an export: {}", reason(&error)));
            }
        }
    }

    fn post(&mut self, post: PostRecord, place: (u64, u64)) {
        match post.into_post() {
            Ok(post) if self.found.take_post(&post) => self.places.push(place),
            Ok(_) => {}
            Err(failed) => self.found.failed.push(failed),
        }
    }
}

/// What is wrong with a record, without the place: its line is 1, whatever the line of the file is.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).filter(|_| error.is_data()).unwrap_or(&text).to_owned()
}

/// Whether this is the first line of an export of a supported version.
pub(in crate::import) fn is_header(line: &[u8]) -> bool {
    serde_json::from_slice(line).is_ok_and(|header: Header| header.tidings <= VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    const POST: &str = "{\"type\":\"post\",\"id\":\"ID\",\"slug\":\"ID\",\"title\":\"A\",\"markdown\":\"b\",\"status\":\"DRAFT\",\
                        \"createdAt\":\"2020-01-01T00:00:00Z\",\"updatedAt\":\"2020-01-01T00:00:00Z\",\"tags\":[\"x\"]}";

    #[test]
    fn bad_lines_do_not_affect_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("export.jsonl");
        let tag = "{\"type\":\"tag\",\"slug\":\"x\",\"name\":\"X\",\"description\":\"d\"}";
        let lines = ["{\"tidings\":1}", tag, &POST.replace("ID", "a"), "{", "", &POST.replace("ID", "b")];
        std::fs::write(&path, lines.join("\n")).expect("a file");
        let (found, source) = JsonLines::scan(&path).expect("an export");
        let origins: Vec<_> = found.entries.iter().map(|entry| entry.origin.as_str()).collect();
        assert_eq!(origins, ["tidings:a", "tidings:b"]);
        assert_eq!(found.failed.iter().map(|failed| failed.origin.as_str()).collect::<Vec<_>>(), ["line 4"]);
        assert_eq!(found.terms.of(TermKind::Tag)[0].name, "X");
        assert_eq!(source.read(1, "tidings:b").expect("a post").id.as_deref(), Some("b"));
    }
}
