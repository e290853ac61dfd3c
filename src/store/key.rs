//! A row's address, and a range of rows. The rule: every store accepts every `Key`.

use std::fmt;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use super::error::StoreError;

/// The longest PartitionKey or RowKey in bytes. Azure's limit is 1 KiB of UTF-16, in which each character of our ASCII keys takes two bytes.
pub const KEY_BYTES_MAX: usize = 512;

/// The address of a row: both parts are ASCII without control characters and without `/ \ # ? ' %`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "(CompactString, CompactString)", into = "(CompactString, CompactString)")]
pub struct Key {
    partition: CompactString,
    row: CompactString,
}

impl Key {
    /// # Errors
    /// [`StoreError::Limit`] if a part is too long or has an invalid character.
    pub fn new(partition: impl Into<CompactString>, row: impl Into<CompactString>) -> Result<Self, StoreError> {
        let (partition, row) = (partition.into(), row.into());
        check_part("PartitionKey", &partition)?;
        check_part("RowKey", &row)?;
        Ok(Self { partition, row })
    }

    pub fn partition(&self) -> &str {
        &self.partition
    }

    pub fn row(&self) -> &str {
        &self.row
    }
}

impl TryFrom<(CompactString, CompactString)> for Key {
    type Error = StoreError;

    fn try_from((partition, row): (CompactString, CompactString)) -> Result<Self, StoreError> {
        Self::new(partition, row)
    }
}

impl From<Key> for (CompactString, CompactString) {
    fn from(Key { partition, row }: Key) -> Self {
        (partition, row)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.partition, self.row)
    }
}

/// A range of rows in one partition: `from` inclusive, `to` exclusive; `None` leaves that side open.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RowRange {
    partition: String,
    from: Option<String>,
    to: Option<String>,
    is_of_keys: bool,
}

impl RowRange {
    /// # Errors
    /// [`StoreError::Limit`] if the partition or a bound is not a valid key.
    pub fn new(partition: impl Into<String>, from: Option<String>, to: Option<String>) -> Result<Self, StoreError> {
        let partition = partition.into();
        check_part("PartitionKey", &partition)?;
        for bound in [&from, &to].into_iter().flatten() {
            check_part("RowKey", bound)?;
        }
        Ok(Self { partition, from, to, is_of_keys: false })
    }

    pub fn partition(&self) -> &str {
        &self.partition
    }

    /// The same range from this row on, or from its own start if that comes later.
    ///
    /// # Errors
    /// [`StoreError::Limit`] if the text is not a valid key.
    pub fn starting_at(&self, row: String) -> Result<Self, StoreError> {
        check_part("RowKey", &row)?;
        let from = self.from.clone().map_or(row.clone(), |own| own.max(row));
        Ok(Self { from: Some(from), ..self.clone() })
    }

    /// The same range for a caller that uses only the keys of the rows.
    #[must_use]
    pub fn of_keys(self) -> Self {
        Self { is_of_keys: true, ..self }
    }

    /// Whether a store may omit everything but the keys of the rows.
    pub fn is_of_keys(&self) -> bool {
        self.is_of_keys
    }

    pub fn from(&self) -> Option<&str> {
        self.from.as_deref()
    }

    pub fn to(&self) -> Option<&str> {
        self.to.as_deref()
    }
}

impl fmt::Display for RowRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (self.from.as_deref().unwrap_or(""), self.to.as_deref().unwrap_or(""));
        write!(f, "({}, {from}..{to})", self.partition)
    }
}

fn check_part(which: &'static str, text: &str) -> Result<(), StoreError> {
    if text.len() > KEY_BYTES_MAX {
        return Err(StoreError::limit(format!("a {which} has {} bytes; the limit is {KEY_BYTES_MAX}", text.len())));
    }
    // The check is by byte, because it runs for every key that is read. No byte of a non-ASCII character is allowed in a key.
    if text.bytes().all(|byte| is_key_char(char::from(byte))) {
        return Ok(());
    }
    match text.chars().find(|c| !is_key_char(*c)) {
        Some(bad) => {
            Err(StoreError::limit(format!("a {which} has the character {bad:?}, which is not allowed in a key")))
        }
        None => Ok(()),
    }
}

/// Whether a key may have this character. `/ \ # ?` and control characters are Azure's rule; `'` and `%` break its URLs.
pub fn is_key_char(c: char) -> bool {
    matches!(c, ' '..='~') && !matches!(c, '/' | '\\' | '#' | '?' | '\'' | '%')
}
