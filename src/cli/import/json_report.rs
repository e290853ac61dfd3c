//! The report of an import as JSON, for programs. The rule: it names every item, also those that the printed report counts in one line.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::CommandError;
use crate::ingest::ImportReport;
use crate::model::{BrokenLink, LinkSource};

/// The file that gets the report.
pub(super) struct JsonReport {
    path: PathBuf,
    file: File,
}

impl JsonReport {
    /// Creates the file, or makes it empty, before the import begins: a path that cannot be written must not be found out after a long import.
    ///
    /// # Errors
    /// If the file cannot be created, or is a file of the source.
    pub(super) fn create(path: &Path, source: &Path) -> Result<Self, CommandError> {
        if path.as_os_str() == "-" {
            return Err("--report writes a file, because the standard output has the counts; name a file".into());
        }
        if is_within(path, source) {
            return Err(format!("{} is a file of the source; name another file with --report", path.display()).into());
        }
        let file = File::create(path).map_err(|e| not_written(path, &e))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// # Errors
    /// If the file cannot be written, such as on a full disk.
    pub(super) fn write(self, report: &ImportReport, dry_run: bool) -> Result<(), CommandError> {
        let mut file = BufWriter::new(self.file);
        let written = serde_json::to_writer_pretty(&mut file, &document(report, dry_run)).map_err(Into::into);
        let written = written.and_then(|()| file.write_all(b"\n")).and_then(|()| file.flush());
        written.map_err(|e| not_written(&self.path, &e))
    }
}

/// Whether the file exists and is the source or below it.
fn is_within(file: &Path, source: &Path) -> bool {
    matches!((file.canonicalize(), source.canonicalize()), (Ok(file), Ok(source)) if file.starts_with(&source))
}

fn not_written(path: &Path, error: &std::io::Error) -> CommandError {
    format!("{} cannot be written: {error}; name another file with --report", path.display()).into()
}

/// The numbers of posts, pages and assets, and every item, such as a file by its path, with what there is to say about it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'r> {
    dry_run: bool,
    created: usize,
    changed: usize,
    unchanged: usize,
    kept: usize,
    terms_created: usize,
    redirects: usize,
    pages: Pages,
    assets: Value,
    failed: Vec<Item<'r>>,
    skipped: Vec<Item<'r>>,
    notes: Vec<Item<'r>>,
    broken_links: Vec<Link<'r>>,
    /// More than the list has if there are very many.
    broken_links_total: u64,
    /// The keys that are kept in `Post.metadata`.
    metadata: Vec<Kept<'r>>,
    /// The files with one ending, which were not imported.
    ignored: Vec<Value>,
}

#[derive(Serialize)]
struct Pages {
    created: usize,
    changed: usize,
    unchanged: usize,
}

#[derive(Serialize)]
struct Item<'r> {
    origin: &'r str,
    text: &'r str,
}

/// A link of a published post, with its slug, or of a page, with its path, that points nowhere.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Link<'r> {
    node_type: &'r str,
    name: &'r str,
    link: &'r str,
    reason: &'r str,
}

#[derive(Serialize)]
struct Kept<'r> {
    key: &'r str,
    posts: usize,
    first: &'r str,
}

fn document(report: &ImportReport, dry_run: bool) -> Document<'_> {
    let ImportReport { made, changed, unchanged, kept, terms_made, redirects, pages, pictures, .. } = *report;
    Document {
        dry_run,
        created: made,
        changed,
        unchanged,
        kept,
        terms_created: terms_made,
        redirects,
        pages: Pages { created: pages.made, changed: pages.changed, unchanged: pages.unchanged },
        assets: json!({ "created": pictures.made, "unchanged": pictures.unchanged }),
        failed: list(&report.failed, |failed| Item { origin: &failed.origin, text: &failed.reason }),
        skipped: list(&report.skipped, |skipped| Item { origin: &skipped.origin, text: &skipped.reason }),
        notes: list(&report.notes, |note| Item { origin: &note.origin, text: &note.text }),
        broken_links: list(&report.broken_links, broken_link),
        broken_links_total: report.broken_links_total,
        metadata: list(&report.metadata, |kept| Kept { key: &kept.key, posts: kept.posts, first: &kept.first }),
        ignored: list(&report.ignored, |of| json!({ "ending": of.ending, "files": of.files, "first": of.first })),
    }
}

fn list<'r, T, R>(items: &'r [T], item: impl Fn(&'r T) -> R) -> Vec<R> {
    items.iter().map(item).collect()
}

fn broken_link(broken: &BrokenLink) -> Link<'_> {
    let (node_type, name) = match &broken.from {
        LinkSource::Post(slug) => ("Post", slug),
        LinkSource::Page(path) => ("Page", path),
    };
    Link { node_type, name, link: &broken.link, reason: &broken.reason }
}
