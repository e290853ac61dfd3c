//! The time zone of a site. The rule: it decides only how instants are written and read as local dates; everything stored, and every partition, is in
//! UTC.

use std::str::FromStr;

use chrono::{DateTime, Datelike, NaiveDateTime, TimeDelta, Timelike, Utc};
use jiff::{Timestamp, civil, tz};

/// A zone of the IANA database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeZone(tz::TimeZone);

impl TimeZone {
    /// The IANA name, such as `Europe/Berlin`.
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }

    pub fn local(&self, at: DateTime<Utc>) -> NaiveDateTime {
        at.naive_utc() + self.offset(at)
    }

    /// The instant of a local time. A time that clocks show twice is the first; a time that clocks skip has the offset before the gap. `None` outside
    /// the calendar.
    pub fn instant(&self, local: NaiveDateTime) -> Option<DateTime<Utc>> {
        let found = as_civil(local).and_then(|time| self.0.to_timestamp(time).ok());
        let offset = match found {
            Some(at) => TimeDelta::seconds(local.and_utc().timestamp() - at.as_second()),
            None => self.offset(local.and_utc()),
        };
        Some(local.checked_sub_signed(offset)?.and_utc())
    }

    /// The offset from UTC. The library has no timestamps on the last two days of the year 9999.
    fn offset(&self, at: DateTime<Utc>) -> TimeDelta {
        let at = Timestamp::from_second(at.timestamp()).unwrap_or(Timestamp::MAX);
        TimeDelta::seconds(self.0.to_offset(at).seconds().into())
    }
}

/// Drops the fraction of the second.
fn as_civil(local: NaiveDateTime) -> Option<civil::DateTime> {
    let year = i16::try_from(local.year()).ok()?;
    let [month, day, hour, minute, second] =
        [local.month(), local.day(), local.hour(), local.minute(), local.second()].map(|part| part as i8);
    civil::DateTime::new(year, month, day, hour, minute, second, 0).ok()
}

impl Default for TimeZone {
    fn default() -> Self {
        Self(tz::TimeZone::UTC)
    }
}

impl FromStr for TimeZone {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = tz::TimeZone::get(text).ok().filter(|zone| !zone.is_unknown());
        found.map(Self).ok_or_else(|| {
            format!("{text:?} is not the name of a time zone of the IANA database, such as Europe/Berlin or UTC")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_local_time_is_the_instant_at_which_clocks_show_it() {
        for (zone, local, instant) in [
            ("UTC", "2026-01-02T03:04:05", "2026-01-02T03:04:05Z"),
            ("Europe/Berlin", "2026-01-02T00:30:00", "2026-01-01T23:30:00Z"),
            ("Europe/Berlin", "2026-07-02T00:30:00", "2026-07-01T22:30:00Z"),
            ("America/New_York", "2026-01-02T20:00:00", "2026-01-03T01:00:00Z"),
            // Clocks show 02:30 twice, and later skip it.
            ("Europe/Berlin", "2025-10-26T02:30:00", "2025-10-26T00:30:00Z"),
            ("Europe/Berlin", "2025-03-30T02:30:00", "2025-03-30T01:30:00Z"),
            // A whole day that the country skipped.
            ("Pacific/Apia", "2011-12-30T12:00:00", "2011-12-30T22:00:00Z"),
            // The rules of today are applied to later years.
            ("Europe/Berlin", "2190-07-02T12:00:00", "2190-07-02T10:00:00Z"),
        ] {
            let (zone, local): (TimeZone, NaiveDateTime) =
                (zone.parse().expect("a zone"), local.parse().expect("a time"));
            let instant: DateTime<Utc> = instant.parse().expect("an instant");
            assert_eq!(zone.instant(local), Some(instant), "{local} {zone:?}");
        }
    }

    #[test]
    fn an_instant_has_a_date_in_every_zone_also_at_the_ends_of_the_calendar() {
        for name in ["UTC", "Pacific/Kiritimati", "Etc/GMT+12", "Asia/Kathmandu"] {
            let zone: TimeZone = name.parse().expect("a zone");
            assert_eq!(zone.name(), name);
            for instant in
                ["0001-01-01T00:00:00Z", "1883-11-18T12:00:00Z", "2026-06-01T12:00:00Z", "9999-12-31T23:59:59Z"]
            {
                let at: DateTime<Utc> = instant.parse().expect("an instant");
                assert_eq!(zone.instant(zone.local(at)), Some(at), "{name} {instant}");
            }
        }
    }

    #[test]
    fn a_name_that_is_not_in_the_database_is_refused() {
        for text in ["", "Berlin", "CEST", "+02:00", "Europe/Atlantis", "Etc/Unknown"] {
            assert!(text.parse::<TimeZone>().is_err(), "{text}");
        }
    }
}
