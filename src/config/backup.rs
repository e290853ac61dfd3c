//! The storage of backups, from the settings or a command. The rule: it is complete, or the error names the missing setting.

use std::time::Duration;

use crate::assets::AssetPlace;
use crate::backup::BackupSchedule;

use super::assets::place_of;
use super::sources::Settings;
use super::{ConfigError, table::backup as own};

/// The storage that a command names.
///
/// # Errors
/// If the text is invalid, or a required setting is missing.
pub fn backup_place(settings: &Settings<'_>, text: &str) -> Result<AssetPlace, ConfigError> {
    place_of(settings, text, &own::PLACE)
}

/// # Errors
/// If a setting is invalid, or a required one is missing.
pub(super) fn backups(settings: &Settings<'_>) -> Result<Option<BackupSchedule>, ConfigError> {
    let Some(text) = settings.text(&own::PLACE) else { return Ok(None) };
    let every = Duration::from_secs(60 * settings.number(&own::EVERY_MINUTES)?);
    let keep = match settings.number(&own::KEEP_DAYS)? {
        0 => None,
        days => Some(Duration::from_secs(24 * 60 * 60 * days)),
    };
    Ok(Some(BackupSchedule {
        place: place_of(settings, &text, &own::PLACE)?,
        every,
        tokens: settings.is_on(&own::TOKENS)?,
        keep,
    }))
}
