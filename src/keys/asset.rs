//! `Assets`: the pictures and files of the site. The rule: all rows are in one partition, so that one transaction writes an asset, its copy in the list and its
//! step row.

use crate::model::instant::TICKS_MAX;
use crate::model::{AssetHash, Instant};
use crate::store::{Key, RowRange};

use super::{key, range, time};

pub const PARTITION: &str = "assets";

/// The kinds of rows in `Assets`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssetRow {
    Asset(AssetHash),
    /// The step row of an upload or deletion.
    Pending(AssetHash),
    /// The copy of the asset in the list.
    Listed(Instant, AssetHash),
}

pub fn asset(hash: &AssetHash) -> Key {
    key(PARTITION, format!("h-{hash}"))
}

pub fn pending(hash: &AssetHash) -> Key {
    key(PARTITION, format!("p-{hash}"))
}

/// The newest asset sorts first.
pub fn listed(created_at: Instant, hash: &AssetHash) -> Key {
    key(PARTITION, format!("t-{:019}-{hash}", time::inverted_ticks(created_at)))
}

/// The step rows, of which there are few.
pub fn all_pending() -> RowRange {
    range(PARTITION, Some("p-".to_owned()), Some("p.".to_owned()))
}

/// The list, from this row on.
pub fn list(from: Option<&str>) -> RowRange {
    range(PARTITION, Some(from.unwrap_or("t-").to_owned()), None)
}

/// Whether this is the RowKey of an asset in the list.
pub fn is_listed(row: &str) -> bool {
    let is_key = row.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_key && matches!(parse(&key(PARTITION, row)), Some(AssetRow::Listed(..)))
}

/// `None` if the row does not belong to this table.
pub fn parse(found: &Key) -> Option<AssetRow> {
    let (kind, rest) = found.row().split_once('-')?;
    let parsed = match kind {
        "h" => AssetRow::Asset(rest.parse().ok()?),
        "p" => AssetRow::Pending(rest.parse().ok()?),
        "t" => {
            let (inverted, hash) = rest.split_once('-')?;
            let at = Instant::from_ticks(TICKS_MAX.checked_sub(inverted.parse().ok()?)?)?;
            AssetRow::Listed(at, hash.parse().ok()?)
        }
        _ => return None,
    };
    let own = match &parsed {
        AssetRow::Asset(hash) => asset(hash),
        AssetRow::Pending(hash) => pending(hash),
        AssetRow::Listed(at, hash) => listed(*at, hash),
    };
    (own == *found).then_some(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_parses_as_it_was_made_and_the_newest_is_listed_first() {
        let hash: AssetHash = "0123456789abcdef0123456789abcdef01234567".parse().expect("a hash");
        let [older, newer] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"].map(|at| at.parse().expect("an instant"));
        assert_eq!(parse(&asset(&hash)), Some(AssetRow::Asset(hash.clone())));
        assert_eq!(parse(&pending(&hash)), Some(AssetRow::Pending(hash.clone())));
        assert_eq!(parse(&listed(older, &hash)), Some(AssetRow::Listed(older, hash.clone())));
        assert!(listed(newer, &hash).row() < listed(older, &hash).row());
        for row in ["h-0", "x-1", "t-1-0", "!count"] {
            assert_eq!(parse(&key(PARTITION, row)), None, "{row}");
        }
    }
}
