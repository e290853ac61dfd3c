//! Categories, tags and authors: the three kinds of terms of a post. The rule: all three are one type, because the same rules apply to them.

use super::creation_id::CreationId;
use super::creation_key::CreationKey;
use super::node_id::TermNodeId;
use super::profile::Profile;
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

/// The key of a term, which renames do not change: the kind and the first slug of the term. A term that is created after the deletion of another can
/// have the same key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TermId {
    pub kind: TermKind,
    pub first_slug: Slug,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    pub id: TermId,
    /// `None` for a new term: it gets one when it is stored. Every stored term has one.
    pub creation: Option<CreationId>,
    /// `None` unless the client that created the term sent an idempotency key.
    pub creation_key: Option<CreationKey>,
    /// 1 for a new term; each change increases it by one.
    pub version: i32,
    pub slug: Slug,
    pub name: String,
    /// A category's or tag's description; an author's bio.
    pub description: Option<String>,
    /// The URL of an author's own web page.
    pub url: Option<String>,
    /// What else the page of an author shows.
    pub profile: Profile,
    /// Former slugs that redirect to this term, oldest first.
    pub former_slugs: Vec<Slug>,
}

impl Term {
    pub fn new(kind: TermKind, slug: Slug, name: impl Into<String>) -> Self {
        let id = TermId { kind, first_slug: slug.clone() };
        let (description, url, former_slugs) = (None, None, Vec::new());
        let (creation, creation_key, profile) = (None, None, Profile::default());
        Self {
            id,
            creation,
            creation_key,
            version: 1,
            slug,
            name: name.into(),
            description,
            url,
            profile,
            former_slugs,
        }
    }

    pub fn kind(&self) -> TermKind {
        self.id.kind
    }

    /// The id for clients.
    pub fn node_id(&self) -> TermNodeId {
        TermNodeId { key: self.id.clone(), creation: self.creation.clone().unwrap_or(CreationId::EARLIER) }
    }

    /// Whether both have the same fields, whatever their creations and versions.
    pub fn is_same_content(&self, other: &Self) -> bool {
        let Self { id, creation: _, creation_key: _, version: _, slug, name, description, url, profile, former_slugs } =
            self;
        (id, slug, name, description, url, profile, former_slugs)
            == (
                &other.id,
                &other.slug,
                &other.name,
                &other.description,
                &other.url,
                &other.profile,
                &other.former_slugs,
            )
    }
}
