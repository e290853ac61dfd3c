//! Checks `Tokens`. The rule: each row is a token, or the key of preview links. No other row points to them, so there is nothing to
//! compare them with.

use crate::content::error::Result;
use crate::content::tables::rows::token as rows;
use crate::content::tables::scan_all;
use crate::keys::{Table, token};
use crate::store::Store;

use super::fix::Fix;
use super::report::CheckReport;

pub(super) async fn check(store: &Store, report: &mut CheckReport) -> Result<()> {
    for row in scan_all(store, Table::Tokens).await? {
        report.rows += 1;
        let read = match token::parse(&row.key) {
            Some(_) => rows::read(&row).map(drop),
            None if row.key == token::preview_key() => rows::read_key(&row).and(rows::read_key_version(&row)).map(drop),
            None => {
                report.add(Table::Tokens, &row.key, "is not a row of this table", Fix::ORPHAN);
                continue;
            }
        };
        if let Err(error) = read {
            report.add_unreadable(Table::Tokens, &row, &error, Fix::TOKEN);
        }
    }
    Ok(())
}
