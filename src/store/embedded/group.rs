//! Carries out the batches and plans of one group, in their order, inside the group's redb transaction. The rule: a refused batch or plan has written nothing,
//! even if others of the group succeed; each sees the writes of the earlier ones.

use std::cell::RefCell;

use redb::{Database, ReadableTable, Table, WriteTransaction};

use super::bulk;
use super::counters::store_last_etag;
use super::guard::{guard, unguarded};
use super::log_record::Record;
use super::observers::{GroupObservers, ROWS_NAMED_MAX};
use super::open::ROWS;
use super::reader;
use crate::store::codec::{decode_etag, decode_key, encode_key, encode_row, etag, has_same_properties};
use crate::store::error::StoreError;
use crate::store::transaction::{GroupPlan, RowWrite, Rows, run_plan};
use crate::store::{Batch, Entity, Etag, Key, Operation, Properties, Result, RowRange, TransactionLimits, WrittenRow};

/// A request to the writing thread.
pub(super) enum Request {
    Batch { table: &'static str, batch: Batch },
    GroupPlan(GroupPlan),
    DropTable(&'static str),
}

/// The new ETags of a batch; a plan has none to return.
pub(super) type GroupAnswer = Result<Vec<Option<Etag>>>;

/// The answers to a group, which are valid only after its transaction is committed.
pub(super) struct Staged {
    pub(super) answers: Vec<GroupAnswer>,
    /// The transaction and its log record; `None` if nothing was written.
    pub(super) transaction: Option<(WriteTransaction, Record)>,
}

/// An error concerns the whole group: the file failed, and nothing may be committed.
pub(super) fn stage(
    database: &Database,
    observers: &mut GroupObservers<'_>,
    group: Vec<Request>,
    last_etag: &mut u64,
) -> Result<Staged> {
    let write = database.begin_write()?;
    let mut answers = Vec::with_capacity(group.len());
    let (has_written, record) = {
        let table = write.open_table(ROWS)?;
        let mut rows = GroupRows { table, observers, last_etag, has_written: false, record: Record::new() };
        for request in group {
            answers.push(match request {
                Request::Batch { table, batch } => rows.carry_out_batch(table, &batch)?,
                Request::GroupPlan(plan) => rows.carry_out_plan(plan)?,
                Request::DropTable(table) => rows.drop_table(table)?,
            });
        }
        (rows.has_written, rows.record)
    };
    if !has_written {
        write.abort()?;
        return Ok(Staged { answers, transaction: None });
    }
    // This also happens if the group only deleted rows, because the version of the rows has changed.
    *last_etag += 1;
    store_last_etag(&write, *last_etag)?;
    Ok(Staged { answers, transaction: Some((write, record)) })
}

/// The rows of the file with the writes of the group so far. The outer error of each method concerns the whole group.
struct GroupRows<'t, 'e, 'o> {
    table: Table<'t, &'static [u8], &'static [u8]>,
    observers: &'e mut GroupObservers<'o>,
    last_etag: &'e mut u64,
    has_written: bool,
    record: Record,
}

impl GroupRows<'_, '_, '_> {
    /// Checks every precondition before the first write.
    fn carry_out_batch(&mut self, table: &str, batch: &Batch) -> Result<GroupAnswer> {
        let operations = batch.operations();
        let keys: Vec<_> = operations.iter().map(|o| encode_key(table, batch.partition(), o.row())).collect();
        for (key, operation) in keys.iter().zip(operations) {
            let found = self.table.get(key.as_slice())?;
            let found = found.map(|bytes| decode_etag(key, bytes.value()));
            match found.transpose().and_then(|found| operation.check(found.as_ref())) {
                Ok(()) => {}
                Err(refusal) => return Ok(Err(refusal)),
            }
        }
        let mut etags = Vec::with_capacity(operations.len());
        for (key, operation) in keys.iter().zip(operations) {
            let properties = match operation {
                Operation::Put { properties, .. } => Some(properties),
                Operation::Delete { .. } => None,
            };
            etags.push(self.write((table, batch.partition(), operation.row()), key, properties)?);
        }
        Ok(Ok(etags))
    }

    fn carry_out_plan(&mut self, mut plan: GroupPlan) -> Result<GroupAnswer> {
        let rows = PlanRows { table: &self.table, failure: RefCell::new(None) };
        let planned = unguarded(|| run_plan(&mut plan, &rows, TransactionLimits::WIDE));
        if let Some(failure) = rows.failure.into_inner() {
            // The plan may have ignored the failure, but after a failed read nothing may be written.
            return Err(failure);
        }
        let writes = match planned {
            Ok(writes) => writes,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if writes.len() > ROWS_NAMED_MAX {
            self.has_written = true;
            self.observers.note_too_many();
            let encoded = bulk::encode(writes, self.last_etag);
            encoded.iter().for_each(|write| self.record.note(&write.key, write.row.as_deref()));
            bulk::write(&mut self.table, &encoded)?;
            return Ok(Ok(Vec::new()));
        }
        for RowWrite { table, key, properties } in &writes {
            let encoded = encode_key(table, key.partition(), key.row());
            self.write((table, key.partition(), key.row()), &encoded, properties.as_ref())?;
        }
        Ok(Ok(Vec::new()))
    }

    fn drop_table(&mut self, table: &str) -> Result<GroupAnswer> {
        let (from, to) = (encode_key(table, "", ""), reader::past_table(table));
        let (observers, record, has_written) = (&mut *self.observers, &mut self.record, &mut self.has_written);
        self.table.retain_in(from.as_slice()..to.as_slice(), |bytes, _| {
            *has_written = true;
            record.note(bytes, None);
            match decode_key(bytes) {
                Ok(key) => observers.note(|| WrittenRow::new(table, key.partition(), key.row())),
                Err(_) => observers.note_too_many(),
            }
            false
        })?;
        Ok(Ok(Vec::new()))
    }

    /// Puts or deletes a row, and returns its new ETag.
    fn write(
        &mut self,
        (table, partition, row): (&str, &str, &str),
        key: &[u8],
        properties: Option<&Properties>,
    ) -> Result<Option<Etag>> {
        self.has_written = true;
        let (is_changed, etag) = match properties {
            None => {
                self.record.note(key, None);
                (self.table.remove(key)?.is_some(), None)
            }
            Some(properties) => {
                *self.last_etag += 1;
                let encoded = encode_row(key, *self.last_etag, properties);
                self.record.note(key, Some(&encoded));
                let old = self.table.insert(key, encoded.as_slice())?;
                let is_same = |old: &[u8]| self.observers.notes_rows() && has_same_properties(old, &encoded);
                (!old.is_some_and(|old| is_same(old.value())), Some(etag(*self.last_etag)))
            }
        };
        if is_changed {
            self.observers.note(|| WrittenRow::new(table, partition, row));
        }
        Ok(etag)
    }
}

struct PlanRows<'r, 't> {
    table: &'r Table<'t, &'static [u8], &'static [u8]>,
    /// The first read that failed. The file is not read again afterwards.
    failure: RefCell<Option<StoreError>>,
}

impl PlanRows<'_, '_> {
    fn read<T>(&self, read: impl FnOnce() -> Result<T>) -> Result<T> {
        if let Some(failure) = &*self.failure.borrow() {
            return Err(StoreError::unavailable(
                "an earlier read of this transaction failed",
                GroupFailed(failure.to_string()),
            ));
        }
        guard(read).map_err(|failure| {
            let answer = StoreError::unavailable("a read of this transaction failed", GroupFailed(failure.to_string()));
            self.failure.replace(Some(failure));
            answer
        })
    }
}

impl Rows for PlanRows<'_, '_> {
    fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.read(|| reader::get(self.table, table, key))
    }

    fn range(&self, table: &'static str, range: &RowRange, limit: usize) -> Result<Vec<Entity>> {
        self.read(|| reader::range(self.table, table, range, limit, None)).map(|page| page.rows)
    }
}

/// A failure of the file as the source of the error that each caller of the group gets.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct GroupFailed(pub(super) String);
