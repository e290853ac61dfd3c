//! Checks `Log`, which a store on tables writes itself. The rule: each row is an entry, the data of one, or the head.

use crate::content::error::Result;
use crate::keys::Table;
use crate::store::{Store, is_row_of_log};

use super::fix::Fix;
use super::report::CheckReport;

pub(super) async fn check(store: &Store, report: &mut CheckReport) -> Result<()> {
    let mut continuation = None;
    loop {
        let page = store.scan(Table::Log.name(), continuation.as_ref()).await?;
        for row in page.rows.iter().filter(|row| !is_row_of_log(&row.key)) {
            report.add(Table::Log, &row.key, "is not a row of this table", Fix::ORPHAN);
        }
        continuation = page.continuation;
        if continuation.is_none() {
            return Ok(());
        }
    }
}
