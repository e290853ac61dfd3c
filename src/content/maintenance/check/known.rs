//! The posts as their rows describe them, and the rows that follow from them. The rule: the row under `s-{slug}` is the truth; the other rows must be those
//! that a change of the post writes; bodies are not kept in memory.

use std::collections::{HashMap, HashSet};

use crate::content::tables::rows::{pointer, post as post_rows};
use crate::content::write::claim_row;
use crate::keys::{Collection, PostPlace, Table, lookup, term, time};
use crate::model::{Instant, Post, PostId, PostKey, Slug};
use crate::store::{Key, Properties, Value};

/// The position of the post that a row of a list is for.
pub(in crate::content::maintenance) fn time_key(row: &Key) -> Option<PostKey> {
    time::parse_time_row(row.row()).or_else(|| time::parse_mirror_row(row.row()))
}

/// The keys of a post in `PostKeys`, and whether each is for a former slug.
fn lookups(post: &Post) -> impl Iterator<Item = (Key, bool)> {
    let former = post.former_slugs.iter().filter(|former| **former != post.slug);
    let present = [lookup::by_slug(&post.slug), lookup::by_id(&post.id)];
    let present = present.into_iter().chain(lookup::by_translation(post)).chain(lookup::by_end(post));
    former.map(|slug| (lookup::by_slug(slug), true)).chain(present.map(|row| (row, false)))
}

/// The rows of a post in a table, as a change of the post writes them: its summary, its pointers, or its rows of `PostKeys`.
pub(super) fn rows_of(table: Table, post: &Post) -> Vec<(Key, Properties)> {
    let place = PostPlace::of(post);
    let pair = |partition: String, row: Properties| time::pair(&partition, &place.key).map(|key| (key, row.clone()));
    match table {
        Table::PostKeys => lookups(post).filter_map(|(key, _)| claim_row(&key, post).map(|row| (key, row))).collect(),
        Table::PostsBy(kind) if place.collection == Collection::Posts => {
            let pointer = pointer::pointer(post);
            let partitions = post.indexed(kind);
            partitions.iter().flat_map(|slug| pair(term::posts_partition(slug), pointer.clone())).collect()
        }
        _ if table == place.collection.table() => pair(place.partition(), post_rows::summary(post)).into(),
        _ => Vec::new(),
    }
}

pub(in crate::content::maintenance) fn row_of(table: Table, key: &Key, post: &Post) -> Option<Properties> {
    let Table::PostsBy(kind) = table else {
        return rows_of(table, post).into_iter().find(|(of, _)| of == key).map(|(_, row)| row);
    };
    // Rows of the post's other terms are omitted, because each is checked in its own partition.
    let is_public = PostPlace::of(post).collection == Collection::Posts;
    let is_row = is_public && time::pair(key.partition(), &post.key()).contains(key);
    let is_in = |slug: &Slug| term::posts_partition(slug) == key.partition();
    (is_row && post.indexed(kind).iter().any(is_in)).then(|| pointer::pointer(post))
}

/// Whether a row has the expected properties. Its version may be older, because not every change of the post writes the row.
pub(super) fn is_like(found: &Properties, expected: &Properties) -> bool {
    let is_equal = |(name, value): (&str, &Value)| match (found.get(name), value) {
        (Some(Value::Int32(found)), Value::Int32(expected)) if name == "Version" => found <= expected,
        (found, _) => found == Some(value),
    };
    found.len() == expected.len() && expected.iter().all(is_equal)
}

/// Every post by its id.
#[derive(Debug, Default)]
pub(in crate::content::maintenance) struct Posts {
    pub by_id: HashMap<PostId, Post>,
    /// Partitions with a row of a post whose id cannot be read. A row that seems to point to no post may point to that one.
    pub blind: HashSet<(Collection, String)>,
    claims: Vec<Claim>,
}

/// A row of `PostKeys` that a post should have. If several posts claim a row, the first one in this order keeps it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::content::maintenance) struct Claim {
    pub row: Key,
    /// Whether it is for a former slug.
    pub is_former: bool,
    at: Instant,
    pub id: PostId,
}

impl Posts {
    pub(in crate::content::maintenance) fn get(&self, id: &PostId) -> Option<&Post> {
        self.by_id.get(id)
    }

    /// The post that owns a row. `named`: the post that the row names.
    pub(in crate::content::maintenance) fn owner(
        &self,
        table: Table,
        key: &Key,
        named: Option<&PostId>,
    ) -> Option<&Post> {
        match table {
            Table::PostKeys => self.get(&self.keeper(key, named)?.id),
            _ => self.get(&time_key(key)?.id),
        }
    }

    pub(in crate::content::maintenance) fn is_blind(&self, place: &PostPlace) -> bool {
        self.blind.contains(&(place.collection, place.partition()))
    }

    /// Computes the claims of each post. Call it when all posts are known.
    pub(super) fn claim(&mut self) {
        let of_post = |post: &Post| {
            let (at, id) = (post.key().at, post.id.clone());
            lookups(post).map(move |(row, is_former)| Claim { row, is_former, at, id: id.clone() }).collect::<Vec<_>>()
        };
        self.claims = self.by_id.values().flat_map(of_post).collect();
        self.claims.sort_unstable();
    }

    /// The claims, grouped by row.
    pub(super) fn claims(&self) -> impl Iterator<Item = &[Claim]> {
        self.claims.chunk_by(|one, other| one.row == other.row)
    }

    /// The winning claim of a row. If several posts claim it, the one that the row names keeps it.
    pub(super) fn keeper(&self, row: &Key, named: Option<&PostId>) -> Option<&Claim> {
        let from = self.claims.partition_point(|claim| claim.row < *row);
        let claims = self.claims[from..].iter().take_while(|claim| claim.row == *row);
        let first = claims.clone().next()?;
        let mut same = claims.take_while(|claim| claim.is_former == first.is_former);
        Some(same.find(|claim| Some(&claim.id) == named).unwrap_or(first))
    }
}
