//! An instant in UTC with a precision of one tick (100 ns). The rule: every `Instant` is in the years 1 to 9999, so each has a key and an RFC 3339
//! form.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike, Utc};

pub const TICKS_PER_SECOND: i64 = 10_000_000;
const TICKS_PER_MILLISECOND: i64 = 10_000;
/// The last tick of the year 9999, as .NET's `DateTime.MaxValue` counts it.
pub const TICKS_MAX: i64 = 3_155_378_975_999_999_999;

/// Ticks (100 ns) since 0001-01-01T00:00:00Z, 0 to [`TICKS_MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instant(i64);

impl Instant {
    pub const MIN: Self = Self(0);
    pub const MAX: Self = Self(TICKS_MAX);

    /// `None` outside of the years 1 to 9999.
    pub fn from_ticks(ticks: i64) -> Option<Self> {
        (0..=TICKS_MAX).contains(&ticks).then_some(Self(ticks))
    }

    pub fn ticks(self) -> i64 {
        self.0
    }

    /// The tick after this one; `None` after the last.
    pub fn next(self) -> Option<Self> {
        Self::from_ticks(self.0 + 1)
    }

    /// The tick before this one; `None` before the first.
    pub fn previous(self) -> Option<Self> {
        Self::from_ticks(self.0 - 1)
    }

    #[must_use]
    pub fn start_of_millisecond(self) -> Self {
        Self(self.0 - self.0 % TICKS_PER_MILLISECOND)
    }

    #[must_use]
    pub fn end_of_millisecond(self) -> Self {
        // The last tick of the calendar is the end of a millisecond.
        Self(self.start_of_millisecond().0 + (TICKS_PER_MILLISECOND - 1))
    }

    /// `None` if the result is after the last instant.
    pub fn after_minutes(self, minutes: u32) -> Option<Self> {
        Self::from_ticks(self.ticks().checked_add(i64::from(minutes) * 60 * 10_000_000)?)
    }

    /// The last instant if the result is after it.
    #[must_use]
    pub fn plus(self, time: Duration) -> Self {
        let ticks = i64::try_from(time.as_nanos() / 100).unwrap_or(TICKS_MAX);
        Self(self.0.saturating_add(ticks).min(TICKS_MAX))
    }

    /// The time from this instant to a later one, rounded up to the millisecond.
    pub fn until(self, later: Self) -> Duration {
        let ticks = later.0.saturating_sub(self.0).max(0);
        Duration::from_millis(ticks.unsigned_abs().div_ceil(TICKS_PER_MILLISECOND.unsigned_abs()))
    }

    /// `None` outside of the years 1 to 9999. Truncates to a tick.
    pub fn from_chrono(at: DateTime<Utc>) -> Option<Self> {
        let since = at.naive_utc() - epoch();
        let whole = since.num_seconds().checked_mul(TICKS_PER_SECOND)?;
        // `subsec_nanos` is below zero only before year 1, which `from_ticks` refuses.
        Self::from_ticks(whole + i64::from(since.subsec_nanos()) / 100)
    }

    pub fn to_chrono(self) -> DateTime<Utc> {
        let seconds = TimeDelta::seconds(self.0 / TICKS_PER_SECOND);
        let nanos = TimeDelta::nanoseconds((self.0 % TICKS_PER_SECOND) * 100);
        (epoch() + seconds + nanos).and_utc()
    }

    pub fn month(self) -> Month {
        let date = self.to_chrono().date_naive();
        Month { year: date.year() as u16, month: date.month() as u8 }
    }
}

fn epoch() -> NaiveDateTime {
    NaiveDate::from_ymd_opt(1, 1, 1).expect("the first day of the calendar").and_time(NaiveTime::MIN)
}

/// RFC 3339 with `Z`: whole seconds have no fraction, others have seven digits.
impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.to_chrono();
        write!(f, "{:04}-{:02}-{:02}", at.year(), at.month(), at.day())?;
        write!(f, "T{:02}:{:02}:{:02}", at.hour(), at.minute(), at.second())?;
        match self.0 % TICKS_PER_SECOND {
            0 => f.write_str("Z"),
            fraction => write!(f, ".{fraction:07}Z"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an RFC 3339 instant of the years 1 to 9999, such as 2025-02-03T04:05:06.1234567Z")]
pub struct BadInstant(pub String);

impl FromStr for Instant {
    type Err = BadInstant;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        DateTime::parse_from_rfc3339(text)
            .ok()
            .and_then(|at| Self::from_chrono(at.with_timezone(&Utc)))
            .ok_or_else(|| BadInstant(text.chars().take(64).collect()))
    }
}

/// A month of the UTC calendar in the years 1 to 9999: the PartitionKey of `Posts`, as `yyyy-MM`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Month {
    year: u16,
    month: u8,
}

impl Month {
    pub fn new(year: i32, month: u32) -> Option<Self> {
        let fits = (1..=9999).contains(&year) && (1..=12).contains(&month);
        fits.then_some(Self { year: year as u16, month: month as u8 })
    }

    pub fn year(self) -> u16 {
        self.year
    }

    pub fn month(self) -> u8 {
        self.month
    }

    pub fn first(self) -> Instant {
        let day = NaiveDate::from_ymd_opt(i32::from(self.year), u32::from(self.month), 1)
            .expect("a Month is a month of the calendar");
        Instant::from_chrono(day.and_time(NaiveTime::MIN).and_utc()).expect("a Month is in the years 1 to 9999")
    }

    pub fn last(self) -> Instant {
        self.next().map_or(Instant::MAX, |next| next.first().previous().expect("a later month is not the first"))
    }

    /// `None` after December 9999.
    pub fn next(self) -> Option<Self> {
        match self.month {
            12 => Self::new(i32::from(self.year) + 1, 1),
            _ => Self::new(i32::from(self.year), u32::from(self.month) + 1),
        }
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

impl FromStr for Month {
    type Err = ();

    /// `yyyy-MM`, seven characters.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (year, month) = text.split_once('-').ok_or(())?;
        let digits = |part: &str, count| part.len() == count && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(year, 4) || !digits(month, 2) {
            return Err(());
        }
        Self::new(year.parse().map_err(|_| ())?, month.parse().map_err(|_| ())?).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_form_preserves_every_tick() {
        for text in ["0001-01-01T00:00:00Z", "2025-02-03T04:05:06.1234567Z", "9999-12-31T23:59:59.9999999Z"] {
            assert_eq!(text.parse::<Instant>().map(|i| i.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn an_instant_outside_of_the_calendar_is_an_error() {
        for text in
            ["0000-12-31T23:59:59Z", "9999-12-31T23:59:59-01:00", "10000-01-01T00:00:00Z", "2025-02-30T00:00:00Z", ""]
        {
            assert!(text.parse::<Instant>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_first_and_last_tick_of_a_millisecond_are_correct() {
        for (ticks, first, last) in
            [(0, 0, 9_999), (9_999, 0, 9_999), (10_000, 10_000, 19_999), (TICKS_MAX, TICKS_MAX - 9_999, TICKS_MAX)]
        {
            let at = Instant(ticks);
            assert_eq!((at.start_of_millisecond(), at.end_of_millisecond()), (Instant(first), Instant(last)));
        }
    }

    #[test]
    fn the_first_and_last_tick_of_a_month_are_correct() {
        let month: Month = "2025-02".parse().expect("a month");
        assert_eq!(month.first().to_string(), "2025-02-01T00:00:00Z");
        assert_eq!(month.last().ticks(), 638_763_839_999_999_999);
        assert_eq!(Month::new(9999, 12).map(Month::last), Some(Instant::MAX));
    }
}
