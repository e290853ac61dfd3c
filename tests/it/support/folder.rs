//! Folders of Markdown files for tests, and the report of an import.

use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;
use tidings::content::{Content, Result};
use tidings::import::open;
use tidings::import::run::{self, ImportOptions, ImportReport};

/// A folder with these files.
pub fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        write(folder.path(), name, text);
    }
    folder
}

pub fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    std::fs::write(path, text).expect("a file");
}

pub async fn import(content: &Content, path: &Path) -> Result<ImportReport> {
    let source = Arc::new(open(path, None).expect("a source"));
    run::import(content, source, ImportOptions::default(), |_, _| {}).await
}

/// Made, changed, unchanged, failed.
pub fn counts(report: &ImportReport) -> (usize, usize, usize, usize) {
    (report.made, report.changed, report.unchanged, report.failed.len())
}
