//! Checks `Idempotency`. The rule: each row can be read. Its key may have been used or not, and its post may be deleted, so there is nothing to
//! compare it with.

use crate::content::error::Result;
use crate::content::tables::rows::idempotency as rows;
use crate::content::tables::scan_all;
use crate::keys::{Table, idempotency};
use crate::store::Store;

use super::fix::Fix;
use super::report::CheckReport;

pub(super) async fn check(store: &Store, report: &mut CheckReport) -> Result<()> {
    for row in scan_all(store, Table::Idempotency).await? {
        report.rows += 1;
        if !idempotency::is_row(&row.key) {
            report.add(Table::Idempotency, &row.key, "is not a row of this table", Fix::ORPHAN);
        } else if let Err(error) = rows::read(&row) {
            report.add_unreadable(Table::Idempotency, &row, &error, Fix::HISTORY);
        }
    }
    Ok(())
}
