//! Measures the skew between this server's clock and the storage's, from the `Date` of each response. The rule: only a proven skew counts, so that neither the
//! resolution of `Date` nor a slow response causes a warning or a refusal.
//!
//! `Date` has a resolution of one second. A response with the date `d`, to a request that was sent at `s` and answered at `r` by our clock, proves that the
//! skew (our clock minus the storage's) is between `s - d - 1` and `r - d` seconds. The last response counts.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::clock::Clock;
use crate::model::Instant;
use crate::model::instant::TICKS_PER_SECOND;
use crate::store::error::StoreError;
use crate::telemetry::metrics;

type Moment = tokio::time::Instant;

/// The proven skew from which a warning is logged: a post that is published now appears late on other servers.
const WARN_FROM: i64 = TICKS_PER_SECOND;
/// The proven skew from which nothing is written. The actual skew is larger by up to a second and the time of a response, so two servers that write are less
/// than 10 s apart if the storage answers within a second.
const REFUSE_FROM: i64 = 3 * TICKS_PER_SECOND;
const WARN_EVERY: Duration = Duration::from_secs(60);
/// How long a response counts.
const KNOWN_FOR: Duration = Duration::from_secs(60);

/// The skew that a response proves, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shown {
    /// The smallest possible skew.
    certain: i64,
    middle: i64,
}

impl Shown {
    /// `None` if our clock was set back meanwhile.
    fn by(sent: Instant, received: Instant, date: Instant) -> Option<Self> {
        let (least, most) = (sent.ticks() - date.ticks() - TICKS_PER_SECOND, received.ticks() - date.ticks());
        (least <= most).then(|| Self { certain: 0.clamp(least, most), middle: least.midpoint(most) })
    }
}

#[derive(Debug)]
pub(super) struct ClockSkew {
    clock: Clock,
    state: Mutex<SkewState>,
}

#[derive(Debug, Default)]
struct SkewState {
    last: Option<(Moment, Shown)>,
    warned_at: Option<Moment>,
}

impl ClockSkew {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, state: Mutex::default() }
    }

    /// Our time, before a request is sent.
    pub(super) fn now(&self) -> Instant {
        self.clock.now()
    }

    /// Call it when the head of a response has arrived. `date`: its header; a malformed one is ignored.
    pub(super) fn answered(&self, sent: Instant, date: Option<&str>) {
        let shown = date.and_then(parse).and_then(|date| Shown::by(sent, self.clock.now(), date));
        let Some(shown) = shown else { return };
        let at = Moment::now();
        metrics::storage_clock_skew(seconds(shown.middle));
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.last = Some((at, shown));
        let is_due = state.warned_at.is_none_or(|warned| at.duration_since(warned) >= WARN_EVERY);
        if shown.certain.abs() >= WARN_FROM && is_due {
            state.warned_at = Some(at);
            drop(state);
            let refuses = shown.certain.abs() >= REFUSE_FROM;
            tracing::warn!(skew_seconds = seconds(shown.middle), refuses_writes = refuses, "store.clock_skewed");
        }
    }

    /// # Errors
    /// [`StoreError::WrongClock`] if the clock is too far from the storage's for a write.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let last = self.state.lock().unwrap_or_else(PoisonError::into_inner).last;
        match last.filter(|(at, shown)| at.elapsed() < KNOWN_FOR && shown.certain.abs() >= REFUSE_FROM) {
            Some((_, shown)) => Err(StoreError::WrongClock { ahead_ms: shown.middle / (TICKS_PER_SECOND / 1_000) }),
            None => Ok(()),
        }
    }
}

fn parse(date: &str) -> Option<Instant> {
    Instant::from_chrono(chrono::DateTime::parse_from_rfc2822(date).ok()?.to_utc())
}

fn seconds(ticks: i64) -> f64 {
    ticks as f64 / TICKS_PER_SECOND as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = TICKS_PER_SECOND / 1_000;

    fn instant(ticks: i64) -> Instant {
        Instant::from_ticks(ticks).expect("an instant")
    }

    /// The response to a request that takes `trip` each way, sent at the storage's time `at` by a server whose clock is `skew` ahead.
    fn answer(at: i64, skew: i64, trip: i64) -> Option<Shown> {
        let begun = instant(0).ticks() + 700_000 * TICKS_PER_SECOND;
        let made = begun + at + trip;
        let date = instant(made - made % TICKS_PER_SECOND);
        Shown::by(instant(begun + at + skew), instant(made + trip + skew), date)
    }

    #[test]
    fn a_date_is_read_as_the_service_writes_it() {
        let expected: Instant = "2026-11-22T01:05:16Z".parse().expect("an instant");
        assert_eq!(parse("Sun, 22 Nov 2026 01:05:16 GMT"), Some(expected));
        for hostile in ["", "yesterday", "Sun, 22 Nov 99999 01:05:16 GMT", "Sun, 31 Feb 2026 01:05:16 GMT"] {
            assert_eq!(parse(hostile), None, "{hostile}");
        }
    }

    #[test]
    fn an_answer_never_shows_more_skew_than_there_is_and_at_most_two_seconds_less() {
        for (skew, at) in (-60..60).flat_map(|skew| (0..10).map(move |at| (skew * 100 * MS, at * 100 * MS))) {
            let shown = answer(at, skew, 500 * MS).expect("an answer within a second");
            assert!(shown.certain.abs() <= skew.abs(), "{skew}, {at}: {shown:?}");
            assert!(shown.certain.abs() >= skew.abs() - 2 * TICKS_PER_SECOND, "{skew}, {at}: {shown:?}");
            assert!((shown.middle - skew).abs() <= TICKS_PER_SECOND, "{skew}, {at}: {shown:?}");
        }
    }
}
