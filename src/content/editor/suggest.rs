//! Suggestions for slugs that no category, tag or author has. The rule: only a refused change pays for them, and their number is bounded: a range read for
//! each of the first [`SUGGESTED_FOR_MAX`] unknown slugs.

use crate::content::commands::UserError;
use crate::content::error::Result;
use crate::content::read::pages::terms;
use crate::model::{Slug, TermKind};

use super::Editor;

const SUGGESTIONS_MAX: usize = 3;
/// The number of unknown slugs of one field that get suggestions.
const SUGGESTED_FOR_MAX: usize = 5;
/// The time to compare two slugs grows with the product of their lengths.
const COMPARED_CHARS_MAX: usize = 64;

impl Editor<'_> {
    /// The errors at a field that names terms of this kind, for the slugs that no term has.
    pub(super) async fn no_terms(
        &self,
        kind: TermKind,
        field: &'static str,
        unknown: &[Slug],
    ) -> Result<Vec<UserError>> {
        let mut errors = Vec::new();
        for (i, slug) in unknown.iter().enumerate() {
            let suggestions = if i < SUGGESTED_FOR_MAX && slug.as_str().len() <= COMPARED_CHARS_MAX {
                most_similar(slug, terms::with_first_character_of(self.reader, kind, slug).await?.iter())
            } else {
                Vec::new()
            };
            let mut message = format!("there is no {} with the slug {slug}", kind.noun());
            if kind == TermKind::Tag {
                message.push_str(", and createMissingTags is not true");
            }
            errors.push(UserError::no_slug(field, slug, &message, suggestions));
        }
        Ok(errors)
    }
}

/// The slugs that differ from a slug by at most a third of its characters, the most similar first.
fn most_similar<'a>(slug: &Slug, existing: impl Iterator<Item = &'a Slug>) -> Vec<Slug> {
    let edits_max = (slug.as_str().len() / 3).max(1);
    let may_be_similar = |other: &&Slug| other.as_str().len().abs_diff(slug.as_str().len()) <= edits_max;
    let edits = |other: &Slug| strsim::damerau_levenshtein(slug.as_str(), other.as_str());
    let mut similar: Vec<(usize, &Slug)> = existing.filter(may_be_similar).map(|other| (edits(other), other)).collect();
    similar.retain(|(edits, _)| *edits <= edits_max);
    similar.sort();
    similar.into_iter().take(SUGGESTIONS_MAX).map(|(_, other)| other.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_slugs_are_suggested_and_others_are_not() {
        let slug = |text: &str| text.parse::<Slug>().expect("a slug");
        let existing = ["rust", "rusty", "ruby", "rest", "tests", "rust-2024", "russia"].map(slug);
        let suggested = |typed: &str| {
            let found = most_similar(&slug(typed), existing.iter());
            found.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(suggested("rsut"), "rust");
        assert_eq!(suggested("rusti"), "rust rusty");
        assert_eq!(suggested("rust-2025"), "rust-2024");
        assert_eq!(suggested("python"), "");
        assert_eq!(suggested("russian"), "russia");
    }
}
