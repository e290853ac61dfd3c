//! Reads an export in JSON Lines. The rule: a few lines are in memory at a time; a line that cannot be read does not affect others.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use compact_str::CompactString;

use crate::found::FoundContent;
use crate::{Entry, Failed, ImportedPost, TermKind, parallel};

use super::records::{AssetRecord, CONTENT_FILE, Header, PageRecord, Record, VERSION};
use super::terms::TermRecord;

/// The longest line: a post of 16 MiB, every byte of it escaped.
const LINE_BYTES_MAX: u64 = 96 << 20;

/// The bytes of the lines that are read together, on all cores.
const BYTES_AT_ONCE: u64 = 4 << 20;

/// More than any header has.
const OPENING_BYTES: u64 = 1_024;

/// An export, with the position of each post's line in the file.
pub(crate) struct JsonLines {
    path: PathBuf,
    places: Vec<(u64, u64)>,
}

impl JsonLines {
    /// Whether the folder contains an export with its pictures.
    pub(crate) fn is_at(folder: &Path) -> bool {
        let mut opening = Vec::new();
        let file = File::open(folder.join(CONTENT_FILE));
        let read = file.and_then(|file| BufReader::new(file.take(OPENING_BYTES)).read_until(b'\n', &mut opening));
        read.is_ok() && is_header(opening.trim_ascii())
    }

    /// Reads the whole file once. `path`: the file, or the folder that also contains the pictures.
    pub(crate) fn scan(path: &Path) -> io::Result<(FoundContent, Self)> {
        let path = &if path.is_dir() { path.join(CONTENT_FILE) } else { path.to_owned() };
        let mut input = BufReader::new(File::open(path)?);
        let mut scan = LineScan::default();
        let (mut start, mut lines, mut bytes) = (0, Vec::new(), 0);
        for number in 1.. {
            let mut text = Vec::new();
            let length = input.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut text)? as u64;
            let is_too_long = length == LINE_BYTES_MAX && text.last() != Some(&b'\n');
            lines.push((number, (start, length), text));
            bytes += length;
            start += length;
            if is_too_long || length == 0 || bytes > BYTES_AT_ONCE {
                let found = parallel::map(std::mem::take(&mut lines), |(number, place, text): Line| {
                    (number, place, LineFound::read(text.trim_ascii(), number, place))
                });
                found.into_iter().for_each(|(number, place, found)| scan.take(number, place, found));
                bytes = 0;
            }
            if length == 0 {
                break;
            }
            if is_too_long {
                scan.found.fail(format!("line {number}"), format!("longer than {LINE_BYTES_MAX} bytes"));
                start += input.skip_until(b'\n')? as u64;
            }
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

/// The number of a line, its first byte and its length, and its text.
type Line = (usize, (u64, u64), Vec<u8>);

enum LineFound {
    Nothing,
    Term(TermKind, Box<TermRecord>),
    /// A post without its body, and the id of its record.
    Post(Box<Result<(ImportedPost, Entry), Failed>>, String),
    Page(Box<PageRecord>),
    Asset(Box<AssetRecord>),
    NoRecord(String),
}

impl LineFound {
    fn read(line: &[u8], number: usize, place: (u64, u64)) -> Self {
        if line.is_empty() || number == 1 && is_header(line) || place.1 == LINE_BYTES_MAX {
            return Self::Nothing;
        }
        match Record::read(line) {
            Ok(Record::Category(term)) => Self::Term(TermKind::Category, Box::new(term)),
            Ok(Record::Tag(term)) => Self::Term(TermKind::Tag, Box::new(term)),
            Ok(Record::Author(term)) => Self::Term(TermKind::Author, Box::new(term)),
            Ok(Record::Series(term)) => Self::Term(TermKind::Series, Box::new(term)),
            Ok(Record::Post(post)) => {
                let id = post.id.clone();
                let with_entry = |mut post: ImportedPost| {
                    let entry = post.to_entry();
                    post.markdown = String::new();
                    (post, entry)
                };
                Self::Post(Box::new(post.into_post().map(with_entry)), id)
            }
            Ok(Record::Page(page)) => Self::Page(page),
            Ok(Record::Asset(asset)) => Self::Asset(asset),
            Err(error) => Self::NoRecord(format!("not a record of an export: {}", reason(&error))),
        }
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
    fn take(&mut self, number: usize, place: (u64, u64), found: LineFound) {
        match found {
            LineFound::Nothing => {}
            LineFound::Term(kind, term) => {
                let keys = term.keys_of_others(kind);
                if !keys.is_empty() {
                    let (keys, slug, kind) = (keys.join(", "), &term.slug, kind.noun());
                    self.found.note(format!("line {number}"), format!("the {kind} {slug} is imported without {keys}"));
                }
                self.found.describe(term.into_term(kind));
            }
            LineFound::Post(_, id) if !self.ids.insert(CompactString::from(&id)) => {
                self.found
                    .fail(format!("line {number}"), format!("the post {id} occurs twice; the first one is imported"));
            }
            LineFound::Post(read, _) => match *read {
                Ok((post, entry)) => {
                    if self.found.take_entry(&post, entry) {
                        self.places.push(place);
                    }
                }
                Err(failed) => self.found.failed.push(failed),
            },
            LineFound::Page(page) => self.found.take_page(page.into_page()),
            LineFound::Asset(asset) => self.found.assets.push(*asset),
            LineFound::NoRecord(reason) => self.found.fail(format!("line {number}"), reason),
        }
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
        let origins: Vec<_> = found.entries.iter().map(|entry| entry.origin()).collect();
        assert_eq!(origins, ["tidings:a", "tidings:b"]);
        assert_eq!(found.failed.iter().map(|failed| failed.origin.as_str()).collect::<Vec<_>>(), ["line 4"]);
        assert_eq!(found.terms.of(TermKind::Tag)[0].name, "X");
        assert_eq!(source.read(1, "tidings:b").expect("a post").id.as_deref(), Some("b"));
    }
}
