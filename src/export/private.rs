//! The files of exports. The rule: only the owner can read a new one, because it has drafts; a file that exists keeps its mode.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

pub(super) const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Creates the file, or makes it empty.
///
/// # Errors
/// If it cannot be written.
pub fn create(path: &Path) -> io::Result<std::fs::File> {
    file().create(true).truncate(true).open(path)
}

pub(super) fn file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(FILE_MODE);
    options
}
