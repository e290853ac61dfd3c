//! Opens the store and the storage of the pictures as each command needs them. The rule: only a command that writes content creates a store, and only if
//! nothing of one exists; a store that can only be read is opened by the commands that only read; a store file that a server has open is used through the
//! server.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::assets::{AssetError, AssetLibrary, AssetPlace};
use crate::backup::{BackupError, require_complete};
use crate::clock::Clock;
use crate::config::{AssetSettings, StoreSetting};
use crate::content::{Content, ContentError, Sharing};
use crate::store::azure::{AzureSettings, AzureStore};
use crate::store::embedded::EmbeddedStore;
use crate::store::observed::RequestKind;
use crate::store::{LogStore, ObservedStore, RecordingStore, SocketStore, Store, StoreError};

use super::SEEN_WITHIN;

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The text says what is missing or wrong, and what to do.
    #[error("{0}")]
    Refused(String),
    #[error("the place of the pictures, {0}, cannot be used; name another with --assets")]
    Assets(String, #[source] AssetError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Content(#[from] ContentError),
    #[error(transparent)]
    Backup(#[from] BackupError),
}

fn refused<T>(why: String) -> Result<T, StartError> {
    Err(StartError::Refused(why))
}

/// The action if the store does not exist yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Create it: for commands that write content.
    Create,
    /// Return an error: a command that only reads was probably given the wrong store.
    Refuse,
}

/// The pictures of a site; `None` if the settings name no storage for them. A folder is always created, a container if it is missing and `Create`.
///
/// # Errors
/// If the storage does not exist and is not created, or the credentials for it are refused.
pub async fn open_assets(settings: &AssetSettings, missing: Missing) -> Result<Option<AssetLibrary>, StartError> {
    let Some(place) = &settings.place else { return Ok(None) };
    let opened = AssetLibrary::open(place, missing == Missing::Create, settings.limits.clone()).await;
    opened.map(Some).map_err(|error| StartError::Assets(place.to_string(), error))
}

/// Like [`open_assets`], for a dry run, which stores no picture.
pub fn assets_to_try(settings: &AssetSettings) -> Option<AssetLibrary> {
    settings.place.as_ref().map(|_| AssetLibrary::in_memory(settings.limits.clone()))
}

/// Opens the store for a dry run. A missing file store is replaced with an empty one in memory.
///
/// # Errors
/// The errors of [`open`].
pub async fn open_to_try(setting: &StoreSetting) -> Result<Content, StartError> {
    match setting {
        StoreSetting::File(folder) if !folder.exists() => {
            Ok(Content::open(of_file(EmbeddedStore::in_memory()?), Clock::System, Sharing::Alone).await?)
        }
        setting => open(setting, Missing::Create).await,
    }
}

/// Opens the store for a check. The checksum of each page of a store file is verified. `repairs`: whether it will be written; otherwise, a store on a read-only
/// disk is also accepted.
///
/// # Errors
/// The errors of [`open`].
pub async fn open_to_check(setting: &StoreSetting, repairs: bool) -> Result<Content, StartError> {
    let StoreSetting::File(folder) = setting else { return open(setting, Missing::Refuse).await };
    require_file(folder)?;
    let opened = open_or_connect(folder, || match EmbeddedStore::open_verified(folder) {
        Err(StoreError::ReadOnly(_)) if !repairs => Ok(EmbeddedStore::open_read_only(folder, true)?),
        opened => Ok(opened?),
    });
    content(opened.await?).await
}

/// Opens the store for an export: like [`open`], but also accepts a store on a read-only disk.
///
/// # Errors
/// The errors of [`open`].
pub async fn open_to_export(setting: &StoreSetting) -> Result<Content, StartError> {
    match open(setting, Missing::Refuse).await {
        Err(StartError::Store(StoreError::ReadOnly(_))) => read_only(setting).await,
        opened => opened,
    }
}

/// Opens a store file, and the storage of its pictures, without writing. A missing folder of pictures is not created and counts as empty.
///
/// # Errors
/// The errors of [`open`] and [`open_assets`], and for a store on Azure.
pub async fn open_read_only(
    setting: &StoreSetting,
    assets: &AssetSettings,
) -> Result<(Content, Option<AssetLibrary>), StartError> {
    let content = read_only(setting).await?;
    let library = match &assets.place {
        Some(AssetPlace::Folder(folder)) if !folder.exists() => None,
        _ => open_assets(assets, Missing::Refuse).await?,
    };
    Ok((content, library))
}

async fn read_only(setting: &StoreSetting) -> Result<Content, StartError> {
    let StoreSetting::File(folder) = setting else { return refused("--read-only is for a store in a file".to_owned()) };
    require_file(folder)?;
    let store = EmbeddedStore::open_read_only(folder, false)?;
    content((of_file(store), Sharing::Alone)).await
}

fn require_file(folder: &Path) -> Result<(), StartError> {
    match EmbeddedStore::is_at(folder)? {
        true => Ok(()),
        false => refused(format!(
            "there is no store at {}: make one with `tidings import PATH` or `tidings serve --import PATH` (or an empty one with \
             `tidings serve --create`), or name another with --store",
            folder.display()
        )),
    }
}

/// Opens the store for a command, or connects to the server that has it open.
///
/// # Errors
/// If it cannot be opened, or is missing and not created.
pub async fn open(setting: &StoreSetting, missing: Missing) -> Result<Content, StartError> {
    match setting {
        StoreSetting::File(folder) => content(open_or_connect(folder, || open_file(folder, missing)).await?).await,
        StoreSetting::Azure(_) => open_to_serve(setting, missing).await,
    }
}

fn open_file(folder: &Path, missing: Missing) -> Result<EmbeddedStore, StartError> {
    match missing {
        Missing::Create => Ok(EmbeddedStore::open(folder)?),
        Missing::Refuse => {
            require_file(folder)?;
            Ok(EmbeddedStore::open_existing(folder)?)
        }
    }
}

/// The maximum time that a command waits for a server that is starting, or for a process that is stopping.
const LOCKED_MAX: Duration = Duration::from_secs(2);
/// The maximum time that a server waits for a command that uses the store file.
const LOCKED_BY_COMMAND_MAX: Duration = Duration::from_secs(60);
const LOCKED_PAUSE: Duration = Duration::from_millis(50);

/// The store of the server that has the file open, or the file.
async fn open_or_connect(
    folder: &Path,
    open: impl Fn() -> Result<EmbeddedStore, StartError>,
) -> Result<(Store, Sharing), StartError> {
    let begun = Instant::now();
    loop {
        if let Some(store) = SocketStore::connect(folder)? {
            return Ok((Arc::new(store), Sharing::Beside { seen_within: SEEN_WITHIN }));
        }
        match open() {
            Err(StartError::Store(StoreError::Locked(_))) if begun.elapsed() < LOCKED_MAX => {}
            opened => return Ok((of_file(opened?), Sharing::Alone)),
        }
        tokio::time::sleep(LOCKED_PAUSE).await;
    }
}

/// Opens the file once no command uses it any more. If another server has it open, the error comes at once.
async fn open_file_to_serve(folder: &Path, missing: Missing) -> Result<EmbeddedStore, StartError> {
    let begun = Instant::now();
    loop {
        match open_file(folder, missing) {
            Err(StartError::Store(locked @ StoreError::Locked(_))) => {
                let is_of_server = !matches!(SocketStore::connect(folder), Ok(None));
                if is_of_server || begun.elapsed() > LOCKED_BY_COMMAND_MAX {
                    return Err(locked.into());
                }
            }
            opened => return opened,
        }
        tokio::time::sleep(LOCKED_PAUSE).await;
    }
}

async fn content((store, sharing): (Store, Sharing)) -> Result<Content, StartError> {
    let content = Content::open(Arc::clone(&store), Clock::System, sharing).await?;
    require_complete(&store).await?;
    Ok(content)
}

/// Opens the store for a server. A store file must not be open in another server; the server waits for a command that uses it.
///
/// # Errors
/// The errors of [`open`].
pub async fn open_to_serve(setting: &StoreSetting, missing: Missing) -> Result<Content, StartError> {
    let opened: (Store, Sharing) = match setting {
        StoreSetting::File(folder) => (of_file(open_file_to_serve(folder, missing).await?), Sharing::Alone),
        StoreSetting::Azure(settings) => {
            (open_azure(settings, missing).await?, Sharing::Shared { seen_within: SEEN_WITHIN })
        }
    };
    content(opened).await
}

/// Opens or creates a store to restore a backup into it. The caller finds out whether it is empty.
///
/// # Errors
/// If it cannot be opened, or another process has it open.
pub async fn open_to_restore(setting: &StoreSetting) -> Result<Store, StartError> {
    match setting {
        StoreSetting::File(folder) => Ok(of_file(EmbeddedStore::open(folder)?)),
        StoreSetting::Azure(settings) => open_azure(settings, Missing::Create).await,
    }
}

async fn open_azure(settings: &AzureSettings, missing: Missing) -> Result<Store, StartError> {
    let store = Arc::new(AzureStore::connect(settings)?);
    let prefix = &settings.table_prefix;
    match store.has_table(Content::POSTS_TABLE).await? {
        // The table of the log is created before the others.
        true if !store.has_table(Content::LOG.table).await? => {
            return refused(format!(
                "the tables with the prefix {prefix:?} were written by an earlier version of Tidings, which kept no log: export them with that \
                 version (`tidings export FOLDER`), and import the folder into a new prefix (`tidings import FOLDER --table-prefix PREFIX`)"
            ));
        }
        false if missing == Missing::Refuse => {
            return refused(format!(
                "the Azure account has no Tidings tables with the prefix {prefix:?}: create them with `tidings import PATH` or `tidings serve \
                 --import PATH` (or empty ones with `tidings serve --create`), or name another prefix with --table-prefix"
            ));
        }
        _ => {}
    }
    let observed = Arc::new(ObservedStore::new(store, RequestKind::Azure));
    // The log is the outer wrapper, so that its requests are also observed.
    Ok(Arc::new(LogStore::new(observed, Content::LOG, Clock::System)))
}

fn of_file(store: EmbeddedStore) -> Store {
    let recording = RecordingStore::new(Arc::new(store), Content::LOG, Clock::System);
    Arc::new(ObservedStore::new(Arc::new(recording), RequestKind::File))
}
