//! Point reads of nearby rows on tables. The rule: they never take more requests than one for each row, and each counts as a point read.
//!
//! The rows of one partition are read by one range read, from the first to the last. If it ends before the last one, because there are too many rows in
//! between, point reads of the others follow. That takes one more round trip, but no more requests, because the range read always returns the first row.

use std::collections::{BTreeMap, HashMap};

use futures_util::future::{join, join_all};

use super::{CountingStore, size};
use crate::store::{
    AccessKind, AccessedRows, Continuation, Entity, Key, PAGE_ROWS_MAX, Page, ReadSet, Result, RowRange, TableStore,
};

/// The maximum number of rows that are read for each requested row.
pub const NEAR_ROWS_MAX: usize = 6;

type Answer = Result<Option<Entity>>;

/// Requested rows of one partition, by their indexes, in ascending order of their RowKeys.
struct NearRows {
    range: RowRange,
    limit: usize,
    at: Vec<usize>,
}

impl CountingStore {
    /// Like `get_many`. Records these rows as read, not the range.
    pub(super) async fn near(&self, table: &'static str, keys: &[Key]) -> Vec<Answer> {
        let (near, single) = plan(keys);
        if near.is_empty() {
            return self.get_many(table, keys).await;
        }
        let singly = self.at(table, keys, &single);
        let (in_ranges, singly) =
            join(join_all(near.iter().map(|near| self.in_range(table, keys, near))), singly).await;
        let mut found: Vec<(usize, Answer)> = in_ranges.into_iter().flatten().chain(singly).collect();
        found.sort_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, answer)| answer).collect()
    }

    async fn in_range(&self, table: &'static str, keys: &[Key], near: &NearRows) -> Vec<(usize, Answer)> {
        let page = match self.read_range(AccessKind::Point, (table, &near.range), near.limit, None).await {
            Ok(page) => page,
            Err(error) => {
                self.note(ReadSet::break_off);
                let mut found = self.at(table, keys, &near.at[1..]).await;
                found.push((near.at[0], Err(error)));
                return found;
            }
        };
        let last = page.rows.last().filter(|_| page.continuation.is_some()).map(|row| row.key.row().to_owned());
        let is_known = |row: &str| page.continuation.is_none() || last.as_deref().is_some_and(|last| row <= last);
        let (known, unknown): (Vec<usize>, Vec<usize>) = near.at.iter().partition(|at| is_known(keys[**at].row()));
        let rows: HashMap<String, Entity> = page.rows.into_iter().map(|row| (row.key.row().to_owned(), row)).collect();
        self.note(|noted| {
            known.iter().for_each(|at| noted.note_row(table, &keys[*at]));
        });
        if known.is_empty() {
            // An empty page can have a continuation. The bound of an operation includes only one request for each row, so this request is counted separately.
            let used = &mut self.lock().used;
            used.point_reads -= 1;
            used.empty_reads += 1;
        }
        let mut found = self.at(table, keys, &unknown).await;
        found.extend(known.into_iter().map(|at| (at, Ok(rows.get(keys[at].row()).cloned()))));
        found
    }

    /// Point reads of the keys with these indexes.
    async fn at(&self, table: &'static str, keys: &[Key], at: &[usize]) -> Vec<(usize, Answer)> {
        let requested: Vec<Key> = at.iter().map(|at| keys[*at].clone()).collect();
        at.iter().copied().zip(self.get_many(table, &requested).await).collect()
    }

    /// A range read that counts as a read of this kind, and is not recorded.
    pub(super) async fn read_range(
        &self,
        kind: AccessKind,
        (table, range): (&'static str, &RowRange),
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        self.lock().check(1)?;
        let wave = self
            .start(|state| match kind {
                AccessKind::Point => state.used.point_reads += 1,
                AccessKind::Range | AccessKind::Transaction => state.used.range_reads += 1,
            })
            .await;
        let read = self.inner.range(table, range, limit, continuation);
        let answer = self.explained(|| AccessedRows::range(table, range), wave, read, |page| size(&page.rows)).await;
        self.finish(wave, answer.iter().flat_map(|page| &page.rows));
        answer
    }
}

/// The range reads, and the indexes of the other rows.
fn plan(keys: &[Key]) -> (Vec<NearRows>, Vec<usize>) {
    let mut partitions: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, key) in keys.iter().enumerate() {
        partitions.entry(key.partition()).or_default().push(at);
    }
    let (mut near, mut single) = (Vec::new(), Vec::new());
    for (partition, mut at) in partitions {
        at.sort_by_key(|at| keys[*at].row());
        match range_over(partition, keys, &at) {
            Some(range) => {
                let limit = (NEAR_ROWS_MAX * at.len()).min(PAGE_ROWS_MAX);
                near.push(NearRows { range, limit, at });
            }
            None => single.extend(at),
        }
    }
    (near, single)
}

/// The range from the first row to the last one. `None` if there are fewer than two rows, or the range is invalid.
fn range_over(partition: &str, keys: &[Key], at: &[usize]) -> Option<RowRange> {
    let (first, last) = (keys[*at.first()?].row(), keys[*at.last()?].row());
    if first == last {
        return None;
    }
    // The end is exclusive, and a space sorts before all other characters of a key.
    RowRange::new(partition, Some(first.to_owned()), Some(format!("{last} "))).ok()
}
