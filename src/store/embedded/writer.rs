//! Writes to the file: one thread, group commit. The rule: a batch or a plan is answered only after a sync that includes its writes and all writes that it has
//! read. The module [`group`](super::group) carries out each of them, inside one redb transaction for the whole group, and [`durable`](super::durable) commits
//! it.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::counters::read_last_etag;
use super::durable::{DurableCommits, Progress};
use super::group::{GroupAnswer, GroupFailed, Request, Staged, stage};
use super::guard::unguarded;
use super::handle::DatabaseHandle;
use super::observers::Observers;
use super::recent::RecentSnapshot;
use crate::store::error::StoreError;
use crate::store::transaction::GroupPlan;
use crate::store::{Batch, Result};

/// How long writes are refused after the disk was full, because each attempt reopens the file, and readers wait for that.
const FULL_PAUSE: Duration = Duration::from_secs(5);
/// The maximum number of batches and plans that share one sync, so that the first of them never waits long.
const GROUP_MAX: usize = 256;
/// The time without writes after which the rows of the log are committed to the file.
const QUIET: Duration = Duration::from_secs(1);
/// The time until the next try if that fails.
const RETRY: Duration = Duration::from_secs(60);

struct WriteJob {
    request: Request,
    answer: oneshot::Sender<GroupAnswer>,
}

/// Passes batches and plans to the writing thread, which ends when this is dropped and the queue is empty. The queue needs no bound, because each job has a
/// waiting caller.
pub(super) struct FileWriter {
    queue: Option<mpsc::Sender<WriteJob>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl FileWriter {
    pub(super) fn start(
        handle: Arc<DatabaseHandle>,
        (observers, recent): (Arc<Observers>, Arc<RecentSnapshot>),
        commits: DurableCommits,
    ) -> Result<Self> {
        let (queue, jobs) = mpsc::channel();
        let last_etag = handle.visit(read_last_etag)?;
        let mut writing = Writing { handle, observers, recent, commits, last_etag, full_until: None };
        let thread = std::thread::Builder::new()
            .name("tidings-store".to_owned())
            .spawn(move || writing.run(jobs))
            .map_err(|e| StoreError::unavailable("the store's writing thread cannot start", e))?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    pub(super) async fn commit(&self, table: &'static str, batch: Batch) -> GroupAnswer {
        self.ask(Request::Batch { table, batch }).await
    }

    pub(super) async fn transact(&self, plan: GroupPlan) -> Result<()> {
        self.ask(Request::GroupPlan(plan)).await.map(drop)
    }

    pub(super) async fn drop_table(&self, table: &'static str) -> Result<()> {
        self.ask(Request::DropTable(table)).await.map(drop)
    }

    async fn ask(&self, request: Request) -> GroupAnswer {
        let (answer, answered) = oneshot::channel();
        let queue = self.queue.as_ref().expect("the queue is taken only when the writer is dropped");
        let what = "the store's writing thread has stopped";
        queue.send(WriteJob { request, answer }).map_err(|_| StoreError::unavailable(what, WriterStopped))?;
        answered.await.map_err(|_| StoreError::outcome_unknown(what, WriterStopped))?
    }
}

/// Waits for the queue, so that a dropped store has written everything that it accepted.
impl Drop for FileWriter {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            // The callers of a panicked thread have already received an unknown outcome.
            let _ = thread.join();
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the writing thread is gone")]
struct WriterStopped;

struct Writing {
    handle: Arc<DatabaseHandle>,
    observers: Arc<Observers>,
    recent: Arc<RecentSnapshot>,
    commits: DurableCommits,
    last_etag: u64,
    /// Until then, writes are refused because the disk was full.
    full_until: Option<Instant>,
}

impl Writing {
    fn run(&mut self, jobs: mpsc::Receiver<WriteJob>) {
        let mut group = Vec::with_capacity(GROUP_MAX);
        let mut quiet_at = None;
        loop {
            if quiet_at.is_none() && self.commits.waits_for_quiet() {
                quiet_at = Some(Instant::now() + QUIET);
            }
            let next = match quiet_at {
                None => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(at) => jobs.recv_timeout(at.saturating_duration_since(Instant::now())),
            };
            match next {
                Ok(first) => group.push(first),
                Err(RecvTimeoutError::Timeout) => {
                    quiet_at = self.checkpoint().err().map(|_| Instant::now() + RETRY);
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
            while group.len() < GROUP_MAX {
                match jobs.try_recv() {
                    Ok(job) => group.push(job),
                    Err(_) => break,
                }
            }
            let (requests, callers): (Vec<_>, Vec<_>) = group.drain(..).map(|job| (job.request, job.answer)).unzip();
            let answers = self.answer(requests);
            self.recent.end();
            for (caller, answer) in callers.into_iter().zip(answers) {
                // The caller may no longer wait; the write remains.
                let _ = caller.send(answer);
            }
            quiet_at = None;
        }
        self.recent.end();
        if let Err(error) = self.handle.visit_to_write(|database| self.commits.finish(database)) {
            // The next opening replays the log.
            tracing::warn!(error = &error as &dyn std::error::Error, "store.log_kept");
        }
    }

    fn answer(&mut self, requests: Vec<Request>) -> Vec<GroupAnswer> {
        if self.full_until.is_some_and(|until| Instant::now() < until) {
            let was_full = || Err(full(GroupFailed("it was full a moment ago".to_owned())));
            return requests.iter().map(|_| was_full()).collect();
        }
        self.full_until = None;
        let mut progress = Progress::Staging;
        let count = requests.len();
        let (written, staged) = self.write_group(requests, &mut progress);
        let Err(error) = written else { return staged };
        tracing::error!(error = &error as &dyn std::error::Error, "store.write_failed");
        if matches!(error, StoreError::Full { .. }) {
            self.full_until = Some(Instant::now() + FULL_PAUSE);
        }
        if is_closed_by(&error, progress) {
            self.reopen();
        }
        match (progress, &error) {
            // The group is durable, and became visible when the file was reopened.
            (Progress::Logged, error) if !matches!(error, StoreError::Corrupt { .. }) => staged,
            _ => refuse(count, &error, meaning(&error, progress)),
        }
    }

    /// Reopens the file, so that reads continue. The log has the commits that were not in the file yet.
    fn reopen(&mut self) {
        self.recent.end();
        if let Err(error) = self.handle.reopen(|database| self.commits.replay(database)) {
            tracing::error!(error = &error as &dyn std::error::Error, "store.not_reopened");
        }
        // This comes before the observers, so that a reader that begins after their notification reads the reopened file.
        self.recent.end();
        self.observers.was_reopened();
    }

    /// Commits the rows that only the log has to the file. If the disk is full, changes are refused for a while.
    fn checkpoint(&mut self) -> Result<()> {
        let committed = self.handle.visit_to_write(|database| self.commits.checkpoint(database));
        self.recent.end();
        if let Err(error) = &committed {
            tracing::error!(error = error as &dyn std::error::Error, "store.not_committed");
            if matches!(error, StoreError::Full { .. }) {
                self.reopen();
                self.full_until = Some(Instant::now() + FULL_PAUSE);
            }
        }
        committed
    }

    /// Carries out all batches and plans, then makes them durable together. The answers are valid only if that succeeds.
    fn write_group(&mut self, group: Vec<Request>, progress: &mut Progress) -> (Result<()>, Vec<GroupAnswer>) {
        let mut staged = Vec::new();
        let mut observers = self.observers.of_group();
        let (commits, last_etag) = (&mut self.commits, &mut self.last_etag);
        let written = self.handle.visit_to_write(|database| {
            let Staged { answers, transaction } = stage(database, &mut observers, group, last_etag)?;
            staged = answers;
            let Some(transaction) = transaction else { return Ok(()) };
            let announce = || unguarded(|| observers.will_commit(*last_etag));
            commits.commit(transaction, *last_etag, progress, announce)
        });
        (written, staged)
    }
}

/// Whether redb refuses to use the file after this error, although it is usable after reopening.
fn is_closed_by(error: &StoreError, progress: Progress) -> bool {
    match progress {
        Progress::Logging => false,
        // A damaged file is only read, and not reopened.
        Progress::Logged => !matches!(error, StoreError::Corrupt { .. }),
        // The disk was full before the roots were changed, because writing the roots needs no new pages.
        Progress::Staging | Progress::Committing => matches!(error, StoreError::Full { .. }),
    }
}

/// Converts the error for the callers of a failed group.
fn meaning(error: &StoreError, progress: Progress) -> fn(GroupFailed) -> StoreError {
    match (error, progress) {
        (StoreError::Full { .. }, _) => full,
        // The transaction was dropped, so the file contains nothing of the group.
        (StoreError::Corrupt { .. }, Progress::Staging) => {
            |cause| StoreError::corrupt_by("the store file cannot be written", cause)
        }
        (_, Progress::Staging) => |cause| StoreError::unavailable("the store file cannot be written", cause),
        // The sync may have succeeded nevertheless.
        _ => |cause| StoreError::outcome_unknown("the store file cannot be written", cause),
    }
}

fn full(cause: GroupFailed) -> StoreError {
    StoreError::full("the store file cannot grow; free disk space, then try again", cause)
}

fn refuse(count: usize, error: &StoreError, meaning: fn(GroupFailed) -> StoreError) -> Vec<GroupAnswer> {
    let cause = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    (0..count).map(|_| Err(meaning(GroupFailed(cause.clone())))).collect()
}
