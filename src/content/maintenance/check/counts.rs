//! Compares the count rows of months and of terms with what was counted. The rule: the number of rows must be exact; the newest post that is named may
//! have been removed since, so it may be newer than every stored post, but not older than one of them.

use std::collections::HashMap;

use super::fix::Fix;
use super::report::CheckReport;
use crate::content::tables::rows::count::Count;
use crate::keys::{Collection, Table, place};
use crate::model::PostKey;
use crate::store::Entity;

/// The count of each month that has one.
pub(super) type Counts = HashMap<(Collection, String), Count>;

/// Compares the count row of a partition with what was counted in it. `any`: a row of the partition.
pub(super) fn check_count(
    table: Table,
    any: &Entity,
    listed: i64,
    newest: Option<&PostKey>,
    count: Option<&Count>,
    report: &mut CheckReport,
) {
    let key = place::count(any.key.partition());
    let what = match count {
        Some(count) if count.rows != listed => format!("counts {} rows; there are {listed}", count.rows),
        Some(count) if newest.is_some_and(|n| count.newest.as_ref().is_none_or(|c| c > n)) => {
            "a post is newer than the newest that is named".to_owned()
        }
        None if listed != 0 => format!("is missing; there are {listed} rows"),
        Some(_) | None => return,
    };
    report.add(table, &key, what, Fix::Count { table, partition: any.key.partition().to_owned() });
}
