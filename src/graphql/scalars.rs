//! The scalar `DateTime`. The rule: all printed texts have the same length, so that texts sort like their times; input that cannot be
//! printed exactly is refused.

use async_graphql::{InputValueError, InputValueResult, Scalar, ScalarType, Value};
use chrono::{Datelike, Timelike};

use crate::model::Instant;

/// The example in the errors of refused texts.
const EXAMPLE: &str = "such as 2025-02-03T04:05:06.789Z";
/// The fractional digits of a second that are printed.
const DIGITS: usize = 3;

/// See the description of the scalar below. Printing rounds down; what was parsed is the first tick of its millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateTime(pub Instant);

/// An instant in UTC with milliseconds: RFC 3339 with exactly three fractional digits and `Z`, such as 2025-02-03T04:05:06.789Z. All values have the
/// same length, so they sort as strings, and JavaScript's `new Date(text).toISOString()` returns the same text. As input, any UTC offset and up to
/// three fractional digits are accepted (2025-02-03T05:05:06+01:00); a finer time, a time without an offset and the offset -00:00 are the error
/// BAD_USER_INPUT. Years 1 to 9999. A time that an import or an earlier version has stored with more precision is shown rounded down.
#[Scalar(name = "DateTime", specified_by_url = "https://scalars.graphql.org/andimarek/date-time.html")]
impl ScalarType for DateTime {
    fn parse(value: Value) -> InputValueResult<Self> {
        match value {
            Value::String(text) => parse(&text).map_err(InputValueError::custom),
            other => Err(InputValueError::expected_type(other)),
        }
    }

    fn to_value(&self) -> Value {
        Value::String(self.text().map(char::from).into_iter().collect())
    }
}

impl DateTime {
    /// RFC 3339 with milliseconds. Not by `format`, which is slow, because a page has many of them.
    fn text(self) -> [u8; 24] {
        let at = self.0.to_chrono();
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let parts = [
            (0..4, at.year().unsigned_abs()),
            (5..7, at.month()),
            (8..10, at.day()),
            (11..13, at.hour()),
            (14..16, at.minute()),
            (17..19, at.second()),
            (20..23, at.timestamp_subsec_millis()),
        ];
        for (place, mut number) in parts {
            for digit in text[place].iter_mut().rev() {
                *digit += (number % 10) as u8;
                number /= 10;
            }
        }
        text
    }

    /// # Errors
    /// The reason why the text is not a valid value of this scalar.
    pub fn check(text: &str) -> Result<(), String> {
        parse(text).map(drop)
    }

    pub fn write(self, json: &mut Vec<u8>) -> bool {
        json.push(b'"');
        json.extend_from_slice(&self.text());
        json.push(b'"');
        true
    }
}

fn parse(text: &str) -> Result<DateTime, String> {
    let Ok(at) = text.parse::<Instant>() else {
        let begin: String = text.chars().take(64).collect();
        return Err(format!(
            "{begin:?} is not an RFC 3339 time with Z or a UTC offset, of the years 1 to 9999, {EXAMPLE}"
        ));
    };
    if is_finer_than_a_millisecond(text) {
        return Err(format!(
            "{text:?} is finer than a millisecond; at most three fractional digits are allowed, {EXAMPLE}"
        ));
    }
    if text.ends_with("-00:00") {
        return Err(format!(
            "{text:?} has the offset -00:00, which means an unknown one; write Z or the UTC offset, {EXAMPLE}"
        ));
    }
    Ok(DateTime(at))
}

/// Whether a digit other than 0 follows the third one of the fraction. The text is checked, because the instant may have fewer digits.
fn is_finer_than_a_millisecond(text: &str) -> bool {
    let fraction = text.split_once('.').map_or("", |(_, rest)| rest);
    let digits = fraction.bytes().take_while(u8::is_ascii_digit);
    digits.skip(DIGITS).any(|digit| digit != b'0')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::instant::TICKS_MAX;

    fn printed(at: Instant) -> String {
        match DateTime(at).to_value() {
            Value::String(text) => text,
            other => panic!("{other}"),
        }
    }

    fn read(text: &str) -> Result<String, String> {
        parse(text).map(|at| printed(at.0))
    }

    #[test]
    fn a_time_with_milliseconds_or_less_is_read_and_printed_with_three_digits() {
        for (text, expected) in [
            ("2025-02-03T04:05:06Z", "2025-02-03T04:05:06.000Z"),
            ("2025-02-03T04:05:06.7Z", "2025-02-03T04:05:06.700Z"),
            ("2025-02-03T04:05:06.789Z", "2025-02-03T04:05:06.789Z"),
            ("2025-02-03T04:05:06.7890000Z", "2025-02-03T04:05:06.789Z"),
            ("2025-02-03T04:05:06.000000000000Z", "2025-02-03T04:05:06.000Z"),
            ("2025-02-03t04:05:06.789z", "2025-02-03T04:05:06.789Z"),
            ("2025-02-03T05:05:06+01:00", "2025-02-03T04:05:06.000Z"),
            ("2025-02-02T20:35:06.5-07:30", "2025-02-03T04:05:06.500Z"),
            ("2025-02-03T04:05:06+00:00", "2025-02-03T04:05:06.000Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn another_text_is_refused_with_the_reason_and_the_accepted_form() {
        for (text, reason) in [
            ("2025-02-03T04:05:06.7891Z", "is finer than a millisecond"),
            ("2025-02-03T04:05:06.0000000001Z", "is finer than a millisecond"),
            ("2025-02-03T04:05:06.7890001+01:00", "is finer than a millisecond"),
            ("2025-02-03T04:05:06-00:00", "has the offset -00:00"),
            ("2025-02-03T04:05:06.789-00:00", "has the offset -00:00"),
            ("2025-02-03T04:05:06", "is not an RFC 3339 time"),
            ("2025-02-03T04:05:06.Z", "is not an RFC 3339 time"),
            ("2025-02-03T04:05:06,789Z", "is not an RFC 3339 time"),
            ("2025-02-03", "is not an RFC 3339 time"),
            ("2025-02-30T00:00:00Z", "is not an RFC 3339 time"),
            ("0000-01-01T00:00:00Z", "is not an RFC 3339 time"),
            ("0001-01-01T00:00:00+01:00", "is not an RFC 3339 time"),
            ("9999-12-31T23:59:59-01:00", "is not an RFC 3339 time"),
            ("+10000-01-01T00:00:00Z", "is not an RFC 3339 time"),
            ("1738555506789", "is not an RFC 3339 time"),
            ("", "is not an RFC 3339 time"),
        ] {
            let message = read(text).expect_err(text);
            assert!(message.starts_with(&format!("{text:?} {reason}")) && message.ends_with(EXAMPLE), "{message}");
        }
    }

    #[test]
    fn a_stored_time_with_more_digits_is_printed_rounded_down() {
        for (stored, expected) in [
            ("2025-02-03T04:05:06.7899999Z", "2025-02-03T04:05:06.789Z"),
            ("2025-02-03T04:05:06.0000001Z", "2025-02-03T04:05:06.000Z"),
            ("0001-01-01T00:00:00.0009999Z", "0001-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(printed(stored.parse().expect("an instant")), expected);
        }
    }

    proptest! {
        #[test]
        fn texts_sort_as_their_times_and_are_read_as_they_were_printed(a in 0..=TICKS_MAX, b in 0..=TICKS_MAX, near in 0..20_000_i64) {
            let at = |ticks: i64| Instant::from_ticks(ticks.min(TICKS_MAX)).expect("ticks");
            for (one, other) in [(at(a), at(b)), (at(a), at(a + near))] {
                let (first, second) = (printed(one), printed(other));
                prop_assert_eq!(first.len(), "2025-02-03T04:05:06.789Z".len());
                prop_assert_eq!(
                    first.cmp(&second),
                    one.start_of_millisecond().cmp(&other.start_of_millisecond())
                );
                prop_assert_eq!(parse(&first), Ok(DateTime(one.start_of_millisecond())));
            }
        }
    }
}
