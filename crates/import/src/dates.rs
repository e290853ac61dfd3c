//! Parses dates as people write them in front matter. The rule: a date without a zone is in the zone of the site, or else in UTC; a text that is not
//! a date is `None`, never a guess.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveTime, TimeDelta, Timelike, Utc};

use super::words::has_word;
use tidings_model::{Instant, TimeZone};

/// Accepts `2014-01-13`, `2013-1-6`, `2014/01/13`, `20140113`; then optionally a time after a space or `T`, with minutes, seconds or a fraction, or with `am`
/// or `pm`; then optionally a zone: `Z`, `UTC`, `-0800`, `-08:00`, `-8`, `PST`. Also accepts the format of e-mail, `Tue, 27 Jan 2015 14:56:57 +0000`, and dates
/// with the English name of the month: `Jul 08 2022`, `July 8th, 2022`, `8 July 2022`, with or without the day of the week before them and a time after them.
pub(super) fn parse(text: &str) -> Option<Instant> {
    parse_in(text, &TimeZone::default())
}

/// Like [`parse`], with the zone for a text without one.
pub(super) fn parse_in(text: &str, zone: &TimeZone) -> Option<Instant> {
    let text = text.trim();
    let of_mail = || DateTime::parse_from_rfc2822(text).ok().map(|at| at.with_timezone(&Utc));
    let at = date_time(text, zone).or_else(of_mail).or_else(|| date_time(&with_number_of_month(text)?, zone))?;
    Instant::from_chrono(at)
}

const MONTHS: &str = "january february march april may june july august september october november december";
const WEEKDAYS: &str = "monday tuesday wednesday thursday friday saturday sunday";
/// The minimum letters of an abbreviated month or day.
const LETTERS_MIN: usize = 3;

/// The number of a month by its English name or abbreviation.
fn month(name: &str) -> Option<usize> {
    number_of(MONTHS, name)
}

fn is_weekday(word: &str) -> bool {
    number_of(WEEKDAYS, word).is_some()
}

/// The number of a name, which may be abbreviated, in a list.
fn number_of(names: &str, written: &str) -> Option<usize> {
    let written = written.trim_end_matches('.').to_ascii_lowercase();
    let is_named = |name: &str| written.len() >= LETTERS_MIN && name.starts_with(&written);
    names.split(' ').position(is_named).map(|index| index + 1)
}

/// Rewrites `Jul 08 2022 10:00` and `8 July 2022 10:00` as `2022-7-08 10:00`.
fn with_number_of_month(text: &str) -> Option<String> {
    let mut words = text.split([' ', ',']).filter(|word| !word.is_empty()).peekable();
    words.next_if(|word| is_weekday(word));
    let (first, second, year) = (words.next()?, words.next()?, words.next()?);
    let (month, day) = month(first).map(|month| (month, second)).or_else(|| Some((month(second)?, first)))?;
    let day = ["st", "nd", "rd", "th"].iter().find_map(|ending| day.strip_suffix(ending)).unwrap_or(day);
    Some(format!("{year}-{month}-{day} {}", words.collect::<Vec<_>>().join(" ")))
}

/// The day at the start of a file name (`2016-03-10-title`, `2016-03-10_title`), and the rest of the name.
pub(super) fn split_name<'n>(name: &'n str, zone: &TimeZone) -> Option<(Instant, &'n str)> {
    let end = name.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(name.len());
    let mut marks = name[..end].match_indices('-').map(|(at, _)| at);
    let third = marks.nth(2).unwrap_or(end);
    let rest = name[third..].trim_start_matches(['-', '_']);
    let starts_again = rest.len() < name.len() - third || rest.is_empty();
    starts_again.then(|| Some((day(&name[..third], zone)?, rest)))?
}

/// The day in a path, as in `2015/05/15/Rust-1.0`: the first three consecutive parts that form a date.
pub(super) fn in_path(path: &str, zone: &TimeZone) -> Option<Instant> {
    let parts: Vec<&str> = path.split('/').collect();
    parts.windows(3).find_map(|three| day(&three.join("-"), zone))
}

/// The start of a day such as `2016-03-10`.
fn day(text: &str, zone: &TimeZone) -> Option<Instant> {
    Instant::from_chrono(zone.instant(date(text, &[DAY])?.and_time(NaiveTime::MIN))?)
}

fn date_time(text: &str, zone: &TimeZone) -> Option<DateTime<Utc>> {
    let end = text.find(['T', 't', ' ']).unwrap_or(text.len());
    let date = date(&text[..end], &[DAY, "%Y/%m/%d", "%Y%m%d"])?;
    let (time, rest) = match text.get(end + 1..).map(str::trim) {
        None | Some("") => (NaiveTime::MIN, ""),
        Some(rest) => time_and_rest(rest)?,
    };
    let local = date.and_time(time);
    if rest.is_empty() {
        return zone.instant(local);
    }
    let offset = TimeDelta::seconds(i64::from(offset(rest)?.local_minus_utc()));
    Some(local.checked_sub_signed(offset)?.and_utc())
}

const DAY: &str = "%Y-%m-%d";

/// A date that begins with a year of four digits. Without marks between its parts, it has eight.
fn date(text: &str, formats: &[&str]) -> Option<NaiveDate> {
    let has_year = text.len() > 4 && text.bytes().take(4).all(|byte| byte.is_ascii_digit());
    let is_marked = text.contains(['-', '/']);
    // The formats allow white space before a number.
    let is_date = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'/'));
    let formats = formats.iter().filter(|_| has_year && is_date && (is_marked || text.len() == 8));
    formats.into_iter().find_map(|format| NaiveDate::parse_from_str(text, format).ok())
}

/// A time, and the text of the zone after it.
fn time_and_rest(text: &str) -> Option<(NaiveTime, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.' | ',')).unwrap_or(text.len());
    let (time, rest) = (time(&text[..end])?, text[end..].trim());
    let half = rest.get(..2).map(str::to_ascii_lowercase);
    let is_alone = rest.get(2..).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()));
    match half.as_deref().filter(|_| is_alone) {
        Some(half @ ("am" | "pm")) => {
            let hour = time.hour() % 12 + if half == "pm" { 12 } else { 0 };
            let is_valid = (1..=12).contains(&time.hour());
            Some((time.with_hour(hour).filter(|_| is_valid)?, rest[2..].trim()))
        }
        _ => Some((time, rest)),
    }
}

/// Parses a time with hours and minutes, and optionally seconds and a fraction.
fn time(text: &str) -> Option<NaiveTime> {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let (hour, minute) = whole.split_once(':')?;
    let (minute, second) = minute.split_once(':').unwrap_or((minute, "00"));
    let has_digits = hour.len() <= 2 && minute.len() == 2 && second.len() == 2;
    let text = format!("{hour}:{minute}:{second}.{fraction:0<1}");
    let time = NaiveTime::parse_from_str(&text, "%H:%M:%S%.f").ok()?;
    // A leap second is read as the second before it with more than a second of nanoseconds.
    Some(time).filter(|time| has_digits && time.nanosecond() < 1_000_000_000)
}

/// The hours of zones ahead of UTC, and their names: those of RFC 5322, and those of Europe and Japan that are unambiguous.
const ZONES: &[(i32, &str)] = &[
    (0, "Z UTC GMT WET"),
    (1, "WEST CET"),
    (2, "CEST EET"),
    (3, "EEST MSK"),
    (9, "JST"),
    (-4, "EDT"),
    (-5, "EST CDT"),
    (-6, "CST MDT"),
    (-7, "MST PDT"),
    (-8, "PST"),
];

fn offset(text: &str) -> Option<FixedOffset> {
    let name = text.to_ascii_uppercase();
    if let Some((hours, _)) = ZONES.iter().find(|(_, names)| has_word(names, &name)) {
        return FixedOffset::east_opt(hours * 3600);
    }
    // JavaScript writes `GMT+0200 (Central European Summer Time)`.
    let text = text.split(" (").next().unwrap_or_default();
    let text = text.strip_prefix("GMT").or_else(|| text.strip_prefix("UTC")).unwrap_or(text);
    let digits = text.strip_prefix(['+', '-'])?;
    // The hours of YAML timestamps have one digit or two.
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() <= 2 => (digits, "00"),
        None => digits.split_at_checked(2)?,
    };
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_offset = matches!(hours.len(), 1 | 2) && minutes.len() == 2 && is_number(hours) && is_number(minutes);
    format!("{}{hours:0>2}{minutes}", &text[..1]).parse().ok().filter(|_| is_offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_every_format_are_parsed() {
        let cases = [
            ("2014-01-13", "2014-01-13T00:00:00Z"),
            ("2013-1-6", "2013-01-06T00:00:00Z"),
            ("2014/01/13", "2014-01-13T00:00:00Z"),
            ("2014-01-13 17:43", "2014-01-13T17:43:00Z"),
            ("2014-01-13 17:43:32 -0800", "2014-01-14T01:43:32Z"),
            ("2014-01-13T17:43:32.5+01:00", "2014-01-13T16:43:32.5000000Z"),
            ("2014-01-13t17:43:32z", "2014-01-13T17:43:32Z"),
            ("2014-01-13 17:43:32 UTC", "2014-01-13T17:43:32Z"),
            ("Tue, 27 Jan 2015 14:56:57 +0000", "2015-01-27T14:56:57Z"),
            ("Jul 08 2022", "2022-07-08T00:00:00Z"),
            ("July 8, 2022 10:30", "2022-07-08T10:30:00Z"),
            ("8 Sept. 2022 10:30 +0100", "2022-09-08T09:30:00Z"),
            ("20140113", "2014-01-13T00:00:00Z"),
            ("2014-01-13 17:43:32 -5:00", "2014-01-13T22:43:32Z"),
            ("2014-01-13 17:43:32 +9", "2014-01-13T08:43:32Z"),
            ("2014-01-13 10:00:00 PST", "2014-01-13T18:00:00Z"),
            ("2014-01-13 10:00 cest", "2014-01-13T08:00:00Z"),
            ("2014-01-13 12:05 AM", "2014-01-13T00:05:00Z"),
            ("January 13th, 2014 5:43pm EST", "2014-01-13T22:43:00Z"),
            ("Monday, January 13, 2014", "2014-01-13T00:00:00Z"),
            ("2014-01-13 10:00.", "2014-01-13T10:00:00Z"),
            ("2014-01-13 10:00, UTC", "2014-01-13T10:00:00Z"),
            ("2014-01-13 12:34.5", "2014-01-13T12:34:00.5000000Z"),
            ("2014-01-13 9:00:00,25 +1", "2014-01-13T08:00:00.2500000Z"),
            ("Mon Jan 13 2014 19:00:00 GMT+0200 (Eastern European Standard Time)", "2014-01-13T17:00:00Z"),
        ];
        for (text, instant) in cases {
            assert_eq!(parse(text).map(|at| at.to_string()).as_deref(), Some(instant), "{text}");
        }
    }

    #[test]
    fn a_date_without_a_zone_is_in_that_of_the_site() {
        let zone: TimeZone = "America/New_York".parse().expect("a zone");
        for (text, instant) in [
            ("2014-01-13", "2014-01-13T05:00:00Z"),
            ("2014-07-13 17:43", "2014-07-13T21:43:00Z"),
            ("2014-01-13T17:43:32Z", "2014-01-13T17:43:32Z"),
            ("2014-01-13 17:43:32 +0100", "2014-01-13T16:43:32Z"),
            ("Tue, 27 Jan 2015 14:56:57 +0000", "2015-01-27T14:56:57Z"),
        ] {
            assert_eq!(parse_in(text, &zone).map(|at| at.to_string()).as_deref(), Some(instant), "{text}");
        }
        let day = in_path("2015/05/15/Rust-1.0", &zone).map(|day| day.to_string());
        assert_eq!(day.as_deref(), Some("2015-05-15T04:00:00Z"));
    }

    #[test]
    fn a_text_that_is_not_a_date_is_not_parsed() {
        let cases = [
            "",
            "soon",
            "2014",
            "2014-01",
            "2014-13-01",
            "2014-02-30",
            "14-01-13",
            "2014-01-13 25:00",
            "2014-01-13 1",
            "0000-00-00 00:00:00",
            "2023-01-29 18:30:22 2023 -0800",
            "2014-01-13 10:00:00 +9999",
            "2014-01-13-14",
            "2014-01-13é",
            "2014-01-13 10:00:00.é",
            "9999-12-31T23:59:59-01:00",
            "2014-01-13 10:00:00 XST",
            "2014-01-13 13:00 pm",
            "2014-01-13 10:00 +123",
            "20141301",
            "2014113",
            "2014-\t1-13",
            "2014-01-13 10:5",
            "2014-01-13 10:00:5",
            "2014-01-13 010:00",
            "2014-01-13 10:00 -",
            "2014-01-13 10:00 GMT+",
            "2014-01-13 10:00 +:30",
            "2014-01-13 10:00 +123:4",
            "2014-01-13 23:59:60",
            "2014-01-13 10:00:00.5.5",
            "201401",
            "Jul 2022",
            "Ju 8 2022",
            "Jul 32 2022",
            "8 9 2022",
            "08 Jul 22",
        ];
        for text in cases {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_file_name_may_start_with_a_day() {
        let split = |name| split_name(name, &TimeZone::default()).map(|(day, rest)| (day.to_string(), rest));
        let day = || "2016-03-10T00:00:00Z".to_owned();
        assert_eq!(split("2016-03-10-title"), Some((day(), "title")));
        assert_eq!(split("2016-03-10_a-b"), Some((day(), "a-b")));
        assert_eq!(split("2016-03-10-1-up"), Some((day(), "1-up")));
        assert_eq!(split("2016-03-10"), Some((day(), "")));
        for name in ["2016-03-40-title", "1.94.1-release", "10years", "2016-03-10th", "é", ""] {
            assert_eq!(split(name), None, "{name}");
        }
    }

    #[test]
    fn a_path_may_contain_a_day() {
        let day = |path| in_path(path, &TimeZone::default()).map(|day| day.to_string());
        assert_eq!(day("inside-rust/2022/02/22/x").as_deref(), Some("2022-02-22T00:00:00Z"));
        assert_eq!(day("2015/05/15/Rust-1.0").as_deref(), Some("2015-05-15T00:00:00Z"));
        assert_eq!(day("a/2015/05"), None);
    }
}
