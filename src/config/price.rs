//! The prices of storage requests. The rule: a price is shown with its source and its date, so one that is set has both.

use crate::graphql::explain::money::StoragePrices;

use super::sources::{SettingSource, Settings};
use super::{ConfigError, table};

/// # Errors
/// If a setting is invalid, or a price or the currency is set without the source and the date of the prices.
pub(super) fn prices(settings: &Settings<'_>) -> Result<StoragePrices, ConfigError> {
    let is_set = |setting| settings.find(setting).is_some_and(|found| found.source != SettingSource::Default);
    let prices =
        [&table::PRICE_POINT_READS, &table::PRICE_RANGE_READS, &table::PRICE_TRANSACTIONS, &table::PRICE_CURRENCY];
    let of_prices = [&table::PRICE_SOURCE, &table::PRICE_DATE];
    if let (Some(price), false) = (prices.into_iter().find(|price| is_set(price)), of_prices.into_iter().all(is_set)) {
        return Err(settings.error_of(price, "set price.source and price.date too, which are shown with the prices"));
    }
    Ok(StoragePrices {
        point_reads: settings.need(&table::PRICE_POINT_READS)?,
        range_reads: settings.need(&table::PRICE_RANGE_READS)?,
        transactions: settings.need(&table::PRICE_TRANSACTIONS)?,
        currency: settings.need(&table::PRICE_CURRENCY)?,
        source: settings.need(&table::PRICE_SOURCE)?,
        date: settings.need(&table::PRICE_DATE)?,
    })
}
