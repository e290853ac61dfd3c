//! The commit itself: the transactions that make changes true. The rule: a post's rows change in one of them, together with the count of their
//! partition, or not at all.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::try_join_all;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::content::error::{ContentError, Result};
use crate::content::moves;
use crate::content::rows::count::{self, Count};
use crate::keys::{Shelf, place};
use crate::model::PostId;
use crate::store::limits::{BATCH_BYTES_MAX, BATCH_OPERATIONS_MAX};
use crate::store::{Batch, Etag, Operation, Precondition, Properties, Store, StoreError, Value};

use super::CONCURRENCY;
use super::index::put_count;
use super::plan::CommitStep;
use super::retry::until_settled;

/// Commits each step, many in one transaction where they share a partition, and answers the posts that had moved on.
pub async fn commit_all(store: &Store, steps: Vec<(PostId, CommitStep)>) -> Result<HashSet<PostId>> {
    let mut partitions: BTreeMap<(Shelf, String), Vec<(PostId, CommitStep)>> = BTreeMap::new();
    for (id, step) in steps {
        partitions.entry((step.shelf, step.partition.clone())).or_default().push((id, step));
    }
    let commits = partitions.into_values().map(|steps| commit_partition(store, steps));
    let lost: Vec<Vec<PostId>> = stream::iter(commits).buffer_unordered(CONCURRENCY).try_collect().await?;
    Ok(lost.into_iter().flatten().collect())
}

async fn commit_partition(store: &Store, steps: Vec<(PostId, CommitStep)>) -> Result<Vec<PostId>> {
    let mut lost = Vec::new();
    for group in groups(steps) {
        let refs: Vec<&CommitStep> = group.iter().map(|(_, step)| step).collect();
        match commit_group(store, &refs).await {
            Ok(()) => {}
            Err(ContentError::Store(error @ (StoreError::Precondition(_) | StoreError::OutcomeUnknown { .. }))) => {
                let is_in_doubt = matches!(error, StoreError::OutcomeUnknown { .. });
                for (id, step) in &group {
                    if !commit_single(store, id, step, is_in_doubt).await? {
                        lost.push(id.clone());
                    }
                }
            }
            Err(e) => return Err(e),
        }
    }
    Ok(lost)
}

/// Whether the step was taken. Only the count may be tried again: where the post's own rows have moved on, it is lost. Where the answer to a try
/// was lost (`is_in_doubt`) and they stand just as the step writes them, that try was taken.
async fn commit_single(store: &Store, id: &PostId, step: &CommitStep, is_in_doubt: bool) -> Result<bool> {
    let is_in_doubt = AtomicBool::new(is_in_doubt);
    let taken = until_settled("a month", || async {
        let doubt = is_in_doubt.load(Ordering::Relaxed);
        match state_of(store, step).await? {
            StepState::Open => match commit_group(store, &[step]).await {
                Err(error @ ContentError::Store(StoreError::OutcomeUnknown { .. })) => {
                    is_in_doubt.store(true, Ordering::Relaxed);
                    Err(error)
                }
                answered => answered.map(|()| Some(true)),
            },
            // Without a doubt it is another's change: one just like this, or one that took the post away.
            StepState::Taken | StepState::Lost if !doubt => Ok(Some(false)),
            StepState::Taken if !step.is_delete() => Ok(Some(true)),
            // Rows that are gone are a deletion, unless another change has moved them.
            StepState::Taken => Ok(Some(moves::find(store, id, &[]).await?.is_none())),
            StepState::Lost => Ok(None),
        }
    });
    // The change may have been made, and a later one upon it.
    taken.await?.ok_or_else(|| StoreError::outcome_unknown("a change that was changed again", Overtaken).into())
}

#[derive(Debug, thiserror::Error)]
#[error("the answer was lost, and the post has moved on")]
struct Overtaken;

enum StepState {
    Open,
    Taken,
    Lost,
}

async fn state_of(store: &Store, step: &CommitStep) -> Result<StepState> {
    let reads = step.operations.iter().map(|operation| async move {
        let key = crate::store::Key::new(step.partition.clone(), operation.row())?;
        Ok::<_, ContentError>((operation, store.get(step.shelf.name(), &key).await?))
    });
    let found = try_join_all(reads).await?;
    let is_taken = found.iter().all(|(operation, row)| match (operation, row) {
        (Operation::Put { properties, .. }, Some(row)) => same(properties, &row.properties),
        (Operation::Delete { .. }, None) => true,
        _ => false,
    });
    let is_open = found.iter().all(|(operation, row)| {
        let (Operation::Put { precondition, .. } | Operation::Delete { precondition, .. }) = operation;
        match (precondition, row) {
            (Precondition::Absent, row) => row.is_none(),
            (Precondition::Match(etag), row) => row.as_ref().is_some_and(|row| row.etag == *etag),
            (Precondition::None, row) => row.is_some() || matches!(operation, Operation::Put { .. }),
        }
    });
    Ok(match (is_taken, is_open) {
        (true, _) => StepState::Taken,
        (false, true) => StepState::Open,
        (false, false) => StepState::Lost,
    })
}

/// Whatever order the store answers the properties in.
fn same(a: &Properties, b: &Properties) -> bool {
    a.len() == b.len() && a.iter().all(|(name, value)| b.get(name) == Some(value))
}

/// One transaction, with the count of the partition where it changes.
pub async fn commit_group(store: &Store, steps: &[&CommitStep]) -> Result<()> {
    let Some(first) = steps.first() else { return Ok(()) };
    let mut operations: Vec<Operation> = steps.iter().flat_map(|step| step.operations.iter().cloned()).collect();
    let added = steps.iter().map(|step| step.added).sum();
    let newest = steps.iter().filter_map(|step| step.newest.as_ref()).min();
    let is_counted = added != 0 || newest.is_some();
    let _turn = if is_counted { store.turn(first.shelf.name(), &first.partition).await } else { None };
    if is_counted {
        let (count, unchanged) = read_count(store, first.shelf, &first.partition).await?;
        operations.push(put_count(
            &count.changed(added, newest),
            unchanged.map_or(Precondition::Absent, Precondition::Match),
        ));
    }
    store.commit(first.shelf.name(), &Batch::new(first.partition.clone(), operations)?).await?;
    Ok(())
}

async fn read_count(store: &Store, shelf: Shelf, partition: &str) -> Result<(Count, Option<Etag>)> {
    let row = store.get(shelf.name(), &place::count(partition)).await?;
    Ok(match row {
        None => (Count::default(), None),
        Some(row) => (count::read(&row)?, Some(row.etag)),
    })
}

/// Steps of one partition, as many together as a transaction holds.
fn groups(steps: Vec<(PostId, CommitStep)>) -> Vec<Vec<(PostId, CommitStep)>> {
    let mut groups: Vec<Vec<(PostId, CommitStep)>> = Vec::new();
    let (mut operations, mut bytes) = (0, 0);
    for (id, step) in steps {
        let size: usize = step.operations.iter().map(operation_bytes).sum();
        // One operation is kept for the count.
        let fits = operations + step.operations.len() < BATCH_OPERATIONS_MAX && bytes + size < BATCH_BYTES_MAX / 2;
        if groups.is_empty() || !fits {
            groups.push(Vec::new());
            (operations, bytes) = (0, 0);
        }
        operations += step.operations.len();
        bytes += size;
        groups.last_mut().expect("one was pushed").push((id, step));
    }
    groups
}

/// Roughly what an operation counts for; half of the limit is kept free for what this leaves out.
fn operation_bytes(operation: &Operation) -> usize {
    let Operation::Put { properties, .. } = operation else { return 100 };
    let value = |value: &Value| match value {
        Value::String(text) => 2 * text.len(),
        Value::Binary(bytes) => bytes.len() * 4 / 3,
        _ => 16,
    };
    properties.iter().map(|(name, v)| 2 * name.len() + value(v)).sum()
}
