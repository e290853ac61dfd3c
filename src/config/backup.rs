//! The place of backups, of the settings or of a command. The rule: it is complete, or the error says what is missing.

use std::time::Duration;

use crate::assets::AssetPlace;
use crate::backup::BackupSchedule;

use super::assets::place_of;
use super::sources::Settings;
use super::{ConfigError, table::backup as own};

/// The place that a command names.
///
/// # Errors
/// If it is no place, or needs a setting.
pub fn backup_place(settings: &Settings<'_>, text: &str) -> Result<AssetPlace, ConfigError> {
    place_of(settings, text, &own::PLACE)
}

/// # Errors
/// If a setting is invalid, or the place needs another one.
pub(super) fn backups(settings: &Settings<'_>) -> Result<Option<BackupSchedule>, ConfigError> {
    let Some(text) = settings.text(&own::PLACE) else { return Ok(None) };
    let every = Duration::from_secs(60 * settings.number(&own::EVERY_MINUTES)?);
    Ok(Some(BackupSchedule {
        place: place_of(settings, &text, &own::PLACE)?,
        every,
        tokens: settings.is_on(&own::TOKENS)?,
    }))
}
