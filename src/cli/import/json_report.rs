//! The report of an import as JSON, for programs. The rule: it names every item, also those that the printed report counts in one line.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

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
        let written = serde_json::to_writer_pretty(&mut file, &Document::of(report, dry_run)).map_err(Into::into);
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    dry_run: bool,
    /// Numbers of posts.
    created: usize,
    changed: usize,
    unchanged: usize,
    kept: usize,
    /// The number of new categories, tags, authors and series.
    terms_created: usize,
    redirects: usize,
    pages: Pages,
    pictures: Pictures,
    failed: Vec<Item<'a>>,
    skipped: Vec<Item<'a>>,
    notes: Vec<Item<'a>>,
    broken_links: Vec<Link<'a>>,
    /// More than the list has if there are very many.
    broken_links_total: u64,
    metadata: Vec<Key<'a>>,
    ignored: Vec<Files<'a>>,
}

/// Numbers of pages of the site.
#[derive(Serialize)]
struct Pages {
    created: usize,
    changed: usize,
    unchanged: usize,
}

/// Numbers of files of pictures.
#[derive(Serialize)]
struct Pictures {
    created: usize,
    unchanged: usize,
}

/// An item of the source, such as a file by its path, and what there is to say about it.
#[derive(Serialize)]
struct Item<'a> {
    origin: &'a str,
    text: &'a str,
}

/// A link of a published post or page that points nowhere.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Link<'a> {
    node_type: &'static str,
    /// The slug of the post, or the path of the page.
    name: &'a str,
    link: &'a str,
    reason: &'a str,
}

impl<'a> Link<'a> {
    fn of(broken: &'a BrokenLink) -> Self {
        let (node_type, name) = match &broken.from {
            LinkSource::Post(slug) => ("Post", slug),
            LinkSource::Page(path) => ("Page", path),
        };
        Self { node_type, name, link: &broken.link, reason: &broken.reason }
    }
}

/// A key that is kept in `Post.metadata`.
#[derive(Serialize)]
struct Key<'a> {
    key: &'a str,
    posts: usize,
    first: &'a str,
}

/// The files with one ending, which were not imported.
#[derive(Serialize)]
struct Files<'a> {
    ending: &'a str,
    files: usize,
    first: &'a str,
}

impl<'a> Document<'a> {
    fn of(report: &'a ImportReport, dry_run: bool) -> Self {
        let item = |origin: &'a str, text: &'a str| Item { origin, text };
        Self {
            dry_run,
            created: report.made,
            changed: report.changed,
            unchanged: report.unchanged,
            kept: report.kept,
            terms_created: report.terms_made,
            redirects: report.redirects,
            pages: Pages {
                created: report.pages.made,
                changed: report.pages.changed,
                unchanged: report.pages.unchanged,
            },
            pictures: Pictures { created: report.pictures.made, unchanged: report.pictures.unchanged },
            failed: report.failed.iter().map(|failed| item(&failed.origin, &failed.reason)).collect(),
            skipped: report.skipped.iter().map(|skipped| item(&skipped.origin, &skipped.reason)).collect(),
            notes: report.notes.iter().map(|note| item(&note.origin, &note.text)).collect(),
            broken_links: report.broken_links.iter().map(Link::of).collect(),
            broken_links_total: report.broken_links_total,
            metadata: report.metadata.iter().map(|k| Key { key: &k.key, posts: k.posts, first: &k.first }).collect(),
            ignored: report
                .ignored
                .iter()
                .map(|i| Files { ending: &i.ending, files: i.files, first: &i.first })
                .collect(),
        }
    }
}
