//! Changes of terms inside a transaction. The rule: the row of a slug belongs to the term whose identity row has the slug; a row that belongs to no term is
//! replaced. A transaction that changes the parent of a category replaces the row of the tree, too, so both agree.

use crate::content::tables::rows::partition_catalog::read_month;
use crate::content::tables::rows::term::{self as rows, TermRow};
use crate::content::tables::rows::{category_tree as tree_rows, post as post_rows};
use crate::content::write::Partition;
use crate::content::write::change_log::{self, Changed};
use crate::content::write::outcomes::TermOutcome;
use crate::content::write::plan::{self, NewPlace, TermChange};
use crate::keys::change_name::ChangeName;
use crate::keys::time::{Direction, Span};
use crate::keys::{Collection, Table, category_tree, place, term};
use crate::model::{BadParent, Slug, Term, TermId, TermKind};
use crate::store::{Key, Properties, RowRange, StoreError};

use super::overlay::Overlay;
use super::{counts, index};

/// Makes the changes. Returns the outcomes, and the changed objects.
pub(super) fn change(
    rows: &mut Overlay<'_>,
    changes: &[TermChange],
) -> Result<(Vec<TermOutcome>, Changed), StoreError> {
    rows.expect(changes.iter().flat_map(expected));
    let (mut outcomes, mut changed) = (Vec::with_capacity(changes.len()), Changed::default());
    for change in changes {
        let refused = match refusal(rows, change)? {
            None => place_category(rows, change)?,
            refused => refused,
        };
        if refused.is_none() {
            write(rows, change.before(), change.after.as_ref())?;
            changed.objects.extend(change_log::of_term(change.before(), change.after.as_ref()));
        }
        outcomes.push(refused.unwrap_or(TermOutcome::Done));
    }
    Ok((outcomes, changed))
}

/// The rows with known keys that a change reads.
fn expected(change: &TermChange) -> Vec<(Table, Key)> {
    let (before, after) = (change.before(), change.after.as_ref());
    let id = &change.term().id;
    let slugs = before.into_iter().chain(after).flat_map(plan::term_rows).map(|(slug, _)| slug);
    let mut rows: Vec<(Table, Key)> = slugs.flat_map(|slug| expected_of_slug(id.kind, &slug)).collect();
    let parent = after.and_then(|after| after.parent.as_ref());
    rows.extend(parent.map(|parent| (Table::Terms(id.kind), term::term(parent))));
    rows.push(index::count_row(id.kind, after.map_or(&id.first_slug, |after| &after.slug)));
    rows.extend((id.kind == TermKind::Category).then(|| (Table::Terms(id.kind), category_tree::tree())));
    rows
}

/// The row of a slug, its mirror, and the count of their partition.
pub(super) fn expected_of_slug(kind: TermKind, slug: &Slug) -> Vec<(Table, Key)> {
    let own = term::term(slug);
    let mirror = Key::new(own.partition(), term::row(slug, Direction::Backward)).ok();
    let count = place::count(own.partition());
    [own, count].into_iter().chain(mirror).map(|key| (Table::Terms(kind), key)).collect()
}

/// Whether a named term exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TermSlugs {
    Exists,
    Absent,
    /// The slug belongs to this term, which has another first slug.
    OfAnother(Box<Term>),
}

pub(super) fn state(rows: &Overlay<'_>, kind: TermKind, slug: &Slug) -> Result<TermSlugs, StoreError> {
    Ok(match owner(rows, kind, slug)? {
        None => TermSlugs::Absent,
        Some(term) if term.id.first_slug == *slug => TermSlugs::Exists,
        Some(term) => TermSlugs::OfAnother(Box::new(term)),
    })
}

pub(super) fn create_tag(rows: &mut Overlay<'_>, name: &ChangeName, slug: &Slug) -> Result<(), StoreError> {
    write(rows, None, Some(&plan::new_tag(name, slug)))
}

fn refusal(rows: &Overlay<'_>, change: &TermChange) -> Result<Option<TermOutcome>, StoreError> {
    let id = &change.term().id;
    let first = owner(rows, id.kind, &id.first_slug)?;
    if let Some(before) = &change.before {
        let row = rows.get(Table::Terms(id.kind), &term::term(&id.first_slug))?;
        if row.is_none_or(|row| row.etag != before.etag) {
            return Ok(Some(TermOutcome::Conflict));
        }
    } else if let Some(first) = first {
        let is_same = first.id == *id;
        return Ok(Some(if is_same { TermOutcome::Conflict } else { TermOutcome::Taken }));
    }
    let parent = change.after.as_ref().and_then(|after| after.parent.as_ref());
    if let Some(parent) =
        parent.filter(|parent| change.before().is_none_or(|before| before.parent.as_ref() != Some(parent)))
        && state(rows, id.kind, parent)? != TermSlugs::Exists
    {
        return Ok(Some(TermOutcome::Parent(BadParent::Missing)));
    }
    let Some(after) = &change.after else {
        let uses = index::listed(rows, id.kind, &id.first_slug)? + drafts_with(rows, id)?;
        return Ok((uses > 0).then_some(TermOutcome::InUse(uses)));
    };
    let is_new_slug = change.before().is_none_or(|before| before.slug != after.slug);
    if !is_new_slug || after.slug == id.first_slug {
        return Ok(None);
    }
    let is_taken = match owner(rows, id.kind, &after.slug)? {
        Some(owner) => owner.id != *id,
        // Posts have a term with this first slug, which a row of the slug would hide.
        None => index::listed(rows, id.kind, &after.slug)? > 0,
    };
    Ok(is_taken.then_some(TermOutcome::Taken))
}

/// Sets the parent of a category in the tree. Returns the refusal if the category cannot have the parent, or if a deleted category has children. The caller has
/// checked that the parent exists.
fn place_category(rows: &mut Overlay<'_>, change: &TermChange) -> Result<Option<TermOutcome>, StoreError> {
    let id = &change.term().id;
    if id.kind != TermKind::Category {
        return Ok(None);
    }
    if change.after.is_none() && has_children(rows, &id.first_slug)? {
        return Ok(Some(TermOutcome::InUse(0)));
    }
    let Some(NewPlace { category, place }) = plan::new_place(change.before(), change.after.as_ref()) else {
        return Ok(None);
    };
    let row = rows.get(tree_rows::TABLE, &category_tree::tree())?;
    let mut tree = tree_rows::read_optional(row.as_ref())?;
    if let Err(why) = tree.place(&category, place) {
        return Ok(Some(TermOutcome::Parent(why)));
    }
    match tree_rows::row(&tree).map_err(|e| StoreError::limit(e.to_string()))? {
        Some(properties) => rows.put(tree_rows::TABLE, category_tree::tree(), properties),
        None => rows.delete(tree_rows::TABLE, category_tree::tree()),
    }
    Ok(None)
}

fn has_children(rows: &Overlay<'_>, parent: &Slug) -> Result<bool, StoreError> {
    let row = rows.get(tree_rows::TABLE, &category_tree::tree())?;
    Ok(!tree_rows::read_optional(row.as_ref())?.below(parent).is_empty())
}

/// Writes the rows of all slugs of a term, and deletes those of slugs that it no longer has. Rows of former slugs that belong to other terms are not changed.
fn write(rows: &mut Overlay<'_>, before: Option<&Term>, after: Option<&Term>) -> Result<(), StoreError> {
    let Some(id) = after.or(before).map(|term| &term.id) else { return Ok(()) };
    let had = before.map(plan::term_rows).unwrap_or_default();
    let has = after.map(plan::term_rows).unwrap_or_default();
    for slug in had.keys().filter(|slug| !has.contains_key(*slug)) {
        if names(rows, id, slug)? {
            put(rows, id.kind, slug, None, false)?;
        }
    }
    for (slug, row) in has {
        let is_unchanged = had.get(&slug) == Some(&row) && names(rows, id, &slug)?;
        if !is_unchanged && owner(rows, id.kind, &slug)?.is_none_or(|owner| owner.id == *id) {
            put(rows, id.kind, &slug, Some(row.properties), row.is_listed)?;
        }
    }
    Ok(())
}

/// Puts or deletes the row of a slug, with its mirror and the count of its partition.
fn put(
    rows: &mut Overlay<'_>,
    kind: TermKind,
    slug: &Slug,
    properties: Option<Properties>,
    is_listed: bool,
) -> Result<(), StoreError> {
    let (table, own) = (Table::Terms(kind), term::term(slug));
    let mirror = Key::new(own.partition(), term::row(slug, Direction::Backward))?;
    let was_listed = rows.get(table, &mirror)?.is_some();
    match properties.clone().filter(|_| is_listed) {
        Some(properties) => rows.put(table, mirror, properties),
        None => rows.delete(table, mirror),
    }
    let partition = Partition::Terms(kind, own.partition().to_owned());
    match properties {
        Some(properties) => rows.put(table, own, properties),
        None => rows.delete(table, own),
    }
    match i64::from(is_listed) - i64::from(was_listed) {
        0 => Ok(()),
        added => counts::change_listed(rows, &partition, added, None),
    }
}

/// The term with this current or former slug.
fn owner(rows: &Overlay<'_>, kind: TermKind, slug: &Slug) -> Result<Option<Term>, StoreError> {
    Ok(match row(rows, kind, slug)? {
        Some(TermRow::Identity(found)) => Some(*found),
        Some(TermRow::Slug(found)) => match row(rows, kind, &found.first_slug)? {
            Some(TermRow::Identity(found)) => Some(*found).filter(|term| term.has_slug(slug)),
            _ => None,
        },
        None => None,
    })
}

/// Whether the row of a slug is the term's identity row or names it.
fn names(rows: &Overlay<'_>, id: &TermId, slug: &Slug) -> Result<bool, StoreError> {
    Ok(match row(rows, id.kind, slug)? {
        Some(TermRow::Identity(found)) => found.id == *id,
        Some(TermRow::Slug(found)) => found.first_slug == id.first_slug,
        None => false,
    })
}

fn row(overlay: &Overlay<'_>, kind: TermKind, slug: &Slug) -> Result<Option<TermRow>, StoreError> {
    let row = overlay.get(Table::Terms(kind), &term::term(slug))?;
    row.map(|row| rows::read(kind, &row)).transpose()
}

/// The number of drafts with the term. Their summaries are read, because drafts have no index.
fn drafts_with(rows: &Overlay<'_>, id: &TermId) -> Result<u64, StoreError> {
    let mut count = 0;
    let months = RowRange::new(place::months_partition(Collection::Drafts), None, None)?;
    for row in rows.range(Table::Months, &months)? {
        let month = read_month(&row)?;
        if month.count.rows <= 0 {
            continue;
        }
        let summaries = Span::default().rows(&place::month_partition(month.partition), Direction::Forward);
        for row in rows.range(Table::Drafts, &summaries)? {
            if post_rows::read_summary(&row)?.has_term(id.kind, &id.first_slug) {
                count += 1;
            }
        }
    }
    Ok(count)
}
