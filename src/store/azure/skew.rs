//! Measures how far this server's clock is from the storage's, by the `Date` of each answer. The rule: a skew is believed only as far as all recent
//! answers agree on it, so that neither the resolution of `Date` nor a slow answer causes a warning or a refusal.
//!
//! `Date` has a resolution of one second. An answer that was made in the second `d`, to a request that was sent at `s` and answered at `r` by our
//! clock, shows that the skew (our clock minus the storage's) is between `s - d - 1` and `r - d` seconds. Answers of different fractions of a second
//! give different intervals, whose intersection is soon as narrow as the time that a request takes. Answers of the last 30 to 60 seconds are used. An
//! answer that contradicts the others means that a clock was set: the others are dropped, and only the new answer is used.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::clock::Clock;
use crate::model::Instant;
use crate::model::instant::TICKS_PER_SECOND;
use crate::store::error::StoreError;
use crate::telemetry::metrics;

type Moment = tokio::time::Instant;

/// From this skew on a warning is logged: a post that is published now appears late on other servers.
const WARN_FROM: i64 = 2 * TICKS_PER_SECOND;
/// From this skew on nothing is written: so two servers that write are less than 10 s apart.
const REFUSE_FROM: i64 = 5 * TICKS_PER_SECOND;
const WARN_EVERY: Duration = Duration::from_secs(60);
/// Answers are used for one to two periods.
const PERIOD: Duration = Duration::from_secs(30);

/// The bounds of a skew, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Interval {
    least: i64,
    most: i64,
}

impl Interval {
    /// The interval of one answer. `None` if our clock was set back during the request.
    fn of(sent: Instant, received: Instant, date: Instant) -> Option<Self> {
        let found = Self {
            least: sent.ticks().saturating_sub(date.ticks()).saturating_sub(TICKS_PER_SECOND),
            most: received.ticks().saturating_sub(date.ticks()),
        };
        (found.least <= found.most).then_some(found)
    }

    fn and(self, other: Self) -> Option<Self> {
        let common = Self { least: self.least.max(other.least), most: self.most.min(other.most) };
        (common.least <= common.most).then_some(common)
    }

    /// The smallest skew that is possible.
    fn certain(self) -> i64 {
        0.clamp(self.least, self.most)
    }

    fn middle(self) -> i64 {
        self.least.midpoint(self.most)
    }
}

/// The intersection of recent intervals: of the present period, and of the period before it.
#[derive(Debug, Default)]
struct Window {
    present: Option<(Moment, Interval)>,
    before: Option<Interval>,
}

impl Window {
    /// Adds an answer, and returns what is known with it.
    fn add(&mut self, at: Moment, found: Interval) -> Interval {
        let old = self.present.filter(|(begun, _)| at.duration_since(*begun) >= PERIOD);
        if let Some((begun, interval)) = old {
            self.before = (at.duration_since(begun) < 2 * PERIOD).then_some(interval);
            self.present = None;
        }
        let (begun, narrowed) = match self.present {
            Some((begun, interval)) => (begun, interval.and(found)),
            None => (at, Some(found)),
        };
        let agreed = narrowed.and_then(|narrowed| {
            let known = self.before.map_or(Some(narrowed), |before| before.and(narrowed))?;
            Some((narrowed, known))
        });
        match agreed {
            Some((narrowed, known)) => {
                self.present = Some((begun, narrowed));
                known
            }
            None => {
                *self = Self { present: Some((at, found)), before: None };
                found
            }
        }
    }

    /// `None` if there was no answer for two periods.
    fn known(&self, at: Moment) -> Option<Interval> {
        let (begun, interval) = self.present.filter(|(begun, _)| at.duration_since(*begun) < 2 * PERIOD)?;
        let is_fresh = at.duration_since(begun) < PERIOD;
        match self.before.filter(|_| is_fresh) {
            Some(before) => before.and(interval),
            None => Some(interval),
        }
    }
}

#[derive(Debug)]
pub(super) struct ClockSkew {
    clock: Clock,
    state: Mutex<SkewState>,
}

#[derive(Debug, Default)]
struct SkewState {
    window: Window,
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

    /// To be called when the head of an answer has arrived. `date`: its header; a malformed one is ignored.
    pub(super) fn answered(&self, sent: Instant, date: Option<&str>) {
        let found = date.and_then(parse).and_then(|date| Interval::of(sent, self.clock.now(), date));
        let Some(found) = found else { return };
        let at = Moment::now();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let known = state.window.add(at, found);
        metrics::storage_clock_skew(seconds(known.middle()));
        let is_due = state.warned_at.is_none_or(|warned| at.duration_since(warned) >= WARN_EVERY);
        if known.certain().saturating_abs() >= WARN_FROM && is_due {
            state.warned_at = Some(at);
            drop(state);
            let refuses = known.certain().saturating_abs() >= REFUSE_FROM;
            tracing::warn!(skew_seconds = seconds(known.middle()), refuses_writes = refuses, "store.clock_skewed");
        }
    }

    /// # Errors
    /// [`StoreError::WrongClock`] if the clock is too far from the storage's for a write.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let known = self.state.lock().unwrap_or_else(PoisonError::into_inner).window.known(Moment::now());
        match known.filter(|known| known.certain().saturating_abs() >= REFUSE_FROM) {
            Some(known) => Err(StoreError::WrongClock { ahead_ms: known.middle() / (TICKS_PER_SECOND / 1_000) }),
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

    /// The answer to a request that takes `trip` each way, sent at `at` of the storage's time by a server whose clock is `skew` ahead.
    fn answer(at: i64, skew: i64, trip: i64) -> Interval {
        let begun = instant(0).ticks() + 700_000 * TICKS_PER_SECOND;
        let made = begun + at + trip;
        let date = instant(made - made % TICKS_PER_SECOND);
        Interval::of(instant(begun + at + skew), instant(made + trip + skew), date).expect("an interval")
    }

    #[test]
    fn a_date_is_read_as_the_service_writes_it() {
        let expected: Instant = "2026-11-22T01:05:16Z".parse().expect("an instant");
        assert_eq!(parse("Sun, 22 Nov 2026 01:05:16 GMT"), Some(expected));
        for hostile in ["", "yesterday", "Sun, 22 Nov 99999 01:05:16 GMT", "Sun, 31 Feb 2026 01:05:16 GMT"] {
            assert_eq!(parse(hostile), None, "{hostile}");
        }
    }

    /// Twenty answers of different fractions of a second show whether a skew exceeds a bound, to within the time of a request.
    #[test]
    fn a_skew_is_known_as_exactly_as_a_request_takes() {
        for skew in [0, 1_950, -1_950, 2_050, -2_050, 4_950, 5_050, 60_000].map(|ms| ms * MS) {
            let (mut window, begun) = (Window::default(), Moment::now());
            for n in 0..20_u32 {
                let known =
                    window.add(begun + n * Duration::from_millis(330), answer(i64::from(n) * 330 * MS, skew, 10 * MS));
                assert!(known.least <= skew && skew <= known.most, "{skew}: {known:?}");
            }
            let known = window.known(begun + Duration::from_secs(10)).expect("a skew");
            assert!((known.middle() - skew).abs() <= 40 * MS, "{skew}: {known:?}");
            assert_eq!(known.certain().abs() >= WARN_FROM, skew.abs() >= WARN_FROM, "{skew}: {known:?}");
            assert_eq!(known.certain().abs() >= REFUSE_FROM, skew.abs() >= REFUSE_FROM, "{skew}: {known:?}");
        }
    }

    #[test]
    fn one_answer_never_shows_more_skew_than_there_is() {
        for (skew, at) in (-60..60).flat_map(|skew| (0..10).map(move |at| (skew * 100 * MS, at * 100 * MS))) {
            let known = Window::default().add(Moment::now(), answer(at, skew, 500 * MS));
            assert!(known.certain().abs() <= skew.abs(), "{skew}, {at}: {known:?}");
        }
    }

    #[test]
    fn a_corrected_clock_is_trusted_from_the_next_answer_on() {
        let (mut window, begun) = (Window::default(), Moment::now());
        for n in 0..20 {
            window.add(begun, answer(n * 330 * MS, 10 * TICKS_PER_SECOND, 10 * MS));
        }
        let known = window.add(begun + Duration::from_secs(40), answer(0, 0, 10 * MS));
        assert_eq!(known.certain(), 0);
        assert_eq!(window.known(begun + Duration::from_secs(41)), Some(known));
    }

    #[test]
    fn old_answers_are_ignored() {
        let (mut window, begun) = (Window::default(), Moment::now());
        window.add(begun, answer(0, 10 * TICKS_PER_SECOND, 10 * MS));
        assert!(window.known(begun + PERIOD).is_some());
        assert_eq!(window.known(begun + 2 * PERIOD), None);
        let right = answer(0, TICKS_PER_SECOND / 2, 10 * MS);
        assert_eq!(window.add(begun + 3 * PERIOD, right), right);
    }
}
