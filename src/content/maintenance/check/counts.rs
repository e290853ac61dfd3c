//! Checks the counts of partitions, and the rows that list partitions with copies of their counts: `Months`, and the first characters of terms. The
//! rule: the number of rows must be exact; the newest post that is named may have been removed since, so it may be newer than every stored post, but
//! not older than one of them.

use std::collections::HashMap;

use crate::content::error::Result;
use crate::content::tables::rows::count::{self, Count};
use crate::content::tables::rows::partition_catalog::{Listed, read_first_character, read_month};
use crate::content::write::Partition;
use crate::keys::{Collection, Table, place};
use crate::model::PostKey;
use crate::store::{Entity, Key, StoreError};

use super::report::{CheckReport, Fix};

/// The count of each partition that has one and is to be listed.
pub(super) type Counts = HashMap<Partition, Count>;

/// Compares the count row of a partition with what was counted in it, and returns the count. `any`: a row of the partition.
pub(super) fn check_count(
    table: Table,
    any: &Key,
    (listed, newest): (i64, Option<&PostKey>),
    found: Option<&Entity>,
    report: &mut CheckReport,
) -> Option<Count> {
    let fix = Fix::Count { table, partition: any.partition().to_owned() };
    let count = match found.map(count::read).transpose() {
        Ok(count) => count,
        Err(error) => {
            report.add(table, &place::count(any.partition()), error.to_string(), fix);
            return None;
        }
    };
    let what = match &count {
        Some(count) if count.rows != listed => Some(format!("counts {} rows; there are {listed}", count.rows)),
        Some(count) if newest.is_some_and(|n| count.newest.as_ref().is_none_or(|c| c > n)) => {
            Some("a post is newer than the newest that is named".to_owned())
        }
        None if listed != 0 => Some(format!("is missing; there are {listed} rows")),
        Some(_) | None => None,
    };
    what.into_iter().for_each(|what| report.add(table, &place::count(any.partition()), what, fix.clone()));
    count
}

/// The partition that a row with this key lists.
fn listed_under(table: Table, key: &Key) -> Option<Partition> {
    match table {
        Table::Terms(kind) => Some(Partition::Terms(kind, key.row().to_owned())),
        _ => place::parse_month_row(key).map(|(collection, month)| Partition::Month(collection, month)),
    }
}

/// The partition that a row names, and the copy of its count.
pub(in crate::content::maintenance) fn read_listing(table: Table, row: &Entity) -> Result<Listed<String>, StoreError> {
    match table {
        Table::Terms(_) => read_first_character(row),
        _ => read_month(row).map(|listed| Listed { partition: listed.partition.to_string(), count: listed.count }),
    }
}

/// Compares the rows that list partitions with the counts of the partitions.
pub(super) fn check_listings(table: Table, rows: &[Entity], mut counts: Counts, report: &mut CheckReport) {
    for row in rows {
        let Some(partition) = listed_under(table, &row.key) else {
            report.add_orphan(table, &row.key);
            continue;
        };
        let what = match read_listing(table, row) {
            Err(error) => {
                counts.remove(&partition);
                error.to_string()
            }
            // The row that the partition should have is reported too, if it has rows.
            Ok(listed) if listed.partition != partition.name() => {
                format!("lists {}, which belongs under another key", listed.partition)
            }
            Ok(Listed { partition: name, count: listed }) => {
                let own = counts.remove(&partition).unwrap_or_default();
                match noun_of(&partition) {
                    _ if own == listed => continue,
                    Some(noun) => format!("says that {name} has {} {noun}; it counts {}", listed.rows, own.rows),
                    None => format!("lists {} terms; the partition counts {}", listed.rows, own.rows),
                }
            }
        };
        report.add(table, &row.key, what, fix_of(&partition));
    }
    for (partition, count) in counts.into_iter().filter(|(_, count)| count.rows > 0) {
        let what = match noun_of(&partition) {
            Some(noun) => format!("is missing; {} has {} {noun}", partition.name(), count.rows),
            None => format!("is missing; the partition has {} terms", count.rows),
        };
        report.add(table, &partition.listing().1, what, fix_of(&partition));
    }
}

fn fix_of(partition: &Partition) -> Fix {
    Fix::Count { table: partition.count().0, partition: partition.name() }
}

/// What a month counts.
fn noun_of(partition: &Partition) -> Option<&'static str> {
    match partition {
        Partition::Month(Collection::Posts, _) => Some("posts"),
        Partition::Month(Collection::Drafts, _) => Some("drafts"),
        Partition::Terms(..) => None,
    }
}
