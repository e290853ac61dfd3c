//! Deletes files that a process was writing when it was killed. The rule: only old files are deleted, so none that a process is still writing.
//!
//! `object_store` writes a file in the same folder, under the same name with `#` and digits, and then renames it; it never lists such files.

use std::io::{ErrorKind, Result};
use std::path::Path;
use std::time::SystemTime;

/// Searches this folder and its subfolders. Returns the number of deleted files.
pub(super) fn delete_incomplete(folder: &Path, written_before: SystemTime) -> Result<usize> {
    let mut deleted = 0;
    for entry in std::fs::read_dir(folder)? {
        deleted += match look_at(&entry?, written_before) {
            // Another process has deleted it.
            Err(error) if error.kind() == ErrorKind::NotFound => 0,
            done => done?,
        };
    }
    Ok(deleted)
}

fn look_at(entry: &std::fs::DirEntry, written_before: SystemTime) -> Result<usize> {
    if entry.file_type()?.is_dir() {
        return delete_incomplete(&entry.path(), written_before);
    }
    let is_old = entry.metadata()?.modified()? < written_before;
    if !is_old || !is_incomplete(&entry.file_name().to_string_lossy()) {
        return Ok(0);
    }
    std::fs::remove_file(entry.path()).map(|()| 1)
}

fn is_incomplete(name: &str) -> bool {
    let digits = name.split_once('#').map_or("", |(_, digits)| digits);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
