//! Checks `Months`. The rule: each month that holds posts is listed under its own row, with a copy of its own count.

use crate::content::error::Result;
use crate::content::tables::rows::partition_catalog::read_month;
use crate::content::tables::scan_all;
use crate::content::write::Partition;
use crate::keys::{Collection, Table, place};
use crate::model::Month;
use crate::store::Store;

use super::counts::Counts;
use super::fix::Fix;
use super::report::CheckReport;

pub(super) async fn check(store: &Store, mut counts: Counts, report: &mut CheckReport) -> Result<()> {
    for row in scan_all(store, Table::Months).await? {
        report.rows += 1;
        let of_row = place::parse_month_row(&row.key);
        let listed = match (read_month(&row), of_row) {
            (Ok(listed), _) => listed,
            (Err(e), Some((collection, month))) => {
                counts.remove(&(collection, place::month_partition(month)));
                report.add_unreadable(Table::Months, &row, &e, Fix::Listing(Partition::Month(collection, month)));
                continue;
            }
            (Err(_), None) => {
                report.add(Table::Months, &row.key, "is not a row of this table", Fix::ORPHAN);
                continue;
            }
        };
        let month: Month = listed.partition;
        let Some((collection, _)) = of_row.filter(|(_, of_row)| *of_row == month) else {
            // The row under the month's own key is checked separately, and reported if it is missing.
            let stray = Fix::StrayListing { table: Table::Months, key: row.key.clone() };
            report.add(Table::Months, &row.key, format!("lists {month}, which belongs under another key"), stray);
            continue;
        };
        let own = counts.remove(&(collection, place::month_partition(month))).unwrap_or_default();
        if own != listed.count {
            let what =
                format!("says that {month} has {} {}; it counts {}", listed.count.rows, noun(collection), own.rows);
            report.add(Table::Months, &row.key, what, Fix::Listing(Partition::Month(collection, month)));
        }
    }
    for ((collection, partition), count) in counts {
        if let (true, Ok(month)) = (count.rows > 0, partition.parse::<Month>()) {
            let (key, fix) = (place::month_row(collection, month), Fix::Listing(Partition::Month(collection, month)));
            report.add(
                Table::Months,
                &key,
                format!("is missing; {month} has {} {}", count.rows, noun(collection)),
                fix,
            );
        }
    }
    Ok(())
}

fn noun(collection: Collection) -> &'static str {
    match collection {
        Collection::Posts => "posts",
        Collection::Drafts => "drafts",
    }
}
