//! Writes to the file: one thread, group commit. The rule: a batch is answered only after the sync that holds it, and a batch
//! whose preconditions fail leaves nothing, whatever else shares that sync.

use std::sync::Arc;
use std::time::{Duration, Instant};

use redb::{Database, Durability, ReadableDatabase, ReadableTable, Table, TableDefinition, WriteTransaction};
use tokio::sync::oneshot;

use super::codec::{decode_etag, encode_key, encode_row, etag};
use super::handle::Handle;
use super::open::ROWS;
use super::reader::unreadable;
use crate::store::error::StoreError;
use crate::store::{Batch, Etag, Operation, Precondition, Result};

/// The last ETag given; it outlives the process, so that no ETag comes twice.
const COUNTERS: TableDefinition<&str, u64> = TableDefinition::new("counters");
const LAST_ETAG: &str = "etag";

/// Batches that may wait; the next caller waits for a place.
const QUEUE_MAX: usize = 1_024;
/// How long writes are refused once the disk was full: each that meets it costs the reopening of the file, and readers wait for that.
const FULL_PAUSE: Duration = Duration::from_secs(5);
/// Batches that share one sync at the most, so that the first of them never waits long.
const GROUP_MAX: usize = 256;

type Answer = Result<Vec<Option<Etag>>>;

struct Job {
    table: &'static str,
    batch: Batch,
    answer: oneshot::Sender<Answer>,
}

/// Hands batches to the writing thread, which ends when this is dropped and the queue is empty.
pub(super) struct Writer {
    queue: Option<tokio::sync::mpsc::Sender<Job>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(handle: Arc<Handle>) -> Result<Self> {
        let (queue, jobs) = tokio::sync::mpsc::channel(QUEUE_MAX);
        let last_etag = handle.visit(read_last_etag)?;
        let thread = std::thread::Builder::new()
            .name("tidings-store".to_owned())
            .spawn(move || run(&handle, jobs, last_etag))
            .map_err(|e| StoreError::unavailable("the store's writing thread cannot start", e))?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    pub(super) async fn commit(&self, table: &'static str, batch: Batch) -> Answer {
        let (answer, answered) = oneshot::channel();
        let queue = self.queue.as_ref().expect("the queue is taken only when the writer is dropped");
        let stopped = |_| StoreError::unavailable("the store's writing thread has stopped", Stopped);
        queue.send(Job { table, batch, answer }).await.map_err(|_| stopped(()))?;
        answered.await.map_err(|_| StoreError::outcome_unknown("the store's writing thread has stopped", Stopped))?
    }
}

/// Waits for what was handed over: a store that is dropped has written all that it took.
impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already answered to its callers as a lost outcome.
            let _ = thread.join();
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the writing thread is gone")]
struct Stopped;

fn run(handle: &Handle, mut jobs: tokio::sync::mpsc::Receiver<Job>, mut last_etag: u64) {
    let mut group = Vec::with_capacity(GROUP_MAX);
    let mut full_until = None;
    loop {
        group.clear();
        let Some(first) = jobs.blocking_recv() else { return };
        group.push(first);
        while group.len() < GROUP_MAX {
            match jobs.try_recv() {
                Ok(job) => group.push(job),
                Err(_) => break,
            }
        }
        let answers = match full_until.filter(|until| Instant::now() < *until) {
            Some(_) => group.iter().map(|_| Err(full(Failed("it was full just now".to_owned())))).collect(),
            None => write_group(handle, &group, &mut last_etag),
        };
        full_until = pause_after(handle, &answers, full_until);
        for (job, answer) in group.drain(..).zip(answers) {
            // The caller may have gone away; the write stands all the same.
            let _ = job.answer.send(answer);
        }
    }
}

/// After a full disk the file is opened again, so that reads go on, and writes rest.
fn pause_after(handle: &Handle, answers: &[Answer], paused: Option<Instant>) -> Option<Instant> {
    let now = Instant::now();
    if paused.is_some_and(|until| now < until) {
        return paused;
    }
    if !answers.iter().any(|answer| matches!(answer, Err(StoreError::Full { .. }))) {
        return None;
    }
    if let Err(error) = handle.reopen() {
        tracing::error!(error = &error as &dyn std::error::Error, "store.not_reopened");
    }
    Some(Instant::now() + FULL_PAUSE)
}

/// Runs each batch, then syncs once for all of them.
fn write_group(handle: &Handle, group: &[Job], last_etag: &mut u64) -> Vec<Answer> {
    let mut staged = None;
    let written = handle.visit_to_write(|database| {
        let (write, answers) = stage(database, group, last_etag).map_err(unreadable)?;
        staged = Some(answers);
        write.commit().map_err(unreadable)
    });
    match (written, staged) {
        (Ok(()), Some(answers)) => answers,
        (Ok(()), None) => unreachable!("a group is staged before it is committed"),
        // It was full before the roots were changed, for they are never in the way of new pages.
        (Err(error @ StoreError::Full { .. }), _) => refuse(group, &error, full),
        // The transaction was dropped, so nothing of the group is in the file.
        (Err(error @ StoreError::Corrupt { .. }), None) => {
            refuse(group, &error, |cause| StoreError::corrupt_by("the store file cannot be written", cause))
        }
        (Err(error), None) => {
            refuse(group, &error, |cause| StoreError::unavailable("the store file cannot be written", cause))
        }
        // The sync may have come through all the same.
        (Err(error), Some(_)) => {
            refuse(group, &error, |cause| StoreError::outcome_unknown("the store file cannot be written", cause))
        }
    }
}

fn full(cause: Failed) -> StoreError {
    StoreError::full("the store file cannot grow; make room, then try again", cause)
}

/// Gives every batch of a group the same error.
fn refuse(group: &[Job], error: &StoreError, meaning: fn(Failed) -> StoreError) -> Vec<Answer> {
    tracing::error!(error = error as &dyn std::error::Error, "store.write_failed");
    let cause = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    group.iter().map(|_| Err(meaning(Failed(cause.clone())))).collect()
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Failed(String);

fn stage(
    database: &Database,
    group: &[Job],
    last_etag: &mut u64,
) -> Result<(WriteTransaction, Vec<Answer>), redb::Error> {
    let mut write = database.begin_write()?;
    write.set_durability(Durability::Immediate)?;
    let mut answers = Vec::with_capacity(group.len());
    {
        let mut rows = write.open_table(ROWS)?;
        for job in group {
            answers.push(write_batch(&mut rows, job, last_etag)?);
        }
    }
    store_last_etag(&write, *last_etag)?;
    Ok((write, answers))
}

/// Holds every precondition first, so that a batch that fails has written nothing.
fn write_batch(
    rows: &mut Table<'_, &'static [u8], &'static [u8]>,
    job: &Job,
    last_etag: &mut u64,
) -> Result<Answer, redb::Error> {
    let partition = job.batch.partition();
    let operations = job.batch.operations();
    let keys: Vec<_> = operations.iter().map(|o| encode_key(job.table, partition, o.row())).collect();
    for (key, operation) in keys.iter().zip(operations) {
        let found = rows.get(key.as_slice())?.map(|bytes| decode_etag(key, bytes.value()));
        match found.transpose().and_then(|found| check(operation, found.as_ref())) {
            Ok(()) => {}
            Err(refusal) => return Ok(Err(refusal)),
        }
    }
    let mut etags = Vec::with_capacity(operations.len());
    for (key, operation) in keys.iter().zip(operations) {
        match operation {
            Operation::Put { properties, .. } => {
                *last_etag += 1;
                rows.insert(key.as_slice(), encode_row(key, *last_etag, properties).as_slice())?;
                etags.push(Some(etag(*last_etag)));
            }
            Operation::Delete { .. } => {
                rows.remove(key.as_slice())?;
                etags.push(None);
            }
        }
    }
    Ok(Ok(etags))
}

fn check(operation: &Operation, found: Option<&Etag>) -> Result<()> {
    let (precondition, must_stand) = match operation {
        Operation::Put { precondition, .. } => (precondition, false),
        Operation::Delete { precondition, .. } => (precondition, true),
    };
    let refuse = |why| Err(StoreError::precondition(format!("{} {why}", operation.row())));
    match (precondition, found) {
        (Precondition::Absent, Some(_)) => refuse("stands already"),
        (Precondition::Match(_), None) => refuse("is gone"),
        (Precondition::Match(wanted), Some(etag)) if wanted != etag => refuse("has changed"),
        (Precondition::None, None) if must_stand => refuse("is gone"),
        _ => Ok(()),
    }
}

fn read_last_etag(database: &Database) -> Result<u64> {
    let read = database.begin_read().map_err(unreadable)?;
    match read.open_table(COUNTERS) {
        Ok(counters) => Ok(counters.get(LAST_ETAG).map_err(unreadable)?.map_or(0, |n| n.value())),
        Err(redb::TableError::TableDoesNotExist(_)) => Ok(0),
        Err(e) => Err(unreadable(e)),
    }
}

fn store_last_etag(write: &WriteTransaction, last_etag: u64) -> Result<(), redb::Error> {
    write.open_table(COUNTERS)?.insert(LAST_ETAG, last_etag)?;
    Ok(())
}
