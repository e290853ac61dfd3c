//! One log for a store whose transactions cover one partition. The rule: every write is appended to the log first, in one transaction with its head, and then
//! applied, partition by partition; so all changes have one order, and each change is made completely or not at all, even if a process stops in between.
//!
//! docs/design.md has the rules (R1 to R6). [`plan`] runs the plans of changes, [`steps`] puts their writes in an order in which readers lose nothing,
//! [`entry`] encodes them, [`writer`] appends them, [`apply`] carries them out, [`follower`] reads entries of other servers, and [`progress`] tracks which
//! entries this server knows. [`retention`] deletes old entries.
//!
//! A store file has its own transactions; [`recording`] adds the same entries to it once it is backed up, and [`read`] reads the entries of both stores.

mod age;
mod apply;
mod entry;
mod follower;
mod plan;
mod progress;
mod read;
mod recording;
mod retention;
mod settings;
mod steps;
mod writer;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::clock::Clock;

use super::limits::TransactionLimits;
use super::{
    Batch, Continuation, Entity, Etag, GroupPlan, Key, Operation, Page, Result, RowRange, Rows, Store, StoreError,
    TableStore, WriteObserver,
};

pub use entry::is_row_of_log;
pub use read::{EntryReader, LogEntry, LogPosition, begin, newest};
pub use recording::RecordingStore;
pub use settings::{LogSettings, TRUSTED_FOR};
pub use steps::RowRole;

use follower::Follower;
use writer::Writer;

/// Wraps a store to which several servers write, and adds transactions over all tables and partitions.
pub struct LogStore {
    writer: Arc<Writer>,
    follower: Follower,
    /// For each table, the last row that reports a change that is known to be applied.
    confirmed: Mutex<HashMap<&'static str, Entity>>,
}

impl LogStore {
    pub fn new(inner: Store, settings: LogSettings, clock: Clock) -> Self {
        let writer = Arc::new(Writer::new(inner, settings, clock));
        Self { writer, follower: Follower::default(), confirmed: Mutex::default() }
    }

    /// Reads new entries of other servers. One point read if there are none.
    ///
    /// # Errors
    /// If the log cannot be read, or an entry is damaged.
    pub async fn poll(&self) -> Result<()> {
        self.follower.poll(&self.writer).await
    }

    fn store(&self) -> &Store {
        &self.writer.store
    }
}

#[async_trait::async_trait]
impl TableStore for LogStore {
    fn inner(&self) -> Option<&Store> {
        Some(self.store())
    }

    /// Creates the table of the log first, and applies an entry whose server stopped after the append.
    async fn create_tables(&self, tables: &[&'static str]) -> Result<()> {
        self.store().create_tables(&[self.writer.settings.table]).await?;
        self.store().create_tables(tables).await?;
        self.writer.catch_up().await
    }

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        let row = self.store().get(table, key).await?;
        self.confirm(table, row.as_slice()).await?;
        Ok(row)
    }

    async fn get_key(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        let row = self.store().get_key(table, key).await?;
        self.confirm(table, row.as_slice()).await?;
        Ok(row)
    }

    async fn get_many(&self, table: &'static str, keys: &[Key]) -> Vec<Result<Option<Entity>>> {
        let mut rows = self.store().get_many(table, keys).await;
        let mut of_partition: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, row) in rows.iter().enumerate() {
            if let Ok(Some(found)) = row {
                of_partition.entry(found.key.partition().to_owned()).or_default().push(at);
            }
        }
        for places in of_partition.values() {
            if let Ok(Some(first)) = &rows[places[0]]
                && let Err(error) = self.confirm_partition(table, first, places.len() == 1).await
            {
                places.iter().for_each(|at| rows[*at] = Err(error.clone()));
            }
        }
        rows
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        let Some(range) = steps::after_watermark(range)? else { return Ok(Page::default()) };
        let page = self.store().range(table, &range, limit, continuation).await?;
        self.confirm(table, &page.rows).await?;
        Ok(page)
    }

    /// Commits through a plan that checks the preconditions. Rows that do not fit in one transaction with a watermark become visible in two. Rows of a table
    /// that the log does not know are not part of the content, and are written directly.
    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        if !self.writer.settings.tables.contains(&table) {
            return self.store().commit(table, batch).await;
        }
        let plan = {
            let batch = batch.clone();
            Box::new(move |rows: &dyn Rows| batch.planned(table, rows))
        };
        let written = self.writer.submit(plan).await?;
        let mut etags = Vec::with_capacity(batch.operations().len());
        for operation in batch.operations() {
            let place = (table, Key::new(batch.partition(), operation.row())?);
            etags.push(match operation {
                Operation::Delete { .. } => None,
                Operation::Put { properties, .. } => Some(match written.get(&place) {
                    Some(Some(row)) if row.properties == *properties => row.etag.clone(),
                    // The row is unknown, because another server has carried out the step, its answer was lost, or a later change in the same entry has written
                    // the row; it may have changed since.
                    _ => match self.get(table, &place.1).await {
                        Ok(Some(row)) if row.properties == *properties => row.etag,
                        Ok(_) => return Err(changed_since(&place.1)),
                        Err(error) => {
                            return Err(StoreError::outcome_unknown(format!("the row {} was written", place.1), error));
                        }
                    },
                }),
            });
        }
        Ok(etags)
    }

    fn is_transactional(&self) -> bool {
        true
    }

    fn transaction_limits(&self) -> TransactionLimits {
        writer::LIMITS
    }

    async fn transact(&self, plan: GroupPlan) -> Result<()> {
        self.writer.submit(plan).await.map(drop)
    }

    fn observe_writes(&self, observer: Weak<dyn WriteObserver>) -> bool {
        self.writer.progress.observe(observer);
        true
    }

    /// Each query that uses or fills a cache calls this; it requests polls.
    fn is_followed(&self) -> bool {
        self.follower.ask(self.writer.settings.trusted_for, &self.writer.clock)
    }

    async fn catch_up(&self) {
        if self.writer.progress.is_observed() {
            self.follower.catch_up(|| self.is_followed()).await;
        }
    }

    fn horizon(&self) -> Option<u64> {
        (self.is_followed() && self.writer.progress.is_observed()).then(|| self.writer.progress.horizon())
    }

    async fn settle(&self) -> Result<()> {
        self.writer.settle().await
    }

    fn position(&self) -> Option<u64> {
        self.writer.progress.known()
    }

    async fn wait_for(&self, position: u64) -> Result<bool> {
        self.follower.wait_for(position, &self.writer).await
    }

    async fn follow_writes(&self) {
        self.follower.follow(&self.writer).await;
    }

    async fn delete_old_entries(&self) -> Result<()> {
        self.writer.catch_up().await?;
        let Some(newest) = self.writer.progress.known() else { return Ok(()) };
        retention::delete_old(self.store(), &self.writer.settings, newest, &self.writer.clock).await
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        let mut page = self.store().scan(table, continuation).await?;
        page.rows.retain(|row| row.key.row() != steps::WATERMARK);
        Ok(page)
    }
}

impl LogStore {
    /// Applies the changes that rows report, before the rows are returned (R3). `rows`: of one partition.
    async fn confirm(&self, table: &'static str, rows: &[Entity]) -> Result<()> {
        match rows.first() {
            Some(first) => self.confirm_partition(table, first, rows.len() == 1).await,
            None => Ok(()),
        }
    }

    /// One point read; none for a single row that was already confirmed, as when a follower polls.
    async fn confirm_partition(&self, table: &'static str, first: &Entity, is_alone: bool) -> Result<()> {
        let watermark = Key::new(first.key.partition(), steps::WATERMARK)?;
        if self.writer.settings.table_of(table).role(&watermark, None) != RowRole::Report {
            return Ok(());
        }
        let confirmed = || self.confirmed.lock().unwrap_or_else(PoisonError::into_inner);
        if is_alone && confirmed().get(table) == Some(first) {
            return Ok(());
        }
        let Some(watermark) = self.store().get(table, &watermark).await? else { return Ok(()) };
        let (entry, _) = apply::read(&watermark)?;
        self.writer.apply_to(entry).await.map_err(StoreError::into_not_read)?;
        // A row without properties may be one of which only the key was read.
        if is_alone && !first.properties.is_empty() {
            confirmed().insert(table, first.clone());
        }
        Ok(())
    }
}

fn changed_since(key: &Key) -> StoreError {
    StoreError::OutcomeUnknown { what: format!("the row {key} was written, and changed since"), source: None }
}
