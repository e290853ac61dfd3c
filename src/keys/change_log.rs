//! `ChangeLog`: the committed changes, each under the next number. The rule: all rows are in one partition, so that a change gets its number and advances the
//! head in one transaction, and a reader that starts at a number misses none.

use crate::model::instant::TICKS_MAX;
use crate::model::{Instant, PostId};
use crate::store::{Key, RowRange};

use super::{key, range};

pub const PARTITION: &str = "log";
const HEAD: &str = "head";
const ENTRY: &str = "log-";
const DUE: &str = "due-";
/// Sorts before every other character of a key, so a range that starts here begins after the row.
const AFTER: char = ' ';

/// A row of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogKey {
    Head,
    Entry(i64),
    /// A post or page that was scheduled for this instant.
    Due(Instant, PostId),
}

pub fn head() -> Key {
    key(PARTITION, HEAD)
}

pub fn entry(sequence: i64) -> Key {
    key(PARTITION, entry_row(sequence))
}

fn entry_row(sequence: i64) -> String {
    format!("{ENTRY}{:019}", sequence.max(0))
}

/// The entries from this number on, up to but excluding `until`, if given.
pub fn entries(from: i64, until: Option<i64>) -> RowRange {
    // The character after the hyphen ends the range of all entries.
    let end = until.map_or_else(|| "log.".to_owned(), entry_row);
    range(PARTITION, Some(entry_row(from)), Some(end))
}

/// All rows of the log.
pub fn all() -> RowRange {
    range(PARTITION, None, None)
}

/// The row of a post or page that was scheduled for this instant.
pub fn due(at: Instant, post: &PostId) -> Key {
    key(PARTITION, format!("{DUE}{:019}-{post}", at.ticks()))
}

/// The posts and pages that were scheduled for an instant after `after`, or for `after` itself with a greater id if `id` is given, up to `until`.
pub fn due_after(after: Instant, id: Option<&PostId>, until: Instant) -> RowRange {
    let from = match id {
        Some(id) => format!("{}{AFTER}", due(after, id).row()),
        None => due_from(after.ticks().saturating_add(1)),
    };
    range(PARTITION, Some(from), Some(due_from(until.ticks().saturating_add(1))))
}

/// The posts and pages that were scheduled for an instant before this one.
pub fn due_before(until: Instant) -> RowRange {
    range(PARTITION, Some(DUE.to_owned()), Some(due_from(until.ticks())))
}

fn due_from(ticks: i64) -> String {
    format!("{DUE}{:019}", ticks.clamp(0, TICKS_MAX))
}

/// `None` if the row does not belong to the log.
pub fn parse(found: &Key) -> Option<LogKey> {
    let row = found.row();
    let (parsed, own) = if row == HEAD {
        (LogKey::Head, head())
    } else if let Some(number) = row.strip_prefix(ENTRY) {
        let number = number.parse().ok()?;
        (LogKey::Entry(number), entry(number))
    } else {
        let (ticks, id) = row.strip_prefix(DUE)?.split_once('-')?;
        let (at, id) = (Instant::from_ticks(ticks.parse().ok()?)?, id.parse().ok()?);
        let own = due(at, &id);
        (LogKey::Due(at, id), own)
    };
    (own == *found).then_some(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(range: &RowRange, key: &Key) -> bool {
        range.from().is_none_or(|from| from <= key.row()) && range.to().is_none_or(|to| key.row() < to)
    }

    #[test]
    fn a_row_is_read_as_it_is_written_and_others_are_refused() {
        let at: Instant = "2026-06-15T12:00:00Z".parse().expect("an instant");
        for (written, parsed) in [
            (head(), LogKey::Head),
            (entry(0), LogKey::Entry(0)),
            (entry(i64::MAX), LogKey::Entry(i64::MAX)),
            (due(at, &PostId::from_bits(7)), LogKey::Due(at, PostId::from_bits(7))),
        ] {
            assert_eq!(parse(&written), Some(parsed));
        }
        for row in ["", "log-", "log-1", "log-+000000000000000001", "due-1-a", "heads", "due-"] {
            assert_eq!(parse(&key(PARTITION, row)), None, "{row}");
        }
    }

    #[test]
    fn ranges_begin_after_what_was_read_and_hold_nothing_else() {
        let at = |text: &str| text.parse::<Instant>().expect("an instant");
        let (one, two) = (PostId::from_bits(1), PostId::from_bits(2));
        let now = at("2026-06-15T12:00:00Z");
        let later = Instant::from_ticks(now.ticks() + 1).expect("an instant");
        assert!(contains(&entries(5, Some(7)), &entry(6)) && !contains(&entries(5, Some(7)), &entry(7)));
        assert!(contains(&entries(5, None), &entry(i64::MAX)) && !contains(&entries(5, None), &entry(4)));
        assert!(!contains(&entries(0, None), &head()) && !contains(&entries(0, None), &due(now, &one)));
        let after = due_after(now, Some(&one), later);
        assert!(!contains(&after, &due(now, &one)) && contains(&after, &due(now, &two)));
        assert!(contains(&after, &due(later, &one)));
        let after = due_after(now, None, later);
        assert!(!contains(&after, &due(now, &two)) && contains(&after, &due(later, &one)));
        assert!(!contains(&due_after(now, None, now), &due(later, &one)));
        assert!(contains(&due_before(later), &due(now, &two)) && !contains(&due_before(now), &due(now, &one)));
    }
}
