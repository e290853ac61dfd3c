//! The named files of a backup, next to the originals of a library. The rule: a file exists completely or not at all.

use std::fs::{DirBuilder, File, Permissions};
use std::io::{ErrorKind, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{Error, GetResultPayload, ObjectStore, ObjectStoreExt};

use super::bytes::AssetBytes;
use super::error::AssetError;
use super::hash::Sha256;
use super::library::{AssetLibrary, AssetLimits, on_thread, open_bytes};
use super::place::AssetPlace;

type Result<T, E = AssetError> = std::result::Result<T, E>;

/// A storage for named files, and the library of the assets in it.
#[derive(Debug, Clone)]
pub struct StoredFiles {
    store: Arc<dyn ObjectStore>,
    bytes: AssetBytes,
    /// The folder, if the storage is a folder on this machine.
    folder: Option<PathBuf>,
    pub library: AssetLibrary,
}

impl StoredFiles {
    /// `creates`: whether a missing container or folder is created. Only its owner can read such a folder.
    ///
    /// # Errors
    /// If the storage does not exist and is not created, or the credentials for it are refused.
    pub async fn open(place: &AssetPlace, creates: bool) -> Result<Self> {
        if let AssetPlace::Folder(folder) = place {
            let failed = |error: std::io::Error| AssetError::NoContainer(format!("{}: {error}", folder.display()));
            match creates {
                true => DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?,
                false => drop(std::fs::read_dir(folder).map_err(failed)?),
            }
        }
        let bytes = open_bytes(place, creates).await?;
        let library = AssetLibrary::over(bytes.clone(), AssetLimits::default());
        let folder = if let AssetPlace::Folder(folder) = place { Some(folder.clone()) } else { None };
        Ok(Self { store: bytes.object_store(), bytes, folder, library })
    }

    /// An unnamed file, on the disk of the storage if that is a folder.
    ///
    /// # Errors
    /// If the disk is full.
    pub async fn temporary_file(&self) -> Result<File> {
        self.library.temporary_file().await
    }

    /// `None` if the file does not exist.
    ///
    /// # Errors
    /// If the place fails.
    pub async fn read_small(&self, name: &str) -> Result<Option<Bytes>> {
        match self.store.get(&Path::from(name)).await {
            Ok(found) => Ok(Some(found.bytes().await?)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Replaces the file.
    ///
    /// # Errors
    /// If the place fails.
    pub async fn write_small(&self, name: &str, bytes: Bytes) -> Result<()> {
        self.store.put(&Path::from(name), bytes.into()).await?;
        self.keep_private(name)
    }

    /// Stores the file. One part is in memory at a time.
    ///
    /// # Errors
    /// If the place fails.
    pub async fn write(&self, name: &str, file: File) -> Result<()> {
        let byte_size = file.metadata().map_err(AssetError::Temporary)?.len();
        self.bytes.put_named(&Path::from(name), &Arc::new(file), (byte_size, None)).await?;
        self.keep_private(name)
    }

    /// A file that does not exist is deleted already.
    ///
    /// # Errors
    /// If the place fails.
    pub async fn delete(&self, name: &str) -> Result<()> {
        match self.store.delete(&Path::from(name)).await {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// An existing folder may be readable by others, and a backup has drafts and, optionally, secrets.
    fn keep_private(&self, name: &str) -> Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        std::fs::set_permissions(folder.join(name), Permissions::from_mode(0o600)).map_err(AssetError::Temporary)
    }

    /// The file, rewound, and the SHA-256 of its bytes in hexadecimal digits. `None` if it does not exist.
    ///
    /// # Errors
    /// If the place fails, or the local disk is full.
    pub async fn read(&self, name: &str) -> Result<Option<(File, String)>> {
        let found = match self.store.get(&Path::from(name)).await {
            Err(Error::NotFound { .. }) => return Ok(None),
            found => found?,
        };
        let found = match found.payload {
            GetResultPayload::File(file, _) => file,
            GetResultPayload::Stream(mut pieces) => {
                let mut file = tempfile::tempfile().map_err(AssetError::Temporary)?;
                while let Some(piece) = pieces.try_next().await? {
                    file.write_all(&piece).map_err(AssetError::Temporary)?;
                }
                file
            }
        };
        sha256_of(found).await.map(Some)
    }
}

/// The SHA-256 of a file, in hexadecimal digits. The file is rewound.
///
/// # Errors
/// If the file cannot be read.
pub async fn sha256_of(mut file: File) -> Result<(File, String)> {
    let read = move || {
        let (mut hash, mut piece) = (Sha256::default(), vec![0; 64 * 1024]);
        file.rewind()?;
        loop {
            match file.read(&mut piece) {
                Ok(0) => break,
                Ok(length) => hash.update(&piece[..length]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        file.rewind()?;
        Ok((file, hash.digits()))
    };
    on_thread(read).await?.map_err(AssetError::Temporary)
}

/// The SHA-256 of a text.
pub fn sha256_of_text(text: &str) -> String {
    let mut hash = Sha256::default();
    hash.update(text.as_bytes());
    hash.digits()
}
