//! `Months`. The rule: each month that holds posts is listed under its own row, with a copy of its own count.

use std::collections::HashMap;

use crate::content::directory::scan_all;
use crate::content::error::Result;
use crate::content::rows::count::Count;
use crate::content::rows::directory::read_month;
use crate::content::write::directory::Partition;
use crate::keys::{Table, place};
use crate::model::Month;
use crate::store::Store;

use super::{Mend, Report};

/// `counts`: the count rows of `Posts`, by their partitions.
pub(super) async fn check(store: &Store, mut counts: HashMap<String, Count>, report: &mut Report) -> Result<()> {
    for row in scan_all(store, Table::Months).await? {
        report.rows += 1;
        let stray = Mend::StrayListing { table: Table::Months, key: row.key.clone() };
        let of_row = place::parse_month_row(&row.key);
        let listed = match (read_month(&row), of_row) {
            (Ok(listed), _) => listed,
            (Err(e), Some(month)) => {
                counts.remove(&place::month_partition(month));
                report.add_unreadable(Table::Months, &row, &e, Mend::Listing(Partition::Month(month)));
                continue;
            }
            (Err(e), None) => {
                report.add_unreadable(Table::Months, &row, &e, Mend::STRANGER);
                continue;
            }
        };
        let month: Month = listed.partition;
        if of_row != Some(month) {
            // The row under its own key stays to be found, or to be missed.
            report.add(Table::Months, &row.key, format!("lists {month}, whose row is another"), stray);
            continue;
        }
        let own = counts.remove(&place::month_partition(month)).unwrap_or_default();
        if own != listed.count {
            let what = format!("says that {month} has {} posts; it counts {}", listed.count.rows, own.rows);
            report.add(Table::Months, &row.key, what, Mend::Listing(Partition::Month(month)));
        }
    }
    for (partition, count) in counts {
        if let (true, Ok(month)) = (count.rows > 0, partition.parse::<Month>()) {
            let what = format!("is missing; {month} has {} posts", count.rows);
            report.add(Table::Months, &place::month_row(month), what, Mend::Listing(Partition::Month(month)));
        }
    }
    Ok(())
}
