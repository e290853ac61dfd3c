//! The pictures of a site: takes them in, and gives them out in the form that a client asks for. The rule: one picture is decoded at a time, on a thread
//! that serves no requests, so that neither memory nor the other requests depend on how many clients send pictures.
//!
//! A picture is *cleaned* first, which gives it its name, and then *decoded*; so a caller that already has an asset with this name need not decode it.

use std::fs::File;
use std::io::{Read, Seek};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, future};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::FILE_BYTES_MIN;
use super::bytes::{AssetBytes, Found, StoredName};
use super::clean::{Cleaned, clean, format_of};
use super::cloud;
use super::decode::{check_size, decode, placeholder, white};
use super::error::{AssetError, BadPicture};
use super::form::Form;
use super::hash;
use super::place::AssetPlace;
use super::resize::make;
use crate::model::{AssetFacts, AssetName};

/// Pictures that are decoded at once. The largest, a progressive JPEG in four colours, takes 320 MiB (docs/operating.md).
const DECODED_AT_ONCE: usize = 1;
/// The most bytes of sent pictures in memory, from before a picture is read until it is stored; one larger picture
/// alone is allowed. Without this bound, each picture that waits to be stored would be in memory beside the one that is
/// decoded.
const SENT_BYTES_MAX: u64 = 32 << 20;
/// They are counted in units of this size.
const SENT_UNIT: u64 = 1024;
/// How long a picture waits for its turn.
const TURN_WAIT: Duration = Duration::from_secs(10);

type Result<T, E = AssetError> = std::result::Result<T, E>;

/// The limits of assets that can be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AssetLimits {
    /// Bytes of a file that a client sends. Pictures of cameras have some 10 MB.
    pub file_bytes: u64,
    /// How long a file may take to arrive: 20 MiB over 1.5 Mbit a second.
    pub file_time: Duration,
}

impl Default for AssetLimits {
    fn default() -> Self {
        Self { file_bytes: 20 * 1024 * 1024, file_time: Duration::from_secs(120) }
    }
}

/// A picture that is ready to be stored.
#[derive(Debug, Clone)]
pub struct Picture {
    pub facts: AssetFacts,
    bytes: Bytes,
    /// Its part of [`SENT_BYTES_MAX`], if a client has sent it.
    _memory: Option<Arc<OwnedSemaphorePermit>>,
}

/// A file that is a picture as far as it can be known without its pixels: it has a name, and is not too large.
#[derive(Debug)]
pub struct CleanPicture {
    name: AssetName,
    cleaned: Cleaned,
}

impl CleanPicture {
    /// The name of the asset, if the picture becomes one.
    pub fn name(&self) -> &AssetName {
        &self.name
    }
}

/// Clones share the state.
#[derive(Debug, Clone)]
pub struct AssetLibrary {
    bytes: AssetBytes,
    limits: AssetLimits,
    decoding: Arc<Semaphore>,
    sent: Arc<Semaphore>,
    decoded: Arc<AtomicU64>,
}

impl AssetLibrary {
    /// `creates`: a container that does not exist is created, as a folder always is.
    ///
    /// # Errors
    /// If the place does not exist and is not created, or the credentials for it are refused.
    pub async fn open(place: &AssetPlace, creates: bool, limits: AssetLimits) -> Result<Self> {
        let bytes = match place {
            AssetPlace::Folder(folder) => AssetBytes::in_folder(folder)?,
            AssetPlace::Azure(container) => AssetBytes::in_cloud(cloud::open_azure(container, creates).await?),
            AssetPlace::S3(bucket) => AssetBytes::in_cloud(cloud::open_s3(bucket).await?),
        };
        Ok(Self::over(bytes, limits))
    }

    /// For tests, and for a dry run.
    pub fn in_memory(limits: AssetLimits) -> Self {
        Self::over(AssetBytes::in_memory(), limits)
    }

    fn over(bytes: AssetBytes, limits: AssetLimits) -> Self {
        let sent = Arc::new(Semaphore::new(sent_units(SENT_BYTES_MAX.max(limits.file_bytes)) as usize));
        Self { bytes, limits, decoding: Arc::new(Semaphore::new(DECODED_AT_ONCE)), sent, decoded: Arc::default() }
    }

    pub fn limits(&self) -> AssetLimits {
        self.limits
    }

    /// A file without a name, for what a client sends: it is gone with the process.
    ///
    /// # Errors
    /// If the disk is full.
    pub async fn temporary_file(&self) -> Result<File> {
        let bytes = self.bytes.clone();
        let made = on_thread(move || bytes.temporary_file()).await?;
        made.map_err(|error| AssetError::NoTemporaryFile(error.to_string()))
    }

    /// Checks and cleans a file that a client has sent. Nothing is stored. Until the picture is dropped, others may have to wait.
    ///
    /// # Errors
    /// [`AssetError::Bad`] if the file is not an acceptable picture, [`AssetError::Overloaded`] if other pictures have kept it waiting too long.
    pub async fn prepare(&self, file: File) -> Result<Picture> {
        let (bytes_max, decoded) = (self.limits.file_bytes, Arc::clone(&self.decoded));
        let bytes = file.metadata().map_or(bytes_max, |about| about.len().min(bytes_max));
        let memory = timeout(TURN_WAIT, Arc::clone(&self.sent).acquire_many_owned(sent_units(bytes))).await;
        let memory = memory.map_err(|_elapsed| AssetError::Overloaded)?.expect("the semaphore is never closed");
        let picture = self.in_turn(move || picture_of(cleaned_of(file, bytes_max)?, &decoded)).await?;
        Ok(Picture { _memory: Some(Arc::new(memory)), ..picture })
    }

    /// Cleans a file without decoding it. Nothing is stored.
    ///
    /// # Errors
    /// The errors of [`Self::prepare`]; a picture whose pixels are damaged is found by [`Self::decode`].
    pub async fn clean(&self, file: File) -> Result<CleanPicture> {
        let bytes_max = self.limits.file_bytes;
        self.in_turn(move || cleaned_of(file, bytes_max)).await
    }

    /// Decodes a clean picture: the rest of [`Self::prepare`].
    ///
    /// # Errors
    /// The errors of [`Self::prepare`].
    pub async fn decode(&self, clean: CleanPicture) -> Result<Picture> {
        let decoded = Arc::clone(&self.decoded);
        self.in_turn(move || picture_of(clean, &decoded)).await
    }

    /// How many files were decoded, including those that were refused then.
    pub fn decoded(&self) -> u64 {
        self.decoded.load(Ordering::Relaxed)
    }

    /// Stores the bytes of a picture. Storing them again changes nothing.
    pub async fn put(&self, picture: &Picture) -> Result<()> {
        Ok(self.bytes.put(&picture.facts.name, picture.bytes.clone()).await?)
    }

    /// Deletes the bytes in all forms.
    pub async fn delete(&self, name: &AssetName) -> Result<()> {
        Ok(self.bytes.delete(name).await?)
    }

    /// Deletes the files that processes were writing before this time when they were killed. Returns how many.
    pub async fn delete_incomplete(&self, written_before: SystemTime) -> Result<usize> {
        let bytes = self.bytes.clone();
        let deleted = on_thread(move || bytes.delete_incomplete(written_before)).await?;
        let failed = |error| object_store::Error::Generic { store: "folder of assets", source: Box::new(error) };
        Ok(deleted.map_err(failed)?)
    }

    pub async fn has(&self, name: &AssetName) -> Result<bool> {
        Ok(self.bytes.find(name).await?.is_some())
    }

    /// All pictures whose bytes are stored.
    pub async fn list(&self) -> Result<Vec<StoredName>> {
        Ok(self.bytes.list().await?)
    }

    /// Finds the file of a picture in this form, and makes it if nobody has requested it before. For a width, a picture
    /// that is not wider, or is animated, is found as it was sent. `None` if there is no picture with this name, and for
    /// the picture of a link to a drawing.
    pub async fn find(&self, name: &AssetName, form: Option<Form>) -> Result<Option<Found>> {
        let form = match form {
            Some(Form::OpenGraph(_)) if name.format.is_drawing() => return Ok(None),
            form => form.filter(|_| !name.format.is_drawing()),
        };
        let Some(form) = form else { return Ok(self.bytes.find(name).await?) };
        // Both are looked up, because a form of a deleted picture may be left over.
        let (original, found) = future::join(self.bytes.find(name), self.bytes.find_sized(&name.hash, form)).await;
        let Some(original) = original? else { return Ok(None) };
        if let Some(found) = found? {
            return Ok(Some(found.or(original)));
        }
        let turn = self.turn().await?;
        // Another client may have asked for the same while this one waited.
        if let Some(found) = self.bytes.find_sized(&name.hash, form).await? {
            return Ok(Some(found.or(original)));
        }
        let Some(bytes) = self.bytes.read_whole(&original).await? else { return Ok(None) };
        let (sized, turn) =
            on_thread(move || (clean(&bytes).map_err(Into::into).and_then(|c| make(&c, form)), turn)).await?;
        let stored = self.bytes.put_sized(&name.hash, form, sized?.map(Into::into)).await;
        drop(turn);
        let stored = stored?;
        if self.bytes.find(name).await?.is_none() {
            // It was deleted meanwhile.
            self.bytes.delete(name).await?;
            return Ok(None);
        }
        Ok(Some(stored.or(original)))
    }

    /// The most bytes of a file that are in memory while it is read, until they are passed on.
    pub fn piece_bytes(&self) -> u64 {
        self.bytes.piece_bytes()
    }

    /// Some bytes of a file, at least one, piece by piece. No file is open between two pieces.
    pub async fn read(&self, found: &Found, range: Range<u64>) -> Result<BoxStream<'static, Result<Bytes>>> {
        Ok(self.bytes.read(found, range).await?.map(|piece| piece.map_err(Into::into)).boxed())
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit> {
        let turn = timeout(TURN_WAIT, Arc::clone(&self.decoding).acquire_owned()).await;
        Ok(turn.map_err(|_elapsed| AssetError::Overloaded)?.expect("the semaphore is never closed"))
    }

    /// Runs work that decodes a picture. The turn ends with the work, even if nobody waits for it any more.
    async fn in_turn<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
        let turn = self.turn().await?;
        let (done, _turn) = on_thread(move || (work(), turn)).await?;
        done
    }
}

fn sent_units(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(SENT_UNIT)).unwrap_or(u32::MAX)
}

/// A panic of a decoder is a defect of the server, and ends only this request.
async fn on_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|failed| AssetError::Internal(failed.to_string()))
}

fn cleaned_of(mut file: File, bytes_max: u64) -> Result<CleanPicture> {
    let failed = |error: std::io::Error| AssetError::Internal(error.to_string());
    let mut sent = Vec::new();
    file.rewind().map_err(failed)?;
    file.take(bytes_max).read_to_end(&mut sent).map_err(failed)?;
    if let Some(format) = format_of(&sent).filter(|_| sent.len() < FILE_BYTES_MIN) {
        return Err(BadPicture::Truncated(format).into());
    }
    let cleaned = clean(&sent)?;
    check_size(&cleaned)?;
    let name = AssetName { hash: hash::of(&cleaned.bytes), format: cleaned.format };
    Ok(CleanPicture { name, cleaned })
}

fn picture_of(CleanPicture { name, cleaned }: CleanPicture, decoded: &AtomicU64) -> Result<Picture> {
    decoded.fetch_add(1, Ordering::Relaxed);
    let placeholder = match cleaned.format.is_drawing() {
        true => white(cleaned.width, cleaned.height),
        false => placeholder(&decode(&cleaned)?),
    };
    let (width, height) =
        if cleaned.is_turned { (cleaned.height, cleaned.width) } else { (cleaned.width, cleaned.height) };
    let byte_size = cleaned.bytes.len() as u64;
    let facts = AssetFacts { name, byte_size, width, height, placeholder };
    Ok(Picture { facts, bytes: cleaned.bytes.into(), _memory: None })
}
