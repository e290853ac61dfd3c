//! Writes to the file: one thread, group commit. The rule: a batch or a plan is answered only after the sync that includes its writes and those that
//! it has read. The module [`group`](super::group) carries out each of them, inside one redb transaction for the whole group.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::counters::read_last_etag;
use super::group::{GroupAnswer, GroupFailed, Request, Staged, stage};
use super::guard::unguarded;
use super::handle::DatabaseHandle;
use super::observers::Observers;
use crate::store::error::StoreError;
use crate::store::transaction::GroupPlan;
use crate::store::{Batch, Result};

/// Batches and plans that may wait in the queue; further callers wait until it is shorter.
const QUEUE_MAX: usize = 1_024;
/// How long writes are refused after the disk was full: each attempt makes the server open the file again, and readers wait for that.
const FULL_PAUSE: Duration = Duration::from_secs(5);
/// Batches and plans that share one sync at most, so that the first of them never waits long.
const GROUP_MAX: usize = 256;

struct WriteJob {
    request: Request,
    answer: oneshot::Sender<GroupAnswer>,
}

/// Passes batches and plans to the writing thread, which ends when this is dropped and the queue is empty.
pub(super) struct FileWriter {
    queue: Option<tokio::sync::mpsc::Sender<WriteJob>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl FileWriter {
    pub(super) fn start(handle: Arc<DatabaseHandle>, observers: Arc<Observers>) -> Result<Self> {
        let (queue, jobs) = tokio::sync::mpsc::channel(QUEUE_MAX);
        let last_etag = handle.visit(read_last_etag)?;
        let thread = std::thread::Builder::new()
            .name("tidings-store".to_owned())
            .spawn(move || run(&handle, &observers, jobs, last_etag))
            .map_err(|e| StoreError::unavailable("the store's writing thread cannot start", e))?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    pub(super) async fn commit(&self, table: &'static str, batch: Batch) -> GroupAnswer {
        self.ask(Request::Batch { table, batch }).await
    }

    pub(super) async fn transact(&self, plan: GroupPlan) -> Result<()> {
        self.ask(Request::GroupPlan(plan)).await.map(drop)
    }

    async fn ask(&self, request: Request) -> GroupAnswer {
        let (answer, answered) = oneshot::channel();
        let queue = self.queue.as_ref().expect("the queue is taken only when the writer is dropped");
        let stopped = |_| StoreError::unavailable("the store's writing thread has stopped", WriterStopped);
        queue.send(WriteJob { request, answer }).await.map_err(|_| stopped(()))?;
        answered
            .await
            .map_err(|_| StoreError::outcome_unknown("the store's writing thread has stopped", WriterStopped))?
    }
}

/// Waits for the queue: a store that is dropped has written everything that it accepted.
impl Drop for FileWriter {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            // The callers of a thread that panicked have already got an unknown outcome.
            let _ = thread.join();
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the writing thread is gone")]
struct WriterStopped;

fn run(
    handle: &DatabaseHandle,
    observers: &Observers,
    mut jobs: tokio::sync::mpsc::Receiver<WriteJob>,
    mut last_etag: u64,
) {
    let mut group = Vec::with_capacity(GROUP_MAX);
    let mut full_until = None;
    loop {
        let Some(first) = jobs.blocking_recv() else { return };
        group.push(first);
        while group.len() < GROUP_MAX {
            match jobs.try_recv() {
                Ok(job) => group.push(job),
                Err(_) => break,
            }
        }
        let (requests, callers): (Vec<_>, Vec<_>) = group.drain(..).map(|job| (job.request, job.answer)).unzip();
        let answers = match full_until.filter(|until| Instant::now() < *until) {
            Some(_) => requests.iter().map(|_| Err(full(GroupFailed("it was full a moment ago".to_owned())))).collect(),
            None => write_group(handle, observers, requests, &mut last_etag),
        };
        full_until = pause_after(handle, observers, &answers, full_until);
        for (caller, answer) in callers.into_iter().zip(answers) {
            // The caller may no longer wait; what was written remains.
            let _ = caller.send(answer);
        }
    }
}

/// After a full disk the file is opened again, so that reads continue, and writes pause.
fn pause_after(
    handle: &DatabaseHandle,
    observers: &Observers,
    answers: &[GroupAnswer],
    paused: Option<Instant>,
) -> Option<Instant> {
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
    observers.was_reopened();
    Some(Instant::now() + FULL_PAUSE)
}

/// Carries out each batch and each plan, notifies the observers, then syncs once for all of them.
fn write_group(
    handle: &DatabaseHandle,
    observers: &Observers,
    group: Vec<Request>,
    last_etag: &mut u64,
) -> Vec<GroupAnswer> {
    let count = group.len();
    let mut staged = None;
    let mut observers = observers.of_group();
    let written = handle.visit_to_write(|database| {
        let Staged { answers, transaction } = stage(database, &mut observers, group, last_etag)?;
        staged = Some(answers);
        let Some(transaction) = transaction else { return Ok(()) };
        unguarded(|| observers.will_commit(*last_etag));
        Ok(transaction.commit()?)
    });
    match (written, staged) {
        (Ok(()), Some(answers)) => answers,
        (Ok(()), None) => unreachable!("a group is staged before it is committed"),
        // The disk was full before the roots were changed, because writing the roots needs no new pages.
        (Err(error @ StoreError::Full { .. }), _) => refuse(count, &error, full),
        // The transaction was dropped, so nothing of the group is in the file.
        (Err(error @ StoreError::Corrupt { .. }), None) => {
            refuse(count, &error, |cause| StoreError::corrupt_by("the store file cannot be written", cause))
        }
        (Err(error), None) => {
            refuse(count, &error, |cause| StoreError::unavailable("the store file cannot be written", cause))
        }
        // The sync may have succeeded nevertheless.
        (Err(error), Some(_)) => {
            refuse(count, &error, |cause| StoreError::outcome_unknown("the store file cannot be written", cause))
        }
    }
}

fn full(cause: GroupFailed) -> StoreError {
    StoreError::full("the store file cannot grow; free disk space, then try again", cause)
}

/// Returns the same error for every batch and plan of a group.
fn refuse(count: usize, error: &StoreError, meaning: fn(GroupFailed) -> StoreError) -> Vec<GroupAnswer> {
    tracing::error!(error = error as &dyn std::error::Error, "store.write_failed");
    let cause = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    (0..count).map(|_| Err(meaning(GroupFailed(cause.clone())))).collect()
}
