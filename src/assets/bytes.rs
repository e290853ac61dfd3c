//! Where the bytes are: a folder, an account of a cloud, or memory, by the crate `object_store`. The rule: the name of a file follows from the hash of an
//! asset and a width, never from what a client has sent.

use std::fs::File;
use std::ops::Range;
use std::path::{Path as FolderPath, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt};

use super::clean::format_of;
use super::incomplete::delete_incomplete;
use super::resize::Width;
use crate::model::{AssetFormat, AssetHash, AssetName};

/// The folder of the pictures as they were sent, and that of their other widths.
const ORIGINALS: &str = "originals";
const SIZED: &str = "sized";
/// Enough to see the format of a file.
const HEAD_BYTES: u64 = 16;

type Result<T, E = Error> = std::result::Result<T, E>;

/// A stored file.
#[derive(Debug, Clone)]
pub struct Found {
    path: Path,
    pub format: AssetFormat,
    pub byte_size: u64,
}

/// A picture of the store, found by a look through all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredName {
    pub name: AssetName,
    /// When its bytes were last written, in seconds of Unix time.
    pub written_at: i64,
}

/// Clones share the state.
#[derive(Debug, Clone)]
pub(super) struct AssetBytes {
    store: Arc<dyn ObjectStore>,
    /// Where files are received; `None`: in the folder of the system for temporary files.
    folder: Option<PathBuf>,
}

impl AssetBytes {
    /// Creates the folder if it does not exist.
    pub(super) fn in_folder(folder: &FolderPath) -> Result<Self> {
        let source = |error: std::io::Error| Error::Generic { store: "folder of assets", source: Box::new(error) };
        std::fs::create_dir_all(folder).map_err(source)?;
        let store = Arc::new(LocalFileSystem::new_with_prefix(folder)?.with_fsync(true));
        Ok(Self { store, folder: Some(folder.to_owned()) })
    }

    pub(super) fn in_memory() -> Self {
        Self { store: Arc::new(InMemory::new()), folder: None }
    }

    /// A file without a name, on the disk of the pictures.
    pub(super) fn temporary_file(&self) -> std::io::Result<File> {
        self.folder.as_ref().map_or_else(tempfile::tempfile, tempfile::tempfile_in)
    }

    pub(super) async fn put(&self, name: &AssetName, bytes: Bytes) -> Result<()> {
        self.store.put(&original(name), bytes.into()).await.map(drop)
    }

    /// An empty file says that the original is served in this width too.
    pub(super) async fn put_sized(&self, hash: &AssetHash, width: Width, bytes: Bytes) -> Result<()> {
        self.store.put(&sized(hash, width), bytes.into()).await.map(drop)
    }

    pub(super) async fn find(&self, name: &AssetName) -> Result<Option<Found>> {
        let path = original(name);
        Ok(self.size(&path).await?.map(|byte_size| Found { path, format: name.format, byte_size }))
    }

    /// `None` if the width was not made yet.
    pub(super) async fn find_sized(&self, name: &AssetName, width: Width) -> Result<Option<Found>> {
        let path = sized(&name.hash, width);
        match self.size(&path).await? {
            None => Ok(None),
            Some(0) => self.find(name).await,
            Some(byte_size) => {
                let head = self.store.get_range(&path, 0..HEAD_BYTES.min(byte_size)).await?;
                Ok(format_of(&head).map(|format| Found { path, format, byte_size }))
            }
        }
    }

    async fn size(&self, path: &Path) -> Result<Option<u64>> {
        match self.store.head(path).await {
            Ok(meta) => Ok(Some(meta.size)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn read(&self, found: &Found, range: Range<u64>) -> Result<BoxStream<'static, Result<Bytes>>> {
        let options = object_store::GetOptions { range: Some(range.into()), ..Default::default() };
        Ok(self.store.get_opts(&found.path, options).await?.into_stream())
    }

    pub(super) async fn read_whole(&self, found: &Found) -> Result<Bytes> {
        self.store.get(&found.path).await?.bytes().await
    }

    /// Deletes the picture in all widths, the original first: who makes a width looks for the original after it has stored the width, so either finds it
    /// gone, or the width is deleted here. A deletion that is cut off is repeated by who holds its step row.
    pub(super) async fn delete(&self, name: &AssetName) -> Result<()> {
        for path in [original(name)].into_iter().chain(Width::all().map(|width| sized(&name.hash, width))) {
            match self.store.delete(&path).await {
                Ok(()) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Deletes what processes have left that were killed while they wrote a file. Returns how many.
    pub(super) fn delete_incomplete(&self, written_before: SystemTime) -> std::io::Result<usize> {
        let Some(folder) = &self.folder else { return Ok(0) };
        let mut deleted = 0;
        for part in [ORIGINALS, SIZED] {
            deleted += match delete_incomplete(&folder.join(part), written_before) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
                done => done?,
            };
        }
        Ok(deleted)
    }

    /// All originals. Files with other names are not assets, and are left alone.
    pub(super) async fn list(&self) -> Result<Vec<StoredName>> {
        let listed = self.store.list(Some(&Path::from(ORIGINALS))).map(|found| {
            let found = found?;
            let name = found.location.filename().and_then(|name| name.parse().ok());
            Ok(name.map(|name| StoredName { name, written_at: found.last_modified.timestamp() }))
        });
        listed.try_filter_map(|name| std::future::ready(Ok(name))).try_collect().await
    }
}

fn original(name: &AssetName) -> Path {
    Path::from_iter([ORIGINALS.to_owned(), name.to_string()])
}

fn sized(hash: &AssetHash, width: Width) -> Path {
    Path::from_iter([SIZED.to_owned(), hash.to_string(), width.pixels().to_string()])
}
