//! The rows of `PostKeys`. The rule (I6): a slug belongs to the post that has it; a row that names a missing post, or one without the slug, does not prevent
//! another post from taking it.

use std::collections::BTreeSet;

use crate::content::tables::rows::lookup::{self as rows, LookupRow};
use crate::content::tables::rows::post as post_rows;
use crate::content::write::outcomes::Outcome;
use crate::content::write::plan::{self, Change};
use crate::keys::{PostPlace, Table, lookup};
use crate::model::post::{BadTranslation, TRANSLATIONS_MAX};
use crate::model::{Post, PostId, Slug};
use crate::store::{Entity, Key, StoreError};

use super::overlay::Overlay;

/// The highest number after a slug that is generated from a title.
const NUMBERS_MAX: u32 = 1_000;

/// Why a change cannot have an id or a slug; `None` if it can.
pub(super) fn refusal(rows: &Overlay<'_>, change: &Change) -> Result<Option<Outcome>, StoreError> {
    let Some(after) = change.after() else { return Ok(None) };
    if change.before.is_none() && post(rows, &after.id)?.is_some() {
        return Ok(Some(Outcome::Exists));
    }
    for slug in change.new_slugs() {
        if owner(rows, &slug)?.is_some_and(|owner| owner.id != after.id) {
            return Ok(Some(Outcome::Taken(slug)));
        }
    }
    Ok(bad_translation(rows, change.before(), after)?.map(Outcome::Untranslatable))
}

/// Why the post cannot join its group of translations, or change its language there.
fn bad_translation(
    rows: &Overlay<'_>,
    before: Option<&Post>,
    after: &Post,
) -> Result<Option<BadTranslation>, StoreError> {
    let (Some(group), Some(key)) = (&after.translation_group, lookup::by_translation(after)) else { return Ok(None) };
    if before.and_then(lookup::by_translation).as_ref() == Some(&key) {
        return Ok(None);
    }
    let mut others = 0;
    for row in rows.range(Table::PostKeys, &lookup::translations(group))? {
        if named_id(&row)? != after.id {
            if row.key == key {
                return Ok(Some(BadTranslation::Language));
            }
            others += 1;
        }
    }
    Ok((others >= TRANSLATIONS_MAX).then_some(BadTranslation::TooMany))
}

/// A number above `taken` that makes the slug free: the next one, if the used numbers have no gap. `None` if all up to [`NUMBERS_MAX`] are used.
pub(super) fn free_number(rows: &Overlay<'_>, base: &Slug, taken: u32) -> Result<Option<u32>, StoreError> {
    let is_free = |number: u32| Ok::<_, StoreError>(owner(rows, &base.numbered(number))?.is_none());
    let (mut taken, mut step) = (taken, 1);
    let mut free = loop {
        let next = taken.saturating_add(step).min(NUMBERS_MAX);
        if next <= taken {
            return Ok(None);
        }
        if is_free(next)? {
            break next;
        }
        (taken, step) = (next, 2 * step);
    };
    while free - taken > 1 {
        let middle = taken.midpoint(free);
        if is_free(middle)? { free = middle } else { taken = middle }
    }
    Ok(Some(free))
}

/// The rows that the change reads.
pub(super) fn expected(change: &Change) -> Vec<Key> {
    let (before, after) = (change.before(), change.after());
    let had = before.map(plan::lookups).unwrap_or_default();
    let has = after.map(plan::lookups).unwrap_or_default();
    let changed = after.map(|after| changed(before, after, &had, &has)).unwrap_or_default();
    had.difference(&has).cloned().chain(changed).collect()
}

/// Writes the rows that the post owns after the change, and deletes those that it no longer owns.
pub(super) fn write(overlay: &mut Overlay<'_>, change: &Change) -> Result<(), StoreError> {
    let (before, after) = (change.before(), change.after());
    let had = before.map(plan::lookups).unwrap_or_default();
    let has = after.map(plan::lookups).unwrap_or_default();
    for key in had.difference(&has) {
        let row = overlay.get(Table::PostKeys, key)?;
        let is_own = |row| Ok::<_, StoreError>(named_id(row)? == change.post().id);
        if row.as_ref().map(is_own).transpose()?.unwrap_or(false) {
            overlay.delete(Table::PostKeys, key.clone());
        }
    }
    let Some(after) = after else { return Ok(()) };
    for key in changed(before, after, &had, &has) {
        // A slug that belongs to another post stays with that post.
        let is_new = !had.contains(&key);
        if (is_new || !is_of_another(overlay, &key, &after.id)?)
            && let Some(properties) = plan::claim_row(&key, after)
        {
            overlay.put(Table::PostKeys, key, properties);
        }
    }
    Ok(())
}

/// The rows that the post owns after the change and whose content has changed.
fn changed(before: Option<&Post>, after: &Post, had: &BTreeSet<Key>, has: &BTreeSet<Key>) -> Vec<Key> {
    let place = |post: &Post| (PostPlace::of(post), post.slug.clone(), post.origin.clone());
    let end = lookup::by_end(after);
    let named = [lookup::by_id(&after.id), lookup::by_slug(&after.slug)];
    let translation = lookup::by_translation(after);
    let left = before.map(|before| lookup::by_slug(&before.slug));
    let is_moved = before.is_none_or(|before| place(before) != place(after));
    let is_changed = |key: &&Key| {
        let is_place = named.contains(key) || [left.as_ref(), end.as_ref()].contains(&Some(key));
        !had.contains(key) || (is_moved && is_place) || translation.as_ref() == Some(key)
    };
    has.iter().filter(is_changed).cloned().collect()
}

/// The post that a row names.
fn named_id(row: &Entity) -> Result<PostId, StoreError> {
    match lookup::parse(&row.key) {
        Some(lookup::Lookup::Translation) => Ok(post_rows::read_summary(row)?.id),
        _ => Ok(rows::read(row)?.id().clone()),
    }
}

fn is_of_another(rows: &Overlay<'_>, key: &Key, id: &PostId) -> Result<bool, StoreError> {
    match lookup::parse(key) {
        Some(lookup::Lookup::Slug(slug)) => Ok(owner(rows, &slug)?.is_some_and(|owner| owner.id != *id)),
        Some(_) | None => Ok(false),
    }
}

/// The post with this current or former slug.
fn owner(overlay: &Overlay<'_>, slug: &Slug) -> Result<Option<Post>, StoreError> {
    let Some(row) = overlay.get(Table::PostKeys, &lookup::by_slug(slug))? else { return Ok(None) };
    let named = rows::read(&row)?;
    let found = match named_post(overlay, &named)? {
        None => post(overlay, named.id())?,
        found => found,
    };
    Ok(found.filter(|post| post.has_slug(slug)))
}

fn post(overlay: &Overlay<'_>, id: &PostId) -> Result<Option<Post>, StoreError> {
    match overlay.get(Table::PostKeys, &lookup::by_id(id))? {
        Some(row) => named_post(overlay, &rows::read(&row)?),
        None => Ok(None),
    }
}

/// The post at the place that a row names.
fn named_post(rows: &Overlay<'_>, named: &LookupRow) -> Result<Option<Post>, StoreError> {
    let LookupRow::Place { place, slug, .. } = named else { return Ok(None) };
    let Some(row) = rows.get(place.collection.table(), &place.whole(slug))? else { return Ok(None) };
    Ok(Some(post_rows::read_summary(&row)?).filter(|post| post.id == place.key.id))
}
