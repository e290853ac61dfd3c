//! The report of an import as JSON, for programs. The rule: it names every item, also those that the printed report counts in one line.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::cli::CommandError;
use crate::ingest::ImportReport;

/// The file that gets the report.
pub(super) struct JsonReport {
    path: PathBuf,
    file: File,
}

impl JsonReport {
    /// Creates the file, or makes it empty, before the import begins: an unwritable path must be reported before a long import, not after it.
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
        let written = serde_json::to_writer_pretty(&mut file, &Document { dry_run, report }).map_err(Into::into);
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
struct Document<'r> {
    #[serde(rename = "dryRun")]
    dry_run: bool,
    #[serde(flatten)]
    report: &'r ImportReport,
}
