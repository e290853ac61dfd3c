//! The memory of answers, from before they are created until the client has read their last byte. The rule: all memory of an answer is
//! charged before it is used. A charge that exceeds the budget waits for a bounded time; then the answer is refused.
//!
//! Each connection has [`OWN_BYTES`] of its own, so that clients that read nothing cannot use the memory for small answers of other
//! clients. Further charges come from a pool that all connections share, up to a limit for each connection.

use std::any::TypeId;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_graphql::{Request, ServerError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError, watch};
use tokio::time::{sleep, timeout};

use super::error::{Code, coded};

/// The memory that each connection has independently of the others: enough for some small answers.
pub const OWN_BYTES: u64 = 128 * 1024;

/// The maximum size of a parsed JSON value, which nested objects of one field each reach, in the representation of async-graphql.
pub const PARSED_VALUE_BYTES: u64 = 512;

/// The maximum size of a token in a parsed document and its outline, which an inline fragment around a field with a short name reaches. The
/// short-lived copy of a document that is validated or changed before it runs is not counted.
pub const PARSED_TOKEN_BYTES: u64 = 384;

/// How long a charge waits for free memory: longer than the time after which a client that reads nothing is disconnected.
const WAIT: Duration = Duration::from_secs(8);

/// How often the connections are notified while a charge waits for free memory.
const PRESSURE_INTERVAL: Duration = Duration::from_millis(250);

/// Memory is counted in units of this size, in bytes.
const UNIT: u64 = 1024;

/// The memory of all answers of a process. Clones share the same state.
#[derive(Debug, Clone)]
pub struct AnswerMemory(Arc<MemoryState>);

#[derive(Debug)]
struct MemoryState {
    pool: Arc<Semaphore>,
    connection_bytes: u64,
    /// Permits to wait for free memory, for running requests. Without a permit a charge is refused immediately, so that waiting requests
    /// never hold all running slots.
    waiting: Semaphore,
    pressure: watch::Sender<()>,
}

impl AnswerMemory {
    /// `bytes`: for all connections together. `connection_bytes`: the maximum of one connection. `waiting`: how many charges can wait at once.
    pub fn new(bytes: u64, connection_bytes: u64, waiting: usize) -> Self {
        let pool = Arc::new(Semaphore::new(units(bytes) as usize));
        let connection_bytes = connection_bytes.min(bytes);
        let (waiting, pressure) = (Semaphore::new(waiting), watch::Sender::new(()));
        Self(Arc::new(MemoryState { pool, connection_bytes, waiting, pressure }))
    }

    /// Creates the memory of a new connection.
    pub fn connection(&self) -> ConnectionMemory {
        let of = |bytes| Arc::new(Semaphore::new(units(bytes) as usize));
        ConnectionMemory { memory: self.clone(), own: of(OWN_BYTES), shared: of(self.0.connection_bytes) }
    }

    /// Notifies while a charge waits for free memory, so that clients that do not read can be disconnected.
    pub fn pressure(&self) -> watch::Receiver<()> {
        self.0.pressure.subscribe()
    }

    /// The bytes of the pool that are not charged.
    #[cfg(test)]
    pub fn free(&self) -> u64 {
        self.0.pool.available_permits() as u64 * UNIT
    }
}

impl Default for AnswerMemory {
    fn default() -> Self {
        Self::new(128 * 1024 * 1024, 64 * 1024 * 1024, 64)
    }
}

/// The memory of the answers on one connection. Clones share the same state.
#[derive(Debug, Clone)]
pub struct ConnectionMemory {
    memory: AnswerMemory,
    own: Arc<Semaphore>,
    shared: Arc<Semaphore>,
}

impl ConnectionMemory {
    /// Whether any answer is charged to this connection.
    pub fn is_charged(&self) -> bool {
        let all = &self.memory.0;
        let free = self.own.available_permits() + self.shared.available_permits();
        (free as u64) < units(OWN_BYTES) + units(all.connection_bytes)
    }

    /// A new charge of zero bytes.
    pub fn charge(&self) -> Charge {
        Charge(Arc::new(Charged { connection: self.clone(), held: Mutex::default() }))
    }
}

/// The memory of one answer. Clones share the state; dropping the last clone releases the memory.
#[derive(Debug, Clone)]
pub struct Charge(Arc<Charged>);

#[derive(Debug)]
struct Charged {
    connection: ConnectionMemory,
    held: Mutex<HeldBytes>,
}

#[derive(Debug, Default)]
struct HeldBytes {
    own: Option<OwnedSemaphorePermit>,
    /// The permits of the connection and of the pool, always equal in number.
    shared: Option<(OwnedSemaphorePermit, OwnedSemaphorePermit)>,
    /// The charged bytes; the permits cover at least as many.
    bytes: u64,
}

impl HeldBytes {
    fn units(&self) -> u64 {
        let count = |permit: &OwnedSemaphorePermit| permit.num_permits() as u64;
        self.own.as_ref().map_or(0, count) + self.shared.as_ref().map_or(0, |(connection, _)| count(connection))
    }

    fn add_own(&mut self, permit: OwnedSemaphorePermit) {
        match &mut self.own {
            Some(own) => own.merge(permit),
            own @ None => *own = Some(permit),
        }
    }

    fn add_shared(&mut self, connection: OwnedSemaphorePermit, pool: OwnedSemaphorePermit) {
        match &mut self.shared {
            Some((of_connection, of_pool)) => {
                of_connection.merge(connection);
                of_pool.merge(pool);
            }
            shared @ None => *shared = Some((connection, pool)),
        }
    }

    /// Releases up to this many units, those of the pool first, because other connections wait for them.
    fn release(&mut self, units: u64) {
        let mut left = units as usize;
        if let Some((connection, pool)) = &mut self.shared {
            let count = left.min(pool.num_permits());
            drop((connection.split(count), pool.split(count)));
            left -= count;
        }
        if let Some(own) = &mut self.own {
            drop(own.split(left.min(own.num_permits())));
        }
    }
}

/// The memory for an answer did not become free in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OverBudget {
    #[error(
        "the unread answers on this connection use all the memory of one connection ({0} bytes); read them, then send the request \
         again"
    )]
    OnConnection(u64),
    #[error("the answers that clients have not read yet use all the memory for answers; send the request again later")]
    InAll,
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

    /// A new charge to the same connection.
    pub fn beside(&self) -> Self {
        self.0.connection.charge()
    }

    pub fn bytes(&self) -> u64 {
        self.lock().bytes
    }

    /// The maximum that one connection can charge to the pool.
    pub fn most(&self) -> u64 {
        self.0.connection.memory.0.connection_bytes
    }

    /// Charges this many more bytes, if they are free now.
    pub fn try_take(&self, bytes: u64) -> bool {
        self.take_at_once(bytes).is_ok()
    }

    /// Charges this many more bytes, and waits until they are free. Only for running requests, of which a bounded number can wait at once.
    ///
    /// # Errors
    /// If the memory does not become free in time, or exceeds the maximum.
    pub async fn take(&self, bytes: u64) -> Result<(), OverBudget> {
        let Err(needed) = self.take_at_once(bytes) else { return Ok(()) };
        let _place =
            self.0.connection.memory.0.waiting.try_acquire().map_err(|_: TryAcquireError| OverBudget::InAll)?;
        self.wait_for(bytes, needed).await
    }

    /// Like [`take`](Self::take), for a request that does not run yet and therefore holds no running slot.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub async fn take_before_run(&self, bytes: u64) -> Result<(), OverBudget> {
        let Err(needed) = self.take_at_once(bytes) else { return Ok(()) };
        self.wait_for(bytes, needed).await
    }

    async fn wait_for(&self, bytes: u64, needed: u32) -> Result<(), OverBudget> {
        let connection = &self.0.connection;
        let all = &connection.memory.0;
        let on_connection = OverBudget::OnConnection(all.connection_bytes);
        if u64::from(needed) * UNIT > all.connection_bytes {
            return Err(on_connection);
        }
        let of_connection = all.wait_for_budget(&connection.shared, needed).await.ok_or(on_connection)?;
        let of_pool = all.wait_for_budget(&all.pool, needed).await.ok_or(OverBudget::InAll)?;
        let mut held = self.lock();
        held.add_shared(of_connection, of_pool);
        held.bytes += bytes;
        Ok(())
    }

    /// Releases the charge above this many bytes.
    pub fn shrink_to(&self, bytes: u64) {
        let mut held = self.lock();
        if bytes < held.bytes {
            held.bytes = bytes;
            let excess = held.units().saturating_sub(units(bytes));
            held.release(excess);
        }
    }

    /// Charges without waiting. The error is the number of missing units.
    fn take_at_once(&self, bytes: u64) -> Result<(), u32> {
        let connection = &self.0.connection;
        let mut held = self.lock();
        let missing = units(held.bytes + bytes).saturating_sub(held.units());
        // `u32::MAX` units are more than any pool has.
        let missing = u32::try_from(missing).unwrap_or(u32::MAX);
        let permit = |semaphore: &Arc<Semaphore>| Arc::clone(semaphore).try_acquire_many_owned(missing);
        if missing > 0 {
            if let Ok(own) = permit(&connection.own) {
                held.add_own(own);
            } else {
                let both = (permit(&connection.shared), permit(&connection.memory.0.pool));
                let (Ok(of_connection), Ok(of_pool)) = both else { return Err(missing) };
                held.add_shared(of_connection, of_pool);
            }
        }
        held.bytes += bytes;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HeldBytes> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryState {
    /// `None` if the memory does not become free in time.
    async fn wait_for_budget(&self, semaphore: &Arc<Semaphore>, needed: u32) -> Option<OwnedSemaphorePermit> {
        let mut permit = pin!(Arc::clone(semaphore).acquire_many_owned(needed));
        let waiting = async {
            loop {
                tokio::select! {
                    biased;
                    acquired = permit.as_mut() => return acquired.expect("the semaphore is never closed"),
                    () = sleep(PRESSURE_INTERVAL) => self.pressure.send_replace(()),
                }
            }
        };
        timeout(WAIT, waiting).await.ok()
    }
}

fn units(bytes: u64) -> u64 {
    bytes.div_ceil(UNIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1024 * 1024;

    #[tokio::test(start_paused = true)]
    async fn charges_never_exceed_the_bounds_and_are_released_on_drop() {
        let memory = AnswerMemory::new(4 * MB, 2 * MB, 8);
        let (one, other) = (memory.connection(), memory.connection());
        let charge = one.charge();
        assert_eq!(charge.take(OWN_BYTES).await, Ok(()));
        assert_eq!(memory.free(), 4 * MB, "the own bytes of a connection do not count in the pool");
        assert_eq!(charge.take(2 * MB).await, Ok(()));
        assert_eq!(one.charge().take(1).await, Err(OverBudget::OnConnection(2 * MB)));
        assert_eq!(
            other.charge().take(3 * MB).await,
            Err(OverBudget::OnConnection(2 * MB)),
            "a charge above the maximum of a connection is refused"
        );
        let clone = charge.clone();
        drop(charge);
        assert_eq!(memory.free(), 2 * MB);
        clone.shrink_to(OWN_BYTES + MB);
        assert_eq!(memory.free(), 3 * MB);
        drop(clone);
        assert_eq!(memory.free(), 4 * MB);
    }

    #[tokio::test(start_paused = true)]
    async fn a_charge_waits_for_free_memory_and_notifies_the_connections() {
        let memory = AnswerMemory::new(2 * MB, 2 * MB, 1);
        let connections = [(); 3].map(|()| memory.connection());
        let first = connections[0].charge();
        assert!(first.try_take(2 * MB));
        assert!(!connections[1].charge().try_take(MB));
        let mut pressure = memory.pressure();
        let waiting = connections[1].charge();
        let waiting = tokio::spawn(async move { waiting.take(MB).await });
        pressure.changed().await.expect("the sender is not dropped");
        assert_eq!(connections[2].charge().take(MB).await, Err(OverBudget::InAll), "only one charge can wait");
        assert_eq!(
            connections[2].charge().take(OWN_BYTES).await,
            Ok(()),
            "the own bytes of a connection need no memory of the pool"
        );
        drop(first);
        assert_eq!(waiting.await.expect("the task does not panic"), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn small_charges_share_a_unit() {
        let memory = AnswerMemory::new(MB, MB, 1);
        let connection = memory.connection();
        let charge = connection.charge();
        for _ in 0..OWN_BYTES {
            assert_eq!(charge.take(1).await, Ok(()));
        }
        assert_eq!(memory.free(), MB);
        assert_eq!(charge.take(1).await, Ok(()));
        assert_eq!(memory.free(), MB - UNIT);
    }
}
