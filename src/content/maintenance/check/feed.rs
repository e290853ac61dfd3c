//! Checks `Feed`. The rule: each row can be followed; what it announces is not compared with anything. Its rows are not counted, because they are no
//! content.

use crate::content::error::Result;
use crate::content::tables::scan_all;
use crate::keys::Table;
use crate::store::{FeedStore, Store};

use super::fix::Fix;
use super::report::CheckReport;

pub(super) async fn check(store: &Store, report: &mut CheckReport) -> Result<()> {
    for row in scan_all(store, Table::Feed).await? {
        if let Err(error) = FeedStore::check_row(&row) {
            report.add(Table::Feed, &row.key, format!("cannot be followed: {error}"), Fix::FEED);
        }
    }
    Ok(())
}
