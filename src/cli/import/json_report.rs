//! The report of an import as JSON, for programs. The rule: it names every item, also those that the printed report counts in one line.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

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
fn document(report: &ImportReport, dry_run: bool) -> Value {
    let item = |origin: &str, text: &str| json!({ "origin": origin, "text": text });
    json!({
        "dryRun": dry_run,
        "created": report.made,
        "changed": report.changed,
        "unchanged": report.unchanged,
        "kept": report.kept,
        "termsCreated": report.terms_made,
        "redirects": report.redirects,
        "pages": {
            "created": report.pages.made,
            "changed": report.pages.changed,
            "unchanged": report.pages.unchanged,
        },
        "assets": { "created": report.pictures.made, "unchanged": report.pictures.unchanged },
        "failed": list(&report.failed, |failed| item(&failed.origin, &failed.reason)),
        "skipped": list(&report.skipped, |skipped| item(&skipped.origin, &skipped.reason)),
        "notes": list(&report.notes, |note| item(&note.origin, &note.text)),
        "brokenLinks": list(&report.broken_links, broken_link),
        // More than the list has if there are very many.
        "brokenLinksTotal": report.broken_links_total,
        // The keys that are kept in `Post.metadata`.
        "metadata": list(&report.metadata, |kept| json!({ "key": kept.key, "posts": kept.posts, "first": kept.first })),
        // The files with one ending, which were not imported.
        "ignored": list(&report.ignored, |of| json!({ "ending": of.ending, "files": of.files, "first": of.first })),
    })
}

fn list<T>(items: &[T], item: impl Fn(&T) -> Value) -> Vec<Value> {
    items.iter().map(item).collect()
}

/// A link of a published post, with its slug, or of a page, with its path, that points nowhere.
fn broken_link(broken: &BrokenLink) -> Value {
    let (node_type, name) = match &broken.from {
        LinkSource::Post(slug) => ("Post", slug),
        LinkSource::Page(path) => ("Page", path),
    };
    json!({ "nodeType": node_type, "name": name, "link": broken.link, "reason": broken.reason })
}
