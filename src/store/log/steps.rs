//! The order in which the writes of an entry are carried out. The rule: rows that point to an object are written before the object, and deleted after it, so
//! that readers find the object at each moment.

use std::collections::BTreeMap;

use crate::store::limits::{BATCH_BYTES_MAX, BATCH_OPERATIONS_MAX, check_entity, key_payload_bytes};
use crate::store::{Key, Properties, Result, RowRange};

/// The RowKey of the watermark of a partition: the last step that was carried out there. It is hidden from users of this store.
pub(super) const WATERMARK: &str = "!applied";

/// The role of a row by its table, its key and its new properties, which are `None` for a deletion.
pub(super) type RoleOf = fn(&str, &Key, Option<&Properties>) -> RowRole;

/// The role of a row for the readers of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowRole {
    /// An object to which rows of other partitions point; it is deleted after these point elsewhere.
    Object,
    /// Lists an object in its own partition.
    Summary,
    /// Belongs to a partition that changes in one transaction, if it fits.
    Together,
    /// Points to a row of such a partition.
    Path,
    /// Points to an object, and counts only if the object confirms it.
    Pointer,
    /// Points to one object at a time, such as a slug.
    Lookup,
    /// Counts the rows of its partition, names the last of them, or changes with each of them; written together with the last.
    Count,
    /// Reports the change; it is read only after the change is applied.
    Report,
    /// Is valid only after the change is applied; written last.
    Conclusion,
}

/// A table of the store and the roles of its rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table {
    pub name: &'static str,
    pub role: RoleOf,
}

impl Table {
    pub(super) fn role(self, key: &Key, properties: Option<&Properties>) -> RowRole {
        (self.role)(self.name, key, properties)
    }
}

/// One write of an entry, with the step that carries it out.
#[derive(Debug, Clone)]
pub(super) struct StepWrite {
    pub rank: u8,
    pub chunk: u16,
    pub table: Table,
    pub key: Key,
    /// `None` deletes the row.
    pub properties: Option<Properties>,
}

/// A write without a step yet.
pub(super) struct NewWrite {
    pub table: Table,
    pub key: Key,
    pub properties: Option<Properties>,
    /// Whether the row exists in the store.
    pub is_there: bool,
}

/// The transaction of one step in one partition.
pub(super) struct Step<'w> {
    /// The number, ascending within an entry.
    pub number: u32,
    pub rank: u8,
    pub writes: &'w [StepWrite],
}

impl Step<'_> {
    pub(super) fn place(&self) -> (&'static str, &str) {
        (self.writes[0].table.name, self.writes[0].key.partition())
    }
}

const POINTERS_ADDED: u8 = 0;
const OBJECTS: u8 = 1;
const POINTERS_MOVED: u8 = 2;
const OBJECTS_REMOVED: u8 = 3;
const POINTERS_REMOVED: u8 = 4;
const CONCLUSIONS: u8 = 5;

/// Sorts the writes into steps.
///
/// # Errors
/// [`StoreError::Limit`](crate::store::StoreError::Limit) if a row is over a limit.
pub(super) fn sort(writes: Vec<NewWrite>) -> Result<Vec<StepWrite>> {
    let reports = writes.iter().filter_map(|write| rank(write, 0)).max().unwrap_or_default();
    // The count of a partition is written together with the last of its rows.
    let mut last: BTreeMap<(&'static str, String), u8> = BTreeMap::new();
    for write in &writes {
        if let Some(rank) = rank(write, reports) {
            let last = last.entry((write.table.name, write.key.partition().to_owned())).or_default();
            *last = rank.max(*last);
        }
    }
    let ranked = |write: &NewWrite| {
        let of_partition = || last.get(&(write.table.name, write.key.partition().to_owned())).copied();
        rank(write, reports).or_else(of_partition).unwrap_or(OBJECTS)
    };
    let mut sorted: Vec<StepWrite> = writes
        .into_iter()
        .map(|write| StepWrite {
            rank: ranked(&write),
            chunk: 0,
            table: write.table,
            key: write.key,
            properties: write.properties,
        })
        .collect();
    let place = |write: &StepWrite| (write.rank, write.table.name, write.key.partition().to_owned(), order(write));
    sorted.sort_by_cached_key(|write| (place(write), write.key.row().to_owned()));
    divide(&mut sorted)?;
    Ok(sorted)
}

/// `reports`: the rank of the rows that report the change. Returns `None` for a row that is written with the last rows of its partition.
fn rank(write: &NewWrite, reports: u8) -> Option<u8> {
    let is_put = write.properties.is_some();
    match (write.table.role(&write.key, write.properties.as_ref()), is_put) {
        (RowRole::Count, _) => None,
        (RowRole::Object | RowRole::Summary, true) | (RowRole::Together | RowRole::Path, _) => Some(OBJECTS),
        (RowRole::Object | RowRole::Summary, false) => Some(OBJECTS_REMOVED),
        (RowRole::Lookup, true) if write.is_there => Some(POINTERS_MOVED),
        (RowRole::Pointer | RowRole::Lookup, true) => Some(POINTERS_ADDED),
        (RowRole::Pointer | RowRole::Lookup, false) => Some(POINTERS_REMOVED),
        (RowRole::Report, _) => Some(reports),
        (RowRole::Conclusion, _) => Some(CONCLUSIONS),
    }
}

/// The order within a partition, if one transaction is too small for all rows.
fn order(write: &StepWrite) -> u8 {
    let is_put = write.properties.is_some();
    match write.table.role(&write.key, write.properties.as_ref()) {
        RowRole::Object | RowRole::Path if is_put => 0,
        RowRole::Object | RowRole::Path => 2,
        RowRole::Count => 3,
        _ => 1,
    }
}

/// Splits steps that exceed one transaction.
fn divide(sorted: &mut [StepWrite]) -> Result<()> {
    for group in sorted.chunk_by_mut(is_of_one) {
        // One operation and some bytes are reserved for the watermark.
        let (mut chunk, mut operations, mut bytes) = (0, 1, 4 << 10);
        for write in group {
            let more = match &write.properties {
                Some(properties) => check_entity(&write.key, properties)?,
                None => key_payload_bytes(&write.key),
            };
            if operations == BATCH_OPERATIONS_MAX || bytes + more > BATCH_BYTES_MAX {
                (chunk, operations, bytes) = (chunk + 1, 1, 4 << 10);
            }
            (operations, bytes) = (operations + 1, bytes + more);
            write.chunk = chunk;
        }
    }
    Ok(())
}

fn is_of_one(a: &StepWrite, b: &StepWrite) -> bool {
    (a.rank, a.table.name, a.key.partition()) == (b.rank, b.table.name, b.key.partition())
}

/// The steps of sorted writes, in their order.
pub(super) fn steps(writes: &[StepWrite]) -> impl Iterator<Item = Step<'_>> {
    let steps = writes.chunk_by(|a, b| is_of_one(a, b) && a.chunk == b.chunk);
    (1..).zip(steps).map(|(number, writes)| Step { number, rank: writes[0].rank, writes })
}

/// The part of a range after the watermark of its partition, which is the first row.
pub(super) fn after_watermark(range: &RowRange) -> Result<Option<RowRange>> {
    // The space sorts before every other character of a key.
    const AFTER: &str = "!applied ";
    if range.from().is_some_and(|from| from >= AFTER) {
        return Ok(Some(range.clone()));
    }
    match range.to().is_some_and(|to| to <= AFTER) {
        true => Ok(None),
        false => range.starting_at(AFTER.to_owned()).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Value;

    fn role(table: &str, key: &Key, _: Option<&Properties>) -> RowRole {
        match table {
            _ if key.row() == "!count" => RowRole::Count,
            "Pointers" => RowRole::Pointer,
            "Slugs" => RowRole::Lookup,
            "Pages" => RowRole::Together,
            "Reports" if key.row() == "used" => RowRole::Conclusion,
            "Reports" => RowRole::Report,
            _ => RowRole::Object,
        }
    }

    fn write(table: &'static str, (partition, row): (&str, &str), is_put: bool, is_there: bool) -> NewWrite {
        let key = Key::new(partition, row).expect("a key");
        let properties = is_put.then(Properties::new);
        NewWrite { table: Table { name: table, role }, key, properties, is_there }
    }

    fn shown(writes: &[StepWrite]) -> Vec<(u8, &str, Vec<&str>)> {
        steps(writes)
            .map(|step| (step.rank, step.place().0, step.writes.iter().map(|write| write.key.row()).collect()))
            .collect()
    }

    #[test]
    fn what_leads_to_an_object_is_written_before_it_and_removed_after_it() {
        let sorted = sort(vec![
            write("Objects", ("new", "a"), true, false),
            write("Objects", ("old", "a"), false, true),
            write("Objects", ("old", "!count"), true, true),
            write("Pointers", ("tag", "1"), true, false),
            write("Pointers", ("tag", "2"), false, true),
            write("Pointers", ("tag", "!count"), true, true),
            write("Slugs", ("s", "former"), true, true),
            write("Slugs", ("s", "present"), true, false),
            write("Slugs", ("s", "given-up"), false, true),
        ])
        .expect("it is sorted");
        assert_eq!(
            shown(&sorted),
            [
                (POINTERS_ADDED, "Pointers", vec!["1"]),
                (POINTERS_ADDED, "Slugs", vec!["present"]),
                (OBJECTS, "Objects", vec!["a"]),
                (POINTERS_MOVED, "Slugs", vec!["former"]),
                (OBJECTS_REMOVED, "Objects", vec!["a", "!count"]),
                (POINTERS_REMOVED, "Pointers", vec!["2", "!count"]),
                (POINTERS_REMOVED, "Slugs", vec!["given-up"]),
            ]
        );
    }

    #[test]
    fn a_partition_that_changes_together_does_so_in_one_step() {
        let sorted = sort(vec![write("Pages", ("all", "1"), false, true), write("Pages", ("all", "2"), true, false)]);
        assert_eq!(shown(&sorted.expect("it is sorted")), [(OBJECTS, "Pages", vec!["1", "2"])]);
    }

    #[test]
    fn what_reports_a_change_is_written_with_the_last_of_it() {
        let beside = |last: NewWrite| {
            let reports = ["1", "!count"].map(|row| write("Reports", ("all", row), true, false));
            sort(reports.into_iter().chain([write("Objects", ("new", "a"), true, false), last]).collect())
        };
        let sorted = beside(write("Pointers", ("tag", "2"), false, true)).expect("it is sorted");
        let last = [(POINTERS_REMOVED, "Pointers", vec!["2"]), (POINTERS_REMOVED, "Reports", vec!["1", "!count"])];
        assert_eq!(shown(&sorted)[1..], last);
        let sorted = beside(write("Reports", ("keys", "used"), true, false)).expect("it is sorted");
        let last = [(CONCLUSIONS, "Reports", vec!["1", "!count"]), (CONCLUSIONS, "Reports", vec!["used"])];
        assert_eq!(shown(&sorted)[1..], last);
    }

    #[test]
    fn a_step_has_room_for_the_watermark_and_no_step_is_too_large() {
        let mut many: Vec<_> = (100..350).map(|n| write("Objects", ("month", &n.to_string()), true, false)).collect();
        let sizes = |writes| {
            let sorted = sort(writes).expect("it is sorted");
            steps(&sorted).map(|step| step.writes.len()).collect::<Vec<_>>()
        };
        many.truncate(250);
        assert_eq!(sizes(many), [99, 99, 52]);
        let mut large = Properties::new();
        (0..10).for_each(|n| large.set(&format!("B{n}"), Value::Binary(vec![7; 60_000].into())));
        let with =
            |row: &str| NewWrite { properties: Some(large.clone()), ..write("Objects", ("p", row), true, false) };
        assert_eq!(sizes(["a", "b", "c", "d", "e", "f"].map(with).into()), [5, 1]);
    }
}
