//! A store file that records its changes as entries of the log, in the transaction of each change, from the first backup on. The rule: every write of content
//! is in exactly one entry, and entries are in the order of the writes.
//!
//! The entries are in the same table as on Azure, so a backup reads both stores in the same way. Nothing else reads them.

use crate::clock::Clock;
use crate::store::limits::{TransactionLimits, key_payload_bytes, row_payload_bytes};
use crate::store::transaction::check_writes;
use crate::store::{
    Batch, Entity, Etag, GroupPlan, Key, Operation, Result, RowWrite, Rows, Snapshot, Store, StoreError, TableStore,
};

use super::entry::{self, Entry, Head};
use super::retention;
use super::settings::LogSettings;
use super::steps::StepWrite;
use super::writer::LIMITS as ENTRY_LIMITS;

pub struct RecordingStore {
    inner: Store,
    settings: LogSettings,
    clock: Clock,
}

impl RecordingStore {
    pub fn new(inner: Store, settings: LogSettings, clock: Clock) -> Self {
        Self { inner, settings, clock }
    }
}

#[async_trait::async_trait]
impl TableStore for RecordingStore {
    fn inner(&self) -> Option<&Store> {
        Some(&self.inner)
    }

    async fn get_key(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.inner.get_key(table, key).await
    }

    async fn get_many(&self, table: &'static str, keys: &[Key]) -> Vec<Result<Option<Entity>>> {
        self.inner.get_many(table, keys).await
    }

    /// Commits through a plan that checks the preconditions, because only a plan knows whether changes are recorded. Rows of a table that the log does not know
    /// are written directly.
    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        if table == self.settings.table || !self.settings.tables.contains(&table) {
            return self.inner.commit(table, batch).await;
        }
        let planned = batch.clone();
        self.transact(Box::new(move |rows| planned.planned(table, rows))).await?;
        let mut etags = Vec::with_capacity(batch.operations().len());
        for operation in batch.operations() {
            etags.push(match operation {
                Operation::Delete { .. } => None,
                Operation::Put { row, properties, .. } => {
                    let key = Key::new(batch.partition(), row.as_str())?;
                    let unknown = |error| StoreError::outcome_unknown(format!("the row {key} was written"), error);
                    let found = self.inner.get(table, &key).await.map_err(unknown)?;
                    // If the row has changed since, its ETag is already outdated.
                    let own = found.filter(|found| found.properties == *properties);
                    Some(own.map_or_else(|| Etag(Default::default()), |found| found.etag))
                }
            });
        }
        Ok(etags)
    }

    fn transaction_limits(&self) -> TransactionLimits {
        TransactionLimits::RECORDED
    }

    async fn transact(&self, mut plan: GroupPlan) -> Result<()> {
        let (settings, clock) = (self.settings, self.clock.clone());
        let plan: GroupPlan = Box::new(move |rows| {
            let mut writes = plan(rows)?;
            if !writes.is_empty()
                && let Some(head) = read_head(rows, &settings)?
            {
                check_writes(&writes, TransactionLimits::RECORDED)?;
                writes.extend(entries_of(&writes, head, &settings, &clock)?);
            }
            Ok(writes)
        });
        self.inner.transact(plan).await
    }

    async fn snapshot(&self) -> Result<Option<Snapshot>> {
        self.inner.snapshot().await
    }

    async fn delete_old_entries(&self) -> Result<()> {
        let Some(head) = self.inner.get(self.settings.table, &entry::head_key()?).await? else { return Ok(()) };
        let newest = entry::read_head(&head)?.number;
        retention::delete_old(&self.inner, &self.settings, newest, &self.clock).await
    }
}

pub(super) fn read_head(rows: &dyn Rows, settings: &LogSettings) -> Result<Option<Head>> {
    rows.get(settings.table, &entry::head_key()?)?.as_ref().map(entry::read_head).transpose()
}

/// The rows that record these writes, including the new head.
fn entries_of(writes: &[RowWrite], head: Head, settings: &LogSettings, clock: &Clock) -> Result<Vec<RowWrite>> {
    let (mut entries, mut bytes, mut last): (Vec<Vec<StepWrite>>, usize, Head) = (Vec::new(), usize::MAX, head);
    for RowWrite { table, key, properties } in writes {
        let Some(table) = settings.table_named(table) else { continue };
        let more = properties.as_ref().map_or_else(|| key_payload_bytes(key), |put| row_payload_bytes(key, put));
        let is_full = entries.last().is_none_or(|entry| entry.len() >= ENTRY_LIMITS.rows_max);
        bytes = bytes.saturating_add(more);
        if is_full || bytes > ENTRY_LIMITS.bytes_max {
            entries.push(Vec::new());
            bytes = more;
        }
        let write = StepWrite { rank: 0, chunk: 0, table, key: key.clone(), properties: properties.clone() };
        entries.last_mut().into_iter().for_each(|entry| entry.push(write.clone()));
    }
    let (at, mut rows, mut left) = (clock.now(), Vec::new(), entries.len());
    for writes in entries {
        left -= 1;
        let (number, id) = (last.number + 1, entry::random_id()?);
        let entry = Entry { number, id, at, is_continued: left > 0, writes };
        rows.extend(rows_of(&entry, settings)?);
        last = entry.head();
    }
    if !rows.is_empty() {
        rows.push(head_write(&last, settings)?);
    }
    Ok(rows)
}

/// The rows of an entry, without the head.
pub(super) fn rows_of(entry: &Entry, settings: &LogSettings) -> Result<Vec<RowWrite>> {
    let rows = entry.rows()?;
    let put = |(row, properties)| Ok(RowWrite::put(settings.table, entry::key_of(row)?, properties));
    rows.data.into_iter().chain([rows.names]).map(put).collect()
}

pub(super) fn head_write(head: &Head, settings: &LogSettings) -> Result<RowWrite> {
    Ok(RowWrite::put(settings.table, entry::head_key()?, entry::head_row(head)))
}
