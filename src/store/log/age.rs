//! Measures a time span with two clocks. The rule: the longer time counts, because the monotonic clock stops while the machine is suspended, and the system's
//! clock can be set.

use std::time::Duration;

use crate::clock::Clock;
use crate::model::Instant;

pub(super) type Moment = tokio::time::Instant;

/// Ticks of an [`Instant`] in a microsecond.
const TICKS_PER_MICROSECOND: u64 = 10;

#[derive(Debug, Clone, Copy)]
pub(super) struct Age {
    moment: Moment,
    at: Instant,
}

impl Age {
    /// The age of an event that happens now.
    pub(super) fn new(clock: &Clock) -> Self {
        Self { moment: Moment::now(), at: clock.now() }
    }

    pub(super) fn is_since(&self, moment: Moment) -> bool {
        self.moment >= moment
    }

    pub(super) fn elapsed(&self, clock: &Clock) -> Duration {
        let ticks = clock.now().ticks().abs_diff(self.at.ticks());
        self.moment.elapsed().max(Duration::from_micros(ticks / TICKS_PER_MICROSECOND))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_longer_time_counts() {
        let at = |seconds: i64| Instant::from_ticks(seconds * 10_000_000).expect("an instant");
        let clock = Clock::fixed(at(100));
        let age = Age::new(&clock);
        tokio::time::advance(Duration::from_secs(3)).await;
        assert_eq!(age.elapsed(&clock), Duration::from_secs(3));
        clock.set(at(107));
        assert_eq!(age.elapsed(&clock), Duration::from_secs(7));
        clock.set(at(92));
        assert_eq!(age.elapsed(&clock), Duration::from_secs(8), "it was set back");
    }
}
