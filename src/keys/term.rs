//! Categories, tags, authors and series, and the partitions with their posts. The rule: a term is stored in the partition of its slug's first character, once
//! under the slug and once under its mirror; the partition `!` lists those characters.
//!
//! The mirror of a slug is `~`, each character's complement in the alphabet of slugs, and `~`. It sorts in the reverse order, and the closing `~` sorts a slug
//! after the longer slugs that start with it.

use crate::model::Slug;
use crate::store::{Key, RowRange};

use super::time::Direction;
use super::{key, range};

/// The partition that lists the first characters of a table of terms with their counts, or the languages in the index of languages.
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
        Direction::Backward => format!("{MIRROR}{}{MIRROR}", complement(slug.as_str())),
    }
}

/// The keys of a slug's row and of its mirror.
pub fn pair(slug: &Slug) -> [Key; 2] {
    [Direction::Forward, Direction::Backward].map(|direction| key(partition(slug), row(slug, direction)))
}

/// The slug of a row, and whether it is the mirror; `None` for any other row.
pub fn parse_row(row: &str) -> Option<(Slug, Direction)> {
    match row.strip_prefix(MIRROR) {
        Some(rest) => Some((complement(rest.strip_suffix(MIRROR)?).parse().ok()?, Direction::Backward)),
        None => Some((row.parse().ok()?, Direction::Forward)),
    }
}

pub fn partition(slug: &Slug) -> String {
    slug.as_str().chars().take(1).collect()
}

pub fn catalog_row(partition: &str) -> Key {
    key(CATALOG_PARTITION, partition)
}

/// The partition of an index table with the posts of a term, of a language or of a value of a field, or the featured posts.
pub fn posts_partition(slug: &Slug) -> String {
    slug.to_string()
}

/// The terms of one partition after `after` and before `before` in the order of slugs, read in this direction.
pub fn rows(partition: &str, after: Option<&Slug>, before: Option<&Slug>, direction: Direction) -> RowRange {
    // `!` sorts before every character of a slug, so the bound is just after the row.
    let just_after = |slug: &Slug| format!("{}!", row(slug, direction));
    let at = |slug: &Slug| row(slug, direction);
    match direction {
        Direction::Forward => {
            let from = after.map_or_else(|| "0".to_owned(), just_after);
            range(partition, Some(from), Some(before.map_or_else(|| "{".to_owned(), at)))
        }
        Direction::Backward => {
            let from = before.map_or_else(|| MIRROR.to_string(), just_after);
            range(partition, Some(from), after.map(at))
        }
    }
}

fn complement(slug: &str) -> String {
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
    fn mirrors_sort_in_the_reverse_order() {
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
