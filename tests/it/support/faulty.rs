//! A store that fails on purpose. The rule: for each request it is decided beforehand whether it is sent, carried out and answered, so that a test
//! knows what may have happened to it; the same seed gives the same faults.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use tidings::store::{
    Batch, Continuation, Entity, Etag, GroupPlan, Key, Page, Result, RowRange, Store, StoreError, TableStore,
    TransactionLimits,
};

use super::pass_on::pass_on;
use super::random::Random;

/// What happens to the request at which the process stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Last {
    /// It was never sent.
    Unsent,
    /// It was carried out, and its answer lost.
    Done,
    /// As `Done`, but the storage is gone, and the process goes on.
    Lost,
}

/// What happens to one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// Requests that were sent together with it are carried out first.
    Late,
    /// Throttled for longer than the deadline: nothing is carried out.
    Throttled,
    /// Carried out, and the answer lost.
    Lost,
    /// The process has stopped, at this request or before it.
    Stopped(Last),
}

/// How many of a hundred requests get each fault.
#[derive(Debug, Clone, Copy)]
pub struct Rates {
    pub late: usize,
    pub throttled: usize,
    pub lost: usize,
}

impl Rates {
    pub const NONE: Self = Self { late: 0, throttled: 0, lost: 0 };
    /// So many that about every second change gets one.
    pub const SOME: Self = Self { late: 20, throttled: 1, lost: 3 };
}

pub struct FaultyStore {
    inner: Store,
    has_begun: AtomicBool,
    left: AtomicI64,
    last: Last,
    faults: Mutex<(Random, Rates)>,
}

impl FaultyStore {
    /// Answers this many requests, and no more: then the process has stopped.
    pub fn stopping_after(inner: Store, requests: i64, last: Last) -> Arc<Self> {
        let stopping = Self::stopping_after_start(inner, requests, last);
        stopping.begin();
        stopping
    }

    /// As [`stopping_after`](Self::stopping_after), from [`begin`](Self::begin) on, so that the start of a server is not counted.
    pub fn stopping_after_start(inner: Store, requests: i64, last: Last) -> Arc<Self> {
        let faults = Mutex::new((Random::new(0), Rates::NONE));
        Arc::new(Self { inner, has_begun: false.into(), left: requests.into(), last, faults })
    }

    /// The server has started, and its requests count from now on.
    pub fn begin(&self) {
        self.has_begun.store(true, Ordering::SeqCst);
    }

    /// Fails at random from the start of its server on, and stops after this many requests if `requests` is given.
    pub fn seeded(inner: Store, mut random: Random, rates: Rates, requests: Option<i64>) -> Arc<Self> {
        let last = if random.chance(50) { Last::Unsent } else { Last::Done };
        let (left, faults) = (requests.unwrap_or(i64::MAX).into(), Mutex::new((random, rates)));
        Arc::new(Self { inner, has_begun: true.into(), left, last, faults })
    }

    /// Whether the stop was reached.
    pub fn has_stopped(&self) -> bool {
        self.left() < 0
    }

    /// Requests until the stop; negative after it.
    pub fn left(&self) -> i64 {
        self.left.load(Ordering::SeqCst)
    }

    fn next(&self) -> Fault {
        if !self.has_begun.load(Ordering::SeqCst) {
            return Fault::None;
        }
        match self.left.fetch_sub(1, Ordering::SeqCst) {
            1.. => {}
            0 => return Fault::Stopped(self.last),
            _ if self.last == Last::Lost => return Fault::Throttled,
            _ => return Fault::Stopped(Last::Unsent),
        }
        let (random, rates) = &mut *self.faults.lock().expect("no request panics");
        let percent = random.below(100);
        let (late, throttled) = (rates.late, rates.late + rates.throttled);
        match percent {
            _ if percent < late => Fault::Late,
            _ if percent < throttled => Fault::Throttled,
            _ if percent < throttled + rates.lost => Fault::Lost,
            _ => Fault::None,
        }
    }

    async fn meet<T>(&self, is_write: bool, request: impl Future<Output = Result<T>>) -> Result<T> {
        match self.next() {
            Fault::None => request.await,
            Fault::Late => {
                tokio::task::yield_now().await;
                request.await
            }
            Fault::Throttled => Err(StoreError::unavailable("the test throttles", std::io::Error::other("throttled"))),
            Fault::Lost | Fault::Stopped(Last::Lost) => match request.await {
                Ok(_) if is_write => {
                    Err(StoreError::outcome_unknown("the test lost it", std::io::Error::other("lost")))
                }
                Ok(_) => Err(StoreError::unavailable("the test lost it", std::io::Error::other("lost"))),
                // A refusal cannot be lost: the stores send the request again, and it is refused again.
                refused => refused,
            },
            Fault::Stopped(Last::Done) => {
                let _ = request.await;
                Err(stopped())
            }
            Fault::Stopped(Last::Unsent) => Err(stopped()),
        }
    }
}

/// Not one of the errors after which the writer tries again.
fn stopped() -> StoreError {
    StoreError::denied("the process was stopped by the test", std::io::Error::other("stopped"))
}

#[async_trait::async_trait]
impl TableStore for FaultyStore {
    pass_on!(inner: create_tables, ping);

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.meet(false, self.inner.get(table, key)).await
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        self.meet(false, self.inner.range(table, range, limit, continuation)).await
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        self.meet(true, self.inner.commit(table, batch)).await
    }

    fn is_transactional(&self) -> bool {
        self.inner.is_transactional()
    }

    fn transaction_limits(&self) -> TransactionLimits {
        self.inner.transaction_limits()
    }

    async fn transact(&self, plan: GroupPlan) -> Result<()> {
        self.meet(true, self.inner.transact(plan)).await
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        self.meet(false, self.inner.scan(table, continuation)).await
    }
}

/// Waits until the requests of the stopped process have arrived.
pub async fn let_requests_arrive(store: &Store) {
    let operation = |put| {
        let (row, precondition) = ("probe".to_owned(), tidings::store::Precondition::None);
        match put {
            true => tidings::store::Operation::Put { row, properties: Default::default(), precondition },
            false => tidings::store::Operation::Delete { row, precondition },
        }
    };
    // The store carries out batches in the order in which they arrive.
    for put in [true, false] {
        let batch = Batch::new("probe", vec![operation(put)]).expect("a batch");
        store.commit("Probe", &batch).await.expect("a commit");
    }
}
