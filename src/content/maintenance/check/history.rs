//! Checks `Revisions` and `Changes`: earlier versions of posts, and what was changed. The rule: each row can be read as its key says. No other row
//! follows from them, so there is nothing to compare them with.

use crate::content::error::Result;
use crate::content::tables::rows::{change, post};
use crate::keys::{Table, history};
use crate::store::Store;

use super::fix::Fix;
use super::partition::Partitions;
use super::report::CheckReport;

pub(super) async fn check(store: &Store, report: &mut CheckReport) -> Result<()> {
    for table in [Table::Revisions, Table::Changes] {
        let mut partitions = Partitions::of(store, table);
        while let Some(rows) = partitions.next().await? {
            report.rows += rows.len() as u64;
            for row in rows {
                let read = match table {
                    Table::Revisions => history::parse_revision(&row.key).map(|_| post::read_whole(&row).map(drop)),
                    _ => history::parse_change(&row.key).map(|_| change::read(&row).map(drop)),
                };
                match read {
                    None => report.add(table, &row.key, "is not a row of this table", Fix::ORPHAN),
                    Some(Err(error)) => report.add_unreadable(table, &row, &error, Fix::HISTORY),
                    Some(Ok(())) => {
                        let checked =
                            if table == Table::Revisions { post::check_actor(&row) } else { change::check_actor(&row) };
                        if let Err(error) = checked {
                            report.add_unreadable(table, &row, &error, Fix::ACTOR);
                        }
                    }
                }
            }
        }
    }
    Ok(())
}
