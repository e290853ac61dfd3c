//! The values that readers are reading now, so that concurrent readers that miss the same value read it once. The rule: a reader that waits for
//! another takes only values that are held afterwards, by the rules of every held value, and reads the others itself.
//!
//! No reader waits while others wait for it, except a reader of a page or count, which can wait for a reader of terms, posts or lists of partitions;
//! so readers never wait for each other in a circle.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use super::kinds::ValueKey;

/// A reader that has waited this long reads the value itself, because the other request can be slow for another reason.
const WAIT_MAX: Duration = Duration::from_secs(1);
/// The maximum number of values that are noted as being read. Beyond it, no reader waits for another.
const FLIGHTS_MAX: usize = 20_000;

#[derive(Default)]
pub(super) struct Flights(Mutex<HashMap<ValueKey, Arc<Semaphore>>>);

/// How values that are not held are divided between this reader and others.
pub(in crate::content) struct Shares {
    /// The positions of the values that this reader has to read.
    pub own: Vec<usize>,
    /// Other readers wait for these values until this is dropped.
    pub flight: Flight,
    /// The positions of the values that other readers are reading.
    pub others: Vec<usize>,
    pub landings: Landings,
}

/// Values that a reader is reading. It ends when this is dropped, whether they were read or not.
pub(in crate::content) struct Flight {
    flights: Arc<Flights>,
    keys: Vec<ValueKey>,
    /// Closed when the flight ends.
    landed: Arc<Semaphore>,
}

/// The flights of other readers, to be waited for.
pub(in crate::content) struct Landings(Vec<Arc<Semaphore>>);

impl Flights {
    pub(super) fn share(self: &Arc<Self>, keys: impl Iterator<Item = ValueKey>) -> Shares {
        let flight = Flight { flights: Arc::clone(self), keys: Vec::new(), landed: Arc::new(Semaphore::new(0)) };
        let mut shares = Shares { own: Vec::new(), flight, others: Vec::new(), landings: Landings(Vec::new()) };
        let mut under_way = self.lock();
        for (at, key) in keys.enumerate() {
            let is_full = under_way.len() >= FLIGHTS_MAX;
            match under_way.entry(key) {
                Entry::Occupied(other) if !Arc::ptr_eq(other.get(), &shares.flight.landed) => {
                    shares.others.push(at);
                    if shares.landings.0.last().is_none_or(|last| !Arc::ptr_eq(last, other.get())) {
                        shares.landings.0.push(Arc::clone(other.get()));
                    }
                }
                Entry::Vacant(free) if !is_full => {
                    shares.flight.keys.push(free.key().clone());
                    free.insert(Arc::clone(&shares.flight.landed));
                    shares.own.push(at);
                }
                Entry::Occupied(_) | Entry::Vacant(_) => shares.own.push(at),
            }
        }
        shares
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ValueKey, Arc<Semaphore>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        let mut under_way = self.flights.lock();
        self.keys.iter().for_each(|key| drop(under_way.remove(key)));
        drop(under_way);
        self.landed.close();
    }
}

impl Landings {
    /// Waits until the other readers have ended, or have taken too long.
    pub(in crate::content) async fn wait(self) {
        let until = Instant::now() + WAIT_MAX;
        for landing in self.0 {
            // The semaphore never has a permit; the end of the flight closes it.
            if timeout_at(until, landing.acquire()).await.is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::poll;

    use super::*;
    use crate::model::PostId;

    fn keys(numbers: &[u64]) -> impl Iterator<Item = ValueKey> {
        numbers.iter().map(|number| ValueKey::PostById(PostId::from_bits(*number)))
    }

    #[tokio::test(start_paused = true)]
    async fn a_value_is_read_by_one_reader_and_the_others_wait_until_it_ends() {
        let flights = Arc::<Flights>::default();
        let first = flights.share(keys(&[1, 2, 2]));
        assert_eq!((first.own, first.others), (vec![0, 1, 2], vec![]));
        let second = flights.share(keys(&[3, 2, 1]));
        assert_eq!((second.own, second.others), (vec![0], vec![1, 2]));
        let mut waiting = Box::pin(second.landings.wait());
        assert!(poll!(&mut waiting).is_pending());
        drop(first.flight);
        assert!(poll!(&mut waiting).is_ready());
        let third = flights.share(keys(&[1, 3]));
        assert_eq!((third.own, third.others), (vec![0], vec![1]));
        let before = Instant::now();
        third.landings.wait().await;
        assert_eq!(before.elapsed(), WAIT_MAX, "the second reader does not end");
        drop((second.flight, third.flight));
        assert!(flights.lock().is_empty());
    }

    #[test]
    fn what_is_noted_as_being_read_is_bounded() {
        let flights = Arc::<Flights>::default();
        let all: Vec<u64> = (0..FLIGHTS_MAX as u64 + 5).collect();
        let many = flights.share(keys(&all));
        assert_eq!(
            (many.own.len(), many.flight.keys.len(), flights.lock().len()),
            (all.len(), FLIGHTS_MAX, FLIGHTS_MAX)
        );
        let more = flights.share(keys(&all[FLIGHTS_MAX..]));
        assert_eq!((more.own.len(), more.flight.keys.len()), (5, 0));
    }
}
