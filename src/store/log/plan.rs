//! Runs plans over a store whose reads take round trips. The rule: a plan is repeated until every row that it reads was fetched; only that run counts. Rows
//! that were not fetched yet seem absent, so that each run finds as many of them as possible.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use futures_util::future::try_join;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::store::limits::{PAGE_ROWS_MAX, TransactionLimits};
use crate::store::transaction::{WrittenRows, run_plan};
use crate::store::{Entity, GroupPlan, Key, Properties, Result, RowRange, RowWrite, Rows, Store, StoreError};

use super::progress::{Place, Progress};
use super::settings::LogSettings;
use super::steps::{RowRole, WATERMARK, after_watermark};

/// The maximum number of concurrent reads.
const READS_AT_ONCE: usize = 64;
/// The maximum number of runs of a plan: many times the length of the longest chain of rows that point to each other.
const RUNS_MAX: usize = 100;

type RangeRead = (&'static str, RowRange, usize);

/// The fetched rows as the log has left them, with the writes of one append on top.
#[derive(Default)]
pub(super) struct PlannedRows {
    rows: HashMap<Place, Option<Entity>>,
    ranges: HashMap<RangeRead, Vec<Entity>>,
    written: WrittenRows,
}

#[derive(Default)]
struct Missing {
    rows: BTreeSet<Place>,
    ranges: Vec<RangeRead>,
}

impl Missing {
    fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.ranges.is_empty()
    }
}

impl PlannedRows {
    /// Runs a plan, and returns its writes without deletions of missing rows. The outer error is an error of the storage.
    pub(super) async fn run(
        &mut self,
        plan: &mut GroupPlan,
        (store, progress, settings): (&Store, &Progress, &LogSettings),
        limits: TransactionLimits,
    ) -> Result<Result<Vec<RowWrite>>> {
        // A write must know whether a deleted row exists, and whether a lookup row is new or points elsewhere.
        let must_be_known = |write: &RowWrite| {
            let role = settings.table_of(write.table).role(&write.key, write.properties.as_ref());
            write.properties.is_none() || role == RowRole::Lookup
        };
        for _ in 0..RUNS_MAX {
            let (planned, missing) = {
                let view = View { planned: self, progress, missing: RefCell::default(), kept: RefCell::default() };
                let mut planned = run_plan(plan, &view, limits);
                if let Some(write) = planned.iter().flatten().find(|write| write.key.row() <= WATERMARK) {
                    planned = Err(StoreError::limit(format!("the RowKey of {} is reserved", write.key)));
                }
                if let Ok(writes) = &mut planned {
                    writes.retain(|write| {
                        let is_there =
                            must_be_known(write) && view.get(write.table, &write.key).is_ok_and(|row| row.is_some());
                        is_there || write.properties.is_some()
                    });
                }
                let (missing, kept) = (view.missing.into_inner(), view.kept.into_inner());
                self.rows.extend(kept);
                (planned, missing)
            };
            if missing.is_empty() {
                return Ok(planned);
            }
            self.read(store, missing).await?;
        }
        Err(StoreError::Internal(format!("a plan reads new rows after {RUNS_MAX} runs")))
    }

    async fn read(&mut self, store: &Store, missing: Missing) -> Result<()> {
        let (mut rows, mut ranges) = (Vec::new(), Vec::new());
        for place in missing.rows {
            rows.push(read_row(store, place));
        }
        for read in missing.ranges {
            ranges.push(read_range(store, read));
        }
        let (mut rows, mut ranges) =
            (stream::iter(rows).buffer_unordered(READS_AT_ONCE), stream::iter(ranges).buffer_unordered(READS_AT_ONCE));
        let (of_rows, of_ranges) = (&mut self.rows, &mut self.ranges);
        let rows = async {
            while let Some((place, row)) = rows.try_next().await? {
                of_rows.insert(place, row);
            }
            Ok::<_, StoreError>(())
        };
        let ranges = async {
            while let Some((read, found)) = ranges.try_next().await? {
                of_ranges.insert(read, found);
            }
            Ok(())
        };
        try_join(rows, ranges).await.map(drop)
    }

    /// Whether an earlier plan of the same append has written the row.
    pub(super) fn has_written(&self, (table, key): &Place) -> bool {
        self.written.get(table, key).is_some()
    }

    /// Whether the row was stored before the append.
    pub(super) fn is_stored(&self, place: &Place) -> bool {
        self.rows.get(place).is_some_and(Option::is_some)
    }

    pub(super) fn add(&mut self, writes: Vec<RowWrite>) {
        writes.into_iter().for_each(|write| self.written.write(write.table, write.key, write.properties));
    }

    /// The writes, without deletions of rows that were not stored.
    pub(super) fn writes(&self) -> impl Iterator<Item = (&Place, &Option<Properties>)> {
        self.written.iter().filter(|(place, properties)| properties.is_some() || self.is_stored(place))
    }

    /// The fetched rows that are not written.
    pub(super) fn into_unchanged(self) -> impl Iterator<Item = (Place, Option<Entity>)> {
        let written = self.written;
        self.rows.into_iter().filter(move |((table, key), _)| written.get(table, key).is_none())
    }
}

/// The rows for one run of a plan.
struct View<'v> {
    planned: &'v PlannedRows,
    progress: &'v Progress,
    missing: RefCell<Missing>,
    /// Rows that are cached from earlier changes.
    kept: RefCell<HashMap<Place, Option<Entity>>>,
}

impl Rows for View<'_> {
    fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        let place = (table, key.clone());
        let stored = self.stored(&place);
        Ok(self.planned.written.get(table, key).unwrap_or(stored))
    }

    fn range(&self, table: &'static str, range: &RowRange, limit: usize) -> Result<Vec<Entity>> {
        // Rows that are deleted here make space for as many others.
        let written = self.planned.written.in_range(table, range)?.count();
        let read = (table, range.clone(), limit + written);
        let Some(stored) = self.planned.ranges.get(&read) else {
            self.missing.borrow_mut().ranges.push(read);
            return Ok(Vec::new());
        };
        let mut rows = self.planned.written.over(table, range, stored.clone())?;
        rows.truncate(limit);
        Ok(rows)
    }

    fn expect(&self, rows: &[(&'static str, Key)]) {
        rows.iter().for_each(|place| drop(self.stored(place)));
    }
}

impl View<'_> {
    fn stored(&self, place: &Place) -> Option<Entity> {
        if let Some(row) = self.planned.rows.get(place) {
            return row.clone();
        }
        match self.progress.row(place) {
            Some(row) => {
                self.kept.borrow_mut().insert(place.clone(), row.clone());
                row
            }
            None => {
                self.missing.borrow_mut().rows.insert(place.clone());
                None
            }
        }
    }
}

async fn read_row(store: &Store, place: Place) -> Result<(Place, Option<Entity>)> {
    let row = store.get(place.0, &place.1).await?;
    Ok((place, row))
}

async fn read_range(store: &Store, read: RangeRead) -> Result<(RangeRead, Vec<Entity>)> {
    let (table, range, limit) = &read;
    let (mut rows, mut continuation) = (Vec::new(), None);
    let Some(range) = after_watermark(range)? else { return Ok((read, rows)) };
    while rows.len() < *limit {
        let page = store.range(table, &range, PAGE_ROWS_MAX, continuation.as_ref()).await?;
        rows.extend(page.rows);
        continuation = page.continuation;
        if continuation.is_none() {
            break;
        }
    }
    rows.truncate(*limit);
    Ok((read, rows))
}
