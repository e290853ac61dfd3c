//! Categories, tags and authors, and the partitions that list their posts. The rule: a term stands in the partition of its slug's
//! first character, once under the slug and once under its mirror; the partition `!` lists those characters.
//!
//! The mirror of a slug is `~`, each character's complement in the alphabet of slugs, and `~`: it sorts the other way round, and the
//! closing `~` puts a slug behind those that it begins.

use crate::model::Slug;
use crate::store::{Key, RowRange};

use super::time::Direction;
use super::{key, range};

/// Lists the first characters that a table of terms holds, with how many terms each has.
pub const CATALOG_PARTITION: &str = "!";

/// The characters of slugs in the order of their bytes.
const ALPHABET: &[u8] = b"-.0123456789_abcdefghijklmnopqrstuvwxyz";
const MIRROR: char = '~';

pub fn term(slug: &Slug) -> Key {
    key(partition(slug), slug.as_str())
}

pub fn row(slug: &Slug, direction: Direction) -> String {
    match direction {
        Direction::Forward => slug.to_string(),
        Direction::Backward => format!("{MIRROR}{}{MIRROR}", turn_round(slug.as_str())),
    }
}

/// The slug of a row under a slug or under its mirror; `None` where it is neither.
pub fn parse_row(row: &str) -> Option<(Slug, Direction)> {
    match row.strip_prefix(MIRROR) {
        Some(rest) => Some((turn_round(rest.strip_suffix(MIRROR)?).parse().ok()?, Direction::Backward)),
        None => Some((row.parse().ok()?, Direction::Forward)),
    }
}

pub fn partition(slug: &Slug) -> String {
    slug.as_str().chars().take(1).collect()
}

pub fn catalog_row(partition: &str) -> Key {
    key(CATALOG_PARTITION, partition)
}

/// The partition of an index table that lists the posts of a term.
pub fn posts_partition(slug: &Slug) -> String {
    slug.to_string()
}

/// The terms of one partition that stand behind `after` and before `before` in the order of their slugs, read in a direction.
pub fn rows(partition: &str, after: Option<&Slug>, before: Option<&Slug>, direction: Direction) -> RowRange {
    // `!` sorts below every character of a slug, so it puts the bound just behind a row.
    let behind = |slug: &Slug| format!("{}!", row(slug, direction));
    let at = |slug: &Slug| row(slug, direction);
    match direction {
        Direction::Forward => {
            let from = after.map_or_else(|| "0".to_owned(), behind);
            range(partition, Some(from), Some(before.map_or_else(|| "{".to_owned(), at)))
        }
        Direction::Backward => {
            let from = before.map_or_else(|| MIRROR.to_string(), behind);
            range(partition, Some(from), after.map(at))
        }
    }
}

fn turn_round(slug: &str) -> String {
    slug.bytes()
        .map(|byte| match ALPHABET.binary_search(&byte) {
            Ok(i) => char::from(ALPHABET[ALPHABET.len() - 1 - i]),
            Err(_) => char::from(byte),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrors_sort_the_other_way_round() {
        let mut slugs: Vec<Slug> =
            ["a", "a-b", "a.b", "ab", "a0", "a_b", "b", "0"].iter().map(|s| s.parse().expect("a slug")).collect();
        slugs.sort();
        let mut mirrored = slugs.clone();
        mirrored.sort_by_key(|slug| row(slug, Direction::Backward));
        mirrored.reverse();
        assert_eq!(mirrored, slugs);
        for slug in slugs {
            let mirror = row(&slug, Direction::Backward);
            assert_eq!(parse_row(&mirror), Some((slug, Direction::Backward)));
        }
    }
}
