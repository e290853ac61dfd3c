//! The errors of a change that the client can fix. The rule: if a change returns one, nothing was changed.

use crate::model::post::BadTranslation;
use crate::model::{Asset, Slug, Term, WholePost, WholeSitePage};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserError {
    pub problem: Problem,
    /// The message for a person, with the error and its solution.
    pub message: String,
    /// The input field with the error.
    pub field: Option<&'static str>,
    /// The path inside `field`: a declared field, or the index and the field of a list item.
    pub inside: Vec<String>,
}

/// The kind of error, with the data that the client needs to fix it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    Invalid,
    NotFound {
        /// The slug that no term has.
        slug: Option<Slug>,
        /// The slugs that were probably meant, the most similar first.
        suggestions: Vec<Slug>,
    },
    Taken,
    /// The current state of the object.
    Conflict(Box<Current>),
    TooLarge,
    InUse {
        /// The number of posts with the object, including drafts and scheduled posts.
        used_by: u64,
    },
    /// The idempotency key was already used for another input.
    KeyReused,
}

/// An object that was changed since the version that a change names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Current {
    Post(WholePost),
    Page(WholeSitePage),
    Term(Term),
    Asset(Asset),
}

impl UserError {
    fn new(problem: Problem, field: &'static str, message: impl Into<String>) -> Self {
        Self { problem, message: message.into(), field: Some(field), inside: Vec::new() }
    }

    pub fn invalid(field: &'static str, message: impl Into<String>) -> Self {
        Self::new(Problem::Invalid, field, message)
    }

    /// The same error, at a field inside its field.
    #[must_use]
    pub(super) fn inside(self, name: &str) -> Self {
        Self { inside: vec![name.to_owned()], ..self }
    }

    /// The same error for an object in this field, which is a list if `item` is given.
    #[must_use]
    pub(crate) fn below(self, field: &'static str, item: Option<usize>) -> Self {
        let item = item.map(|number| number.to_string());
        let inside = item.into_iter().chain(self.field.map(str::to_owned)).chain(self.inside).collect();
        Self { field: Some(field), inside, ..self }
    }

    pub fn not_found(field: &'static str, message: impl Into<String>) -> Self {
        Self::new(Problem::NotFound { slug: None, suggestions: Vec::new() }, field, message)
    }

    /// `message`: without a full stop; the most similar slug is added to it.
    pub(crate) fn no_slug(field: &'static str, slug: &Slug, message: &str, suggestions: Vec<Slug>) -> Self {
        let message = match suggestions.first() {
            None => message.to_owned(),
            Some(first) => format!("{message}; did you mean \"{first}\"?"),
        };
        Self::new(Problem::NotFound { slug: Some(slug.clone()), suggestions }, field, message)
    }

    /// The error of an input that names a term by a former slug; it suggests the current one.
    pub(crate) fn former_slug(field: &'static str, slug: &Slug, term: &Term) -> Self {
        let message = format!("{slug} is a former slug of the {} \"{}\"", term.kind().noun(), term.name);
        Self::no_slug(field, slug, &message, vec![term.slug.clone()])
    }

    pub fn taken(field: &'static str, message: impl Into<String>) -> Self {
        Self::new(Problem::Taken, field, message)
    }

    pub(crate) fn untranslatable(why: BadTranslation) -> Self {
        match why {
            BadTranslation::Language => Self::taken("language", why.to_string()),
            BadTranslation::TooMany => Self::too_large("translationOfId", why.to_string()),
        }
    }

    pub fn too_large(field: &'static str, message: impl Into<String>) -> Self {
        Self::new(Problem::TooLarge, field, message)
    }

    pub fn in_use(field: &'static str, message: impl Into<String>, used_by: u64) -> Self {
        Self::new(Problem::InUse { used_by }, field, message)
    }

    pub fn key_reused(field: &'static str, message: impl Into<String>) -> Self {
        Self::new(Problem::KeyReused, field, message)
    }

    pub(crate) fn conflict(current: Current) -> Self {
        let (noun, version) = match &current {
            Current::Post(whole) => ("post", whole.post.version),
            Current::Page(whole) => ("page", whole.page.post.version),
            Current::Term(term) => (term.kind().noun(), term.version),
            Current::Asset(asset) => (asset.noun(), asset.version),
        };
        let message = format!("the {noun} has changed: its version is {version} now; compare both states, then decide");
        Self::new(Problem::Conflict(Box::new(current)), "expectedVersion", message)
    }
}
