//! Rows of one term, written together: its own, the mirror and the count of its partition. The rule: what is written holds only where the row
//! is still as it was read.

use crate::content::error::Result;
use crate::content::rows::count::{self, Count};
use crate::content::rows::term::{self as rows, TermRow};
use crate::keys::time::Direction;
use crate::keys::{Table, place, term};
use crate::model::{Slug, Term, TermKind};
use crate::store::{Batch, Entity, Etag, Operation, Precondition, Properties, Store};

use super::index::put_count;
use super::retry::until_settled;

/// A row of a term's own, as it was read.
pub struct Found {
    pub row: TermRow,
    pub etag: Etag,
    pub properties: Properties,
}

/// What stands under a slug.
pub async fn find(store: &Store, kind: TermKind, slug: &Slug) -> Result<Option<Found>> {
    let found = store.get(Table::Terms(kind).name(), &term::term(slug)).await?;
    found
        .map(|row: Entity| Ok(Found { row: rows::read(kind, &row)?, etag: row.etag, properties: row.properties }))
        .transpose()
}

/// The term that stands under a slug, and what stands there for it. A rename whose commit is made has the term at its new slug, mark or not.
pub async fn standing(store: &Store, kind: TermKind, slug: &Slug) -> Result<Option<(Term, Found)>> {
    let Some(found) = find(store, kind, slug).await? else { return Ok(None) };
    let term = match &found.row {
        TermRow::Term(term) => term.clone(),
        TermRow::PendingFrom { term, old } if leads_to(store, kind, old, slug).await? => term.clone(),
        TermRow::PendingFrom { .. } | TermRow::ForwardTo { .. } => return Ok(None),
    };
    Ok(Some((term, found)))
}

/// Whether the row of one slug leads to another: the commit of a rename.
pub async fn leads_to(store: &Store, kind: TermKind, from: &Slug, to: &Slug) -> Result<bool> {
    let found = find(store, kind, from).await?;
    Ok(found.is_some_and(|found| matches!(found.row, TermRow::ForwardTo { slug, .. } if slug == *to)))
}

/// Puts a term with its mirror; `standing`: its own row, and whether that is listed, so that the mirror and the count have it already.
pub fn put(slug: &Slug, properties: &Properties, standing: Option<(Etag, bool)>) -> [Operation; 2] {
    let (own, mirror) = match standing {
        None => (Precondition::Absent, Precondition::Absent),
        Some((etag, true)) => (Precondition::Match(etag), Precondition::None),
        Some((etag, false)) => (Precondition::Match(etag), Precondition::Absent),
    };
    let put = |direction, precondition| Operation::Put {
        row: term::row(slug, direction),
        properties: properties.clone(),
        precondition,
    };
    [put(Direction::Forward, own), put(Direction::Backward, mirror)]
}

/// The row of a slug that the term no longer has.
pub fn put_forward(from: &Slug, to: &Term, precondition: Precondition) -> Operation {
    Operation::Put { row: term::row(from, Direction::Forward), properties: rows::forward(to), precondition }
}

pub fn delete_mirror(slug: &Slug) -> Operation {
    Operation::Delete { row: term::row(slug, Direction::Backward), precondition: Precondition::None }
}

pub fn delete(slug: &Slug, etag: Etag) -> Operation {
    Operation::Delete { row: term::row(slug, Direction::Forward), precondition: Precondition::Match(etag) }
}

/// One transaction, with the count of the partition.
pub async fn commit(
    store: &Store,
    kind: TermKind,
    slug: &Slug,
    mut operations: Vec<Operation>,
    added: i64,
) -> Result<()> {
    let (table, partition) = (Table::Terms(kind).name(), term::partition(slug));
    if added != 0 {
        let (count, unchanged) = match store.get(table, &place::count(partition.clone())).await? {
            None => (Count::default(), Precondition::Absent),
            Some(row) => (count::read(&row)?, Precondition::Match(row.etag)),
        };
        operations.push(put_count(&count.changed(added, None), unchanged));
    }
    store.commit(table, &Batch::new(partition, operations)?).await?;
    Ok(())
}

/// Lets each slug that the term had lead to the one that it has.
pub async fn put_forwards(store: &Store, to: &Term) -> Result<()> {
    for from in to.former_slugs.iter().filter(|from| **from != to.slug) {
        until_settled("a term", || async {
            let precondition = match find(store, to.kind(), from).await? {
                None => Precondition::Absent,
                Some(Found { row: TermRow::ForwardTo { slug, first_slug }, etag, .. })
                    if slug != to.slug && first_slug == to.id.first_slug =>
                {
                    Precondition::Match(etag)
                }
                Some(_) => return Ok(()),
            };
            // Only where it still has them: who has renamed or deleted it since sees to its slugs.
            let now = standing(store, to.kind(), &to.slug).await?;
            if !now.is_some_and(|(term, _)| term.id == to.id && term.former_slugs.contains(from)) {
                return Ok(());
            }
            commit(store, to.kind(), from, vec![put_forward(from, to, precondition)], 0).await
        })
        .await?;
    }
    Ok(())
}

/// Takes the slugs away that led to a term that is gone.
pub async fn remove_forwards(store: &Store, gone: &Term) -> Result<()> {
    for from in gone.former_slugs.iter().filter(|from| **from != gone.slug) {
        until_settled("a term", || async {
            match find(store, gone.kind(), from).await? {
                Some(Found { row: TermRow::ForwardTo { first_slug, .. }, etag, .. })
                    if first_slug == gone.id.first_slug =>
                {
                    commit(store, gone.kind(), from, vec![delete(from, etag)], 0).await
                }
                _ => Ok(()),
            }
        })
        .await?;
    }
    Ok(())
}
