//! Time keys and mirror keys. The rule: forward, later instants sort first and ties by ascending id; the mirror is the exact reverse.
//!
//! A time key is `{3155378975999999999 - ticks, 19 digits}-{id}`, a mirror key `~{ticks, 19 digits}-{complement of id}`. Each digit of the id is replaced by
//! its complement (`0` by `z`), because otherwise posts of one instant would have the same order in both directions, and pages backward would not show the same
//! list as pages forward.

use crate::model::instant::TICKS_MAX;
use crate::model::{Instant, PostId, PostKey};
use crate::store::{Key, MovingBounds, RowRange};

use super::range;

const DIGITS: usize = 19;
/// The first byte of every mirror key, which sorts after every other first character of our keys.
const MIRROR: char = '~';
/// Sorts after every digit and before every letter: the end of the time keys.
const AFTER_DIGITS: &str = ":";
/// Sorts before every time key and after `!count`.
const FIRST_TIME_ROW: &str = "0";

/// The direction in which a list is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Newest first, by time keys.
    Forward,
    /// Oldest first, by mirror keys.
    Backward,
}

impl Direction {
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Forward => Self::Backward,
            Self::Backward => Self::Forward,
        }
    }
}

pub fn inverted_ticks(at: Instant) -> i64 {
    TICKS_MAX - at.ticks()
}

pub fn time_row(key: &PostKey) -> String {
    let mut row = String::with_capacity(DIGITS + 1 + key.id.as_str().len());
    push_time_row(key, &mut row);
    row
}

/// This does not use `format!`, because a page has many of these rows.
pub fn push_time_row(key: &PostKey, row: &mut String) {
    let (mut digits, mut rest) = ([b'0'; DIGITS], inverted_ticks(key.at).unsigned_abs());
    for digit in digits.iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
    }
    row.extend(digits.map(char::from));
    row.push('-');
    row.push_str(key.id.as_str());
}

pub fn mirror_row(key: &PostKey) -> String {
    format!("{MIRROR}{:019}-{}", key.at.ticks(), complement(key.id.as_str()))
}

/// The row of a post in a list that is read in this direction.
pub fn row(key: &PostKey, direction: Direction) -> String {
    match direction {
        Direction::Forward => time_row(key),
        Direction::Backward => mirror_row(key),
    }
}

/// The keys of a post's row in a partition and of its mirror.
pub fn pair(partition: &str, key: &PostKey) -> [Key; 2] {
    [time_row(key), mirror_row(key)].map(|row| super::key(partition, row))
}

pub fn parse_time_row(row: &str) -> Option<PostKey> {
    let (ticks, id) = split(row)?;
    Some(PostKey { at: Instant::from_ticks(TICKS_MAX - ticks)?, id: id.parse().ok()? })
}

pub fn parse_mirror_row(row: &str) -> Option<PostKey> {
    let (ticks, id) = split(row.strip_prefix(MIRROR)?)?;
    let id: PostId = id.parse().ok()?;
    Some(PostKey { at: Instant::from_ticks(ticks)?, id: complement(id.as_str()).parse().ok()? })
}

pub fn parse_row(row: &str, direction: Direction) -> Option<PostKey> {
    match direction {
        Direction::Forward => parse_time_row(row),
        Direction::Backward => parse_mirror_row(row),
    }
}

/// A part of a list in the order newest first. Both ends are optional, and exclusive if they name a post.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    /// No later instant: the bound that hides scheduled posts, or the upper end of a range.
    pub until: Option<Instant>,
    /// No earlier instant.
    pub since: Option<Instant>,
    /// Only posts after this one.
    pub after: Option<PostKey>,
    /// Only posts before this one.
    pub before: Option<PostKey>,
}

impl Span {
    pub fn until(now: Instant) -> Self {
        Self { until: Some(now), ..Self::default() }
    }

    /// The newest instant in the span.
    pub fn newest(&self) -> Instant {
        let bounds = [self.until, self.after.as_ref().map(|k| k.at)];
        bounds.into_iter().flatten().min().unwrap_or(Instant::MAX)
    }

    /// The oldest instant in the span.
    pub fn oldest(&self) -> Instant {
        let bounds = [self.since, self.before.as_ref().map(|k| k.at)];
        bounds.into_iter().flatten().max().unwrap_or(Instant::MIN)
    }

    pub fn contains(&self, key: &PostKey) -> bool {
        self.until.is_none_or(|at| key.at <= at)
            && self.since.is_none_or(|at| key.at >= at)
            && self.after.as_ref().is_none_or(|after| key > after)
            && self.before.as_ref().is_none_or(|before| key < before)
    }

    /// The rows of a partition that this span covers, in this direction.
    pub fn rows(&self, partition: &str, direction: Direction) -> RowRange {
        match direction {
            Direction::Forward => self.time_rows(partition),
            Direction::Backward => self.mirror_rows(partition),
        }
    }

    fn time_rows(&self, partition: &str) -> RowRange {
        let until = self.until.map(|at| format!("{:019}", inverted_ticks(at)));
        let after = self.after.as_ref().map(|key| just_after(&time_row(key)));
        let since = self.since.map(|at| format!("{:019}{AFTER_DIGITS}", inverted_ticks(at)));
        let before = self.before.as_ref().map(time_row);
        let from = [until, after].into_iter().flatten().max().unwrap_or_else(|| FIRST_TIME_ROW.to_owned());
        let to = [since, before].into_iter().flatten().min().unwrap_or_else(|| AFTER_DIGITS.to_owned());
        range(partition, Some(from), Some(to))
    }

    fn mirror_rows(&self, partition: &str) -> RowRange {
        let since = self.since.map(|at| format!("{MIRROR}{:019}", at.ticks()));
        let before = self.before.as_ref().map(|key| just_after(&mirror_row(key)));
        let until = self.until.map(|at| format!("{MIRROR}{:019}{AFTER_DIGITS}", at.ticks()));
        let after = self.after.as_ref().map(mirror_row);
        let from = [since, before].into_iter().flatten().max().unwrap_or_else(|| MIRROR.to_string());
        let to = [until, after].into_iter().flatten().min();
        range(partition, Some(from), to)
    }
}

/// The rows of a partition from the first one of [`Span::until`] this instant up to `last`, inclusive, or to the end.
pub fn rows_through(partition: &str, now: Instant, direction: Direction, last: Option<&PostKey>) -> RowRange {
    let whole = Span::until(now).rows(partition, direction);
    match last {
        None => whole,
        Some(last) => range(partition, whole.from().map(str::to_owned), Some(just_after(&row(last, direction)))),
    }
}

/// The bounds of the ranges of [`Span::until`] this instant in both directions. They move: at a later instant, the same list has other bounds.
pub fn moving_bounds(now: Instant) -> MovingBounds {
    let until = Span::until(now);
    let bound = |row: Option<&str>| row.unwrap_or_default().to_owned();
    let (forward, backward) = (until.time_rows(""), until.mirror_rows(""));
    MovingBounds { starts: vec![(bound(forward.from()), FIRST_TIME_ROW.to_owned())], ends: vec![bound(backward.to())] }
}

/// The first possible row after this one; `!` is the lowest character in our keys.
pub(super) fn just_after(row: &str) -> String {
    format!("{row}!")
}

fn split(text: &str) -> Option<(i64, &str)> {
    let (digits, rest) = text.split_at_checked(DIGITS)?;
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((digits.parse().ok()?, rest.strip_prefix('-')?))
}

/// Replaces each digit of base 36 by its complement, which reverses the order of ids of one length.
fn complement(id: &str) -> String {
    id.chars().map(|c| c.to_digit(36).and_then(|digit| char::from_digit(35 - digit, 36)).unwrap_or(c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{ReadSet, WrittenRow};

    fn key(ticks: i64, bits: u64) -> PostKey {
        PostKey { at: Instant::from_ticks(ticks).expect("ticks"), id: PostId::from_bits(bits) }
    }

    #[test]
    fn inverted_ticks_are_those_of_the_table() {
        for (instant, inverted) in [
            ("0001-01-01T00:00:00Z", "3155378975999999999"),
            ("1970-01-01T00:00:00Z", "2534023007999999999"),
            ("2025-02-03T04:05:06.1234567Z", "2516637452938765432"),
            ("2025-02-28T23:59:59.9999999Z", "2516615136000000000"),
            ("2025-03-01T00:00:00Z", "2516615135999999999"),
            ("9999-12-31T23:59:59.9999999Z", "0000000000000000000"),
        ] {
            let at: Instant = instant.parse().expect("an instant");
            let row = time_row(&PostKey { at, id: PostId::from_bits(0) });
            assert_eq!(row, format!("{inverted}-000000000000"));
        }
    }

    #[test]
    fn the_rows_of_a_span_hold_the_keys_that_it_contains() {
        let keys: Vec<_> = (1..6).flat_map(|t| (0..3).map(move |id| key(t * 10, id))).collect();
        let span = Span {
            until: Instant::from_ticks(50),
            since: Instant::from_ticks(20),
            after: Some(key(50, 1)),
            before: Some(key(20, 1)),
        };
        for k in &keys {
            for direction in [Direction::Forward, Direction::Backward] {
                let rows = span.rows("p", direction);
                let row = row(k, direction);
                let inside = rows.from().is_none_or(|from| *row >= *from) && rows.to().is_none_or(|to| *row < *to);
                assert_eq!(inside, span.contains(k), "{k:?} {direction:?}");
            }
        }
    }

    #[test]
    fn what_was_read_of_a_list_contains_what_the_same_list_reads_later() {
        let now = |ticks| Instant::from_ticks(ticks).expect("ticks");
        for direction in [Direction::Forward, Direction::Backward] {
            let mut read = ReadSet::new(moving_bounds(now(50)));
            let since = Span { since: Some(now(20)), ..Span::until(now(50)) };
            read.note_range("Posts", &since.rows("p", direction));
            let read = read.completed().expect("few reads");
            let contains = |ticks| read.contains(&WrittenRow::new("Posts", "p", &row(&key(ticks, 1), direction)));
            let found = [10, 20, 50, 51, 9_000].map(contains);
            assert_eq!(found, [false, true, true, true, true], "{direction:?}");
            assert!(!read.contains(&WrittenRow::new("Posts", "p", "!count")));
        }
    }

    #[test]
    fn the_rows_through_a_post_are_those_of_the_list_up_to_it() {
        let now = Instant::from_ticks(40).expect("ticks");
        for (direction, through) in [(Direction::Forward, [40, 30, 20]), (Direction::Backward, [10, 20, 20])] {
            let rows = rows_through("p", now, direction, Some(&key(20, 1)));
            let is_in = |at: i64, id| {
                let row = row(&key(at, id), direction);
                rows.from().is_none_or(|from| *row >= *from) && rows.to().is_none_or(|to| *row < *to)
            };
            assert!(through.iter().all(|at| is_in(*at, 1)), "{direction:?}");
            let (before, after) = if direction == Direction::Forward { (50, 10) } else { (0, 30) };
            assert!(!is_in(after, 1) && (direction == Direction::Backward || !is_in(before, 1)), "{direction:?}");
            assert_eq!(rows_through("p", now, direction, None), Span::until(now).rows("p", direction));
        }
    }

    #[test]
    fn hostile_rows_do_not_parse() {
        for row in [
            "",
            "!count",
            "s-a",
            "~",
            "-",
            "123",
            "９９９9999999999999999-000000000000",
            "2516637452938765432-short",
            "~2516637452938765432",
        ] {
            assert_eq!((parse_time_row(row), parse_mirror_row(row)), (None, None), "{row}");
        }
    }
}
