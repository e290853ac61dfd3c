//! Deletes old entries. The rule: the log keeps the entry that was the newest at the start of the retention period, so that a backup within the period finds
//! the entry with which its last run ended.

use std::time::Duration;

use crate::clock::Clock;
use crate::model::Instant;
use crate::model::instant::TICKS_PER_SECOND;
use crate::store::limits::{BATCH_OPERATIONS_MAX, PAGE_ROWS_MAX};
use crate::store::{Batch, Entity, Operation, Precondition, Result, RowRange, Store, StoreError};

use super::entry::{self, EntryNames};
use super::settings::LogSettings;

/// The retention of entries. A server that has not read the log for longer invalidates its caches, and a backup that was not continued for longer begins again.
/// Two days allow a daily backup to be late.
const KEPT: Duration = Duration::from_secs(2 * 86_400);

/// Deletes the expired entries, the oldest first, but never the newest one.
pub(super) async fn delete_old(store: &Store, settings: &LogSettings, newest: u64, clock: &Clock) -> Result<()> {
    let kept = KEPT.as_secs() as i64 * TICKS_PER_SECOND;
    let until = Instant::from_ticks(clock.now().ticks().saturating_sub(kept)).unwrap_or(Instant::MIN);
    let is_old = |row: &Entity| {
        let names = EntryNames::read(row, settings)?;
        Ok(names.number < newest && names.at() < until)
    };
    let entries = delete_first(store, settings, &entry::all_entries()?, (is_old, 1)).await?;
    let first = store.range(settings.table, &entry::all_entries()?, 1, None).await?;
    let first = first.rows.first().map(|row| EntryNames::read(row, settings)).transpose()?;
    // The data of a remaining entry is needed as long as the entry.
    let until = first.map_or(until, |first| until.min(first.at()));
    delete_first(store, settings, &entry::data_before(until)?.of_keys(), (|_: &Entity| Ok(true), 0)).await?;
    tracing::debug!(entries, "log.old_deleted");
    Ok(())
}

/// Deletes the old rows at the start of a range of the log, except for the last `kept` of them. Returns how many.
async fn delete_first(
    store: &Store,
    settings: &LogSettings,
    range: &RowRange,
    (is_old, kept): (impl Fn(&Entity) -> Result<bool>, usize),
) -> Result<usize> {
    let mut deleted = 0;
    loop {
        let page = store.range(settings.table, range, PAGE_ROWS_MAX, None).await?;
        let mut old = Vec::new();
        for row in &page.rows {
            if !is_old(row)? {
                break;
            }
            old.push(row.key.row().to_owned());
        }
        let is_last = old.len() < page.rows.len() || page.continuation.is_none();
        old.truncate(old.len().saturating_sub(kept));
        for rows in old.chunks(BATCH_OPERATIONS_MAX) {
            let delete = |row: &String| Operation::Delete { row: row.clone(), precondition: Precondition::None };
            let batch = Batch::new(range.partition(), rows.iter().map(delete).collect())?;
            match store.commit(settings.table, &batch).await {
                // The rows were already deleted, by another server or by an earlier request whose answer was lost.
                Ok(_) | Err(StoreError::Precondition(_) | StoreError::OutcomeUnknown { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        deleted += old.len();
        if is_last || old.is_empty() {
            return Ok(deleted);
        }
    }
}
