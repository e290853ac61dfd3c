//! A store in which a change is made before one of its reads. The rule: the reads after it are those of a reader that does not know of the change.

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use tidings::store::{
    Batch, Continuation, Entity, Etag, GroupPlan, Key, Page, Result, RowRange, Snapshot, Store, TableStore,
};

use super::pass_on::pass_on;

/// A change that is made before one of the reads.
pub struct Interruption {
    reads_before: Mutex<usize>,
    change: tokio::sync::Mutex<Option<BoxFuture<'static, ()>>>,
}

impl Interruption {
    pub fn new(reads_before: usize, change: impl Future<Output = ()> + Send + 'static) -> Self {
        Self { reads_before: Mutex::new(reads_before), change: tokio::sync::Mutex::new(Some(Box::pin(change))) }
    }

    pub async fn is_made(&self) -> bool {
        self.change.lock().await.is_none()
    }

    async fn count_read(&self) {
        let is_now = {
            let mut left = self.reads_before.lock().expect("no panic");
            let is_now = *left == 0;
            *left = left.saturating_sub(1);
            is_now
        };
        // A concurrent read waits until the change is made.
        let mut change = self.change.lock().await;
        if is_now && let Some(change) = change.take() {
            change.await;
        }
    }
}

/// A store that makes the change before one of its reads.
pub struct Interrupted {
    pub inner: Store,
    pub interruption: Arc<Interruption>,
}

#[async_trait::async_trait]
impl TableStore for Interrupted {
    pass_on!(inner: create_tables, scan, ping);

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.interruption.count_read().await;
        self.inner.get(table, key).await
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        self.interruption.count_read().await;
        self.inner.range(table, range, limit, continuation).await
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        self.inner.commit(table, batch).await
    }

    fn is_transactional(&self) -> bool {
        self.inner.is_transactional()
    }

    async fn transact(&self, plan: GroupPlan) -> Result<()> {
        self.inner.transact(plan).await
    }

    async fn snapshot(&self) -> Result<Option<Snapshot>> {
        let snapshot = self.inner.snapshot().await?;
        let interruption = Arc::clone(&self.interruption);
        Ok(snapshot.map(|snapshot| snapshot.wrap(|inner| Arc::new(Self { inner, interruption }))))
    }
}
