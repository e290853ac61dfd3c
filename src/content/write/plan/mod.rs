//! Computes the rows that a change writes from the post or term before and after it. The rule: all functions are pure; none reads a row, waits, or uses the
//! clock.

use std::collections::BTreeSet;

use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::post as rows;
use crate::keys::{PostPlace, lookup, place};
use crate::model::{
    CategoryPlace, ContentField, IndexKind, IndexedFields, Post, PostKey, Slug, Term, TermKind, WholePost,
};
use crate::store::{Entity, Etag, Key, Properties, StoreError, limits};

mod derived;

pub(in crate::content) use derived::{claim_row, tags_of_post, term_rows};
pub(super) use derived::{new_tag, tags_of_term};

/// A post that was read for a change, with the ETag that is the precondition of the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    pub whole: WholePost,
    /// The ETag of the row under its slug, which every change of the post writes.
    pub etag: Etag,
    /// The properties of that row.
    pub row: Properties,
}

impl Stored {
    /// # Errors
    /// If the row is damaged.
    pub fn read(row: &Entity) -> Result<Self, StoreError> {
        Ok(Self { whole: rows::read_whole(row)?, etag: row.etag.clone(), row: row.properties.clone() })
    }
}

/// A change of one post: its creation, update or deletion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub before: Option<Stored>,
    pub after: Option<WholePost>,
}

/// A change of one term: its creation, update, rename or deletion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::content::write) struct TermChange {
    pub before: Option<StoredTerm>,
    pub after: Option<Term>,
}

/// A term that was read for a change, with the ETag of its identity row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::content) struct StoredTerm {
    pub term: Term,
    pub etag: Etag,
}

/// A change with the new rows of the post. It can be planned on any thread; packing the body takes most of the time.
#[derive(Debug, Clone)]
pub struct Planned {
    pub change: Change,
    pub(super) rows: Option<PostRows>,
}

/// The rows of one version of a post.
#[derive(Debug, Clone)]
pub(in crate::content) struct PostRows {
    pub whole: Properties,
    /// The summary row, and its mirror row.
    pub summary: Properties,
}

impl Change {
    /// Whether the change affects more than the post's slugs, dates and terms.
    pub(super) fn replaces_text(&self) -> bool {
        let (Some(Stored { whole: old, .. }), Some(new)) = (&self.before, &self.after) else { return false };
        new.changed_since(old).into_iter().any(ContentField::is_text)
    }
}

impl Planned {
    /// `indexed`: the indexed fields, which determine the post's partitions in the index.
    ///
    /// # Errors
    /// [`ContentError::TooLarge`] if no row is large enough for the body.
    pub fn of(mut change: Change, indexed: &IndexedFields) -> Result<Self> {
        if let Some(after) = &mut change.after {
            after.post.field_index = indexed.partitions(&after.metadata);
        }
        let rows = change.after.as_ref().map(PostRows::of).transpose()?;
        Ok(Self { change, rows })
    }
}

impl PostRows {
    /// # Errors
    /// [`ContentError::TooLarge`] if no row is large enough for the body with the post's other properties.
    pub(crate) fn of(whole: &WholePost) -> Result<Self> {
        let post = &whole.post;
        let too_large = |reason: String| ContentError::TooLarge { what: post.slug.to_string(), reason };
        let packed = rows::whole(whole).map_err(|e| too_large(e.to_string()))?;
        limits::check_entity(&place::whole(post.key().month(), &post.slug), &packed)
            .map_err(|e| too_large(e.to_string()))?;
        Ok(Self { whole: packed, summary: rows::summary(post) })
    }
}

impl Change {
    pub fn post(&self) -> &Post {
        match (&self.after, &self.before) {
            (Some(after), _) => &after.post,
            (None, Some(before)) => &before.whole.post,
            (None, None) => unreachable!("a change has a post before it or after it"),
        }
    }

    pub fn before(&self) -> Option<&Post> {
        self.before.as_ref().map(|stored| &stored.whole.post)
    }

    pub fn after(&self) -> Option<&Post> {
        self.after.as_ref().map(|whole| &whole.post)
    }

    /// The terms that the change adds to the post; all terms if it publishes a draft.
    pub fn new_terms(&self) -> Vec<(TermKind, Slug)> {
        let Some(after) = self.after() else { return Vec::new() };
        let before = self.before().filter(|before| after.published_at.is_none() || before.published_at.is_some());
        let is_new = |kind, slug: &Slug| before.is_none_or(|before| !before.has_term(kind, slug));
        let of_kind = |kind: TermKind| after.terms(kind).iter().map(move |slug| (kind, slug.clone()));
        TermKind::ALL.into_iter().flat_map(of_kind).filter(|(kind, slug)| is_new(*kind, slug)).collect()
    }

    /// The slugs that the change adds to the post; a new current slug comes first.
    pub fn new_slugs(&self) -> Vec<Slug> {
        let Some(after) = self.after() else { return Vec::new() };
        let had = |slug: &Slug| self.before().is_some_and(|before| before.has_slug(slug));
        [&after.slug].into_iter().chain(&after.former_slugs).filter(|slug| !had(slug)).cloned().collect()
    }
}

impl TermChange {
    pub(in crate::content::write) fn before(&self) -> Option<&Term> {
        self.before.as_ref().map(|stored| &stored.term)
    }

    pub(in crate::content::write) fn term(&self) -> &Term {
        match (&self.after, &self.before) {
            (Some(after), _) => after,
            (None, Some(before)) => &before.term,
            (None, None) => unreachable!("a change has a term before it or after it"),
        }
    }
}

/// The new parent of a category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NewPlace {
    /// The first slug of the category.
    pub category: Slug,
    /// `None` if the category has no parent after the change.
    pub place: Option<CategoryPlace>,
}

/// `None` if the category's place does not change.
pub(super) fn new_place(before: Option<&Term>, after: Option<&Term>) -> Option<NewPlace> {
    let place = |term: Option<&Term>| term.and_then(CategoryPlace::of);
    let category = after.or(before)?.id.first_slug.clone();
    let after = place(after);
    (place(before) != after).then_some(NewPlace { category, place: after })
}

/// Whether a post moves to another partition between these two states.
pub(super) fn is_move(before: &Post, after: &Post) -> bool {
    let (old, new) = (PostPlace::of(before), PostPlace::of(after));
    (old.collection, old.partition()) != (new.collection, new.partition())
}

/// The place of a pointer: its index, partition and key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::content::write) struct PointerPlace {
    pub kind: IndexKind,
    pub slug: Slug,
    pub key: PostKey,
}

/// The pointers of a published or scheduled post; a draft has none.
pub(super) fn pointers(post: &Post) -> BTreeSet<PointerPlace> {
    if post.published_at.is_none() {
        return BTreeSet::new();
    }
    post.indexes().map(|(kind, slug)| PointerPlace { kind, slug, key: post.key() }).collect()
}

/// The rows of `PostKeys` that a post owns.
pub(super) fn lookups(post: &Post) -> BTreeSet<Key> {
    let slugs = post.former_slugs.iter().chain([&post.slug]).map(lookup::by_slug);
    slugs.chain([lookup::by_id(&post.id)]).chain(lookup::by_translation(post)).chain(lookup::by_end(post)).collect()
}
