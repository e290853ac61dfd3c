//! The identity row of a term, with its mirror and the count of its partition. The rule: they change in one transaction, under the ETag of the
//! identity row.

use std::collections::HashSet;

use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::count::{self, Count};
use crate::content::tables::rows::term::{self as rows, TermRow};
use crate::content::write::plan::{TermChange, count_operation};
use crate::content::write::retry::retry_on_conflict;
use crate::keys::intent::IntentName;
use crate::keys::time::Direction;
use crate::keys::{Table, place, term};
use crate::model::{Slug, Term, TermKind};
use crate::store::{Batch, Etag, Operation, Precondition, Properties, Store, StoreError};

/// The transaction of one change of a term.
struct TermStep {
    operations: Vec<Operation>,
    /// How many listed rows the partition gains.
    added: i64,
}

/// Step 4, for each prepared change; changes that share a partition share a transaction. Returns the changes that were made.
pub(super) async fn commit(
    store: &Store,
    name: &IntentName,
    held: &[(usize, &TermChange, &Etag)],
) -> Result<HashSet<usize>> {
    let mut committed = HashSet::new();
    let mut rest = held;
    while let Some((_, first, _)) = rest.first() {
        let group = of_group(first);
        let end = rest.iter().position(|(_, change, _)| of_group(change) != group).unwrap_or(rest.len());
        let (together, others) = rest.split_at(end);
        rest = others;
        let steps: Vec<TermStep> = together.iter().map(|(_, change, etag)| step(name, change, Some(etag))).collect();
        let (kind, partition) = group;
        let operations = steps.iter().flat_map(|step| step.operations.iter().cloned()).collect();
        let added = steps.iter().map(|step| step.added).sum();
        match commit_in(store, kind, &partition, operations, added).await {
            Ok(_) => committed.extend(together.iter().map(|(i, ..)| *i)),
            Err(ContentError::Store(StoreError::Precondition(_) | StoreError::OutcomeUnknown { .. })) => {
                for (i, change, etag) in together {
                    if commit_one(store, name, change, etag).await? {
                        committed.insert(*i);
                    }
                }
            }
            Err(e) => return Err(e),
        }
    }
    Ok(committed)
}

fn of_group(change: &TermChange) -> (TermKind, String) {
    let id = &change.term().id;
    (id.kind, term::partition(&id.first_slug))
}

/// Commits one change. Returns whether it was made; it is not if the identity row has changed since it was read.
async fn commit_one(store: &Store, name: &IntentName, change: &TermChange, etag: &Etag) -> Result<bool> {
    let id = &change.term().id;
    let (kind, key) = (id.kind, term::term(&id.first_slug));
    retry_on_conflict("a term", || async {
        let row = store.get(Table::Terms(kind).name(), &key).await?;
        let found = row.as_ref().map(|row| rows::read(kind, row)).transpose()?;
        let is_made = match (&found, &change.after) {
            (Some(TermRow::Identity(row)), Some(_)) => row.made_by.as_ref() == Some(name),
            (Some(TermRow::Gone { by, .. }), None) => *by == name.to_string(),
            _ => false,
        };
        if is_made {
            return Ok(true);
        }
        if row.as_ref().map(|row| &row.etag) != Some(etag) {
            return Ok(false);
        }
        let step = step(name, change, Some(etag));
        commit_in(store, kind, key.partition(), step.operations, step.added).await.map(|_| true)
    })
    .await
}

fn step(name: &IntentName, change: &TermChange, etag: Option<&Etag>) -> TermStep {
    let first_slug = &change.term().id.first_slug;
    let is_listed = |term: Option<&Term>| term.is_some_and(|term| term.slug == term.id.first_slug);
    let (was_listed, becomes_listed) = (is_listed(change.before()), is_listed(change.after.as_ref()));
    let precondition = etag.map_or(Precondition::Absent, |etag| Precondition::Match(etag.clone()));
    let name = name.to_string();
    let properties = match &change.after {
        Some(after) => rows::with_made_by(rows::identity(after), &name),
        None => rows::gone(&name),
    };
    let put = |direction, properties: &Properties, precondition| Operation::Put {
        row: term::row(first_slug, direction),
        properties: properties.clone(),
        precondition,
    };
    let mut operations = vec![put(Direction::Forward, &properties, precondition)];
    match (was_listed, becomes_listed) {
        (_, true) => operations.push(put(Direction::Backward, &properties, Precondition::None)),
        (true, false) => operations.push(delete_mirror(first_slug)),
        (false, false) => {}
    }
    TermStep { operations, added: i64::from(becomes_listed) - i64::from(was_listed) }
}

pub(super) fn delete_mirror(slug: &Slug) -> Operation {
    Operation::Delete { row: term::row(slug, Direction::Backward), precondition: Precondition::None }
}

/// Creates a tag for a post that was committed. A tag that exists already is not changed.
pub(super) async fn insert(store: &Store, name: &IntentName, new: &Term) -> Result<Inserted> {
    let change = TermChange { before: None, after: Some(new.clone()) };
    let (kind, key) = (new.kind(), term::term(&new.id.first_slug));
    retry_on_conflict("a term", || async {
        let row = store.get(Table::Terms(kind).name(), &key).await?;
        let found = row.as_ref().map(|row| rows::read(kind, row)).transpose()?;
        let etag = match (&found, row) {
            (Some(TermRow::Identity(row)), _) => {
                return Ok(Inserted::Done { is_own: row.term.creation == new.creation });
            }
            (Some(TermRow::Gone { by, .. }), Some(row)) if *by == name.to_string() => Some(row.etag),
            (Some(TermRow::Gone { by, .. }), _) => return Ok(Inserted::Waits(by.clone())),
            // The row is of a rename to this slug, which backs off because it sees the intent of the post.
            (Some(TermRow::Slug(row)), _) => return Ok(Inserted::Waits(row.by.clone())),
            (None, _) => reserve(store, name, (kind, &new.id.first_slug), None).await?,
        };
        let step = step(name, &change, etag.as_ref());
        commit_in(store, kind, key.partition(), step.operations, step.added)
            .await
            .map(|_| Inserted::Done { is_own: true })
    })
    .await
}

/// The outcome of an insert.
pub(super) enum Inserted {
    /// `is_own`: whether the term is the one that was to be created, and not one that existed before.
    Done { is_own: bool },
    /// The existing row was written by this intent, which must close first.
    Waits(String),
}

/// A row that a reserved identity row replaces.
pub(super) struct Replaced {
    pub etag: Etag,
    /// Whether the row is listed (it is counted and has a mirror row): the row of a slug whose term has just been deleted can be.
    pub is_listed: bool,
}

/// The first of the two writes that create a term: an identity row with `GoneBy`, so that the second write replaces a row under its ETag (W6).
pub(super) async fn reserve(
    store: &Store,
    name: &IntentName,
    new: (TermKind, &Slug),
    over: Option<Replaced>,
) -> Result<Option<Etag>> {
    let (kind, slug) = new;
    let was_listed = over.as_ref().is_some_and(|row| row.is_listed);
    let put = Operation::Put {
        row: term::row(slug, Direction::Forward),
        properties: rows::gone(&name.to_string()),
        precondition: over.map_or(Precondition::Absent, |row| Precondition::Match(row.etag)),
    };
    let operations = [put].into_iter().chain(was_listed.then(|| delete_mirror(slug))).collect();
    let etags = commit_in(store, kind, &term::partition(slug), operations, -i64::from(was_listed)).await?;
    Ok(etags.into_iter().next().flatten())
}

/// Sends one transaction, with the count of the partition if it changes. Returns the new ETags, in the order of the operations.
pub(super) async fn commit_in(
    store: &Store,
    kind: TermKind,
    partition: &str,
    operations: Vec<Operation>,
    added: i64,
) -> Result<Vec<Option<Etag>>> {
    let table = Table::Terms(kind).name();
    let mut operations = operations;
    let _lock = if added != 0 { store.keyed_lock(table, partition).await } else { None };
    if added != 0 {
        let (count, unchanged) = match store.get(table, &place::count(partition)).await? {
            None => (Count::default(), Precondition::Absent),
            Some(row) => (count::read(&row)?, Precondition::Match(row.etag)),
        };
        operations.push(count_operation(&count.changed(added, None), unchanged));
    }
    Ok(store.commit(table, &Batch::new(partition, operations)?).await?)
}
