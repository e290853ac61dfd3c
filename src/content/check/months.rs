//! `Months`. The rule: each month that holds posts is listed under its own row, with a copy of its own count.

use crate::content::directory::scan_all;
use crate::content::error::Result;
use crate::content::rows::directory::{awaited_by, read_month};
use crate::content::write::listing::Partition;
use crate::keys::{Shelf, Table, place};
use crate::model::Month;
use crate::store::{Entity, Store};

use super::posts::Counts;
use super::{Intents, Mend, Report};

pub(super) async fn check(store: &Store, mut counts: Counts, intents: &Intents, report: &mut Report) -> Result<()> {
    for row in scan_all(store, Table::Months).await? {
        report.rows += 1;
        let of_row = place::parse_month_row(&row.key);
        let listed = match (read_month(&row), of_row) {
            (Ok(listed), _) => listed,
            (Err(e), Some((shelf, month))) => {
                counts.remove(&(shelf, place::month_partition(month)));
                report.add_unreadable(Table::Months, &row, &e, Mend::Listing(Partition::Month(shelf, month)));
                continue;
            }
            (Err(_), None) => {
                report.add(Table::Months, &row.key, "is no row of this table", Mend::STRANGER);
                continue;
            }
        };
        let month: Month = listed.partition;
        let Some((shelf, _)) = of_row.filter(|(_, of_row)| *of_row == month) else {
            // The row under its own key stays to be found, or to be missed.
            let stray = Mend::StrayListing { table: Table::Months, key: row.key.clone() };
            report.add(Table::Months, &row.key, format!("lists {month}, whose row is another"), stray);
            continue;
        };
        let own = counts.remove(&(shelf, place::month_partition(month))).unwrap_or_default();
        if awaits_nothing(&row, intents) {
            let what = format!("says that a change is to put a post into {month}, and no change does so");
            report.add(Table::Months, &row.key, what, Mend::Listing(Partition::Month(shelf, month)));
        } else if own != listed.count {
            let what = format!("says that {month} has {} {}; it counts {}", listed.count.rows, noun(shelf), own.rows);
            report.add(Table::Months, &row.key, what, Mend::Listing(Partition::Month(shelf, month)));
        }
    }
    for ((shelf, partition), count) in counts {
        if let (true, Ok(month)) = (count.rows > 0, partition.parse::<Month>()) {
            let (key, mend) = (place::month_row(shelf, month), Mend::Listing(Partition::Month(shelf, month)));
            report.add(Table::Months, &key, format!("is missing; {month} has {} {}", count.rows, noun(shelf)), mend);
        }
    }
    Ok(())
}

/// Whether a listing names only intents that do not exist.
pub(super) fn awaits_nothing(row: &Entity, intents: &Intents) -> bool {
    awaited_by(row).is_ok_and(|names| !names.is_empty() && names.iter().all(|name| !intents.contains(name)))
}

fn noun(shelf: Shelf) -> &'static str {
    match shelf {
        Shelf::Posts => "posts",
        Shelf::Drafts => "drafts",
    }
}
