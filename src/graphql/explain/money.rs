//! The prices of storage requests, for the plan of a request. The rule: the prices are settings with their source and date, because they
//! change and differ between accounts.

use std::str::FromStr;

use async_graphql::{Name, Value};

use crate::content::StorageUse;
use crate::graphql::cost::Bound;

/// The maximum price of 10,000 requests, so that a sum stays exact enough.
const PRICE_MAX: f64 = 1_000_000.0;
/// The maximum length of the source.
const SOURCE_CHARS_MAX: usize = 200;
/// Converts prices per 10,000 requests to the prices per million in a plan.
const PER_MILLION: f64 = 100.0;

/// The price of 10,000 requests of one kind, such as `0.00036`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RequestPrice(f64);

impl FromStr for RequestPrice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let price = text.parse().ok().filter(|price| (0.0..=PRICE_MAX).contains(price));
        price
            .map(Self)
            .ok_or_else(|| format!("{text:?} is not a price from 0 to {PRICE_MAX}; write one such as 0.00036"))
    }
}

/// A currency code of ISO 4217 with three letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Currency(String);

impl FromStr for Currency {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_code = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase());
        is_code
            .then(|| Self(text.to_owned()))
            .ok_or_else(|| format!("{text:?} is not a currency; write one such as USD"))
    }
}

/// Where the prices come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceSource(String);

impl FromStr for PriceSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.chars().count() <= SOURCE_CHARS_MAX {
            true => Ok(Self(text.to_owned())),
            false => Err(format!("the text has more than {SOURCE_CHARS_MAX} characters")),
        }
    }
}

/// A date such as `2026-07-22`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceDate(String);

impl FromStr for PriceDate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let day: Result<chrono::NaiveDate, _> = text.parse();
        match day {
            Ok(day) if day.to_string() == text => Ok(Self(text.to_owned())),
            _ => Err(format!("{text:?} is not a date; write one such as 2026-07-22")),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct StoragePrices {
    /// The prices are for 10,000 requests.
    pub point_reads: RequestPrice,
    pub range_reads: RequestPrice,
    pub transactions: RequestPrice,
    pub currency: Currency,
    pub source: PriceSource,
    pub date: PriceDate,
}

impl StoragePrices {
    /// `extensions.explain.price`. `used` is `None` if nothing was executed.
    pub(super) fn describe(&self, used: Option<&StorageUse>, bound: &Bound) -> Value {
        let spent = used.map(|used| {
            let point_reads = used.point_reads + used.empty_reads;
            let price = self.of_million(point_reads.into(), used.range_reads.into(), used.transactions.into());
            (Name::new("perMillionQueries"), Value::from(price))
        });
        let at_most = self.of_million(bound.point_reads, bound.range_reads, bound.transactions);
        let others = [
            ("perMillionQueriesAtMost", Value::from(at_most)),
            ("source", self.source.0.as_str().into()),
            ("date", self.date.0.as_str().into()),
        ];
        let others = others.map(|(name, value)| (Name::new(name), value));
        let currency = (Name::new("currency"), Value::from(self.currency.0.as_str()));
        Value::Object([currency].into_iter().chain(spent).chain(others).collect())
    }

    /// The price of a million operations with this many requests each, rounded to a millionth.
    fn of_million(&self, point_reads: u64, range_reads: u64, transactions: u64) -> f64 {
        let each =
            [(self.point_reads, point_reads), (self.range_reads, range_reads), (self.transactions, transactions)];
        let sum: f64 = each.into_iter().map(|(price, count)| price.0 * count as f64 * PER_MILLION).sum();
        (sum * 1e6).round() / 1e6
    }
}

/// The prices of standard, locally redundant Azure Table Storage, where all requests cost the same.
impl Default for StoragePrices {
    fn default() -> Self {
        let of_azure = RequestPrice(0.000_36);
        Self {
            point_reads: of_azure,
            range_reads: of_azure,
            transactions: of_azure,
            currency: Currency("USD".to_owned()),
            source: PriceSource(SOURCE.to_owned()),
            date: PriceDate(DATE.to_owned()),
        }
    }
}

/// "Azure Table Storage pricing": the price of 10,000 operations of any kind.
pub const AZURE_PRICE: &str = "0.00036";
pub const SOURCE: &str =
    "a secondary source, to be checked on https://azure.microsoft.com/pricing/details/storage/tables/";
/// The date of the price.
pub const DATE: &str = "2026-07-22";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_queries_cost_what_their_requests_cost() {
        let prices = StoragePrices { range_reads: RequestPrice(0.5), ..StoragePrices::default() };
        let used = StorageUse { point_reads: 31, range_reads: 2, ..StorageUse::default() };
        let price = prices.describe(Some(&used), &Bound::new(100, 0)).into_json().expect("JSON");
        assert_eq!(price["perMillionQueries"], 101.116);
        assert_eq!(price["perMillionQueriesAtMost"], 3.6);
        let dry = prices.describe(None, &Bound::new(100, 0)).into_json().expect("JSON");
        assert_eq!(dry.get("perMillionQueries"), None);
        assert_eq!(AZURE_PRICE.parse(), Ok(StoragePrices::default().point_reads));
    }

    #[test]
    fn what_is_no_price_currency_or_date_is_refused() {
        for text in ["", "-1", "NaN", "inf", "1e9", "0,1", "$1"] {
            assert!(text.parse::<RequestPrice>().is_err(), "{text}");
        }
        for text in ["usd", "US", "EURO", "U$D"] {
            assert!(text.parse::<Currency>().is_err(), "{text}");
        }
        for text in ["2026-02-30", "2026-7-1", "today", "22.07.2026"] {
            assert!(text.parse::<PriceDate>().is_err(), "{text}");
        }
        assert!("x".repeat(SOURCE_CHARS_MAX + 1).parse::<PriceSource>().is_err());
        assert!("0".parse::<RequestPrice>().is_ok() && "EUR".parse::<Currency>().is_ok());
    }
}
