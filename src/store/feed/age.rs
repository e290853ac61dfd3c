//! How long ago something was, by two clocks. The rule: the longer time counts, because the monotonic clock stops while the machine is suspended, and
//! the system's clock can be set.

use std::time::Duration;

use crate::clock::Clock;
use crate::model::Instant;

pub(super) type Moment = tokio::time::Instant;

/// How long a write whose answer was lost may still be carried out; as long as an intent is kept (W7).
pub(super) const LOST_FOR: Duration = Duration::from_secs(600);
/// A write is not sent under an older announcement, but announced again.
pub(super) const USED_FOR: Duration = Duration::from_secs(50);
/// From the time at which a store gets a write until it sends the last request for it: the deadline of `AzureStore`, and a check of the clock.
const SENT_WITHIN: Duration = Duration::from_secs(40);
/// Two servers whose clocks differ from the storage's by less than 5 s each; others neither write nor poll.
const CLOCKS_APART: Duration = Duration::from_secs(10);
/// An announcement of another server is closed so long after the row that lists it was written.
const CLOSED_BY_AGE: Duration = Duration::from_secs(720);
const _: () = assert!(
    CLOSED_BY_AGE.as_secs() > USED_FOR.as_secs() + SENT_WITHIN.as_secs() + LOST_FOR.as_secs() + CLOCKS_APART.as_secs()
);

/// How long an announcement that was listed open at this instant stays open, if nothing closes it: its server may have ended long ago.
pub(super) fn open_for(listed_at: Instant, clock: &Clock) -> Duration {
    let ticks = clock.now().ticks().saturating_sub(listed_at.ticks());
    let age = Duration::from_micros(u64::try_from(ticks).unwrap_or(0) / TICKS_PER_MICROSECOND);
    CLOSED_BY_AGE.saturating_sub(age)
}

/// Ticks of an [`Instant`] in a microsecond.
const TICKS_PER_MICROSECOND: u64 = 10;

#[derive(Debug, Clone, Copy)]
pub(super) struct Age {
    moment: Moment,
    at: Instant,
}

impl Age {
    /// Of something that happens now.
    pub(super) fn new(clock: &Clock) -> Self {
        Self { moment: Moment::now(), at: clock.now() }
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
