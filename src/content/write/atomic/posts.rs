//! Changes of posts inside a transaction. The rule: a change is refused before its first write, so that a refused change has written nothing.

use crate::content::tables::rows::post as rows;
use crate::content::write::Partition;
use crate::content::write::keyed::NewKey;
use crate::content::write::log::{self, Changed};
use crate::content::write::outcomes::Outcome;
use crate::content::write::plan::{self, Change, Planned, delete_rows, is_move, put_rows};
use crate::keys::intent::IntentName;
use crate::keys::{PostPlace, Table, history};
use crate::model::post::REVISIONS_MAX;
use crate::model::{Instant, Post, PostKey, Slug, TermKind};
use crate::store::{Key, Operation, Precondition, StoreError};

use super::overlay::Overlay;
use super::terms::{self, TermSlugs};
use super::{claims, counts, index, keyed};

/// The outcome of each change, and what was changed. `name`: of the change. `key`: the idempotency key of a creation, and the
/// current instant.
pub(super) fn change(
    rows: &mut Overlay<'_>,
    name: &IntentName,
    planned: &[Planned],
    new_tags: &[Slug],
    key: Option<&(NewKey, Instant)>,
) -> Result<(Vec<Outcome>, Changed), StoreError> {
    let (mut outcomes, mut changed) = (Vec::with_capacity(planned.len()), Changed::default());
    if let Some((key, now)) = key
        && let Some(used) = keyed::used(rows, key, *now)?
    {
        return Ok((vec![used.into()], changed));
    }
    for planned in planned {
        let refused = refusal(rows, &planned.change, new_tags)?;
        if refused.is_none() {
            let created = write(rows, name, planned, new_tags)?;
            changed.new_tags.extend(created.iter().filter_map(|tag| log::of_new_tag(name, tag)));
            let change = &planned.change;
            changed.objects.extend(log::of_post(name, change.before(), change.after(), change.replaces_text()));
            if let Some((key, now)) = key {
                keyed::write(rows, key, &planned.change.post().id, *now);
            }
        }
        outcomes.push(refused.unwrap_or(Outcome::Done));
    }
    Ok((outcomes, changed))
}

fn refusal(rows: &Overlay<'_>, change: &Change, new_tags: &[Slug]) -> Result<Option<Outcome>, StoreError> {
    if let Some(before) = &change.before {
        let (table, key) = whole_row(&before.whole.post);
        if rows.get(table, &key)?.is_none_or(|row| row.etag != before.etag) {
            return Ok(Some(Outcome::Conflict));
        }
    }
    let refused = claims::refusal(rows, change)?;
    if refused.is_some() {
        return Ok(refused);
    }
    if let Some(after) = change.after()
        && !is_free(rows, change.before(), after)?
    {
        return Ok(Some(Outcome::Taken(after.slug.clone())));
    }
    for (kind, slug) in change.new_terms() {
        let is_new_tag = kind == TermKind::Tag && new_tags.contains(&slug);
        match (terms::state(rows, kind, &slug)?, is_new_tag) {
            (TermSlugs::Exists, _) | (TermSlugs::Absent, true) => {}
            // The slug belongs to another tag since the caller looked it up, and the post is to get that tag.
            (TermSlugs::OfAnother, true) => return Ok(Some(Outcome::Conflict)),
            (TermSlugs::Absent | TermSlugs::OfAnother, false) => return Ok(Some(Outcome::TermGone(kind, slug))),
        }
    }
    Ok(None)
}

/// Whether the row that will hold the whole post holds no other post. `PostKeys` prevents two posts from having one slug; this check is about rows
/// that `PostKeys` does not name.
fn is_free(rows: &Overlay<'_>, before: Option<&Post>, after: &Post) -> Result<bool, StoreError> {
    let (table, key) = whole_row(after);
    if before.is_some_and(|before| whole_row(before) == (table, key.clone())) {
        return Ok(true);
    }
    let Some(found) = rows.get(table, &key)? else { return Ok(true) };
    Ok(rows::is_marked(&found) || rows::read_summary(&found)?.id == after.id)
}

fn whole_row(post: &Post) -> (Table, Key) {
    let place = PostPlace::of(post);
    (place.collection.table(), place.whole(&post.slug))
}

/// Returns the tags that it has created.
fn write(
    rows: &mut Overlay<'_>,
    name: &IntentName,
    planned: &Planned,
    new_tags: &[Slug],
) -> Result<Vec<Slug>, StoreError> {
    let change = &planned.change;
    let (before, after) = (change.before(), change.after());
    if let Some(before) = &change.before {
        let post = &before.whole.post;
        apply(rows, post, delete_rows(post, &before.etag))?;
    }
    if let (Some(after), Some(new)) = (after, &planned.rows) {
        apply(rows, after, put_rows(after, new, &Precondition::None))?;
    }
    write_counts(rows, before, after)?;
    write_index(rows, change)?;
    claims::write(rows, change)?;
    write_revisions(rows, change)?;
    let made = after.map(|after| after.tags.as_slice()).unwrap_or_default();
    let mut created = Vec::new();
    for tag in made.iter().filter(|tag| new_tags.contains(tag)) {
        if terms::state(rows, TermKind::Tag, tag)? == TermSlugs::Absent {
            terms::create_tag(rows, name, tag)?;
            created.push(tag.clone());
        }
    }
    Ok(created)
}

/// Writes or deletes the rows of a post at its place. The preconditions have been checked before.
fn apply(rows: &mut Overlay<'_>, post: &Post, operations: Vec<Operation>) -> Result<(), StoreError> {
    let place = PostPlace::of(post);
    for operation in operations {
        let key = Key::new(place.partition(), operation.row())?;
        match operation {
            Operation::Put { properties, .. } => rows.put(place.collection.table(), key, properties),
            Operation::Delete { .. } => rows.delete(place.collection.table(), key),
        }
    }
    Ok(())
}

fn write_counts(rows: &mut Overlay<'_>, before: Option<&Post>, after: Option<&Post>) -> Result<(), StoreError> {
    let mut count = |post: &Post, added: i64, newest: Option<&PostKey>| {
        let place = PostPlace::of(post);
        counts::change_listed(rows, &Partition::Month(place.collection, place.key.month()), added, newest)
    };
    match (before, after) {
        (Some(before), Some(after)) if !is_move(before, after) => {
            // A post that keeps its instant does not change the count of its month.
            let (old, new) = (before.key(), after.key());
            if old == new { Ok(()) } else { count(after, 0, Some(&new)) }
        }
        (before, after) => {
            before.map_or(Ok(()), |before| count(before, -1, None))?;
            after.map_or(Ok(()), |after| count(after, 1, Some(&after.key())))
        }
    }
}

fn write_index(rows: &mut Overlay<'_>, change: &Change) -> Result<(), StoreError> {
    let has = change.after().map(plan::pointers).unwrap_or_default();
    let had = change.before().map(plan::pointers).unwrap_or_default();
    for pointer in had.difference(&has) {
        index::remove(rows, pointer)?;
    }
    if let Some(after) = change.after() {
        for pointer in has.difference(&had) {
            index::put(rows, pointer, after)?;
        }
    }
    Ok(())
}

fn write_revisions(rows: &mut Overlay<'_>, change: &Change) -> Result<(), StoreError> {
    let Some(before) = &change.before else { return Ok(()) };
    let (id, version) = (&before.whole.post.id, before.whole.post.version);
    if change.after.is_none() {
        for kept in rows.range(Table::Revisions, &history::revisions(id))? {
            rows.delete(Table::Revisions, kept.key);
        }
        return Ok(());
    }
    rows.put(Table::Revisions, history::revision(id, version), plan::revision_row(&before.row));
    let oldest = version.saturating_sub(REVISIONS_MAX);
    if oldest >= 1 {
        rows.delete(Table::Revisions, history::revision(id, oldest));
    }
    Ok(())
}
