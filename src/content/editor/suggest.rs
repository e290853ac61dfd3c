//! Suggestions for a slug that no category, tag or author has. The rule: they cost one range read, and only a refused change pays it.

use crate::content::commands::UserError;
use crate::content::error::Result;
use crate::content::read::pages::terms;
use crate::model::{Slug, TermKind};

use super::Editor;

const SUGGESTIONS_MAX: usize = 3;

impl Editor<'_> {
    /// The error at a field whose slug belongs to no term of this kind.
    pub(super) async fn no_term(&self, kind: TermKind, field: &'static str, slug: &Slug) -> Result<UserError> {
        let existing = terms::with_first_character_of(self.reader, kind, slug).await?;
        let suggestions = most_similar(slug, existing.iter().map(|term| &term.slug));
        Ok(UserError::not_found_but(field, &format!("there is no {} with the slug {slug}", kind.noun()), suggestions))
    }
}

/// The slugs that differ from a slug by at most a third of its characters, the most similar first.
fn most_similar<'a>(slug: &Slug, existing: impl Iterator<Item = &'a Slug>) -> Vec<Slug> {
    let edits_max = (slug.as_str().len() / 3).max(1);
    let edits = |other: &Slug| strsim::damerau_levenshtein(slug.as_str(), other.as_str());
    let mut similar: Vec<(usize, &Slug)> = existing.map(|other| (edits(other), other)).collect();
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
