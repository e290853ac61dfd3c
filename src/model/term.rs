//! Categories, tags and authors: the three kinds of terms of a post. The rule: all three are one type, because the same rules apply to them.

use super::slug::Slug;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TermKind {
    Category,
    Tag,
    Author,
}

impl TermKind {
    pub const ALL: [Self; 3] = [Self::Category, Self::Tag, Self::Author];

    pub fn of_noun(noun: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.noun() == noun)
    }

    pub fn noun(self) -> &'static str {
        match self {
            Self::Category => "category",
            Self::Tag => "tag",
            Self::Author => "author",
        }
    }
}

/// The id of a term, which renames do not change: the kind and the first slug of the term.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TermId {
    pub kind: TermKind,
    pub first_slug: Slug,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    pub id: TermId,
    pub slug: Slug,
    pub name: String,
    /// A category's or tag's description; an author's bio.
    pub description: Option<String>,
    /// The URL of an author's own web page.
    pub url: Option<String>,
    /// Former slugs that redirect to this term, oldest first.
    pub former_slugs: Vec<Slug>,
}

impl Term {
    pub fn new(kind: TermKind, slug: Slug, name: impl Into<String>) -> Self {
        let id = TermId { kind, first_slug: slug.clone() };
        Self { id, slug, name: name.into(), description: None, url: None, former_slugs: Vec::new() }
    }

    pub fn kind(&self) -> TermKind {
        self.id.kind
    }
}
