//! Index rows: pointer, mirror and count. The rule: an existing pointer is written again, but not counted again.

use crate::content::tables::rows::pointer;
use crate::content::write::Partition;
use crate::content::write::plan::PointerPlace;
use crate::keys::{Table, place, term, time};
use crate::model::{IndexKind, Post, Slug, TermKind};
use crate::store::{Key, StoreError};

use super::counts;
use super::overlay::Overlay;

/// The rows that are read to put or remove a pointer. `is_new`: whether the post is new, so that it has no pointers.
pub(super) fn expected(place: &PointerPlace, is_new: bool) -> Vec<(Table, Key)> {
    let Ok(at) = PointerChange::of(place) else { return Vec::new() };
    let pointer = (!is_new).then_some((at.table, at.pointer));
    pointer.into_iter().chain([(at.table, at.count)]).collect()
}

pub(super) fn put(
    rows: &mut Overlay<'_>,
    place: &PointerPlace,
    (post, is_new): (&Post, bool),
) -> Result<(), StoreError> {
    let at = PointerChange::of(place)?;
    let added = i64::from(is_new || rows.get(at.table, &at.pointer)?.is_none());
    let properties = pointer::pointer(post);
    rows.put(at.table, at.pointer, properties.clone());
    rows.put(at.table, at.mirror, properties);
    counts::change_index(rows, (at.table, at.count), at.listed.as_ref(), added, Some(&place.key))
}

pub(super) fn remove(rows: &mut Overlay<'_>, place: &PointerPlace) -> Result<(), StoreError> {
    let at = PointerChange::of(place)?;
    if rows.get(at.table, &at.pointer)?.is_none() {
        return Ok(());
    }
    rows.delete(at.table, at.pointer);
    rows.delete(at.table, at.mirror);
    counts::change_index(rows, (at.table, at.count), at.listed.as_ref(), -1, None)
}

/// The number of posts in the index of a term's first slug.
pub(super) fn listed(rows: &Overlay<'_>, kind: TermKind, slug: &Slug) -> Result<u64, StoreError> {
    let (table, count) = count_row(kind, slug);
    Ok(u64::try_from(counts::read(rows, table, &count)?.rows).unwrap_or(0))
}

/// The count of the index of a term's first slug.
pub(super) fn count_row(kind: TermKind, slug: &Slug) -> (Table, Key) {
    (Table::PostsBy(kind.into()), place::count(term::posts_partition(slug)))
}

/// The rows of a pointer, the row that counts them, and the partition if it is listed.
struct PointerChange {
    table: Table,
    pointer: Key,
    mirror: Key,
    count: Key,
    listed: Option<Partition>,
}

impl PointerChange {
    fn of(pointer: &PointerPlace) -> Result<Self, StoreError> {
        let partition = term::posts_partition(&pointer.slug);
        Ok(Self {
            table: Table::PostsBy(pointer.kind),
            pointer: Key::new(partition.as_str(), time::time_row(&pointer.key))?,
            mirror: Key::new(partition.as_str(), time::mirror_row(&pointer.key))?,
            count: place::count(partition),
            listed: (pointer.kind == IndexKind::Language).then(|| Partition::Language(pointer.slug.clone())),
        })
    }
}
