//! The folder of an export. The rule: no existing file is changed, nothing is written outside the folder, an incomplete folder contains a marker file that the
//! import refuses, and only the owner can read new files, because an export has drafts.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

use futures_util::StreamExt;

use crate::assets::AssetLibrary;
use crate::import::INCOMPLETE_EXPORT;
use crate::import::jsonl::ASSETS_FOLDER;
use crate::model::AssetName;

use super::ExportError;

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;
const INCOMPLETE_TEXT: &str = "This export of Tidings is not complete: it is still being written, or it was stopped. Delete the files of this folder and export again.\n";

pub(super) struct Folder {
    root: PathBuf,
    /// The existing folder of the last written file.
    last: PathBuf,
}

impl Folder {
    /// # Errors
    /// If the folder contains files that are not hidden, or cannot be created.
    pub(super) fn create(root: &Path) -> Result<Self, ExportError> {
        let failed = |source| not_written(root, source);
        match fs::read_dir(root) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(root).map_err(failed)?;
            }
            Err(error) => return Err(failed(error)),
            Ok(children) => {
                for child in children {
                    // Hidden files are allowed, so that an export can go into a working copy of Git.
                    if !child.map_err(failed)?.file_name().to_string_lossy().starts_with('.') {
                        return Err(ExportError::NotEmpty { folder: root.to_owned() });
                    }
                }
            }
        }
        let mut folder = Self { root: root.to_owned(), last: root.to_owned() };
        folder.write(INCOMPLETE_EXPORT, INCOMPLETE_TEXT.as_bytes())?;
        Ok(folder)
    }

    /// Writes a new file at this path below the folder.
    pub(super) fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), ExportError> {
        let mut file = self.file(path)?;
        file.write_all(bytes).map_err(|source| not_written(&self.root.join(path), source))
    }

    /// Creates a file at this path below the folder.
    pub(super) fn file(&mut self, path: &str) -> Result<File, ExportError> {
        let whole = self.root.join(path);
        let failed = |source| not_written(&whole, source);
        if !Path::new(path).components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(failed(ErrorKind::InvalidFilename.into()));
        }
        if let Some(folder) = whole.parent().filter(|folder| *folder != self.last) {
            fs::create_dir_all(folder).map_err(failed)?;
            self.last = folder.to_owned();
        }
        private().create_new(true).open(&whole).map_err(failed)
    }

    /// Writes the bytes of a picture. Returns false if the library does not have it.
    pub(super) async fn add_picture(&mut self, library: &AssetLibrary, name: &AssetName) -> Result<bool, ExportError> {
        let Some(found) = library.find(name, None).await? else { return Ok(false) };
        let mut file = self.file(&format!("{ASSETS_FOLDER}/{name}"))?;
        let mut pieces = library.read(&found, 0..found.byte_size).await?;
        while let Some(piece) = pieces.next().await {
            file.write_all(&piece?)?;
        }
        Ok(true)
    }

    /// Marks the folder as complete, if everything was written.
    pub(super) fn finish<T>(&self, written: Result<T, ExportError>) -> Result<T, ExportError> {
        let path = self.root.join(INCOMPLETE_EXPORT);
        let marked = written.and_then(|report| {
            fs::remove_file(&path).map_err(|source| not_written(&path, source))?;
            Ok(report)
        });
        marked.map_err(|error| ExportError::Incomplete { folder: self.root.clone(), source: Box::new(error) })
    }
}

/// Creates or truncates the file. An existing file keeps its mode.
///
/// # Errors
/// If it cannot be written.
pub fn create_private(path: &Path) -> io::Result<File> {
    private().create(true).truncate(true).open(path)
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(FILE_MODE);
    options
}

fn not_written(path: &Path, source: io::Error) -> ExportError {
    ExportError::File { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leaves_the_folder_and_no_file_is_changed() {
        let outside = tempfile::tempdir().expect("a folder");
        let mut folder = Folder::create(&outside.path().join("inside")).expect("a folder");
        for path in ["../a.md", "/a.md", "a/../../a.md", ""] {
            assert!(folder.write(path, b"a").is_err(), "{path}");
        }
        folder.write("a/b.md", b"a").expect("a file");
        assert!(folder.write("a/b.md", b"b").is_err());
        assert_eq!(fs::read(outside.path().join("inside/a/b.md")).expect("a file"), b"a");
        assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 1);
    }
}
