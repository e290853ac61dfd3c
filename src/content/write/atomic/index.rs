//! Index rows: pointer, mirror and count. The rule: a pointer that exists already is written again, but not counted again.

use crate::content::tables::rows::pointer;
use crate::content::write::plan::PointerPlace;
use crate::keys::{Table, place, term, time};
use crate::model::{Post, Slug, TermKind};
use crate::store::{Key, StoreError};

use super::counts;
use super::overlay::Overlay;

pub(super) fn put(rows: &mut Overlay<'_>, place: &PointerPlace, post: &Post) -> Result<(), StoreError> {
    let at = PointerChange::of(place)?;
    let added = i64::from(rows.get(at.table, &at.pointer)?.is_none());
    let properties = pointer::pointer(post, "");
    rows.put(at.table, at.pointer, properties.clone());
    rows.put(at.table, at.mirror, properties);
    counts::change_unlisted(rows, at.table, at.count, added, Some(&place.key))
}

pub(super) fn remove(rows: &mut Overlay<'_>, place: &PointerPlace) -> Result<(), StoreError> {
    let at = PointerChange::of(place)?;
    if rows.get(at.table, &at.pointer)?.is_none() {
        return Ok(());
    }
    rows.delete(at.table, at.pointer);
    rows.delete(at.table, at.mirror);
    counts::change_unlisted(rows, at.table, at.count, -1, None)
}

/// Whether the index of a term's first slug has any post.
pub(super) fn is_listed(rows: &Overlay<'_>, kind: TermKind, slug: &Slug) -> Result<bool, StoreError> {
    let count = counts::read(rows, Table::PostsBy(kind), &place::count(term::posts_partition(slug)))?;
    Ok(count.rows > 0)
}

/// The rows of a pointer, and the row that counts them.
struct PointerChange {
    table: Table,
    pointer: Key,
    mirror: Key,
    count: Key,
}

impl PointerChange {
    fn of(pointer: &PointerPlace) -> Result<Self, StoreError> {
        let partition = term::posts_partition(&pointer.slug);
        Ok(Self {
            table: Table::of_index(pointer.kind),
            pointer: Key::new(partition.as_str(), time::time_row(&pointer.key))?,
            mirror: Key::new(partition.as_str(), time::mirror_row(&pointer.key))?,
            count: place::count(partition),
        })
    }
}
