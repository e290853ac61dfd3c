//! The sizes of what an operation names: the indexes of a filter, and the post or term that a change changes. The rule: a size that was not
//! read, or whose object was not found, is unknown.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::content::tables::rows::count::Count;
use crate::model::{IndexKind, Instant, Post, PostId, Slug, TermId, TermKind};

/// The maximum number of indexes whose sizes are read for one operation: those of three filters with as many slugs as a filter may name.
pub(crate) const INDEXES_READ_MAX: usize = 60;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedKeys {
    /// The indexes whose posts a filter selects.
    pub indexes: BTreeSet<(IndexKind, Slug)>,
    /// The object of a mutation that has only one change.
    pub change: Option<NamedChange>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedChange {
    Post(PostId),
    /// A post, and the version of it that is restored.
    Version(PostId, i32),
    /// A term that is deleted.
    Term(TermId),
    /// A new post gets this slug if no post has it.
    NewPost(Slug),
}

#[derive(Debug, Clone, Default)]
pub struct NamedSizes {
    pub(super) indexes: Arc<HashMap<(IndexKind, Slug), IndexSize>>,
    pub(super) change: Option<ChangeSize>,
}

/// An index that has posts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexSize {
    /// Its posts, scheduled ones included.
    pub rows: u64,
    /// Whether some of them are scheduled.
    pub has_scheduled: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeSize {
    Post(PostSize),
    Term {
        /// The months that may hold drafts, which a deletion looks through, and the drafts.
        draft_months: u64,
        drafts: u64,
    },
    /// No post has the slug.
    FreeSlug,
    /// The change is refused, because its object does not exist or is hidden from the client.
    Missing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostSize {
    /// Its terms by kind, or those of the version that is restored, if these are more.
    pub terms: [u64; TermKind::ALL.len()],
    /// Whether it has a language, or the version that is restored has one.
    pub has_language: bool,
    /// Whether it is featured, or the version that is restored is.
    pub is_featured: bool,
}

impl NamedKeys {
    pub fn is_empty(&self) -> bool {
        self.indexes.is_empty() && self.change.is_none()
    }
}

impl NamedSizes {
    /// The index of a slug; `None` if it is unknown, has no posts, or the slug is not the first of its term.
    pub fn index(&self, kind: IndexKind, slug: &Slug) -> Option<IndexSize> {
        self.indexes.get(&(kind, slug.clone())).copied()
    }
}

impl IndexSize {
    pub(super) fn of(count: &Count, now: Instant) -> Option<Self> {
        let rows = u64::try_from(count.rows).ok().filter(|rows| *rows > 0)?;
        Some(Self { rows, has_scheduled: count.newest.as_ref().is_none_or(|newest| newest.at > now) })
    }
}

impl PostSize {
    /// The partitions of indexes that have it, if it is not a draft.
    pub fn indexes(&self) -> u64 {
        self.terms.iter().sum::<u64>() + u64::from(self.has_language) + u64::from(self.is_featured)
    }

    pub(super) fn of(post: &Post) -> Self {
        Self {
            terms: TermKind::ALL.map(|kind| post.terms(kind).len() as u64),
            has_language: post.language.is_some(),
            is_featured: post.is_featured,
        }
    }
}
