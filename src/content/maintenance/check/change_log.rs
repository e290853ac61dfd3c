//! Checks `ChangeLog`: the changes in their order. The rule: followers can continue from every entry, so each row can be read, no number is
//! missing, and the head does not name an entry that does not exist. Its rows are not counted, because they are not content, and not compared
//! with anything, because they describe the past.

use crate::content::error::Result;
use crate::content::tables::rows::change_log as rows;
use crate::keys::Table;
use crate::keys::change_log::{self, LogKey};
use crate::store::{Entity, Store};

use super::fix::Fix;
use super::partition::Partitions;
use super::report::CheckReport;

pub(super) async fn check(store: &Store, report: &mut CheckReport) -> Result<()> {
    let mut partitions = Partitions::of(store, Table::ChangeLog);
    while let Some(partition) = partitions.next().await? {
        // In the order of the keys: the head comes before the entries, so those that it names are among them.
        let (mut head, mut last) = (None, None);
        for row in &partition {
            match change_log::parse(&row.key) {
                None => report.add(Table::ChangeLog, &row.key, "is not a row of this table", Fix::ORPHAN),
                Some(LogKey::Due(..)) => {}
                Some(LogKey::Head) => head = Some((row, read_head(row, report))),
                Some(LogKey::Entry(number)) => {
                    if let Err(error) = rows::read_entry(row) {
                        report.add_unreadable(Table::ChangeLog, row, &error, Fix::ChangeLog);
                    }
                    if last.is_some_and(|last| last + 1 != number) && !is_first(store, number).await? {
                        report.add(Table::ChangeLog, &row.key, "is not after the number before it", Fix::ChangeLog);
                    }
                    last = Some(number);
                }
            }
        }
        match (head, last) {
            (Some((row, Some(newest))), last) if last.is_none_or(|last| last < newest) => {
                report.add(Table::ChangeLog, &row.key, "names an entry that does not exist", Fix::ChangeLog);
            }
            (None, Some(last)) => {
                report.add(Table::ChangeLog, &change_log::entry(last), "is in a log without a head", Fix::ChangeLog);
            }
            _ => {}
        }
    }
    Ok(())
}

fn read_head(row: &Entity, report: &mut CheckReport) -> Option<i64> {
    let head = rows::read_head(row);
    if let Err(error) = &head {
        report.add_unreadable(Table::ChangeLog, row, error, Fix::ChangeLog);
    }
    head.ok().map(|head| head.sequence)
}

/// Whether the entries before this one have been dropped meanwhile.
async fn is_first(store: &Store, number: i64) -> Result<bool> {
    let page = store.range(Table::ChangeLog.name(), &change_log::entries(0, None).of_keys(), 1, None).await?;
    Ok(page.rows.first().is_some_and(|first| first.key.row() >= change_log::entry(number).row()))
}
