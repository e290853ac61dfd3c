//! `PostKeys`: from an id or a slug to a post's place. The rule: the partition is a bucket of the row's hash, except that one partition has all posts with an
//! end of publication, sorted by that instant.
//!
//! 16 buckets: a partition serves about 2,000 rows a second and an account 20,000 (Azure's "Scalability and performance targets for Table storage"), so more
//! buckets would gain nothing, and with fewer an import writes fuller transactions.

use crate::model::{Instant, Post, PostId, Slug, TranslationGroup};
use crate::store::{Key, RowRange};

use super::{key, range, stable_hash, translation};

const BUCKETS: u64 = 16;
/// The partition of the posts with an end of publication.
const ENDS: &str = "ends";

pub fn by_id(id: &PostId) -> Key {
    in_bucket(format!("i-{id}"))
}

pub fn by_slug(slug: &Slug) -> Key {
    in_bucket(format!("s-{slug}"))
}

/// The row of a post in its group of translations, which has the summary of the post.
pub fn by_translation(post: &Post) -> Option<Key> {
    let partition = bucket(post.translation_group.as_ref()?.as_str());
    Some(key(partition, translation::row_of(post)?))
}

/// The posts of a group.
pub fn translations(group: &TranslationGroup) -> RowRange {
    let (from, to) = translation::bounds(group);
    range(bucket(group.as_str()), Some(from), Some(to))
}

/// The row of a post with an end of publication.
pub fn by_end(post: &Post) -> Option<Key> {
    post.unpublish_at.map(|at| end(at, &post.id))
}

fn end(at: Instant, id: &PostId) -> Key {
    key(ENDS, format!("u-{:019}-{id}", at.ticks()))
}

/// The posts with an end of publication, the next first.
pub fn ends() -> RowRange {
    range(ENDS, None, None)
}

/// The kinds of rows in `PostKeys`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup {
    Id(PostId),
    Slug(Slug),
    Translation,
    /// The end of a post's publication.
    End(Instant, PostId),
}

/// `None` if the row does not belong to this table.
pub fn parse(found: &Key) -> Option<Lookup> {
    let lookup = match found.row().split_once('-')? {
        ("i", id) => Lookup::Id(id.parse().ok()?),
        ("s", slug) => Lookup::Slug(slug.parse().ok()?),
        ("t", _) => {
            let (group, _) = translation::parse(found.row())?;
            return (bucket(group.as_str()) == found.partition()).then_some(Lookup::Translation);
        }
        ("u", rest) => {
            let (ticks, id) = rest.split_once('-')?;
            let (at, id) = (Instant::from_ticks(ticks.parse().ok()?)?, id.parse().ok()?);
            return (end(at, &id) == *found).then_some(Lookup::End(at, id));
        }
        _ => return None,
    };
    (in_bucket(found.row().to_owned()) == *found).then_some(lookup)
}

fn in_bucket(row: String) -> Key {
    key(bucket(&row), row)
}

fn bucket(text: &str) -> String {
    let hash = stable_hash(text.as_bytes());
    // The low bits of FNV-1a depend only on the last bytes, so the high half is mixed in.
    format!("{:x}", (hash ^ (hash >> 32)) % BUCKETS)
}
