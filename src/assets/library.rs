//! The pictures and files of a site: stores them, and returns them in the requested form. The rule: one picture is decoded at a time, on a thread that serves
//! no requests, so that neither memory nor the other requests depend on how many clients send pictures.
//!
//! A picture is *cleaned* first, which gives it its name, and then *decoded*; so a caller that already has an asset with this name need not decode it. A file
//! that is not a picture is only checked, which also determines its name.

use std::fs::File;
use std::io::{Read, Seek, Write};
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
use super::bytes::{AssetBytes, Found, PART_BYTES};
use super::clean::{Cleaned, clean, format_of};
use super::cloud;
use super::decode::{check_size, decode, placeholder, white};
use super::error::{AssetError, BadFile, BadPicture};
use super::file;
use super::form::Form;
use super::hash;
use super::place::AssetPlace;
use super::resize::make;
use crate::model::file_format::FileFormat;
use crate::model::{AssetFacts, AssetKind, AssetName, ImageFacts};

/// The maximum number of pictures that are decoded at once. The largest, a progressive JPEG in four colours, takes 320 MiB (docs/operating.md).
const DECODED_AT_ONCE: usize = 1;
/// The maximum number of bytes of uploads in memory, from before a picture is read until it is stored; a single larger picture is allowed. Without this limit,
/// pictures that wait to be stored would fill the memory while another one is decoded.
const SENT_BYTES_MAX: u64 = 32 << 20;
/// The unit in which [`SENT_BYTES_MAX`] is counted.
const SENT_UNIT: u64 = 1024;
/// The maximum time that a picture waits for its turn.
const TURN_WAIT: Duration = Duration::from_secs(10);

type Result<T, E = AssetError> = std::result::Result<T, E>;

/// The configurable limits of assets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssetLimits {
    /// The maximum size of an uploaded file. An episode of a podcast has some 50 MB.
    pub file_bytes: u64,
    /// The maximum size of an uploaded picture, which is completely in memory. Pictures of cameras have some 10 MB.
    pub image_bytes: u64,
    /// The maximum time of an upload: a picture of 20 MiB at 1.5 Mbit/s, 100 MiB at 7 Mbit/s.
    pub file_time: Duration,
    /// The accepted formats of files that are not pictures; all if `None`.
    pub file_types: Option<Arc<[&'static FileFormat]>>,
}

impl Default for AssetLimits {
    fn default() -> Self {
        let (file_bytes, image_bytes) = (100 * 1024 * 1024, 20 * 1024 * 1024);
        Self { file_bytes, image_bytes, file_time: Duration::from_secs(120), file_types: None }
    }
}

impl AssetLimits {
    /// The maximum size of a file with this name. If the name does not have the extension of another format, the file must be a picture.
    pub fn bytes_of(&self, name: Option<&str>) -> u64 {
        if name.and_then(FileFormat::of_name).is_some() { self.file_bytes } else { self.image_bytes() }
    }

    fn image_bytes(&self) -> u64 {
        self.image_bytes.min(self.file_bytes)
    }
}

/// A picture or another file that is ready to be stored.
#[derive(Debug, Clone)]
pub struct ReadyAsset {
    pub facts: AssetFacts,
    bytes: Ready,
    /// Its share of [`SENT_BYTES_MAX`], if a client has uploaded it.
    _memory: Option<Arc<OwnedSemaphorePermit>>,
}

#[derive(Debug, Clone)]
enum Ready {
    Picture(Bytes),
    File(Arc<File>),
}

/// A cleaned picture whose pixels are not decoded yet: its name is known, and its size is allowed. Or another file, which was checked.
#[derive(Debug)]
pub struct CleanAsset(Clean);

#[derive(Debug)]
enum Clean {
    Picture(AssetName, Cleaned),
    File(AssetFacts, File),
}

impl CleanAsset {
    /// The name of the asset that the file becomes.
    pub fn name(&self) -> &AssetName {
        match &self.0 {
            Clean::Picture(name, _) => name,
            Clean::File(facts, _) => &facts.name,
        }
    }

    /// The names of omitted parts that a viewer of a drawing misses.
    pub fn left_out(&self) -> &[&'static str] {
        match &self.0 {
            Clean::Picture(_, cleaned) => &cleaned.left_out,
            Clean::File(..) => &[],
        }
    }
}

/// Clones share the same state.
#[derive(Debug, Clone)]
pub struct AssetLibrary {
    bytes: AssetBytes,
    limits: AssetLimits,
    decoding: Arc<Semaphore>,
    sent: Arc<Semaphore>,
    decoded: Arc<AtomicU64>,
}

impl AssetLibrary {
    /// `creates`: whether a missing container is created; a folder always is.
    ///
    /// # Errors
    /// If the storage does not exist and is not created, or the credentials for it are refused.
    pub async fn open(place: &AssetPlace, creates: bool, limits: AssetLimits) -> Result<Self> {
        Ok(Self::over(open_bytes(place, creates).await?, limits))
    }

    /// Used by tests and dry runs.
    pub fn in_memory(limits: AssetLimits) -> Self {
        Self::over(AssetBytes::in_memory(), limits)
    }

    pub(super) fn over(bytes: AssetBytes, limits: AssetLimits) -> Self {
        let sent = Arc::new(Semaphore::new(sent_units(SENT_BYTES_MAX.max(limits.image_bytes())) as usize));
        Self { bytes, limits, decoding: Arc::new(Semaphore::new(DECODED_AT_ONCE)), sent, decoded: Arc::default() }
    }

    pub fn limits(&self) -> &AssetLimits {
        &self.limits
    }

    /// An unnamed file for an upload, which disappears with the process.
    ///
    /// # Errors
    /// If the disk is full.
    pub async fn temporary_file(&self) -> Result<File> {
        let bytes = self.bytes.clone();
        let made = on_thread(move || bytes.temporary_file()).await?;
        made.map_err(|error| AssetError::NoTemporaryFile(error.to_string()))
    }

    /// Checks and cleans an uploaded file without storing it. Other uploads may wait until the asset is dropped. `name`: the file name, whose extension
    /// determines the format if the file is not a picture.
    ///
    /// # Errors
    /// [`AssetError::Bad`] and [`AssetError::BadFile`] if the file is not acceptable, [`AssetError::Overloaded`] if others have kept it waiting too long.
    pub async fn prepare(&self, file: File, name: Option<&str>) -> Result<ReadyAsset> {
        let (file, format) = self.format_of(file, name).await?;
        let bytes_max = if format.is_some() { PART_BYTES } else { self.limits.image_bytes() };
        let bytes = file.metadata().map_or(bytes_max, |about| about.len().min(bytes_max));
        let memory = timeout(TURN_WAIT, Arc::clone(&self.sent).acquire_many_owned(sent_units(bytes))).await;
        let memory = memory.map_err(|_elapsed| AssetError::Overloaded)?.expect("the semaphore is never closed");
        let ready = self.decode(self.clean_as(file, format).await?).await?;
        Ok(ReadyAsset { _memory: Some(Arc::new(memory)), ..ready })
    }

    /// Cleans a picture without decoding it, or checks another file. Nothing is stored.
    ///
    /// # Errors
    /// The errors of [`Self::prepare`]; a picture whose pixels are damaged is found by [`Self::decode`].
    pub async fn clean(&self, file: File, name: Option<&str>) -> Result<CleanAsset> {
        let (file, format) = self.format_of(file, name).await?;
        self.clean_as(file, format).await
    }

    /// Decodes a clean picture: the rest of [`Self::prepare`].
    ///
    /// # Errors
    /// The errors of [`Self::prepare`].
    pub async fn decode(&self, clean: CleanAsset) -> Result<ReadyAsset> {
        match clean.0 {
            Clean::File(facts, file) => Ok(ReadyAsset { facts, bytes: Ready::File(Arc::new(file)), _memory: None }),
            Clean::Picture(name, cleaned) => {
                let decoded = Arc::clone(&self.decoded);
                self.in_turn(move || picture_of(name, cleaned, &decoded)).await
            }
        }
    }

    /// The format of a file that is not a picture, by its name; `None` if its first bytes are those of a picture, or its name has no known extension.
    async fn format_of(&self, mut file: File, name: Option<&str>) -> Result<(File, Option<&'static FileFormat>)> {
        let (file, beginning) = on_thread(move || file::beginning(&mut file).map(|bytes| (file, bytes))).await??;
        // A text file can begin like a drawing.
        let is_picture = format_of(&beginning).is_some_and(|format| !format.is_drawing());
        let by_name = name.and_then(FileFormat::of_name).filter(|_| !is_picture);
        match (by_name, &self.limits.file_types) {
            (Some(format), Some(allowed)) if !allowed.contains(&format) => Err(BadFile::NotAllowed(format).into()),
            _ => Ok((file, by_name)),
        }
    }

    async fn clean_as(&self, mut file: File, format: Option<&'static FileFormat>) -> Result<CleanAsset> {
        let bytes_max = self.limits.image_bytes();
        let Some(format) = format else { return self.in_turn(move || cleaned_of(file, bytes_max)).await };
        on_thread(move || Ok(CleanAsset(Clean::File(file::check(&mut file, format)?, file)))).await?
    }

    /// The number of decoded files, including refused ones.
    pub fn decoded(&self) -> u64 {
        self.decoded.load(Ordering::Relaxed)
    }

    /// Stores the bytes of an asset. Storing them again changes nothing.
    pub async fn put(&self, asset: &ReadyAsset) -> Result<()> {
        let AssetFacts { name, byte_size, .. } = &asset.facts;
        match &asset.bytes {
            Ready::Picture(bytes) => self.bytes.put(name, bytes.clone()).await?,
            Ready::File(file) => self.bytes.put_in_parts(name, file, *byte_size).await?,
        }
        Ok(())
    }

    /// Deletes the bytes in all forms.
    pub async fn delete(&self, name: &AssetName) -> Result<()> {
        Ok(self.bytes.delete(name).await?)
    }

    /// Deletes incomplete files older than this time, which killed processes have left. Returns how many.
    pub async fn delete_incomplete(&self, written_before: SystemTime) -> Result<usize> {
        let bytes = self.bytes.clone();
        let deleted = on_thread(move || bytes.delete_incomplete(written_before)).await?;
        let failed = |error| object_store::Error::Generic { store: "folder of assets", source: Box::new(error) };
        Ok(deleted.map_err(failed)?)
    }

    pub async fn has(&self, name: &AssetName) -> Result<bool> {
        Ok(self.bytes.find(name).await?.is_some())
    }

    /// Copies the bytes of an asset, unless this library has them. Returns how many; `None` if the other library does not have them.
    ///
    /// # Errors
    /// [`AssetError::Damaged`] if they do not have the hash in the name.
    pub async fn copy_from(&self, other: &Self, name: &AssetName) -> Result<Option<u64>> {
        if self.has(name).await? { Ok(Some(0)) } else { self.replace_from(other, name).await }
    }

    /// Copies the bytes of an asset, even if this library has other bytes under its name. Returns how many; `None` if the other library does not have them.
    ///
    /// # Errors
    /// [`AssetError::Damaged`] if they do not have the hash in the name.
    pub async fn replace_from(&self, other: &Self, name: &AssetName) -> Result<Option<u64>> {
        let Some(found) = other.find(name, None).await? else { return Ok(None) };
        let mut file = self.temporary_file().await?;
        other.read_verified(name, &found, |piece| file.write_all(piece).map_err(AssetError::Temporary)).await?;
        self.bytes.put_in_parts(name, &Arc::new(file), found.byte_size).await?;
        Ok(Some(found.byte_size))
    }

    /// Compares the hash of an asset's bytes with its name. Returns whether the library has the asset.
    ///
    /// # Errors
    /// [`AssetError::Damaged`] if they are not those of the name.
    pub async fn verify(&self, name: &AssetName) -> Result<bool> {
        let Some(found) = self.find(name, None).await? else { return Ok(false) };
        self.read_verified(name, &found, |_| Ok(())).await?;
        Ok(true)
    }

    async fn read_verified(
        &self,
        name: &AssetName,
        found: &Found,
        mut take: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut hash = hash::FileHash::of_kind(name.kind);
        if found.byte_size > 0 {
            let mut pieces = self.read(found, 0..found.byte_size).await?;
            while let Some(piece) = pieces.next().await {
                let piece = piece?;
                hash.update(&piece);
                take(&piece)?;
            }
        }
        if hash.finish() == name.hash { Ok(()) } else { Err(AssetError::Damaged(name.clone())) }
    }

    /// All assets whose bytes are stored, for backups and tests.
    pub async fn list(&self) -> Result<Vec<AssetName>> {
        Ok(self.bytes.list().await?)
    }

    /// Finds the file of a picture in this form, and generates it at the first request. If a width is requested, a picture that is not wider, is animated or is
    /// a drawing is returned unchanged. `None` if no asset has this name, for the link picture of a drawing, and for any form of a file that is not a picture.
    pub async fn find(&self, name: &AssetName, form: Option<Form>) -> Result<Option<Found>> {
        let form = match form {
            Some(Form::OpenGraph(_)) if name.kind.is_drawing() => return Ok(None),
            form => form.filter(|_| !name.kind.is_drawing()),
        };
        let Some(form) = form else { return Ok(self.bytes.find(name).await?) };
        if !name.kind.is_image() {
            return Ok(None);
        }
        // Both are looked up, because a form can be left over from a deleted picture.
        let (original, found) = future::join(self.bytes.find(name), self.bytes.find_sized(&name.hash, form)).await;
        let Some(original) = original? else { return Ok(None) };
        if let Some(found) = found? {
            return Ok(Some(found.or(original)));
        }
        let turn = self.turn().await?;
        // Another request may have generated the form while this one waited.
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
            // The asset was deleted meanwhile.
            self.bytes.delete(name).await?;
            return Ok(None);
        }
        Ok(Some(stored.or(original)))
    }

    /// The maximum number of bytes of a file that are in memory while it is read.
    pub fn piece_bytes(&self) -> u64 {
        self.bytes.piece_bytes()
    }

    /// A nonempty range of a file, in pieces. The file is closed between two pieces.
    pub async fn read(&self, found: &Found, range: Range<u64>) -> Result<BoxStream<'static, Result<Bytes>>> {
        Ok(self.bytes.read(found, range).await?.map(|piece| piece.map_err(Into::into)).boxed())
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit> {
        let turn = timeout(TURN_WAIT, Arc::clone(&self.decoding).acquire_owned()).await;
        Ok(turn.map_err(|_elapsed| AssetError::Overloaded)?.expect("the semaphore is never closed"))
    }

    /// Runs work that decodes a picture. The turn ends with the work, even if its caller is gone.
    async fn in_turn<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
        let turn = self.turn().await?;
        let (done, _turn) = on_thread(move || (work(), turn)).await?;
        done
    }
}

/// `creates`: whether a missing container is created; a folder always is.
pub(super) async fn open_bytes(place: &AssetPlace, creates: bool) -> Result<AssetBytes> {
    Ok(match place {
        AssetPlace::Folder(folder) => AssetBytes::in_folder(folder)?,
        AssetPlace::Azure(container) => AssetBytes::in_cloud(cloud::open_azure(container, creates).await?),
        AssetPlace::S3(bucket) => AssetBytes::in_cloud(cloud::open_s3(bucket).await?),
    })
}

fn sent_units(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(SENT_UNIT)).unwrap_or(u32::MAX)
}

/// A panic of a decoder ends only this request.
pub(super) async fn on_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|failed| AssetError::Internal(failed.to_string()))
}

fn cleaned_of(mut file: File, bytes_max: u64) -> Result<CleanAsset> {
    let failed = |error: std::io::Error| AssetError::Internal(error.to_string());
    let mut sent = Vec::new();
    file.rewind().map_err(failed)?;
    let is_too_large = file.metadata().map_err(failed)?.len() > bytes_max;
    file.take(bytes_max).read_to_end(&mut sent).map_err(failed)?;
    if is_too_large && format_of(&sent).is_some() {
        return Err(BadFile::TooLarge(bytes_max).into());
    }
    if let Some(format) = format_of(&sent).filter(|_| sent.len() < FILE_BYTES_MIN) {
        return Err(BadPicture::Truncated(format).into());
    }
    let cleaned = clean(&sent)?;
    check_size(&cleaned)?;
    let size = Some(size_of(&cleaned));
    let name = AssetName { hash: hash::of(&cleaned.bytes), kind: AssetKind::Image(cleaned.format), size };
    Ok(CleanAsset(Clean::Picture(name, cleaned)))
}

/// The width and height as a viewer sees the picture.
fn size_of(cleaned: &Cleaned) -> (u32, u32) {
    if cleaned.is_turned { (cleaned.height, cleaned.width) } else { (cleaned.width, cleaned.height) }
}

fn picture_of(name: AssetName, cleaned: Cleaned, decoded: &AtomicU64) -> Result<ReadyAsset> {
    decoded.fetch_add(1, Ordering::Relaxed);
    let placeholder = match cleaned.format.is_drawing() {
        true => white(cleaned.width, cleaned.height),
        false => placeholder(&decode(&cleaned)?),
    };
    let (width, height) = size_of(&cleaned);
    let byte_size = cleaned.bytes.len() as u64;
    let image = Some(ImageFacts { width, height, placeholder });
    let facts = AssetFacts { name, byte_size, image };
    Ok(ReadyAsset { facts, bytes: Ready::Picture(cleaned.bytes.into()), _memory: None })
}
