//! Servers that run step by step: each stops before its next storage request until the test lets it go. The rule: nothing runs between two steps, so
//! an interleaving is the list of the servers that were stepped, and is the same each time. Runs on one thread with paused time (`start_paused`).

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use futures_util::future::poll_fn;
use tidings::store::{
    Batch, Continuation, Entity, Etag, GroupPlan, Key, Page, Result, RowRange, Store, StoreError, TableStore,
};

use super::pass_on::pass_on;
use tokio::sync::oneshot;

/// Far more than any of these changes takes, with its retries.
const STEPS_MAX: usize = 5_000;
/// Longer than any wait between two tries.
const NAP: Duration = Duration::from_millis(200);
/// This many naps in all are more than a change waits between its tries.
const NAPS_MAX: usize = 10;
/// How often the work yields to other work until all of its requests wait at the store; and until it counts as waiting for time to pass.
const YIELDS: std::ops::RangeInclusive<usize> = 3..=30;

/// What was done, in order, for the message of a failing test.
pub type Trace = Arc<Mutex<Vec<String>>>;

/// The requests that wait, the oldest first; `None` once the server has stopped.
type Waiting = Mutex<Option<VecDeque<(String, oneshot::Sender<()>)>>>;

/// A store at which each request waits until it is released.
pub struct Gated {
    inner: Store,
    waiting: Arc<Waiting>,
}

impl Gated {
    /// # Errors
    /// If the server has stopped: nothing is sent any more.
    async fn pass(&self, request: impl FnOnce() -> String) -> Result<()> {
        let (go, released) = oneshot::channel();
        if let Some(waiting) = &mut *self.waiting.lock().expect("no request panics") {
            waiting.push_back((request(), go));
        }
        released.await.map_err(|gone| StoreError::denied("the test has stopped the server", gone))
    }
}

#[async_trait::async_trait]
impl TableStore for Gated {
    pass_on!(inner: create_tables, ping);

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.pass(|| format!("get {table}{key}")).await?;
        self.inner.get(table, key).await
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        self.pass(|| format!("range {table}{range}")).await?;
        self.inner.range(table, range, limit, continuation).await
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        self.pass(|| {
            let rows: Vec<&str> = batch.operations().iter().map(|operation| operation.row()).collect();
            format!("commit {table}({}, {})", batch.partition(), rows.join(" "))
        })
        .await?;
        self.inner.commit(table, batch).await
    }

    fn is_transactional(&self) -> bool {
        self.inner.is_transactional()
    }

    async fn transact(&self, plan: GroupPlan) -> Result<()> {
        self.pass(|| "transact".to_owned()).await?;
        self.inner.transact(plan).await
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        self.pass(|| format!("scan {table}")).await?;
        self.inner.scan(table, continuation).await
    }
}

/// Work that proceeds only when it is stepped, one storage request at a time.
pub struct Actor<T> {
    name: &'static str,
    work: Pin<Box<dyn Future<Output = T> + Send>>,
    waiting: Arc<Waiting>,
    done: Option<T>,
    trace: Trace,
    releases: Releases,
}

/// Which of the requests that wait together is released first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Releases {
    Oldest,
    Newest,
}

impl<T> Actor<T> {
    /// `work` gets the store that it must use.
    pub async fn new<F>(name: &'static str, inner: Store, trace: &Trace, work: impl FnOnce(Store) -> F) -> Self
    where
        F: Future<Output = T> + Send + 'static,
    {
        let waiting = Arc::new(Waiting::new(Some(VecDeque::new())));
        let gated: Store = Arc::new(Gated { inner, waiting: Arc::clone(&waiting) });
        let work = Box::pin(work(gated));
        let mut actor = Self { name, work, waiting, done: None, trace: Arc::clone(trace), releases: Releases::Oldest };
        actor.run_until_blocked().await;
        actor
    }

    pub fn release(&mut self, which: Releases) {
        self.releases = which;
    }

    pub fn is_done(&self) -> bool {
        self.done.is_some()
    }

    /// How many requests wait at the store.
    pub fn requests(&self) -> usize {
        self.waiting.lock().expect("no request panics").as_ref().map_or(0, VecDeque::len)
    }

    /// Releases a waiting request, the one that has waited longest unless [`release`](Self::release) says otherwise, and runs the work until it waits
    /// again. Returns whether there was anything to do.
    pub async fn step(&mut self) -> bool {
        let at = match self.releases {
            Releases::Oldest => 0,
            Releases::Newest => self.requests().saturating_sub(1),
        };
        self.step_at(at).await
    }

    /// As [`step`](Self::step), for the waiting request at this index.
    pub async fn step_at(&mut self, at: usize) -> bool {
        if self.is_done() {
            return false;
        }
        let next = self.waiting.lock().expect("no request panics").as_mut().and_then(|waiting| waiting.remove(at));
        match next {
            Some((request, go)) => {
                self.trace.lock().expect("no request panics").push(format!("{} {request}", self.name));
                let _ = go.send(());
            }
            // It waits before it tries again.
            None => tokio::time::sleep(NAP).await,
        }
        self.run_until_blocked().await;
        true
    }

    pub async fn steps(&mut self, count: usize) {
        for _ in 0..count {
            self.step().await;
        }
    }

    /// Steps until its next request is a write: it has then read everything that its change is based on.
    pub async fn go_until_it_writes(&mut self) {
        while !self.is_done() && !self.is_about_to_write() {
            self.step().await;
        }
    }

    fn is_about_to_write(&self) -> bool {
        let waiting = self.waiting.lock().expect("no request panics");
        let next = waiting.as_ref().and_then(VecDeque::front);
        next.is_some_and(|(request, _)| request.starts_with("commit") || request == "transact")
    }

    /// Steps until it is done, or waits for longer than between two tries.
    pub async fn go_until_it_waits(&mut self) {
        let mut naps = 0;
        while !self.is_done() && naps < NAPS_MAX {
            naps += usize::from(self.requests() == 0);
            self.step().await;
        }
    }

    pub async fn finish(mut self) -> T {
        for _ in 0..STEPS_MAX {
            if let Some(done) = self.done.take() {
                return done;
            }
            self.step().await;
        }
        panic!("{} does not end: {}", self.name, trace_text(&self.trace));
    }

    /// Polls until the work is done, or waits for the store or for time to pass.
    async fn run_until_blocked(&mut self) {
        for yields in 1..=*YIELDS.end() {
            if self.is_done() || (yields > *YIELDS.start() && self.requests() > 0) {
                return;
            }
            let polled = poll_fn(|context| Poll::Ready(self.work.as_mut().poll(context))).await;
            if let Poll::Ready(done) = polled {
                self.done = Some(done);
                return;
            }
            tokio::task::yield_now().await;
        }
    }
}

/// The server stops: what it has not sent is never sent.
impl<T> Drop for Actor<T> {
    fn drop(&mut self) {
        *self.waiting.lock().expect("no request panics") = None;
    }
}

/// The trace as text, for a failure message.
pub fn trace_text(trace: &Trace) -> String {
    let lines = trace.lock().expect("no request panics");
    format!("\n  {}", lines.join("\n  "))
}
