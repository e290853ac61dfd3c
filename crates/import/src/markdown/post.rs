//! A Markdown file that is a post. The rule: values that are missing in the front matter come from the body or the file name.

use std::collections::HashSet;

use crate::terms::folded;
use crate::title::in_words;
use crate::{ImportedPost, Term, dates};
use tidings_model::{Instant, markdown};

use super::fields::PostFields;

/// A post of these fields. A title that the front matter does not give comes from the body, or else from these words, as does the slug.
pub(super) fn post(origin: &str, fields: PostFields, words: String, body: &str, date: Option<Instant>) -> ImportedPost {
    let (is_draft, zone) = (fields.is_draft, &fields.time_zone);
    let title = fields.title.or_else(|| markdown::first_heading(body)).unwrap_or_else(|| in_words(&words));
    let instant = |text: Option<String>| text.and_then(|text| dates::parse_in(&text, zone));
    ImportedPost {
        origin: origin.to_owned(),
        slug: Some(fields.slug.unwrap_or(words)),
        title,
        subtitle: fields.subtitle,
        excerpt: fields.excerpt,
        markdown: body.to_owned(),
        authors: terms(fields.authors),
        categories: terms(fields.categories),
        category_parents: fields.category_parents,
        tags: terms(fields.tags),
        series: Some(terms(fields.series)),
        series_position: fields.series_position,
        published_at: date.filter(|_| !is_draft),
        created_at: instant(fields.created).or(date.filter(|_| is_draft)),
        updated_at: instant(fields.updated),
        is_draft,
        aliases: fields.aliases,
        language: fields.language.into(),
        is_featured: Some(fields.is_featured.unwrap_or_default()),
        ..ImportedPost::default()
    }
}

/// In order; names that differ only in case count as one.
fn terms(names: Vec<String>) -> Vec<Term> {
    let mut seen = HashSet::new();
    names.into_iter().filter(|name| seen.insert(folded(name))).map(Term::named).collect()
}
