//! Counts the memory of requests and answers until the client has read the last byte. The rule: data that can become large is charged before it is allocated.
//! If too little memory is free, a charge waits for a bounded time; then the request is refused.
//!
//! The first [`OWN_BYTES`] of a charge are free, so that clients that read nothing cannot use the memory for small answers of other clients: a connection has
//! one request in progress. Further bytes come from a pool that all share.

use std::any::TypeId;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_graphql::{Request, ServerError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::error::{Code, coded};

/// The memory that each charge has independently of the others: enough for a small answer.
pub const OWN_BYTES: u64 = 64 * 1024;

/// The maximum size of a parsed JSON value, which nested objects of one field each reach, in the representation of async-graphql.
pub const PARSED_VALUE_BYTES: u64 = 512;

/// The maximum size of a token in a parsed document and its outline, which an inline fragment around a field with a short name reaches. The
/// short-lived copy of a document that is validated or changed before it runs is not counted.
pub const PARSED_TOKEN_BYTES: u64 = 384;

/// The number of values that an answer may have without a charge: few enough that all running requests can have them at once.
const UNCHARGED_VALUES: u64 = 5_000;

/// The memory of a value of an answer until it is written: its node in the tree, its name and a short text.
const VALUE_BYTES: u64 = 128;

/// How long a charge waits for free memory: longer than the time after which a client that reads nothing is disconnected.
const WAIT: Duration = Duration::from_secs(8);

/// The maximum number of waiting charges of a server. Further ones are refused immediately, so that waiting requests do not occupy all of the 256 slots to run.
pub const WAITING_MAX: usize = 64;

/// Memory is counted in units of this size, in bytes.
const UNIT: u64 = 1024;

/// The memory of all requests and answers of a process. Clones share the same state.
#[derive(Debug, Clone)]
pub struct AnswerMemory(Arc<MemoryState>);

#[derive(Debug)]
struct MemoryState {
    bytes: u64,
    pool: Arc<Semaphore>,
    /// Permits to wait for free memory.
    waiting: Semaphore,
    /// The number of these permits.
    places: usize,
}

impl AnswerMemory {
    /// `bytes`: the limit for all connections together. `waiting`: the maximum number of waiting charges.
    pub fn new(bytes: u64, waiting: usize) -> Self {
        let pool = Arc::new(Semaphore::new(units(bytes) as usize));
        Self(Arc::new(MemoryState { bytes, pool, waiting: Semaphore::new(waiting), places: waiting }))
    }

    /// Whether a charge waits for free memory.
    pub fn is_short(&self) -> bool {
        self.0.waiting.available_permits() < self.0.places
    }

    /// A new charge of zero bytes.
    pub fn charge(&self) -> Charge {
        Charge(Arc::new(Charged { all: self.clone(), held: Mutex::default() }))
    }

    /// The bytes of the pool that are not charged.
    #[cfg(test)]
    pub fn free(&self) -> u64 {
        self.0.pool.available_permits() as u64 * UNIT
    }
}

impl Default for AnswerMemory {
    fn default() -> Self {
        Self::new(128 * 1024 * 1024, WAITING_MAX)
    }
}

/// The memory of one request or answer. Clones share the state; dropping the last clone releases the memory.
#[derive(Debug, Clone)]
pub struct Charge(Arc<Charged>);

#[derive(Debug)]
struct Charged {
    all: AnswerMemory,
    held: Mutex<HeldBytes>,
}

#[derive(Debug, Default)]
struct HeldBytes {
    /// The permit of the pool for the bytes above [`OWN_BYTES`].
    permit: Option<OwnedSemaphorePermit>,
    bytes: u64,
}

impl HeldBytes {
    fn add(&mut self, bytes: u64, permit: OwnedSemaphorePermit) {
        self.bytes += bytes;
        match &mut self.permit {
            Some(held) => held.merge(permit),
            None => self.permit = Some(permit),
        }
    }
}

/// The memory for a request or its answer did not become free in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OverBudget {
    #[error(
        "the request and its answer need more than the memory for all requests and answers ({0} bytes); request less"
    )]
    TooLarge(u64),
    #[error(
        "the requests in progress, and the answers that clients have not read yet, use the allowed memory ({0} bytes); send the \
         request again later"
    )]
    InAll(u64),
}

impl From<OverBudget> for ServerError {
    fn from(error: OverBudget) -> Self {
        coded(Code::Overloaded, error.to_string(), None)
    }
}

impl Charge {
    /// The charge of a request, if its transport counts the memory of answers.
    pub fn of(request: &Request) -> Option<Self> {
        request.data.get(&TypeId::of::<Self>())?.downcast_ref().cloned()
    }

    /// A new charge to the same memory.
    pub fn beside(&self) -> Self {
        self.0.all.charge()
    }

    /// Charges the values of an answer before any of them exists, by the bound of their number. The charge is released after the execution.
    pub(super) async fn of_values(charge: Option<&Self>, values: u64) -> Result<Option<Self>, OverBudget> {
        let bytes = values.saturating_sub(UNCHARGED_VALUES).saturating_mul(VALUE_BYTES);
        let Some(charge) = charge.filter(|_| bytes > 0) else { return Ok(None) };
        let values = charge.beside();
        values.take(bytes.min(charge.most() / 4)).await?;
        Ok(Some(values))
    }

    pub fn bytes(&self) -> u64 {
        self.lock().bytes
    }

    /// The maximum charge to the pool.
    pub fn most(&self) -> u64 {
        self.0.all.0.bytes
    }

    /// Charges this many more bytes if they are free. Returns whether they were.
    pub fn try_take(&self, bytes: u64) -> bool {
        self.take_at_once(bytes).is_ok()
    }

    /// Charges this many more bytes, and waits until they are free.
    ///
    /// # Errors
    /// If the memory does not become free in time, or exceeds the maximum.
    pub async fn take(&self, bytes: u64) -> Result<(), OverBudget> {
        match self.take_at_once(bytes) {
            Ok(()) => Ok(()),
            // The future is boxed, so that the futures of requests stay small.
            Err(missing) => Box::pin(self.wait_for(bytes, missing)).await,
        }
    }

    async fn wait_for(&self, bytes: u64, missing: u32) -> Result<(), OverBudget> {
        let all = &self.0.all.0;
        if u64::from(missing) > units(all.bytes) {
            return Err(OverBudget::TooLarge(all.bytes));
        }
        let over_budget = OverBudget::InAll(all.bytes);
        let Ok(_place) = all.waiting.try_acquire() else { return Err(over_budget) };
        let Ok(permit) = timeout(WAIT, Arc::clone(&all.pool).acquire_many_owned(missing)).await else {
            return Err(over_budget);
        };
        self.lock().add(bytes, permit.expect("the semaphore is never closed"));
        Ok(())
    }

    /// Charges without waiting. The error is the number of missing units.
    fn take_at_once(&self, bytes: u64) -> Result<(), u32> {
        let mut held = self.lock();
        let covered = held.permit.as_ref().map_or(0, |permit| permit.num_permits() as u64);
        // `u32::MAX` units are more than any pool has.
        let missing = units((held.bytes + bytes).saturating_sub(OWN_BYTES)).saturating_sub(covered);
        let missing = u32::try_from(missing).unwrap_or(u32::MAX);
        let permit = Arc::clone(&self.0.all.0.pool).try_acquire_many_owned(missing).map_err(|_| missing)?;
        held.add(bytes, permit);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HeldBytes> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn units(bytes: u64) -> u64 {
    bytes.div_ceil(UNIT)
}

/// The memory of the process, which tests compare with the charges. The pages of files do not count, because the system loads and drops
/// pages of the program at any time. Only Linux reports it.
#[cfg(test)]
pub fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1024 * 1024;

    #[tokio::test(start_paused = true)]
    async fn charges_never_exceed_the_bounds_and_are_released_on_drop() {
        let memory = AnswerMemory::new(2 * MB, 1);
        let charge = memory.charge();
        assert_eq!(charge.take(OWN_BYTES).await, Ok(()));
        assert_eq!(memory.free(), 2 * MB, "the own bytes of a charge do not count in the pool");
        assert_eq!(charge.take(2 * MB).await, Ok(()));
        assert_eq!(charge.take(1).await, Err(OverBudget::InAll(2 * MB)));
        let other = memory.charge();
        assert_eq!(other.take(OWN_BYTES).await, Ok(()), "another charge has its own bytes");
        assert_eq!(other.take(3 * MB).await, Err(OverBudget::TooLarge(2 * MB)));
        let clone = charge.clone();
        drop(charge);
        assert_eq!(memory.free(), 0);
        drop(clone);
        assert_eq!(memory.free(), 2 * MB);
    }

    #[tokio::test(start_paused = true)]
    async fn a_charge_waits_for_free_memory_if_there_is_a_place_to_wait() {
        let memory = AnswerMemory::new(MB, 1);
        let first = memory.charge();
        assert!(first.try_take(OWN_BYTES + MB));
        assert!(!memory.charge().try_take(OWN_BYTES + MB));
        let waiting = memory.charge();
        let waiting = tokio::spawn(async move { waiting.take(OWN_BYTES + MB).await });
        tokio::task::yield_now().await;
        assert_eq!(memory.charge().take(MB).await, Err(OverBudget::InAll(MB)), "only one charge can wait");
        assert_eq!(memory.charge().take(OWN_BYTES).await, Ok(()), "own bytes need no memory of the pool");
        drop(first);
        assert_eq!(waiting.await.expect("the task does not panic"), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn small_charges_share_a_unit() {
        let memory = AnswerMemory::new(MB, 1);
        let charge = memory.charge();
        for _ in 0..OWN_BYTES {
            assert_eq!(charge.take(1).await, Ok(()));
        }
        assert_eq!(memory.free(), MB);
        for _ in 0..UNIT {
            assert_eq!(charge.take(1).await, Ok(()));
        }
        assert_eq!(memory.free(), MB - UNIT);
    }
}
