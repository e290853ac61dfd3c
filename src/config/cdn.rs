//! The settings of a CDN in front of the server. The rule: a setting that would have no effect is an error, unless `cdn.seconds = 0` was written to
//! switch all of them off.

use std::time::Duration;

use crate::http::cdn::CdnSettings;
use crate::purge::{CdnKind, PurgeSettings, PurgeToken, PurgeUrl, Purges};

use super::sources::Settings;
use super::table::{self, cdn as own};
use super::{ConfigError, Setting};

/// `None` if no CDN may cache an answer.
///
/// # Errors
/// If a setting is invalid, or has no effect without another one.
pub(super) fn cdn(settings: &Settings<'_>) -> Result<Option<CdnSettings>, ConfigError> {
    let fresh_for = settings.seconds(&own::SECONDS)?;
    let stale_for = settings.seconds(&own::STALE_SECONDS)?;
    let kind: Option<CdnKind> = settings.parse(&own::KIND)?;
    let (tag_bytes, url) = (settings.count(&own::TAG_BYTES)?, settings.parse::<PurgeUrl>(&own::PURGE_URL)?);
    let token_setting = settings.deciding(&own::PURGE_TOKEN, &own::PURGE_TOKEN_FILE);
    let token = settings.secret(&own::PURGE_TOKEN, &own::PURGE_TOKEN_FILE)?;
    let token = token.map(|text| text.parse::<PurgeToken>()).transpose();
    let token = token.map_err(|error| settings.error_of(token_setting, error))?;
    let useless = |setting: &'static Setting, without: &'static Setting| {
        Err(settings.error_of(setting, format!("it has no effect without {}", without.key)))
    };
    if token.is_some() && url.is_none() {
        return useless(token_setting, &own::PURGE_URL);
    }
    if url.is_some() && kind.is_none() {
        return useless(&own::PURGE_URL, &own::KIND);
    }
    if fresh_for.is_zero() {
        return match (kind, stale_for.is_zero()) {
            _ if settings.is_set(&own::SECONDS) => Ok(None),
            (Some(_), _) => useless(&own::KIND, &own::SECONDS),
            (None, false) => useless(&own::STALE_SECONDS, &own::SECONDS),
            (None, true) => Ok(None),
        };
    }
    if settings.find_number(&table::limits::ANSWER_CACHE_BYTES)? == Some(0) {
        return useless(&own::SECONDS, &table::limits::ANSWER_CACHE_BYTES);
    }
    let purges = match (kind, url) {
        (Some(kind), Some(url)) => Some(purges(settings, &PurgeSettings { kind, url, token }, fresh_for + stale_for)?),
        _ => None,
    };
    Ok(Some(CdnSettings { fresh_for, stale_for, kind, tag_bytes, purges }))
}

fn purges(settings: &Settings<'_>, purge: &PurgeSettings, cached_for: Duration) -> Result<Purges, ConfigError> {
    Purges::of_server(purge, cached_for).map_err(|error| settings.error_of(&own::PURGE_URL, error))
}
