//! Changes of posts inside a transaction. The rule: a change is refused before its first write.

use crate::content::error::Result as ContentResult;
use crate::content::tables::rows::{idempotency as key_rows, post as rows};
use crate::content::write::Partition;
use crate::content::write::Writer;
use crate::content::write::change_log::{self, Changed};
use crate::content::write::keyed::{NewKey, Used};
use crate::content::write::outcomes::{GoneTerm, Outcome};
use crate::content::write::plan::{self, Change, Planned, PostRows, is_move};
use crate::keys::change_name::ChangeName;
use crate::keys::{PostPlace, Table, place, term, time};
use crate::model::{Instant, Post, PostKey, Slug, TermKind};
use crate::store::{Key, StoreError};

use super::overlay::Overlay;
use super::terms::{self, TermSlugs};
use super::{claims, counts, index, revisions};

/// Makes the changes. Returns the outcomes, and the changed objects. `name`: the name of the change. `key`: the idempotency key of a creation, and the current
/// instant.
pub(super) fn change(
    rows: &mut Overlay<'_>,
    name: &ChangeName,
    planned: &[Planned],
    new_tags: &[Slug],
    key: Option<&(NewKey, Instant)>,
) -> Result<(Vec<Outcome>, Changed), StoreError> {
    rows.expect(planned.iter().flat_map(|planned| expected(&planned.change, new_tags)));
    rows.expect(key.map(|(key, _)| (Table::Idempotency, key.place.clone())));
    let (mut outcomes, mut changed) = (Vec::with_capacity(planned.len()), Changed::default());
    if let Some((key, now)) = key
        && let Some(used) = used(rows, key, *now)?
    {
        return Ok((vec![used.into()], changed));
    }
    for planned in planned {
        let refused = refusal(rows, &planned.change, new_tags)?;
        if refused.is_none() {
            let created = write(rows, name, planned, new_tags)?;
            changed.new_tags.extend(created.iter().filter_map(|tag| change_log::of_new_tag(name, tag)));
            let change = &planned.change;
            changed.objects.extend(change_log::of_post(name, change.before(), change.after(), change.replaces_text()));
            if let Some((key, now)) = key
                && change.before.is_none()
            {
                let used = key_rows::row(&key.row(&planned.change.post().id, *now));
                rows.put(Table::Idempotency, key.place.clone(), used);
            }
        }
        outcomes.push(refused.unwrap_or(Outcome::Done));
    }
    Ok((outcomes, changed))
}

impl Writer {
    /// Like [`use_of`](Self::use_of), after all earlier changes are applied, because the row of a key becomes visible after the created object.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn settled_use_of(&self, key: &NewKey) -> ContentResult<Option<Used>> {
        let (key, now) = (key.clone(), self.clock.now());
        self.transact(move |rows, _| Ok((used(rows, &key, now)?, Changed::default()))).await
    }
}

/// The earlier use of an idempotency key; `None` if it is unused. Its row is written in the transaction that creates the post, so it exists only if the post
/// was created.
pub(super) fn used(rows: &Overlay<'_>, key: &NewKey, now: Instant) -> Result<Option<Used>, StoreError> {
    let row = rows.get(Table::Idempotency, &key.place)?;
    Ok(row.as_ref().map(key_rows::read).transpose()?.and_then(|found| key.used(found, now)))
}

/// The rows with known keys that a change reads.
fn expected(change: &Change, new_tags: &[Slug]) -> Vec<(Table, Key)> {
    let (before, after) = (change.before(), change.after());
    let mut rows: Vec<(Table, Key)> =
        before.into_iter().chain(after).flat_map(|post| [whole_row(post), count_row(post)]).collect();
    rows.extend(claims::expected(change).into_iter().map(|key| (Table::PostKeys, key)));
    rows.extend(change.new_terms().iter().map(|(kind, slug)| (Table::Terms(*kind), term::term(slug))));
    let created = after.iter().flat_map(|after| &after.tags).filter(|tag| new_tags.contains(tag));
    rows.extend(created.flat_map(|tag| terms::expected_of_slug(TermKind::Tag, tag)));
    let (has, had) = (after.map(plan::pointers).unwrap_or_default(), before.map(plan::pointers).unwrap_or_default());
    rows.extend(has.symmetric_difference(&had).flat_map(|pointer| index::expected(pointer, before.is_none())));
    rows
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
    let mut gone = Vec::new();
    for (kind, slug) in change.new_terms() {
        let is_new_tag = kind == TermKind::Tag && new_tags.contains(&slug);
        match terms::state(rows, kind, &slug)? {
            TermSlugs::Exists => {}
            TermSlugs::Absent if is_new_tag => {}
            TermSlugs::Absent => gone.push(GoneTerm { kind, slug, now_of: None }),
            TermSlugs::OfAnother(term) => gone.push(GoneTerm { kind, slug, now_of: Some(*term) }),
        }
    }
    Ok((!gone.is_empty()).then_some(Outcome::TermsGone(gone)))
}

/// Whether the row for the whole post does not contain another post. `PostKeys` prevents two posts from having one slug; this check finds posts that `PostKeys`
/// does not name.
fn is_free(rows: &Overlay<'_>, before: Option<&Post>, after: &Post) -> Result<bool, StoreError> {
    let (table, key) = whole_row(after);
    if before.is_some_and(|before| whole_row(before) == (table, key.clone())) {
        return Ok(true);
    }
    let Some(found) = rows.get(table, &key)? else { return Ok(true) };
    Ok(rows::read_summary(&found)?.id == after.id)
}

fn whole_row(post: &Post) -> (Table, Key) {
    let place = PostPlace::of(post);
    (place.collection.table(), place.whole(&post.slug))
}

/// The count row of a post's month.
fn count_row(post: &Post) -> (Table, Key) {
    let place = PostPlace::of(post);
    (place.collection.table(), place::count(place.partition()))
}

/// Returns the tags of created terms.
fn write(
    rows: &mut Overlay<'_>,
    name: &ChangeName,
    planned: &Planned,
    new_tags: &[Slug],
) -> Result<Vec<Slug>, StoreError> {
    let change = &planned.change;
    let (before, after) = (change.before(), change.after());
    if let Some(before) = before {
        delete(rows, before)?;
    }
    if let (Some(after), Some(new)) = (after, &planned.rows) {
        put(rows, after, new)?;
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

fn put(rows: &mut Overlay<'_>, post: &Post, new: &PostRows) -> Result<(), StoreError> {
    let (table, key) = whole_row(post);
    rows.put(table, key, new.whole.clone());
    for key in summary_rows(post)? {
        rows.put(table, key, new.summary.clone());
    }
    Ok(())
}

fn delete(rows: &mut Overlay<'_>, post: &Post) -> Result<(), StoreError> {
    let (table, key) = whole_row(post);
    rows.delete(table, key);
    for key in summary_rows(post)? {
        rows.delete(table, key);
    }
    Ok(())
}

/// The keys of the summary of a post and of its mirror.
fn summary_rows(post: &Post) -> Result<[Key; 2], StoreError> {
    let place = PostPlace::of(post);
    Ok([place.summary(), Key::new(place.partition(), time::mirror_row(&place.key))?])
}

fn write_counts(rows: &mut Overlay<'_>, before: Option<&Post>, after: Option<&Post>) -> Result<(), StoreError> {
    let mut count = |post: &Post, added: i64, newest: Option<&PostKey>| {
        let place = PostPlace::of(post);
        counts::change_listed(rows, &Partition::Month(place.collection, place.key.month()), added, newest)
    };
    match (before, after) {
        (Some(before), Some(after)) if !is_move(before, after) => {
            // A post whose instant does not change does not change the count of its month.
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
            index::put(rows, pointer, (after, change.before.is_none()))?;
        }
    }
    Ok(())
}

fn write_revisions(rows: &mut Overlay<'_>, change: &Change) -> Result<(), StoreError> {
    let Some(before) = &change.before else { return Ok(()) };
    let (id, version) = (&before.whole.post.id, before.whole.post.version);
    match change.after {
        None => revisions::delete_all(rows, id),
        Some(_) => {
            revisions::keep(rows, id, version, before.row.clone());
            Ok(())
        }
    }
}
