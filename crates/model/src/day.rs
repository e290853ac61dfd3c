//! A day of the UTC calendar. The rule: a day is counted from the first day of the calendar, so that spans of days need no calendar.

use std::fmt;

use chrono::Datelike;

use super::instant::{Instant, Month, TICKS_PER_SECOND};

const TICKS: i64 = 86_400 * TICKS_PER_SECOND;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Day(i64);

impl Day {
    pub fn of(at: Instant) -> Self {
        Self(at.ticks() / TICKS)
    }

    pub fn first_of(month: Month) -> Self {
        Self::of(month.first())
    }

    pub fn start(self) -> Instant {
        Instant::from_ticks(self.0 * TICKS).expect("a day begins at an instant of the calendar")
    }

    pub fn month(self) -> Month {
        self.start().month()
    }

    /// The day of the month, from 1 to 31.
    pub fn number(self) -> u32 {
        self.start().to_chrono().day()
    }

    /// The day that is this many days earlier, or the first day of the calendar.
    #[must_use]
    pub fn minus(self, days: u32) -> Self {
        Self(self.0.saturating_sub(days.into()).max(0))
    }

    /// The days from this one to another one, both included; none if that one is earlier.
    pub fn to(self, last: Self) -> impl ExactSizeIterator<Item = Self> + Clone {
        let count = u32::try_from(last.0 - self.0 + 1).unwrap_or(0);
        (0..count).map(move |more| Self(self.0 + i64::from(more)))
    }
}

/// `yyyy-MM-dd`
impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:02}", self.month(), self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_follow_the_calendar() {
        let day = |text: &str| Day::of(text.parse().expect("an instant"));
        let (leap, first) = (day("2028-02-29T23:59:59.9999999Z"), day("2028-03-01T00:00:00Z"));
        assert_eq!((leap.to_string(), leap.number()), ("2028-02-29".to_owned(), 29));
        assert_eq!((first.minus(1), Day::first_of(first.month())), (leap, first));
        assert_eq!(leap.minus(1).to(first).map(Day::number).collect::<Vec<_>>(), [28, 29, 1]);
        assert_eq!(first.to(leap).len(), 0);
        assert_eq!(Day::of(Instant::MIN).minus(1), Day::of(Instant::MIN));
    }
}
