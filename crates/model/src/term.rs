//! Categories, tags, authors and series: the kinds of terms of a post. The rule: all are one type, because the same rules apply to them.

use super::actor::Role;
use super::creation_key::CreationKey;
use super::node_id::TermNodeId;
use super::post::{CreationId, PostId};
use super::profile::Profile;
use super::slug::Slug;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TermKind {
    Category,
    Tag,
    Author,
    /// Posts in an order, whenever they were published. A post is in at most one series.
    Series,
}

impl TermKind {
    pub const ALL: [Self; 4] = [Self::Category, Self::Tag, Self::Author, Self::Series];

    pub fn of_noun(noun: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.noun() == noun)
    }

    pub fn noun(self) -> &'static str {
        match self {
            Self::Category => "category",
            Self::Tag => "tag",
            Self::Author => "author",
            Self::Series => "series",
        }
    }

    /// The field of a post with such terms, and the folder of their feeds and files.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Category => "categories",
            Self::Tag => "tags",
            Self::Author => "authors",
            Self::Series => "series",
        }
    }

    /// The field of an input that names such terms by their slugs.
    pub fn slugs_field(self) -> &'static str {
        match self {
            Self::Category => "categorySlugs",
            Self::Tag => "tagSlugs",
            Self::Author => "authorSlugs",
            Self::Series => "seriesSlug",
        }
    }

    /// The minimum role that changes them. A series is content, like a page; the others affect the whole site.
    pub fn role_to_change(self) -> Role {
        match self {
            Self::Series => Role::Editor,
            Self::Category | Self::Tag | Self::Author => Role::Admin,
        }
    }
}

/// The key of a term, which does not change when the term is renamed. A term that is created after the deletion of another can have the same key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TermId {
    pub kind: TermKind,
    pub first_slug: Slug,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    pub id: TermId,
    /// `None` for a new term: it gets one when it is stored.
    pub creation: Option<CreationId>,
    /// `None` unless the client that created the term sent an idempotency key.
    pub creation_key: Option<CreationKey>,
    /// 1 for a new term; each change increments it.
    pub version: i32,
    pub slug: Slug,
    pub name: String,
    /// The description as plain text.
    pub description: Option<String>,
    /// The author's own web page.
    pub url: Option<String>,
    /// The profile of an author; empty for other terms.
    pub profile: Profile,
    /// Former slugs that redirect to this term, oldest first.
    pub former_slugs: Vec<Slug>,
    /// The first slugs of the terms that were merged into this one.
    pub merged: Vec<Slug>,
    /// The first slug of the parent of this category.
    pub parent: Option<Slug>,
    /// The posts of a series that come first, in this order; its other posts follow, the earliest first. A post that is not in the series is ignored.
    pub order: Vec<PostId>,
}

impl Term {
    pub fn new(kind: TermKind, slug: Slug, name: impl Into<String>) -> Self {
        let id = TermId { kind, first_slug: slug.clone() };
        let (description, url, former_slugs, merged) = (None, None, Vec::new(), Vec::new());
        let (creation, creation_key, profile, parent) = (None, None, Profile::default(), None);
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
            merged,
            parent,
            order: Vec::new(),
        }
    }

    pub fn kind(&self) -> TermKind {
        self.id.kind
    }

    /// Whether the term has the slug, now or formerly. Its first slug always belongs to it.
    pub fn has_slug(&self, slug: &Slug) -> bool {
        self.slug == *slug || self.id.first_slug == *slug || self.former_slugs.contains(slug)
    }

    /// The id of a stored term.
    pub fn node_id(&self) -> TermNodeId {
        TermNodeId { key: self.id.clone(), creation: self.creation.clone().expect("a stored term has a creation id") }
    }

    /// Compares everything except creations and versions.
    pub fn is_same_content(&self, other: &Self) -> bool {
        let same = Self {
            creation: self.creation.clone(),
            creation_key: self.creation_key.clone(),
            version: self.version,
            ..other.clone()
        };
        *self == same
    }
}
