//! The id of an entry of the audit log. The rule: it is the place of the entry, which never changes: the row of its change, and its index in that row.

use std::fmt;
use std::str::FromStr;

/// A row's key has 19 digits, a hyphen and 12 characters. Longer text is not read.
const ROW_BYTES_MAX: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChangeId {
    /// The RowKey of a row of `Changes`, which follows from the intent of the change.
    pub row: String,
    /// The index of the entry among those of the row.
    pub index: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the id of a change")]
pub struct BadChangeId;

impl fmt::Display for ChangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.row, self.index)
    }
}

impl FromStr for ChangeId {
    type Err = BadChangeId;

    fn from_str(text: &str) -> Result<Self, BadChangeId> {
        let (row, index) = text.rsplit_once('-').ok_or(BadChangeId)?;
        let is_row = row.len() <= ROW_BYTES_MAX
            && row.split_once('-').is_some_and(|(ticks, random)| {
                ticks.bytes().all(|b| b.is_ascii_digit()) && random.bytes().all(|b| b.is_ascii_alphanumeric())
            });
        let number: usize = index.parse().map_err(|_| BadChangeId)?;
        // An id has one spelling, so the number has no sign and no leading zero.
        let is_plain = number.to_string() == index;
        if is_row && is_plain { Ok(Self { row: row.to_owned(), index: number }) } else { Err(BadChangeId) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_is_written_and_other_texts_are_refused() {
        for text in ["2516238943999999999-0123456789ab-0", "2516238943999999999-0123456789ab-17"] {
            assert_eq!(text.parse::<ChangeId>().map(|id| id.to_string()), Ok(text.to_owned()));
        }
        let long = format!("{}-a-0", "1".repeat(64));
        for text in ["", "-", "1-a", "1-a-", "1-a-01", "1-a-+1", "1-a--1", "1/-a-0", "x-a-0", "1-a/b-0", "1-ä-0", &long]
        {
            assert_eq!(text.parse::<ChangeId>(), Err(BadChangeId), "{text}");
        }
    }
}
