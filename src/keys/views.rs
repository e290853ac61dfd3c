//! `Views202611` and similar tables: the views of posts, one table for each month. The rule: all rows of a month are in one partition, so that one transaction
//! counts views and ranks their posts. These tables are not part of the content, so they are not in [`Table`](super::Table), and are not checked, exported or
//! cached.

use crate::model::{Day, Month, PostId};
use crate::store::{Key, RowRange, table_of_month};

use super::{key, range};

/// The table that lists the tables of views that were written and not dropped.
pub const MONTHS: &str = "ViewMonths";
pub const PARTITION: &str = "views";

const PARTITION_OF_MONTHS: &str = "months";

pub fn table(month: Month) -> &'static str {
    table_of_month("Views", month)
}

/// The views of a post, by day.
pub fn post(id: &PostId) -> Key {
    key(PARTITION, format!("p-{id}"))
}

/// The row with the most viewed posts of a day.
pub fn top(day: Day) -> Key {
    key(PARTITION, format!("t-{:02}", day.number()))
}

/// The rows of [`top`] for these days of one month.
pub fn tops(first: Day, last: Day) -> RowRange {
    range(PARTITION, Some(top(first).row().to_owned()), Some(format!("{}!", top(last).row())))
}

/// The row with the number of the last transaction of a process.
pub fn writer(name: &str) -> Key {
    key(PARTITION, format!("w-{name}"))
}

pub fn month(month: Month) -> Key {
    key(PARTITION_OF_MONTHS, month.to_string())
}

pub fn months() -> RowRange {
    range(PARTITION_OF_MONTHS, None, None)
}

/// `None` if the row does not belong to [`MONTHS`].
pub fn parse_month(found: &Key) -> Option<Month> {
    found.row().parse().ok()
}
