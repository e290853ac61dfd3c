//! Opens the store and the place of the pictures as each command needs them. The rule: only a command that writes content creates a store, and only if nothing
//! of one exists; a store that can only be read is opened by the commands that only read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::assets::{AssetError, AssetLibrary, AssetPlace};
use crate::clock::Clock;
use crate::config::{AssetSettings, StoreSetting};
use crate::content::{Content, ContentError, Sharing};
use crate::store::azure::AzureStore;
use crate::store::embedded::EmbeddedStore;
use crate::store::observed::RequestKind;
use crate::store::{FeedStore, ObservedStore, Store, StoreError};

use super::SEEN_WITHIN;

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("there is no store at {}: make one with `tidings import PATH` or `tidings serve --import PATH` (or an empty one with \
             `tidings serve --create`), or name another with --store", .0.display())]
    Missing(PathBuf),
    #[error(
        "the Azure account has no Tidings tables with the prefix {0:?}: create them with `tidings import PATH` or `tidings serve \
             --import PATH` (or empty ones with `tidings serve --create`), or name another prefix with --table-prefix"
    )]
    MissingTables(String),
    #[error("--read-only is for a store in a file")]
    NoFile,
    #[error("the place of the pictures, {0}, cannot be used; name another with --assets")]
    Assets(String, #[source] AssetError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Content(#[from] ContentError),
}

/// What to do if the store does not exist yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Create it: for commands that write content.
    Create,
    /// Return an error: a command that only reads was probably given the wrong store.
    Refuse,
}

/// Opens the store, migrates it, and completes the changes that a stopped server left unfinished.
///
/// # Errors
/// If the store does not exist and must not be created, or cannot be opened. The message says what to do.
pub async fn open(setting: &StoreSetting, missing: Missing) -> Result<Content, StartError> {
    let content = open_without_recovery(setting, missing).await?;
    content.migrate().await?;
    content.recover().await?;
    // A command that only reads ends without another report.
    content.finish_writes().await;
    Ok(content)
}

/// The pictures of a site; `None` if the settings have no place for them. A folder is always created, a container if it is missing and `Create`.
///
/// # Errors
/// If the place does not exist and is not created, or the credentials for it are refused.
pub async fn open_assets(settings: &AssetSettings, missing: Missing) -> Result<Option<AssetLibrary>, StartError> {
    let Some(place) = &settings.place else { return Ok(None) };
    let opened = AssetLibrary::open(place, missing == Missing::Create, settings.limits).await;
    opened.map(Some).map_err(|error| StartError::Assets(place.to_string(), error))
}

/// The same for a dry run, which stores no picture.
pub fn assets_to_try(settings: &AssetSettings) -> Option<AssetLibrary> {
    settings.place.as_ref().map(|_| AssetLibrary::in_memory(settings.limits))
}

/// Opens the store for a dry run. A missing file store is replaced with an empty one in memory.
///
/// # Errors
/// As [`open`].
pub async fn open_to_try(setting: &StoreSetting) -> Result<Content, StartError> {
    match setting {
        StoreSetting::File(folder) if !folder.exists() => {
            Ok(Content::open(of_file(EmbeddedStore::in_memory()?), Clock::System, Sharing::Alone).await?)
        }
        setting => open_without_recovery(setting, Missing::Create).await,
    }
}

/// Opens the store for a check, without migration and recovery. The checksum of each page of a store file is verified. `repairs`: it will be written;
/// otherwise a store on a read-only disk is opened too.
///
/// # Errors
/// As [`open`].
pub async fn open_to_check(setting: &StoreSetting, repairs: bool) -> Result<Content, StartError> {
    let StoreSetting::File(folder) = setting else { return open_without_recovery(setting, Missing::Refuse).await };
    require_file(folder)?;
    let store = match EmbeddedStore::open_verified(folder) {
        Err(StoreError::ReadOnly(_)) if !repairs => EmbeddedStore::open_read_only(folder, true)?,
        opened => opened?,
    };
    Ok(Content::open(of_file(store), Clock::System, Sharing::Alone).await?)
}

/// Opens the store for an export: as [`open`], and a store on a read-only disk as it is.
///
/// # Errors
/// As [`open`].
pub async fn open_to_export(setting: &StoreSetting) -> Result<Content, StartError> {
    match open(setting, Missing::Refuse).await {
        Err(StartError::Store(StoreError::ReadOnly(_))) => read_only(setting).await,
        opened => opened,
    }
}

/// Opens a store file, and the place of its pictures, only to read them: nothing is migrated, recovered or written. A folder of pictures that does not exist
/// has none, and is not created.
///
/// # Errors
/// As [`open`] and [`open_assets`], and for a store on Azure.
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
    let StoreSetting::File(folder) = setting else { return Err(StartError::NoFile) };
    require_file(folder)?;
    let store = EmbeddedStore::open_read_only(folder, false)?;
    Ok(Content::open(of_file(store), Clock::System, Sharing::Alone).await?)
}

fn require_file(folder: &Path) -> Result<(), StartError> {
    if EmbeddedStore::is_at(folder)? { Ok(()) } else { Err(StartError::Missing(folder.to_owned())) }
}

/// Opens the store without migration and recovery.
///
/// # Errors
/// As [`open`].
pub async fn open_without_recovery(setting: &StoreSetting, missing: Missing) -> Result<Content, StartError> {
    let (store, sharing): (Store, Sharing) = match setting {
        StoreSetting::File(folder) if missing == Missing::Create => {
            (of_file(EmbeddedStore::open(folder)?), Sharing::Alone)
        }
        StoreSetting::File(folder) => {
            require_file(folder)?;
            (of_file(EmbeddedStore::open_existing(folder)?), Sharing::Alone)
        }
        StoreSetting::Azure(settings) => {
            let store = Arc::new(AzureStore::connect(settings)?);
            if missing == Missing::Refuse && !store.has_table(Content::POSTS_TABLE).await? {
                return Err(StartError::MissingTables(settings.table_prefix.clone()));
            }
            let observed = Arc::new(ObservedStore::new(store, RequestKind::Azure));
            // Outside, so that the requests of the feed are observed too.
            let announced = FeedStore::new(observed, Content::FEED, Clock::System);
            (Arc::new(announced), Sharing::Shared { seen_within: SEEN_WITHIN })
        }
    };
    Ok(Content::open(store, Clock::System, sharing).await?)
}

fn of_file(store: EmbeddedStore) -> Store {
    Arc::new(ObservedStore::new(Arc::new(store), RequestKind::File))
}
