//! Suggests slugs that are similar to an unknown slug of a category, tag, author or series. The rule: only refused changes compute suggestions, and the time
//! and the reads for one slug are bounded.

use crate::content::error::Result;
use crate::model::{Slug, TermKind};

use super::Reader;
use super::pages::terms;

const SIMILAR_MAX: usize = 3;
/// Longer slugs are not compared, because the time to compare two slugs grows with the product of their lengths.
const COMPARED_CHARS_MAX: usize = 64;

impl Reader {
    /// The current slugs of terms that are most similar to a slug and have its first character, the most similar first. One range read; none for
    /// a long slug, to which nothing is similar.
    pub(in crate::content) async fn similar_slugs(&self, kind: TermKind, slug: &Slug) -> Result<Vec<Slug>> {
        if slug.as_str().len() > COMPARED_CHARS_MAX {
            return Ok(Vec::new());
        }
        Ok(most_similar(slug, terms::with_first_character_of(self, kind, slug).await?.iter()))
    }
}

/// Slugs that differ by at most a third of the characters, the most similar first.
fn most_similar<'a>(slug: &Slug, existing: impl Iterator<Item = &'a Slug>) -> Vec<Slug> {
    let edits_max = (slug.as_str().len() / 3).max(1);
    let may_be_similar = |other: &&Slug| other.as_str().len().abs_diff(slug.as_str().len()) <= edits_max;
    let edits = |other: &Slug| strsim::damerau_levenshtein(slug.as_str(), other.as_str());
    let mut similar: Vec<(usize, &Slug)> = existing.filter(may_be_similar).map(|other| (edits(other), other)).collect();
    similar.retain(|(edits, _)| *edits <= edits_max);
    similar.sort();
    similar.into_iter().take(SIMILAR_MAX).map(|(_, other)| other.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_slugs_are_found_and_others_are_not() {
        let slug = |text: &str| text.parse::<Slug>().expect("a slug");
        let existing = ["rust", "rusty", "ruby", "rest", "tests", "rust-2024", "russia"].map(slug);
        let similar = |typed: &str| {
            let found = most_similar(&slug(typed), existing.iter());
            found.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(similar("rsut"), "rust");
        assert_eq!(similar("rusti"), "rust rusty");
        assert_eq!(similar("rust-2025"), "rust-2024");
        assert_eq!(similar("python"), "");
        assert_eq!(similar("russian"), "russia");
    }
}
