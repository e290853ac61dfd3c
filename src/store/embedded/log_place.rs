//! The location of a store's log. The rule: the log exists on the disk before the store file refers to it, and is removed only after the file no longer does.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use redb::StorageBackend;
use redb::backends::FileBackend;

use super::errors::is_full;
use super::log::{LOG_BYTES_MAX, created_length};
use super::overlay::OverlaidFile;
use crate::store::Result;
use crate::store::error::StoreError;

const FILE_NAME: &str = "tidings.log";

pub(super) enum LogPlace {
    /// Each group is committed to the store file.
    Nowhere,
    /// Next to the store file in this folder.
    Folder(PathBuf),
    /// Next to the store file in this folder, and never written.
    ReadOnly(PathBuf),
    /// On a caller's own backend, with this maximum size.
    Backend(Arc<dyn StorageBackend>, u64),
}

pub(super) fn file_of(folder: &Path) -> PathBuf {
    folder.join(FILE_NAME)
}

impl LogPlace {
    pub(super) fn bytes_max(&self) -> u64 {
        match self {
            Self::Nowhere => 0,
            Self::Folder(_) | Self::ReadOnly(_) => LOG_BYTES_MAX,
            Self::Backend(_, bytes_max) => *bytes_max,
        }
    }

    /// Whether the file is committed after a while without writes. A caller's own backend counts writes and syncs, which must not depend on the time.
    pub(super) fn is_committed_when_quiet(&self) -> bool {
        matches!(self, Self::Folder(_))
    }

    /// The existing log; `None` if there is none.
    pub(super) fn open(&self) -> Result<Option<Arc<dyn StorageBackend>>> {
        match self {
            Self::Nowhere => Ok(None),
            Self::Backend(backend, _) => Ok(Some(Arc::clone(backend))),
            Self::Folder(folder) => {
                let path = file_of(folder);
                found(&path, OpenOptions::new().read(true).write(true).open(&path))?.map(backend).transpose()
            }
            Self::ReadOnly(folder) => {
                let path = file_of(folder);
                Ok(found(&path, OverlaidFile::open(&path))?.map(|file| Arc::new(file) as Arc<dyn StorageBackend>))
            }
        }
    }

    /// # Errors
    /// `Corrupt` if the log is shorter than at its creation, so that it was truncated. The size of a caller's own backend can change between two openings.
    pub(super) fn require_whole(&self, file: &dyn StorageBackend) -> Result<()> {
        let least = match self {
            Self::Folder(_) | Self::ReadOnly(_) => created_length(self.bytes_max()),
            Self::Nowhere | Self::Backend(..) => 0,
        };
        let length = file.len().map_err(|e| StoreError::unavailable("the log cannot be read", e))?;
        if length >= least {
            return Ok(());
        }
        let what = format!(
            "the log is not complete: it was cut to {length} bytes; restore tidings.redb and tidings.log from a copy"
        );
        Err(StoreError::corrupt(what))
    }

    /// Creates an empty log, or replaces an existing one; `None` if the store has no log.
    pub(super) fn create(&self) -> Result<Option<Arc<dyn StorageBackend>>> {
        match self {
            Self::Nowhere | Self::ReadOnly(_) => Ok(None),
            Self::Backend(backend, _) => {
                let emptied = backend.set_len(0).and_then(|()| backend.sync_data());
                emptied.map(|()| Some(Arc::clone(backend))).map_err(not_created)
            }
            Self::Folder(folder) => backend(create_file(folder).map_err(not_created)?).map(Some),
        }
    }

    /// A leftover log is ignored, so a failure does not matter.
    pub(super) fn remove(&self) {
        let removed = match self {
            Self::Nowhere | Self::ReadOnly(_) => Ok(()),
            Self::Backend(backend, _) => backend.set_len(0),
            Self::Folder(folder) => std::fs::remove_file(file_of(folder)),
        };
        if let Err(error) = removed {
            tracing::debug!(error = &error as &dyn std::error::Error, "store.log_not_removed");
        }
    }
}

/// `None` if the file does not exist.
fn found<T>(path: &Path, opened: std::io::Result<T>) -> Result<Option<T>> {
    match opened {
        Ok(file) => Ok(Some(file)),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(StoreError::unavailable(format!("{} cannot be opened", path.display()), e)),
    }
}

/// Options to open a file for reading and writing. A new file is accessible only to its owner.
pub(super) fn for_owner() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.read(true).write(true);
    options
}

fn create_file(folder: &Path) -> std::io::Result<File> {
    let file = for_owner().create(true).truncate(true).open(file_of(folder))?;
    file.sync_all()?;
    File::open(folder)?.sync_all()?;
    Ok(file)
}

fn backend(file: File) -> Result<Arc<dyn StorageBackend>> {
    let backend = FileBackend::new(file).map_err(|e| StoreError::unavailable("the log cannot be opened", e))?;
    Ok(Arc::new(backend))
}

fn not_created(error: std::io::Error) -> StoreError {
    match is_full(&error) {
        true => StoreError::full("the log of the store file cannot be created", error),
        false => StoreError::unavailable("the log of the store file cannot be created", error),
    }
}
