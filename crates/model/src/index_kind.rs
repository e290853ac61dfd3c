//! The kinds of indexes of posts. The rule: each kind has its own table, and a post names the partitions that contain its pointers.

use std::borrow::Cow;

use super::post::Post;
use super::slug::Slug;
use super::term::TermKind;

/// The partition of the index of featured posts.
pub const FEATURED_PARTITION: &str = "all";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IndexKind {
    /// Posts of a term; the partition is its first slug.
    Term(TermKind),
    /// Posts in a language; the partition is its tag in lower case.
    Language,
    /// Featured posts, in one partition.
    Featured,
    /// Posts with a value of a declared field with `@index`; the partition is [`field_partition`](super::field_index::field_partition).
    Field,
}

impl IndexKind {
    pub const ALL: [Self; 7] = [
        Self::Term(TermKind::Category),
        Self::Term(TermKind::Tag),
        Self::Term(TermKind::Author),
        Self::Term(TermKind::Series),
        Self::Language,
        Self::Featured,
        Self::Field,
    ];

    pub fn term(self) -> Option<TermKind> {
        match self {
            Self::Term(kind) => Some(kind),
            Self::Language | Self::Featured | Self::Field => None,
        }
    }
}

pub fn featured_partition() -> Slug {
    FEATURED_PARTITION.parse().expect("letters are a slug")
}

impl From<TermKind> for IndexKind {
    fn from(kind: TermKind) -> Self {
        Self::Term(kind)
    }
}

impl Post {
    /// The partitions of the index of this kind that have the post while it is published or scheduled.
    pub fn indexed(&self, kind: IndexKind) -> Cow<'_, [Slug]> {
        match kind {
            IndexKind::Term(kind) => Cow::Borrowed(self.terms(kind)),
            IndexKind::Language => Cow::Owned(self.language.iter().map(|language| language.index_slug()).collect()),
            IndexKind::Featured => Cow::Owned(self.is_featured.then(featured_partition).into_iter().collect()),
            IndexKind::Field => Cow::Borrowed(&self.field_index),
        }
    }

    /// Like [`indexed`](Self::indexed), for all kinds.
    pub fn indexes(&self) -> impl Iterator<Item = (IndexKind, Slug)> + '_ {
        let of_kind = |kind| self.indexed(kind).into_owned().into_iter().map(move |slug| (kind, slug));
        IndexKind::ALL.into_iter().flat_map(of_kind)
    }

    pub fn is_in_index(&self, kind: IndexKind, slug: &Slug) -> bool {
        match kind {
            IndexKind::Term(kind) => self.has_term(kind, slug),
            IndexKind::Language => {
                self.language.as_ref().is_some_and(|language| language.as_str().eq_ignore_ascii_case(slug.as_str()))
            }
            IndexKind::Featured => self.is_featured && slug.as_str() == FEATURED_PARTITION,
            IndexKind::Field => self.field_index.contains(slug),
        }
    }
}
