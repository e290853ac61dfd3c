//! Parses `Range` ("HTTP Semantics", RFC 9110, section 14). The rule: one range of bytes is served; any other value is answered with the
//! whole file, as the specification allows.

use std::ops::Range;

/// The bytes that the client requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asked {
    Whole,
    Part(Range<u64>),
    /// The range begins after the end of the file.
    Unsatisfiable,
}

/// Parses the `value` of the header, for a file of `size` bytes, at least 1.
pub(super) fn parse(value: &str, size: u64) -> Asked {
    let Some((first, last)) = value.strip_prefix("bytes=").and_then(|range| range.split_once('-')) else {
        return Asked::Whole;
    };
    let number = |text: &str| text.trim().parse::<u64>().ok();
    match (number(first), number(last)) {
        (Some(first), _) if last.trim().is_empty() => part(first, size, size),
        (Some(first), Some(last)) if first <= last => part(first, last.saturating_add(1), size),
        (None, Some(0)) if first.trim().is_empty() => Asked::Unsatisfiable,
        (None, Some(count)) if first.trim().is_empty() => part(size.saturating_sub(count), size, size),
        _ => Asked::Whole,
    }
}

fn part(from: u64, to: u64, size: u64) -> Asked {
    if from < size { Asked::Part(from..to.min(size)) } else { Asked::Unsatisfiable }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_a_part_and_anything_else_is_the_whole_file() {
        for (value, expected) in [
            ("bytes=0-9", Asked::Part(0..10)),
            ("bytes=90-", Asked::Part(90..100)),
            ("bytes=-10", Asked::Part(90..100)),
            ("bytes=-1000", Asked::Part(0..100)),
            ("bytes=50-18446744073709551615", Asked::Part(50..100)),
            ("bytes=100-", Asked::Unsatisfiable),
            ("bytes=-0", Asked::Unsatisfiable),
            ("bytes=9-0", Asked::Whole),
            ("bytes=0-1,5-6", Asked::Whole),
            ("bytes=-", Asked::Whole),
            ("pixels=0-1", Asked::Whole),
            ("", Asked::Whole),
        ] {
            assert_eq!(parse(value, 100), expected, "{value}");
        }
    }
}
