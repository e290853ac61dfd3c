//! A store whose reads wait at a gate. The rule: the test decides how many reads are answered; how many have been sent by then does not depend on time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tidings::store::{Batch, Continuation, Entity, Etag, GroupPlan, Key, Page, Result, RowRange, Store, TableStore};

use super::pass_on::pass_on;
use tokio::sync::{Notify, watch};

/// Lets reads pass while it has passes for them. It has none at first.
pub struct Gated {
    inner: Store,
    passes: watch::Sender<usize>,
    sent: AtomicU64,
    panics: AtomicBool,
    /// A read waits.
    pub waits: Notify,
    /// A read that waited was dropped.
    pub dropped: Notify,
}

impl Gated {
    pub fn new(inner: Store) -> Self {
        let [waits, dropped] = [(); 2].map(|()| Notify::new());
        Self { inner, passes: watch::Sender::new(0), sent: 0.into(), panics: false.into(), waits, dropped }
    }

    /// From now on, so many more reads pass.
    pub fn let_pass(&self, reads: usize) {
        self.passes.send_replace(reads);
    }

    /// From now on, all reads pass, those included that wait.
    pub fn open(&self) {
        self.let_pass(usize::MAX);
    }

    /// From now on, a read that would wait panics if this is true.
    pub fn set_panicking(&self, panics: bool) {
        self.panics.store(panics, Ordering::SeqCst);
    }

    /// The requests so far, those that wait included.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::SeqCst)
    }

    async fn pass(&self) {
        self.sent.fetch_add(1, Ordering::SeqCst);
        let mut passes = self.passes.subscribe();
        if self.take_pass() {
            return;
        }
        assert!(!self.panics.load(Ordering::SeqCst), "the test makes this read panic");
        let mut waiting = Waiting { gate: self, is_over: false };
        self.waits.notify_one();
        while !self.take_pass() {
            passes.changed().await.expect("it is never closed");
        }
        waiting.is_over = true;
    }

    fn take_pass(&self) -> bool {
        let mut is_taken = false;
        self.passes.send_if_modified(|left| {
            is_taken = *left > 0;
            *left -= usize::from(is_taken);
            false
        });
        is_taken
    }
}

struct Waiting<'g> {
    gate: &'g Gated,
    is_over: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.gate.dropped.notify_one();
        }
    }
}

#[async_trait::async_trait]
impl TableStore for Gated {
    fn inner(&self) -> Option<&Store> {
        Some(&self.inner)
    }

    pass_on!(inner: create_tables, ping);

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.pass().await;
        self.inner.get(table, key).await
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        self.pass().await;
        self.inner.range(table, range, limit, continuation).await
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        self.sent.fetch_add(1, Ordering::SeqCst);
        self.inner.commit(table, batch).await
    }

    async fn transact(&self, plan: GroupPlan) -> Result<()> {
        self.sent.fetch_add(1, Ordering::SeqCst);
        self.inner.transact(plan).await
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        self.pass().await;
        self.inner.scan(table, continuation).await
    }
}
