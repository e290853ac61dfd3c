//! Checks the counts of partitions, and the rows that list partitions with copies of their counts: `Months`, first characters of terms, languages. The rule:
//! the number of rows must be exact; the named newest post may have been removed, so it may be newer than every stored post, but not older than any.

use std::collections::HashMap;

use crate::content::tables::rows::count::{self, Count};
use crate::content::tables::rows::partition_catalog::read_name as read_listed;
use crate::content::tables::rows::term as term_rows;
use crate::content::write::Partition;
use crate::keys::time::{self, Direction};
use crate::keys::{COUNT_ROW, Table, place, term};
use crate::model::{PostKey, TermKind};
use crate::store::{Entity, Key};

use super::report::{CheckReport, Fix};

/// The count of each partition that has one and is to be listed.
pub(super) type Counts = HashMap<Partition, Count>;

/// Counts the listed rows of a partition, and finds the newest post.
pub(in crate::content::maintenance) fn counted(table: Table, rows: &[Entity]) -> (i64, Option<PostKey>) {
    if let Table::Terms(kind) = table {
        return (rows.iter().filter(|row| is_counted_term(kind, row)).count() as i64, None);
    }
    let mut keys = rows.iter().filter_map(|row| time::parse_time_row(row.key.row()));
    let newest = keys.next();
    (i64::from(newest.is_some()) + keys.count() as i64, newest)
}

fn is_counted_term(kind: TermKind, row: &Entity) -> bool {
    let Some((slug, Direction::Forward)) = term::parse_row(row.key.row()) else { return false };
    term::partition(&slug) == row.key.partition()
        && term_rows::read(kind, row).map_or(true, |row| row.is_listed_at(&slug))
}

/// Compares the count row of a partition with its other rows, and returns the count. `rows`: all rows of the partition.
pub(super) fn check_count(table: Table, rows: &[Entity], report: &mut CheckReport) -> Option<Count> {
    let (partition, (listed, newest)) = (rows[0].key.partition(), counted(table, rows));
    let found = rows.iter().find(|row| row.key.row() == COUNT_ROW);
    let (count, what) = match found.map(count::read).transpose() {
        Err(error) => (None, error.to_string()),
        Ok(None) if listed != 0 => (None, format!("is missing; there are {listed} rows")),
        Ok(None) => return None,
        Ok(Some(count)) => {
            let what = match newest.filter(|newest| count.newest.as_ref().is_none_or(|named| named > newest)) {
                _ if count.rows != listed => format!("counts {} rows; there are {listed}", count.rows),
                Some(_) => "a post is newer than the newest that is named".to_owned(),
                None => return Some(count),
            };
            (Some(count), what)
        }
    };
    let fix = Fix::Count { table, partition: partition.to_owned() };
    report.add(table, &place::count(partition), what, fix);
    count
}

/// The partition that the row with this key lists.
fn listed_under(table: Table, key: &Key) -> Option<Partition> {
    match table {
        Table::Terms(kind) => Some(Partition::Terms(kind, key.row().to_owned())),
        Table::PostsBy(_) => key.row().parse().ok().map(Partition::Language),
        _ => place::parse_month_row(key).map(|(collection, month)| Partition::Month(collection, month)),
    }
}

/// Whether a row lists this partition with this count.
pub(in crate::content::maintenance) fn is_listing(row: &Entity, partition: &str, count: &Count) -> bool {
    read_listed(row).is_ok_and(|listed| listed.partition == partition && listed.count == *count)
}

/// Compares the rows that list partitions with the counts of the partitions.
pub(super) fn check_listings(table: Table, rows: &[Entity], mut counts: Counts, report: &mut CheckReport) {
    let fix = |partition: &Partition| Fix::Count { table: partition.count().0, partition: partition.name() };
    for row in rows {
        let Some(partition) = listed_under(table, &row.key) else {
            report.add_orphan(table, &row.key);
            continue;
        };
        let (own, name) = (counts.remove(&partition).unwrap_or_default(), partition.name());
        if !is_listing(row, &name, &own) {
            let what = format!("does not list the partition {name} with its count, {}", own.rows);
            report.add(table, &row.key, what, fix(&partition));
        }
    }
    for (partition, count) in counts.into_iter().filter(|(_, count)| count.rows > 0) {
        let what = format!("is missing; the partition {} counts {}", partition.name(), count.rows);
        report.add(table, &partition.listing().1, what, fix(&partition));
    }
}
