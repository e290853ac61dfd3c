//! The limits of what a client may cost, for each operation and each second. The rule: a setting that would have no effect is an error.

use crate::graphql::fair_use::{FairUseSettings, Rate};

use super::sources::Settings;
use super::table::{fair_use as table, limits as bounds};
use super::{ConfigError, Setting};

/// The default burst of a rate, in seconds.
const BURST_SECONDS: u64 = 10;

/// The maximum cost of an operation, and of one without a token.
pub(super) fn storage_requests(settings: &Settings<'_>) -> Result<(u64, u64), ConfigError> {
    let of_all = settings.number(&bounds::STORAGE_REQUESTS)?;
    let anonymous = settings.number(&table::ANONYMOUS_STORAGE_REQUESTS)?;
    Ok((of_all, if anonymous == 0 { of_all } else { anonymous }))
}

/// # Errors
/// If a burst is set without its rate, or would take more than an hour to be restored.
pub(super) fn fair_use(settings: &Settings<'_>) -> Result<FairUseSettings, ConfigError> {
    Ok(FairUseSettings {
        token: rate(settings, &table::TOKEN_RATE, &table::TOKEN_BURST)?,
        address: rate(settings, &table::ADDRESS_RATE, &table::ADDRESS_BURST)?,
        anonymous: rate(settings, &table::ANONYMOUS_RATE, &table::ANONYMOUS_BURST)?,
    })
}

/// `None` if the rate is 0.
fn rate(
    settings: &Settings<'_>,
    of_rate: &'static Setting,
    of_burst: &'static Setting,
) -> Result<Option<Rate>, ConfigError> {
    let burst = match (settings.number(of_rate)?, settings.number(of_burst)?) {
        (0, 0) => return Ok(None),
        (0, _) => return Err(settings.error_of(of_burst, format!("it has no effect without {}", of_rate.key))),
        (per_second, 0) => per_second.saturating_mul(BURST_SECONDS),
        (_, burst) => burst,
    };
    let rate = Rate::new(settings.number(of_rate)?, burst);
    let named = if settings.is_set(of_burst) { of_burst } else { of_rate };
    rate.map(Some).map_err(|error| settings.error_of(named, error))
}
