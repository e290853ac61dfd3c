//! The lease of an intent, and the store that enforces it. The rule (W7): a writer sends no request after its own clock says that its lease has
//! expired.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use crate::clock::Clock;
use crate::content::error::{ContentError, Result};
use crate::keys::intent::IntentName;
use crate::model::Instant;
use crate::store::{
    Batch, Continuation, Entity, Etag, Key, KeyedLockGuard, Page, Properties, Result as StoreResult, RowRange, Store,
    StoreError, TableStore,
};

use super::intent::{self, Intent};

/// A third of the lease.
const RENEW_EVERY: Duration = Duration::from_secs(5);

/// An open intent whose writer is at work.
pub(crate) struct Lease {
    pub name: IntentName,
    raw: Store,
    clock: Clock,
    packed: Properties,
    etag: Option<Etag>,
    leased: Arc<LeasedStore>,
}

impl Lease {
    /// Opens an intent.
    ///
    /// # Errors
    /// [`ContentError::TooLarge`] if one row cannot hold the intent; otherwise an error of the store. In both cases nothing of the change was
    /// written.
    pub(crate) async fn open(raw: &Store, clock: &Clock, name: IntentName, intent: &Intent) -> Result<Self> {
        Self::take(raw, clock, name, intent, None).await
    }

    /// Leases an intent. `etag`: the ETag of its row, if the row exists.
    ///
    /// # Errors
    /// As [`open`](Self::open); a precondition that does not hold means that another server has taken the intent over.
    pub(crate) async fn take(
        raw: &Store,
        clock: &Clock,
        name: IntentName,
        intent: &Intent,
        etag: Option<&Etag>,
    ) -> Result<Self> {
        let packed = intent::pack(intent)?;
        let (etag, until) = intent::put_leased(raw, clock, &name, &packed, etag).await?;
        let leased = Arc::new(LeasedStore {
            inner: Arc::clone(raw),
            clock: clock.clone(),
            until: AtomicI64::new(until.ticks()),
            is_in_doubt: AtomicBool::new(false),
        });
        Ok(Self { name, raw: Arc::clone(raw), clock: clock.clone(), packed, etag, leased })
    }

    /// The store that the change uses: it refuses every request after the lease has expired.
    pub(crate) fn store(&self) -> Store {
        Arc::<LeasedStore>::clone(&self.leased)
    }

    /// Whether the answer to a write was lost, so that the write may still be carried out.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.leased.is_in_doubt.load(Ordering::Relaxed)
    }

    /// Does the work, and renews the lease until the work is done.
    ///
    /// # Errors
    /// The error of the work, or [`ContentError::LeaseLost`] if another server has taken the intent over.
    pub(crate) async fn while_renewed<T>(&mut self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let renewing = async {
            loop {
                tokio::time::sleep(RENEW_EVERY).await;
                if let Err(error) = self.renew().await {
                    return error;
                }
            }
        };
        tokio::select! {
            done = work => done,
            error = renewing => Err(error),
        }
    }

    async fn renew(&mut self) -> Result<()> {
        match intent::put_leased(&self.raw, &self.clock, &self.name, &self.packed, self.etag.as_ref()).await {
            Ok((etag, until)) => {
                self.etag = etag;
                self.leased.until.store(until.ticks(), Ordering::Relaxed);
                Ok(())
            }
            Err(StoreError::Precondition(_)) => Err(ContentError::LeaseLost),
            Err(e) => Err(e.into()),
        }
    }
}

/// A store that refuses every request after the lease has expired, and remembers whether the answer to a write was lost.
struct LeasedStore {
    inner: Store,
    clock: Clock,
    until: AtomicI64,
    is_in_doubt: AtomicBool,
}

#[derive(Debug, thiserror::Error)]
#[error("the lease of the change had expired before this request")]
struct Expired;

impl LeasedStore {
    fn check(&self) -> StoreResult<()> {
        let until = Instant::from_ticks(self.until.load(Ordering::Relaxed)).unwrap_or(Instant::MAX);
        match self.clock.now() < until {
            true => Ok(()),
            false => Err(StoreError::unavailable("the change took longer than its lease", Expired)),
        }
    }
}

#[async_trait::async_trait]
impl TableStore for LeasedStore {
    async fn create_tables(&self, tables: &[&'static str]) -> StoreResult<()> {
        self.inner.create_tables(tables).await
    }

    async fn get(&self, table: &'static str, key: &Key) -> StoreResult<Option<Entity>> {
        self.check()?;
        self.inner.get(table, key).await
    }

    async fn get_many(&self, table: &'static str, keys: &[Key]) -> Vec<StoreResult<Option<Entity>>> {
        if self.check().is_err() {
            return keys.iter().map(|_| self.check().map(|()| None)).collect();
        }
        self.inner.get_many(table, keys).await
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> StoreResult<Page> {
        self.check()?;
        self.inner.range(table, range, limit, continuation).await
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> StoreResult<Vec<Option<Etag>>> {
        self.check()?;
        let answer = self.inner.commit(table, batch).await;
        if matches!(answer, Err(StoreError::OutcomeUnknown { .. })) {
            self.is_in_doubt.store(true, Ordering::Relaxed);
        }
        answer
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> StoreResult<Page> {
        self.check()?;
        self.inner.scan(table, continuation).await
    }

    async fn keyed_lock(&self, table: &'static str, name: &str) -> Option<KeyedLockGuard> {
        self.inner.keyed_lock(table, name).await
    }

    async fn ping(&self) -> StoreResult<()> {
        self.inner.ping().await
    }
}
