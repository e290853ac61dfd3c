//! Carries out the transactions of a change of posts. The rule: the rows of a post in one partition and the count of the partition change in one
//! transaction, or not at all; whether a step was carried out is read from its witness (W5).

use std::collections::{BTreeMap, HashMap};

use futures_util::future::try_join_all;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::content::error::{ContentError, Result};
use crate::content::write::plan::{Step, Witness, count_operation};
use crate::content::write::retry::retry_on_conflict;
use crate::keys::{Collection, place};
use crate::model::PostId;
use crate::store::limits::{BATCH_BYTES_MAX, BATCH_OPERATIONS_MAX};
use crate::store::{Batch, Entity, Etag, Key, Operation, Precondition, Store, StoreError, Value};

use super::{CONCURRENCY, Session};

/// Carries out the steps; those that share a partition share transactions. Returns the ETag of each witness. A post that is missing there has changed
/// since it was read, and its step was not carried out.
pub(super) async fn apply(session: &Session<'_>, steps: Vec<(PostId, Step)>) -> Result<HashMap<PostId, Etag>> {
    let mut partitions: BTreeMap<(Collection, String), Vec<(PostId, Step)>> = BTreeMap::new();
    for (id, step) in steps {
        partitions.entry((step.collection, step.partition.clone())).or_default().push((id, step));
    }
    let applied = partitions.into_values().map(|steps| apply_in_partition(session, steps));
    let applied: Vec<Vec<(PostId, Etag)>> = stream::iter(applied).buffer_unordered(CONCURRENCY).try_collect().await?;
    Ok(applied.into_iter().flatten().collect())
}

async fn apply_in_partition(session: &Session<'_>, steps: Vec<(PostId, Step)>) -> Result<Vec<(PostId, Etag)>> {
    let mut applied = Vec::with_capacity(steps.len());
    for group in groups(steps) {
        let refs: Vec<&Step> = group.iter().map(|(_, step)| step).collect();
        match commit_group(session, &refs).await {
            Ok(etags) => applied.extend(group.iter().map(|(id, _)| id.clone()).zip(etags)),
            Err(ContentError::Store(StoreError::Precondition(_) | StoreError::OutcomeUnknown { .. })) => {
                for (id, step) in &group {
                    applied.extend(apply_one(session, step).await?.map(|etag| (id.clone(), etag)));
                }
            }
            Err(e) => return Err(e),
        }
    }
    Ok(applied)
}

/// Carries out one step. Returns the ETag of its witness, or `None` if the post's own rows have changed. It is tried again only if another writer has
/// changed the count.
pub(super) async fn apply_one(session: &Session<'_>, step: &Step) -> Result<Option<Etag>> {
    let store = &session.store;
    retry_on_conflict("a month", || async {
        if let Some(etag) = witness(store, step).await? {
            return Ok(Some(etag));
        }
        if !holds(store, step).await? {
            // An earlier try whose answer was lost may have been carried out between the two reads.
            return witness(store, step).await;
        }
        Ok(commit_group(session, &[step]).await?.pop())
    })
    .await
}

async fn witness(store: &Store, step: &Step) -> Result<Option<Etag>> {
    let Witness { row, property, intent } = &step.witness;
    let found = store.get(step.collection.name(), &Key::new(step.partition.clone(), row.as_str())?).await?;
    let names = |found: &Entity| matches!(found.properties.get(property), Some(Value::String(by)) if by == intent);
    Ok(found.filter(names).map(|found| found.etag))
}

/// Whether every precondition of the step holds.
async fn holds(store: &Store, step: &Step) -> Result<bool> {
    let reads = step.operations.iter().map(|operation| async move {
        let key = Key::new(step.partition.clone(), operation.row())?;
        Ok::<_, ContentError>((operation, store.get(step.collection.name(), &key).await?))
    });
    let found = try_join_all(reads).await?;
    Ok(found.iter().all(|(operation, row)| {
        let (Operation::Put { precondition, .. } | Operation::Delete { precondition, .. }) = operation;
        match (precondition, row) {
            (Precondition::Absent, row) => row.is_none(),
            (Precondition::Match(etag), row) => row.as_ref().is_some_and(|row| row.etag == *etag),
            (Precondition::None, row) => row.is_some() || matches!(operation, Operation::Put { .. }),
        }
    }))
}

/// Sends one transaction, with the count of the partition if it changes. Returns the ETags of the witnesses, in the order of the steps.
async fn commit_group(session: &Session<'_>, steps: &[&Step]) -> Result<Vec<Etag>> {
    let store = &session.store;
    let Some(first) = steps.first() else { return Ok(Vec::new()) };
    let mut operations: Vec<Operation> = steps.iter().flat_map(|step| step.operations.iter().cloned()).collect();
    let added = steps.iter().map(|step| step.added).sum();
    let newest = steps.iter().filter_map(|step| step.newest.as_ref()).min();
    let is_counted = added != 0 || newest.is_some();
    let _lock = if is_counted { store.keyed_lock(first.collection.name(), &first.partition).await } else { None };
    let counted = match is_counted {
        true => Some(session.base(first.collection.table(), place::count(first.partition.as_str())).await?),
        false => None,
    };
    if let Some(base) = &counted {
        operations.push(count_operation(&base.count()?.changed(added, newest), base.precondition()));
    }
    let batch = Batch::new(first.partition.clone(), operations)?;
    let etags = store.commit(first.collection.name(), &batch).await?;
    if let Some(base) = counted {
        base.written(&batch, &etags);
    }
    let by_row: HashMap<&str, &Option<Etag>> = batch.operations().iter().map(Operation::row).zip(&etags).collect();
    let witness = |step: &&Step| by_row.get(step.witness.row.as_str()).and_then(|etag| (*etag).clone());
    steps.iter().map(|step| witness(step).ok_or(NO_WITNESS)).collect::<Result<_>>()
}

const NO_WITNESS: ContentError =
    ContentError::Internal { what: "the store returned no ETag for a row that it wrote", source: None };

/// Splits the steps of one partition into groups that fit into one transaction each.
fn groups(steps: Vec<(PostId, Step)>) -> Vec<Vec<(PostId, Step)>> {
    let mut groups: Vec<Vec<(PostId, Step)>> = Vec::new();
    let (mut operations, mut bytes) = (0, 0);
    for (id, step) in steps {
        let size: usize = step.operations.iter().map(operation_bytes).sum();
        // One operation is reserved for the count.
        let fits = operations + step.operations.len() < BATCH_OPERATIONS_MAX && bytes + size < BATCH_BYTES_MAX / 2;
        if groups.is_empty() || !fits {
            groups.push(Vec::new());
            (operations, bytes) = (0, 0);
        }
        operations += step.operations.len();
        bytes += size;
        groups.last_mut().expect("a group was pushed if there was none").push((id, step));
    }
    groups
}

/// An estimate of the bytes of an operation. Half of the limit stays free for what it leaves out.
fn operation_bytes(operation: &Operation) -> usize {
    let Operation::Put { properties, .. } = operation else { return 100 };
    let value = |value: &Value| match value {
        Value::String(text) => 2 * text.len(),
        Value::Binary(bytes) => bytes.len() * 4 / 3,
        _ => 16,
    };
    properties.iter().map(|(name, v)| 2 * name.len() + value(v)).sum()
}
