//! The settings of pictures. The rule: a file store always has a place for them.

use std::path::PathBuf;

use crate::assets::AssetLimits;

use super::sources::Settings;
use super::{ConfigError, StoreSetting, table::assets as table};

/// Where the pictures are, and their limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssetSettings {
    /// `None`: the site has no pictures.
    pub folder: Option<PathBuf>,
    pub limits: AssetLimits,
}

/// # Errors
/// If a setting is invalid.
pub fn assets(settings: &Settings<'_>, store: &StoreSetting) -> Result<AssetSettings, ConfigError> {
    let beside = match store {
        StoreSetting::File(folder) => Some(folder.join("assets")),
        StoreSetting::Azure(_) => None,
    };
    Ok(AssetSettings {
        folder: settings.parse(&table::PATH)?.or(beside),
        limits: AssetLimits {
            file_bytes: settings.number(&table::FILE_BYTES)?,
            file_time: settings.seconds(&table::FILE_SECONDS)?,
        },
    })
}
