//! The deletion of a term. The rule (W9): the deletion writes `DeletingBy` into the identity row first, then reads the open intents, the index and
//! the drafts, and of a category the tree. So of a deletion and a writer that gives the term to a post, or to a category as its parent, one sees the other,
//! and readers see the term until it is deleted.

use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::partition_catalog::read_month;
use crate::content::tables::rows::post as post_rows;
use crate::content::tables::rows::term::{self as rows, TermRow};
use crate::content::tables::{read_all, scan_all};
use crate::content::write::outcomes::TermOutcome;
use crate::content::write::plan::StoredTerm;
use crate::content::write::protocol::Session;
use crate::content::write::protocol::index::is_listed;
use crate::content::write::protocol::intent::{self, StoredIntent, require_open};
use crate::content::write::retry::retry_on_conflict;
use crate::keys::intent::IntentName;
use crate::keys::{Collection, Table, place, term, time};
use crate::model::{Slug, Term, TermId, TermKind};
use crate::store::{Batch, Entity, Etag, Operation, Precondition, Properties, RowRange, Store};

use super::places;

/// How often a deletion checks whether posts have the term.
const LOOKS_MAX: usize = 3;

impl Session<'_> {
    /// Steps 2 and 3 of a deletion. Returns the ETag of the identity row with `DeletingBy`, or why the deletion is refused.
    pub(super) async fn prepare_deletion(&self, before: &StoredTerm) -> Result<Result<Etag, TermOutcome>> {
        let Some(held) = self.mark(before).await? else { return Ok(Err(TermOutcome::Conflict)) };
        let id = &before.term.id;
        let mut was_used = false;
        for _ in 0..LOOKS_MAX {
            // Open changes that give the term to a post or a category may still be refused; those that begin now see `DeletingBy` and back off.
            match self.writer.wait_until_closed(&self.open_changes_giving(id).await?).await {
                Err(ContentError::Busy) => return Ok(Err(TermOutcome::Busy)),
                waited => waited?,
            }
            match (self.is_used(id).await?, was_used) {
                (false, _) => return Ok(Ok(held)),
                (true, true) => break,
                // The pointer may be of a change that has backed off and is about to remove it.
                (true, false) => was_used = true,
            }
        }
        Ok(Err(TermOutcome::InUse))
    }

    async fn is_used(&self, id: &TermId) -> Result<bool> {
        let is_parent = id.kind == TermKind::Category && places::has_children(&self.store, &id.first_slug).await?;
        Ok(is_parent
            || is_listed(&self.store, id.kind, &id.first_slug).await?
            || is_of_a_draft(&self.store, id).await?)
    }

    /// Sets `DeletingBy` on the identity row. Returns the new ETag, or `None` if the row has changed since it was read.
    async fn mark(&self, before: &StoredTerm) -> Result<Option<Etag>> {
        let (kind, key) = (before.term.kind(), term::term(&before.term.id.first_slug));
        retry_on_conflict("a term", || async {
            let Some(row) = self.store.get(Table::Terms(kind).name(), &key).await? else { return Ok(None) };
            match rows::read(kind, &row)? {
                // An earlier try has written it, and its answer was lost.
                TermRow::Identity(found) if found.deleting_by.as_ref() == Some(&self.name) => {
                    return Ok(Some(row.etag));
                }
                TermRow::Identity(_) if row.etag == before.etag => {}
                _ => return Ok(None),
            }
            let properties = rows::with_deleting_by(row.properties.clone(), &self.name.to_string());
            put(&self.store, kind, &row, properties).await
        })
        .await
    }

    async fn open_changes_giving(&self, id: &TermId) -> Result<Vec<IntentName>> {
        let rows = scan_all(&self.store, Table::Intents).await?;
        let gives = |row: &&Entity| match intent::read(row) {
            Ok(StoredIntent::Open { intent, .. }) => intent.gives(id),
            Ok(StoredIntent::Kept { .. } | StoredIntent::Foreign) | Err(_) => false,
        };
        let names = rows.iter().filter(gives).map(|row| IntentName::of_key(&row.key));
        Ok(names.filter(|name| *name != self.name).collect())
    }
}

/// Whether a draft has the term. Reads the drafts one month at a time.
async fn is_of_a_draft(store: &Store, id: &TermId) -> Result<bool> {
    let months = RowRange::new(place::months_partition(Collection::Drafts), None, None)?;
    for row in read_all(store, Table::Months, &months).await? {
        let month = read_month(&row)?.partition;
        let rows = RowRange::new(place::month_partition(month), None, None)?;
        for row in read_all(store, Table::Drafts, &rows).await? {
            let is_summary = time::parse_time_row(row.key.row()).is_some();
            if is_summary && has(&row, id.kind, &id.first_slug)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn has(row: &Entity, kind: TermKind, slug: &Slug) -> Result<bool> {
    let is_gone = matches!(post_rows::read_move(row)?, Some(post_rows::Move::ForwardTo(_)));
    Ok(!is_gone && post_rows::read_summary(row)?.has_term(kind, slug))
}

/// Undoes a change of a term that was not made: removes the `DeletingBy` of a deletion, and deletes the row with `GoneBy` of a creation, unless
/// `keeps_fence`.
pub(super) async fn unmark(store: &Store, name: &IntentName, marked: &Term, keeps_fence: bool) -> Result<()> {
    let (kind, key) = (marked.kind(), term::term(&marked.id.first_slug));
    retry_on_conflict("a term", || async {
        let Some(row) = store.get(Table::Terms(kind).name(), &key).await? else { return Ok(()) };
        match rows::read(kind, &row)? {
            TermRow::Identity(found) if found.deleting_by.as_ref() == Some(name) => {
                put(store, kind, &row, rows::without_deleting(&row.properties)).await.map(drop)
            }
            TermRow::Gone { by, .. } if by == name.to_string() && !keeps_fence => delete(store, kind, &row).await,
            _ => Ok(()),
        }
    })
    .await
}

/// The last step of a deletion: removes the row with `GoneBy` (W3).
pub(super) async fn remove_gone(store: &Store, name: &IntentName, gone: &Term) -> Result<()> {
    let (kind, key) = (gone.kind(), term::term(&gone.id.first_slug));
    retry_on_conflict("a term", || async {
        let Some(row) = store.get(Table::Terms(kind).name(), &key).await? else { return Ok(()) };
        match rows::read(kind, &row)? {
            TermRow::Gone { by, .. } if by == name.to_string() => {
                require_open(store, name).await?;
                delete(store, kind, &row).await
            }
            _ => Ok(()),
        }
    })
    .await
}

async fn put(store: &Store, kind: TermKind, row: &Entity, properties: Properties) -> Result<Option<Etag>> {
    let precondition = Precondition::Match(row.etag.clone());
    let put = Operation::Put { row: row.key.row().to_owned(), properties, precondition };
    let etags = store.commit(Table::Terms(kind).name(), &Batch::new(row.key.partition(), vec![put])?).await?;
    Ok(etags.into_iter().next().flatten())
}

async fn delete(store: &Store, kind: TermKind, row: &Entity) -> Result<()> {
    let delete =
        Operation::Delete { row: row.key.row().to_owned(), precondition: Precondition::Match(row.etag.clone()) };
    store.commit(Table::Terms(kind).name(), &Batch::new(row.key.partition(), vec![delete])?).await?;
    Ok(())
}
