//! The files of assets: in a folder, in a cloud, or in memory, by the crate `object_store`. The rule: the name of a file follows from the hash of an asset and
//! a form, never from a name that a client sends.
//!
//! A file in a cloud has its type as an attribute, so that one request finds both the size and the type; the type of a file in a folder is read from its first
//! bytes.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path as FolderPath, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    Attribute, Attributes, Error, GetOptions, MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt,
    PutMultipartOptions, PutOptions,
};
use tokio::sync::Semaphore;

use super::clean::format_of;
use super::form::Form;
use super::incomplete::delete_incomplete;
use crate::model::{AssetFormat, AssetHash, AssetKind, AssetName};

/// The folder of the assets as they were sent, and that of their other forms.
const ORIGINALS: &str = "originals";
const SIZED: &str = "sized";
/// The bytes that are read to detect the format of a file.
const HEAD_BYTES: u64 = 16;
/// The maximum number of open files. A file is closed while a client receives the bytes that were read, so each is open only for a moment.
const OPEN_AT_ONCE: usize = 64;
/// The bytes that one read of a file in a folder returns: two of the pieces in which an answer is passed on.
const FOLDER_PIECE_BYTES: u64 = 32 * 1024;
/// The bytes that one read of a file in a cloud returns. Each read is a paid request, and most forms of a picture fit in one.
const CLOUD_PIECE_BYTES: u64 = 1024 * 1024;
/// The bytes of a file that are in memory while it is stored; S3 requires at least as many for each part of an upload but the last.
pub(super) const PART_BYTES: u64 = 5 * 1024 * 1024;

type Result<T, E = Error> = std::result::Result<T, E>;

/// A stored file.
#[derive(Debug, Clone)]
pub struct Found {
    path: Path,
    pub kind: AssetKind,
    pub byte_size: u64,
}

/// A stored form of a picture.
#[derive(Debug, Clone)]
pub(super) enum FoundForm {
    Own(Found),
    /// The original is served for this form.
    Original,
}

impl FoundForm {
    pub(super) fn or(self, original: Found) -> Found {
        match self {
            Self::Own(found) => found,
            Self::Original => original,
        }
    }
}

/// Clones share the same state.
#[derive(Debug, Clone)]
pub(super) struct AssetBytes {
    store: Arc<dyn ObjectStore>,
    /// The folder for files that are being received; if `None`, the system's folder for temporary files.
    folder: Option<PathBuf>,
    /// Whether a file has its type as an attribute.
    has_types: bool,
    open: Arc<Semaphore>,
}

impl AssetBytes {
    /// Creates the folder if it does not exist.
    pub(super) fn in_folder(folder: &FolderPath) -> Result<Self> {
        let source = |error: std::io::Error| Error::Generic { store: "folder of assets", source: Box::new(error) };
        std::fs::create_dir_all(folder).map_err(source)?;
        let store = Arc::new(LocalFileSystem::new_with_prefix(folder)?.with_fsync(true));
        Ok(Self { folder: Some(folder.to_owned()), has_types: false, ..Self::in_cloud(store) })
    }

    pub(super) fn in_memory() -> Self {
        Self::in_cloud(Arc::new(InMemory::new()))
    }

    pub(super) fn in_cloud(store: Arc<dyn ObjectStore>) -> Self {
        Self { store, folder: None, has_types: true, open: Arc::new(Semaphore::new(OPEN_AT_ONCE)) }
    }

    pub(super) fn object_store(&self) -> Arc<dyn ObjectStore> {
        Arc::clone(&self.store)
    }

    /// A file without a name, on the disk of the pictures if they are in a folder.
    pub(super) fn temporary_file(&self) -> std::io::Result<File> {
        self.folder.as_ref().map_or_else(tempfile::tempfile, tempfile::tempfile_in)
    }

    pub(super) async fn put(&self, name: &AssetName, bytes: Bytes) -> Result<()> {
        self.put_file(&original(name), bytes, Some(name.kind)).await
    }

    /// Stores a file of this size, of which one part is in memory at a time. A file exists completely or not at all, as with [`Self::put`].
    pub(super) async fn put_in_parts(&self, name: &AssetName, file: &Arc<File>, byte_size: u64) -> Result<()> {
        self.put_named(&original(name), file, (byte_size, Some(name.kind))).await
    }

    /// Like [`Self::put`], with any name. `kind`: the kind of an asset.
    pub(super) async fn put_named(
        &self,
        path: &Path,
        file: &Arc<File>,
        (byte_size, kind): (u64, Option<AssetKind>),
    ) -> Result<()> {
        if byte_size <= PART_BYTES {
            return self.put_file(path, read_part(file, 0..byte_size).await?, kind).await;
        }
        let options = PutMultipartOptions { attributes: self.attributes(kind), ..Default::default() };
        let mut upload = self.store.put_multipart_opts(path, options).await?;
        let sent = send_parts(upload.as_mut(), file, byte_size).await;
        if sent.is_err()
            && let Err(error) = upload.abort().await
        {
            tracing::warn!(%error, asset = %path, "assets.parts_kept");
        }
        sent
    }

    /// `bytes`: `None` if the original is served for this form. Returns the same as a following [`Self::find_sized`].
    pub(super) async fn put_sized(&self, hash: &AssetHash, form: Form, bytes: Option<Bytes>) -> Result<FoundForm> {
        let (path, bytes) = (sized(hash, form), bytes.unwrap_or_default());
        let (format, byte_size) = (format_of(&bytes), bytes.len() as u64);
        let kind = format.map(AssetKind::Image);
        self.put_file(&path, bytes, kind).await?;
        Ok(kind.map_or(FoundForm::Original, |kind| FoundForm::Own(Found { path, kind, byte_size })))
    }

    async fn put_file(&self, path: &Path, bytes: Bytes, kind: Option<AssetKind>) -> Result<()> {
        let options = PutOptions { attributes: self.attributes(kind), ..PutOptions::default() };
        self.store.put_opts(path, bytes.into(), options).await.map(drop)
    }

    fn attributes(&self, kind: Option<AssetKind>) -> Attributes {
        let kind = kind.filter(|_| self.has_types);
        kind.map(|kind| (Attribute::ContentType, kind.content_type())).into_iter().collect()
    }

    pub(super) async fn find(&self, name: &AssetName) -> Result<Option<Found>> {
        let path = original(name);
        let found = self.look_at(&path).await?;
        Ok(found.map(|(byte_size, _)| Found { path, kind: name.kind, byte_size }))
    }

    /// `None` if the form was not generated yet.
    pub(super) async fn find_sized(&self, hash: &AssetHash, form: Form) -> Result<Option<FoundForm>> {
        let path = sized(hash, form);
        let (byte_size, format) = match self.look_at(&path).await? {
            None => return Ok(None),
            Some((0, _)) => return Ok(Some(FoundForm::Original)),
            Some(found) => found,
        };
        let format = match format {
            Some(format) => Some(format),
            None => format_of(&self.read_range(&path, 0..HEAD_BYTES.min(byte_size)).await?),
        };
        Ok(format.map(|format| FoundForm::Own(Found { path, kind: AssetKind::Image(format), byte_size })))
    }

    /// The size of a file, and its type if it has the attribute.
    async fn look_at(&self, path: &Path) -> Result<Option<(u64, Option<AssetFormat>)>> {
        let _open = self.open.acquire().await;
        match self.store.get_opts(path, GetOptions { head: true, ..GetOptions::default() }).await {
            Ok(found) => {
                let of_type = |text: &str| AssetFormat::ALL.into_iter().find(|format| format.content_type() == text);
                let format = found.attributes.get(&Attribute::ContentType).and_then(|text| of_type(text.as_ref()));
                Ok(Some((found.meta.size, format)))
            }
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The maximum number of bytes of one read, which are in memory until they are sent.
    pub(super) fn piece_bytes(&self) -> u64 {
        if self.folder.is_some() { FOLDER_PIECE_BYTES } else { CLOUD_PIECE_BYTES }
    }

    /// The bytes of a range, which is not empty, piece by piece. The first piece is read now, each other one when it is
    /// requested, so a client that takes nothing keeps no file open, and no connection to a cloud.
    pub(super) async fn read(&self, found: &Found, range: Range<u64>) -> Result<BoxStream<'static, Result<Bytes>>> {
        let (whole, path, piece_bytes) = (self.clone(), found.path.clone(), self.piece_bytes());
        let piece = move |from: u64| from..range.end.min(from + piece_bytes);
        let first = self.read_range(&path, piece(range.start)).await?;
        let rest = stream::try_unfold(range.start + piece_bytes, move |from| {
            let (whole, path, range) = (whole.clone(), path.clone(), piece(from));
            async move {
                if range.is_empty() {
                    return Ok(None);
                }
                Ok(Some((whole.read_range(&path, range.clone()).await?, range.end)))
            }
        });
        Ok(stream::once(async { Ok(first) }).chain(rest).boxed())
    }

    async fn read_range(&self, path: &Path, range: Range<u64>) -> Result<Bytes> {
        let _open = self.open.acquire().await;
        self.store.get_range(path, range).await
    }

    /// `None` if it was deleted since it was found.
    pub(super) async fn read_whole(&self, found: &Found) -> Result<Option<Bytes>> {
        let _open = self.open.acquire().await;
        match self.store.get(&found.path).await {
            Ok(file) => file.bytes().await.map(Some),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Deletes the asset in all forms, the original first: the maker of a form looks for the original after it has stored the form, so either it finds the
    /// original gone, or the form is deleted here. A deletion that did not finish is repeated by the holder of its step row.
    pub(super) async fn delete(&self, name: &AssetName) -> Result<()> {
        self.delete_files(vec![original(name)]).await?;
        if !name.kind.is_image() {
            return Ok(());
        }
        self.delete_files(Form::all().map(|form| sized(&name.hash, form)).collect()).await
    }

    /// Deletes the files in any order, with one request if the store can.
    async fn delete_files(&self, paths: Vec<Path>) -> Result<()> {
        let mut deleted = self.store.delete_stream(stream::iter(paths.into_iter().map(Ok)).boxed());
        while let Some(deleted) = deleted.next().await {
            match deleted {
                Ok(_) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Deletes the incomplete files of processes that were killed while they wrote into a folder, and returns how many.
    /// In a cloud, a file exists as a whole or not at all.
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

    /// All originals, for the tests. Files with other names are not assets.
    pub(super) async fn list(&self) -> Result<Vec<AssetName>> {
        let listed = self.store.list(Some(&Path::from(ORIGINALS)));
        let name_of =
            |found: ObjectMeta| async move { Ok(found.location.filename().and_then(|name| name.parse().ok())) };
        listed.try_filter_map(name_of).try_collect().await
    }
}

async fn send_parts(upload: &mut dyn MultipartUpload, file: &Arc<File>, byte_size: u64) -> Result<()> {
    let mut sent = 0;
    while sent < byte_size {
        let part = sent..byte_size.min(sent + PART_BYTES);
        sent = part.end;
        upload.put_part(read_part(file, part).await?.into()).await?;
    }
    upload.complete().await.map(drop)
}

async fn read_part(file: &Arc<File>, part: Range<u64>) -> Result<Bytes> {
    let file = Arc::clone(file);
    let read = tokio::task::spawn_blocking(move || {
        let mut bytes = vec![0; usize::try_from(part.end - part.start).unwrap_or(usize::MAX)];
        file.read_exact_at(&mut bytes, part.start).map(|()| Bytes::from(bytes))
    });
    let failed = |source| Error::Generic { store: "sent file", source };
    read.await.map_err(|error| failed(error.into()))?.map_err(|error| failed(error.into()))
}

fn original(name: &AssetName) -> Path {
    Path::from_iter([ORIGINALS.to_owned(), name.stored()])
}

fn sized(hash: &AssetHash, form: Form) -> Path {
    Path::from_iter([SIZED.to_owned(), hash.to_string(), form.name()])
}
