//! The dates of properties. The rule: a text is a date only if nobody could read it as another day, so `02/01/2024` is not a date.

use crate::dates;
use tidings_model::{Instant, TimeZone};

/// Separates the start and end of a time span.
pub(super) const SPAN: &str = "→";

/// Accepts the formats of front matter, and a zone in brackets, `January 2, 2024 17:06 (GMT+1)`. Returns the start of a span. A time without a zone is in
/// `zone`.
pub(super) fn parse(text: &str, zone: &TimeZone) -> Option<Instant> {
    let start = text.split(SPAN).next()?.trim().trim_start_matches('@');
    dates::parse_in(start, zone).or_else(|| {
        let plain = start.replace(['\u{a0}', '\u{202f}'], " ");
        let bracketed = plain.strip_suffix(')').and_then(|rest| rest.split_once(" ("));
        let bracketed = bracketed.filter(|(_, zone)| zone.starts_with("GMT") || zone.starts_with("UTC"));
        let plain = bracketed.map_or(plain.clone(), |(local, zone)| format!("{local} {zone}"));
        dates::parse_in(&plain, zone)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<Instant> {
        super::parse(text, &TimeZone::default())
    }

    #[test]
    fn the_dates_of_exports_are_read() {
        for (text, expected) in [
            ("January 2, 2024", "2024-01-02T00:00:00Z"),
            ("Dec 01, 2020 11:51 PM", "2020-12-01T23:51:00Z"),
            ("May 26, 2022 4:36pm", "2022-05-26T16:36:00Z"),
            ("January 12, 2024 12:06 AM", "2024-01-12T00:06:00Z"),
            ("January 12, 2024 12:06\u{202f}PM", "2024-01-12T12:06:00Z"),
            ("Sept. 3, 2021 17:06", "2021-09-03T17:06:00Z"),
            ("March 8, 2023 9:00 AM (GMT+1)", "2023-03-08T08:00:00Z"),
            ("March 8, 2023 9:00 AM (UTC-03:30)", "2023-03-08T12:30:00Z"),
            ("January 2, 2024 → January 5, 2024", "2024-01-02T00:00:00Z"),
            ("2024-01-02", "2024-01-02T00:00:00Z"),
            ("2024/01/02 17:06", "2024-01-02T17:06:00Z"),
            ("2024-01-02T17:06:00.000+01:00", "2024-01-02T16:06:00Z"),
            ("@January 2, 2024", "2024-01-02T00:00:00Z"),
        ] {
            assert_eq!(parse(text).map(|at| at.to_string()).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_date_without_a_zone_is_in_that_of_the_site() {
        let zone: TimeZone = "America/New_York".parse().expect("a zone");
        for (text, expected) in [
            ("January 2, 2024", "2024-01-02T05:00:00Z"),
            ("July 2, 2024 5:06 PM", "2024-07-02T21:06:00Z"),
            ("2024-01-02", "2024-01-02T05:00:00Z"),
            ("March 8, 2023 9:00 AM (GMT+1)", "2023-03-08T08:00:00Z"),
        ] {
            assert_eq!(super::parse(text, &zone).map(|at| at.to_string()).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_or_may_be_another_one_is_none() {
        for text in [
            "",
            "soon",
            "02/01/2024",
            "February 30, 2024",
            "January 2",
            "Ja 2, 2024",
            "Januaryy 2, 2024",
            "January 2, 24",
            "January 2, 2024 13:00 PM",
            "January 2, 2024 5:06 PM EST now",
            "January 2, 2024 5:06 PM (EST)",
            "January 2, 2024 5 PM",
            "2 janvier 2024",
            "(GMT",
            "é",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
