//! A bucket of storage requests that refills over time (a token bucket). The rule: recent charges and the reservations of running
//! operations never exceed its capacity, so that in any time `t` at most `burst + per_second × t` requests are charged. Only an operation
//! whose bound exceeds the capacity can charge more: it runs if the bucket is full, and the next operations wait until the debt is
//! restored.
//!
//! Reservations are not restored while their operation runs, so the unused part that an operation returns at its end was never available
//! twice.

use crate::model::Instant;
use crate::model::instant::TICKS_PER_SECOND;

/// The units of one request. At a rate of one request a second, a tick restores one unit, so that nothing is rounded.
const UNITS: u64 = TICKS_PER_SECOND as u64;

/// The highest rate and burst. With them, the arithmetic stays far below the range of its integers.
pub const RATE_MAX: u64 = 1_000_000_000;

/// The maximum time in which an empty bucket refills, so that a client that has not exceeded the burst never waits longer.
pub const FILL_SECONDS_MAX: u64 = 3_600;

/// The refill rate and the capacity of a bucket, in storage requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    per_second: u64,
    burst: u64,
}

/// The numbers do not make a valid rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadRate {
    #[error("a rate and its burst are at least 1 and at most {RATE_MAX}")]
    OutOfRange,
    #[error(
        "at this rate, a burst of {burst} would take more than an hour to be restored; the highest burst is {most}"
    )]
    TooSlow { burst: u64, most: u64 },
}

impl Rate {
    /// # Errors
    /// If one of the numbers is zero or above [`RATE_MAX`], or an empty bucket would need more than [`FILL_SECONDS_MAX`] to refill.
    pub fn new(per_second: u64, burst: u64) -> Result<Self, BadRate> {
        let most = per_second.saturating_mul(FILL_SECONDS_MAX);
        match [per_second, burst].iter().all(|number| (1..=RATE_MAX).contains(number)) {
            false => Err(BadRate::OutOfRange),
            true if burst > most => Err(BadRate::TooSlow { burst, most }),
            true => Ok(Self { per_second, burst }),
        }
    }

    pub fn per_second(self) -> u64 {
        self.per_second
    }

    pub fn burst(self) -> u64 {
        self.burst
    }

    /// The time in which an empty bucket refills, in seconds, rounded up.
    pub fn fill_seconds(self) -> u64 {
        self.burst.div_ceil(self.per_second)
    }

    /// The ticks in which this many units are restored, rounded up.
    fn ticks(self, units: u64) -> u64 {
        units.div_ceil(self.per_second)
    }
}

/// The missing part of a bucket. The default is a full bucket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Bucket {
    /// The spent units that are not yet restored at `at`, in [`UNITS`].
    owed: u64,
    /// The requests that running operations have reserved.
    reserved: u64,
    /// The time of the last refill, in ticks.
    at: i64,
}

impl Bucket {
    /// Reserves `cost`, or the whole bucket if its capacity is smaller, and returns how much it reserved.
    ///
    /// # Errors
    /// The ticks until enough is available, if no other operation takes it and all running ones end now.
    pub(super) fn take(&mut self, rate: Rate, now: Instant, cost: u64) -> Result<u64, u64> {
        self.fill(rate, now);
        let needed = cost.min(rate.burst);
        let taken = self.taken().saturating_add(needed.saturating_mul(UNITS));
        match taken.saturating_sub(rate.burst * UNITS) {
            0 => {
                self.reserved += needed;
                Ok(needed)
            }
            // An operation that needs nothing is never refused.
            _ if needed == 0 => Ok(0),
            missing => Err(rate.ticks(missing)),
        }
    }

    /// Ends a reservation and charges the spent requests.
    pub(super) fn give_back(&mut self, rate: Rate, now: Instant, reserved: u64, spent: u64) {
        self.fill(rate, now);
        self.reserved = self.reserved.saturating_sub(reserved);
        self.owed = self.owed.saturating_add(spent.saturating_mul(UNITS));
    }

    pub(super) fn is_full(&mut self, rate: Rate, now: Instant) -> bool {
        self.fill(rate, now);
        self.taken() == 0
    }

    pub(super) fn remaining(&mut self, rate: Rate, now: Instant) -> u64 {
        self.fill(rate, now);
        (rate.burst * UNITS).saturating_sub(self.taken()) / UNITS
    }

    /// The ticks until one more request is left, and until the bucket is full, if everything that is reserved is spent now.
    pub(super) fn ticks_to_more_and_full(&mut self, rate: Rate, now: Instant) -> (u64, u64) {
        let with_one_more = rate.burst.saturating_sub(self.remaining(rate, now) + 1) * UNITS;
        (rate.ticks(self.taken().saturating_sub(with_one_more)), rate.ticks(self.taken()))
    }

    fn taken(&self) -> u64 {
        self.owed.saturating_add(self.reserved.saturating_mul(UNITS))
    }

    /// Restores units for the time since the last use. If the clock was set back, it restores nothing and counts from the new time.
    fn fill(&mut self, rate: Rate, now: Instant) {
        let elapsed = u64::try_from(now.ticks() - self.at).unwrap_or(0);
        self.owed = self.owed.saturating_sub(rate.per_second.saturating_mul(elapsed));
        self.at = now.ticks();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(ticks: i64) -> Instant {
        Instant::from_ticks(ticks).expect("an instant")
    }

    fn rate(per_second: u64, burst: u64) -> Rate {
        Rate::new(per_second, burst).expect("a rate")
    }

    #[test]
    fn a_rate_is_neither_zero_nor_so_slow_that_its_burst_takes_more_than_an_hour() {
        assert_eq!(Rate::new(0, 1), Err(BadRate::OutOfRange));
        assert_eq!(Rate::new(1, 0), Err(BadRate::OutOfRange));
        assert_eq!(Rate::new(RATE_MAX + 1, 1), Err(BadRate::OutOfRange));
        assert_eq!(Rate::new(2, 7_201), Err(BadRate::TooSlow { burst: 7_201, most: 7_200 }));
        assert_eq!(rate(3, 10).fill_seconds(), 4);
    }

    #[test]
    fn what_is_not_spent_is_given_back_at_once_and_the_rest_with_time() {
        let (rate, start) = (rate(10, 100), at(5_000));
        let mut bucket = Bucket::default();
        assert_eq!(bucket.take(rate, start, 80), Ok(80));
        assert_eq!(bucket.remaining(rate, start), 20);
        bucket.give_back(rate, start, 80, 30);
        assert_eq!(bucket.remaining(rate, start), 70);
        let later = at(5_000 + 2 * TICKS_PER_SECOND);
        assert_eq!(bucket.remaining(rate, later), 90);
        assert!(!bucket.is_full(rate, at(5_000 + 3 * TICKS_PER_SECOND - 1)));
        assert!(bucket.is_full(rate, at(5_000 + 3 * TICKS_PER_SECOND)));
    }

    #[test]
    fn what_a_running_operation_has_reserved_is_not_restored() {
        let (rate, later) = (rate(10, 100), at(3_600 * TICKS_PER_SECOND));
        let mut bucket = Bucket::default();
        assert_eq!(bucket.take(rate, at(0), 100), Ok(100));
        assert_eq!(bucket.take(rate, later, 1), Err(UNITS / 10));
        bucket.give_back(rate, later, 100, 60);
        assert_eq!(bucket.remaining(rate, later), 40, "not 100, although the bucket had an hour");
    }

    #[test]
    fn more_than_the_bucket_holds_runs_if_it_is_full_and_is_made_up_for() {
        let rate = rate(10, 100);
        let mut bucket = Bucket::default();
        assert_eq!(bucket.take(rate, at(0), 5_000), Ok(100));
        bucket.give_back(rate, at(0), 100, 250);
        assert_eq!(bucket.remaining(rate, at(0)), 0);
        assert_eq!(bucket.ticks_to_more_and_full(rate, at(0)), (151 * UNITS / 10, 25 * UNITS));
        assert_eq!(bucket.take(rate, at(0), 1), Err(151 * UNITS / 10));
        assert_eq!(bucket.take(rate, at(0), 0), Ok(0), "what needs nothing runs");
        let mut almost = Bucket::default();
        assert_eq!(almost.take(rate, at(0), 1), Ok(1));
        assert_eq!(almost.take(rate, at(0), 5_000), Err(UNITS / 10));
    }

    #[test]
    fn a_clock_that_is_set_back_gives_nothing_and_stops_nothing() {
        let rate = rate(1, 10);
        let mut bucket = Bucket::default();
        let (late, early) = (at(1_000 * TICKS_PER_SECOND), at(0));
        assert_eq!(bucket.take(rate, late, 10), Ok(10));
        bucket.give_back(rate, late, 10, 10);
        assert_eq!(bucket.remaining(rate, early), 0);
        assert_eq!(bucket.remaining(rate, at(4 * TICKS_PER_SECOND)), 4);
    }

    proptest! {
        /// Operations begin and end at random times. In every span of time, no more is spent than the rate allows; a refused operation is
        /// admitted after the named wait; at the end, the bucket is full again.
        #[test]
        fn no_span_of_time_has_more_requests_than_the_rate_allows(
            per_second in 1_u64..50,
            burst in 1_u64..200,
            steps in proptest::collection::vec((0_i64..30_000_000, 0_u64..250, 0_u64..100, any::<bool>()), 1..60),
        ) {
            let rate = rate(per_second, burst);
            let (mut bucket, mut now) = (Bucket::default(), 0_i64);
            let mut running: Vec<(u64, u64)> = Vec::new();
            let mut spent: Vec<(i64, u64)> = Vec::new();
            for (wait, cost, percent, ends) in steps {
                now += wait;
                if ends && let Some((reserved, used)) = running.pop() {
                    bucket.give_back(rate, at(now), reserved, used);
                    spent.push((now, used));
                } else {
                    let cost = cost.min(burst);
                    match bucket.take(rate, at(now), cost) {
                        Ok(reserved) => {
                            prop_assert_eq!(reserved, cost);
                            running.push((reserved, cost * percent / 100));
                        }
                        Err(wait) => {
                            let mut ended = bucket;
                            running.iter().for_each(|(reserved, _)| ended.give_back(rate, at(now), *reserved, *reserved));
                            let until = now + i64::try_from(wait).expect("a short wait");
                            prop_assert!(ended.take(rate, at(until - 1), cost).is_err());
                            prop_assert_eq!(ended.take(rate, at(until), cost), Ok(cost));
                        }
                    }
                }
                let reserved: u64 = running.iter().map(|(reserved, _)| reserved).sum();
                prop_assert!(reserved + bucket.remaining(rate, at(now)) <= burst);
            }
            for (first, (begun, _)) in spent.iter().enumerate() {
                let mut total = 0;
                for (ended, used) in &spent[first..] {
                    total += used;
                    let refilled = u64::try_from(ended - begun).expect("in order") * per_second / UNITS;
                    prop_assert!(total <= burst + refilled + 1, "{total} in {} ticks", ended - begun);
                }
            }
            running.iter().for_each(|(reserved, used)| bucket.give_back(rate, at(now), *reserved, *used));
            let (_, ticks) = bucket.ticks_to_more_and_full(rate, at(now));
            let full = now + i64::try_from(ticks).expect("a short wait");
            prop_assert!(bucket.is_full(rate, at(full)));
            prop_assert_eq!(bucket.remaining(rate, at(full)), burst);
        }
    }
}
