//! Folders of files for tests, the report of an import, and the text of an export.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;
use tidings::content::{Content, Result};
use tidings::export::export;
use tidings::import::open;
use tidings::ingest::{self, ImportOptions, ImportReport};

use super::site::Site;

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
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, text).expect("a file");
}

/// The contents of the files below a folder, by relative path.
pub fn contents_of(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut folders = vec![root.to_owned()];
    let mut files = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).expect("it is below").to_owned();
                files.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    files
}

pub async fn import(content: &Content, path: &Path) -> Result<ImportReport> {
    let source = Arc::new(open(path, None).expect("a source"));
    ingest::import(content, source, ImportOptions::default(), |_, _| {}).await
}

/// Made, changed, unchanged, failed.
pub fn counts(report: &ImportReport) -> (usize, usize, usize, usize) {
    (report.made, report.changed, report.unchanged, report.failed.len())
}

/// All content as JSON Lines.
pub async fn exported(site: &Site) -> String {
    let mut out = Vec::new();
    export(&site.content, &mut out).await.expect("an export");
    String::from_utf8(out).expect("UTF-8")
}
