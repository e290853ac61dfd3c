//! Reads an export in JSON Lines. The rule: one line is in memory at a time; a line that cannot be read does not affect others.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use compact_str::CompactString;

use crate::found::FoundContent;
use crate::{Failed, ImportedPost, TermKind, export_files};

use super::records::{CONTENT_FILE, Header, Record, VERSION};
use super::terms::TermRecord;

/// The longest line: a post of 16 MiB, every byte of it escaped.
const LINE_BYTES_MAX: u64 = 96 << 20;

/// How many bytes are searched for the header; no header is longer.
const OPENING_BYTES: u64 = 1_024;

/// An export, with the position of each post's line in the file.
pub(crate) struct JsonLines {
    path: PathBuf,
    places: Vec<(u64, u64)>,
}

impl JsonLines {
    /// Whether the folder contains an export with its pictures.
    pub(crate) fn is_at(folder: &Path) -> bool {
        let opening = export_files::beginning(&folder.join(CONTENT_FILE), OPENING_BYTES).unwrap_or_default();
        opening.split(|byte| *byte == b'\n').next().is_some_and(|line| is_header(line.trim_ascii()))
    }

    /// Reads the whole file once. `path`: the file, or the folder that also contains the pictures.
    pub(crate) fn scan(path: &Path) -> io::Result<(FoundContent, Self)> {
        let path = &if path.is_dir() { path.join(CONTENT_FILE) } else { path.to_owned() };
        let mut input = BufReader::new(File::open(path)?);
        let (mut scan, mut start, mut line) = (LineScan::default(), 0, Vec::new());
        for number in 1.. {
            line.clear();
            let mut length = input.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line)? as u64;
            if length == 0 {
                break;
            }
            if length == LINE_BYTES_MAX && line.last() != Some(&b'\n') {
                scan.found.fail(format!("line {number}"), format!("longer than {LINE_BYTES_MAX} bytes"));
                length += input.skip_until(b'\n')? as u64;
            } else {
                scan.take(number, line.trim_ascii(), (start, length));
            }
            start += length;
        }
        Ok((scan.found, Self { path: path.to_owned(), places: scan.places }))
    }

    pub(crate) fn folder(&self) -> &Path {
        self.path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    pub(crate) fn read(&self, index: usize, origin: &str) -> Result<ImportedPost, Failed> {
        let failed = |reason: String| Failed { origin: origin.to_owned(), reason };
        let line = self.line(self.places[index]).map_err(|error| failed(format!("cannot be read: {error}")))?;
        match Record::read(&line) {
            Ok(Record::Post(post)) => post.into_post(),
            _ => Err(Failed::changed(origin)),
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
    /// The ids of the posts so far, because two exports in one file share some posts.
    ids: HashSet<CompactString>,
}

impl LineScan {
    /// `place`: the first byte of the line and its length.
    fn take(&mut self, number: usize, line: &[u8], place: (u64, u64)) {
        if line.is_empty() || number == 1 && is_header(line) {
            return;
        }
        match Record::read(line) {
            Ok(Record::Category(term)) => self.take_term(number, TermKind::Category, term),
            Ok(Record::Tag(term)) => self.take_term(number, TermKind::Tag, term),
            Ok(Record::Author(term)) => self.take_term(number, TermKind::Author, term),
            Ok(Record::Series(term)) => self.take_term(number, TermKind::Series, term),
            Ok(Record::Post(post)) if !self.ids.insert(post.id.as_str().into()) => {
                let reason = format!("the post {} occurs twice; the first one is imported", post.id);
                self.found.fail(format!("line {number}"), reason);
            }
            Ok(Record::Post(post)) => match post.into_post() {
                Ok(post) => {
                    if self.found.take_entry(&post, post.to_entry()) {
                        self.places.push(place);
                    }
                }
                Err(failed) => self.found.failed.push(failed),
            },
            Ok(Record::Page(page)) => self.found.take_page(page.into_page()),
            Ok(Record::Asset(asset)) => self.found.assets.push(*asset),
            Err(error) => {
                let reason = format!("not a record of an export: {}", reason(&error));
                self.found.fail(format!("line {number}"), reason);
            }
        }
    }

    fn take_term(&mut self, number: usize, kind: TermKind, term: TermRecord) {
        let keys = term.keys_of_others(kind);
        if !keys.is_empty() {
            let (keys, slug, kind) = (keys.join(", "), &term.slug, kind.noun());
            self.found.note(format!("line {number}"), format!("the {kind} {slug} is imported without {keys}"));
        }
        self.found.describe(term.into_term(kind));
    }
}

/// The error of a record, without the place: the parser always names line 1.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).filter(|_| error.is_data()).unwrap_or(&text).to_owned()
}

/// Whether this is the first line of an export of a supported version.
pub(crate) fn is_header(line: &[u8]) -> bool {
    serde_json::from_slice(line).is_ok_and(|header: Header| header.tidings <= VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    const POST: &str = "{\"type\":\"post\",\"id\":\"ID\",\"slug\":\"ID\",\"title\":\"A\",\"markdown\":\"b\",\"status\":\"DRAFT\",\
                        \"createdAt\":\"2020-01-01T00:00:00Z\",\"updatedAt\":\"2020-01-01T00:00:00Z\",\"tags\":[\"x\"]}";

    #[test]
    fn a_field_of_another_kind_of_terms_is_not_imported_and_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("export.jsonl");
        let lines = [
            "{\"tidings\":1}",
            "{\"type\":\"tag\",\"slug\":\"x\",\"name\":\"X\",\"url\":\"https://x.example/\",\"jobTitle\":\"j\"}",
            "{\"type\":\"author\",\"slug\":\"y\",\"name\":\"Y\",\"url\":\"https://y.example/\",\"jobTitle\":\"j\"}",
        ];
        std::fs::write(&path, lines.join("\n")).expect("a file");
        let (found, _) = JsonLines::scan(&path).expect("an export");
        let notes: Vec<_> = found.notes.iter().map(|note| (note.origin.as_str(), note.text.as_str())).collect();
        assert_eq!(notes, [("line 2", "the tag x is imported without url, jobTitle")]);
        let tag = &found.terms.of(TermKind::Tag)[0];
        assert_eq!((&tag.url, &tag.profile.job_title), (&None, &None));
        assert!(found.terms.of(TermKind::Author)[0].profile.job_title.is_some());
    }

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
