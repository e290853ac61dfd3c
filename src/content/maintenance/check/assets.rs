//! Checks `Assets`. The rule: each asset has a row of its own and a copy in the list, which are equal.

use std::collections::BTreeMap;

use crate::content::error::Result;
use crate::content::tables::rows::asset as rows;
use crate::content::tables::scan_all;
use crate::keys::Table;
use crate::keys::asset::{self as keys, AssetRow};
use crate::model::{Asset, AssetHash};
use crate::store::Store;

use super::fix::Fix;
use super::report::CheckReport;

pub(super) async fn check(store: &Store, report: &mut CheckReport) -> Result<()> {
    let (mut assets, mut listed) = (BTreeMap::new(), Vec::new());
    for row in scan_all(store, Table::Assets).await? {
        report.rows += 1;
        let read = match keys::parse(&row.key) {
            Some(AssetRow::Asset(hash)) => rows::read(&row).map(|asset| drop(assets.insert(hash, asset))),
            Some(AssetRow::Listed(..)) => rows::read(&row).map(|asset| listed.push(asset)),
            // A change that is under way.
            Some(AssetRow::Pending(_)) => rows::read_pending(&row).map(drop),
            None => {
                report.add(Table::Assets, &row.key, "is not a row of this table", Fix::ORPHAN);
                continue;
            }
        };
        if let Err(error) = read {
            report.add_unreadable(Table::Assets, &row, &error, Fix::ASSET);
        }
    }
    compare(assets, listed, report);
    Ok(())
}

fn compare(mut assets: BTreeMap<AssetHash, Asset>, listed: Vec<Asset>, report: &mut CheckReport) {
    for copy in listed {
        let is_equal = assets.remove(copy.hash()).is_some_and(|asset| asset == copy);
        if !is_equal {
            let key = keys::listed(copy.created_at, copy.hash());
            report.add(Table::Assets, &key, "is not equal to the row of the asset", Fix::ASSET);
        }
    }
    for hash in assets.into_keys() {
        report.add(Table::Assets, &keys::asset(&hash), "is not in the list of assets", Fix::ASSET);
    }
}
