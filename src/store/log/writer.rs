//! Appends the waiting changes of this server, and applies them. The rules: the append is the commit; the newest entry is applied before plans run; and a
//! refusal counts only if no entry was appended since the plan has read its dependencies.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as AsyncMutex, oneshot};
use tokio::time::Instant as Moment;

use tracing::Instrument;

use crate::clock::Clock;
use crate::store::limits::{TransactionLimits, key_payload_bytes, row_payload_bytes};
use crate::store::{Entity as Row, GroupPlan, PAGE_ROWS_MAX, Precondition, Result, RowWrite, Store, StoreError};
use crate::telemetry::metrics;

use super::age::Age;
use super::apply::{Applied, apply, is_applied};
use super::entry::{self, Entry, EntryNames, Head};
use super::plan::PlannedRows;
use super::progress::{Place, Progress, StoredHead, StoredRow};
use super::settings::LogSettings;
use super::steps::{NewWrite, RowRole, WATERMARK, sort};

/// The limits of an entry, whose work is bounded because the next append waits for it.
pub(super) const LIMITS: TransactionLimits = TransactionLimits { rows_max: 1_000, bytes_max: 8 << 20 };
/// The maximum time that a change waits for the changes of others.
const DEADLINE: Duration = Duration::from_secs(25);

/// The rows after the entry of a change.
pub(super) type Written = Arc<Applied>;

pub(super) struct Writer {
    pub store: Store,
    pub settings: LogSettings,
    pub clock: Clock,
    pub progress: Progress,
    waiting: Mutex<VecDeque<Waiting>>,
    writing: AsyncMutex<()>,
}

/// A waiting change.
struct Waiting {
    plan: GroupPlan,
    since: Moment,
    answer: oneshot::Sender<Result<Written>>,
}

/// A change after its plan was run.
struct Planned {
    waiting: Waiting,
    /// The error, if the plan has refused the change.
    refusal: Option<StoreError>,
}

enum Append {
    /// Nothing has to be appended.
    Nothing,
    Done(Entry),
    /// Another entry was appended first.
    Moved,
}

/// Runs what takes the turn to write. A caller that had it and was not polled any more, such as one of several futures whose owner waits for something else,
/// would keep every other change of the server waiting.
async fn in_own_task(work: impl Future<Output = Result<()>> + Send + 'static) -> Result<()> {
    let done = tokio::spawn(work.instrument(tracing::Span::current())).await;
    done.unwrap_or_else(|error| Err(StoreError::unavailable("the log", error)))
}

impl Writer {
    pub(super) fn new(store: Store, settings: LogSettings, clock: Clock) -> Self {
        let (progress, waiting) = (Progress::default(), Mutex::default());
        Self { store, settings, clock, progress, waiting, writing: AsyncMutex::default() }
    }

    /// Carries out a plan together with others that wait at the same time, even if the caller stops waiting.
    pub(super) async fn submit(self: &Arc<Self>, plan: GroupPlan) -> Result<Written> {
        let (answer, answered) = oneshot::channel();
        self.waiting().push_back(Waiting { plan, since: Moment::now(), answer });
        let writer = Arc::clone(self);
        tokio::spawn(async move { writer.carry_out_waiting().await }.instrument(tracing::Span::current()));
        answered.await.map_err(|_| StoreError::OutcomeUnknown { what: "the log".to_owned(), source: None })?
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, VecDeque<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn carry_out_waiting(&self) {
        let _one = self.writing.lock().await;
        let mut group = std::mem::take(&mut *self.waiting());
        loop {
            refuse_late(&mut group);
            if group.is_empty() {
                return;
            }
            if let Err(error) = self.append_some(&mut group).await {
                self.progress.forget_head();
                for waiting in group.drain(..) {
                    drop(waiting.answer.send(Err(error.clone())));
                }
            }
        }
    }

    /// Applies the newest known entry, unless it is already applied or being applied by this server.
    ///
    /// # Errors
    /// The errors of [`catch_up`](Self::catch_up).
    pub(super) async fn settle(self: &Arc<Self>) -> Result<()> {
        self.ready_unless(Progress::is_settled).await
    }

    /// Waits until this entry is applied, and applies it if necessary.
    ///
    /// # Errors
    /// The errors of [`catch_up`](Self::catch_up).
    pub(super) async fn apply_to(self: &Arc<Self>, number: u64) -> Result<()> {
        if self.progress.head().is_some_and(|stored| stored.head.number < number) {
            self.progress.forget_head();
        }
        self.ready_unless(move |progress| progress.is_applied(number)).await
    }

    async fn ready_unless(self: &Arc<Self>, is_done: impl Fn(&Progress) -> bool + Send + Sync + 'static) -> Result<()> {
        if is_done(&self.progress) {
            return Ok(());
        }
        let writer = Arc::clone(self);
        in_own_task(async move {
            let _one = writer.writing.lock().await;
            if !is_done(&writer.progress) {
                writer.ready().await?;
            }
            // A read of the head that began earlier may have just ended, and may not have seen a newer entry.
            if !is_done(&writer.progress) {
                writer.progress.forget_head();
                writer.ready().await?;
            }
            Ok(())
        })
        .await
    }

    /// Waits until the newest entry is applied, and applies it if necessary.
    ///
    /// # Errors
    /// If the storage fails, or the log is damaged.
    pub(super) async fn catch_up(self: &Arc<Self>) -> Result<()> {
        let writer = Arc::clone(self);
        in_own_task(async move {
            let _one = writer.writing.lock().await;
            writer.progress.forget_head();
            writer.ready().await.map(drop)
        })
        .await
    }

    /// Applies the newest entry, unless a change or another reader is applying it.
    ///
    /// # Errors
    /// If the storage fails, or the log is damaged.
    pub(super) async fn catch_up_if_idle(&self) -> Result<()> {
        let Ok(_one) = self.writing.try_lock() else { return Ok(()) };
        self.progress.forget_head();
        self.ready().await.map(drop)
    }

    /// The head, after all entries up to it were applied.
    async fn ready(&self) -> Result<StoredHead> {
        let mut stored = match self.progress.head() {
            Some(head) => head,
            None => self.read_head().await?,
        };
        loop {
            self.learn_to(stored.head.number).await?;
            if self.ensure_applied(stored.head.number).await? {
                return Ok(stored);
            }
            // The entry was deleted, because this process was paused for long and others were appended.
            let last = std::mem::replace(&mut stored, self.read_head().await?);
            if last == stored {
                return Err(StoreError::corrupt(format!("the entry {} of the log is missing", last.head.number)));
            }
        }
    }

    pub(super) async fn read_head(&self) -> Result<StoredHead> {
        let forgotten = self.progress.heads_forgotten();
        let row = self.store.get(self.settings.table, &entry::head_key()?).await?;
        let head = row.as_ref().map(entry::read_head).transpose()?.unwrap_or(Head { number: 0, id: "".into() });
        let stored = StoredHead { head, etag: row.map(|row| row.etag) };
        self.progress.note_head(stored.clone(), forgotten);
        Ok(stored)
    }

    /// Reads the unknown entries. If one of them was deleted, all cached rows and values are dropped.
    pub(super) async fn learn_to(&self, number: u64) -> Result<()> {
        let Some(known) = self.progress.known() else {
            self.progress.restart_at(number);
            return Ok(());
        };
        let mut next = known + 1;
        if next > number {
            return Ok(());
        }
        let (range, mut continuation) = (entry::entries(known, number)?, None);
        loop {
            let page = self.store.range(self.settings.table, &range, PAGE_ROWS_MAX, continuation.as_ref()).await?;
            for row in &page.rows {
                let names = EntryNames::read(row, &self.settings)?;
                if names.number != next {
                    self.drop_all(number);
                    return Ok(());
                }
                self.progress.learn(names.number, &names.writes, false);
                // An entry is appended only after the previous one was applied.
                self.progress.note_applied(names.number - 1);
                next += 1;
            }
            continuation = page.continuation;
            if continuation.is_none() {
                break;
            }
        }
        if next <= number {
            self.drop_all(number);
        }
        Ok(())
    }

    /// Called if entries were deleted because this server has not read the log for too long.
    fn drop_all(&self, number: u64) {
        metrics::log_gap();
        tracing::info!(entry = number, "log.gap");
        self.progress.restart_at(number);
    }

    /// Whether the entry is applied, according to its watermarks.
    pub(super) async fn find_out_if_applied(&self, number: u64) -> Result<bool> {
        if number == 0 || self.progress.is_applied(number) {
            return Ok(true);
        }
        let Some(names) = self.entry(number).await? else { return Ok(false) };
        let is_applied = is_applied(&self.store, number, &names.writes).await?;
        if is_applied {
            self.progress.note_applied(number);
        }
        Ok(is_applied)
    }

    async fn entry(&self, number: u64) -> Result<Option<EntryNames>> {
        let page = self.store.range(self.settings.table, &entry::entries(number - 1, number)?, 1, None).await?;
        page.rows.first().map(|row| EntryNames::read(row, &self.settings)).transpose()
    }

    /// Returns false if the entry does not exist.
    async fn ensure_applied(&self, number: u64) -> Result<bool> {
        if self.find_out_if_applied(number).await? {
            return Ok(true);
        }
        let Some(names) = self.entry(number).await? else { return Ok(false) };
        let rows = self.store.get_many(self.settings.table, &names.data_keys()?).await;
        let Some(data) = rows.into_iter().collect::<Result<Option<Vec<_>>>>()? else { return Ok(false) };
        let entry = names.with_data(&data)?;
        tracing::info!(entry = number, "log.applied_for_another");
        // The caller has written nothing yet, so the outcome of the entry does not matter for its error.
        let applied =
            apply((&self.store, &self.progress), number, &entry.writes).await.map_err(StoreError::into_not_read)?;
        self.progress.note_applied(number);
        self.progress.keep(number, self.shared(&applied));
        Ok(true)
    }

    /// Appends as many changes as fit in one entry, applies them and answers them. After an error, nothing was appended, and the group has all changes again.
    async fn append_some(&self, group: &mut VecDeque<Waiting>) -> Result<()> {
        let head = self.ready().await?;
        let (mut rows, mut planned) = (PlannedRows::default(), Vec::new());
        let (mut row_count, mut bytes) = (0, 0);
        while let Some(mut waiting) = group.pop_front() {
            let run = rows.run(&mut waiting.plan, (&self.store, &self.progress, &self.settings), LIMITS).await;
            let run = match run {
                Ok(run) => run,
                Err(error) => {
                    group.push_front(waiting);
                    restore(group, planned);
                    return Err(error);
                }
            };
            let refusal = match run {
                Err(refusal) => Some(refusal),
                Ok(writes) => {
                    let more = writes.iter().map(payload_bytes).sum::<usize>();
                    let fits = row_count + writes.len() <= LIMITS.rows_max && bytes + more <= LIMITS.bytes_max;
                    if row_count > 0 && (!fits || self.passes_on(&rows, &writes)) {
                        group.push_front(waiting);
                        break;
                    }
                    (row_count, bytes) = (row_count + writes.len(), bytes + more);
                    rows.add(writes);
                    None
                }
            };
            planned.push(Planned { waiting, refusal });
        }
        self.end(group, head, rows, planned).await
    }

    /// Whether a row would point to one object and then to another within one entry, so that readers would temporarily find neither.
    fn passes_on(&self, rows: &PlannedRows, writes: &[RowWrite]) -> bool {
        writes.iter().any(|write| {
            self.settings.table_of(write.table).role(&write.key, write.properties.as_ref()) == RowRole::Lookup
                && rows.has_written(&(write.table, write.key.clone()))
        })
    }

    async fn end(
        &self,
        group: &mut VecDeque<Waiting>,
        head: StoredHead,
        rows: PlannedRows,
        planned: Vec<Planned>,
    ) -> Result<()> {
        let writes: Vec<_> = rows
            .writes()
            .map(|((table, key), properties)| NewWrite {
                table: self.settings.table_of(table),
                key: key.clone(),
                properties: properties.clone(),
                is_there: rows.is_stored(&(*table, key.clone())),
            })
            .collect();
        let appended = match writes.is_empty() {
            // Nothing is written, so the decisions are valid if the head is unchanged.
            true => self.confirm(&head).await,
            false => self.append(&head, writes).await,
        };
        match appended {
            Ok(Append::Nothing) => answer(planned, &Ok(Written::default())),
            Ok(Append::Done(entry)) => {
                let written = self.apply_own(entry, rows).await;
                answer(planned, &written);
            }
            Ok(Append::Moved) => restore(group, planned),
            // Refused changes also get this error, because it is unknown on which rows they were refused.
            Err(error @ StoreError::OutcomeUnknown { .. }) => {
                self.progress.forget_head();
                for planned in planned {
                    drop(planned.waiting.answer.send(Err(error.clone())));
                }
            }
            Err(error) => {
                restore(group, planned);
                return Err(error);
            }
        }
        Ok(())
    }

    async fn confirm(&self, head: &StoredHead) -> Result<Append> {
        match self.read_head().await? == *head {
            true => Ok(Append::Nothing),
            false => Ok(Append::Moved),
        }
    }

    async fn append(&self, head: &StoredHead, writes: Vec<NewWrite>) -> Result<Append> {
        let (number, id) = (head.head.number + 1, entry::random_id()?);
        let entry = Entry { number, id, at: self.clock.now(), is_continued: false, writes: sort(writes)? };
        let unchanged = head.etag.clone().map_or(Precondition::Absent, Precondition::Match);
        let appends = entry.appends(unchanged)?;
        let began = Age::new(&self.clock);
        for batch in &appends.before {
            // Data rows have no effect before their entry exists, so it does not matter whether a batch was written.
            self.store.commit(self.settings.table, batch).await.map_err(StoreError::into_not_made)?;
        }
        let unknown = |error| StoreError::outcome_unknown("the append to the log", error);
        let mut is_in_doubt = false;
        loop {
            if began.elapsed(&self.clock) >= DEADLINE {
                let late =
                    StoreError::Unavailable { what: "the append to the log takes too long".to_owned(), source: None };
                return Err(if is_in_doubt { unknown(late) } else { late });
            }
            let forgotten = self.progress.heads_forgotten();
            match self.store.commit(self.settings.table, &appends.append).await {
                Ok(etags) => {
                    let etag = etags.into_iter().flatten().next_back();
                    self.progress.note_head(StoredHead { head: entry.head(), etag }, forgotten);
                    return Ok(Append::Done(entry));
                }
                Err(StoreError::OutcomeUnknown { .. }) => is_in_doubt = true,
                Err(StoreError::Precondition(_)) => {}
                Err(error) if is_in_doubt => return Err(unknown(error)),
                Err(error) => return Err(error),
            }
            // An earlier request of this server may have been carried out; the log will show that.
            self.progress.forget_head();
            let now = self.read_head().await.map_err(unknown)?;
            if now.head.number >= entry.number {
                return match self.entry(entry.number).await.map_err(unknown)? {
                    Some(names) if names.id == entry.id => Ok(Append::Done(entry)),
                    Some(_) => Ok(Append::Moved),
                    None => Err(StoreError::OutcomeUnknown { what: "the append to the log".to_owned(), source: None }),
                };
            }
        }
    }

    /// Applies an entry that this server has appended.
    async fn apply_own(&self, entry: Entry, rows: PlannedRows) -> Result<Written> {
        self.progress.learn(entry.number, &entry.writes, true);
        // The previous entry was applied, and so were all before it.
        self.progress.note_applied(entry.number - 1);
        let unchanged = rows.into_unchanged().filter(|(place, row)| {
            self.is_shared(place, row.as_ref()) || row.is_some() && self.role(place, row.as_ref()) == RowRole::Lookup
        });
        self.progress.keep(entry.number, unchanged);
        let applied: Applied =
            apply((&self.store, &self.progress), entry.number, &entry.writes).await.map_err(|error| {
                // The change is committed; the next reader or writer carries out the rest (R4).
                self.progress.note_not_applied(entry.number);
                tracing::warn!(%error, entry = entry.number, "log.not_applied");
                StoreError::outcome_unknown("the change is in the log, and not applied yet", error)
            })?;
        self.progress.note_applied(entry.number);
        self.progress.keep(entry.number, self.shared(&applied));
        Ok(Arc::new(applied))
    }

    /// The rows that changes of other objects will also read. Rows of single objects are not cached, to save space for these.
    fn shared(&self, applied: &Applied) -> impl Iterator<Item = (Place, StoredRow)> {
        let shared = applied.iter().filter(|(place, row)| self.is_shared(place, row.as_ref()));
        shared.map(|(place, row)| (place.clone(), row.clone()))
    }

    fn is_shared(&self, place: &Place, row: Option<&Row>) -> bool {
        place.1.row() == WATERMARK || matches!(self.role(place, row), RowRole::Count | RowRole::Together)
    }

    fn role(&self, (table, key): &Place, row: Option<&Row>) -> RowRole {
        self.settings.table_of(table).role(key, row.map(|row| &row.properties))
    }
}

fn payload_bytes(write: &RowWrite) -> usize {
    match &write.properties {
        Some(properties) => row_payload_bytes(&write.key, properties),
        None => key_payload_bytes(&write.key),
    }
}

/// Returns changes to the group in their order, to be planned again.
fn restore(group: &mut VecDeque<Waiting>, planned: Vec<Planned>) {
    planned.into_iter().rev().for_each(|planned| group.push_front(planned.waiting));
}

/// Refuses the changes that have waited for too long.
fn refuse_late(group: &mut VecDeque<Waiting>) {
    let (late, others) = group.drain(..).partition::<Vec<_>, _>(|waiting| waiting.since.elapsed() >= DEADLINE);
    group.extend(others);
    for waiting in late {
        let what = "other changes take too long".to_owned();
        drop(waiting.answer.send(Err(StoreError::Unavailable { what, source: None })));
    }
}

fn answer(planned: Vec<Planned>, written: &Result<Written>) {
    for Planned { waiting, refusal } in planned {
        let answer = match (refusal, written) {
            (Some(refusal), _) => Err(refusal),
            (None, Ok(rows)) => Ok(Arc::clone(rows)),
            (None, Err(error)) => Err(error.clone()),
        };
        // The caller may have stopped waiting.
        drop(waiting.answer.send(answer));
    }
}
