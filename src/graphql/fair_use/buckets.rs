//! The buckets of many clients. The rule: a bucket that is not full is never dropped, and yet the memory is bounded: clients beyond
//! [`CLIENTS_MAX`] share the buckets of their networks until other buckets are full again.
//!
//! If buckets that are not full could be dropped for other clients, a client with enough addresses would get a full bucket again and again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::bucket::{Bucket, Rate};
use crate::clock::Clock;
use crate::model::Instant;
use crate::model::instant::TICKS_PER_SECOND;

/// The maximum number of clients with their own bucket, which use about 2 MB.
pub const CLIENTS_MAX: usize = 50_000;

/// The buckets that all further clients share, by network.
const SHARED: u64 = 1_024;

/// How often full buckets are searched for while there is no space. A search takes a millisecond.
const SWEEP_TICKS: u64 = TICKS_PER_SECOND as u64;

/// Identifies the buckets of a client by hashes with a key of this process, so that nobody can construct two clients with the same key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BucketKey {
    pub own: u64,
    /// The hash of the network, or of another value that the client shares with others.
    pub shared: u64,
}

#[derive(Debug)]
pub(super) struct Buckets {
    rate: Rate,
    clock: Clock,
    table: Mutex<BucketTable>,
}

#[derive(Debug, Default)]
struct BucketTable {
    /// The key is that of a client, or a number below [`SHARED`].
    buckets: HashMap<u64, Bucket>,
    swept_at: Option<Instant>,
}

/// A reservation, which must be given back.
#[derive(Debug)]
#[must_use]
pub(super) struct Taken {
    place: u64,
    pub reserved: u64,
}

/// The remaining requests of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Left {
    pub remaining: u64,
    /// The ticks until one more request is left.
    pub ticks_to_more: u64,
    pub ticks_to_full: u64,
    pub at: Instant,
}

impl Buckets {
    pub(super) fn new(rate: Rate, clock: Clock) -> Self {
        Self { rate, clock, table: Mutex::default() }
    }

    pub(super) fn rate(&self) -> Rate {
        self.rate
    }

    /// Reserves the cost of an operation.
    pub(super) fn take(&self, key: BucketKey, cost: u64) -> Result<Taken, u64> {
        let mut table = self.lock();
        // The clock is read inside the lock, so that the times of a bucket are in order.
        let now = self.clock.now();
        table.sweep(self.rate, now);
        let place = table.place_of(key);
        let reserved = table.bucket(place).take(self.rate, now, cost)?;
        Ok(Taken { place, reserved })
    }

    /// Ends a reservation and charges the spent requests.
    pub(super) fn give_back(&self, taken: &Taken, spent: u64) {
        let mut table = self.lock();
        let now = self.clock.now();
        let bucket = table.bucket(taken.place);
        bucket.give_back(self.rate, now, taken.reserved, spent);
        if bucket.is_full(self.rate, now) {
            table.buckets.remove(&taken.place);
        }
    }

    /// Charges requests that were not reserved.
    pub(super) fn charge(&self, key: BucketKey, spent: u64) {
        let mut table = self.lock();
        let now = self.clock.now();
        table.sweep(self.rate, now);
        let place = table.place_of(key);
        table.bucket(place).give_back(self.rate, now, 0, spent);
    }

    pub(super) fn left(&self, key: BucketKey) -> Left {
        let table = self.lock();
        let at = self.clock.now();
        let mut bucket = table.buckets.get(&table.place_of(key)).copied().unwrap_or_default();
        let remaining = bucket.remaining(self.rate, at);
        let (ticks_to_more, ticks_to_full) = bucket.ticks_to_more_and_full(self.rate, at);
        Left { remaining, ticks_to_more, ticks_to_full, at }
    }

    fn lock(&self) -> MutexGuard<'_, BucketTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    fn own_count(&self) -> usize {
        self.lock().buckets.len()
    }
}

impl BucketTable {
    fn place_of(&self, key: BucketKey) -> u64 {
        let has_place = self.buckets.len() < CLIENTS_MAX || self.buckets.contains_key(&key.own);
        if has_place { key.own } else { key.shared % SHARED }
    }

    fn bucket(&mut self, place: u64) -> &mut Bucket {
        self.buckets.entry(place).or_default()
    }

    /// Drops the full buckets if there is no space, unless that was done too recently.
    fn sweep(&mut self, rate: Rate, now: Instant) {
        let is_due = |at: Instant| now.ticks().abs_diff(at.ticks()) >= SWEEP_TICKS;
        if self.buckets.len() >= CLIENTS_MAX && self.swept_at.is_none_or(is_due) {
            self.swept_at = Some(now);
            self.buckets.retain(|_, bucket| !bucket.is_full(rate, now));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLION: u64 = 1_000_000;

    fn buckets(per_second: u64, burst: u64) -> (Buckets, Clock) {
        let clock = Clock::fixed(at(1_000));
        (Buckets::new(Rate::new(per_second, burst).expect("a rate"), clock.clone()), clock)
    }

    fn at(seconds: i64) -> Instant {
        Instant::from_ticks(seconds * TICKS_PER_SECOND).expect("an instant")
    }

    /// A client of the network `shared`.
    fn key(own: u64, shared: u64) -> BucketKey {
        BucketKey { own: u64::MAX - own, shared }
    }

    /// Takes from the bucket of a client and spends all of it.
    fn spend(buckets: &Buckets, key: BucketKey, cost: u64) -> Result<(), u64> {
        buckets.take(key, cost).map(|taken| buckets.give_back(&taken, cost))
    }

    #[test]
    fn a_million_clients_have_bounded_memory_and_none_of_them_gets_a_fresh_bucket() {
        let (buckets, clock) = buckets(1, 10);
        let debtor = key(0, 0);
        assert_eq!(spend(&buckets, debtor, 10), Ok(()));
        let mut admitted = 0;
        // All are in one network, as the clients of one IPv6 prefix are.
        for client in 1..=MILLION {
            admitted += u64::from(spend(&buckets, key(client, 7), 10).is_ok());
        }
        assert_eq!(buckets.own_count(), CLIENTS_MAX + 1, "each of those that have a bucket, and one of all others");
        assert_eq!(admitted, CLIENTS_MAX as u64);
        assert!(buckets.take(debtor, 1).is_err(), "what it owes is kept");
        assert_eq!(spend(&buckets, key(MILLION + 1, 8), 10), Ok(()), "another network has another bucket");
        clock.set(at(1_011));
        assert_eq!(spend(&buckets, key(MILLION + 2, 7), 10), Ok(()));
        assert_eq!(buckets.own_count(), 1, "the full ones are dropped when space is needed");
    }

    #[test]
    fn a_client_that_owes_nothing_has_no_entry() {
        let (buckets, _) = buckets(1, 10);
        for client in 0..1_000 {
            let taken = buckets.take(key(client, 0), 10).expect("a full bucket");
            assert_eq!(buckets.left(key(client, 0)).remaining, 0);
            buckets.give_back(&taken, 0);
        }
        assert_eq!(buckets.own_count(), 0);
        assert_eq!(buckets.left(key(1, 0)).remaining, 10);
    }

    #[test]
    fn a_reservation_outlasts_the_sweep() {
        let (buckets, clock) = buckets(1, 10);
        let running = buckets.take(key(0, 0), 10).expect("a full bucket");
        for client in 1..CLIENTS_MAX as u64 {
            assert_eq!(spend(&buckets, key(client, 0), 1), Ok(()));
        }
        clock.set(at(2_000));
        assert_eq!(spend(&buckets, key(MILLION, 0), 1), Ok(()));
        assert_eq!(buckets.own_count(), 2);
        assert!(buckets.take(key(0, 0), 1).is_err());
        buckets.give_back(&running, 4);
        assert_eq!(buckets.left(key(0, 0)).remaining, 6);
    }

    #[test]
    fn full_buckets_are_looked_for_once_a_second() {
        let (buckets, clock) = buckets(1_000_000, 1_000_000);
        for client in 0..=CLIENTS_MAX as u64 {
            assert_eq!(spend(&buckets, key(client, client), 1), Ok(()));
        }
        clock.set(Instant::from_ticks(at(1_000).ticks() + TICKS_PER_SECOND / 2).expect("an instant"));
        assert_eq!(spend(&buckets, key(MILLION, 0), 1), Ok(()));
        assert!(buckets.own_count() > CLIENTS_MAX, "it shares a bucket until then");
        clock.set(at(1_001));
        assert_eq!(spend(&buckets, key(MILLION, 0), 1), Ok(()));
        assert_eq!(buckets.own_count(), 1);
    }
}
