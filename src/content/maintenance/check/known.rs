//! The posts as their rows describe them; the rows of all other tables must follow from these. The rule: the row under `s-{slug}` is the truth,
//! and no body is kept.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::keys::{Collection, PostPlace, lookup};
use crate::model::{IndexKind, Post, PostId, PostKey, Slug};
use crate::store::Key;

/// A post as its whole row describes it; if that row is lost, as its summary does.
#[derive(Debug, Clone)]
pub(in crate::content::maintenance) struct Known {
    pub place: PostPlace,
    pub slug: Slug,
    pub former_slugs: Vec<Slug>,
    /// The partitions of indexes that have it, if it is not a draft.
    pub indexes: Vec<(IndexKind, Slug)>,
    /// Its row in its group of translations, which has the summary of the post.
    pub translation: Option<Box<(Key, Post)>>,
    /// Its row among the posts that are to be unpublished.
    pub end: Option<Key>,
    pub version: i32,
    pub origin: Option<String>,
}

impl Known {
    pub(super) fn of(post: &Post) -> Self {
        Self {
            place: PostPlace::of(post),
            slug: post.slug.clone(),
            former_slugs: post.former_slugs.clone(),
            indexes: post.indexes().collect(),
            translation: lookup::by_translation(post).map(|row| Box::new((row, post.clone()))),
            end: lookup::by_end(post),
            version: post.version,
            origin: post.origin.clone(),
        }
    }

    pub(super) fn is_in_index(&self, kind: IndexKind, slug: &Slug) -> bool {
        self.indexes.iter().any(|(k, s)| *k == kind && s == slug)
    }
}

/// Every post by its id.
#[derive(Debug, Default)]
pub(in crate::content::maintenance) struct Posts {
    pub by_id: HashMap<PostId, Known>,
    /// Partitions that hold a row of a post whose id cannot be read: a row that seems to point to no post may point to that one.
    pub blind: HashSet<(Collection, String)>,
    /// Every slug with each post that has or had it, sorted by slug; the first post of a slug keeps it.
    claims: Vec<(Slug, PostId)>,
}

impl Posts {
    pub(in crate::content::maintenance) fn get(&self, id: &PostId) -> Option<&Known> {
        self.by_id.get(id)
    }

    /// The published post of this key.
    pub(in crate::content::maintenance) fn published(&self, key: &PostKey) -> Option<&Known> {
        self.get(&key.id).filter(|known| known.place.collection == Collection::Posts && known.place.key == *key)
    }

    pub(in crate::content::maintenance) fn is_blind(&self, place: &PostPlace) -> bool {
        self.blind.contains(&(place.collection, place.partition()))
    }

    /// Finds the owners of all slugs. Call it when all posts are known.
    pub(super) fn claim_slugs(&mut self) {
        let mut claims = Vec::with_capacity(self.by_id.len());
        for (id, known) in &self.by_id {
            let slugs = known.former_slugs.iter().filter(|former| **former != known.slug).chain([&known.slug]);
            claims.extend(slugs.map(|slug| (slug.clone(), id.clone())));
        }
        // A current slug takes precedence over a former slug of another post; if two posts have the same claim, the older one keeps the slug.
        let rank = |slug: &Slug, id: &PostId| {
            let known = self.by_id.get(id);
            (Reverse(known.is_some_and(|known| known.slug == *slug)), known.map(|known| known.place.key.at))
        };
        claims.sort_by(|(slug, a), (other, b)| {
            slug.cmp(other).then_with(|| rank(slug, a).cmp(&rank(slug, b))).then_with(|| a.cmp(b))
        });
        self.claims = claims;
    }

    /// Each slug with the posts that have or had it, the first of which keeps it.
    pub(super) fn claims(&self) -> impl Iterator<Item = &[(Slug, PostId)]> {
        self.claims.chunk_by(|(slug, _), (other, _)| slug == other)
    }

    pub(super) fn claims_of(&self, slug: &Slug) -> &[(Slug, PostId)] {
        let from = self.claims.partition_point(|(other, _)| other < slug);
        let count = self.claims[from..].partition_point(|(other, _)| other == slug);
        &self.claims[from..from + count]
    }

    /// The post of a row of a group of translations. If several posts have it, the one that it names keeps it.
    pub(in crate::content::maintenance) fn of_translation(&self, row: &Key, named: Option<&PostId>) -> Option<&PostId> {
        let has = |known: &Known| known.translation.as_ref().is_some_and(|translation| translation.0 == *row);
        let is_named = named.is_some_and(|id| self.get(id).is_some_and(has));
        let mut owners = self.by_id.iter().filter(|(_, known)| has(known)).map(|(id, _)| id);
        if is_named { owners.find(|id| Some(*id) == named) } else { owners.min() }
    }

    /// Whether a slug is the current one of a post.
    pub(super) fn has_slug(&self, id: &PostId, slug: &Slug) -> bool {
        self.get(id).is_some_and(|known| known.slug == *slug)
    }

    /// The post that a slug points to, and whether it is the post's current slug. If several posts have it, the one that its row names keeps it.
    pub(in crate::content::maintenance) fn points_to(
        &self,
        slug: &Slug,
        named: Option<&PostId>,
    ) -> Option<(&PostId, bool)> {
        let claims = self.claims_of(slug);
        let first = &claims.first()?.1;
        let is_current = self.has_slug(first, slug);
        let mut same = claims.iter().map(|(_, id)| id).filter(|id| self.has_slug(id, slug) == is_current);
        Some((same.find(|id| Some(*id) == named).unwrap_or(first), is_current))
    }
}
