//! The posts as their rows describe them; the rows of all other tables must follow from these. The rule: the row under `s-{slug}` is the truth,
//! and no body is kept.

use std::collections::{HashMap, HashSet};

use crate::keys::{Collection, PostPlace};
use crate::model::{IndexKind, Post, PostId, PostKey, Slug};

/// A post as its whole row describes it; if that row is lost, as its summary does.
#[derive(Debug, Clone)]
pub(in crate::content::maintenance) struct Known {
    pub place: PostPlace,
    pub slug: Slug,
    pub former_slugs: Vec<Slug>,
    /// The partitions of indexes that have it, if it is not a draft.
    pub indexes: Vec<(IndexKind, Slug)>,
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
}

impl Posts {
    pub(in crate::content::maintenance) fn get(&self, id: &PostId) -> Option<&Known> {
        self.by_id.get(id)
    }

    /// The published post of this key.
    pub(in crate::content::maintenance) fn published(&self, key: &PostKey) -> Option<&Known> {
        self.get(&key.id).filter(|known| known.place.collection == Collection::Posts && known.place.key == *key)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&PostId, &Known)> {
        self.by_id.iter()
    }

    pub(in crate::content::maintenance) fn is_blind(&self, place: &PostPlace) -> bool {
        self.blind.contains(&(place.collection, place.partition()))
    }
}
