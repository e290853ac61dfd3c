//! `Revisions` and `Changes`: earlier versions of posts, and the audit log. The rule: the newest sorts first, and a row's key follows from its content, so that
//! writing a row twice has the same effect as writing it once.

use crate::model::instant::TICKS_MAX;
use crate::model::{Instant, PostId};
use crate::store::{Key, RowRange};

use super::change_name::ChangeName;
use super::{key, range, time};

const VERSION_DIGITS: usize = 10;

/// An earlier version of a post, in a partition for each post.
pub fn revision(post: &PostId, version: i32) -> Key {
    key(revisions_partition(post), revision_row(version))
}

pub fn revisions_partition(post: &PostId) -> String {
    post.to_string()
}

/// The versions of a post below one, the newest first.
pub fn revisions_below(post: &PostId, version: i32) -> RowRange {
    range(revisions_partition(post), Some(revision_row(version.saturating_sub(1))), None)
}

/// The rows of all stored versions of a post, the newest first.
pub fn revisions(post: &PostId) -> RowRange {
    range(revisions_partition(post), None, None)
}

fn revision_row(version: i32) -> String {
    format!("{:0VERSION_DIGITS$}", i32::MAX.saturating_sub(version.max(0)))
}

/// `None` if the row is not a version of a post.
pub fn parse_revision(found: &Key) -> Option<(PostId, i32)> {
    let id: PostId = found.partition().parse().ok()?;
    let version = i32::MAX.checked_sub(found.row().parse().ok()?)?;
    (revision(&id, version) == *found).then_some((id, version))
}

/// A change in the audit log, in a partition for each year, the newest first.
pub fn change(name: &ChangeName) -> Key {
    let row = format!("{:019}-{}", time::inverted_ticks(name.at()), name.random());
    key(changes_partition(year_of(name.at())), row)
}

/// The changes of a year, from the row `from` on if it is given.
pub fn changes(year: u16, from: Option<&str>) -> RowRange {
    range(changes_partition(year), from.map(ToOwned::to_owned), None)
}

/// The key of a change, by its row.
pub fn change_at(row: &str) -> Option<Key> {
    Some(key(changes_partition(year_of_change(row)?), row))
}

/// The year of a row of `Changes`.
pub fn year_of_change(row: &str) -> Option<u16> {
    let (inverted, _) = row.split_once('-')?;
    Some(year_of(Instant::from_ticks(TICKS_MAX.checked_sub(inverted.parse().ok()?)?)?))
}

/// The instant in a row of `Changes`.
pub fn parse_change(found: &Key) -> Option<Instant> {
    let (inverted, random) = found.row().split_once('-')?;
    let at = Instant::from_ticks(TICKS_MAX.checked_sub(inverted.parse().ok()?)?)?;
    let own = key(changes_partition(year_of(at)), format!("{inverted}-{random}"));
    (own == *found).then_some(at)
}

fn year_of(at: Instant) -> u16 {
    at.month().year()
}

fn changes_partition(year: u16) -> String {
    format!("{year:04}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_sorts_first_and_reads_back() {
        let id = PostId::from_bits(7);
        let rows: Vec<Key> = [i32::MAX, 100, 2, 1, 0].iter().map(|version| revision(&id, *version)).collect();
        assert!(rows.is_sorted_by_key(|key| key.row().to_owned()));
        assert_eq!(
            rows.iter().map(|key| parse_revision(key).map(|(_, v)| v)).collect::<Vec<_>>(),
            [i32::MAX, 100, 2, 1, 0].map(Some)
        );
    }

    #[test]
    fn a_change_is_found_in_the_year_of_its_name() {
        let at: Instant = "2026-12-31T23:59:59.9999999Z".parse().expect("an instant");
        let key = change(&ChangeName::new("server", at, "random"));
        assert_eq!((key.partition(), parse_change(&key)), ("2026", Some(at)));
        assert_eq!(change_at(key.row()), Some(key));
    }
}
